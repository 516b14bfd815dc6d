"""The client for `await`: the blocking client's calls, each on a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, Self, Unpack

from audiencelab.client.audiences import AudienceLike, AxisLike
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.client import Client
from audiencelab.client.names import Names, read_once
from audiencelab.client.on_threads import OnThreads, Steps, Workers, awaited
from audiencelab.client.operations.audiences import Audiences
from audiencelab.client.operations.catalogue import Categories, Questions
from audiencelab.client.operations.charts import Charts
from audiencelab.client.operations.insights import Insights, InsightsArguments
from audiencelab.client.operations.names import crosstab_request, known_scope
from audiencelab.client.operations.profile import QuestionsLike
from audiencelab.client.operations.queries import (
    build_crosstab,
)
from audiencelab.client.operations.streaming import stream_crosstab
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.snapshots.recording import Recording
from audiencelab.client.streams import AsyncCrosstabStream
from audiencelab.client.transports.base import Transport
from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.schema import Insight
from audiencelab.schema.scope import BaseOf
from audiencelab.tables import CrosstabResult, ProfileResult

if TYPE_CHECKING:
    from audiencelab.service import Service

P = ParamSpec("P")


class AsyncQuestions(OnThreads[Questions]):
    """The question operations of a client, for `await`."""

    filter = awaited(Questions.filter)
    get = awaited(Questions.get)


class AsyncCategories(OnThreads[Categories]):
    """The category operations of a client, for `await`."""

    get = awaited(Categories.get)


class AsyncCharts(OnThreads[Charts]):
    """The chart operations of a client, for `await`."""

    create = awaited(Charts.create)
    update = awaited(Charts.update)
    calculate = awaited(Charts.calculate)


class AsyncAudiences(OnThreads[Audiences]):
    """The operations on saved audiences of a client, for `await`."""

    update = awaited(Audiences.update)


class AsyncInsights(OnThreads[Insights]):
    """The listing of insights of a client, for `await`."""

    filter = awaited(Insights.filter)

    @keywords(InsightsArguments)
    def all(self, *, page_size: int = 50, **given: Unpack[InsightsArguments]) -> Steps[Insight]:
        """Every insight, each once, requested a page at a time as the iterator advances.

        page_size: insights a page. Other arguments, and errors, as for `filter`.
        """
        return Steps(self.blocking.all(page_size=page_size, **given), self.workers)


def _another(
    method: Callable[Concatenate[Client, P], Client],
) -> Callable[Concatenate[AsyncClient, P], AsyncClient]:
    """A method that makes another client, of the same threads."""

    @wraps(method)
    def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> AsyncClient:
        return AsyncClient(method(self.blocking, *args, **options), self.workers)

    return call


def _awaited_another(
    method: Callable[Concatenate[Client, P], Client],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncClient]]:
    """The same of a method that may request names."""

    @wraps(method)
    async def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> AsyncClient:
        made = await self.workers.run(method, self.blocking, *args, **options)
        return AsyncClient(made, self.workers)

    return call


def _itself(
    method: Callable[Concatenate[Client, P], Client],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncClient]]:
    """A method that changes the client and returns it, as one to await."""

    @wraps(method)
    async def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> AsyncClient:
        await self.workers.run(method, self.blocking, *args, **options)
        return self

    return call


@hide_members("default_base_of", "default_waves", "transport")
class AsyncClient(OnThreads[Client]):
    """The operations of one service, for `await`. Made by `connect_async()`; `async with` it.

    It has the names, arguments and results of `Client`, whose calls run on worker threads of its
    own, 64 at the same time. `catalogue` is a method, and streams are for `async for`.
    """

    def __init__(self, client: Client, workers: Workers | None = None) -> None:
        context = client.sender.context
        super().__init__(client, workers or Workers(context))
        self._owner = workers is None
        # A look-up in the catalogue may not request anything while the event loop waits for it.
        context.ask_about = None
        self.questions = AsyncQuestions(client.questions, self.workers)
        self.categories = AsyncCategories(client.categories, self.workers)
        self.charts = AsyncCharts(client.charts, self.workers)
        self.audiences = AsyncAudiences(client.audiences, self.workers)
        self.insights = AsyncInsights(client.insights, self.workers)

    stats = frequencies = awaited(Client.stats)
    crosstab = awaited(Client.crosstab)
    waves = awaited(Client.waves)
    locations = awaited(Client.locations)
    respondents = awaited(Client.respondents)
    request = awaited(Client.request)
    size = count = awaited(Client.size)
    overlap = awaited(Client.overlap)
    turf = awaited(Client.turf)
    profile = awaited(Client.profile)
    tab_book = awaited(Client.tab_book)
    summary_table = awaited(Client.summary_table)
    trend = awaited(Client.trend)
    grid = awaited(Client.grid)
    correlation = awaited(Client.correlation)
    ratio = awaited(Client.ratio)
    describe = awaited(Client.describe)
    mean = awaited(Client.mean)
    median = awaited(Client.median)
    quantile = awaited(Client.quantile)
    total = awaited(Client.total)
    standard_deviation = awaited(Client.standard_deviation)
    nps = awaited(Client.nps)
    proportion = awaited(Client.proportion)
    quantile_groups = awaited(Client.quantile_groups)
    coverage = awaited(Client.coverage)
    design_effects = awaited(Client.design_effects)
    with_options = _another(Client.with_options)
    filter = _awaited_another(Client.filter)
    edit = _itself(Client.edit)
    recode = _itself(Client.recode)
    relabel = _itself(Client.relabel)

    @property
    def base_audience(self) -> Audience | None:
        """Whom every call of this client counts, as `filter` made it; None is everyone."""
        return self.blocking.base_audience

    async def catalogue(self) -> Catalogue:
        """Every question with its datapoints and its place in the tree, loaded once."""
        known = self.blocking.sender.context.catalogue
        return known or await self.workers.run(lambda: self.blocking.catalogue)

    @keywords(ScopeArguments)
    def crosstab_stream(
        self,
        rows: AxisLike | None = None,
        columns: AxisLike | None = None,
        **given: Unpack[ScopeArguments],
    ) -> AsyncCrosstabStream[CrosstabResult]:
        """The same crosstab as an iterator over updates, while `stream.result` fills.

        The request is sent with the first step. Questions are found by name when
        `await client.catalogue()` has loaded them. `stream.close()` stops it.
        """
        sender = self.blocking.sender
        sender.check_usable()
        rows, columns = read_once(rows), read_once(columns)
        scope, is_known = known_scope(sender, given)
        request = build_crosstab(rows, columns, scope, Names(sender.context.catalogue))
        stream = stream_crosstab(
            sender,
            lambda sender: crosstab_request(sender, rows, columns, given),
            request,
            is_known=is_known,
        )
        return AsyncCrosstabStream(stream, self.workers)

    @keywords(ScopeArguments)
    def profile_stream(
        self,
        audience: AudienceLike | str,
        questions: QuestionsLike = None,
        *,
        adjust: QuestionsLike = None,
        **given: Unpack[ScopeArguments],
    ) -> AsyncCrosstabStream[ProfileResult]:
        """The same profile as an iterator over updates, as `Client.profile_stream` makes it."""
        stream = self.blocking.profile_stream(audience, questions, adjust=adjust, **given)
        return AsyncCrosstabStream(stream, self.workers)

    def recording(self, path: str | Path) -> Recording:
        """Record requests and responses: `with client.recording("my.audiencelab.jsonl"):`.

        As `Client.recording`; not with `async with`, for writing the file is quick.
        """
        return self.blocking.recording(path)

    def to_code(self) -> str:
        """Python that connects to the same service, as `Client.to_code` returns it."""
        return self.blocking.to_code()

    @property
    def service(self) -> Service:
        """The embedded service itself; raises `LookupError` for a client of a remote service."""
        return self.blocking.service

    @property
    def transport(self) -> Transport:
        """What this client's requests go through; its `send` blocks, so call it on a thread."""
        return self.blocking.transport

    @property
    def default_waves(self) -> str | tuple[str, ...] | None:
        """The waves of calls that name none, as `Client.default_waves`."""
        return self.blocking.default_waves

    @property
    def default_base_of(self) -> BaseOf:
        """Who of the base counts in calls that do not say it: "everyone" or "valid".

        Of a survey elsewhere it is known once `await client.catalogue()` has loaded it.
        """
        sender = self.blocking.sender
        return sender.context.own_scope(sender.options).base_of

    @property
    def weights(self) -> tuple[str | None, ...]:
        """What `weight=` takes, this client's own first; None counts every respondent as one."""
        return self.blocking.weights

    async def close(self) -> None:
        """Close the connections; the client and its copies cannot be used afterwards."""
        if self._owner and not self.blocking.sender.context.closed:
            self.workers.stop()
            try:
                await self.workers.run(self.blocking.close)
            finally:
                self.workers.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __reduce__(self) -> NoReturn:
        self.blocking.__reduce__()
