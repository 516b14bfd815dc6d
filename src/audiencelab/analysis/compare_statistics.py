"""t tests of rows of statistics: of columns, and of each column against the rest or the total.

By default standard errors and degrees of freedom are those of the sample's design, with everyone
who is in both columns accounted for: t = (a - b) ÷ √(Var a + Var b - 2 Cov), as `svycontrast` of R.
With a design effect that the caller gives, bases are divided by it, and means are tested alone.
Rows are means of items of one question, of the same respondents: a paired t test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare_waves import previous_columns
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.measured import asking
from audiencelab.analysis.options import TestOptions, TestSettings, table_effects
from audiencelab.analysis.plan import (
    ONE_CLUSTER,
    STATISTICS,
    Errors,
    Exclusions,
    Pairs,
    TestPlan,
    errors_of_bases,
)
from audiencelab.analysis.precision import with_bases
from audiencelab.analysis.prepare import TestInputs
from audiencelab.analysis.proportions import CellEstimates, Proportions, TableItems
from audiencelab.analysis.statistic_design import StatisticPrecision, precision_of_statistics
from audiencelab.results.comparable import comparability_of_statistics
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.deviation import spread_of
from audiencelab.results.statistic_rows import (
    COMPARED,
    PARTS_OF_NPS,
    REST_FIGURES,
    TESTED,
    StatisticRows,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]

LUMPY = "many people share the amount, so that percentiles jump"
BEYOND = "the interval of a percentile ends beyond all amounts"


@dataclass(frozen=True, slots=True)
class Tests:
    """Which tests are made of a table of statistics, all arrays [rows, tests].

    column, other: positions of columns. second: what each column is compared with.
    error, freedom: of the differences by the sample's design; None by a design effect.
    other_error: the standard error of what each column is compared with.
    made: which are made. parts: the family of each test of a row, if it has several.
    kept: the part of a difference from the rest that is the difference from the whole.
    """

    column: Positions
    other: Positions
    second: CellEstimates
    error: Floats | None
    freedom: Floats | None
    made: Flags
    parts: Positions | None = None
    other_error: Floats | None = None
    kept: Floats | None = None


def statistics_plan(shares: TestPlan, result: CrosstabData, options: TestOptions) -> TestPlan:
    """The tests of the rows of statistics; shares: those of the other rows."""
    if shares.vs == "rows":
        return _rows_plan(shares, result, options)
    precision = precision_of_statistics(result, options.get("design", "auto"), options.get("base"))
    rows = _axis(precision.rows)
    columns, provenance = shares.table.columns, dict(shares.table.provenance)
    settings = shares.settings.of_means(own=precision.own)
    table, effects = statistics_table(rows, columns, precision, settings, provenance)
    comparable = comparability_of_statistics(result)
    if shares.vs == "columns":
        # Pairs are the same in every row, so those of the first row of shares are taken.
        first, second = shares.pairs.column[:1], shares.pairs.other[:1]
        if not len(first):
            first = second = np.zeros((1, 0), dtype=np.intp)
        shape = len(rows), first.shape[1]
        first, second = (np.broadcast_to(each[0], shape) for each in (first, second))
        parts = np.array(shares.groups)[first[0]] if len(set(shares.groups)) > 1 else None
        tests = pairs(table, precision, first, second, parts)
        unlike = comparable.between(first, second)
    elif shares.vs == "previous wave":
        previous = previous_columns(result, ~np.isnan(table.cells.value))
        every = np.broadcast_to(np.arange(len(columns)), table.shape)
        before = np.maximum(previous, 0)
        made = (previous >= 0) & ~shares.scope.columns & ~shares.scope.columns[before]
        tests = pairs(table, precision, every, before, made=made)
        unlike = comparable.between(every, before)
    else:
        tests = _rests(table, precision, shares, effects, settings)
        unlike = comparable.from_rest()
    ready = TestInputs(table, settings, effects, None, precision.rows.how, automatic=precision.own)
    made = plan_of_statistics(ready, precision, tests, vs=shares.vs, groups=shares.groups)
    return replace(made, unlike=unlike)


def plan_of_statistics(
    ready: TestInputs,
    precision: StatisticPrecision,
    tests: Tests,
    *,
    vs: str,
    groups: Sequence[int] = (),
) -> TestPlan:
    """The plan of the tests of rows of statistics; ready: their table and settings."""
    table, rows = ready.table, precision.rows.rows
    first, second = table.cells.take(tests.column), tests.second
    others = table.columns
    if vs in ("rest", "total"):
        others = TableItems((vs,), {"other": (vs,)}, np.ones(1, dtype=bool))
    left_out: Flags = np.zeros(len(rows), dtype=bool)
    if tests.made.shape[1]:
        # Rows that are not tested at all, such as standard deviations; the method note names them.
        left_out = ~np.any(tests.made, axis=1)
    if tests.error is None:
        errors = errors_of_bases(ready.settings, first, second)
    else:
        errors = Errors(
            tests.error,
            tests.freedom,
            known="respondents and clusters",
            of_bases=False,
            unsure=_unsure(precision.rows, tests),
        )
    return TestPlan(
        ready,
        vs,
        Pairs(first, second, tests.column, tests.other, others),
        errors,
        _scope(table, rows=left_out),
        made=tests.made,
        parts=tests.parts,
        within_groups=tests.parts is not None,
        groups=tuple(groups),
        empty=table.empty,
        kept=tests.kept,
        unit=STATISTICS,
        decimals=tuple(row.decimals for row in rows),
    )


def _unsure(statistics: StatisticRows, tests: Tests) -> NDArray[np.object_]:
    """Why a difference by the sample's design has no error, where it has none."""
    percentiles = _of_kinds(statistics, ("percentile",))[:, None]
    error = np.take_along_axis(statistics.values("standard_error"), tests.column, axis=1)
    found = np.where(percentiles, LUMPY, ONE_CLUSTER).astype(object)
    found = np.broadcast_to(found, tests.column.shape).copy()
    if tests.freedom is not None and tests.other_error is not None:
        none = np.isnan(error) | np.isnan(tests.other_error)
        found[percentiles & none & (tests.freedom > 0)] = BEYOND
    return found


