"""Results as tables of proportions: what tests, intervals and design effects work on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.results import undefined
from audiencelab.results.all_waves import is_period, waves_of
from audiencelab.results.banner import Groups, joined
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import ordered, text_column
from audiencelab.results.stats import Provenance, StatsData
from audiencelab.schema import StatsRow

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]

OTHER_WAVES = "on different waves"
OTHER_BASES = "on different bases"

_ROUNDING = 1e-9
"""The smallest part of a base that is more than the rounding of sums of weights."""


@dataclass(frozen=True, slots=True)
class CellEstimates:
    """Proportions (0 to 1) or means, and what each rests on; all arrays have one shape.

    value: the estimates. size, sample: weighted and unweighted bases. scope: equal numbers where
    two estimates rest on the same waves, or base. base: how many respondents each is worth.
    respondents: of the whole base, if known. deviation: √(Σw(x - mean)² ÷ Σw), of means
    only.
    """

    value: Floats
    size: Floats
    sample: Floats
    scope: Floats
    base: Floats
    respondents: Floats | None = None
    deviation: Floats | None = None

    def take(self, columns: Positions) -> CellEstimates:
        """The same rows with these columns: one position for all rows, or one for each."""
        each = np.broadcast_to(columns, (self.value.shape[0], columns.shape[-1]))

        def taken(plane: Any) -> Any:
            return plane if plane is None else np.take_along_axis(plane, each, axis=1)

        return CellEstimates(*(taken(getattr(self, field.name)) for field in fields(self)))

    def turned(self) -> CellEstimates:
        """The same with rows and columns swapped."""

        def flipped(plane: Any) -> Any:
            return plane if plane is None else plane.T

        return CellEstimates(*(flipped(getattr(self, field.name)) for field in fields(self)))


@dataclass(frozen=True, slots=True)
class TableItems:
    """The rows, or the columns, of a table.

    names: labels. columns: their columns in a frame, by name; the first identifies them.
    totals: which are the whole base. nets: which are subtotals of others.
    groups: the stub or banner groups of each, outermost first; empty if there are none.
    """

    names: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    totals: Flags
    groups: tuple[Groups, ...] = ()
    nets: tuple[bool, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def ids(self) -> tuple[str, ...]:
        """What identifies each."""
        return next(iter(self.columns.values()))

    @property
    def group_numbers(self) -> Positions:
        """A number for each, the same within one group."""
        known = {group: number for number, group in enumerate(dict.fromkeys(self.groups))}
        numbers = [known[group] for group in self.groups] or [0] * len(self)
        return np.array(numbers, dtype=np.intp)

    def positions(self, wanted: Sequence[str]) -> set[int]:
        """Positions of everything with one of these names or codes."""
        sought = set(wanted)
        known = [self.names, *self.columns.values()]
        return {
            position for names in known for position, name in enumerate(names) if name in sought
        }

    def frame_columns(self, positions: Positions) -> dict[str, Any]:
        """Columns of a frame for these positions: codes as text, labels as categoricals."""
        columns = dict(self.columns)
        # popitem takes the last column, which is the label.
        if self.groups:  # before the labels, as in the table's own frame
            label, names = columns.popitem()
            columns |= {f"{label}_group": tuple(map(joined, self.groups)), label: names}
        return {
            name: ordered(values, positions)
            if name in {"row", "column", "other"} or name.endswith(("_label", "_name", "_group"))
            else text_column(values).array.take(positions)
            for name, values in columns.items()
        }


@dataclass(frozen=True, slots=True)
class Proportions:
    """A table of proportions: of each column, the part that is in each row.

    metric: what the service calls them, for sentences. empty: the note for an empty column.
    apart: the note for two estimates of different scopes.
    """

    rows: TableItems
    columns: TableItems
    cells: CellEstimates
    metric: str
    provenance: Provenance
    empty: str = undefined.EMPTY_COLUMN
    apart: str = OTHER_WAVES

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    def turned(self) -> Proportions:
        """The same table with rows and columns swapped."""
        return replace(self, rows=self.columns, columns=self.rows, cells=self.cells.turned())


def proportions_of(result: CrosstabData | StatsData) -> Proportions:
    """The proportions of a result that are tested: column or audience percentages."""
    return (
        crosstab_proportions(result)
        if isinstance(result, CrosstabData)
        else stats_proportions(result)
    )


def crosstab_proportions(result: CrosstabData) -> Proportions:
    """The column percentages of a crosstab."""
    periods = np.array([is_period(each) for each in result.columns], dtype=bool)
    # One of several waves may be the whole base of all its cells, and is compared nevertheless.
    total_columns = _totals(result, "column") & ~(periods & (periods.sum() > 1))
    return Proportions(
        _axis(result.rows, "row", _totals(result, "row"), result.row_groups, result.row_nets),
        _axis(result.columns, "column", total_columns, result.column_groups),
        _estimates(
            result.values("size"),
            result.values("column_size"),
            result.values("column_sample"),
            _base_numbers(result),
            result.values("base_sample"),
        ),
        "column percentages",
        dict(result.provenance),
        apart=OTHER_BASES if result.who.valid else OTHER_WAVES,
    )


def rest_of(result: CrosstabData) -> CellEstimates:
    """For each cell, the proportion of the rest of the base, which is not in its column."""
    base = result.values("base_size")
    rest = base - result.values("column_size")
    return _estimates(
        result.values("row_size") - result.values("size"),
        # A rest that is only the rounding of the sums has no proportions.
        np.where(rest > _ROUNDING * base, rest, 0.0),
        result.values("base_sample") - result.values("column_sample"),
        result.values("base_sample"),
    )


def stats_proportions(result: StatsData) -> Proportions:
    """Audience percentages of a stats query: datapoints down, segments and audiences across."""
    down = [row.datapoint for row in result.rows]
    across = [(row.segment, row.audience) for row in result.rows]
    codes = tuple(dict.fromkeys(down))
    labels = tuple(result.labels.datapoints.get(code) or code for code in codes)
    return Proportions(
        _datapoint_axis(result, labels, {"datapoint": codes, "datapoint_label": labels}),
        stats_columns(result, list(dict.fromkeys(across))),
        _pivoted_rows(result.rows, down, across),
        "audience percentages",
        dict(result.provenance),
    )


def wave_proportions(result: StatsData) -> Proportions:
    """Audience percentages of a stats query by wave: a row for each datapoint (and audience)."""
    down = [(row.datapoint, row.audience) for row in result.rows]
    across = [row.segment or "" for row in result.rows]
    trends, waves = list(dict.fromkeys(down)), tuple(dict.fromkeys(across))
    codes = tuple(code for code, _ in trends)
    labels = tuple(result.labels.datapoints.get(code) or code for code in codes)
    columns, names = {"datapoint": codes, "datapoint_label": labels}, labels
    if result.audiences:
        ids = tuple(audience or "" for _, audience in trends)
        columns |= {"audience": ids, "audience_name": tuple(map(result.audience_name, ids))}
        names = tuple(
            ", ".join(filter(None, [label, _column_name(result, None, audience)]))
            for label, (_, audience) in zip(labels, trends, strict=True)
        )
    wave_labels = tuple(_column_name(result, wave, None) for wave in waves)
    return Proportions(
        _datapoint_axis(result, names, columns),
        TableItems(wave_labels, {"wave": waves, "wave_label": wave_labels}, _none(waves)),
        _pivoted_rows(result.rows, down, across),
        "audience percentages",
        dict(result.provenance),
    )


def stats_columns(
    result: StatsData, columns: Sequence[tuple[str | None, str | None]]
) -> TableItems:
    """The columns of a stats result, each a segment and an audience, or one of them."""
    ids = tuple(column_id(*pair) for pair in columns)
    names = tuple(_column_name(result, *pair) for pair in columns)
    whole = {audience.id for audience in result.audiences if audience.expression is None}
    # The total of one segment is not a total of the others.
    totals = [segment is None and audience in whole for segment, audience in columns]
    return TableItems(names, {"column_id": ids, "column": names}, np.array(totals, dtype=bool))


def column_id(segment: str | None, audience: str | None) -> str:
    """What identifies a column of a stats result."""
    return " ".join(filter(None, (segment, audience)))


def pivoted(
    down: Sequence[Hashable], across: Sequence[Hashable], *figures: Sequence[float]
) -> Floats:
    """Lists of values as tables, float64[figures, down, across]; NaN where there is no line.

    down, across: what identifies the row and the column of each line.
    """
    rows, columns = positions_of(down), positions_of(across)
    planes = np.full((len(figures), *(len(set(keys)) for keys in (down, across))), np.nan)
    for plane, values in zip(planes, figures, strict=True):
        plane[rows, columns] = values
    return planes


def positions_of(keys: Sequence[Hashable]) -> Positions:
    """The position of each key among the different ones, in the order in which they appear."""
    known = {key: position for position, key in enumerate(dict.fromkeys(keys))}
    return np.array([known[key] for key in keys], dtype=np.intp)


def scopes(waves: Iterable[Iterable[str]]) -> list[float]:
    """A number for each list of waves, the same for the same waves."""
    known: dict[tuple[str, ...], float] = {}
    return [known.setdefault(tuple(each), len(known)) for each in waves]


def _estimates(
    size: Floats, whole: Floats, sample: Floats, scope: Floats, respondents: Floats | None = None
) -> CellEstimates:
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(whole > 0, size / whole, np.nan)
    # A service that rounds sizes to whole people may send a part that is larger than the whole.
    return CellEstimates(np.clip(share, 0.0, 1.0), whole, sample, scope, sample, respondents)


def _totals(result: CrosstabData, side: str) -> Flags:
    whole = (result.values(f"{side}_size") == result.values("base_size")) & (
        result.values(f"{side}_sample") == result.values("base_sample")
    )
    axis = 1 if side == "row" else 0
    # Without respondents every row equals its base, and none of them is a total.
    known = bool((result.values("base_sample") > 0).any())
    # all() of no cells would be true.
    return whole.all(axis=axis) & (known and result.shape[axis] > 0)


def _base_numbers(result: CrosstabData) -> Floats:
    """A number for the waves of each cell. The wire does not list them, so it is the base.

    Where cells count those who answered, their bases differ within the same waves, too.

    Two years may have as many respondents, but hardly as many people as well.
    """
    bases = [result.values(name) for name in ("base_size", "base_sample")]
    (_, by_size), (many, by_sample) = (np.unique(base, return_inverse=True) for base in bases)
    # Both numbers as digits of one, so that pairs are equal only where both are.
    numbers = (by_size * max(len(many), 1) + by_sample).reshape(bases[0].shape).astype(np.float64)
    # Columns on some waves have the base of all.
    of_columns = positions_of([waves_of(each) for each in result.columns])
    return numbers + (numbers.max(initial=0) + 1) * of_columns


def _axis(
    audiences: Sequence[Audience],
    side: str,
    totals: Flags,
    groups: tuple[Groups, ...],
    nets: tuple[bool, ...] = (),
) -> TableItems:
    names = tuple(audience.name for audience in audiences)
    ids = tuple(audience.id or "" for audience in audiences)
    return TableItems(
        names,
        {f"{side}_id": ids, side: names},
        totals,
        groups if any(groups) else (),
        nets if any(nets) else (),
    )


def _datapoint_axis(
    result: StatsData, names: tuple[str, ...], columns: Mapping[str, tuple[str, ...]]
) -> TableItems:
    nets = result.provenance.get("nets", ())
    is_net = tuple(code in nets for code in columns["datapoint"])
    return TableItems(names, columns, _none(names), nets=is_net)


def _none(names: Sequence[str]) -> Flags:
    return np.zeros(len(names), dtype=bool)


def _pivoted_rows(
    rows: Sequence[StatsRow], down: Sequence[Hashable], across: Sequence[Hashable]
) -> CellEstimates:
    planes = pivoted(
        down,
        across,
        [row.metrics.positive_size for row in rows],
        [row.metrics.audience_size for row in rows],
        [row.metrics.audience_sample for row in rows],
        scopes(row.waves for row in rows),
    )
    return _estimates(*planes)


def _column_name(result: StatsData, segment: str | None, audience: str | None) -> str:
    label = result.labels.segments.get(segment or "") or segment
    return ", ".join(filter(None, [label, audience and result.audience_name(audience)]))
