"""The order of an axis that Python asks for, and the numbers by which a page sorts and filters.

A page arranges by its own rules (`js/src/crosstab/arrangement/arrange.ts`), and Python takes the
order that it shows (`ShownItems`). What Python or a document asks for before a page has shown it is
arranged here, by the same rules: both are tested with the same cases.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.highlights import questions_of
from audiencelab.errors import AudienceError
from audiencelab.results.banner import Groups
from audiencelab.results.metrics import IN_GRID
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.marks import MAX_TESTS
from audiencelab.widgets.crosstab.metrics import (
    CONFIDENCE,
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


def shown_items(
    axis: AxisAudiences, view: AxisView, values: Values, metric: str, *, fold: bool
) -> list[int]:
    """The positions of the visible items, in the order in which they are shown.

    Groups stay together in the order of the query; in each, items are sorted, and followed by its
    nets. Then items and groups are moved.

    metric: compared by sort keys without a metric. fold: leave out the items of folded groups, as
        where the axis is shown as rows.
    """
    paths = _paths(axis.groups)
    nets = np.array(axis.nets, dtype=bool)
    order = np.arange(len(axis))
    if view.sort:
        parents = np.array([path[-1] for path in paths])
        # Numbers that are NaN come last, in both directions.
        keys = [np.where(nets, 0, _key(each, values, metric)) for each in view.sort]
        # Positions of each group get its items in their new order; the last key of `lexsort` is the
        # most significant.
        order[np.argsort(parents, kind="stable")] = np.lexsort((*keys[::-1], nets, parents))
    kept = ~np.isin(np.arange(len(axis)), view.hidden)
    full = set(itertools.chain(*paths))
    if view.filters:
        kept &= nets | np.logical_and.reduce([_passes(each, values) for each in view.filters])
        # A net stays while an item of its group does.
        full = {group for at in np.flatnonzero(kept & ~nets) for group in paths[at]}
    folded = view.folded if fold else ()
    moved = reduce(lambda items, move: _moved(items, move, paths), view.moves, order.tolist())
    return [
        item
        for item in moved
        if kept[item]
        and paths[item][-1] in full
        and not any(axis.groups[item][: len(each)] == each for each in folded)
    ]


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
    if metric not in (*IN_GRID, CONFIDENCE) or metric == "letters":
        raise AudienceError(f"Rows and columns cannot be sorted or filtered by {metric!r}.")
    if isinstance(of, int):
        rows, columns = map(range, result.shape)
        if of not in (columns if axis == "rows" else rows):
            raise AudienceError(f"The table has no position {of} to sort or filter {axis} by.")
        one = part_of(result, rows, [of]) if axis == "rows" else part_of(result, [of], columns)
        return plane(one, metric).ravel()
    extreme = _REDUCTIONS.get(of)
    if extreme is None:
        raise AudienceError(
            f"of must be a position or one of {', '.join(_REDUCTIONS)}; got {of!r}."
        )
    if metric in TESTED:
        check_tests(result)
    return extreme(plane(result, metric), 1 if axis == "rows" else 0)


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
    result: CrosstabResult, rows: AxisAudiences, columns: AxisAudiences, limit: int, least: float
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


def _same_question(rows: AxisAudiences, columns: AxisAudiences) -> NDArray[np.bool_]:
    asked = [[questions_of(item) for item in axis] for axis in (rows, columns)]
    known = {code for axis in asked for questions in axis for code in questions}
    numbers = {code: number for number, code in enumerate(sorted(known))}
    held = [np.zeros((len(axis), len(numbers)), dtype=np.float32) for axis in asked]
    for table, axis in zip(held, asked, strict=True):
        for item, questions in enumerate(axis):
            table[item, [numbers[code] for code in questions]] = 1
    # Questions of an item as 0 and 1: the product counts those that two items share.
    return held[0] @ held[1].T > 0


# -- the order -------------------------------------------------------------------------------------


def _paths(groups: Iterable[Groups]) -> list[tuple[int, ...]]:
    """For each item the numbers of the groups over it, the whole axis first.

    Groups of one name that are not neighbours are different groups.
    """
    numbers = itertools.count()
    opened: dict[Groups, int] = {}
    paths: list[tuple[int, ...]] = []
    for each in groups:
        over = [each[:length] for length in range(len(each) + 1)]
        # A group stays open while its neighbours are in it.
        opened = {head: opened[head] if head in opened else next(numbers) for head in over}
        paths.append(tuple(opened.values()))
    return paths


def _key(key: SortKey, values: Values, metric: str) -> Floats:
    """The numbers by which items are sorted, the smallest first."""
    # Letters are about column shares, and are not numbers themselves.
    shown = "column_percentage" if metric == "letters" else metric
    of, what = ("own", key.by) if isinstance(key.by, str) else (key.by, key.metric)
    numbers = values(of, what or shown)
    return numbers if key.direction == "ascending" else -numbers


def _moved(order: list[int], move: Move, paths: Sequence[tuple[int, ...]]) -> list[int]:
    """The order after a move; one out of its group, or of an unknown item, is ignored."""
    level, known = move.level, range(len(paths))
    before = move.line if move.before is None else move.before
    if move.line not in known or before not in known:
        return order
    # The group that holds what moves, and the item or group that moves; () where there is none.
    nodes = [
        (path[-1], item) if level is None else path[level : level + 2] if path[level + 1 :] else ()
        for item, path in enumerate(paths)
    ]
    node, beside = nodes[move.line], nodes[before]
    if not node or beside[:1] != node[:1] or (beside == node) != (move.before is None):
        return order
    block = [item for item in order if nodes[item] == node]
    rest = [item for item in order if nodes[item] != node]
    if move.before is None:
        at = max(at for at, item in enumerate(order, 1) if nodes[item][:1] == node[:1]) - len(block)
    else:
        at = next(at for at, item in enumerate(rest) if nodes[item] == beside)
    return [*rest[:at], *block, *rest[at:]]


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
