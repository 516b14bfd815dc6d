"""The embedded transport: lazy bytes, no thread, no socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from audiencelab.client.http import HttpClient, ReadError
from audiencelab.client.transport import EmbeddedTransport
from audiencelab.service import Request, Response


@dataclass
class Recorder:
    """In the service's place: what it was asked, and how far its answer was read."""

    produced: int = 0
    closed: bool = False
    asked: Request | None = None
    thread: int = 0
    fails: bool = False

    def handle(self, request: Request) -> Response:
        self.asked = request
        self.thread = threading.get_ident()
        return Response(200, [("content-type", "text/plain")], self.chunks())

    def chunks(self) -> Iterator[bytes]:
        try:
            for place in range(100):
                self.produced += 1
                yield f"{place},".encode()
                if self.fails:
                    raise RuntimeError("inside")
        finally:
            self.closed = True


def open_client(service: Any) -> HttpClient:
    return HttpClient(transport=EmbeddedTransport(service), base_url="https://embedded.invalid")


def test_the_answer_is_made_while_it_is_read_and_stopped_when_it_is_closed() -> None:
    service = Recorder()
    with open_client(service) as http, http.stream("GET", "/x?include=a%20b") as response:
        assert service.produced == 0
        chunks = response.iter_raw()
        assert next(chunks) == b"0,"
        assert service.produced == 1
        assert service.thread == threading.get_ident()
    assert service.closed
    assert service.produced < 100
    assert service.asked is not None
    assert (service.asked.path, service.asked.query) == ("/x", "include=a%20b")


def test_a_service_that_fails_while_it_sends_breaks_the_connection() -> None:
    with open_client(Recorder(fails=True)) as http, pytest.raises(ReadError) as caught:
        http.get("/x")
    assert "RuntimeError" in str(caught.value)
    assert "inside" not in str(caught.value)


def test_importing_the_client_imports_neither_service_nor_pandas() -> None:
    import subprocess
    import sys

    code = (
        "import sys, audiencelab.client; heavy = {'pandas', 'audiencelab.service', 'altair'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
