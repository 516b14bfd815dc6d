"""`ReplayTransport` answers from a snapshot; it opens no socket and has no credential.

Recorded delays are not repeated. Responses that changed are given in their order, the last one
from then on. A stream that broke off breaks off again, at the same byte.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from audiencelab.client.context import ClientContext
from audiencelab.client.credentials import Secret
from audiencelab.client.noting import note_exchange
from audiencelab.client.options import OWN_BODY, ClientOptions
from audiencelab.client.snapshots.diff import ComparedRequest, nearest, request_differences
from audiencelab.client.snapshots.format import (
    EMBEDDED_PLACE,
    UNREADABLE,
    Exchange,
    Header,
    Snapshot,
    SnapshotError,
    query_of,
    read,
    request_key,
)
from audiencelab.client.snapshots.recorded_questions import recorded_questions
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.schema.http import EDITS, Request, Response, TransportError

REPLAY = ClientOptions(timeout=None, deadline=None, pauses=False, max_body=OWN_BODY)
"""Options of a replaying client: as many attempts as the recording one, without pauses."""

_CHUNK = 1 << 16


class SnapshotMiss(SnapshotError, LookupError):
    """A replaying client sent a request that the snapshot does not hold.

    method, path: of the request.
    differences: how it differs from the nearest recorded one, one line each; empty if no request
        of its kind was recorded.
    """

    def __init__(
        self, message: str, method: str, path: str, differences: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.method = method
        self.path = path
        self.differences = differences

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.method, self.path, self.differences)


def open_replay(path: str | Path) -> tuple[ReplayTransport, Header]:
    """A transport that answers from a snapshot, and the snapshot's header.

    Raises `SnapshotError`.
    """
    snapshot = read(Path(path).expanduser())
    return ReplayTransport(snapshot), snapshot.header


def replayed_context(snapshot: Snapshot) -> ClientContext:
    """A context that knows what the recording one knew, so that the client asks alike."""
    header = snapshot.header
    return ClientContext(
        place=header.source,
        embedded=header.place == EMBEDDED_PLACE,
        base_namespace=header.base_namespace,
        location_question=header.location_question,
        include_parameter=header.include_parameter,
        wave_names=header.wave_names,
        learnt=header.survey_scope,
        weight=header.weight,
        weights=header.weights,
        snapshot=snapshot.path,
        recorded_at=header.created,
        recorded_questions=partial(recorded_questions, snapshot.exchanges, header.base_namespace),
    )


class ReplayTransport:
    """Answers from a snapshot, `chunk` bytes at a time."""

    secrets: tuple[Secret, ...] = ()

    def __init__(self, snapshot: Snapshot, *, chunk: int = _CHUNK) -> None:
        self.snapshot = snapshot
        self._chunk = chunk
        self._lock = threading.Lock()
        self._indices: dict[str, list[int]] = {}
        self._replayed: Counter[str] = Counter()
        self._used: set[int] = set()
        for index, exchange in enumerate(snapshot.exchanges):
            self._indices.setdefault(exchange.key, []).append(index)
        named = {exchange.query.get(EDITS) for exchange in snapshot.exchanges}
        # What was recorded after edits of the survey is replayed without making them again.
        self._edits = named.pop() if len(named) == 1 else None

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        """The recorded response. Raises `SnapshotMiss`."""
        if self._edits and EDITS not in request.headers:
            request = replace(request, headers={**request.headers, EDITS: self._edits})
        position = self._next(request_key(request))
        if position is None:
            raise self._miss(request)
        exchange = self.snapshot.exchanges[position]
        if position not in self._used:
            self._used.add(position)
            note_exchange(self.snapshot.path, position)
        body = self._chunks(exchange.content, self._failure(exchange))
        return Response(exchange.status, exchange.headers, body)

    def close(self) -> None:
        pass

    def __repr__(self) -> str:
        return f"<ReplayTransport of {self.snapshot.path.name}>"

    def _chunks(self, content: bytes, failure: Exception | None) -> Iterator[bytes]:
        """The body in chunks; `failure` is how it ended if it was not received completely."""
        for start in range(0, len(content), self._chunk):
            yield content[start : start + self._chunk]
        if failure is not None:
            raise failure

    def _next(self, key: str) -> int | None:
        """The position of the response that it is the turn of."""
        indices = self._indices.get(key)
        if indices is None:
            return None
        with self._lock:
            turn = self._replayed[key]
            self._replayed[key] += 1
        # All but the last, which answers from then on.
        for index, _ in pairwise(indices):
            asked = self.snapshot.exchanges[index].asked
            if turn < asked:
                return index
            turn -= asked
        return indices[-1]

    def _failure(self, exchange: Exchange) -> Exception | None:
        if exchange.complete:
            return None
        if exchange.broken:
            return TransportError(exchange.broken, timeout=exchange.timeout)
        return SnapshotMiss(
            f"{self.snapshot.path.name} holds only the beginning of the response to "
            f"{exchange.method} {exchange.path}: it was closed while it was recorded. "
            "Record it again and read it to its end.",
            exchange.method,
            exchange.path,
        )

    def _miss(self, request: Request) -> SnapshotMiss:
        asked = ComparedRequest(
            request.method, request.path, query_of(request), _decoded(request.body)
        )
        recorded = [
            ComparedRequest(
                each.method, each.path, each.query, None if each.request is UNSET else each.request
            )
            for each in self.snapshot.exchanges
        ]
        name = self.snapshot.path.name
        lines = [f"{name} holds no response to {request.method} {request.path} as asked here."]
        found: tuple[str, ...] = ()
        index = nearest(asked, recorded)
        if index is None:
            lines.append("No request of this kind was recorded.")
        else:
            found = request_differences(recorded[index], asked)
            line = self.snapshot.line_of(index)
            lines.append(f"The nearest recorded request, line {line}, differs in:")
            lines += [f"  {line}" for line in found]
        lines.append(
            f'To add it, run the notebook on the service again: with client.recording("{name}"): …'
        )
        return SnapshotMiss("\n".join(lines), request.method, request.path, found)


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body) if body else None
    except UNREADABLE:
        return None
