"""How sure the averages of a stats result or a grid are, as its service answers.

The averages of a column are a row of statistics of a crosstab, whose columns are the segments and
audiences of the result: the same errors, degrees of freedom and covariances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.disjointness import ComparedColumn
from audiencelab.analysis.measured import UNKNOWN
from audiencelab.expressions import And, Audience, Expression, Leaf
from audiencelab.results.asking import Unanswered
from audiencelab.results.grid import ITEM
from audiencelab.results.statistic_rows import Statistic, StatisticRows
from audiencelab.results.stats import StatsData
from audiencelab.schema.query import CrosstabQuery, StatsQuery

Floats = NDArray[np.float64]
Key = tuple[str | None, str | None]

_ROUNDING = 1e-6
"""Averages and parts of sizes that are nearer to each other than this are equal."""


class AveragedAmounts(NamedTuple):
    """What averages are of: numbers or midpoints by code, and whether numbers as answered."""

    by_code: Mapping[str, float]
    exact: bool


class AveragePrecision(NamedTuple):
    """Means, then medians, of a result's columns; None, and why, where they are not known.

    places: the row of the mean, and the column after the base, of each of the result's columns.
    """

    rows: StatisticRows | None = None
    places: Mapping[Key, tuple[int, int]] = {}
    unknown: str = ""

    def of(self, lines: Sequence[Sequence[Key | None]], *, medians: bool = False) -> StatisticRows:
        """The columns of each line as a row; each of one row of the answer, None for no column."""
        assert self.rows is not None
        known = [[(-1, -1) if key is None else self.places[key] for key in line] for line in lines]
        places = np.array(known, np.intp).reshape(len(lines), -1, 2)
        # (-1, -1) for no column is below every row. Column 0 of the answer is the base.
        down, across = places.max(axis=1)[:, 0], np.insert(places[..., 1], 0, 0, axis=1)
        # The answer lists the means of all items, then their medians.
        down = down + medians * (len(self.rows.rows) // 2)
        missing, row = across < 0, down[:, None]
        pairs = down[:, None, None], across[:, :, None], across[:, None, :]
        apart = missing[:, :, None] | missing[:, None, :]
        taken = self.rows.take(down.tolist())
        return replace(
            taken,
            columns=(),
            figures=np.where(missing, np.nan, self.rows.figures[:, row, across]),
            covariance=np.where(apart, np.nan, self.rows.covariance[pairs]),
            freedom=np.where(apart, np.nan, self.rows.freedom[pairs]),
            ends=np.where(missing, np.nan, self.rows.ends[:, row, across]),
            rest=None,
        )


def precision_of_averages(
    result: StatsData,
    amounts: AveragedAmounts,
    columns: Sequence[ComparedColumn],
    known: Sequence[tuple[float, ...]],
    level: float = 0.95,
) -> AveragePrecision:
    """Of the means and medians of a result's columns.

    known: mean, answered size and sample of each column, which the answer has to agree with:
    averages of answers that overlap, where a respondent counts twice, have no precision.
    level: of the intervals of medians.
    """
    query = result.asked
    if result.ask is None or not isinstance(query, StatsQuery):
        return AveragePrecision(unknown=UNKNOWN)
    of_items = result.splitter == ITEM
    # A row of statistics has neither another splitter nor suffixes.
    if not of_items and (result.splitter != query.splitter or query.suffixes):
        return AveragePrecision(unknown=UNKNOWN)
    items = list(dict.fromkeys(each.segment if of_items else None for each in columns))
    keys = [(None if of_items else each.segment, each.audience) for each in columns]
    # Items of a grid share the columns of audiences, so each column is asked for once.
    parts = list(dict.fromkeys(keys))
    kinds = ("mean", "percentile")
    rows = [_row(query.question, kind, amounts, item) for kind in kinds for item in items]
    banner = [
        # A segment within an audience has no id of its own, and a query's ids must differ.
        Audience(f"Column {number}", _expression(result, *part), f"column-{number}")
        for number, part in enumerate(parts, 1)
    ]
    # The base of the result: rebasing changes it, but not the query.
    scope = replace(query.scope, base=result.base_audience)
    if not of_items:
        # The waves that rows rest on, where the service lists them.
        scope = replace(scope, waves=result.waves or scope.waves)
    try:
        answer = result.ask.amounts(
            CrosstabQuery(columns=tuple(banner), scope=scope), rows, level=level
        )
    except Unanswered as error:
        return AveragePrecision(unknown=f"{UNKNOWN}: {error}".rstrip("."))
    ids, nowhere = [each.id or "" for each in banner], [None for _ in rows]
    found = StatisticRows.of(ids, rows, nowhere, [() for _ in rows], answer)
    places = {
        (column.segment, column.audience): (
            items.index(column.segment if of_items else None),
            1 + parts.index(key),
        )
        for column, key in zip(columns, keys, strict=True)
    }
    at = np.array(list(places.values()), np.intp).T
    # Value, answered size and answered sample, by their positions in `STATISTIC_FIGURES`.
    answered = found.figures[[[0], [3], [4]], *at].T
    figures = np.array(known, np.float64).reshape(answered.shape)
    apart = np.abs(answered - figures) > _ROUNDING * np.abs(figures)
    return AveragePrecision(unknown=UNKNOWN) if apart.any() else AveragePrecision(found, places)


def _row(question: str, kind: str, amounts: AveragedAmounts, item: str | None) -> Statistic:
    listed = tuple(amounts.by_code.items())
    return Statistic(kind, question, kind, item=item or "", amounts=listed, exact=amounts.exact)


def _expression(result: StatsData, segment: str | None, audience: str | None) -> Expression | None:
    own = next((each.expression for each in result.audiences if each.id == audience), None)
    if segment is None or result.splitter is None:
        return own
    part = Leaf(result.splitter, (segment,))
    return part if own is None else And((part, own))
