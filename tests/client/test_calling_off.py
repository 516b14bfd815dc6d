"""Calls that are called off, by another thread, another task or the stop button: nothing is left.

On real sockets: the connection is free at once, and the next call goes as any other.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
from typing import Any, NoReturn, cast

import pytest

from audiencelab.client.doors import AsyncDoor
from audiencelab.client.doors.web import AsyncWebDoor, WebDoor
from audiencelab.client.errors import InvalidResponse
from audiencelab.client.flow import crosstab, fetch
from audiencelab.client.flow.async_driver import AsyncDriver
from audiencelab.client.flow.driver import Driver
from audiencelab.client.messages import Head, Patience, Request
from audiencelab.client.options import Options
from audiencelab.client.web.http import AsyncHttpClient, HttpClient
from audiencelab.tables import CrosstabResult
from tests.client.fault_server import FaultServer, Line, Script, answer, head, serving
from tests.client.faulty_calls import (
    CALL,
    HANGS,
    LINES,
    PATIENT,
    STALL,
    asking,
    saying,
    serving_all,
    silent,
    then,
)
from tests.client.stream.small_table import COLUMNS, ROWS
from tests.waiting import wait_until


@pytest.mark.parametrize(
    "script", [silent, then(head() + LINES[0], STALL)], ids=["before the head", "in the body"]
)
def test_a_run_closed_from_another_thread_frees_its_connection(script: Script) -> None:
    options = Options(timeout=None, deadline=None)
    with serving(script, serving_all) as server:
        door = WebDoor(HttpClient(base_url=server.url))
        run = Driver(door).start(crosstab(asking, CrosstabResult(ROWS, COLUMNS), options))
        thread = threading.Thread(target=lambda: list(run), daemon=True)
        thread.start()
        assert server.asked(1)
        run.close()
        thread.join(HANGS)
        assert not thread.is_alive()
        assert server.all_closed()
        assert len(server.requests) == 1
        assert Driver(door).run(fetch(CALL, PATIENT)) == {"a": 1}
        door.close()


def test_a_run_closed_while_it_waits_for_its_next_attempt_ends() -> None:
    with serving(saying(answer(b"", 503, retry_after=100))) as server:
        door = WebDoor(HttpClient(base_url=server.url))
        run = Driver(door).start(fetch(CALL, Options(deadline=None)))
        thread = threading.Thread(target=lambda: list(run), daemon=True)
        thread.start()
        assert server.all_closed()
        assert server.asked(1)
        run.close()
        thread.join(HANGS)
        assert not thread.is_alive()
        assert len(server.requests) == 1
        door.close()


def test_a_cancelled_task_frees_its_connection() -> None:
    async def cancelled(server: FaultServer) -> Any:
        driver = AsyncDriver(AsyncWebDoor(AsyncHttpClient(base_url=server.url)))
        task = asyncio.create_task(driver.run(fetch(CALL, Options())))
        await asyncio.to_thread(server.asked, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.all_closed)
        after = await driver.run(fetch(CALL, PATIENT))
        await driver.close()
        return after

    with serving(silent, serving_all) as server:
        assert asyncio.run(cancelled(server)) == {"a": 1}


@pytest.mark.parametrize(
    "script",
    [silent, then(head() + LINES[0], STALL), saying(answer(b"", 503, retry_after=100))],
    ids=["before the head", "in the body", "between attempts"],
)
def test_a_run_closed_by_another_task_ends_and_frees_its_connection(script: Script) -> None:
    async def closed(server: FaultServer) -> Any:
        driver = AsyncDriver(AsyncWebDoor(AsyncHttpClient(base_url=server.url)))
        options = Options(timeout=None, deadline=None)
        run = driver.start(crosstab(asking, CrosstabResult(ROWS, COLUMNS), options))

        async def listen() -> list[Any]:
            return [update async for update in run]

        task = asyncio.create_task(listen())
        await asyncio.to_thread(server.asked, 1)
        # Let it come to where it waits for what does not come.
        await asyncio.sleep(0.3)
        await run.close()
        await asyncio.wait_for(task, HANGS)
        assert await asyncio.to_thread(server.all_closed)
        after = await driver.run(fetch(CALL, PATIENT))
        await driver.close()
        return after

    with serving(script, serving_all) as server:
        assert asyncio.run(closed(server)) == {"a": 1}


def test_a_run_that_hangs_up_may_be_closed_meanwhile() -> None:
    class Slow:
        """A door whose answers take a while to hang up."""

        secrets = ()
        head = Head(200, {})

        def __init__(self) -> None:
            self.hangs_up, self.may_go_on = asyncio.Event(), asyncio.Event()

        async def send(self, request: Request, patience: Patience) -> Slow:
            return self

        async def read(self) -> bytes:
            return b""

        async def close(self) -> None:
            self.hangs_up.set()
            await self.may_go_on.wait()

    async def closed() -> None:
        door = Slow()
        run = AsyncDriver(cast(AsyncDoor, door)).start(fetch(CALL, Options(retries=0)))

        async def listen() -> None:
            async for _ in run:
                pass

        task = asyncio.create_task(listen())
        await asyncio.wait_for(door.hangs_up.wait(), HANGS)
        await run.close()
        door.may_go_on.set()
        with pytest.raises(InvalidResponse):
            await asyncio.wait_for(task, HANGS)

    asyncio.run(closed())


def test_a_time_out_of_the_doors_own_is_not_taken_for_an_end() -> None:
    class Late:
        secrets = ()

        async def send(self, request: Request, patience: Patience) -> NoReturn:
            raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        asyncio.run(AsyncDriver(cast(AsyncDoor, Late())).run(fetch(CALL, PATIENT)))


def unread(text: bytes, ending: Script = lambda _: None) -> Script:
    """Says these bytes and goes on as it is told; the request has been read before."""

    def script(line: Line) -> None:
        line.send(text)
        ending(line)

    return script


INTERRUPTED = """
    import sys
    from audiencelab.client.flow.driver import Driver
    from audiencelab.client.doors.web import WebDoor
    from audiencelab.client.web.http import HttpClient
    from audiencelab.client.flow import fetch
    from audiencelab.client.options import Options
    from tests.client.faulty_calls import CALL, PATIENT

    door = WebDoor(HttpClient(base_url=sys.argv[1]))
    try:
        Driver(door).run(fetch(CALL, Options(timeout=None, deadline=None)))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    print(Driver(door).run(fetch(CALL, PATIENT)), flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to a child")
@pytest.mark.parametrize(
    "script",
    [
        STALL,
        unread(head(content_length=9) + b"{", STALL),
        unread(answer(b"", 503, retry_after=100)),
    ],
    ids=["before the head", "in the body", "between attempts"],
)
def test_an_interrupt_frees_the_connection_and_the_door_goes_on(script: Script) -> None:
    def watched(line: Line) -> None:
        line.request()
        ready.set()
        script(line)

    ready = threading.Event()
    with serving(watched, serving_all) as server:
        code = textwrap.dedent(INTERRUPTED)
        with subprocess.Popen(
            [sys.executable, "-c", code, server.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(["src", "."])},
        ) as child:
            assert ready.wait(60)
            # The child has asked; let it begin to wait for what does not come.
            threading.Event().wait(0.3)
            child.send_signal(signal.SIGINT)
            assert child.stdout is not None
            assert child.stdout.readline() == "interrupted\n"
            assert child.stdout.readline() == "{'a': 1}\n"
            # The child and its door live on: only the second connection may stay open. That the
            # first is closed reaches the server in its own time.
            assert server.connections == 2
            wait_until(lambda: server.open == 1)
            assert child.stdin is not None
            child.stdin.close()
            assert child.wait(HANGS) == 0
