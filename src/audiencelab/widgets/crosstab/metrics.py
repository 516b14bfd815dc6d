"""The metrics that cells of a grid can show, as arrays over the table, and parts of a table.

The metrics are those of the frame, and of `CrosstabResult.test`: `difference` is the column
percentage minus that of the base, in points; `z` the column's share minus that of the rest of the
base, in standard errors, as `test(vs="rest")` has it; `letters` are those of `test()`.
`js/src/crosstab/metrics/metrics.ts` has the definitions of those that the page computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.render.color_scale import OF_DIFFERENCE, difference
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.results.metrics import (
    METRICS,
    crosstab_name,
    transposed_metric,
    unknown_metric,
)
from audiencelab.results.undefined import respondents_under
from audiencelab.tables import CrosstabResult
from audiencelab.tables.comparison import compared

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

CONFIDENCE = "confidence"
"""What rows and columns can be filtered by, too: 1 - p of `test(vs="rest")` in percent, negative
where the column's share is below that of the rest."""

TESTED = ("z", CONFIDENCE)
"""Metrics of tests against the rest."""


def plane(result: CrosstabResult, metric: str, *, nets: Sequence[str] = ()) -> NDArray[Any]:
    """One metric of all cells, [rows, columns]: numbers, or str for letters.

    A number is NaN where the cell has not arrived or has no denominator.
    nets: ids of rows and columns that letters leave out because they contain others.
    """
    if metric == "difference":
        return difference(*(result.values(name) for name in OF_DIFFERENCE))
    if metric in TESTED:
        found = compared(result, "rest").outcome
        z = np.where(found.listed, found.z, np.nan)
        return z if metric == "z" else np.sign(z) * 100 * (1 - found.p)
    if metric == "letters":
        return compared(result, nets=nets).marks()
    return result.values(metric)


def denominator(result: CrosstabResult, metric: str) -> Floats | None:
    """Respondents in the denominator of each cell; None for a metric without one."""
    return respondents_under("z" if metric == CONFIDENCE else metric, result.values)


def shown_plane(result: CrosstabResult, metric: str, hide_under: float) -> NDArray[Any]:
    """One metric as the cells show it: NaN where the denominator is below `hide_under`."""
    values, respondents = plane(result, metric), denominator(result, metric)
    if not hide_under or respondents is None:
        return values
    return np.where(respondents < hide_under, np.nan, values)


def wide(
    result: CrosstabResult,
    metric: str | Sequence[str],
    hide_under: float = 0,
    *,
    nets: Sequence[str] = (),
) -> pd.DataFrame:
    """A frame of one metric or several, rows down and columns across, as in `to_wide`.

    metric: also by its short name, such as "column".

    hide_under: NaN for values whose denominator has fewer respondents.
    nets: ids of rows and columns that letters leave out because they contain others.
    """
    if isinstance(metric, str):
        return _wide(result, crosstab_name(metric), hide_under, nets)
    import pandas as pd

    metrics = [crosstab_name(name) for name in metric]
    if not metrics:
        raise ValueError("metric must name at least one metric.")
    count = len(metrics)
    frames = [_wide(result, name, hide_under, nets) for name in metrics]
    across = frames[0].columns
    joined = pd.concat(frames, axis=1)
    # All metrics of a column side by side.
    order = np.arange(count * len(across)).reshape(count, -1).T.ravel()
    frame = joined.iloc[:, order]
    levels = [across.get_level_values(level).repeat(count) for level in range(across.nlevels)]
    frame.columns = pd.MultiIndex.from_arrays(
        [*levels, metrics * len(across)], names=[*across.names, "metric"]
    )
    frame.attrs = {**frames[0].attrs, "metric": metrics}
    return frame


def _wide(
    result: CrosstabResult, metric: str, hide_under: float, nets: Sequence[str]
) -> pd.DataFrame:
    if metric in FIGURES and not hide_under:
        return result.to_wide(metric)
    if metric not in METRICS:
        raise unknown_metric(metric, METRICS)
    import pandas as pd

    frame = result.to_wide("index")
    if metric == "letters":
        values = plane(result, metric, nets=nets)
    else:
        values = shown_plane(result, metric, hide_under)
    attrs = {**frame.attrs, "metric": metric}
    if hide_under:
        attrs["hide_under"] = hide_under
    frame = pd.DataFrame(values.copy(), index=frame.index, columns=frame.columns)
    frame.attrs.update(attrs)
    return frame


# -- parts of a table -----------------------------------------------------------------------------


def part_of(result: CrosstabResult, rows: Sequence[int], columns: Sequence[int]) -> CrosstabResult:
    """The cells at these positions, in this order, as a table; nothing is counted again.

    rows, columns: positions from 0, each at most once. Cells that have not arrived are missing.
    """
    kept_rows = tuple(result.rows[at] for at in rows)
    made = replace(
        result,
        rows=kept_rows,
        columns=tuple(result.columns[at] for at in columns),
        row_groups=tuple(result.row_groups[at] for at in rows),
        column_groups=tuple(result.column_groups[at] for at in columns),
        nets_of={row.id: result.nets_of[row.id] for row in kept_rows if row.id in result.nets_of},
        whole=None if result.whole is None else result.whole[:, list(rows)],
    )
    block = np.ix_(rows, columns)
    # The mask first: a stream fills the arrays before it marks their cells.
    down, across = np.nonzero(result.arrived[block])
    planes = [result.values(name)[block][down, across] for name in FIGURES]
    cells_of(made).store(down, across, np.array(planes).T)
    return made


def transposed_table(result: CrosstabResult) -> CrosstabResult:
    """The same table with rows and columns swapped; subtotals become ordinary rows."""
    made = replace(
        result,
        rows=result.columns,
        columns=result.rows,
        rows_requested=result.columns_requested,
        columns_requested=result.rows_requested,
        row_groups=result.column_groups,
        column_groups=result.row_groups,
        nets_of={},
        whole=None,
    )
    down, across = np.nonzero(result.arrived)
    planes = [result.values(transposed_metric(name))[down, across] for name in FIGURES]
    cells_of(made).store(across, down, np.array(planes).T)
    return made