def _rows_plan(shares: TestPlan, result: CrosstabData, options: TestOptions) -> TestPlan:
    design = options.get("design", "auto")
    lonely = design.lonely if isinstance(design, DesignEffects) else "adjust"
    if not isinstance(design, str | DesignEffects):
        raise ValueError(
            "Means of the same respondents are compared by the sample's own design: leave out "
            "design=."
        )
    statistics = result.statistics
    assert statistics is not None
    ask, query = asking(result, "A comparison of means of the same respondents")
    found = ask.statistic_pairs(query, statistics.rows, lonely)
    axis = _axis(statistics)
    table = Proportions(
        shares.table.rows,
        axis,
        _estimates(*(statistics.values(name) for name in _ESTIMATED)).turned(),
        "means",
        dict(shares.table.provenance),
        empty="no amounts",
    )
    kinds = [(row.kind, row.question) for row in statistics.rows]
    known = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    # Statistics of two kinds or questions are on different scales, and are not compared.
    groups = np.array([known[kind] for kind in kinds], dtype=np.intp)
    first, second = np.triu_indices(len(kinds), k=1)
    kept = (groups[first] == groups[second]) & _of_kinds(statistics, COMPARED)[first]
    first, second = first[kept], second[kept]
    tests = (len(table.rows), len(first))
    return TestPlan(
        TestInputs(
            table,
            replace(shares.settings.of_means(own=True), base="unweighted"),
            np.ones(table.shape),
            None,
            found.how,
            automatic=True,
        ),
        "rows",
        Pairs(
            table.cells.take(first),
            table.cells.take(second),
            np.broadcast_to(first, tests),
            np.broadcast_to(second, tests),
            axis,
        ),
        Errors(
            np.sqrt(found.variance[:, first, second]),
            None if found.freedom is None else found.freedom[:, first, second],
            known="respondents",
            of_bases=False,
        ),
        _scope(table, columns=~_of_kinds(statistics, COMPARED)),
        made=np.ones(tests, dtype=bool),
        parts=groups[first],
        groups=tuple(groups.tolist()),
        empty=table.empty,
        unit=STATISTICS,
        decimals=tuple(row.decimals for row in statistics.rows),
    )


def statistics_table(
    rows: TableItems,
    columns: TableItems,
    precision: StatisticPrecision,
    settings: TestSettings,
    provenance: Any,
) -> tuple[Proportions, Floats]:
    """The values as estimates, and their design effects, float64[rows, columns]."""
    statistics = precision.rows
    sample = statistics.values("answered_sample")
    cells = _estimates(*(statistics.values(name) for name in _ESTIMATED))
    tested = {row.kind for row in statistics.rows}.intersection(_tested(precision))
    others = [kind for kind in TESTED if kind in tested.difference(COMPARED)]
    others = [kind if kind in PARTS_OF_NPS else f"{kind}s" for kind in others]
    metric = ", ".join(["means", *others])
    table = Proportions(rows, columns, cells, metric, provenance, empty="no amounts")
    if precision.own:
        with np.errstate(divide="ignore", invalid="ignore"):
            # What makes the error of a mean of so many respondents the design's.
            error = statistics.values("standard_error")
            effects = sample * error**2 / statistics.spread**2
        # Where everyone has one amount, any number of respondents is worth as much.
        of_means = _of_kinds(statistics, COMPARED)[:, None] & np.isfinite(effects)
        effects = np.where(of_means, effects, 1.0)
    else:
        effects = table_effects(precision.effects, table)
    return replace(table, cells=with_bases(cells, settings.base, effects)), effects


