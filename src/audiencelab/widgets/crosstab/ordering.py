"""The rules by which the items of an axis are ordered, and the numbers that the rules use.

Groups stay together and in the order of the query; within each, items are sorted, and nets keep
their position. `js/src/crosstab/arrangement/arrange.ts` has the same rules for tables that a page
holds; both are tested with the same cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Condition, walk
from audiencelab.results.banner import Groups
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import Axis
from audiencelab.widgets.crosstab.marks import MAX_TESTS
from audiencelab.widgets.crosstab.metrics import (
    CONFIDENCE,
    METRICS,
    TESTED,
    denominator,
    part_of,
    plane,
)
from audiencelab.widgets.crosstab.tiles import Margins
from audiencelab.widgets.crosstab.view_state import AxisView, Filter, Move, SortKey

Floats = NDArray[np.float64]

Values = Callable[[int | str, str], Floats]
"""A number for each item of an axis, by `of` and metric; see `item_values`."""


@dataclass(slots=True)
class _Group:
    """A group with the items and groups in it; the outermost one is the whole axis."""

    groups: Groups = ()
    children: list[_Node] = field(default_factory=list["_Node"])


_Node: TypeAlias = "int | _Group"


def shown_items(
    axis: Axis, view: AxisView, values: Values, metric: str, *, fold: bool
) -> list[int]:
    """The positions of the visible items, in the order in which they are shown.

    metric: compared by sort keys without a metric. fold: leave out the items of folded groups, as
        where the axis is shown as rows.
    """
    whole = _tree(axis)
    if view.sort:
        _sort(whole, _key(view.sort, values, metric), axis.nets)
    _move_all(whole, view.moves)
    passed = [_passes(each, values) for each in view.filters]
    hidden = set(view.hidden)

    def is_kept(item: int) -> bool:
        return item not in hidden and (axis.nets[item] or all(each[item] for each in passed))

    _keep(whole, is_kept, axis.nets if view.filters else None)
    return list(_flat(whole, set(view.folded) if fold else set()))


def item_values(
    result: CrosstabResult, margins: Margins, axis: str, of: int | str, metric: str
) -> Floats:
    """A number for each item of an axis, float64[items]; NaN where there is none.

    of: the position of an item of the other axis; "own" for `size` and `sample` of each audience;
        or "largest", "smallest", "farthest" from zero and "nearest" to it among the item's cells.

    Raises `AudienceError` for anything else.
    """
    if of == "own" and metric in ("size", "sample"):
        return getattr(margins, f"{axis.removesuffix('s')}_{metric}")
    if metric not in (*METRICS, CONFIDENCE) or metric == "letters":
        raise AudienceError(f"Rows and columns cannot be sorted or filtered by {metric!r}.")
    if isinstance(of, int):
        rows, columns = map(range, result.shape)
        if of not in (columns if axis == "rows" else rows):
            raise AudienceError(f"The table has no position {of} to sort or filter {axis} by.")
        one = part_of(result, rows, [of]) if axis == "rows" else part_of(result, [of], columns)
        return plane(one, metric).ravel()
    reduce = _REDUCTIONS.get(of)
    if reduce is None:
        raise AudienceError(
            f"of must be a position or one of {', '.join(_REDUCTIONS)}; got {of!r}."
        )
    if metric in TESTED:
        check_tests(result)
    return reduce(plane(result, metric), 1 if axis == "rows" else 0)


def check_tests(result: CrosstabResult) -> None:
    """Raise `AudienceError` for a table of too many cells to test them all for the page."""
    if result.expected > MAX_TESTS:
        raise AudienceError(
            f"A test of {result.expected:,} cells would keep the kernel busy (more than "
            f"{MAX_TESTS:,}). In Python: grid.result.test(vs='rest')"
        )


_REDUCTIONS: dict[str, Callable[[Floats, int], Floats]] = {
    "largest": lambda values, along: np.fmax.reduce(values, axis=along),
    "smallest": lambda values, along: np.fmin.reduce(values, axis=along),
    "farthest": lambda values, along: np.fmax.reduce(np.abs(values), axis=along),
    "nearest": lambda values, along: np.fmin.reduce(np.abs(values), axis=along),
}


def most_different(
    result: CrosstabResult, rows: Axis, columns: Axis, limit: int, least: float
) -> list[tuple[int, int]]:
    """Row and column of the cells that differ most from everyone else by z, largest first.

    least: minimum respondents in a denominator. Nets are left out, and cells whose row and column
        ask the same question, because these differ by definition. Raises `AudienceError` for too
        many cells.
    """
    check_tests(result)
    z = np.abs(cast(Floats, plane(result, "z")))
    respondents = denominator(result, "z")
    excluded = _same_question(rows, columns) | np.array(rows.nets)[:, None] | np.array(columns.nets)
    if respondents is not None:
        excluded |= ~(respondents >= least)
    z = np.where(excluded | ~np.isfinite(z), -1.0, z).ravel()
    most = np.argpartition(-z, min(limit, len(z) - 1))[:limit] if len(z) else np.array([], int)
    ranked = sorted((cell for cell in most.tolist() if z[cell] > 0), key=lambda c: (-z[c], c))
    return [divmod(cell, result.shape[1]) for cell in ranked]


def _same_question(rows: Axis, columns: Axis) -> NDArray[np.bool_]:
    asked = [[_questions(item) for item in axis] for axis in (rows, columns)]
    known = {code for axis in asked for questions in axis for code in questions}
    numbers = {code: number for number, code in enumerate(sorted(known))}
    held = [np.zeros((len(axis), len(numbers)), dtype=np.float32) for axis in asked]
    for table, axis in zip(held, asked, strict=True):
        for item, questions in enumerate(axis):
            table[item, [numbers[code] for code in questions]] = 1
    return held[0] @ held[1].T > 0


def _questions(audience: Audience) -> set[str]:
    if audience.expression is None:
        return set()
    return {node.question for _, node in walk(audience.expression) if isinstance(node, Condition)}


# -- the order -------------------------------------------------------------------------------------


def _tree(axis: Axis) -> _Group:
    whole = _Group()
    opened = [whole]
    for item, groups in enumerate(axis.groups):
        before = opened[-1].groups
        alike = 0
        while alike < min(len(before), len(groups)) and before[alike] == groups[alike]:
            alike += 1
        del opened[alike + 1 :]
        while len(opened) <= len(groups):
            group = _Group(groups[: len(opened)])
            opened[-1].children.append(group)
            opened.append(group)
        opened[-1].children.append(item)
    return whole


def _key(
    keys: Sequence[SortKey], values: Values, metric: str
) -> Callable[[int], tuple[float, ...]]:
    """The sort key of an item: items without a number come last, in both directions."""
    # Letters are about column shares, and are not numbers themselves.
    shown = "column_percentage" if metric == "letters" else metric
    columns: list[tuple[Floats, float]] = []
    for each in keys:
        of, what = ("own", each.by) if isinstance(each.by, str) else (each.by, each.metric)
        columns.append((values(of, what or shown), 1 if each.direction == "ascending" else -1))

    def key(item: int) -> tuple[float, ...]:
        parts: list[float] = []
        for numbers, sign in columns:
            value = float(numbers[item])
            parts += [1.0, 0.0] if math.isnan(value) else [0.0, sign * value]
        return (*parts, item)

    return key


def _sort(group: _Group, key: Callable[[int], tuple[float, ...]], nets: Sequence[bool]) -> None:
    """Sort the items of each group; nets and groups keep their positions."""
    free: list[int] = []
    items: list[int] = []
    for at, child in enumerate(group.children):
        if isinstance(child, _Group):
            _sort(child, key, nets)
        elif not nets[child]:
            free.append(at)
            items.append(child)
    for at, item in zip(free, sorted(items, key=key), strict=True):
        group.children[at] = item


def _move_all(whole: _Group, moves: Sequence[Move]) -> None:
    """Apply moves in order; moves out of a group, or of unknown items, are ignored."""
    paths = dict(_paths(whole, ())) if moves else {}
    for move in moves:
        parent, node = _movable(paths.get(move.line), move.line, move.level)
        if parent is None or node is None:
            continue
        target: _Node | None = None
        if move.before is not None:
            group, target = _movable(paths.get(move.before), move.before, move.level)
            if group is not parent or target is None or target is node:
                continue
        children = parent.children
        children.pop(_index(children, node))
        to = _after_last(children, node) if target is None else _index(children, target)
        children.insert(to, node)


def _paths(group: _Group, above: tuple[_Group, ...]) -> Iterator[tuple[int, tuple[_Group, ...]]]:
    """For each item the groups that contain it, the whole axis first."""
    path = (*above, group)
    for child in group.children:
        if isinstance(child, _Group):
            yield from _paths(child, path)
        else:
            yield child, path


def _movable(
    path: tuple[_Group, ...] | None, item: int, level: int | None
) -> tuple[_Group | None, _Node | None]:
    """The item or group that moves, and the group it moves within."""
    if path is None:
        return None, None
    if level is None:
        return path[-1], item
    return (path[level], path[level + 1]) if level + 1 < len(path) else (None, None)


def _index(children: Sequence[_Node], node: _Node) -> int:
    # By identity: two groups may be equal.
    return next(
        at
        for at, child in enumerate(children)
        if child is node or (isinstance(node, int) and child == node)
    )


def _after_last(children: Sequence[_Node], node: _Node) -> int:
    alike = [
        at for at, child in enumerate(children) if isinstance(child, int) == isinstance(node, int)
    ]
    return alike[-1] + 1 if alike else 0


def _keep(group: _Group, is_kept: Callable[[int], bool], nets: Sequence[bool] | None) -> None:
    """Remove items that are not kept; with `nets` also groups that only contain nets."""
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


def _passes(wanted: Filter, values: Values) -> NDArray[np.bool_]:
    numbers = values(_of(wanted), wanted.metric)
    with np.errstate(invalid="ignore"):
        if wanted.bound == "beyond":
            return np.abs(numbers) >= wanted.value
        return numbers >= wanted.value if wanted.bound == "least" else numbers <= wanted.value


def _of(wanted: Filter) -> int | str:
    """The reduction with which any cell of an item, or every one, passes."""
    if wanted.of not in ("any", "every"):
        return wanted.of
    is_any = wanted.of == "any"
    if wanted.bound == "beyond":
        return "farthest" if is_any else "nearest"
    return "largest" if is_any == (wanted.bound == "least") else "smallest"


def _flat(group: _Group, folded: set[Groups]) -> Iterator[int]:
    for child in group.children:
        if isinstance(child, int):
            yield child
        elif child.groups not in folded:
            yield from _flat(child, folded)
