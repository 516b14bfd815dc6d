"""t tests of rows of statistics: of columns, and of each column against the rest or the total.

By default standard errors and degrees of freedom are those of the sample's design, with everyone
who is in both columns accounted for: t = (a - b) ÷ √(Var a + Var b - 2 Cov), as `svycontrast` of R.
With a design effect that the caller gives, bases are divided by it, and means are tested alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare_rows import compare_statistic_rows
from audiencelab.analysis.comparison import MEANS, ComparisonData
from audiencelab.analysis.method_note import describe_tests
from audiencelab.analysis.options import Settings, TestOptions, table_effects
from audiencelab.analysis.precision import with_bases
from audiencelab.analysis.proportions import Axis, Estimates, Proportions
from audiencelab.analysis.run_tests import ONE_CLUSTER, Outcome, run_tests
from audiencelab.analysis.statistic_design import StatisticPrecision, precision_of_statistics
from audiencelab.results.crosstab import CrosstabData, shown_rows
from audiencelab.results.statistic_rows import COMPARED, REST_FIGURES, TESTED, StatisticRows

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]

_OF_SHARES = ("overlap", "within_groups", "zero_or_full", "nets")
"""Options that rows of statistics do not have."""

LUMPY = "many people share the amount, so that percentiles jump"

_SUBJECTS = {
    "columns": "every pair of columns",
    "rest": "each column against the rest of its base",
    "total": "each column against the whole base, of which it is a part",
    "previous wave": "each wave against the one before it that asked",
}


@dataclass(frozen=True, slots=True)
class Tests:
    """Which tests are made of a table of statistics, all arrays [rows, tests].

    column, other: positions of columns. second: what each column is compared with.
    error, freedom: of the differences by the sample's design; None by a design effect.
    made: which are made. parts: the family of each test of a row, if it has several.
    """

    column: Positions
    other: Positions
    second: Estimates
    error: Floats | None
    freedom: Floats | None
    made: Flags
    parts: Positions | None = None


def with_statistics(
    made: ComparisonData, result: CrosstabData, options: TestOptions
) -> ComparisonData:
    """The comparison of every pair of columns, with the tests of the rows of statistics."""
    statistics = result.statistics
    if statistics is None:
        return made
    if made.vs == "rows":
        others = compare_statistic_rows(made, result, statistics, options)
    else:
        others = _compare(made, result, options)
    return replace(made, statistics=others, shown=tuple(shown_rows(result)))


def _compare(shares: ComparisonData, result: CrosstabData, options: TestOptions) -> ComparisonData:
    precision = precision_of_statistics(result, options.get("design", "auto"), options.get("base"))
    rows = _axis(precision.rows)
    columns, provenance = shares.table.columns, dict(shares.table.provenance)
    settings = settings_of(options, own=precision.own)
    table, effects = statistics_table(rows, columns, precision, settings, provenance)
    if shares.vs == "columns":
        first, second = shares.column[:1], shares.other[:1]
        if not len(first):
            first = second = np.zeros((1, 0), dtype=np.intp)
        shape = len(rows), first.shape[1]
        first, second = (np.broadcast_to(each[0], shape) for each in (first, second))
        parts = np.array(shares.groups)[first[0]] if len(set(shares.groups)) > 1 else None
        tests = pairs(table, precision, first, second, parts)
    else:
        tests = _rests(table, precision, shares, effects, settings)
    return compared(table, precision, settings, effects, tests, vs=shares.vs, groups=shares.groups)


def compared(
    table: Proportions,
    precision: StatisticPrecision,
    settings: Settings,
    effects: Floats,
    tests: Tests,
    *,
    vs: str,
    groups: Sequence[int] = (),
    unknown: str = "",
) -> ComparisonData:
    """The tests carried out. unknown: why nothing is known of the design, where it is not."""
    statistics = precision.rows
    within = tests.parts is not None
    outcome = run_tests(
        settings,
        table.cells.take(tests.column),
        tests.second,
        made=tests.made,
        parts=tests.parts,
        freedom=tests.freedom,
        errors=tests.error,
        empty=table.empty,
    )
    percentiles = np.array([row.kind == "percentile" for row in statistics.rows], dtype=bool)
    outcome.note[percentiles[:, None] & (outcome.note == ONE_CLUSTER)] = LUMPY
    left_out = ~tests.made.any(axis=1) if tests.made.shape[1] else np.zeros(len(table.rows), bool)
    both = "the column and its rest" if vs in ("rest", "total") else "both columns"
    note = describe_tests(
        settings,
        table,
        effects,
        subject=_SUBJECTS[vs],
        left_out=[table.rows.names[at] for at in np.flatnonzero(left_out)],
        dependence=f"respondents and clusters in {both} accounted for" if precision.own else "",
        within_groups=within,
        freedom=outcome.freedom,
        design=statistics.how if precision.own else unknown,
        linearised=precision.own,
    )
    others = table.columns
    if vs in ("rest", "total"):
        others = Axis((vs,), {"other": (vs,)}, np.ones(1, dtype=bool))
    return ComparisonData(
        table,
        _against_whole(outcome, statistics) if vs == "total" else outcome,
        settings,
        tests.column,
        tests.other,
        others,
        note,
        vs,
        groups=tuple(groups),
        unit=MEANS,
        decimals=tuple(row.decimals for row in statistics.rows),
    )


def settings_of(options: TestOptions, *, own: bool) -> Settings:
    """The options of shares as rows of statistics have them; own: errors are the design's."""
    kept: Any = {name: value for name, value in options.items() if name not in _OF_SHARES}
    if own:
        kept |= {"design": 1.0, "base": None, "pooled": False}
    if isinstance(kept.get("design"), str):
        kept["design"] = None
    if kept.get("pooled") is None:
        kept["pooled"] = False
    return Settings.of(kept)


