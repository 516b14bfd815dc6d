"""The protocol of a transport, in its blocking and its asynchronous form.

A transport knows addresses, connections and credentials, and nothing about operations, errors of
the service or retries. Requests and responses are those of `audiencelab.schema.http`, which the
service itself uses, so that in this process nothing is converted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from threading import Lock
from typing import NamedTuple, Protocol

from audiencelab.client.credentials import Secret
from audiencelab.schema.http import Request, Response


class Timeout(NamedTuple):
    """How long a transport waits.

    seconds: without a byte from the service; None waits without end.
    until: the time by `time.monotonic` at which the whole call must be over.
    """

    seconds: float | None = None
    until: float = inf


NO_LIMIT = Timeout()


class Transport(Protocol):
    """Sends requests to one service; safe to use from several threads."""

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The credentials it has sent recently, which must not be written to a file."""
        ...

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        """Send a request and wait for the head of its response.

        The body is read while it is iterated over. Raises `TransportError`, and so does iterating
        over the body.
        """
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


class AsyncBody(Protocol):
    """The bytes of a response, for `async for`."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class AsyncResponse:
    """A response whose body is awaited; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: AsyncBody

    async def close(self) -> None:
        """Free the connection of the response."""
        await self.body.aclose()


class AsyncTransport(Protocol):
    """The same for `await`; belongs to the event loop that uses it first."""

    @property
    def secrets(self) -> tuple[Secret, ...]: ...

    async def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> AsyncResponse: ...

    async def close(self) -> None: ...


class ThreadTransport:
    """A blocking transport for `await`: each step runs on a worker thread.

    For the embedded service, whose steps are computation, and for snapshots.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self._transport.secrets

    async def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> AsyncResponse:
        # asyncio is loaded by asynchronous clients only.
        from audiencelab.background import in_thread

        response = await in_thread(self._transport.send, request, timeout)
        return AsyncResponse(response.status, response.headers, _ThreadBody(response))

    async def close(self) -> None:
        self._transport.close()


class _ThreadBody:
    """A body whose current step continues on its thread even if its task was cancelled."""

    def __init__(self, response: Response) -> None:
        self._response = response
        self._chunks: Iterator[bytes] = iter(response.body)
        self._reading = Lock()
        self._closed = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        from audiencelab.background import in_thread

        chunk = await in_thread(self._next)
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        self._closed = True
        # A running step cannot be stopped; it closes the response when it ends.
        if self._reading.acquire(blocking=False):
            try:
                self._response.close()
            finally:
                self._reading.release()

    def _next(self) -> bytes | None:
        try:
            with self._reading:
                return None if self._closed else next(self._chunks, None)
        finally:
            # Checked after the lock is released: `aclose` sets the flag before it tries the lock.
            if self._closed:
                self._response.close()
