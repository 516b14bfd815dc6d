"""How a result asks its service how sure it is: the queries of the local operations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any, Literal, Protocol, Self

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, Leaf, all_of
from audiencelab.results.statistic_rows import USUAL_LEVEL, Statistic
from audiencelab.schema.local import Adjusted, CellShares, Precision, QuestionNumbers, RowPairs
from audiencelab.schema.queries import StatisticFigures
from audiencelab.schema.query import CrosstabQuery, Query, StatsQuery

Lonely = Literal["adjust", "certainty", "fail"]

_MOST_ROWS = 2_000
"""Rows that one query may have, which is the limit of a service."""

ORDINARY_CELLS = 20_000
"""Cells of a table up to which its precision is asked for before it is pickled or recorded."""


class Unanswered(AudienceError, LookupError):
    """A local operation has no answer; the message says why.

    A snapshot holds the answers that were asked for while it was recorded, and a pickled result
    those that it had.

    is_unrecorded: whether a recording could have held it.
    """

    is_unrecorded = False


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

    def row_pairs(self, query: CrosstabQuery, lonely: Lonely = "adjust") -> RowPairs:
        """Every two rows in each column; raises `ValueError` for a large table."""
        ...

    def statistic_pairs(
        self, query: CrosstabQuery, rows: Sequence[Statistic], lonely: Lonely = "adjust"
    ) -> RowPairs:
        """The same of means and scores, by the columns of a query."""
        ...

    def amounts(
        self,
        query: CrosstabQuery,
        rows: Sequence[Statistic],
        *,
        level: float = USUAL_LEVEL,
        lonely: Lonely = "adjust",
        replicates: bool = True,
    ) -> Sequence[StatisticFigures]:
        """Rows of statistics by the columns of a query, within its scope.

        level: of the intervals of percentiles. lonely, replicates: as of `precision`.
        """
        ...

    def cells(self, query: CrosstabQuery, lonely: Lonely = "adjust") -> CellShares | None:
        """Cells whose rows, and whose columns, share no respondents; None where some are withheld.

        Raises `ValueError` for others, and for a large table.
        """
        ...

    def adjusted(self, query: CrosstabQuery, questions: Sequence[str]) -> Adjusted:
        """Column shares as if columns had the composition of the base by crossed questions.

        questions: codes of questions of one answer. Raises `ValueError` for others.
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


def turned_query(query: Query) -> CrosstabQuery:
    """The query whose column percentages are the row percentages of another.

    Of a statistics query: a row for each segment and audience, a column for each datapoint.
    """
    if isinstance(query, CrosstabQuery):
        return replace(query, rows=query.columns, columns=query.rows)
    # One group of everyone where there is neither splitter nor audience.
    groups = product(query.segments or (None,), query.audiences or (Audience("All"),))
    rows = [
        _within(audience, Leaf(query.splitter or "", (segment,)) if segment else None)
        for segment, audience in groups
    ]
    columns = [
        Audience(code, Leaf(query.question, (code,), query.suffixes or ()))
        for code in query.datapoints or ()
    ]
    return CrosstabQuery(_numbered(rows), _numbered(columns), query.scope)


def base_query(query: Query) -> CrosstabQuery | None:
    """The query of one column, the base, with all rows, columns and cells of a table as rows.

    Their column percentages are the table's percentages of the base. None of a large table, and of
    a statistics query, which has no such percentages.
    """
    if not isinstance(query, CrosstabQuery):
        return None
    rows, columns = len(query.rows), len(query.columns)
    if rows + columns + rows * columns > _MOST_ROWS:
        return None
    cells = [_within(row, column.expression) for row in query.rows for column in query.columns]
    return replace(query, rows=_numbered([*query.rows, *query.columns, *cells]), columns=())


def _within(audience: Audience, other: Expression | None) -> Audience:
    both = audience.expression, other
    # Once each: a row and a column may be the same condition.
    parts = dict.fromkeys(each for each in both if each is not None)
    return replace(audience, expression=all_of(*parts) if parts else None)


def _numbered(audiences: Sequence[Audience]) -> tuple[Audience, ...]:
    # Rows, columns and cells become rows of one query, in which ids must differ.
    return tuple(replace(each, id=str(place)) for place, each in enumerate(audiences))


def keep_answers(result: Any) -> None:
    """Ask for what tests, intervals and averages of a result need, so that it is kept with it.

    Nothing is asked for a table of more than `ORDINARY_CELLS` cells, and no failure is raised.
    """
    ask: Ask | None = result.ask
    query = query_of(result)
    cells = result.expected if isinstance(query, CrosstabQuery) else len(result)
    if ask is None or query is None or cells > ORDINARY_CELLS:
        return
    # A service that does not answer must not keep a result from being pickled.
    with suppress(AudienceError, RuntimeError):
        if ask.precision(query).linearised is not None:
            others = turned_query(query), base_query(query)
            for other in filter(None, others):
                ask.precision(other)
        if isinstance(result.asked, StatsQuery):
            ask.numbers(result.asked)
