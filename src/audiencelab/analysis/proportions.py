"""What is compared: a table of shares, each with the people and respondents that it is taken of.

Every result that can be tested becomes such a table first, so that the tests themselves know
neither crosstabs nor stats queries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience, Leaf, walk
from audiencelab.expressions.codes import WAVES
from audiencelab.results import undefined as denominators
from audiencelab.results.banner import Heads, joined
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import text_type
from audiencelab.results.stats import Provenance, StatsData
from audiencelab.schema import StatsRow

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_ROUNDING = 1e-9
"""A smaller part of a base than sums of weights can tell from nothing."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Shares (0 to 1), the people and respondents they are taken of, and where they were asked.

    All have one shape. scope: equal numbers where two shares rest on the same waves.
    respondents: how many there are in the whole base; None where nobody knows.
    deviation: where means stand in place of shares, the standard deviation of the people.
    """

    share: Floats
    size: Floats
    sample: Floats
    scope: Floats
    respondents: Floats | None = None
    deviation: Floats | None = None

    def across(self, columns: Places) -> Cells:
        """The same rows with these columns, one place for all rows or one for each."""
        each = np.broadcast_to(columns, (self.share.shape[0], columns.shape[-1]))

        def taken(plane: Floats) -> Floats:
            return np.take_along_axis(plane, each, axis=1)

        return Cells(
            taken(self.share),
            taken(self.size),
            taken(self.sample),
            taken(self.scope),
            None if self.respondents is None else taken(self.respondents),
            None if self.deviation is None else taken(self.deviation),
        )


@dataclass(frozen=True, slots=True)
class Margin:
    """How the rows, or the columns, of a table are called.

    names: to be read. columns: their columns in a frame, by name; codes and labels.
    totals: which of them are everyone in the base. nets: which were added up of others.
    heads: those over each, outermost first; none where nothing stands under any.
    """

    names: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    totals: tuple[bool, ...]
    heads: tuple[Heads, ...] = ()
    nets: tuple[bool, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def groups(self) -> NDArray[np.intp]:
        """A number for each: the same for those under the same heads."""
        known = {heads: number for number, heads in enumerate(dict.fromkeys(self.heads))}
        numbers = [known[heads] for heads in self.heads] or [0] * len(self)
        return np.array(numbers, dtype=np.intp)

    def places(self, wanted: Sequence[str]) -> set[int]:
        """The places of everything that is called so, by name or by code."""
        sought = set(wanted)
        called = [self.names, *self.columns.values()]
        return {place for names in called for place, name in enumerate(names) if name in sought}


@dataclass(frozen=True, slots=True)
class Shares:
    """A table of shares with its margins: each cell says what share of its column is in its row.

    figure: what the service calls such a share, in words. empty: what to say of a column that
    has nobody in it.
    """

    rows: Margin
    columns: Margin
    cells: Cells
    figure: str
    provenance: Provenance
    empty: str = denominators.EMPTY_COLUMN

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)


def crosstab_shares(result: CrosstabData) -> Shares:
    """The column percentages of a crosstab."""
    everyone = _everyone(result, "column").T & ~_periods(result.columns)[:, None]
    return Shares(
        _audiences(result.rows, "row", _everyone(result, "row"), result.row_heads, result.row_nets),
        _audiences(result.columns, "column", everyone, result.column_heads),
        _cells(
            result.values("size"),
            result.values("column_size"),
            result.values("column_sample"),
            _scope(result),
            result.values("base_sample"),
        ),
        "column percentages",
        dict(result.provenance),
    )


def rest_of(result: CrosstabData) -> Cells:
    """For each cell, those of the base who are not in its column."""
    base = result.values("base_size")
    whole = base - result.values("column_size")
    return _cells(
        result.values("row_size") - result.values("size"),
        # What is left by rounding where the rest weighs nothing has no shares.
        np.where(whole > _ROUNDING * base, whole, 0.0),
        result.values("base_sample") - result.values("column_sample"),
        result.values("base_sample"),
    )


def stats_shares(result: StatsData) -> Shares:
    """The audience percentages of a stats query: datapoints down; segments and audiences across."""
    across = [(row.segment, row.audience) for row in result.rows]
    down = [row.datapoint for row in result.rows]
    points = list(dict.fromkeys(down))
    return Shares(
        Margin(
            tuple(_datapoint_name(result, code) for code in points),
            _datapoint_columns(result, points),
            (False,) * len(points),
            nets=tuple(code in result.provenance.get("nets", ()) for code in points),
        ),
        column_margin(result, list(dict.fromkeys(across))),
        _pivoted(result.rows, down, across),
        "audience percentages",
        dict(result.provenance),
    )


def column_margin(result: StatsData, columns: Sequence[tuple[str | None, str | None]]) -> Margin:
    """The columns of a stats result, each a segment and an audience, or one of them."""
    ids = tuple(" ".join(filter(None, pair)) for pair in columns)
    names = tuple(_side_name(result, *pair) for pair in columns)
    whole = {audience.id for audience in result.audiences if audience.expression is None}
    # Everyone in a segment holds no one of another segment.
    totals = tuple(segment is None and audience in whole for segment, audience in columns)
    return Margin(names, {"column_id": ids, "column": names}, totals)


def pivoted(
    down: Sequence[Hashable], across: Sequence[Hashable], *figures: Sequence[float]
) -> Floats:
    """Lines of figures as tables, float64[figures, down, across]; NaN where there is no line.

    down, across: for each line, what its row and its column are told apart by.
    """
    down_place = {key: place for place, key in enumerate(dict.fromkeys(down))}
    across_place = {key: place for place, key in enumerate(dict.fromkeys(across))}
    places = [down_place[key] for key in down], [across_place[key] for key in across]
    planes = np.full((len(figures), len(down_place), len(across_place)), np.nan)
    for plane, values in zip(planes, figures, strict=True):
        plane[places] = values
    return planes


def scopes(waves: Iterable[Iterable[str]]) -> list[float]:
    """A number for each list of waves, the same for the same waves."""
    known: dict[tuple[str, ...], float] = {}
    return [known.setdefault(tuple(each), len(known)) for each in waves]


def wave_shares(result: StatsData) -> Shares:
    """The audience percentages of a stats query over waves: a row for each datapoint's trend."""
    down = [(row.datapoint, row.audience) for row in result.rows]
    across = [row.segment or "" for row in result.rows]
    trends, waves = list(dict.fromkeys(down)), tuple(dict.fromkeys(across))
    columns = _datapoint_columns(result, [point for point, _ in trends])
    if result.audiences:
        ids = tuple(audience or "" for _, audience in trends)
        columns |= {"audience": ids, "audience_name": tuple(map(result.audience_name, ids))}
    names = tuple(
        ", ".join(
            filter(None, [_datapoint_name(result, point), _side_name(result, None, audience)])
        )
        for point, audience in trends
    )
    labels = tuple(_side_name(result, wave, None) for wave in waves)
    return Shares(
        Margin(
            names,
            columns,
            (False,) * len(trends),
            nets=tuple(point in result.provenance.get("nets", ()) for point, _ in trends),
        ),
        Margin(labels, {"wave": waves, "wave_label": labels}, (False,) * len(waves)),
        _pivoted(result.rows, down, across),
        "audience percentages",
        dict(result.provenance),
    )


