"""Rows compared with each other within each column, whose respondents are the same.

Of a part `both` of the column that is in both rows, only the others say whether p and q differ:

    Var(p - q) = (p + q - 2 both - (p - q)²) ÷ n

and, where p and q are one share, (p + q - 2 both) ÷ n: McNemar's test. By the sample's design the
first is linearised, as `svycontrast` of R has it, and the second is larger in the same proportion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.disjointness import separate
from audiencelab.analysis.options import TestOptions
from audiencelab.analysis.plan import (
    ONE_CLUSTER,
    Errors,
    Exclusions,
    Pairs,
    TestPlan,
    UntestedCells,
    check_number,
    families,
    full_rows,
    pairs_of,
)
from audiencelab.analysis.prepare import TestInputs, prepared
from audiencelab.analysis.proportions import CellEstimates
from audiencelab.results.asking import Lonely, Unanswered, query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.schema.local import RowPairs
from audiencelab.schema.query import CrosstabQuery

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

UNKNOWN = "some respondents may be in both rows"

_NONE = 1e-12
"""A variance of less than this is rounding."""


def rows_plan(
    result: CrosstabData, options: TestOptions, but: UntestedCells | None = None
) -> TestPlan:
    """Every two rows in each column; see `CrosstabResult.test`.

    The table of the plan is turned: its rows are the columns of the result.
    """
    given = options.get("design")
    lonely: Lonely = "adjust"
    if isinstance(given, DesignEffects):
        # Design effects of single percentages do not know how two rows vary together.
        options, lonely = {**options, "design": "auto"}, given.lonely
    ready = prepared(result, options)
    if isinstance(given, DesignEffects) and not _is_usual(given, ready):
        raise ValueError(
            "These design effects are those of single percentages. Leave out design= to take the "
            "sample's own, or give one number. Of computed ones rows take lonely= alone."
        )
    if not np.allclose(ready.effects, ready.effects[:1]) and ready.computed is None:
        raise ValueError("Rows are compared with one design effect, or one for each column.")
    left_out = full_rows(ready.table)
    # Tests compare columns within rows, so the table is turned rather than the tests.
    ready = ready._replace(table=ready.table.turned(), effects=ready.effects.T)
    table, axis = ready.table, ready.table.columns
    left_out |= ready.settings.is_net(axis) | axis.totals
    groups, within = families(axis, options)
    compared = np.flatnonzero(~left_out)
    if len(compared) >= 2:
        first, second = pairs_of(compared, groups, "row")
    elif result.statistics is not None:
        first = second = np.zeros(0, np.intp)
    else:
        raise ValueError("There are no two rows to compare. Totals and nets are left out.")
    tests = (len(table.rows), len(first))
    check_number(*tests, "column", "row")
    pairs = Pairs(
        table.cells.take(first),
        table.cells.take(second),
        np.broadcast_to(first, tests),
        np.broadcast_to(second, tests),
        axis,
    )
    found = _found(ready, result, pairs, (first, second), lonely)
    same = pairs.first.scope == pairs.second.scope
    nobody, made = np.zeros(len(table.rows), dtype=bool), np.ones(table.shape, dtype=bool)
    # The table is turned, while the cells to leave out are as in the result.
    made = made if but is None else ~but.cells.T
    caveats = np.where(same, found.caveats, table.apart)
    return TestPlan(
        ready,
        "rows",
        pairs,
        Errors(
            # Rows on different bases have an error only where it is linearised.
            np.where(same | found.apart, found.errors, np.nan),
            found.freedom,
            known="respondents",
            of_bases=found.freedom is None,
            unsure=np.where(caveats == "", ONE_CLUSTER, caveats),
        ),
        Exclusions(nobody, left_out, nobody, made, "" if but is None else but.words),
        made=made[:, first] & made[:, second],
        parts=groups[first] if within else None,
        within_groups=within,
        groups=tuple(groups.tolist()),
        caveats=caveats,
        empty=table.empty,
    )


def _is_usual(given: DesignEffects, ready: TestInputs) -> bool:
    """Whether design effects are those that a table has by itself, but for lonely strata."""
    return ready.computed is not None and ready.computed.method == given.method


def _found(
    ready: TestInputs,
    result: CrosstabData,
    compared: Pairs,
    places: tuple[Positions, Positions],
    lonely: Lonely,
) -> _Errors:
    one, other = compared.first, compared.second
    pairs = _row_pairs(result, lonely)
    both = (
        _both_if_separate(result, *places)
        if pairs is None or pairs.both is None
        else pairs.both[:, places[0], places[1]]
    )
    errors = _errors(one, other, both, pooled=ready.settings.pooled)
    found = _Errors(errors, np.where(np.isnan(both), UNKNOWN, "").astype(object), None)
    # Otherwise the caller chose the bases, and these make the errors.
    if pairs is not None and ready.automatic:
        if ready.linearised is not None:
            simple = _errors(one, other, both, pooled=False)
            found = _designed(found, pairs, places, simple)
        if result.who.valid:
            found = _of_other_bases(found, pairs, places, both)
    return found


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
    # Under one share the error grows by the same factor as in a simple random sample.
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(varies, found.errors / simple, 1.0)
    designed = np.sqrt(variance) * factor
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


def _row_pairs(result: CrosstabData, lonely: Lonely) -> RowPairs | None:
    """How the rows vary together; None where the respondents are not known."""
    query = query_of(result)
    if result.ask is None or not isinstance(query, CrosstabQuery):
        return None
    try:
        return result.ask.row_pairs(query, lonely)
    except Unanswered:
        return None


def _errors(one: CellEstimates, other: CellEstimates, both: Floats, *, pooled: bool) -> Floats:
    """Of the differences in a simple random sample of as many as the bases are worth."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # The part in one of the rows alone; rounding may make it slightly negative.
        only = np.maximum(one.value + other.value - 2 * both, 0.0)
        apart = np.maximum(only - (one.value - other.value) ** 2, 0.0)
        # 100% against 0% varies nowhere, so that its error is the pooled one, as for columns.
        spread = only if pooled else np.where(apart > _NONE, apart, only)
        # Where bases differ, the smaller one gives the larger error.
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
