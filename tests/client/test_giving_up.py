"""A call that is given up ends on its worker thread, wherever it waits, and its connection with it.

The services here never answer and no timeout is set: a thread that is not woken waits for ever.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from audiencelab.client import AsyncClient, AsyncCrosstabStream, Client, CrosstabStream
from audiencelab.client.context import ClientContext
from audiencelab.client.credentials import Secret
from audiencelab.client.options import ClientOptions
from audiencelab.client.sending import Sender
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.client.transports.embedded import EmbeddedTransport
from audiencelab.schema.http import Request, Response
from audiencelab.tables import CrosstabResult
from tests.client.fault_server import Line, Script, answer, head, serving
from tests.client.faulty_calls import CALL, GOOD, HANGS, LINES, PATIENT, saying, serving_all, silent
from tests.client.over_http import sender
from tests.client.scripted import asking
from tests.client.stream.small_table import COLUMNS, ROWS

ENDLESS = ClientOptions(timeout=None, deadline=None)


class Endless:
    """A service in this process whose table is never complete."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.closed = threading.Event()

    def handle(self, _: Request) -> Response:
        return Response(200, {}, self._steps())

    def close(self) -> None: ...

    def _steps(self) -> Iterator[bytes]:
        try:
            while True:
                self.begun.set()
                yield b" "
                threading.Event().wait(0.01)
        finally:
            self.closed.set()


Place = tuple[Sender, Callable[[], object], Callable[[], bool]]
"""What sends; what waits until it has; what waits until the service has nothing left of it."""


@contextmanager
def in_process() -> Generator[Place]:
    service: Any = Endless()
    transport = EmbeddedTransport(service, Secret("token"))
    by = Sender(transport, ClientContext("here"), ENDLESS)
    yield by, lambda: service.begun.wait(HANGS), lambda: service.closed.wait(HANGS)


@contextmanager
def over_http(script: Script, *, used: bool = False) -> Generator[Place]:
    def answering_first(line: Line) -> None:
        if used:
            line.request()
            line.send(GOOD)
        script(line)

    with serving(answering_first, serving_all) as server:
        by = sender(server.url, ENDLESS)
        if used:
            by.fetch(CALL)
        yield by, lambda: server.asked(1 + used), server.all_closed
        assert server.connections == 1
        if not by.context.closed:
            assert by.with_options(PATIENT).fetch(CALL)[0] == {"a": 1}
        by.transport.close()


def dripping(line: Line) -> None:
    line.request()
    line.send(head() + LINES[0])
    line.drip(b" " * 100_000, 0.02)


PLACES: dict[str, Callable[[], AbstractContextManager[Place]]] = {
    "before the head": lambda: over_http(silent),
    "before the head, on a connection used before": lambda: over_http(silent, used=True),
    "in a slow body": lambda: over_http(dripping),
    "between attempts": lambda: over_http(saying(answer(b"", 503, retry_after=100))),
    "in process": in_process,
}

Table = CrosstabStream[CrosstabResult]


def table(by: Sender, ended: threading.Event) -> Table:
    """A table that is never complete. ended: set when no thread works on it any more."""
    result = CrosstabResult(ROWS, COLUMNS)

    def updates() -> Generator[CrosstabUpdate]:
        try:
            yield from by.crosstab(asking, result)
        finally:
            ended.set()

    return CrosstabStream(result, updates())


At = Callable[[], Awaitable[object]]


async def cancelled(client: AsyncClient, asked: Table, waits: At) -> None:
    task = asyncio.create_task(client.workers.run(list, asked))
    await waits()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def timed_out(client: AsyncClient, asked: Table, waits: At) -> None:
    async def run_out(limit: asyncio.Timeout) -> None:
        await waits()
        limit.reschedule(asyncio.get_running_loop().time())

    async def limited() -> None:
        async with asyncio.timeout(None) as limit, asyncio.TaskGroup() as tasks:
            tasks.create_task(run_out(limit))
            await client.workers.run(list, asked)

    with pytest.raises(TimeoutError):
        await limited()


async def stream_closed(client: AsyncClient, asked: Table, waits: At) -> None:
    async def listen() -> int:
        return len([update async for update in stream])

    stream = AsyncCrosstabStream(asked, client.workers)
    task = asyncio.create_task(listen())
    await waits()
    await stream.close()
    assert await task == stream.result.count


async def client_closed(client: AsyncClient, asked: Table, waits: At) -> None:
    task = asyncio.create_task(client.workers.run(list, asked))
    await waits()
    await client.close()
    with pytest.raises(RuntimeError, match="closed"):
        await task


@pytest.mark.parametrize("way", [cancelled, timed_out, stream_closed, client_closed])
@pytest.mark.parametrize("place", PLACES)
def test_the_thread_and_the_connection_of_a_call_that_is_given_up_are_free(
    place: str, way: Callable[[AsyncClient, Table, At], Awaitable[None]]
) -> None:
    ended = threading.Event()

    async def give_up(by: Sender, sent: Callable[[], object]) -> None:
        async def waits() -> None:
            await asyncio.to_thread(sent)
            # Let it come to where it waits.
            await asyncio.sleep(0.02)

        client = AsyncClient(Client(by.transport, by.context, by.options))
        await way(client, table(by, ended), waits)

    with PLACES[place]() as (by, sent, free):
        asyncio.run(give_up(by, sent))
        assert ended.wait(HANGS)
        assert free()


WAITING = """
import asyncio, sys, threading
from audiencelab.client.on_threads import Workers
from tests.client.faulty_calls import CALL
from tests.client.over_http import sender
from tests.client.test_giving_up import ENDLESS

by = sender(sys.argv[1], ENDLESS)
loop = asyncio.new_event_loop()
call = loop.create_task(Workers(by.context).run(by.fetch, CALL))
loop.run_until_complete(asyncio.sleep(0.3))
print([each.name for each in threading.enumerate() if each.name == "audiencelab-async"])
"""


def test_a_program_may_end_while_a_call_waits() -> None:
    with serving(silent) as server:
        done = subprocess.run(
            [sys.executable, "-c", WAITING, server.url],
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGS,
        )
        assert done.stdout == "['audiencelab-async']\n", done.stderr
        assert done.returncode == 0
        assert server.all_closed()
