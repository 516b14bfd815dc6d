"""The operations in groups, under the names that a client gives them (`client.questions.get`).

What they do stands in `calls`; here they have their arguments and their documentation.
`async_endpoints` is the same for `await`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar, Unpack

from audiencelab.client.calls import catalogue, charts, insights, saved
from audiencelab.client.face import Group
from audiencelab.client.flow import Flow
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.client.operations.charts import ChartChanges, ChartFields, plan_chart
from audiencelab.client.operations.fields import spelled_out
from audiencelab.client.operations.insights import plan_insights
from audiencelab.client.operations.saved import SavedAudience, SavedAudienceChanges
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.schema import Category, Chart, ChartCreated, Insight, Question, QuestionKey
from audiencelab.tables import ChartCalculationResult, InsightsPage

__all__ = ["Audiences", "Categories", "Charts", "Endpoint", "Insights", "Questions", "Runner"]

T = TypeVar("T")


class Runner(Protocol):
    """Runs a flow to its result: the client's own way."""

    def __call__(self, flow: Flow[T]) -> T: ...


class Endpoint(Group):
    """A group of operations of one client."""

    def __init__(self, run: Runner, session: Session, options: Options) -> None:
        self._run = run
        self._session = session
        self._options = options


class Questions(Endpoint):
    """The question operations of a client."""

    def filter(
        self,
        questions: Iterable[str | QuestionKey] | None = None,
        *,
        include: Mapping[str, bool] | Iterable[str] | None = None,
    ) -> QuestionsAnswer:
        """Questions by code, or all accessible ones (POST /v3/questions/filter).

        include: any of "datapoints", "categories" and "taxonomy_paths", as a list or as
            `{"datapoints": True, …}`.

        Raises `UnknownCodeError` if the service leaves some of `questions` out of its answer.
        """
        return self._run(
            catalogue.filter_questions(self._session, self._options, questions, include)
        )

    def get(self, code: str, *, include: Iterable[str] = ()) -> Question:
        """One question (GET /v2/questions/{question_code}).

        include: any of "categories" and "datapoints". Raises `NotFound`.
        """
        return self._run(catalogue.get_question(self._session, self._options, code, include))


class Categories(Endpoint):
    """The category operations of a client."""

    def get(self, category_id: str, *, include: Iterable[str] = ()) -> Category:
        """One category (GET /v2/categories/{category_id}).

        include: any of "children", "lineage", "attribute_count", "datasets" and
        "descendant_attributes". Raises `NotFound`.
        """
        return self._run(catalogue.get_category(self._session, self._options, category_id, include))


class Charts(Endpoint):
    """The chart operations of a client."""

    @spelled_out(ChartFields)
    def create(self, name: str | Chart, **fields: Unpack[ChartFields]) -> ChartCreated:
        """Save a chart (POST /v1/charts).

        name: how it is called; or a whole `wire.Chart`, of which everything is sent but what the
            service sets itself (its id, its owner, its times).
        attributes: what it shows: `catalogue["Gender"]["Female"]`, a whole question of the
            catalogue, `("q20", "q20_1")`, or with a suffix `("q20", "q20_1", "1")`.
        audiences, base_audience: audiences or expressions; a `wire.ChartAudience` has a colour too.
        waves, locations, splitter, segments, segmented_base: as in `stats`.
        metrics, dataset_codes, dataset_names, color, folder_id, group_type, view_type, sort_type,
            sort_parameter_type, sort_parameter_value: kept as given.

        The answer holds the chart's `id`, and which audience ids the service replaced. A chart is
        never made twice: a request that may have arrived is not sent again. Raises `TypeError`
        for what cannot be part of a chart, `InvalidRequest` with every fault, and the other
        errors of `ClientError`.
        """
        plan = plan_chart("charts.create", name, fields, ChartFields, self._session.book.canonical)
        return self._run(charts.create(self._session, self._options, plan))

    @spelled_out(ChartChanges)
    def update(self, chart_id: str, **fields: Unpack[ChartChanges]) -> str:
        """Assign fields of a chart (PUT /v1/charts/{id}); answers its id.

        chart: a whole `wire.Chart`, of which the fields that hold something are assigned.
        Other arguments as for `create`. What is not given stays as it is; None clears a field.

        Raises `ValueError` if nothing is given, `NotFound`, and the errors of `create`.
        """
        plan = plan_chart("charts.update", None, fields, ChartChanges, self._session.book.canonical)
        return self._run(charts.update(self._session, self._options, chart_id, plan))

    def calculate(self, chart_id: str) -> ChartCalculationResult:
        """The figures of a chart (POST /v1/charts/{id}/calculate).

        The result holds one group for each attribute; `failures` are those without figures, and
        `to_frame()` has them all. Sizes are weighted people, percentages run from 0 to 100. Raises
        `NotFound`, and the other errors of `ClientError`.
        """
        return self._run(charts.calculate(self._session, self._options, chart_id))


class Audiences(Endpoint):
    """The saved-audience operation of a client."""

    @spelled_out(SavedAudienceChanges)
    def update(self, audience_id: str, **changes: Unpack[SavedAudienceChanges]) -> SavedAudience:
        """Assign fields of a saved audience (PATCH /v2/saved/audiences/{id}).

        name: how it is called. expression: who belongs to it, an audience or an expression.
        flags: any of "authored", "curated", "isP2". datasets: dataset codes.
        folder_id: a folder's UUID; the nil UUID takes it out of its folder. folder: the old
            integer id of a folder, instead. position: where it is sorted, a number.
        shared: whether others see it.

        What is not given stays as it is. The answer is the audience as it is now, which queries
        and charts take as it stands. Raises `ValueError` if nothing is given,
        `InvalidRequest` with every fault, `NotFound`, and the other errors of `ClientError`.
        """
        return self._run(saved.update(self._session, self._options, audience_id, changes))


class Insights(Endpoint):
    """The listing of insights of a client."""

    def __init__(
        self,
        run: Runner,
        start: Callable[[Flow[None]], Iterable[Any]],
        session: Session,
        options: Options,
    ) -> None:
        super().__init__(run, session, options)
        self._start = start

    def filter(
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
        """One page of insights (POST /v3/insights/filter).

        categories: category ids. types: any of "report", "infographic", "powerpoint", "chart".
        is_trending: only those that are, or are not. limit: insights a page. offset: where it
            starts, from 0.
        order: "asc" or "desc". order_by: "name", "published_at", "created_at", "updated_at",
            "trending", "popularity" or "id".
        total: sent as it is; the interface does not say what a service makes of it.

        Raises `InvalidRequest` with every fault, and the other errors of `ClientError`.
        """
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
        return self._run(insights.filter_insights(self._session, self._options, query))

    def all(
        self,
        *,
        categories: Iterable[int | str] | None = None,
        types: Iterable[str] | None = None,
        is_trending: bool | None = None,
        order: str | None = None,
        order_by: str | None = None,
        page_size: int = 50,
    ) -> Iterator[Insight]:
        """Every insight, each once, asked for a page at a time as the iterator moves on.

        page_size: insights a page. Other arguments, and errors, as for `filter`.
        """
        query = plan_insights(
            categories=categories,
            types=types,
            is_trending=is_trending,
            limit=page_size,
            order=order,
            order_by=order_by,
        )
        return iter(self._start(insights.every_insight(self._session, self._options, query)))
