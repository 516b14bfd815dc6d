"""The client for `await`: the same calls as `client.Client`, performed by the other driver.

It belongs to the event loop that first uses it, as its connections do. In a notebook, whose loop
runs already, `await client.stats(…)` works in a cell; elsewhere it is made inside `asyncio.run`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar

from msgspec import UNSET, UnsetType

from audiencelab.client.async_analyses import AsyncAnalyses
from audiencelab.client.async_endpoints import (
    AsyncAudiences,
    AsyncCategories,
    AsyncCharts,
    AsyncInsights,
    AsyncQuestions,
)
from audiencelab.client.awaiting import Loader, twin_of
from audiencelab.client.calls import asking, queries
from audiencelab.client.calls.queries import Location, Wave
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.client import Client
from audiencelab.client.doors import AsyncDoor
from audiencelab.client.flow import Flow
from audiencelab.client.flow.async_driver import AsyncDriver, AsyncRun
from audiencelab.client.following import AsyncCrosstabStream
from audiencelab.client.listing import Listing
from audiencelab.client.operations import queries as plans
from audiencelab.client.operations.audiences import AudienceLike
from audiencelab.client.operations.fields import by_name
from audiencelab.client.operations.raw import written_out
from audiencelab.client.operations.sides import Side
from audiencelab.client.options import Options, change_options
from audiencelab.client.progress import Progress, reporting
from audiencelab.client.raw import RawAnswer
from audiencelab.client.session import Session
from audiencelab.client.snapshots import AsyncRecordingDoor, Recording
from audiencelab.tables import (
    CrosstabResult,
    StatsResult,
)

__all__ = ["AsyncClient"]

T = TypeVar("T")


class AsyncClient(AsyncAnalyses):
    """The operations of one service, for `await`. Made by `connect_async()`; `async with` it.

    The same names, arguments and results as `Client`'s. `crosstab_stream` gives updates to
    `async for`, and `catalogue` is a method here, since it may have to wait. Used on another event
    loop than its first, or outside of any, a call raises `RuntimeError` at once.
    """

    _catalogue_as_code = "(await client.catalogue())"

    def __init__(
        self, door: AsyncDoor, session: Session, options: Options, *, owner: bool = True
    ) -> None:
        super().__init__(session, options, owner=owner)
        self._door = door if isinstance(door, AsyncRecordingDoor) else AsyncRecordingDoor(door)
        self._driver = AsyncDriver(self._door)
        self._loading = asyncio.Lock()
        self.questions = AsyncQuestions(self._run, session, options)
        self.categories = AsyncCategories(self._run, session, options)
        self.charts = AsyncCharts(self._run, session, options)
        self.audiences = AsyncAudiences(self._run, session, options)
        self.insights = AsyncInsights(self._run, self._start, session, options)

    @property
    def catalogue(self) -> Loader[Catalogue]:
        """`await client.catalogue()`: every question with its datapoints and its place in the tree.

        Loaded when first asked for.
        """
        return Loader(self._load_catalogue, "client.catalogue")

    @property
    def door(self) -> AsyncDoor:
        """What this client's requests go through, which knows the address and adds the credential.

        For a program that passes on requests of others as they are and reads answers while they
        come; it checks nothing and tries nothing twice. `request()` is for everybody else. Raises
        `RuntimeError` once the client is closed.
        """
        self._check_usable()
        return self._door

    @by_name("question, datapoints=[…], audiences=[…]")
    @twin_of(Client.stats)
    async def stats(
        self,
        question: str,
        *,
        datapoints: Iterable[str] | None = None,
        suffixes: Iterable[str | int] | None = None,
        splitter: str | None = None,
        segments: Iterable[str] | None = None,
        segmented_base: bool | None = None,
        audiences: Iterable[AudienceLike] | None = None,
        locations: Iterable[str] | None = None,
        waves: Iterable[str] | None = None,
        base_audience: AudienceLike | None = None,
    ) -> StatsResult:
        plan = plans.stats(
            question,
            datapoints=datapoints,
            suffixes=suffixes,
            splitter=splitter,
            segments=segments,
            segmented_base=segmented_base,
            audiences=audiences,
            locations=locations,
            waves=waves,
            base_audience=base_audience,
        )
        return await self._run(queries.stats(self._session, self._options, plan))

    @by_name("rows=[…], columns=[…]")
    @twin_of(Client.crosstab)
    async def crosstab(
        self,
        *,
        rows: Side | None = None,
        columns: Side | None = None,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
        progress: Progress = None,
    ) -> CrosstabResult:
        async with self.crosstab_stream(
            rows=rows,
            columns=columns,
            base_audience=base_audience,
            waves=waves,
            locations=locations,
        ) as stream:
            with reporting(progress, stream.result.expected) as report:
                async for update in stream:
                    report(update)
            return stream.result

    @by_name("rows=[…], columns=[…]")
    @twin_of(Client.crosstab_stream)
    def crosstab_stream(
        self,
        *,
        rows: Side | None = None,
        columns: Side | None = None,
        base_audience: AudienceLike | None = None,
        waves: Iterable[str] | None = None,
        locations: Iterable[str] | None = None,
    ) -> AsyncCrosstabStream[CrosstabResult]:
        plan = plans.crosstab(
            rows=rows,
            columns=columns,
            base_audience=base_audience,
            waves=waves,
            locations=locations,
        )
        table = queries.crosstab_table(self._session, plan)
        run = self._start(queries.crosstab(self._session, self._options, plan, table))
        return AsyncCrosstabStream(run, table)

    @twin_of(Client.waves)
    async def waves(self) -> Listing[Wave]:
        return await self._run(queries.waves(self._session, self._options))

    @twin_of(Client.locations)
    async def locations(self) -> Listing[Location]:
        return await self._run(queries.locations(self._session, self._options))

    @twin_of(Client.request)
    async def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, json: Any = None
    ) -> RawAnswer:
        request = written_out(method, path, query, json)
        return await self._run(asking.ask_raw(self._session, self._options, request))

    @twin_of(Client.with_options)
    def with_options(
        self,
        *,
        timeout: float | UnsetType | None = UNSET,
        deadline: float | UnsetType | None = UNSET,
        retries: int | UnsetType = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        max_body: int | UnsetType = UNSET,
    ) -> Self:
        options = change_options(
            self._options,
            timeout=timeout,
            deadline=deadline,
            retries=retries,
            headers=headers,
            max_body=max_body,
        )
        return type(self)(self._door, self._session, options, owner=False)

    @twin_of(Client.recording)
    def recording(self, path: str | Path) -> Recording:
        return Recording(path, self._door, self._session)

    @twin_of(Client.close)
    async def close(self) -> None:
        if self._owner and not self._session.closed:
            self._session.closed = True
            await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __enter__(self) -> NoReturn:
        raise TypeError("An AsyncClient is entered with `async with client:`.")

    def __exit__(self, *_: object) -> None:
        """Python looks for it before it calls `__enter__`."""

    async def _load_catalogue(self) -> Catalogue:
        async with self._loading:
            return await self._run(asking.load_catalogue(self._session, self._options))

    async def _run(self, flow: Flow[T]) -> T:
        self._check_usable()
        return await self._driver.run(flow)

    def _start(self, flow: Flow[T]) -> AsyncRun[T]:
        self._check_usable()
        return self._driver.start(flow)

    def _check_usable(self) -> None:
        """Connections of one event loop hang, or worse, when they are used on another."""
        super()._check_usable()
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is None:
            raise RuntimeError(
                "No event loop is running here. Use an AsyncClient in a function that "
                "asyncio.run() runs, or in a notebook's cell; or use connect(), whose client needs "
                "no loop."
            )
        if self._session.loop is None:
            self._session.loop = running
        elif self._session.loop is not running:
            raise RuntimeError(
                "This AsyncClient belongs to another event loop. Call connect_async() inside the "
                "function that asyncio.run() runs, once for each run; or use connect(), whose "
                "client works on every thread and needs no loop."
            )
