"""What a recording keeps of the requests and responses that pass.

Hashing and sorting happen when the recording ends.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from audiencelab.client.credentials import Secret
from audiencelab.client.problems import is_of_another_version
from audiencelab.client.snapshots.format import Exchange, canonical, key_of, query_of
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import BASE_OF, SURVEY_VERSION, Request, TransportError

_TRANSIENT = frozenset({408, 429, *range(500, 600)})
"""Statuses after which the same request may get a good response next."""

_KEPT_HEADERS = frozenset(
    {"content-type", "date", "etag", "retry-after", "x-request-id", SURVEY_VERSION, BASE_OF}
)
_KEPT_PREFIX = "x-ratelimit-"


def without_blocks(request: Request) -> Request:
    """The request without the media type of columnar blocks: snapshots hold JSON."""
    accepted = request.headers.get("accept", "")
    if CELLS not in accepted:
        return request
    others = ",".join(each for each in accepted.split(",") if CELLS not in each)
    return replace(request, headers={**request.headers, "accept": others.strip()})


@dataclass(slots=True)
class ExchangeRecord:
    """One request, and its response as far as it has been received."""

    request: Request
    status: int
    headers: Mapping[str, str]
    when: str = field(default_factory=lambda: now())
    chunks: list[bytes] = field(default_factory=list[bytes])
    complete: bool = False
    failure: TransportError | None = None

    def add(self, chunk: bytes) -> bytes:
        """Record a chunk and return it."""
        self.chunks.append(chunk)
        return chunk

    def exchange(self) -> Exchange:
        """What a snapshot holds of it."""
        # Read before the chunks, to which another thread may still add.
        complete, failure = self.complete, None if self.complete else self.failure
        request, content = self.request, b"".join(self.chunks)
        query, sent = query_of(request), canonical(request.body) if request.body else None
        try:
            body, body_base64 = content.decode(), ""
        except UnicodeDecodeError:
            body, body_base64 = "", base64.b64encode(content).decode()
        return Exchange(
            key=key_of(request.method, request.path, query, sent or request.body),
            when=self.when,
            method=request.method,
            path=request.path,
            query=query,
            request=msgspec.UNSET if sent is None else msgspec.json.decode(sent),
            request_base64="" if sent else base64.b64encode(request.body).decode(),
            status=self.status,
            headers={
                name: value
                for name, value in self.headers.items()
                if name in _KEPT_HEADERS or name.startswith(_KEPT_PREFIX)
            },
            body=body,
            body_base64=body_base64,
            sha256=sha256(content).hexdigest(),
            complete=complete,
            broken=failure.message if failure else "",
            timeout=failure.timeout if failure else False,
        )


@dataclass(slots=True)
class Recorder:
    """What one recording has kept so far, in order; threads may share it.

    path: the file that it will be written to. secrets: the credentials that were sent.
    """

    path: Path
    entries: list[ExchangeRecord] = field(default_factory=list[ExchangeRecord])
    secrets: set[Secret] = field(default_factory=set[Secret])

    def begin(
        self, request: Request, status: int, headers: Mapping[str, str], secrets: Iterable[Secret]
    ) -> ExchangeRecord:
        """Begin to record a response."""
        entry = ExchangeRecord(request, status, headers)
        self.entries.append(entry)
        self.secrets.update(secrets)
        return entry

    def exchanges(self) -> tuple[Exchange, ...]:
        """What is kept.

        A response that failed is left out if the same request got a good one later; one that was
        received several times in a row is kept once, with its count. That the survey was not in
        the version asked for is never kept: a recording is asked for no version.
        """
        kept = [entry.exchange() for entry in [*self.entries]]
        kept = [each for each in kept if not is_of_another_version(each.status, each.content)]
        return _merge_repeated(_drop_transient(kept))


def now() -> str:
    """The current time as snapshots hold it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _drop_transient(exchanges: list[Exchange]) -> list[Exchange]:
    """Without failures after which the same request got a good response."""
    answered: set[str] = set()
    kept: list[Exchange] = []
    # From the end, so that it is known what the same request got later.
    for exchange in reversed(exchanges):
        good = exchange.complete and exchange.status not in _TRANSIENT
        if good:
            answered.add(exchange.key)
        if good or exchange.key not in answered:
            kept.append(exchange)
    return kept[::-1]


def _merge_repeated(exchanges: Iterable[Exchange]) -> tuple[Exchange, ...]:
    """With equal responses to the same request in a row counted instead of repeated."""
    kept: list[Exchange] = []
    latest: dict[str, int] = {}
    for exchange in exchanges:
        index = latest.get(exchange.key)
        if index is not None and _outcome(kept[index]) == _outcome(exchange):
            kept[index] = msgspec.structs.replace(kept[index], asked=kept[index].asked + 1)
        else:
            latest[exchange.key] = len(kept)
            kept.append(exchange)
    return tuple(kept)


def _outcome(exchange: Exchange) -> tuple[object, ...]:
    return exchange.status, exchange.sha256, exchange.complete, exchange.broken
