"""Crosstabs and profiles while they arrive: their updates, and the result that fills."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from audiencelab.client.errors import RequestError
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.tables import CrosstabResult, ProfileResult

if TYPE_CHECKING:
    from asyncio import Future

R = TypeVar("R", CrosstabResult, ProfileResult)

Sleep = Callable[[float], Any]


class CrosstabStream(Generic[R]):
    """A crosstab or a profile that is arriving: iterate over its updates, read `result` any time.

    result: fills as cells arrive. A context manager; `close()` stops it.
    """

    def __init__(
        self, result: R, updates: Callable[[Sleep], Generator[CrosstabUpdate, None]]
    ) -> None:
        self.result = result
        self._closed = Event()
        self._updates = updates(self._closed.wait)

    def __iter__(self) -> Iterator[CrosstabUpdate]:
        return self

    def __repr__(self) -> str:
        arrived, expected = self.result.count, self.result.expected
        return f"<{type(self).__name__}: {arrived:,} of {expected:,} cells have arrived>"

    def __next__(self) -> CrosstabUpdate:
        try:
            if not self._closed.is_set():
                return next(self._updates)
        except RequestError:
            if not self._closed.is_set():
                raise
        self._end()
        raise StopIteration

    def close(self) -> None:
        """Stop the rest and free the connection; what has arrived stays in `result`."""
        # From another thread a wait between attempts ends at once, and a running step is the last.
        self._closed.set()
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _end(self) -> None:
        # Running on another thread, the generator cannot be closed; its next step closes it.
        with suppress(ValueError):
            self._updates.close()


class AsyncCrosstabStream(Generic[R]):
    """A crosstab or a profile that is arriving: `async for` its updates, read `result` any time.

    result: fills as cells arrive. Use it with `async with`; `close()` stops it.
    """

    def __init__(
        self, result: R, updates: Callable[[Sleep | None], AsyncGenerator[CrosstabUpdate, None]]
    ) -> None:
        self.result = result
        self._closed = False
        self._updates = updates(None)
        self._step: Future[CrosstabUpdate] | None = None

    def __aiter__(self) -> AsyncIterator[CrosstabUpdate]:
        return self

    def __repr__(self) -> str:
        arrived, expected = self.result.count, self.result.expected
        return f"<{type(self).__name__}: {arrived:,} of {expected:,} cells have arrived>"

    async def __anext__(self) -> CrosstabUpdate:
        import asyncio

        if self._closed:
            raise StopAsyncIteration
        self._step = asyncio.ensure_future(anext(self._updates))
        try:
            return await self._step
        except asyncio.CancelledError:
            if not self._closed:
                raise
            raise StopAsyncIteration from None
        finally:
            self._step = None

    async def close(self) -> None:
        """Stop the rest and free the connection; what has arrived stays in `result`."""
        self._closed = True
        if self._step is not None:
            # Another task is waiting for a step: its iteration ends.
            self._step.cancel()
        else:
            await self._updates.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
