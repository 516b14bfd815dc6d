"""Replay: a door that answers from a snapshot. It opens no socket and knows no credential.

Recorded delays are not repeated. What was answered differently time after time is answered in
that order, the last answer from then on. A stream that broke breaks again, at the same byte.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from audiencelab.client.credentials import Secret
from audiencelab.client.options import OWN_BODY, Options
from audiencelab.client.session import Session
from audiencelab.client.snapshots import document
from audiencelab.client.snapshots.catalogue import RecordedQuestions
from audiencelab.client.snapshots.differences import Asked, differences, nearest
from audiencelab.client.snapshots.document import EMBEDDED_PLACE, Exchange, Header, Snapshot
from audiencelab.client.snapshots.errors import SnapshotMiss
from audiencelab.client.snapshots.keys import request_key
from audiencelab.client.transports.base import NO_LIMIT, Timeout, TransportError
from audiencelab.schema.http import JSON, Request, Response

__all__ = ["REPLAY", "ReplayTransport", "open_replay", "replayed_session"]

CHUNK = 1 << 16

_JSON = {"content-type": JSON}

REPLAY = Options(timeout=None, deadline=None, pauses=False, max_body=OWN_BODY)
"""Options of a replaying client: it tries again as the recording one did, and waits for nothing."""


def open_replay(path: str | Path) -> tuple[ReplayTransport, Header]:
    """A door to a snapshot's answers, and what its header says. Raises `SnapshotError`."""
    snapshot = document.read(Path(path).expanduser())
    return ReplayTransport(snapshot), snapshot.header


def replayed_session(snapshot: Snapshot) -> Session:
    """What a replaying client knows beforehand: what the recording one did, so it asks alike."""
    header = snapshot.header
    return Session(
        place=header.source,
        embedded=header.place == EMBEDDED_PLACE,
        base_namespace=header.base_namespace,
        location_question=header.location_question,
        include_parameter=header.include_parameter,
        snapshot=snapshot.path,
        recorded_at=header.created,
    )


class ReplayTransport:
    """Answers from a snapshot, `chunk` bytes at a time."""

    def __init__(self, snapshot: Snapshot, *, chunk: int = CHUNK) -> None:
        self.snapshot = snapshot
        self._chunk = chunk
        self._lock = threading.Lock()
        self._places: dict[str, list[int]] = {}
        self._replayed: Counter[str] = Counter()
        for place, exchange in enumerate(snapshot.exchanges):
            self._places.setdefault(exchange.key, []).append(place)
        self._questions = RecordedQuestions(snapshot.exchanges, snapshot.header.base_namespace)

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        """The recorded response. Raises `SnapshotMiss`."""
        exchange = self._next(request_key(request))
        if exchange is not None:
            body = self._chunks(exchange.content, self._failure(exchange))
            return Response(exchange.status, exchange.headers, body)
        questions = self._questions.answer(request)
        if questions is not None:
            return Response(200, _JSON, self._chunks(questions, None))
        raise self._miss(request)

    def close(self) -> None:
        pass

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return ()

    def __repr__(self) -> str:
        return f"<ReplayTransport of {self.snapshot.path.name}>"

    def _chunks(self, content: bytes, failure: Exception | None) -> Iterator[bytes]:
        """The body in chunks; `failure` is how it ended if it did not come completely."""
        for start in range(0, len(content), self._chunk):
            yield content[start : start + self._chunk]
        if failure is not None:
            raise failure

    def _next(self, key: str) -> Exchange | None:
        places = self._places.get(key)
        if places is None:
            return None
        with self._lock:
            turn = self._replayed[key]
            self._replayed[key] += 1
        for place, _ in pairwise(places):
            exchange = self.snapshot.exchanges[place]
            if turn < exchange.asked:
                return exchange
            turn -= exchange.asked
        return self.snapshot.exchanges[places[-1]]

    def _failure(self, exchange: Exchange) -> Exception | None:
        if exchange.complete:
            return None
        if exchange.broken:
            return TransportError(exchange.broken, timeout=exchange.timeout)
        return SnapshotMiss(
            f"{self.snapshot.path.name} holds only the beginning of the answer to "
            f"{exchange.method} {exchange.path}: it was called off while it was recorded. "
            "Record it again and let it come to its end.",
            exchange.method,
            exchange.path,
        )

    def _miss(self, request: Request) -> SnapshotMiss:
        query = dict(parse_qsl(request.query, keep_blank_values=True))
        asked = Asked(request.method, request.path, query, _json(request.body))
        recorded = [
            Asked(each.method, each.path, each.query, each.request)
            for each in self.snapshot.exchanges
        ]
        name = self.snapshot.path.name
        lines = [f"{name} holds no answer to {request.method} {request.path} as asked here."]
        found: tuple[str, ...] = ()
        place = nearest(asked, recorded)
        if place is None:
            lines.append("Nothing of the kind was recorded.")
        else:
            found = differences(recorded[place], asked)
            lines.append(f"The nearest recorded request, line {place + 2}, differs in:")
            lines += [f"  {line}" for line in found]
        lines.append(
            f'To add it, run the notebook on the service again: with client.recording("{name}"): …'
        )
        return SnapshotMiss("\n".join(lines), request.method, request.path, found)


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body) if body else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
