"""The embedded door: lazy bytes, no thread, no socket."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from audiencelab.client.credentials import Secret
from audiencelab.client.doors import ThreadedDoor
from audiencelab.client.doors.embedded import EmbeddedDoor
from audiencelab.client.messages import NoAnswer, Patience, Request
from audiencelab.service import Request as ServiceRequest
from audiencelab.service import Response

REQUEST = Request("GET", "/x", {"include": "a b"})
PATIENCE = Patience()


@dataclass
class Recorder:
    """In the service's place: what it was asked, and how far its answer was read."""

    produced: int = 0
    closed: bool = False
    asked: ServiceRequest | None = None
    thread: int = 0
    fails: bool = False

    def handle(self, request: ServiceRequest) -> Response:
        self.asked = request
        self.thread = threading.get_ident()
        return Response(200, {"content-type": "text/plain"}, self.chunks())

    def chunks(self) -> Iterator[bytes]:
        try:
            for place in range(100):
                self.produced += 1
                yield f"{place},".encode()
                if self.fails:
                    raise RuntimeError("inside")
        finally:
            self.closed = True


def door_to(service: Any) -> EmbeddedDoor:
    return EmbeddedDoor(service, Secret("token"))


def test_the_answer_is_made_while_it_is_read_and_stopped_when_it_is_closed() -> None:
    service = Recorder()
    answer = door_to(service).send(REQUEST, PATIENCE)
    assert service.produced == 0
    assert answer.head.headers["content-type"] == "text/plain"
    assert answer.read() == b"0,"
    assert service.produced == 1
    assert service.thread == threading.get_ident()
    answer.close()
    assert service.closed
    assert service.produced < 100
    assert service.asked is not None
    assert (service.asked.path, service.asked.query) == ("/x", "include=a+b")
    assert service.asked.header("authorization") == "Bearer token"


def test_it_names_its_service_and_holds_no_token_in_the_open() -> None:
    service = Recorder()
    assert repr(door_to(service)) == f"<EmbeddedDoor to {service!r}>"


def test_a_service_that_fails_while_it_sends_breaks_the_connection() -> None:
    answer = door_to(Recorder(fails=True)).send(REQUEST, PATIENCE)
    assert answer.read() == b"0,"
    with pytest.raises(NoAnswer, match="RuntimeError") as caught:
        answer.read()
    assert "inside" not in str(caught.value)


def test_for_await_each_step_runs_on_another_thread() -> None:
    service = Recorder()

    async def read() -> bytes:
        answer = await ThreadedDoor(door_to(service)).send(REQUEST, PATIENCE)
        first = await answer.read()
        await answer.close()
        return first

    assert asyncio.run(read()) == b"0,"
    assert service.thread != threading.get_ident()
    assert service.closed


def test_a_step_that_nobody_awaits_any_more_frees_its_answer_when_it_is_done() -> None:
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def chunks() -> Iterator[bytes]:
        try:
            begun.set()
            go_on.wait(30)
            yield b"late"
            yield b"never"
        finally:
            closed.set()

    class Slow:
        def handle(self, request: ServiceRequest) -> Response:
            return Response(200, {}, chunks())

    async def give_up() -> None:
        answer = await ThreadedDoor(door_to(Slow())).send(REQUEST, PATIENCE)
        reading = asyncio.create_task(answer.read())
        await asyncio.to_thread(begun.wait, 30)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await answer.close()
        assert not closed.is_set()
        go_on.set()

    asyncio.run(give_up())
    assert closed.wait(30)


def test_importing_the_client_imports_neither_service_nor_pandas() -> None:
    import subprocess
    import sys

    code = (
        "import sys, audiencelab.client; heavy = {'pandas', 'audiencelab.service', 'altair'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
