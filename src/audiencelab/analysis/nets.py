"""Subtotals (nets, top and bottom boxes) and scores, of stats results and of crosstabs.

Rows of a crosstab may be any audiences, so adding them up is right only if no respondent is in two
of them: `_require_separate` finds out or refuses, as the service can count such people exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, count
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.disjointness import (
    Column,
    OverlappingAnswers,
    answers_of,
    codes_of,
    column_frame,
    columns_of,
    of_one_question,
    require_disjoint,
    rounding,
    separate,
    shortlist,
)
from audiencelab.expressions import Audience, Expression, Leaf
from audiencelab.flags import flag
from audiencelab.results.banner import Heads, full_name
from audiencelab.results.crosstab import FIGURES, CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.schema import Metrics, StatsRow

if TYPE_CHECKING:
    import pandas as pd

Stats = TypeVar("Stats", bound=StatsData)
Crosstab = TypeVar("Crosstab", bound=CrosstabData)
T = TypeVar("T")

Floats = NDArray[np.float64]

_ADDED = ("size", "sample", "row_size", "row_sample")
_COMMON = ("column_size", "column_sample", "base_size", "base_sample")
"""What the rows of a net have in common if they rest on the same waves."""


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
        provenance=_with_provenance(result, codes),
    )


def boxes(result: Stats, top: int, bottom: int, *, low_first: bool, disjoint: bool) -> Stats:
    """See `StatsResult.boxes`."""
    named = _boxes(list(answers_of(result)), top, bottom, low_first=low_first)
    return nets(result, named, disjoint=disjoint)


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
        audience_size=[column.size for column in columns],
        audience_sample=[column.sample for column in columns],
    )
    note = "Points: percentage of the positive answers less that of the negative, of everyone."
    frame.attrs.update(result.provenance, method_note=note, positive=above, negative=below)
    return frame


def _percentage(column: Column, codes: Sequence[str]) -> float:
    size = sum(column.rows[code].metrics.positive_size for code in codes if code in column.rows)
    return 100 * size / column.size if column.size > 0 else float("nan")


def _net_row(name: str, rows: Sequence[StatsRow], column: Column) -> StatsRow:
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


def _boxes(scale: Sequence[T], top: int, bottom: int, *, low_first: bool) -> dict[str, Sequence[T]]:
    """The ends of a scale, best and worst, as members of nets."""
    if not all(isinstance(each, int) for each in cast(tuple[object, ...], (top, bottom))):
        raise TypeError(f"Boxes must be int, numbers of answers; got {top!r} and {bottom!r}.")
    if top < 0 or bottom < 0 or not 0 < top + bottom <= len(scale):
        raise ValueError(
            f"Boxes are taken of {len(scale)} answers: {top} and {bottom} are not among them."
        )
    best_first = scale[::-1] if flag("low_first", low_first) else scale
    ends = {f"Top {top}": best_first[:top], f"Bottom {bottom}": best_first[len(scale) - bottom :]}
    return {name: members for name, members in ends.items() if members}


def _with_provenance(
    result: StatsData | CrosstabData, members: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    return {**result.provenance, "nets": {**result.provenance.get("nets", {}), **members}}


# -- crosstabs ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Net:
    """A subtotal: name, stub groups, positions of its rows, and its id once it has one."""

    name: str
    groups: Heads
    rows: tuple[int, ...]
    id: str = ""


def row_nets(
    result: Crosstab, named: Mapping[str, Sequence[str]], *, disjoint: bool = False
) -> Crosstab:
    """See `CrosstabResult.nets`."""
    _require_mapping(named)
    wanted: list[_Net] = []
    for name, rows in named.items():
        if not isinstance(cast(object, name), str) or not name.strip():
            raise TypeError(f"The name of a net must be str; got {name!r}.")
        members = _positions(result, rows)
        if not members:
            raise ValueError(f"The net {name!r} needs rows.")
        groups = {result.row_heads[row] for row in members}
        wanted.append(_Net(name, groups.pop() if len(groups) == 1 else (), members))
    return _with_nets(result, wanted, disjoint)


def row_boxes(
    result: Crosstab, top: int, bottom: int, *, low_first: bool, disjoint: bool
) -> Crosstab:
    """See `CrosstabResult.boxes`."""
    scales: dict[Heads, list[int]] = {}
    for row in _own_rows(result):
        scales.setdefault(result.row_heads[row], []).append(row)
    wanted = [
        _Net(name, groups, tuple(rows))
        for groups, scale in (scales or {(): []}).items()
        for name, rows in _boxes(scale, top, bottom, low_first=low_first).items()
    ]
    return _with_nets(result, wanted, disjoint)


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
    _require_separate(result, _Net("the score", (), above + below), disjoint)
    percentages, first = result.values("column_percentage"), (above + below)[0]
    high, low = (percentages[list(rows)].sum(axis=0) for rows in (above, below))
    frame = column_lines(result).assign(
        positive_percentage=high,
        negative_percentage=low,
        net_score=high - low,
        column_size=result.values("column_size")[first],
        column_sample=result.values("column_sample")[first],
    )
    note = "Points: percentage of the positive rows less that of the negative, of everyone."
    frame.attrs.update(
        result.provenance,
        method_note=note,
        positive=_names(result, above),
        negative=_names(result, below),
    )
    return frame


def _with_nets(result: Crosstab, wanted: Sequence[_Net], disjoint: bool) -> Crosstab:
    """The table with its nets, each after the last row of its group."""
    taken = set(zip(result.row_heads, (row.name for row in result.rows), strict=True))
    for net in wanted:
        if (net.groups, net.name) in taken:
            raise ValueError(f"{net.name!r} is a row already: give the net a name of its own.")
        taken.add((net.groups, net.name))
        _require_separate(result, net, disjoint)
    ids = {audience.id for audience in (*result.rows, *result.columns)}
    free = (f"net-{number}" for number in count(1) if f"net-{number}" not in ids)
    added = [replace(net, id=next(free)) for net in wanted]
    lines = _in_order(result, added)
    members = {full_name(net.groups, net.name): _names(result, net.rows) for net in added}
    row_ids = {net.id: tuple(result.rows[row].id or "" for row in net.rows) for net in added}
    made = replace(
        result,
        rows=tuple(
            Audience(line.name, _any_of(result, line), line.id)
            if line.id
            else result.rows[line.rows[0]]
            for line in lines
        ),
        provenance=_with_provenance(result, members),
        row_heads=tuple(line.groups for line in lines),
        nets_of={**result.nets_of, **row_ids},
        labels=None,
    )
    down, across = np.indices(made.shape)
    made.store(down.ravel(), across.ravel(), np.concatenate([_figures(result, x) for x in lines]))
    return made


def _in_order(result: CrosstabData, added: Sequence[_Net]) -> list[_Net]:
    """All rows of the new table, those of the old one as nets of themselves without an id."""
    lines = [
        _Net(row.name, groups, (position,))
        for position, (row, groups) in enumerate(zip(result.rows, result.row_heads, strict=True))
    ]
    for net in reversed(added):
        same = [at for at, line in enumerate(lines) if not line.id and line.groups == net.groups]
        last = same[-1] if same else max(at for at, line in enumerate(lines) if not line.id)
        lines.insert(last + 1, net)
    return lines


def _figures(result: CrosstabData, line: _Net) -> Floats:
    """All metrics of a row, float64[columns, figures]; those of a net are of the sums."""
    if not line.id:
        across = np.arange(len(result.columns))
        return result.figures(np.full_like(across, line.rows[0]), across)
    rows = list(line.rows)
    figures = {name: result.values(name)[rows].sum(axis=0) for name in _ADDED}
    for name in (*_COMMON, "column_base_percentage"):
        figures[name] = result.values(name)[rows[0]]
    size, row = figures["size"], figures["row_size"]
    column, base = figures["column_size"], figures["base_size"]
    with np.errstate(divide="ignore", invalid="ignore"):
        figures["percentage"] = 100 * size / base
        figures["column_percentage"] = 100 * size / column
        figures["row_percentage"] = 100 * size / row
        figures["row_base_percentage"] = 100 * row / base
        figures["index"] = 100 * (size / column) / (row / base)
    return np.stack([figures[name] for name in FIGURES], axis=1)


def _names(result: CrosstabData, rows: Iterable[int]) -> list[str]:
    return [result.rows[row].name for row in rows]


def _own_rows(result: CrosstabData) -> list[int]:
    """Positions of the rows that are not nets."""
    return [position for position, is_net in enumerate(result.row_nets) if not is_net]


def _positions(result: CrosstabData, rows: Iterable[str]) -> tuple[int, ...]:
    """Positions of rows given by name, id, or name with groups; `ValueError` for other names."""
    if not isinstance(cast(object, rows), Iterable):
        raise TypeError(f"Rows must be a list of names or ids; got {rows!r}.")
    known = {
        position: (row.id or "", row.name, full_name(result.row_heads[position], row.name))
        for position, row in enumerate(result.rows)
        if not result.row_nets[position]
    }
    found: dict[int, None] = {}
    for row in [rows] if isinstance(rows, str) else rows:
        matches = [position for position, names in known.items() if row in names]
        if len(matches) != 1:
            listed = shortlist(f"{identity} ({name})" for identity, _, name in known.values())
            raise ValueError(f"No one row {row!r} in this table. There are {listed}.")
        found[matches[0]] = None
    return tuple(found)


def _require_separate(result: CrosstabData, net: _Net, disjoint: bool) -> None:
    """Raise unless the rows of a net can be added up.

    `OverlappingAnswers` if a respondent may be in two of them, `ValueError` if the table is not
    complete, or if the rows rest on different waves, over which sizes are averages.
    """
    if not result.complete:
        raise ValueError(
            f"Nets are made of a whole table; {result.count:,} of {result.expected:,} cells are in."
        )
    if len(net.rows) < 2:
        return
    if not _on_the_same_waves(result, net.rows):
        raise ValueError(
            f"The rows of {net.name!r} rest on different waves, over which sizes are averages and "
            f"do not add up. {_advice(result, net)}"
        )
    expressions = [result.rows[row].expression for row in net.rows]
    known = [each for each in expressions if each is not None]
    pairs = list(combinations(known, 2))
    if len(known) == len(expressions) and all(separate(*pair, result.kinds) for pair in pairs):
        return
    overlaps = any(
        one == other or of_one_question(one, other, result.kinds) for one, other in pairs
    )
    if overlaps or _compare_counts(result, net.rows) > 0:
        raise OverlappingAnswers(
            f"Some respondents are in several rows of {net.name!r}, so they cannot be added up. "
            f"{_advice(result, net)}"
        )
    if flag("disjoint", disjoint):
        return
    if _compare_counts(result, _all_answers(result, net.rows)) != 0:
        raise OverlappingAnswers(
            f"Nothing tells that nobody is in two rows of {net.name!r}. If you know it, say "
            f"disjoint=True. Otherwise: {_advice(result, net)}"
        )


def _advice(result: CrosstabData, net: _Net) -> str:
    whole = _any_of(result, net)
    code = "a | b | …" if whole is None else whole.to_code()
    code = code if len(code) <= 160 else f"{code[:159]}…"
    return (
        f"Ask the service for people in any of them, as a row: al.Audience({net.name!r}, {code})."
    )


def _any_of(result: CrosstabData, net: _Net) -> Expression | None:
    """People in any of the rows; None if one of them is everyone.

    Answers of one question are listed together, as one would write it.
    """
    expressions = [result.rows[row].expression for row in net.rows]
    known = [each for each in expressions if each is not None]
    if len(known) < len(expressions):
        return None
    answers = [_answers_to(known[0], each) for each in known]
    if not all(answers):
        return reduce(lambda one, other: one | other, known)
    together = dict.fromkeys(answer for each in answers for answer in each)
    return replace(cast(Leaf, known[0]), datapoints=tuple(together))


def _on_the_same_waves(result: CrosstabData, rows: Sequence[int]) -> bool:
    """Whether column and base are the same in all of the rows, up to rounding to whole people."""
    for name in _COMMON:
        plane = result.values(name)[list(rows)]
        if not np.allclose(plane, plane[:1], rtol=1e-9, atol=0.0 if "sample" in name else 1.0):
            return False
    return True


def _compare_counts(result: CrosstabData, rows: Sequence[int]) -> int:
    """Whether the rows together are more (1), as many (0) or fewer (-1) than base and columns.

    More in one column, or a larger weight, prove that somebody is counted twice. As many in all of
    them, with the same weight, are taken to be everybody once: other answers may add up to the
    same number by chance, but hardly to the same weight.
    """
    if not rows:
        return -1
    samples, respondents = _sums_and_wholes(result, rows, "sample")
    sizes, people = _sums_and_wholes(result, rows, "size")
    difference, tolerance = sizes - people, rounding(len(rows), people)
    if bool((samples > respondents).any() or (difference > tolerance).any()):
        return 1
    equal = (samples == respondents) & (np.abs(difference) <= tolerance)
    return 0 if bool(equal.all()) else -1


def _sums_and_wholes(result: CrosstabData, rows: Sequence[int], what: str) -> tuple[Floats, Floats]:
    """The rows added up in each column and in the base, and how many these have."""
    within, of_base = result.values(what)[list(rows)], result.values(f"row_{what}")[list(rows)]
    whole = (result.values(f"{side}_{what}")[rows[0]] for side in ("column", "base"))
    return np.append(within.sum(axis=0), of_base.sum(axis=0)), np.concatenate([*whole])


def _all_answers(result: CrosstabData, rows: Sequence[int]) -> list[int]:
    """These rows and the others that are further answers to their question.

    Empty if the rows are not different answers to one question.
    """
    first = result.rows[rows[0]].expression
    taken: set[str] = set()
    found: list[int] = []
    for row in (*rows, *(each for each in _own_rows(result) if each not in rows)):
        answers = _answers_to(first, result.rows[row].expression)
        if answers and not taken.intersection(answers):
            found.append(row)
            taken.update(answers)
        elif row in rows:
            return []
    return found


def _answers_to(first: Expression | None, other: Expression | None) -> tuple[str, ...]:
    """The answers of which the other takes any, if they are to the same question as the first's."""
    if not (isinstance(first, Leaf) and isinstance(other, Leaf)):
        return ()
    same = (other.question, other.suffixes) == (first.question, first.suffixes)
    return other.datapoints if same and other.min_count == 1 and not other.negated else ()
