"""A small survey, the embedded service over it, and the same service behind a real socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from audiencelab.client import Client, connect
from audiencelab.panel import Panel
from audiencelab.service import Request, Service
from tests.service.surveys import build_survey

TOKEN = "canary-7d1f0c6b4e"


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine's environment says, these tests start from nothing."""
    for name in ("AUDIENCELAB_BASE_URL", "AUDIENCELAB_TOKEN", "AUDIENCELAB_PANEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Panel:
    return build_survey(tmp_path_factory.mktemp("client") / "panel")


@pytest.fixture(scope="session")
def client(survey: Panel) -> Iterator[Client]:
    with connect(panel=survey) as connected:
        yield connected


@dataclass
class Served:
    url: str
    authorizations: list[str | None]


@pytest.fixture(scope="session")
def served(survey: Panel) -> Iterator[Served]:
    """The service behind a socket of this machine, chunked as it streams."""
    service = Service(survey, [TOKEN])
    seen: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            seen.append(self.headers.get("authorization"))
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            response = service.handle(
                Request(self.command, path, query, dict(self.headers.items()), body)
            )
            self.send_response(response.status)
            for name, value in response.headers:
                if name.lower() != "content-length":
                    self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            # A client that calls a stream off hangs up; that is what some tests are about.
            with suppress(ConnectionError):
                for chunk in response.body:
                    self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                self.wfile.write(b"0\r\n\r\n")

        do_GET = do_POST = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Served(f"http://127.0.0.1:{server.server_port}", seen)
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def distant(served: Served) -> Iterator[Client]:
    """A client of the same survey over HTTP."""
    with connect(served.url, token=TOKEN) as connected:
        yield connected
