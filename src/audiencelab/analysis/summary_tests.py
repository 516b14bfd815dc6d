"""Tests of the rows of a summary table between groups: of answers, and of means.

Answers of one question: Rao and Scott's test of independence (`analysis.independence`). Means of
k groups, v their covariances by the sample's design and C the differences from the
first: W = (Cm)ᵀ (C v Cᵀ)⁻¹ Cm. For two groups √W is the t of `analysis.compare_statistics`; for
more, (ν - k + 2) W ÷ (ν (k - 1)) is an F with k - 1 and ν - k + 2 degrees of freedom, ν those of
the design: the adjusted Wald test of Korn and Graubard (1990), as `test` of Stata after `svy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.independence import rao_scott
from audiencelab.errors import AudienceError
from audiencelab.results.asking import query_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import StatisticRows
from audiencelab.results.summary import SummaryTest
from audiencelab.schema.query import CrosstabQuery

Floats = NDArray[np.float64]

INDEPENDENCE, DIFFERENCE, EQUALITY = "Rao–Scott", "t", "Wald F"
"""The methods of the tests."""

_MOST_CELLS = 400
"""Cells that are tested together: of more, hardly any has respondents enough."""

PART = "groups without amounts, or within one cluster, are left out"

UNKNOWN = "the service does not know the respondents"


def answers_test(table: CrosstabData, rows: Sequence[int], columns: Sequence[int]) -> SummaryTest:
    """Whether some rows of a table, the answers of one question, are independent of columns.

    A single row is tested against everyone else who counts in it.
    """
    query, ask = query_of(table), table.ask
    if ask is None or not isinstance(query, CrosstabQuery):
        return SummaryTest(INDEPENDENCE, note=UNKNOWN)
    audiences = [query.rows[row] for row in rows]
    if len(audiences) == 1:
        [one] = audiences
        if one.expression is None:
            return SummaryTest(INDEPENDENCE, note="everyone is in the row")
        audiences.append(replace(one, id="others", expression=~one.expression))
    if len(audiences) * len(columns) > _MOST_CELLS:
        return SummaryTest(INDEPENDENCE, note=f"more than {_MOST_CELLS:,} cells")
    part = replace(
        query, rows=tuple(audiences), columns=tuple(query.columns[each] for each in columns)
    )
    try:
        found = rao_scott(ask.cells(part))
    except (AudienceError, np.linalg.LinAlgError) as error:
        return SummaryTest(INDEPENDENCE, note=str(error))
    return SummaryTest(
        INDEPENDENCE, found["F"], found["df1"], found["df2"], found["p"], found["note"]
    )


def amounts_test(statistics: StatisticRows, row: int, columns: Sequence[int]) -> SummaryTest:
    """Whether groups have the same mean, by the sample's design."""
    # Column 0 is everyone in the base.
    places = np.array(columns) + 1
    value, error = statistics.figures[:2, row, places]
    # A group within one cluster shows no variance.
    known = places[np.isfinite(value) & np.isfinite(error)]
    groups = len(known)
    method = DIFFERENCE if groups == 2 else EQUALITY
    note = "" if groups == len(places) else PART
    if groups < 2:
        return SummaryTest(method, note="fewer than two groups have amounts in several clusters")
    value = statistics.figures[0, row, known]
    covariance = statistics.covariance[row][np.ix_(known, known)]
    freedom = _freedom(statistics, row, known)
    step = value[1:] - value[0]
    # C v Cᵀ for the differences from the first group.
    spread = covariance[1:, 1:] - covariance[1:, :1] - covariance[:1, 1:] + covariance[0, 0]
    second = freedom - (groups - 2)
    rank = cast(int, np.linalg.matrix_rank(spread))
    if not second > 0 or rank < groups - 1:
        return SummaryTest(
            method, note="the amounts of the groups do not vary, or too few clusters"
        )
    wald = float((step * np.asarray(np.linalg.solve(spread, step), np.float64)).sum())
    # Imported here since scipy takes long to import.
    special: Any = import_module("scipy.special")
    if groups == 2:
        t = float(-step[0] / np.sqrt(spread[0, 0]))
        p = float(2 * special.stdtr(second, -abs(t)))
        return SummaryTest(method, t, second=second, p=p, note=note)
    first = groups - 1
    statistic = wald * second / (freedom * first)
    return SummaryTest(
        method, statistic, first, second, float(special.fdtrc(first, second, statistic)), note
    )


def _freedom(statistics: StatisticRows, row: int, known: NDArray[np.intp]) -> float:
    """Degrees of freedom of all groups together."""
    sample, freedom = statistics.figures[4, row], statistics.freedom[row]
    if sample[known].sum() == sample[0]:
        return float(freedom[0, 0])
    # Of every two groups at most, which is not more than all have together.
    return float(freedom[np.ix_(known, known)].max())
