"""Recording: a door that others stand behind, and what it notes down while somebody listens.

Every chunk is passed on untouched; hashing and sorting wait until the recording ends. A door
without a recorder costs a call next to nothing, so a client keeps one for its whole life and all
its copies are heard.
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from audiencelab.client.credentials import Secret
from audiencelab.client.doors import Answer, AsyncAnswer, AsyncDoor, Door
from audiencelab.client.messages import Head, NoAnswer, Patience, Request
from audiencelab.client.raw import shown_headers
from audiencelab.client.snapshots.document import Exchange
from audiencelab.client.snapshots.keys import canonical, key_of

__all__ = ["AsyncRecordingDoor", "Recorder", "RecordingDoor", "moment"]

_PASSING = frozenset({408, 429, *range(500, 600)})
"""Statuses that say nothing about the request: the same one may get a good answer next."""


class RecordingDoor:
    """A door to the same place as `inner`, whose `recorder` (or None) hears what goes through."""

    def __init__(self, inner: Door) -> None:
        self.inner = inner
        self.recorder: Recorder | None = None

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self.inner.secrets

    def send(self, request: Request, patience: Patience) -> Answer:
        recorder = self.recorder
        answer = self.inner.send(request, patience)
        if recorder is None:
            return answer
        return _RecordedAnswer(answer, recorder.take(request, answer.head, self.inner.secrets))

    def close(self) -> None:
        self.inner.close()


class AsyncRecordingDoor:
    """The same for `await`."""

    def __init__(self, inner: AsyncDoor) -> None:
        self.inner = inner
        self.recorder: Recorder | None = None

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self.inner.secrets

    async def send(self, request: Request, patience: Patience) -> AsyncAnswer:
        recorder = self.recorder
        answer = await self.inner.send(request, patience)
        if recorder is None:
            return answer
        return _AsyncRecordedAnswer(answer, recorder.take(request, answer.head, self.inner.secrets))

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

    def take(self, request: Request, head: Head, secrets: Iterable[Secret]) -> Take:
        """Begin to note down an answer, and the credentials that may have brought it."""
        take = Take(request, head)
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
    head: Head
    when: str = field(default_factory=lambda: moment())
    chunks: list[bytes] = field(default_factory=list[bytes])
    complete: bool = False
    failure: NoAnswer | None = None

    def add(self, chunk: bytes) -> bytes:
        """Note a chunk and hand it on; an empty one is the end."""
        if chunk:
            self.chunks.append(chunk)
        else:
            self.complete = True
        return chunk

    def exchange(self) -> Exchange:
        """The answer as far as it has come."""
        # Looked at before the chunks, of which another thread may still add some: what is called
        # whole here has all of them.
        complete, failure = self.complete, self.failure
        request, content = self.request, b"".join(self.chunks)
        body, body_base64 = _written(content)
        sent = canonical(request.body) if request.body else None
        broken = None if complete else failure
        return Exchange(
            key=key_of(request.method, request.path, request.query, sent or request.body or b""),
            when=self.when,
            method=request.method,
            path=request.path,
            query=dict(request.query),
            request=msgspec.UNSET if sent is None else msgspec.json.decode(sent),
            request_base64=_base64(request.body) if request.body and sent is None else "",
            status=self.head.status,
            headers=_kept(self.head),
            body=body,
            body_base64=body_base64,
            sha256=sha256(content).hexdigest(),
            complete=complete,
            broken=broken.words if broken else "",
            timeout=broken.timeout if broken else False,
        )


class _RecordedAnswer:
    def __init__(self, answer: Answer, take: Take) -> None:
        self.head = answer.head
        self._answer = answer
        self._take = take

    def read(self) -> bytes:
        try:
            return self._take.add(self._answer.read())
        except NoAnswer as error:
            self._take.failure = error.with_traceback(None)
            raise

    def close(self) -> None:
        self._answer.close()


class _AsyncRecordedAnswer:
    def __init__(self, answer: AsyncAnswer, take: Take) -> None:
        self.head = answer.head
        self._answer = answer
        self._take = take

    async def read(self) -> bytes:
        try:
            return self._take.add(await self._answer.read())
        except NoAnswer as error:
            self._take.failure = error.with_traceback(None)
            raise

    async def close(self) -> None:
        await self._answer.close()


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


def _kept(head: Head) -> dict[str, str]:
    kept = shown_headers(head.headers)
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
