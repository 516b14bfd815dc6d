"""What a door is, in its blocking and its asynchronous form."""

from __future__ import annotations

import asyncio
from threading import Lock
from typing import Protocol

from audiencelab.client.credentials import Secret
from audiencelab.client.messages import Head, Patience, Request

__all__ = ["Answer", "AsyncAnswer", "AsyncDoor", "Door", "ThreadedDoor"]


class Answer(Protocol):
    """An answer that has begun."""

    @property
    def head(self) -> Head: ...

    def read(self) -> bytes:
        """The next bytes of the body, any encoding undone; `b""` at its end. Raises `NoAnswer`."""
        ...

    def close(self) -> None:
        """Free what carries the answer. Harmless twice, and from another thread than `read`."""
        ...


class Door(Protocol):
    """Takes requests to one service; safe to use from several threads."""

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The credentials it has sent lately: what no file may hold."""
        ...

    def send(self, request: Request, patience: Patience) -> Answer:
        """Send a request and wait for the beginning of its answer. Raises `NoAnswer`."""
        ...

    def close(self) -> None: ...


class AsyncAnswer(Protocol):
    """An answer that has begun, for `await`."""

    @property
    def head(self) -> Head: ...

    async def read(self) -> bytes:
        """The next bytes of the body, any encoding undone; `b""` at its end. Raises `NoAnswer`."""
        ...

    async def close(self) -> None: ...


class AsyncDoor(Protocol):
    """Takes requests to one service; belongs to the event loop that first used it."""

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The credentials it has sent lately: what no file may hold."""
        ...

    async def send(self, request: Request, patience: Patience) -> AsyncAnswer:
        """Send a request and wait for the beginning of its answer. Raises `NoAnswer`."""
        ...

    async def close(self) -> None: ...


class ThreadedDoor:
    """A blocking door for `await`: each step runs on a worker thread, so the loop stays free.

    Made for the embedded service, whose steps are computation.
    """

    def __init__(self, door: Door) -> None:
        self._door = door

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self._door.secrets

    async def send(self, request: Request, patience: Patience) -> AsyncAnswer:
        return _ThreadedAnswer(await asyncio.to_thread(self._door.send, request, patience))

    async def close(self) -> None:
        self._door.close()


class _ThreadedAnswer:
    """An answer whose steps go on, on their threads, although nobody waits for them any more."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._reading = Lock()
        self._closed = False
        self.head = answer.head

    async def read(self) -> bytes:
        return await asyncio.to_thread(self._read)

    async def close(self) -> None:
        self._closed = True
        # A step under way cannot be stopped, nor waited for; it closes the answer when it is done.
        if self._reading.acquire(blocking=False):
            try:
                self._answer.close()
            finally:
                self._reading.release()

    def _read(self) -> bytes:
        try:
            with self._reading:
                return b"" if self._closed else self._answer.read()
        finally:
            # Looked at once the lock is free: `close` does the two in the other order.
            if self._closed:
                self._answer.close()
