"""Each wave compared with the one before it: the waves of a trend, and columns that are waves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import CommonTestOptions
from audiencelab.analysis.pair_errors import errors_of_pairs
from audiencelab.analysis.plan import (
    Exclusions,
    Pairs,
    TestInputs,
    TestPlan,
    Texts,
    UntestedCells,
    scope_of,
)
from audiencelab.analysis.prepare import prepared
from audiencelab.analysis.proportions import wave_proportions
from audiencelab.expressions import And, Expression, Leaf, walk
from audiencelab.expressions.codes import WAVES
from audiencelab.results import undefined
from audiencelab.results.comparable import (
    Comparability,
    comparability,
    comparability_of_stats,
    order_of_waves,
)
from audiencelab.results.coverage import questions_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.results.who_counts import reasons

Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]

OTHER_COLUMNS = "columns other than waves not tested"


class OneWave(NamedTuple):
    """A column that counts the people of one wave.

    within: what else it asks for, which makes it the same column in another wave.
    """

    wave: str
    within: frozenset[Expression]


def trend_plan(result: StatsData, options: CommonTestOptions) -> TestPlan:
    """Each wave of a trend against the last one before it with values."""
    if result.splitter != WAVES or not result.rows:
        raise ValueError("There are no waves to compare: ask with splitter='waves'.")
    ready = prepared(result, options, wave_proportions)
    table = ready.table
    scope = scope_of(ready)._replace(columns=np.zeros(len(table.columns), dtype=bool))
    previous = previous_of(~np.isnan(table.cells.value))
    audiences = table.rows.columns.get("audience", (None,) * len(table.rows))
    rows = [*zip(table.rows.ids, audiences, strict=True)]
    comparable = comparability_of_stats(result, rows, [(each, None) for each in table.columns.ids])
    tested = np.broadcast_to(~scope.rows[:, None], table.shape)
    return _plan(ready, result, scope, previous, tested, comparable, undefined.NO_WAVE)


def wave_columns_plan(
    result: CrosstabData, options: CommonTestOptions, but: UntestedCells | None = None
) -> TestPlan:
    """Each column that is a wave against the same one in the last wave before it with a value.

    but: cells to leave out. Raises `ValueError` for a table without such columns.
    """
    waves = one_waves(result)
    check_waves(result, waves)
    ready = prepared(result, options)
    table = ready.table
    others = np.array([each is None for each in waves], dtype=bool)
    scope = scope_of(ready, but)
    if others.any():
        words = ", ".join(filter(None, [OTHER_COLUMNS, scope.words]))
        scope = scope._replace(words=words)
    scope = scope._replace(columns=ready.settings.is_net(table.columns) & ~others)
    previous = previous_columns(result, ~np.isnan(table.cells.value))
    tested = scope.made & ~scope.columns
    why = reasons(result)
    empty = np.where(why == "", table.empty, why)
    return _plan(ready, result, scope, previous, tested, comparability(result), empty)


def _plan(
    ready: TestInputs,
    result: CrosstabData | StatsData,
    scope: Exclusions,
    previous: Positions,
    tested: Flags,
    comparable: Comparability,
    empty: Texts | str,
) -> TestPlan:
    """Each tested cell against the one of the wave before it, by its column: -1 for none."""
    table = ready.table
    # -1 is not a position; `made` leaves these tests out.
    before = np.maximum(previous, 0)
    every = np.broadcast_to(np.arange(len(table.columns)), table.shape)
    pairs = Pairs(table.cells, table.cells.take(before), every, previous, table.columns)
    return TestPlan(
        ready,
        "previous wave",
        pairs,
        errors_of_pairs(ready, result, pairs, waves=True),
        scope,
        made=tested & tested[np.arange(len(table.rows))[:, None], before] & (previous >= 0),
        unlike=comparable.between(every, before),
        empty=empty,
    )


def check_waves(result: CrosstabData, waves: list[OneWave | None]) -> None:
    """Raise `ValueError` for a table in which no column is a wave."""
    if any(waves):
        return
    codes = dict.fromkeys(code for row in result.rows for code in questions_of(row))
    question = next((result.who.name(code) for code in codes), "…")
    raise ValueError(
        "vs='previous wave' is not valid: this table has no column of one wave. Write "
        f"client.crosstab({question!r}, columns='waves'), or client.trend({question!r})."
    )


def one_waves(result: CrosstabData) -> list[OneWave | None]:
    """For each column the wave that it counts; None for one that counts several, or all."""
    return [_wave_of(each.expression) for each in result.columns]


def _wave_of(expression: Expression | None) -> OneWave | None:
    conditions = [*_conditions(expression)]
    own = [each for each in conditions if _is_wave(each)]
    if len(own) != 1 or not isinstance(own[0], Leaf):
        return None
    within = frozenset(each for each in conditions if each is not own[0])
    # Another condition on waves, such as a negated one, leaves it open which are counted.
    of_waves = (
        isinstance(node, Leaf) and node.question == WAVES
        for each in within
        for _, node in walk(each)
    )
    return None if any(of_waves) else OneWave(own[0].datapoints[0], within)


def _conditions(expression: Expression | None) -> list[Expression]:
    """What everyone in an audience meets, each condition once."""
    if expression is None:
        return []
    if isinstance(expression, And) and not expression.negated:
        return list(dict.fromkeys(one for each in expression.children for one in _conditions(each)))
    return [expression]


def _is_wave(expression: Expression) -> bool:
    return (
        isinstance(expression, Leaf)
        and expression.question == WAVES
        and not expression.negated
        and len(expression.datapoints) == 1
    )


def previous_columns(result: CrosstabData, known: Flags) -> Positions:
    """For each cell the column of the last wave before with a value, -1 for none, [rows, columns].

    known: which cells have values, of the table's rows or of others.
    """
    waves = one_waves(result)
    order = {wave: place for place, wave in enumerate(order_of_waves(result))}
    listed = [(place, each) for place, each in enumerate(waves) if each is not None]
    if not order.keys() >= {each.wave for _, each in listed}:
        order = {wave: at for at, wave in enumerate(dict.fromkeys(each.wave for _, each in listed))}
    # Equal columns, as in two groups of the same waves: the first of each wave make up one series.
    series: dict[tuple[frozenset[Expression], int], dict[str, int]] = {}
    seen: dict[OneWave, int] = {}
    for place, each in listed:
        seen[each] = seen.get(each, 0) + 1
        series.setdefault((each.within, seen[each]), {})[each.wave] = place
    found = np.full(known.shape, -1, dtype=np.intp)
    for places in series.values():
        across = np.array([places[wave] for wave in sorted(places, key=order.__getitem__)], np.intp)
        before = previous_of(known[:, across])
        found[:, across] = np.where(before >= 0, across[np.maximum(before, 0)], -1)
    return found


def previous_of(known: Flags) -> Positions:
    """For each position of a row the last known one before it, -1 for none."""
    each = np.arange(known.shape[1], dtype=np.intp)
    last = np.maximum.accumulate(np.where(known, each, -1), axis=1)
    # Moved by one position, since `last` counts a position as its own predecessor.
    return np.concatenate([np.full((len(known), 1), -1), last[:, :-1]], axis=1)