def statistics_table(
    rows: Axis,
    columns: Axis,
    precision: StatisticPrecision,
    settings: Settings,
    provenance: Any,
) -> tuple[Proportions, Floats]:
    """The values as estimates, and their design effects, float64[rows, columns]."""
    statistics = precision.rows
    sample = statistics.values("answered_sample")
    cells = _estimates(*(statistics.values(name) for name in _ESTIMATED))
    table = Proportions(rows, columns, cells, "means", provenance, empty="no amounts")
    if precision.own:
        with np.errstate(divide="ignore", invalid="ignore"):
            # What makes the error of a mean of so many respondents the design's.
            error = statistics.values("standard_error")
            effects = sample * error**2 / statistics.values("standard_deviation") ** 2
        of_means = np.array([row.kind in COMPARED for row in statistics.rows], dtype=bool)
        effects = np.where(of_means[:, None], effects, 1.0)
    else:
        effects = table_effects(precision.effects, table)
    return replace(table, cells=with_bases(cells, settings.base, effects)), effects


_ESTIMATED = ("value", "answered_size", "answered_sample", "standard_deviation")


def _estimates(value: Floats, size: Floats, sample: Floats, deviation: Floats) -> Estimates:
    return Estimates(value, size, sample, np.zeros(size.shape), sample, deviation=deviation)


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
        one, other = first + 1, second + 1
        variance = covariance[down, one, one] + covariance[down, other, other]
        variance = variance - 2 * covariance[down, one, other]
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
    )


def _rests(
    table: Proportions,
    precision: StatisticPrecision,
    shares: ComparisonData,
    effects: Floats,
    settings: Settings,
) -> Tests:
    """Each column against the base less the column. A sum has no rest to be compared with."""
    statistics = precision.rows
    columns = shares.table.columns
    rest = statistics.rest
    if rest is None:
        rest = np.full((len(REST_FIGURES), *table.shape), np.nan)
    figures = dict(zip(REST_FIGURES, rest, strict=True))
    tested = [row.kind in _tested(precision) and row.kind != "sum" for row in statistics.rows]
    second = with_bases(_estimates(*(figures[name] for name in _ESTIMATED)), settings.base, effects)
    left_out = shares.settings.is_net(columns) | columns.totals
    return Tests(
        np.broadcast_to(np.arange(len(columns)), table.shape),
        np.zeros(table.shape, dtype=np.intp),
        second,
        figures["difference_error"] if precision.own else None,
        figures["degrees_of_freedom"] if precision.own else None,
        np.array(tested, dtype=bool)[:, None] & ~left_out,
    )


def _tested(precision: StatisticPrecision) -> tuple[str, ...]:
    """The kinds that are tested: by a design effect means alone have errors."""
    return TESTED if precision.own else COMPARED


def _against_whole(outcome: Outcome, statistics: StatisticRows) -> Outcome:
    """The same tests, stated against the whole base, whose value is between column and rest."""
    part, rest = outcome.first, outcome.second
    people = part.size + rest.size
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = rest.size / people
        between = np.sort([part.value, rest.value], axis=0)
        whole = np.clip(statistics.base("value")[:, None], *between)
        measured = np.where(
            outcome.difference == 0, kept, (part.value - whole) / outcome.difference
        )
        of_means = np.array([row.kind in COMPARED for row in statistics.rows], dtype=bool)
        kept = np.where(of_means[:, None], kept, measured)
    value = part.value - outcome.difference * kept
    second = _estimates(value, people, part.sample + rest.sample, part.value)
    return replace(
        outcome, second=second, difference=outcome.difference * kept, error=outcome.error * kept
    )


def _axis(statistics: StatisticRows) -> Axis:
    names = tuple(row.name for row in statistics.rows)
    ids = tuple(f"statistic-{at}" for at in range(1, len(names) + 1))
    groups = statistics.groups if any(statistics.groups) else ()
    return Axis(names, {"row_id": ids, "row": names}, np.zeros(len(names), dtype=bool), groups)
