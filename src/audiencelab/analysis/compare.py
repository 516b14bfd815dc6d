"""What is compared: every pair of columns, a column and the rest, a wave and the one before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare_columns import columns_plan
from audiencelab.analysis.compare_rows import rows_plan
from audiencelab.analysis.compare_statistics import statistics_plan
from audiencelab.analysis.comparison import ComparisonData, comparison_of
from audiencelab.analysis.design_effects import (
    DesignEffects,
    effects_of_rest,
    effects_of_table,
)
from audiencelab.analysis.options import CommonTestOptions, TestOptions, Versus, require_choice
from audiencelab.analysis.pair_errors import errors_of_pairs, errors_of_rest
from audiencelab.analysis.plan import (
    Pairs,
    TestPlan,
    UntestedCells,
    scope_of,
)
from audiencelab.analysis.precision import with_bases
from audiencelab.analysis.prepare import prepared
from audiencelab.analysis.proportions import (
    Proportions,
    TableItems,
    crosstab_proportions,
    rest_of,
    wave_proportions,
)
from audiencelab.expressions.codes import WAVES
from audiencelab.results import undefined
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.crosstab import CrosstabData, shown_rows
from audiencelab.results.stats import StatsData
from audiencelab.results.who_counts import items_differ, items_differ_from_rest

Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]


def compare(
    result: CrosstabData | StatsData,
    vs: Versus,
    options: TestOptions,
    but: UntestedCells | None = None,
) -> ComparisonData:
    """The percentages of a result tested, and its statistics; see `CrosstabResult.test`.

    but: cells of a crosstab to leave out of the tests.
    """
    _check(result, vs, options)
    if isinstance(result, StatsData):
        of_waves = vs == "previous wave"
        return comparison_of((_waves_plan if of_waves else _columns_plan)(result, options))
    if vs in ("rest", "total"):
        plan = rest_plan(result, vs, but, options)
    else:
        plan = (rows_plan if vs == "rows" else _columns_plan)(result, options, but)
    made = comparison_of(plan)
    if result.statistics is None:
        return made
    others = comparison_of(statistics_plan(plan, result, options))
    return replace(made, statistics=others, shown=tuple(shown_rows(result)))


def _check(result: CrosstabData | StatsData, vs: Versus, options: TestOptions) -> None:
    """Raise `ValueError` for a comparison that the result does not have, or with other options."""
    require_choice("vs", vs, get_args(Versus))
    overlap, within = options.get("overlap"), options.get("within_groups", True)
    if vs == "rows" and isinstance(result, CrosstabData):
        # Rows have groups, too, so within_groups=False is an option of theirs.
        within = True
    if vs != "columns" and (overlap is not None or not within):
        name = "overlap" if overlap is not None else "within_groups"
        raise ValueError(f"{name}= is an option of vs='columns', not of vs={vs!r}.")
    if vs == "previous wave" and isinstance(result, CrosstabData):
        raise ValueError(
            "A crosstab has no waves to compare: use client.stats(question, splitter='waves')."
        )
    if isinstance(result, StatsData) and vs not in ("columns", "previous wave"):
        raise ValueError(
            f"vs={vs!r} needs a crosstab: client.crosstab({result.question!r}, audiences)."
        )


def _columns_plan(
    result: CrosstabData | StatsData, options: TestOptions, but: UntestedCells | None = None
) -> TestPlan:
    unlike = items_differ(result)
    if unlike is not None and isinstance(result, StatsData):
        unlike = _by_column(unlike, result)
    return columns_plan(prepared(result, options), result, options, but, unlike)


def rest_plan(
    result: CrosstabData,
    against: str,
    but: UntestedCells | None,
    options: CommonTestOptions,
    *,
    cautious: bool = False,
) -> TestPlan:
    """Each column against the rest of its base, or against the total.

    The column is a part of the total, so the statistic is the same: only what is shown differs.
    The rest has its column's design effect, or its own if it is computed.

    but: cells to leave out of the tests.
    cautious: whether a difference also has to hold by its likelihood ratio: a selection from many
        tests selects what is off by chance.
    """
    scaled, design = in_one_scale(result), options.get("design")
    unlike = items_differ_from_rest(result)
    if scaled is not result and isinstance(design, DesignEffects):
        # They know the rest of each wave's own base, which is empty.
        of_cells: Any = effects_of_table(design, crosstab_proportions(result))
        # Only without a service to ask are the effects of cells all that is known.
        options = {**options, "design": of_cells.tolist() if result.ask is None else "auto"}
    ready = prepared(scaled, options)
    table, computed, scope = ready.table, ready.computed, scope_of(ready, but)
    rest = rest_of(scaled)
    effects = ready.effects if computed is None else effects_of_rest(computed, rest)
    # The rest has its column's design effect, unless its own is computed.
    others = with_bases(rest, ready.settings.base, effects)
    place = np.zeros(table.shape, dtype=np.intp)
    axis = TableItems((against,), {"other": (against,)}, np.ones(1, dtype=bool))
    pairs = Pairs(table.cells, others, _every_column(table), place, axis)
    return TestPlan(
        ready,
        against,
        pairs,
        errors_of_rest(ready, pairs),
        scope,
        made=scope.made & ~scope.columns,
        unlike=unlike,
        empty="nobody in the column, or in the rest",
        cautious=cautious,
    )


def _waves_plan(result: StatsData, options: TestOptions) -> TestPlan:
    """Each wave against the last one before it with values."""
    if result.splitter != WAVES or not result.rows:
        raise ValueError("There are no waves to compare: ask with splitter='waves'.")
    ready = prepared(result, options, wave_proportions)
    table = ready.table
    scope = scope_of(ready)._replace(columns=np.zeros(len(table.columns), dtype=bool))
    previous = previous_of(~np.isnan(table.cells.value))
    # -1, for no wave before, is not a position; `made` leaves these tests out.
    before, every = np.maximum(previous, 0), _every_column(table)
    rows = np.array([result.datapoints.index(each) for each in table.rows.ids], dtype=np.intp)
    differing = items_differ(result)
    pairs = Pairs(table.cells, table.cells.take(before), every, previous, table.columns)
    return TestPlan(
        ready,
        "previous wave",
        pairs,
        errors_of_pairs(ready, result, pairs, waves=True),
        scope,
        made=~scope.rows[:, None] & (previous >= 0),
        unlike=None if differing is None else differing[rows[:, None], every, before],
        empty=undefined.NO_WAVE,
    )


def _every_column(table: Proportions) -> Positions:
    return np.broadcast_to(np.arange(len(table.columns)), table.shape)


def _by_column(differing: Flags, result: StatsData) -> Flags:
    """Pairs of waves as pairs of columns, each a wave and an audience."""
    waves = [row.segment for row in result.rows]
    columns = list(dict.fromkeys(zip(waves, (row.audience for row in result.rows), strict=True)))
    places = [result.segments.index(wave or "") for wave, _ in columns]
    return differing[:, places][:, :, places]


def previous_of(known: Flags) -> Positions:
    """For each position of a row the last known one before it, -1 for none."""
    each = np.arange(known.shape[1], dtype=np.intp)
    last = np.maximum.accumulate(np.where(known, each, -1), axis=1)
    # Moved by one position, since `last` counts a position as its own predecessor.
    return np.concatenate([np.full((len(known), 1), -1), last[:, :-1]], axis=1)