def _cells(
    size: Floats,
    whole: Floats,
    sample: Floats,
    scope: Floats,
    respondents: Floats | None = None,
) -> Cells:
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(whole > 0, size / whole, np.nan)
    # A service that rounds its sizes to whole people may tell of a part that outgrows the whole.
    return Cells(np.clip(share, 0.0, 1.0), whole, sample, scope, respondents)


def _everyone(result: CrosstabData, side: str) -> NDArray[np.bool_]:
    """In which cells the row, or the column, is the whole base; where nobody is in it, in none."""
    whole = (result.values(f"{side}_size") == result.values("base_size")) & (
        result.values(f"{side}_sample") == result.values("base_sample")
    )
    return whole & bool((result.values("base_sample") > 0).any())


def _scope(result: CrosstabData) -> Floats:
    """A number for the waves of each cell, told by its base: the wire does not list them.

    Two years may have as many respondents, hardly the same people besides.
    """
    bases = [result.values(name) for name in ("base_size", "base_sample")]
    (_, by_size), (many, by_sample) = (np.unique(base, return_inverse=True) for base in bases)
    return (by_size * max(len(many), 1) + by_sample).reshape(bases[0].shape).astype(np.float64)


def _periods(audiences: Sequence[Audience]) -> NDArray[np.bool_]:
    """Which are times and nothing else, where there are several: years, quarters, waves.

    Each of them is everyone in its own waves, yet none holds another.
    """
    periods = np.array([_is_period(audience) for audience in audiences], dtype=bool)
    return periods & (periods.sum() > 1)


