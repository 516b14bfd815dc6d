"""Subtotals (nets) and scores, of stats results and of crosstabs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.disjointness import (
    COMMON,
    ComparedColumn,
    any_of_rows,
    codes_of,
    column_frame,
    columns_of,
    of_rows,
    require_disjoint,
    require_separate,
    shortlist,
)
from audiencelab.expressions import Audience
from audiencelab.lines import near
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.banner import Groups, full_name
from audiencelab.results.cells import FIGURES, PLACE
from audiencelab.results.crosstab import CrosstabData, cells_of
from audiencelab.results.stats import StatsData
from audiencelab.schema import Metrics, StatsRow

if TYPE_CHECKING:
    import pandas as pd

Stats = TypeVar("Stats", bound=StatsData)
Crosstab = TypeVar("Crosstab", bound=CrosstabData)
T = TypeVar("T")

Floats = NDArray[np.float64]

_ADDED = ("size", "sample", "row_size", "row_sample")


# -- stats results --------------------------------------------------------------------------------


def nets(result: Stats, named: Mapping[str, Sequence[str]], *, disjoint: bool = False) -> Stats:
    """See `StatsResult.nets`."""
    _require_mapping(named)
    columns = columns_of(result)
    require_disjoint(result, columns, disjoint)
    codes = {name: codes_of(result, answers) for name, answers in named.items()}
    for name, members in codes.items():
        if not members:
            raise ValueError(f"The net {name!r} needs answers.")
        # The name of a net is its code, too.
        if name in result.datapoints:
            raise ValueError(f"{name!r} is a row already: give the net a name of its own.")
    added = [
        _net_row(name, [column.rows[code] for code in members if code in column.rows], column)
        for name, members in codes.items()
        for column in columns
    ]
    labels = result.labels
    return replace(
        result,
        rows=(*result.rows, *added),
        labels=replace(labels, datapoints={**labels.datapoints, **{name: name for name in codes}}),
        # Later steps know nets by this entry: they are left out of sums, families and queries.
        provenance=_with_provenance(result, codes),
    )


def net_score(
    result: StatsData,
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    disjoint: bool = False,
) -> pd.DataFrame:
    """See `StatsResult.net_score`."""
    columns = columns_of(result)
    require_disjoint(result, columns, disjoint)
    above, below = codes_of(result, positive), codes_of(result, negative)
    if both := set(above) & set(below):
        raise ValueError(f"{min(both)} is on both sides of the score: an answer counts once.")
    high, low = (
        np.array([_percentage(column, codes) for column in columns]) for codes in (above, below)
    )
    frame = column_frame(result, columns).assign(
        positive_percentage=high,
        negative_percentage=low,
        net_score=high - low,
        column_size=[column.size for column in columns],
        column_sample=[column.sample for column in columns],
    )
    note = (
        "Points: percentage of the positive answers less that of the negative; respondents who "
        "gave neither count as 0."
    )
    frame.attrs.update(result.provenance, method_note=note, positive=above, negative=below)
    return frame


def _percentage(column: ComparedColumn, codes: Sequence[str]) -> float:
    size = sum(column.rows[code].metrics.positive_size for code in codes if code in column.rows)
    return 100 * size / column.size if column.size > 0 else float("nan")


def _net_row(name: str, rows: Sequence[StatsRow], column: ComparedColumn) -> StatsRow:
    """The row of a net: sizes and samples add up, percentages are those of the sums."""
    parts = [row.metrics for row in rows]
    positive = sum(part.positive_size for part in parts)
    datapoint = sum(part.datapoint_size for part in parts)
    # An index is the percentage ÷ (datapoint ÷ base): the largest part gives the base best.
    widest = max(parts, key=lambda part: part.positive_size, default=Metrics())
    base = (
        widest.audience_index * widest.datapoint_size / widest.audience_percentage
        if widest.audience_percentage > 0
        else 0.0
    )
    share = 100 * positive / column.size if column.size > 0 else 0.0
    metrics = Metrics(
        positive_size=positive,
        positive_sample=sum(part.positive_sample for part in parts),
        audience_size=column.size,
        audience_sample=column.sample,
        datapoint_size=datapoint,
        datapoint_sample=sum(part.datapoint_sample for part in parts),
        audience_percentage=share,
        datapoint_percentage=100 * positive / datapoint if datapoint > 0 else 0.0,
        audience_index=share * base / datapoint if datapoint > 0 else 0.0,
    )
    suffixes = rows[0].suffixes if rows else None
    return StatsRow(name, metrics, column.waves, column.segment, column.audience, suffixes)


# -- both -----------------------------------------------------------------------------------------


def _require_mapping(named: object) -> None:
    if not isinstance(named, Mapping):
        raise TypeError(f'Nets need names: nets({{"Often": [answers]}}); got {named!r}.')


def _with_provenance(
    result: StatsData | CrosstabData, members: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    return {**result.provenance, "nets": {**result.provenance.get("nets", {}), **members}}


# -- crosstabs ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RowNet:
    """A subtotal: name, stub groups, positions of its rows, and its id once it has one."""

    name: str
    groups: Groups
    rows: tuple[int, ...]
    id: str = ""


def row_nets(
    result: Crosstab, named: Mapping[str, Sequence[str]], *, disjoint: bool = False
) -> Crosstab:
    """See `CrosstabResult.nets`."""
    _require_mapping(named)
    wanted: list[RowNet] = []
    for name, rows in named.items():
        if not isinstance(cast(object, name), str) or not name.strip():
            raise TypeError(f"The name of a net must be str; got {name!r}.")
        members = _positions(result, rows)
        if not members:
            raise ValueError(f"The net {name!r} needs rows.")
        groups = {result.row_groups[row] for row in members}
        # A net of rows in several groups is in none.
        wanted.append(RowNet(name, groups.pop() if len(groups) == 1 else (), members))
    return with_row_nets(result, wanted, disjoint)


def row_score(
    result: CrosstabData,
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    disjoint: bool = False,
) -> pd.DataFrame:
    """See `CrosstabResult.net_score`."""
    from audiencelab.results.to_pandas import column_lines

    above, below = _positions(result, positive), _positions(result, negative)
    if both := set(above) & set(below):
        name = result.rows[min(both)].name
        raise ValueError(f"{name!r} is on both sides of the score: a row counts once.")
    if not above + below:
        raise ValueError("A score needs rows on one side at least.")
    require_separate(result, "the score", above + below, disjoint)
    every = list(above + below)
    # An answer that a wave did not offer adds nothing there.
    known = result.values("base_sample") > 0
    percentages = np.where(
        known | ~known[every].any(axis=0), result.values("column_percentage"), 0.0
    )
    high, low = (percentages[list(rows)].sum(axis=0) for rows in (above, below))
    frame = column_lines(result).assign(
        positive_percentage=high,
        negative_percentage=low,
        net_score=high - low,
        column_size=of_rows(result, "column_size", every),
        column_sample=of_rows(result, "column_sample", every),
    )
    note = (
        "Points: percentage of the positive rows less that of the negative; respondents who "
        "are in neither count as 0."
    )
    frame.attrs.update(
        result.provenance,
        method_note=note,
        positive=_names(result, above),
        negative=_names(result, below),
    )
    return frame


def with_row_nets(result: Crosstab, wanted: Sequence[RowNet], disjoint: bool) -> Crosstab:
    """The table with subtotals, each after the rows of its groups."""
    taken = set(zip(result.row_groups, (row.name for row in result.rows), strict=True))
    for net in wanted:
        if (net.groups, net.name) in taken:
            raise ValueError(f"{net.name!r} is a row already: give the net a name of its own.")
        taken.add((net.groups, net.name))
        require_separate(result, net.name, net.rows, disjoint)
    ids = {audience.id for audience in (*result.rows, *result.columns)}
    # Nets may be added to a table that has some, and its ids must differ.
    free = (f"net-{number}" for number in count(1) if f"net-{number}" not in ids)
    added = [replace(net, id=next(free)) for net in wanted]
    lines = _in_order(result, added)
    members = {full_name(net.groups, net.name): _names(result, net.rows) for net in added}
    row_ids = {net.id: tuple(result.rows[row].id or "" for row in net.rows) for net in added}
    made = replace(
        result,
        rows=tuple(
            Audience(line.name, any_of_rows(result, line.rows), line.id)
            if line.id
            else result.rows[line.rows[0]]
            for line in lines
        ),
        provenance=_with_provenance(result, members),
        row_groups=tuple(line.groups for line in lines),
        nets_of={**result.nets_of, **row_ids},
        labels=None,
        whole=_whole(result, lines),
    )
    down, across = np.indices(made.shape)
    scaled = in_one_scale(result)
    figures = np.concatenate([_figures(result, scaled, line) for line in lines])
    cells_of(made).store(down.ravel(), across.ravel(), figures)
    return made


def _in_order(result: CrosstabData, added: Sequence[RowNet]) -> list[RowNet]:
    """All rows of the new table, those of the old one as nets of themselves without an id."""
    lines = [
        RowNet(row.name, groups, (position,))
        for position, (row, groups) in enumerate(zip(result.rows, result.row_groups, strict=True))
    ]
    # Each is put right after its rows, so the last comes first and all end in their order.
    for net in reversed(added):
        same = [at for at, line in enumerate(lines) if not line.id and line.groups == net.groups]
        # After its group; a net in no group after the last row.
        last = same[-1] if same else max(at for at, line in enumerate(lines) if not line.id)
        lines.insert(last + 1, net)
    return lines


def _figures(result: CrosstabData, scaled: CrosstabData, line: RowNet) -> Floats:
    """All metrics of a row, float64[columns, figures]; those of a net are of the sums.

    scaled: the same table, see `in_one_scale`.
    """
    # A row of the old table keeps its figures as the service sent them.
    if not line.id:
        across = np.arange(len(result.columns))
        return cells_of(result).figures(np.full_like(across, line.rows[0]), across)
    rows = list(line.rows)
    figures = {name: result.values(name)[rows].sum(axis=0) for name in _ADDED}
    for name in (*COMMON, "column_base_percentage"):
        figures[name] = of_rows(result, name, rows)
    size, row = figures["size"], figures["row_size"]
    column, base = figures["column_size"], figures["base_size"]
    with np.errstate(divide="ignore", invalid="ignore"):
        # Shares of base and row need people in one scale, see `in_one_scale`.
        part = scaled.values("size")[rows].sum(axis=0)
        figures["percentage"] = 100 * part / base
        # Of the column's own waves, as its size is.
        figures["column_percentage"] = 100 * size / column
        figures["row_percentage"] = 100 * part / row
        figures["row_base_percentage"] = 100 * row / base
        figures["index"] = 100 * (size / column) / (row / base)
    return np.stack([figures[name] for name in FIGURES], axis=1)


def _whole(result: CrosstabData, lines: Sequence[RowNet]) -> Floats | None:
    """All of each row; that of a net is of the sums."""
    if result.whole is None:
        return None
    made: list[Floats] = []
    for line in lines:
        parts = result.whole[:, list(line.rows)]
        # An answer that was never offered has no base; the first with one has that of all.
        whole = parts[:, int((parts[PLACE["base_sample"]] > 0).argmax())].copy()
        if line.id:
            for name in _ADDED:
                whole[PLACE[name]] = parts[PLACE[name]].sum()
            base = whole[PLACE["base_size"]]
            share = 100 * whole[PLACE["size"]] / base if base > 0 else np.nan
            for name in ("percentage", "column_percentage", "row_base_percentage"):
                whole[PLACE[name]] = share
        made.append(whole)
    return np.stack(made, axis=1)


def _names(result: CrosstabData, rows: Iterable[int]) -> list[str]:
    return [result.rows[row].name for row in rows]


def _positions(result: CrosstabData, rows: Iterable[str]) -> tuple[int, ...]:
    """Positions of rows given by name, id, or name with groups; `ValueError` for other names."""
    if not isinstance(cast(object, rows), Iterable):
        raise TypeError(f"Rows must be a list of names or ids; got {rows!r}.")
    known = {
        position: (row.id or "", row.name, full_name(result.row_groups[position], row.name))
        for position, row in enumerate(result.rows)
        if not result.row_nets[position]
    }
    found: dict[int, None] = {}
    for row in [rows] if isinstance(rows, str) else rows:
        # As it is written first: two names may differ in case alone.
        matches = [at for at, names in known.items() if row in names] or [
            at for at, names in known.items() if str(row).casefold() in map(str.casefold, names)
        ]
        if len(matches) != 1:
            raise ValueError(_no_row(row, matches, known))
        found[matches[0]] = None
    return tuple(found)


def _no_row(row: object, matches: Sequence[int], known: Mapping[int, tuple[str, str, str]]) -> str:
    """Why a row is not found: there is none, or there are several."""
    listed = shortlist(f"{known[each][0]} ({known[each][2]})" for each in matches or known)
    if matches:
        return f"Several rows are called {row!r}. Name one by its id: {listed}."
    close = near(str(row), [name for _, name, _ in known.values()])
    hint = f"Did you mean {close!r}?" if close else f"There are {listed}."
    return f"There is no row {row!r} in this table. {hint}"
