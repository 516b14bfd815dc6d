"""A deployment that misbehaves, in a way that the id of the question names.

It speaks HTTP by hand, since no proper server would say what some of these say.
"""

from __future__ import annotations

import gzip
import socketserver
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

JSON = b"Content-Type: application/json\r\n"


class Deployment(socketserver.ThreadingTCPServer):
    """Keeps the headers of all requests, as they came.

    cut_off: set when a reader went away. poured: bytes of answers without an end.
    asked: set when a request waits until `released` is set.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.cut_off = threading.Event()
        self.asked = threading.Event()
        self.released = threading.Event()
        self.poured = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def misbehaving() -> Generator[Deployment]:
    with Deployment() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Conversation(socketserver.StreamRequestHandler):
    server: Any

    def handle(self) -> None:
        head = b""
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            head += line
        if not head:
            return
        fields = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(b":") for line in head.splitlines()[1:])
        }
        self.server.bodies.append(self.rfile.read(int(fields.get(b"content-length", 0))))
        self.server.heads.append(head)
        mode = head.split(b" ")[1].partition(b"?")[0].rpartition(b".")[2].decode().replace("-", "_")
        token = fields.get(b"authorization", b"").rpartition(b" ")[2]
        with suppress(OSError):
            getattr(self, f"_{mode}", self._plain)(token)

    def _say(self, body: bytes, headers: bytes = JSON, status: bytes = b"200 OK") -> None:
        length = b"Content-Length: %d\r\n" % len(body)
        self.wfile.write(b"HTTP/1.1 " + status + b"\r\n" + headers + length + b"\r\n" + body)

    def _plain(self, _: bytes) -> None:
        self._say(b'{"question": {}}')

    def _redirect(self, _: bytes) -> None:
        target = b"Location: http://127.0.0.1:%d/caught\r\n" % self.server.server_address[1]
        self._say(b"{}", JSON + target, b"307 Temporary Redirect")

    def _page(self, _: bytes) -> None:
        self._say(b"<script>alert(1)</script>", b"Content-Type: text/html\r\n")

    def _picture(self, _: bytes) -> None:
        self._say(b"<svg/>", b"Content-Type: image/svg+xml\r\n")

    def _untyped(self, _: bytes) -> None:
        self._say(b"<script>alert(1)</script>", b"")

    def _refused_with_a_page(self, _: bytes) -> None:
        self._say(b"<h1>no</h1>", b"Content-Type: text/html\r\n", b"403 Forbidden")

    def _heads(self, _: bytes) -> None:
        self._say(
            b"{}",
            JSON
            + b"Set-Cookie: _xsrf=theirs; Path=/\r\nAccess-Control-Allow-Origin: *\r\n"
            + b"Content-Security-Policy: default-src *\r\nX-Forwarded-Host: evil\r\n"
            + b"WWW-Authenticate: Basic\r\nLink: <https://evil.example>; rel=preload\r\n"
            + b"Clear-Site-Data: *\r\nRefresh: 0; url=https://evil.example\r\n"
            + b"X-RateLimit-Remaining: 7\r\nX-Request-Id: abc-1\r\nServer: evil\r\n",
        )

    def _echo_in_a_header(self, token: bytes) -> None:
        self._say(b"{}", JSON + b"X-Leak: %s\r\n" % token)

    def _echo_in_a_body(self, token: bytes) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + JSON + b"Connection: close\r\n\r\n")
        for part in (b'{"sent": "' + token[:5], token[5:] + b'"}'):
            self.wfile.write(part)
            self.wfile.flush()
            time.sleep(0.1)

    def _huge(self, _: bytes) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + JSON + b"Connection: close\r\n\r\n[")
        try:
            while True:
                self.wfile.write(b"1," * 50_000)
                self.server.poured += 100_000
        except OSError:
            self.server.cut_off.set()

    def _bomb(self, _: bytes) -> None:
        self._say(gzip.compress(b" " * 50_000_000), JSON + b"Content-Encoding: gzip\r\n")

    def _waits(self, token: bytes) -> None:
        self.server.asked.set()
        self.server.released.wait(300)
        self._plain(token)

    def _silent(self, _: bytes) -> None:
        self.server.cut_off.wait(300)

    def _stalls(self, _: bytes) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + JSON + b"Content-Length: 9000\r\n\r\n")
        self.wfile.write(b"[" * 6_000)
        self.server.cut_off.wait(300)

    def _breaks(self, _: bytes) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + JSON + b"Content-Length: 90000\r\n\r\n")
        self.wfile.write(b"[" * 60_000)

    def _slowly(self, _: bytes) -> None:
        """Goes on for ever, until nobody reads."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + JSON + b"Connection: close\r\n\r\n")
        try:
            while True:
                self.wfile.write(b"[" * 3_000)
                time.sleep(0.05)
        except OSError:
            self.server.cut_off.set()
