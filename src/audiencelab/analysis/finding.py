"""The findings of a table, the best first: what differs significantly, on bases that are not low.

Columns of one wave are compared with the wave before, the latest alone; others with the rest of
their base. All tests of a table are one family, so that chance makes few findings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audiencelab.analysis.compare import rest_plan
from audiencelab.analysis.compare_statistics import statistics_plan
from audiencelab.analysis.compare_waves import one_waves, wave_columns_plan
from audiencelab.analysis.comparison import ComparisonData, comparison_of
from audiencelab.analysis.highlights import by_definition
from audiencelab.analysis.options import TestOptions
from audiencelab.analysis.plan import PERCENTAGES
from audiencelab.results.arrangement import LOW_BASE
from audiencelab.results.coverage import questions_of
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone

LEVEL = 0.95

_OPTIONS: TestOptions = {
    "levels": LEVEL,
    "correction": "benjamini-hochberg",
    "family": "table",
    "min_base": LOW_BASE,
}

_ALMOST = 0.05
"""A percentage that rounds to 0, or to 100 from above."""

METHOD = f"Headline: significant at {LEVEL:.0%}, corrected for all tests of the table"


@dataclass(frozen=True, slots=True)
class TableFinding:
    """A value that differs significantly from another.

    is_statistic, row: which row of shares, or of statistics. column: of the result. value, other:
    percentages, or values of the statistic. before: the column of the wave before, of which the
    other value is; None where it is that of everyone else.
    """

    is_statistic: bool
    row: int
    column: int
    value: float
    other: float
    before: int | None


def findings(result: CrosstabData) -> list[TableFinding]:
    """The findings of a table; none where it has nothing to compare.

    Ranked by the difference in standard errors, of shares before those of statistics.
    """
    if len(result.columns) < 2 or not result.complete:
        return []
    by_waves = any(one_waves(result))
    if by_waves:
        plan = wave_columns_plan(result, _OPTIONS)
    else:
        plan = rest_plan(result, "rest", by_definition(result), _OPTIONS, cautious=True)
    latest = _latest(result) if by_waves else None
    found = [] if of_statistics_alone(result) else _ranked(comparison_of(plan), latest)
    if result.statistics is not None:
        others = _ranked(comparison_of(statistics_plan(plan, result, _OPTIONS)), latest)
        found += [each for each in others if not _is_of_column(result, each)]
    return found


def _is_of_column(result: CrosstabData, found: TableFinding) -> bool:
    """Whether a statistic is of the question that its column is an answer to."""
    rows = result.statistics
    question = "" if rows is None else rows.rows[found.row].question.rpartition(".")[2]
    asked = questions_of(result.columns[found.column])
    return question in [code.rpartition(".")[2] for code in asked]


def _ranked(made: ComparisonData, latest: set[int] | None) -> list[TableFinding]:
    """The significant tests of shares, or of statistics. latest: the columns that may be found."""
    outcome = made.outcome
    rows, tests = np.nonzero(outcome.listed & (outcome.level > 0))
    found: list[tuple[float, TableFinding]] = []
    is_share = made.unit is PERCENTAGES
    shares, sample = made.unit.factor * outcome.first.value, outcome.first.sample
    none_or_all = (shares <= _ALMOST) | (shares >= 100 - _ALMOST)
    # A row that has none or all of one group, such as bands of age by age, is defined by it.
    by_group = (none_or_all & (sample >= LOW_BASE)).any(axis=1) & is_share & (latest is None)
    defined: set[int] = set(np.flatnonzero(by_group).tolist())
    for row, test in zip(rows.tolist(), tests.tolist(), strict=True):
        column, other = int(made.column[row, test]), int(made.other[row, test])
        if min(outcome.first.sample[row, test], outcome.second.sample[row, test]) < LOW_BASE:
            continue
        if row in defined or (latest is not None and column not in latest):
            continue
        value, compared = (
            made.unit.factor * float(each.value[row, test])
            for each in (outcome.first, outcome.second)
        )
        if not all(_ALMOST < each < 100 - _ALMOST for each in (value, compared)) and is_share:
            # None or all of a column are in a row that it is defined by.
            continue
        strength = abs(float(outcome.z[row, test]))
        finding = TableFinding(
            not is_share,
            *(row, column, value, compared, None if latest is None else other),
        )
        found.append((-strength, finding))
    return [finding for _, finding in sorted(found, key=lambda each: each[0])]


def _latest(result: CrosstabData) -> set[int]:
    """The columns of the latest wave, of each group."""
    latest: dict[frozenset[object], int] = {}
    for at, wave in enumerate(one_waves(result)):
        if wave is not None:
            latest[frozenset(wave.within)] = at
    return {*latest.values()}
