"""t tests between columns in rows of statistics of a crosstab: means and net promoter scores.

By default standard errors and degrees of freedom are those of the sample's design, with everyone
who is in both columns accounted for: t = (a - b) ÷ √(Var a + Var b - 2 Cov), as `svycontrast` of R.
With a design effect that the caller gives, bases are divided by it, as for the means of `stats`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare_rows import compare_statistic_rows
from audiencelab.analysis.comparison import MEANS, ComparisonData
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.method_note import describe_tests
from audiencelab.analysis.options import Settings, TestOptions, table_effects
from audiencelab.analysis.precision import with_bases
from audiencelab.analysis.proportions import Axis, Estimates, Proportions
from audiencelab.analysis.run_tests import run_tests
from audiencelab.results.crosstab import CrosstabData, shown_rows
from audiencelab.results.statistic_rows import COMPARED, StatisticRows

Floats = NDArray[np.float64]


def with_statistics(
    made: ComparisonData, result: CrosstabData, options: TestOptions
) -> ComparisonData:
    """The comparison of every pair of columns, with the tests of the rows of statistics."""
    statistics = result.statistics
    if statistics is None:
        return made
    others = None
    if made.vs == "columns":
        others = _compare(made, statistics, options)
    elif made.vs == "rows":
        others = compare_statistic_rows(made, result, statistics, options)
    return replace(made, statistics=others, shown=tuple(shown_rows(result)))


def _compare(
    shares: ComparisonData, statistics: StatisticRows, options: TestOptions
) -> ComparisonData:
    names = tuple(row.name for row in statistics.rows)
    rows = Axis(
        names,
        {"row_id": tuple(f"statistic-{at}" for at in range(1, len(names) + 1)), "row": names},
        np.zeros(len(names), dtype=bool),
        statistics.groups if any(statistics.groups) else (),
    )
    deviation, sample, size = (
        statistics.values(figure)
        for figure in ("standard_deviation", "answered_sample", "answered_size")
    )
    given = options.get("design", "auto")
    own = isinstance(given, str | DesignEffects)
    settings = Settings.of(
        {
            **{name: value for name, value in options.items() if name not in _OF_SHARES},
            "design": 1.0 if own else given,
            "base": None if own else options.get("base"),
            "pooled": False if own or options.get("pooled") is None else options.get("pooled"),
        }  # pyright: ignore[reportArgumentType] -- the same options with some replaced
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        # What makes the error of a mean of so many respondents the design's.
        effects = statistics.values("standard_error") ** 2 * sample / deviation**2
    cells = Estimates(
        statistics.values("value"), size, sample, np.zeros(size.shape), sample, deviation=deviation
    )
    table = Proportions(rows, shares.table.columns, cells, "means", dict(shares.table.provenance))
    effects = (
        effects
        if own
        else table_effects(None if isinstance(given, str | DesignEffects) else given, table)
    )
    table = replace(table, cells=with_bases(cells, settings.base, effects), empty="no amounts")
    first, second = shares.column[:1], shares.other[:1]
    if not len(first):
        first = second = np.zeros((1, 0), dtype=np.intp)
    tests = (len(names), first.shape[1])
    first, second = (np.broadcast_to(each[0], tests) for each in (first, second))
    covariance, freedom = statistics.covariance, statistics.freedom
    down = np.arange(len(names))[:, None]
    one, other = first + 1, second + 1
    variance = (
        covariance[down, one, one]
        + covariance[down, other, other]
        - 2 * covariance[down, one, other]
    )
    compared = np.array([row.kind in COMPARED for row in statistics.rows])
    groups = np.array(shares.groups)
    within = len(set(shares.groups)) > 1
    outcome = run_tests(
        settings,
        table.cells.take(first),
        table.cells.take(second),
        made=np.broadcast_to(compared[:, None], tests),
        parts=groups[first[0]] if within and len(first) else None,
        freedom=freedom[down, one, other] if own else None,
        errors=np.sqrt(np.maximum(variance, 0.0)) if own else None,
        empty=table.empty,
    )
    note = describe_tests(
        settings,
        table,
        effects,
        subject="every pair of columns",
        left_out=[row.name for row in statistics.rows if row.kind not in COMPARED],
        dependence="respondents and clusters in both columns accounted for" if own else "",
        within_groups=within,
        freedom=outcome.freedom,
        design=statistics.how,
        linearised=own,
    )
    return ComparisonData(
        table,
        outcome,
        settings,
        first,
        second,
        table.columns,
        note,
        groups=shares.groups,
        unit=MEANS,
        decimals=tuple(row.decimals for row in statistics.rows),
    )


_OF_SHARES = ("overlap", "within_groups", "zero_or_full", "nets")
"""Options that rows of statistics do not have."""
