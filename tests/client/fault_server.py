"""A server that says on real sockets exactly what a script tells it to, however wrong.

A script is a function of a `Line`, one for each connection in the order in which they come; the
last one serves all that follow. When it returns, the connection is closed.
"""

from __future__ import annotations

import gzip
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

__all__ = ["FaultServer", "Line", "Script", "answer", "chunked", "head", "serving"]


_TAKES = 30.0
"""Seconds in which the other side takes what is sent, on a machine however busy."""


class Hung(Exception):
    """The other side has hung up, or the server is to end."""


@dataclass
class Line:
    """One connection, as a script sees it."""

    sock: socket.socket
    ended: threading.Event
    requests: list[bytes] = field(default_factory=list)

    def request(self) -> bytes:
        """One whole request, head and body."""
        text = b""
        while b"\r\n\r\n" not in text:
            text += self._receive()
        top, _, body = text.partition(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in top.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            ),
            0,
        )
        while len(body) < length:
            body += self._receive()
        whole = top + b"\r\n\r\n" + body
        self.requests.append(whole)
        return whole

    def send(self, text: bytes) -> None:
        # While reading it is short, so that the end is noticed; for writing it is the time for all.
        looking = self.sock.gettimeout()
        try:
            self.sock.settimeout(_TAKES)
            self.sock.sendall(text)
            self.sock.settimeout(looking)
        except OSError as error:
            raise Hung from error

    def drip(self, text: bytes, pause: float) -> None:
        """A byte at a time."""
        for byte in text:
            self.send(bytes([byte]))
            if self.ended.wait(pause):
                raise Hung

    def stall(self) -> None:
        """Say nothing more, until the other side hangs up."""
        while True:
            self._receive()

    def reset(self) -> None:
        """Break the connection off without a farewell."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def _receive(self) -> bytes:
        while not self.ended.is_set():
            try:
                text = self.sock.recv(65_536)
            except TimeoutError:
                continue
            except OSError as error:
                raise Hung from error
            if not text:
                raise Hung
            return text
        raise Hung


Script = Callable[[Line], None]


class FaultServer:
    """Plays scripts to whoever connects.

    requests: what has been asked, as bytes. open: how many connections are open now.
    """

    def __init__(self, scripts: Sequence[Script]) -> None:
        self.scripts = list(scripts)
        self.requests: list[bytes] = []
        self.connections = 0
        self.open = 0
        self._ended = threading.Event()
        self._changed = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        return self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def all_closed(self, within: float = 60.0) -> bool:
        """Whether every connection comes to its end."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.open, within)

    def asked(self, times: int, within: float = 60.0) -> bool:
        """Whether so many requests come in."""
        end = time.monotonic() + within
        while len(self.requests) < times and time.monotonic() < end:
            time.sleep(0.01)
        return len(self.requests) >= times

    def close(self) -> None:
        self._ended.set()
        # Closing alone does not wake the thread that accepts.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.settimeout(0.1)
            script = self.scripts[min(self.connections, len(self.scripts) - 1)]
            self.connections += 1
            with self._changed:
                self.open += 1
            thread = threading.Thread(target=self._play, args=(script, sock), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _play(self, script: Script, sock: socket.socket) -> None:
        line = Line(sock, self._ended, self.requests)
        with suppress(Hung):
            script(line)
        # A script may have put TLS in the socket's place.
        line.sock.close()
        with self._changed:
            self.open -= 1
            self._changed.notify_all()


@contextmanager
def serving(*scripts: Script) -> Iterator[FaultServer]:
    server = FaultServer(scripts)
    try:
        yield server
    finally:
        server.close()


def head(status: int = 200, **headers: str | int) -> bytes:
    """The head of an answer; `content_length` is written as Content-Length."""
    lines = [f"HTTP/1.1 {status} Whatever"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def answer(body: bytes, status: int = 200, *, packed: bool = False, **headers: str | int) -> bytes:
    """A sound answer."""
    if packed:
        body = gzip.compress(body)
        headers["content_encoding"] = "gzip"
    return head(status, content_length=len(body), **headers) + body


def chunked(*pieces: bytes, end: bool = True) -> bytes:
    """A body in chunks, and its end."""
    body = b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces)
    return body + b"0\r\n\r\n" * end
