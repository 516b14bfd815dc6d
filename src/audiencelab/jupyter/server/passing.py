"""What may be passed on to a service, and what of its answer may be passed back.

No HTTP server here: a request as its parts, and an answer in pieces. `Passage` blocks, and belongs
on a worker thread.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlencode

from audiencelab.client.operations.registry import operation_of
from audiencelab.client.transports.base import Timeout
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.places import Connection
from audiencelab.jupyter.server.clients import Clients
from audiencelab.schema.http import Request, Response

__all__ = ["Asked", "Passage", "Terms", "Unfit", "asked_of"]

_CONTENT = frozenset({"application/json", "application/x-ndjson", "application/problem+json"})
"""What a service answers with. A browser runs none of it, whatever it holds."""

_SENT = ("idempotency-key", "x-request-id")
_SHOWN = ("retry-after", "x-request-id")
_SHOWN_PREFIX = "x-ratelimit-"
_PLAIN = re.compile(r"[A-Za-z0-9._:;,=/+ -]{1,200}")
"""Values of the headers above: nothing in them can end a line or mean anything else."""

_INCLUDE = re.compile(r"[a-z_]+(,[a-z_]+)*")


class Unfit(AudienceError):
    """An answer that is not passed on; the message says what was wrong with it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How long and how much: seconds without a byte, seconds in all, bytes of an answer."""

    silence: float = 60.0
    whole: float = 600.0
    largest: int = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the service's operations, with all that goes to the service besides the body."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


def asked_of(
    method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]
) -> Asked | None:
    """What a request asks of the service; None if that is none of its operations.

    path: as it was sent, percent-encoded. It is taken apart, decoded once and written anew, so that
    the service reads the very ids that were looked at here. An id that is decoded into a way
    (`..`), into several segments, or into what a second decoding would change, is none.
    """
    segments = path.split("/")[1:]
    ids = [unquote(segment) for segment in segments]
    if not all(map(_is_plain, ids)):
        return None
    written = "".join(f"/{quote(each, safe='')}" for each in ids)
    if not operation_of(method, written).is_known:
        return None
    include = query.get("include", "")
    return Asked(
        method,
        written,
        {"include": include} if _INCLUDE.fullmatch(include) else {},
        {
            name: value
            for name in _SENT
            if (value := headers.get(name)) and _PLAIN.fullmatch(value) is not None
        },
    )


def _is_plain(segment: str) -> bool:
    if segment in ("", ".", "..") or not segment.isprintable():
        return False
    # Columns of survey files may have @ and #, which go on encoded and so mean nothing else.
    return not set(segment) & set("/\\%?")


class Passage:
    """One request on its way to the service of a connection, and the answer on its way back.

    status, headers: of the answer, as they may be passed on, once it has begun.
    """

    def __init__(self, clients: Clients, connection: Connection, terms: Terms) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._clients = clients
        self._connection = connection
        self._terms = terms
        self._held = ExitStack()
        self._answer: Response | None = None
        self._came = 0
        self._off = threading.Event()

    def begin(self, asked: Asked, body: bytes | None) -> bytes:
        """Send it; the first piece of the answer, `b""` for one without a body.

        Raises `TransportError`, `Unfit`, and what opening the connection raises.
        """
        desk = self._held.enter_context(self._clients.at(self._connection))
        timeout = Timeout(self._terms.silence, time.monotonic() + self._terms.whole)
        transport = desk.client.transport
        request = Request(
            asked.method, asked.path, urlencode(asked.query), asked.headers, body or b""
        )
        self._answer = answer = transport.send(request, timeout)
        self.status = answer.status
        self.headers = _headers(self.status, answer.headers)
        return self.read()

    def read(self) -> bytes:
        """The next piece; `b""` at the end. Raises `TransportError` and `Unfit`."""
        assert self._answer is not None
        if not self._off.is_set():
            piece = next(self._answer.body, b"")
            self._came += len(piece)
            if self._came > self._terms.largest:
                raise Unfit(f"The answer has more than {self._terms.largest:,} bytes.")
            return piece
        return b""

    def call_off(self) -> None:
        """Nobody waits any more; whoever is reading on another thread stops soon."""
        self._off.set()

    def end(self) -> None:
        """Let go of the service and of the client; harmless twice."""
        self._off.set()
        if self._answer is not None:
            self._answer.close()
        self._held.close()


def _headers(status: int, came: Mapping[str, str]) -> dict[str, str]:
    """The headers of an answer that may be passed on; raises `Unfit` for one that may not."""
    if not 200 <= status < 600 or 300 <= status < 400:
        raise Unfit(
            f"The service answered {status}, which leads elsewhere or means nothing here; "
            "redirects are not followed. Give the connection the address that it leads to."
        )
    kind = came.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _CONTENT:
        named = kind if _PLAIN.fullmatch(kind) else "nothing that can be named"
        raise Unfit(
            f"The service answered {status} with {named} where JSON is due: see that the address "
            "of the connection is the service's."
        )
    passed = {
        name.title(): value
        for name, value in came.items()
        if (name in _SHOWN or name.startswith(_SHOWN_PREFIX)) and _PLAIN.fullmatch(value)
    }
    return {**passed, "Content-Type": kind}
