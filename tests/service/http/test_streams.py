"""Bodies over real connections: slow readers, readers that leave, failures on the way, and load."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from audiencelab.service import Limits, Request, Response
from audiencelab.service.http import application, running, server
from audiencelab.service.http.accepting import OpenConnections
from audiencelab.service.http.app import Handler
from audiencelab.service.responses import BrokenStreamError
from tests.messages import fails

MEGABYTE = 1024 * 1024


class Stub:
    """A handler whose bodies are made by the test."""

    limits = Limits()
    minimum_base = 0

    def __init__(self, body: Callable[[], Iterator[bytes]]) -> None:
        self._body = body
        self.ended = threading.Event()
        self.made = 0

    def admit(self, request: Request) -> None:
        pass

    def unready_reasons(self) -> dict[str, str]:
        return {}

    def handle(self, request: Request) -> Response:
        return Response(200, {"content-type": "text/plain"}, self._counted())

    def _counted(self) -> Iterator[bytes]:
        try:
            for chunk in self._body():
                self.made += len(chunk)
                yield chunk
        finally:
            self.ended.set()


@contextmanager
def served(handler: Handler, max_concurrent: int = 64) -> Iterator[str]:
    with (
        server._listening("127.0.0.1", 0) as listener,
        running._running(
            application(handler, max_concurrent=max_concurrent),
            listener,
            5.0,
            OpenConnections(1_000),
        ),
    ):
        yield server._address("127.0.0.1", listener)


def endless() -> Iterator[bytes]:
    while True:
        yield b"x" * 32768


def get(url: str, **options: object) -> httpx.Response:
    return httpx.get(url + "/x", trust_env=False, timeout=60, **options)


@contextmanager
def asked(url: str) -> Iterator[socket.socket]:
    """A connection that has asked for a body and reads nothing by itself."""
    place = urlsplit(url)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.settimeout(60)
        connection.connect((place.hostname, place.port))
        connection.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        yield connection


def settled(value: Callable[[], int]) -> int:
    """The value once it stops growing."""
    last = -1
    while (now := value()) != last or now == 0:
        last = now
        time.sleep(0.3)
    return last


def test_a_reader_that_does_not_read_stops_the_work() -> None:
    handler = Stub(endless)
    with served(handler) as url, asked(url) as connection:
        ahead = settled(lambda: handler.made)
        # What the kernel's own buffers hold, and no more.
        assert ahead < 8 * MEGABYTE
        taken = 0
        while taken < 16 * MEGABYTE:
            taken += len(connection.recv(65536))
        assert handler.made > ahead
    assert handler.made < taken + 16 * MEGABYTE


def test_a_reader_that_leaves_ends_the_work() -> None:
    handler = Stub(endless)
    with served(handler) as url:
        with asked(url) as connection:
            assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert handler.ended.wait(60)


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("error", [BrokenStreamError("broken"), ValueError("ours")])
def test_a_body_that_fails_on_the_way_breaks_the_connection(
    error: Exception, encoding: str
) -> None:
    def body() -> Iterator[bytes]:
        yield b"x" * 5000
        raise error

    with (
        served(Stub(body)) as url,
        fails(httpx.RemoteProtocolError),
    ):
        get(url, headers={"Accept-Encoding": encoding})


def test_one_request_too_many_is_asked_to_come_again() -> None:
    go = threading.Event()

    def body() -> Iterator[bytes]:
        yield b"x"
        assert go.wait(60)

    handler = Stub(body)
    with served(handler, max_concurrent=2) as url, asked(url) as one, asked(url) as two:
        assert one.recv(1000)
        assert two.recv(1000)
        refused = get(url)
        assert httpx.get(f"{url}/health", trust_env=False, timeout=60).status_code == 200
        go.set()
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["x-request-id"]
        assert refused.json()["title"] == "The service is busy"
        assert handler.ended.wait(60)


def test_a_body_that_stops_arriving_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audiencelab.service.http.app._BODY_SECONDS", 0.05)
    place_and_rest = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"
    with served(Stub(endless)) as url:
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
            connection.sendall(place_and_rest)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_an_answer_under_way_is_cut_when_the_grace_is_over() -> None:
    def body() -> Iterator[bytes]:
        yield b"x" * 5000
        while True:
            time.sleep(0.01)
            yield b"x"

    handler = Stub(body)
    app = application(handler)
    with (
        ThreadPoolExecutor(1) as pool,
        server._listening("127.0.0.1", 0) as listener,
        running._running(app, listener, 0.2, OpenConnections(1_000)),
    ):
        answer = pool.submit(get, server._address("127.0.0.1", listener))
        while handler.made < 5000:
            time.sleep(0.01)
    assert handler.ended.wait(60)
    assert isinstance(answer.exception(), httpx.RemoteProtocolError)
