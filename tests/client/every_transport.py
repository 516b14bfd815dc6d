"""Every transport to one survey, each as a client that is used like the blocking one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import audiencelab
from audiencelab.client import AsyncClient, AsyncCrosstabStream, Client, connect, connect_async
from audiencelab.client.on_threads import OnThreads
from audiencelab.survey import Survey

__all__ = ["TRANSPORTS", "Blocking", "through"]

TRANSPORTS = ("in process", "in process, async", "HTTP", "snapshot")
"""The asynchronous client runs the blocking one on threads, whatever that one sends through."""

TOKEN = "conformance-5b1d"

Case = Callable[[Any], Any]


class Blocking:
    """An asynchronous client, or a part of it, with every `await` done."""

    def __init__(self, inner: Any, runner: asyncio.Runner) -> None:
        self._inner = inner
        self._runner = runner

    @property
    def catalogue(self) -> Any:
        return self._runner.run(self._inner.catalogue())

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if isinstance(value, OnThreads):
            return Blocking(value, self._runner)
        return self._blocking(value) if callable(value) else value

    def __iter__(self) -> Iterator[Any]:
        while True:
            try:
                yield self._runner.run(anext(self._inner))
            except StopAsyncIteration:
                return

    def _blocking(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            answer = self._runner.run(_called(method, args, kwargs))
            apart = isinstance(answer, (AsyncClient, AsyncCrosstabStream, AsyncIterator))
            return Blocking(answer, self._runner) if apart else answer

        return call


async def _called(method: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """On the loop, for some methods begin their work when called and not when awaited."""
    answer = method(*args, **kwargs)
    return await answer if inspect.isawaitable(answer) else answer


@contextmanager
def through(transport: str, survey: Survey, case: Case, folder: Path) -> Iterator[Any]:
    """A client of a service of its own over the survey, by the name of the transport.

    case: what will be asked, which a snapshot has to have heard before.
    """
    with ExitStack() as stack:
        if transport.startswith("snapshot"):
            place: dict[str, Any] = {"snapshot": _record(survey, case, folder)}
        elif transport.startswith("HTTP"):
            url = stack.enter_context(audiencelab.serve(survey, token=TOKEN))
            place = {"base_url": url, "token": TOKEN}
        else:
            place = {"survey": survey}
        if not transport.endswith("async"):
            yield stack.enter_context(connect(**place))
            return
        runner = stack.enter_context(asyncio.Runner())
        client: AsyncClient = connect_async(**place)
        try:
            yield Blocking(client, runner)
        finally:
            runner.run(client.close())


def _record(survey: Survey, case: Case, folder: Path) -> Path:
    path = folder / "case.audiencelab.jsonl"
    client: Client
    with connect(survey=survey) as client, client.recording(path):
        case(client)
    return path
