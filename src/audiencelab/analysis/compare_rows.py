"""Rows compared with each other within each column, whose respondents are the same.

Of a part `both` of the column that is in both rows, only the others say whether p and q differ:

    Var(p - q) = (p + q - 2 both - (p - q)²) ÷ n

and, where p and q are one share, (p + q - 2 both) ÷ n: McNemar's test. By the sample's design the
first is linearised, as `svycontrast` of R has it, and the second is larger in the same proportion.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compared import (
    Remainder,
    Scope,
    check_number,
    comparison_of,
    names_of,
    of_any_test,
    pairs_of,
)
from audiencelab.analysis.comparison import MEANS, ComparisonData
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.disjointness import separate
from audiencelab.analysis.measured import asking
from audiencelab.analysis.method_note import describe_tests
from audiencelab.analysis.options import Settings, TestOptions
from audiencelab.analysis.prepare import full_rows, prepared
from audiencelab.analysis.proportions import Axis, Estimates, Proportions
from audiencelab.analysis.run_tests import ONE_CLUSTER, run_tests
from audiencelab.flags import flag
from audiencelab.results.asking import Unanswered, query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import COMPARED, StatisticRows
from audiencelab.schema.local import RowPairs
from audiencelab.schema.query import CrosstabQuery

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

UNKNOWN = "some respondents may be in both rows"

_NONE = 1e-12
"""A variance of less than this is rounding."""


def compare_rows(
    result: CrosstabData, options: TestOptions, but: Remainder | None = None
) -> ComparisonData:
    """Every two rows in each column; see `CrosstabResult.test`.

    The table of the comparison is turned: its rows are the columns of the result.
    """
    if options.get("overlap") is not None:
        raise ValueError("overlap= is an option of vs='columns', not of vs='rows'.")
    if isinstance(options.get("design"), DesignEffects):
        raise ValueError(
            "These design effects are those of single percentages. Leave out design= to take the "
            "sample's own, or give one number."
        )
    within = flag("within_groups", options.get("within_groups", True))
    ready = prepared(result, of_any_test(options))
    if not np.allclose(ready.effects, ready.effects[:1]) and ready.computed is None:
        raise ValueError("Rows are compared with one design effect, or one for each column.")
    table = ready.table.turned()
    axis = table.columns
    left_out = ready.settings.is_net(axis) | axis.totals | full_rows(ready.table)
    within = within and bool(axis.groups)
    groups = axis.group_numbers if within else np.zeros(len(axis), np.intp)
    compared = np.flatnonzero(~left_out)
    if len(compared) >= 2:
        first, second = pairs_of(compared, groups, "row")
    elif result.statistics is not None:
        first = second = np.zeros(0, np.intp)
    else:
        raise ValueError("There are no two rows to compare. Totals and nets are left out.")
    tests = (len(table.rows), len(first))
    check_number(*tests, "column", "row")
    one, other = table.cells.take(first), table.cells.take(second)
    linearised = ready.automatic and ready.computed is not None
    pairs = _row_pairs(result)
    both = (
        _both_if_separate(result, first, second)
        if pairs is None or pairs.both is None
        else pairs.both[:, first, second]
    )
    errors = _errors(one, other, both, pooled=ready.settings.pooled)
    found = _Errors(errors, np.where(np.isnan(both), UNKNOWN, "").astype(object), None)
    if pairs is not None and ready.automatic:
        places = first, second
        if linearised:
            simple = _errors(one, other, both, pooled=False)
            found = _designed(found, pairs, places, simple)
        if result.who.valid:
            found = _of_other_bases(found, pairs, places, both)
    same = one.scope == other.scope
    caveats = np.where(same, found.caveats, table.apart)
    made = np.ones(tests, dtype=bool)
    if but is not None:
        made &= ~(but.cells.T[:, first] | but.cells.T[:, second])
    outcome = run_tests(
        ready.settings,
        one,
        other,
        made=made,
        parts=groups[first] if within else None,
        errors=np.where(same | found.apart, found.errors, np.nan),
        freedom=found.freedom,
        empty=table.empty,
        caveats=caveats,
    )
    nobody = np.zeros(len(table.rows), dtype=bool)
    dependence = ("respondents in both rows accounted for", "" if but is None else but.words)
    made_of = comparison_of(
        ready._replace(table=table, effects=ready.effects.T),
        outcome,
        Scope(nobody, left_out, nobody),
        (np.broadcast_to(first, tests), np.broadcast_to(second, tests)),
        axis,
        vs="rows",
        subject="every pair of rows",
        dependence=", ".join(filter(None, dependence)),
        within_groups=within,
        linearised=linearised,
    )
    return replace(made_of, groups=tuple(groups.tolist()))


class _Errors(NamedTuple):
    """Standard errors of differences of two rows, float64[columns, pairs], and their caveats.

    freedom: degrees of freedom, where they are the design's. apart: pairs that count different
    respondents, whose error is known nevertheless.
    """

    errors: Floats
    caveats: NDArray[np.object_]
    freedom: Floats | None
    apart: NDArray[np.bool_] | bool = False


def _designed(
    found: _Errors, pairs: RowPairs, places: tuple[Positions, Positions], simple: Floats
) -> _Errors:
    """The errors by the sample's design; simple: those of a simple random sample, unpooled."""
    first, second = places
    variance = pairs.variance[:, first, second]
    varies = simple > _NONE
    designed = np.sqrt(variance) * np.where(varies, found.errors / simple, 1.0)
    return _Errors(
        np.where(varies | np.isnan(variance), designed, found.errors),
        np.where(np.isnan(variance), ONE_CLUSTER, found.caveats),
        None if pairs.freedom is None else pairs.freedom[:, first, second],
    )


