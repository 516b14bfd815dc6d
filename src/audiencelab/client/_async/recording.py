"""The transport that records what passes through it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from audiencelab.client.credentials import Secret
from audiencelab.client.snapshots.recorder import Entry, Recorder, without_blocks
from audiencelab.client.transports.base import (
    NO_LIMIT,
    AsyncResponse,
    AsyncTransport,
    Timeout,
)
from audiencelab.schema.http import Request, TransportError


class AsyncRecordingTransport:
    """Forwards to `inner`; `recorder` keeps what passes. Used while a client is recorded."""

    def __init__(self, inner: AsyncTransport, recorder: Recorder) -> None:
        self.inner = inner
        self._recorder = recorder

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self.inner.secrets

    async def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> AsyncResponse:
        response = await self.inner.send(without_blocks(request), timeout)
        entry = self._recorder.begin(request, response.status, response.headers, self.inner.secrets)
        return replace(response, body=_RecordedBody(response, entry))

    async def close(self) -> None:
        await self.inner.close()


class _RecordedBody:
    """The body of a response; each chunk that is read is recorded."""

    def __init__(self, response: AsyncResponse, entry: Entry) -> None:
        self._chunks = aiter(response.body)
        self._entry = entry
        self.aclose = response.close

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return self._entry.add(await anext(self._chunks))
        except StopAsyncIteration:
            self._entry.complete = True
            raise
        except TransportError as error:
            self._entry.failure = error.with_traceback(None)
            raise
