"""The embedded transport: lazy bytes, no thread, no socket."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from audiencelab.client.context import ClientContext
from audiencelab.client.credentials import Secret
from audiencelab.client.on_threads import Steps, Workers
from audiencelab.client.transports.embedded import EmbeddedTransport
from audiencelab.client.transports.fetch import FetchTransport
from audiencelab.schema.http import Request, Response
from tests.messages import fails

REQUEST = Request("GET", "/x", "include=a+b")


@dataclass
class Recorder:
    """In the service's place: what it was asked, and how far its answer was read."""

    produced: int = 0
    closed: bool = False
    asked: Request | None = None
    thread: int = 0
    stepped: int = 0

    def handle(self, request: Request) -> Response:
        self.asked = request
        self.thread = threading.get_ident()
        return Response(200, {"content-type": "text/plain"}, self.chunks())

    def chunks(self) -> Iterator[bytes]:
        try:
            for place in range(100):
                self.produced += 1
                self.stepped = threading.get_ident()
                yield f"{place},".encode()
        finally:
            self.closed = True


def door_to(service: Any) -> EmbeddedTransport:
    return EmbeddedTransport(service, Secret("token"))


def test_the_answer_is_made_while_it_is_read_and_stopped_when_it_is_closed() -> None:
    service = Recorder()
    answer = door_to(service).send(REQUEST)
    assert service.produced == 0
    assert answer.headers["content-type"] == "text/plain"
    assert next(answer.body) == b"0,"
    assert service.produced == 1
    assert service.thread == threading.get_ident()
    answer.close()
    assert service.closed
    assert service.produced < 100
    assert service.asked is not None
    assert (service.asked.path, service.asked.query) == ("/x", "include=a+b")
    assert service.asked.headers.get("authorization") == "Bearer token"


def test_it_names_its_service_and_holds_no_token_in_the_open() -> None:
    service = Recorder()
    assert repr(door_to(service)) == f"<EmbeddedTransport to {service!r}>"


def test_for_await_each_step_runs_on_another_thread() -> None:
    service = Recorder()

    async def read() -> bytes:
        answer = door_to(service).send(REQUEST)
        steps = Steps(answer.body, Workers(ClientContext("")))
        first = await anext(steps)
        await steps.aclose()
        return first

    assert asyncio.run(read()) == b"0,"
    assert service.thread == threading.get_ident()
    assert service.stepped != threading.get_ident()
    assert service.closed


def test_a_step_that_nobody_awaits_any_more_frees_its_answer_when_it_is_done() -> None:
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def chunks() -> Generator[bytes]:
        try:
            begun.set()
            go_on.wait(60)
            yield b"late"
            yield b"never"
        finally:
            closed.set()

    async def give_up() -> None:
        steps = Steps(chunks(), Workers(ClientContext("")))
        reading = asyncio.ensure_future(anext(steps))
        await asyncio.to_thread(begun.wait, 60)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await steps.aclose()
        assert not closed.is_set()
        go_on.set()

    asyncio.run(give_up())
    assert closed.wait(60)


@pytest.mark.parametrize(
    "browser", [SimpleNamespace(), SimpleNamespace(XMLHttpRequest=object(), document=object())]
)
def test_a_page_that_cannot_wait_is_told_of_the_worker(
    browser: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "js", browser)
    with fails(httpx.ConnectError):
        FetchTransport().handle_request(httpx.Request("GET", "https://service.example"))


def test_importing_the_client_imports_nothing_heavy() -> None:
    code = (
        "import sys, audiencelab.client; "
        "heavy = {'asyncio', 'pandas', 'audiencelab.service', 'altair'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