_ESTIMATED = ("value", "answered_size", "answered_sample", "standard_deviation")


def _estimates(value: Floats, size: Floats, sample: Floats, deviation: Floats) -> CellEstimates:
    spread = spread_of(deviation, sample)
    return CellEstimates(value, size, sample, np.zeros(size.shape), sample, deviation=spread)


def pairs(
    table: Proportions,
    precision: StatisticPrecision,
    first: Positions,
    second: Positions,
    parts: Positions | None = None,
    made: Flags | bool = True,
) -> Tests:
    """Pairs of columns, [rows, tests]; made: which of them are tested."""
    statistics = precision.rows
    tested = np.array([row.kind in _tested(precision) for row in statistics.rows], dtype=bool)
    error = freedom = None
    if precision.own:
        covariance, down = statistics.covariance, np.arange(len(table.rows))[:, None]
        # Column 0 of covariances and degrees of freedom is the base.
        one, other = first + 1, second + 1
        variance = covariance[down, one, one] + covariance[down, other, other]
        variance = variance - 2 * covariance[down, one, other]
        # Rounding may leave a negative variance where both columns have the same respondents.
        error = np.sqrt(np.maximum(variance, 0.0))
        freedom = statistics.freedom[down, one, other]
    return Tests(
        first,
        second,
        table.cells.take(second),
        error,
        freedom,
        np.broadcast_to(tested[:, None] & made, first.shape),
        parts,
        np.take_along_axis(statistics.values("standard_error"), second, axis=1),
    )


def _rests(
    table: Proportions,
    precision: StatisticPrecision,
    shares: TestPlan,
    effects: Floats,
    settings: TestSettings,
) -> Tests:
    """Each column against the base less the column. A sum has no rest to be compared with."""
    statistics = precision.rows
    columns = shares.table.columns
    rest = statistics.rest
    if rest is None:
        rest = np.full((len(REST_FIGURES), *table.shape), np.nan)
    figures = dict(zip(REST_FIGURES, rest, strict=True))
    tested = [row.kind in _tested(precision) and row.kind != "sum" for row in statistics.rows]
    # The rest is given its column's design effect.
    second = with_bases(_estimates(*(figures[name] for name in _ESTIMATED)), settings.base, effects)
    left_out = shares.settings.is_net(columns) | columns.totals
    return Tests(
        np.broadcast_to(np.arange(len(columns)), table.shape),
        np.zeros(table.shape, dtype=np.intp),
        second,
        figures["difference_error"] if precision.own else None,
        figures["degrees_of_freedom"] if precision.own else None,
        np.array(tested, dtype=bool)[:, None] & ~left_out,
        other_error=figures["standard_error"],
        kept=_kept(statistics, table.cells.value, second, table.cells.size),
    )


def _tested(precision: StatisticPrecision) -> tuple[str, ...]:
    """The kinds that are tested: by a design effect means alone have errors."""
    return TESTED if precision.own else COMPARED


def _kept(statistics: StatisticRows, value: Floats, rest: CellEstimates, size: Floats) -> Floats:
    """The part of the difference from the rest that is the difference from the whole base.

    The value of the whole is between those of column and rest.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.sort([value, rest.value], axis=0)
        whole = np.clip(statistics.base("value")[:, None], *between)
        # A mean of the whole is the mean of both parts, weighted by their people.
        of_people = rest.size / (size + rest.size)
        # Percentiles do not average, so their part is read off the value of the whole.
        measured = (value - whole) / (value - rest.value)
    of_means = _of_kinds(statistics, COMPARED)[:, None]
    return np.where(of_means | (value == rest.value), of_people, measured)


def _of_kinds(statistics: StatisticRows, kinds: Sequence[str]) -> Flags:
    return np.array([row.kind in kinds for row in statistics.rows], dtype=bool)


def _scope(
    table: Proportions, rows: Flags | None = None, columns: Flags | None = None
) -> Exclusions:
    """rows, columns: those that are not compared."""
    height, width = table.shape
    none = np.zeros(height, dtype=bool)
    return Exclusions(
        none if rows is None else rows,
        np.zeros(width, dtype=bool) if columns is None else columns,
        none,
        np.ones(table.shape, dtype=bool),
    )


def _axis(statistics: StatisticRows) -> TableItems:
    names = tuple(row.name for row in statistics.rows)
    ids = tuple(f"statistic-{at}" for at in range(1, len(names) + 1))
    groups = statistics.groups if any(statistics.groups) else ()
    return TableItems(
        names, {"row_id": ids, "row": names}, np.zeros(len(names), dtype=bool), groups
    )
