"""What is compared: every pair of columns, a column and the rest, a wave and the one before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare_columns import columns_plan
from audiencelab.analysis.compare_rows import rows_plan
from audiencelab.analysis.compare_statistics import statistics_plan
from audiencelab.analysis.compare_waves import trend_plan, wave_columns_plan
from audiencelab.analysis.comparison import ComparisonData, comparison_of
from audiencelab.analysis.design_effects import (
    DesignEffects,
    effects_of_rest,
    effects_of_table,
)
from audiencelab.analysis.options import CommonTestOptions, TestOptions, Versus, require_choice
from audiencelab.analysis.pair_errors import errors_of_rest
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
)
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.comparable import comparability, comparability_of_stats
from audiencelab.results.crosstab import CrosstabData, shown_rows
from audiencelab.results.stats import StatsData

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
        return comparison_of((trend_plan if of_waves else _columns_plan)(result, options))
    if vs in ("rest", "total"):
        plan = rest_plan(result, vs, but, options)
    elif vs == "previous wave":
        plan = wave_columns_plan(result, options, but)
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
    if isinstance(result, StatsData) and vs not in ("columns", "previous wave"):
        raise ValueError(
            f"vs={vs!r} needs a crosstab: client.crosstab({result.question!r}, audiences)."
        )


def _columns_plan(
    result: CrosstabData | StatsData, options: TestOptions, but: UntestedCells | None = None
) -> TestPlan:
    ready = prepared(result, options)
    if isinstance(result, StatsData):
        rows = [(each, None) for each in ready.table.rows.ids]
        columns = dict.fromkeys((row.segment, row.audience) for row in result.rows)
        comparable = comparability_of_stats(result, rows, [*columns])
    else:
        comparable = comparability(result)
    return columns_plan(ready, result, options, but, comparable)


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
        unlike=comparability(result).from_rest(),
        empty="nobody in the column, or in the rest",
        cautious=cautious,
    )


def _every_column(table: Proportions) -> Positions:
    return np.broadcast_to(np.arange(len(table.columns)), table.shape)
