"""The rules by which the lines of a side are put in order, and the numbers that the rules rest on.

Heads stay together and where the query has them; under each, lines are sorted among themselves,
and nets keep their place. `js/src/widgets/grid/lines/arrange.ts` has the same rules for tables
that a page holds; both are tested with the same cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Leaf, walk
from audiencelab.results.banner import Heads
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.widgets.crosstab.arrangement import Filter, Level, Move, Plan
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.measures import METRICS, denominator, plane
from audiencelab.widgets.crosstab.part import part_of
from audiencelab.widgets.crosstab.tiles import Margins

__all__ = ["Measure", "apart", "measured", "shown_lines"]

Floats = NDArray[np.float64]

Measure = Callable[[int | str, str], Floats]
"""A number for each line of a side: of what, and of which metric; see `measured`."""


@dataclass(slots=True)
class _Group:
    """A head with the lines and heads under it; the outermost one is the whole side."""

    heads: Heads = ()
    children: list[_Node] = field(default_factory=list["_Node"])


_Node: TypeAlias = "int | _Group"


def shown_lines(
    lines: Lines, plan: Plan, measure: Measure, metric: str, *, fold: bool
) -> list[int]:
    """The places of the lines that are shown, in the order that they are shown in.

    metric: what a level compares that names none. fold: leave out what stands under folded heads,
        as where the side is seen as rows.
    """
    whole = _tree(lines)
    if plan.sort:
        _sort(whole, _key(plan.sort, measure, metric), lines.nets)
    _move_all(whole, plan.moves)
    passed = [_passes(each, measure) for each in plan.filters]
    hidden = set(plan.hidden)

    def is_kept(line: int) -> bool:
        return line not in hidden and (lines.nets[line] or all(each[line] for each in passed))

    _keep(whole, is_kept, lines.nets if plan.filters else None)
    return list(_laid(whole, set(plan.folded) if fold else set()))


def measured(
    result: CrosstabResult, margins: Margins, side: str, of: int | str, metric: str
) -> Floats:
    """A number for each line of a side, float64[lines]; NaN where there is none.

    of: the place of a line of the other side; "own" for `size` and `sample` of each audience; or
        "largest", "smallest", "farthest" from zero and "nearest" to it among the line's cells.

    Raises `AudienceError` for anything else.
    """
    if of == "own" and metric in ("size", "sample"):
        return getattr(margins, f"{side.removesuffix('s')}_{metric}")
    if metric not in METRICS or metric == "letters":
        raise AudienceError(f"Lines are not sorted or filtered by {metric!r}.")
    if isinstance(of, int):
        rows, columns = result.shape
        if not 0 <= of < (columns if side == "rows" else rows):
            raise AudienceError(f"The table has no line {of} to sort or filter {side} by.")
        line = (
            part_of(result, range(rows), [of])
            if side == "rows"
            else part_of(result, [of], range(columns))
        )
        return plane(line, metric).ravel()
    values: Floats = plane(result, metric)
    along = 1 if side == "rows" else 0
    match of:
        case "largest":
            return np.fmax.reduce(values, axis=along)
        case "smallest":
            return np.fmin.reduce(values, axis=along)
        case "farthest":
            return np.fmax.reduce(np.abs(values), axis=along)
        case "nearest":
            return np.fmin.reduce(np.abs(values), axis=along)
        case _:
            raise AudienceError(f"There is no number {of!r} of a line.")


def apart(
    result: CrosstabResult, rows: Lines, columns: Lines, limit: int, least: float
) -> list[tuple[int, int]]:
    """Row and column of the cells that differ most from everyone else, by their z, most first.

    least: respondents in a denominator; cells with fewer are left out, as are nets, and cells that
        differ by definition since row and column ask the same question.
    """
    z = np.abs(cast(Floats, plane(result, "z")))
    respondents = denominator(result, "z")
    left_out = _same_question(rows, columns) | np.array(rows.nets)[:, None] | np.array(columns.nets)
    if respondents is not None:
        left_out |= ~(respondents >= least)
    z = np.where(left_out | ~np.isfinite(z), -1.0, z).ravel()
    most = np.argpartition(-z, min(limit, len(z) - 1))[:limit] if len(z) else np.array([], int)
    ranked = sorted((place for place in most.tolist() if z[place] > 0), key=lambda p: (-z[p], p))
    return [divmod(place, result.shape[1]) for place in ranked]


def _same_question(rows: Lines, columns: Lines) -> NDArray[np.bool_]:
    asked = [[_questions(line) for line in side] for side in (rows, columns)]
    known = {code for side in asked for questions in side for code in questions}
    numbers = {code: number for number, code in enumerate(sorted(known))}
    held = [np.zeros((len(side), len(numbers)), dtype=np.float32) for side in asked]
    for table, side in zip(held, asked, strict=True):
        for line, questions in enumerate(side):
            table[line, [numbers[code] for code in questions]] = 1
    return held[0] @ held[1].T > 0


def _questions(audience: Audience) -> set[str]:
    if audience.expression is None:
        return set()
    return {node.question for _, node in walk(audience.expression) if isinstance(node, Leaf)}


# -- the order -------------------------------------------------------------------------------------


def _tree(lines: Lines) -> _Group:
    whole = _Group()
    opened = [whole]
    for line, heads in enumerate(lines.heads):
        before = opened[-1].heads
        alike = 0
        while alike < min(len(before), len(heads)) and before[alike] == heads[alike]:
            alike += 1
        del opened[alike + 1 :]
        while len(opened) <= len(heads):
            group = _Group(heads[: len(opened)])
            opened[-1].children.append(group)
            opened.append(group)
        opened[-1].children.append(line)
    return whole


def _key(
    levels: Sequence[Level], measure: Measure, metric: str
) -> Callable[[int], tuple[float, ...]]:
    """What two lines are compared by: what has no number comes last, in both directions."""
    # Letters are words about the shares of columns, and are no number themselves.
    shown = "column_percentage" if metric == "letters" else metric
    columns: list[tuple[Floats, float]] = []
    for level in levels:
        of, what = ("own", level.by) if isinstance(level.by, str) else (level.by, level.metric)
        columns.append((measure(of, what or shown), 1 if level.direction == "ascending" else -1))

    def key(line: int) -> tuple[float, ...]:
        parts: list[float] = []
        for values, sign in columns:
            value = float(values[line])
            parts += [1.0, 0.0] if math.isnan(value) else [0.0, sign * value]
        return (*parts, line)

    return key


def _sort(group: _Group, key: Callable[[int], tuple[float, ...]], nets: Sequence[bool]) -> None:
    """Lines change places among themselves; nets and heads stay where they are."""
    free: list[int] = []
    lines: list[int] = []
    for place, child in enumerate(group.children):
        if isinstance(child, _Group):
            _sort(child, key, nets)
        elif not nets[child]:
            free.append(place)
            lines.append(child)
    for place, line in zip(free, sorted(lines, key=key), strict=True):
        group.children[place] = line


def _move_all(whole: _Group, moves: Sequence[Move]) -> None:
    """One after another; one that leads out of its head, or names no line, is passed over."""
    paths = dict(_paths(whole, ())) if moves else {}
    for move in moves:
        parent, node = _standing(paths.get(move.line), move.line, move.level)
        if parent is None or node is None:
            continue
        target: _Node | None = None
        if move.before is not None:
            beside, target = _standing(paths.get(move.before), move.before, move.level)
            if beside is not parent or target is None or target is node:
                continue
        children = parent.children
        children.pop(_index(children, node))
        to = _after_last(children, node) if target is None else _index(children, target)
        children.insert(to, node)


def _paths(group: _Group, above: tuple[_Group, ...]) -> Iterator[tuple[int, tuple[_Group, ...]]]:
    """For each line the groups that it stands in, the whole side first."""
    path = (*above, group)
    for child in group.children:
        if isinstance(child, _Group):
            yield from _paths(child, path)
        else:
            yield child, path


def _standing(
    path: tuple[_Group, ...] | None, line: int, level: int | None
) -> tuple[_Group | None, _Node | None]:
    """The line or head that moves, and what it moves within."""
    if path is None:
        return None, None
    if level is None:
        return path[-1], line
    return (path[level], path[level + 1]) if level + 1 < len(path) else (None, None)


def _index(children: Sequence[_Node], node: _Node) -> int:
    # By identity: two heads may look the same.
    return next(
        place
        for place, child in enumerate(children)
        if child is node or (isinstance(node, int) and child == node)
    )


def _after_last(children: Sequence[_Node], node: _Node) -> int:
    alike = [
        p for p, child in enumerate(children) if isinstance(child, int) == isinstance(node, int)
    ]
    return alike[-1] + 1 if alike else 0


def _keep(group: _Group, is_kept: Callable[[int], bool], nets: Sequence[bool] | None) -> None:
    """Takes out what is not kept; with `nets` a head goes when only nets are left under it."""
    left: list[_Node] = []
    for child in group.children:
        if isinstance(child, _Group):
            _keep(child, is_kept, nets)
            if child.children:
                left.append(child)
        elif is_kept(child):
            left.append(child)
    hollow = nets is not None and all(isinstance(child, int) and nets[child] for child in left)
    group.children = [] if hollow else left


def _passes(wanted: Filter, measure: Measure) -> NDArray[np.bool_]:
    values = measure(_of(wanted), wanted.metric)
    with np.errstate(invalid="ignore"):
        if wanted.bound == "beyond":
            return np.abs(values) >= wanted.value
        return values >= wanted.value if wanted.bound == "least" else values <= wanted.value


def _of(wanted: Filter) -> int | str:
    """What of a line is looked at so that any cell of it, or every one, passes."""
    if wanted.of not in ("any", "every"):
        return wanted.of
    is_any = wanted.of == "any"
    if wanted.bound == "beyond":
        return "farthest" if is_any else "nearest"
    return "largest" if is_any == (wanted.bound == "least") else "smallest"


def _laid(group: _Group, folded: set[Heads]) -> Iterator[int]:
    for child in group.children:
        if isinstance(child, int):
            yield child
        elif child.heads not in folded:
            yield from _laid(child, folded)
