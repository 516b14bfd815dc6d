"""The transport that records what passes through it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from audiencelab.client.credentials import Secret
from audiencelab.client.snapshots.recorder import ExchangeRecord, Recorder, without_blocks
from audiencelab.client.transports.base import (
    NO_LIMIT,
    Response,
    Timeout,
    Transport,
)
from audiencelab.schema.http import Request, TransportError


class RecordingTransport:
    """Forwards to `inner`; `recorder` keeps what passes. Used while a client is recorded."""

    def __init__(self, inner: Transport, recorder: Recorder) -> None:
        self.inner = inner
        self._recorder = recorder

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self.inner.secrets

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        response = self.inner.send(without_blocks(request), timeout)
        entry = self._recorder.begin(request, response.status, response.headers, self.inner.secrets)
        return replace(response, body=_RecordedBody(response, entry))

    def close(self) -> None:
        self.inner.close()


class _RecordedBody:
    """The body of a response; each chunk that is read is recorded."""

    def __init__(self, response: Response, entry: ExchangeRecord) -> None:
        self._chunks = iter(response.body)
        self._entry = entry
        self.close = response.close

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return self._entry.add(next(self._chunks))
        except StopIteration:
            self._entry.complete = True
            raise
        except TransportError as error:
            self._entry.failure = error.with_traceback(None)
            raise
