"""How a result asks its service how sure it is: the queries of the local operations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, Protocol, Self

from audiencelab.errors import AudienceError
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.local import CellShares, Precision, QuestionNumbers, RowPairs
from audiencelab.schema.queries import StatisticFigures
from audiencelab.schema.query import CrosstabQuery, Query, StatsQuery

Lonely = Literal["adjust", "certainty", "fail"]

ORDINARY_CELLS = 20_000
"""Cells of a table up to which its precision is asked for before it is pickled or recorded."""


class Unanswered(AudienceError, LookupError):
    """A local operation has no answer; the message says why.

    A snapshot holds the answers that were asked for while it was recorded, and a pickled result
    those that it had.
    """


class Ask(Protocol):
    """Sends local operations to the service, in the version of the survey that a result is of.

    Answers are kept for all results of one call. Raises `Unanswered`, and what requests raise.
    """

    def precision(
        self,
        query: Query,
        *,
        effects: bool = True,
        lonely: Lonely = "adjust",
        replicates: bool = True,
    ) -> Precision:
        """Of the shares of a query; see `Precision`.

        effects: False for Kish's design effects alone. Raises `ValueError` with lonely="fail" where
        there are strata of one cluster.
        """
        ...

    def row_pairs(self, query: CrosstabQuery) -> RowPairs:
        """Every two rows in each column; raises `ValueError` for a large table."""
        ...

    def statistic_pairs(self, query: CrosstabQuery, rows: Sequence[Statistic]) -> RowPairs:
        """The same of means and scores, by the columns of a query."""
        ...

    def amounts(
        self,
        query: CrosstabQuery,
        rows: Sequence[Statistic],
        *,
        level: float = 0.95,
        lonely: Lonely = "adjust",
        replicates: bool = True,
    ) -> Sequence[StatisticFigures]:
        """Rows of statistics by the columns of a query, within its scope.

        level: of the intervals of percentiles. lonely, replicates: as of `precision`.
        """
        ...

    def cells(self, query: CrosstabQuery) -> CellShares | None:
        """Cells whose rows, and whose columns, share no respondents; None where some are withheld.

        Raises `ValueError` for others, and for a large table.
        """
        ...

    def numbers(self, query: StatsQuery) -> QuestionNumbers | None:
        """The numbers behind the bins of a question; None where they are not known."""
        ...

    def apart(self) -> Self:
        """The same, which keeps its answers for itself: for the many parts of a large table."""
        ...


def query_of(result: Any) -> Query | None:
    """The query of a crosstab or a stats result: its own rows and columns, in the scope asked for.

    None of a result whose values are not those of one query.
    """
    query: Query | None = result.asked
    if query is None:
        return None
    scope = replace(query.scope, base=result.base_audience)
    if isinstance(query, CrosstabQuery):
        return replace(query, rows=result.rows, columns=result.columns, scope=scope)
    # A grid has the points of its scale as segments, and no query has these.
    if result.splitter != query.splitter or not result.rows:
        return None
    return replace(
        query,
        datapoints=result.datapoints,
        segments=result.segments or None,
        audiences=result.audiences,
        scope=replace(scope, waves=result.waves or scope.waves),
    )


def keep_answers(result: Any) -> None:
    """Ask for what tests, intervals and averages of a result need, so that it is kept with it.

    Nothing is asked for a table of more than `ORDINARY_CELLS` cells, and no failure is raised.
    """
    ask: Ask | None = result.ask
    query = query_of(result)
    cells = result.expected if isinstance(query, CrosstabQuery) else len(result)
    if ask is None or query is None or cells > ORDINARY_CELLS:
        return
    with suppress(AudienceError, RuntimeError):
        ask.precision(query)
        if isinstance(result.asked, StatsQuery):
            ask.numbers(result.asked)
