"""The operations in groups, for `await`; what they take and give stands in `endpoints`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Protocol, TypeVar, Unpack

from audiencelab.client import endpoints
from audiencelab.client.awaiting import Steps, twin_of
from audiencelab.client.calls import catalogue, charts, insights, saved
from audiencelab.client.face import Group
from audiencelab.client.flow import Flow
from audiencelab.client.flow.async_driver import AsyncRun
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.client.operations.charts import ChartChanges, ChartFields, plan_chart
from audiencelab.client.operations.fields import spelled_out
from audiencelab.client.operations.insights import plan_insights
from audiencelab.client.operations.saved import SavedAudience, SavedAudienceChanges
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.schema import Category, Chart, ChartCreated, Insight, Question, QuestionKey
from audiencelab.tables import ChartCalculationResult, InsightsPage

__all__ = [
    "AsyncAudiences",
    "AsyncCategories",
    "AsyncCharts",
    "AsyncEndpoint",
    "AsyncInsights",
    "AsyncQuestions",
    "AsyncRunner",
]

T = TypeVar("T")


class AsyncRunner(Protocol):
    """Runs a flow to its result: the client's own way."""

    def __call__(self, flow: Flow[T]) -> Awaitable[T]: ...


class AsyncEndpoint(Group):
    """A group of operations of one client, to be awaited."""

    _manner = ", to be awaited"

    def __init__(self, run: AsyncRunner, session: Session, options: Options) -> None:
        self._run = run
        self._session = session
        self._options = options


class AsyncQuestions(AsyncEndpoint):
    """The question operations of a client."""

    @twin_of(endpoints.Questions.filter)
    async def filter(
        self,
        questions: Iterable[str | QuestionKey] | None = None,
        *,
        include: Mapping[str, bool] | Iterable[str] | None = None,
    ) -> QuestionsAnswer:
        return await self._run(
            catalogue.filter_questions(self._session, self._options, questions, include)
        )

    @twin_of(endpoints.Questions.get)
    async def get(self, code: str, *, include: Iterable[str] = ()) -> Question:
        return await self._run(catalogue.get_question(self._session, self._options, code, include))


class AsyncCategories(AsyncEndpoint):
    """The category operations of a client."""

    @twin_of(endpoints.Categories.get)
    async def get(self, category_id: str, *, include: Iterable[str] = ()) -> Category:
        return await self._run(
            catalogue.get_category(self._session, self._options, category_id, include)
        )


class AsyncCharts(AsyncEndpoint):
    """The chart operations of a client."""

    @twin_of(endpoints.Charts.create)
    @spelled_out(ChartFields)
    async def create(self, name: str | Chart, **fields: Unpack[ChartFields]) -> ChartCreated:
        plan = plan_chart("charts.create", name, fields, ChartFields, self._session.book.canonical)
        return await self._run(charts.create(self._session, self._options, plan))

    @twin_of(endpoints.Charts.update)
    @spelled_out(ChartChanges)
    async def update(self, chart_id: str, **fields: Unpack[ChartChanges]) -> str:
        plan = plan_chart("charts.update", None, fields, ChartChanges, self._session.book.canonical)
        return await self._run(charts.update(self._session, self._options, chart_id, plan))

    @twin_of(endpoints.Charts.calculate)
    async def calculate(self, chart_id: str) -> ChartCalculationResult:
        return await self._run(charts.calculate(self._session, self._options, chart_id))


class AsyncAudiences(AsyncEndpoint):
    """The saved-audience operation of a client."""

    @twin_of(endpoints.Audiences.update)
    @spelled_out(SavedAudienceChanges)
    async def update(
        self, audience_id: str, **changes: Unpack[SavedAudienceChanges]
    ) -> SavedAudience:
        return await self._run(saved.update(self._session, self._options, audience_id, changes))


class AsyncInsights(AsyncEndpoint):
    """The listing of insights of a client."""

    def __init__(
        self,
        run: AsyncRunner,
        start: Callable[[Flow[None]], AsyncRun[None]],
        session: Session,
        options: Options,
    ) -> None:
        super().__init__(run, session, options)
        self._start = start

    @twin_of(endpoints.Insights.filter)
    async def filter(
        self,
        *,
        categories: Iterable[int | str] | None = None,
        types: Iterable[str] | None = None,
        is_trending: bool | None = None,
        limit: int = 10,
        offset: int = 0,
        order: str | None = None,
        order_by: str | None = None,
        total: int | None = None,
    ) -> InsightsPage:
        query = plan_insights(
            categories=categories,
            types=types,
            is_trending=is_trending,
            limit=limit,
            offset=offset,
            order=order,
            order_by=order_by,
            total=total,
        )
        return await self._run(insights.filter_insights(self._session, self._options, query))

    @twin_of(endpoints.Insights.all)
    def all(
        self,
        *,
        categories: Iterable[int | str] | None = None,
        types: Iterable[str] | None = None,
        is_trending: bool | None = None,
        order: str | None = None,
        order_by: str | None = None,
        page_size: int = 50,
    ) -> AsyncIterator[Insight]:
        query = plan_insights(
            categories=categories,
            types=types,
            is_trending=is_trending,
            limit=page_size,
            order=order,
            order_by=order_by,
        )
        run = self._start(insights.every_insight(self._session, self._options, query))
        return Steps(aiter(run), "client.insights.all(…)")
