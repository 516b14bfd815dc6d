"""What a cell of the grid can show, as planes over the whole table.

The figures are the frame's own; beside them stand what `CrosstabResult.compare_to_rest` and
`compare_columns` tell of each cell: the difference from the base, the standardised difference from
everyone else, and the letters. `js/src/widgets/grid/metrics.ts` has the same definitions for the
cells that it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.render.color_scale import OF_DIFFERENCE, difference
from audiencelab.results.crosstab import FIGURES, CrosstabResult
from audiencelab.results.undefined import respondents_under

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["METRICS", "denominator", "plane", "wide"]

Floats = NDArray[np.float64]

METRICS = (
    "index",
    "column_percentage",
    "row_percentage",
    "percentage",
    "size",
    "sample",
    "difference",
    "z",
    "letters",
)
"""What the cells may show; the frame's own names. `difference` is the column percentage less that
of the base, in points; `z` the column's share less that of everyone else in the base, in standard
errors on unweighted bases; `letters` are those of `compare_columns`."""


def plane(result: CrosstabResult, metric: str, *, nets: Sequence[str] = ()) -> NDArray[Any]:
    """One metric of all cells, [rows, columns]: numbers, or texts for the letters.

    A number is NaN where the cell has not arrived or has no denominator.
    nets: ids of rows and columns that letters leave out, because they hold others.
    """
    if metric == "difference":
        return difference(*(result.values(name) for name in OF_DIFFERENCE))
    if metric == "z":
        return _standardised(result)
    if metric == "letters":
        return result.compare_columns(nets=nets).marks()
    return result.values(metric)


def denominator(result: CrosstabResult, metric: str) -> Floats | None:
    """Respondents in the denominator of each cell; None for a metric that has none.

    A difference has its share's; a z has the column's and that of the rest.
    """
    match metric:
        case "difference" | "letters":
            return result.values("column_sample")
        case "z":
            column = result.values("column_sample")
            return np.fmin(column, result.values("base_sample") - column)
        case _:
            return respondents_under(metric, result.values)


def wide(
    result: CrosstabResult,
    metric: str | Sequence[str],
    blank_under: float = 0,
    *,
    nets: Sequence[str] = (),
) -> pd.DataFrame:
    """A table of one metric or several, rows down and columns across, as `to_wide` lays it out.

    blank_under: leave out (NaN) figures whose denominator has fewer respondents, as the cells do.
    nets: ids of rows and columns that letters leave out, because they hold others.
    """
    if isinstance(metric, str):
        return _wide(result, metric, blank_under, nets)
    import pandas as pd

    metrics = list(metric)
    if not metrics:
        raise ValueError("A table needs a metric.")
    count = len(metrics)
    frames = [_wide(result, name, blank_under, nets) for name in metrics]
    across = frames[0].columns
    beside = pd.concat(frames, axis=1)
    places = np.arange(count * len(across)).reshape(count, -1).T.ravel()
    frame = beside.iloc[:, places]
    levels = [across.get_level_values(level).repeat(count) for level in range(across.nlevels)]
    frame.columns = pd.MultiIndex.from_arrays(
        [*levels, metrics * len(across)], names=[*across.names, "metric"]
    )
    frame.attrs = {**frames[0].attrs, "metric": metrics}
    return frame


def _wide(
    result: CrosstabResult, metric: str, blank_under: float, nets: Sequence[str]
) -> pd.DataFrame:
    if metric in FIGURES and not blank_under:
        return result.to_wide(metric)
    if metric not in (*FIGURES, *METRICS):
        known = ", ".join(dict.fromkeys((*METRICS, *FIGURES)))
        raise ValueError(f"No figure {metric!r}. Choose one of {known}.")
    import pandas as pd

    frame = result.to_wide("index")
    values, respondents = plane(result, metric, nets=nets), denominator(result, metric)
    if blank_under and respondents is not None and metric != "letters":
        values = np.where(respondents < blank_under, np.nan, values)
    told = {**frame.attrs, "metric": metric}
    if blank_under:
        told["blank_under"] = blank_under
    frame = pd.DataFrame(values.copy(), index=frame.index, columns=frame.columns)
    frame.attrs.update(told)
    return frame


def _standardised(result: CrosstabResult) -> Floats:
    """As `compare_to_rest(base="unweighted")` has it, however few respondents a cell rests on."""
    from audiencelab.analysis.proportions import crosstab_shares, rest_of
    from audiencelab.analysis.z_test import difference_error

    column, rest = crosstab_shares(result).cells, rest_of(result)
    error = difference_error(column.share, column.sample, rest.share, rest.sample, pooled=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error == 0, 0.0, (column.share - rest.share) / error)
    return np.where((column.sample > 0) & (rest.sample > 0), z, np.nan)