def _of_other_bases(
    found: _Errors, pairs: RowPairs, places: tuple[Positions, Positions], both: Floats
) -> _Errors:
    """The linearised errors of rows that count different respondents, which have no part of both.

    As `svycontrast` of R has them.
    """
    first, second = places
    variance = pairs.variance[:, first, second]
    apart = np.isnan(both) & ~np.isnan(variance)
    return _Errors(
        np.where(apart, np.sqrt(variance), found.errors),
        np.where(apart, "", found.caveats),
        found.freedom,
        apart,
    )


def _row_pairs(result: CrosstabData) -> RowPairs | None:
    """How the rows vary together; None where the respondents are not known."""
    query = query_of(result)
    if result.ask is None or not isinstance(query, CrosstabQuery):
        return None
    try:
        return result.ask.row_pairs(query)
    except Unanswered:
        return None


def _errors(one: Estimates, other: Estimates, both: Floats, *, pooled: bool) -> Floats:
    """Of the differences in a simple random sample of as many as the bases are worth."""
    with np.errstate(divide="ignore", invalid="ignore"):
        only = np.maximum(one.value + other.value - 2 * both, 0.0)
        apart = np.maximum(only - (one.value - other.value) ** 2, 0.0)
        spread = only if pooled else np.where(apart > _NONE, apart, only)
        return np.sqrt(spread / np.fmin(one.base, other.base))


def _both_if_separate(result: CrosstabData, first: Positions, second: Positions) -> Floats:
    """0 for answers of which no respondent gives two, by their questions; elsewhere NaN."""
    rows = [row.expression for row in result.rows]
    both = np.full((len(result.columns), len(first)), np.nan)
    pairs: list[list[int]] = np.stack([first, second], axis=1).tolist()
    for place, (at, to) in enumerate(pairs):
        one, other = rows[at], rows[to]
        if one is not None and other is not None and separate(one, other, result.kinds):
            both[:, place] = 0.0
    if len(first) and np.isnan(both).all():
        raise LookupError(
            "Some respondents may be in two of these rows, and how many is not in the table. Where "
            "the survey is in this process, al.open(folder), rows are compared by respondents."
        )
    return both


def compare_statistic_rows(
    shares: ComparisonData, result: CrosstabData, statistics: StatisticRows, options: TestOptions
) -> ComparisonData:
    """Means of items of one question, or their scores, in each column: a paired t test."""
    if not isinstance(options.get("design", "auto"), str):
        raise ValueError(
            "Means of the same respondents are compared by the sample's own design: leave out "
            "design=."
        )
    ask, query = asking(result, "A comparison of means of the same respondents")
    pairs = ask.statistic_pairs(query, statistics.rows)
    names = tuple(row.name for row in statistics.rows)
    axis = Axis(
        names,
        {"row_id": tuple(f"statistic-{at}" for at in range(1, len(names) + 1)), "row": names},
        np.zeros(len(names), dtype=bool),
        statistics.groups if any(statistics.groups) else (),
    )
    kept: Any = {name: given for name, given in options.items() if name in _OF_MEANS}
    kept |= {"design": None, "pooled": False}
    settings = Settings.of(kept)
    value, deviation, sample, size = (
        statistics.values(figure).T
        for figure in ("value", "standard_deviation", "answered_sample", "answered_size")
    )
    scope = np.zeros(value.shape)
    cells = Estimates(value, size, sample, scope, sample, deviation=deviation)
    table = Proportions(
        shares.table.rows, axis, cells, "means", dict(shares.table.provenance), empty="no amounts"
    )
    kinds = [(row.kind, row.question) for row in statistics.rows]
    known = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    groups = np.array([known[kind] for kind in kinds], dtype=np.intp)
    left_out = np.array([row.kind not in COMPARED for row in statistics.rows])
    first, second = np.triu_indices(len(names), k=1)
    kept = (groups[first] == groups[second]) & ~left_out[first]
    first, second = first[kept], second[kept]
    tests = (len(table.rows), len(first))
    outcome = run_tests(
        settings,
        cells.take(first),
        cells.take(second),
        made=np.ones(tests, dtype=bool),
        parts=groups[first],
        freedom=None if pairs.freedom is None else pairs.freedom[:, first, second],
        errors=np.sqrt(pairs.variance[:, first, second]),
        empty=table.empty,
    )
    note = describe_tests(
        settings,
        table,
        np.ones(table.shape),
        subject="every pair of rows of one question",
        left_out=names_of(axis, left_out),
        dependence="respondents in both rows accounted for",
        freedom=outcome.freedom,
        design=pairs.how,
        linearised=True,
        line="column",
    )
    return ComparisonData(
        table,
        outcome,
        settings,
        np.broadcast_to(first, tests),
        np.broadcast_to(second, tests),
        axis,
        note,
        vs="rows",
        groups=tuple(groups.tolist()),
        unit=MEANS,
        decimals=tuple(row.decimals for row in statistics.rows),
    )


_OF_MEANS = ("levels", "correction", "family", "degrees_of_freedom", "min_base")
"""The options that tests of means by the design have."""
