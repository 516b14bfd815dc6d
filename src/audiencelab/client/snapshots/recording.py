"""Recording: a door that others stand behind, and what it notes down while somebody listens.

Every chunk is passed on untouched; hashing and sorting wait until the recording ends. A door
without a recorder costs a call next to nothing, so a client keeps one for its whole life and all
its copies are heard.
"""

from __future__ import annotations

import base64
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qsl

import msgspec

from audiencelab.client.credentials import Secret
from audiencelab.client.raw import shown_headers
from audiencelab.client.snapshots.document import Exchange
from audiencelab.client.snapshots.keys import canonical, key_of
from audiencelab.client.transports.base import (
    NO_LIMIT,
    AsyncBody,
    AsyncResponse,
    AsyncTransport,
    Timeout,
    Transport,
    TransportError,
)
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import Request, Response

__all__ = ["AsyncRecordingTransport", "Recorder", "RecordingTransport", "moment"]

_PASSING = frozenset({408, 429, *range(500, 600)})
"""Statuses that say nothing about the request: the same one may get a good answer next."""


class RecordingTransport:
    """A door to the same place as `inner`, whose `recorder` (or None) hears what goes through."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.recorder: Recorder | None = None

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self.inner.secrets

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        recorder = self.recorder
        if recorder is None:
            return self.inner.send(request, timeout)
        request = _asking_for_json(request)
        response = self.inner.send(request, timeout)
        take = recorder.take(request, response.status, response.headers, self.inner.secrets)
        return replace(response, body=_RecordedBody(response, take))

    def close(self) -> None:
        self.inner.close()


class AsyncRecordingTransport:
    """The same for `await`."""

    def __init__(self, inner: AsyncTransport) -> None:
        self.inner = inner
        self.recorder: Recorder | None = None

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self.inner.secrets

    async def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> AsyncResponse:
        recorder = self.recorder
        if recorder is None:
            return await self.inner.send(request, timeout)
        request = _asking_for_json(request)
        response = await self.inner.send(request, timeout)
        take = recorder.take(request, response.status, response.headers, self.inner.secrets)
        return replace(response, body=_AsyncRecordedBody(response.body, take))

    async def close(self) -> None:
        await self.inner.close()


class Recorder:
    """What was asked and answered, in the order of asking; safe to use from several threads.

    path: the file that it is for.
    secrets: the credentials that went along, to be looked for before anything is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._takes: list[Take] = []
        self._count = 0
        self._released = False
        self.secrets: set[Secret] = set()

    def take(
        self,
        request: Request,
        status: int,
        headers: Mapping[str, str],
        secrets: Iterable[Secret],
    ) -> Take:
        """Begin to record a response, and the credentials that were sent."""
        take = Take(request, status, headers)
        with self._lock:
            # One that was sent before the end, and is answered after it, comes too late.
            if not self._released:
                self._takes.append(take)
                self._count += 1
                self.secrets.update(secrets)
        return take

    def __len__(self) -> int:
        return self._count

    def release(self) -> None:
        """Hold no answer and no credential any longer; the count stays."""
        with self._lock:
            self._released = True
            self._takes.clear()
            self.secrets.clear()

    def exchanges(self) -> tuple[Exchange, ...]:
        """What is worth keeping so far.

        An answer that failed or broke off is left out if the same request got a good one later;
        an answer that came several times in a row is kept once.
        """
        with self._lock:
            takes = list(self._takes)
        return _told_once(_settled([take.exchange() for take in takes]))


@dataclass(slots=True)
class Take:
    """One answer while it comes; of its endings the first one counts."""

    request: Request
    status: int
    headers: Mapping[str, str]
    when: str = field(default_factory=lambda: moment())
    chunks: list[bytes] = field(default_factory=list[bytes])
    complete: bool = False
    failure: TransportError | None = None

    def add(self, chunk: bytes) -> bytes:
        """Record a chunk and return it."""
        self.chunks.append(chunk)
        return chunk

    def exchange(self) -> Exchange:
        """The answer as far as it has come."""
        # Looked at before the chunks, of which another thread may still add some: what is called
        # whole here has all of them.
        complete, failure = self.complete, self.failure
        request, content = self.request, b"".join(self.chunks)
        query = dict(parse_qsl(request.query, keep_blank_values=True))
        body, body_base64 = _written(content)
        sent = canonical(request.body) if request.body else None
        broken = None if complete else failure
        return Exchange(
            key=key_of(request.method, request.path, query, sent or request.body),
            when=self.when,
            method=request.method,
            path=request.path,
            query=query,
            request=msgspec.UNSET if sent is None else msgspec.json.decode(sent),
            request_base64=_base64(request.body) if request.body and sent is None else "",
            status=self.status,
            headers=_kept(self.headers),
            body=body,
            body_base64=body_base64,
            sha256=sha256(content).hexdigest(),
            complete=complete,
            broken=broken.message if broken else "",
            timeout=broken.timeout if broken else False,
        )


class _RecordedBody:
    def __init__(self, response: Response, take: Take) -> None:
        self._chunks = response.body
        self._take = take
        self.close = response.close

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return self._take.add(next(self._chunks))
        except StopIteration:
            self._take.complete = True
            raise
        except TransportError as error:
            self._take.failure = error.with_traceback(None)
            raise


class _AsyncRecordedBody:
    def __init__(self, body: AsyncBody, take: Take) -> None:
        self._chunks = aiter(body)
        self._take = take
        self.aclose = body.aclose

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return self._take.add(await anext(self._chunks))
        except StopAsyncIteration:
            self._take.complete = True
            raise
        except TransportError as error:
            self._take.failure = error.with_traceback(None)
            raise


def _asking_for_json(request: Request) -> Request:
    """The request without columnar blocks in `Accept`, since a snapshot holds JSON."""
    accept = request.headers.get("accept", "")
    if CELLS not in accept:
        return request
    headers = {**request.headers, "accept": accept.replace(f"{CELLS}, ", "")}
    return replace(request, headers=headers)


def moment() -> str:
    """Now, as a snapshot writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _settled(exchanges: list[Exchange]) -> list[Exchange]:
    """Without those that failed in passing before the same request was answered well."""
    answered: set[str] = set()
    kept: list[Exchange] = []
    for exchange in reversed(exchanges):
        good = exchange.complete and exchange.status not in _PASSING
        if good:
            answered.add(exchange.key)
        if good or exchange.key not in answered:
            kept.append(exchange)
    return kept[::-1]


def _told_once(exchanges: Iterable[Exchange]) -> tuple[Exchange, ...]:
    """With the same answer to the same request, time after time, counted and not repeated."""
    kept: list[Exchange] = []
    latest: dict[str, int] = {}
    for exchange in exchanges:
        place = latest.get(exchange.key)
        if place is not None and _says(kept[place]) == _says(exchange):
            kept[place] = msgspec.structs.replace(kept[place], asked=kept[place].asked + 1)
        else:
            latest[exchange.key] = len(kept)
            kept.append(exchange)
    return tuple(kept)


def _says(exchange: Exchange) -> tuple[object, ...]:
    return exchange.status, exchange.sha256, exchange.complete, exchange.broken


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    kept = shown_headers(headers)
    # The length was that of the bytes on the way, compressed perhaps.
    kept.pop("content-length", None)
    return kept


def _written(content: bytes) -> tuple[str, str]:
    """A body as text, or as base64 where it is none."""
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        return "", _base64(content)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
