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
    TransportError,
)
from audiencelab.schema.http import Request


class AsyncRecordingTransport:
    """Forwards to `inner`; its `recorder`, if it has one, keeps what passes.

    A client keeps one for its whole life, and its copies share it.
    """

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
        response = await self.inner.send(without_blocks(request), timeout)
        entry = recorder.begin(request, response.status, response.headers, self.inner.secrets)
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