def _is_period(audience: Audience) -> bool:
    if audience.expression is None:
        return False
    leaves = (node for _, node in walk(audience.expression) if isinstance(node, Leaf))
    return all(leaf.question == WAVES for leaf in leaves)


def _audiences(
    audiences: Sequence[Audience],
    side: str,
    everyone: NDArray[np.bool_],
    heads: tuple[Heads, ...],
    nets: Sequence[bool] = (),
) -> Margin:
    """A margin; everyone: bool[audiences, cells of each], whether it is all of the cell's base."""
    names = tuple(audience.name for audience in audiences)
    ids = tuple(audience.id or "" for audience in audiences)
    return Margin(
        names,
        {f"{side}_id": ids, side: names},
        _totals(everyone),
        heads if any(heads) else (),
        tuple(nets) if any(nets) else (),
    )


def _totals(everyone: NDArray[np.bool_]) -> tuple[bool, ...]:
    """Which are everyone in all of their cells; without a cell there is nothing to tell."""
    cells = everyone.shape[1]
    return tuple(bool(cells) and all(each) for each in everyone.tolist())


def _pivoted(
    rows: Sequence[StatsRow], down: Sequence[Hashable], across: Sequence[Hashable]
) -> Cells:
    """The rows as a table; a cell that no row is about has no figures."""
    planes = pivoted(
        down,
        across,
        [row.metrics.positive_size for row in rows],
        [row.metrics.audience_size for row in rows],
        [row.metrics.audience_sample for row in rows],
        scopes(row.waves for row in rows),
    )
    return _cells(*planes)


def _datapoint_name(result: StatsData, code: str) -> str:
    return result.labels.datapoints.get(code) or code


def _datapoint_columns(result: StatsData, codes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {
        "datapoint": tuple(codes),
        "datapoint_label": tuple(_datapoint_name(result, code) for code in codes),
    }


def _side_name(result: StatsData, segment: str | None, audience: str | None) -> str:
    """A segment, an audience or both, in words; an empty string for neither."""
    named = result.labels.segments.get(segment or "") or segment
    return ", ".join(filter(None, [named, audience and result.audience_name(audience)]))


def named_columns(margin: Margin, places: Places) -> dict[str, Any]:
    """Names of some of a margin: codes as they are, labels as categoricals in the table's order."""
    columns = dict(margin.columns)
    if margin.heads:  # before the names, as in the table's own frame
        label, names = columns.popitem()
        columns |= {f"{label}_head": tuple(map(joined, margin.heads)), label: names}
    return {
        name: _labels(values, places) if _is_label(name) else _texts(values, places)
        for name, values in columns.items()
    }


def _is_label(name: str) -> bool:
    return name in {"row", "column", "other"} or name.endswith(("_label", "_name", "_head"))


def _labels(values: tuple[str, ...], places: Places) -> pd.Categorical:
    import pandas as pd

    unique = list(dict.fromkeys(values))
    place = {value: position for position, value in enumerate(unique)}
    codes = np.array([place[value] for value in values], dtype=np.intp)
    kind = pd.CategoricalDtype(unique, ordered=True)
    return pd.Categorical.from_codes(codes[places], dtype=kind)


def _texts(values: tuple[str, ...], places: Places) -> Any:
    import pandas as pd

    return pd.Series(list(values), dtype=text_type()).array.take(places)
