"""A crosstab or a profile that is followed while it comes: its updates, and its growing result."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Generic, NoReturn, Self, TypeVar

from audiencelab.client.flow.async_driver import AsyncRun
from audiencelab.client.flow.driver import Run
from audiencelab.client.stream.cells import CrosstabUpdate
from audiencelab.tables import CrosstabResult, ProfileResult

__all__ = ["AsyncCrosstabStream", "CrosstabStream"]

R = TypeVar("R", CrosstabResult, ProfileResult)

_NO_ITEMS = "A stream has no items: what has come so far is stream.result."


class CrosstabStream(Generic[R]):
    """A crosstab or a profile under way: iterate over its updates, read `result` at any time.

    result: filling as cells arrive. A context manager; `close()` calls it off.
    """

    def __init__(self, run: Run[R], result: R) -> None:
        self._run = run
        self._updates = iter(run)
        self.result = result

    def __iter__(self) -> Iterator[CrosstabUpdate]:
        return self

    def __repr__(self) -> str:
        arrived, expected = self.result.count, self.result.expected
        return f"<{type(self).__name__}: {arrived:,} of {expected:,} cells have arrived>"

    def __next__(self) -> CrosstabUpdate:
        return next(self._updates)

    def __aiter__(self) -> NoReturn:
        raise TypeError("Write `for update in stream`; `async for` is for an AsyncClient's stream.")

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(_NO_ITEMS)

    def close(self) -> None:
        """Call the rest off and free the connection; what has arrived stays in `result`."""
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncCrosstabStream(Generic[R]):
    """A crosstab or a profile under way: `async for` its updates, read `result` at any time.

    result: filling as cells arrive. `async with` it; `close()` calls it off.
    """

    def __init__(self, run: AsyncRun[R], result: R) -> None:
        self._run = run
        self._updates = aiter(run)
        self.result = result

    def __aiter__(self) -> AsyncIterator[CrosstabUpdate]:
        return self

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(_NO_ITEMS)

    def __iter__(self) -> NoReturn:
        raise TypeError("Write `async for update in stream`; a plain for cannot wait.")

    def __repr__(self) -> str:
        arrived, expected = self.result.count, self.result.expected
        return f"<{type(self).__name__}: {arrived:,} of {expected:,} cells have arrived>"

    async def __anext__(self) -> CrosstabUpdate:
        return await anext(self._updates)

    def __enter__(self) -> NoReturn:
        raise TypeError("An AsyncCrosstabStream is entered with `async with stream:`.")

    def __exit__(self, *_: object) -> None:
        """Python looks for it before it calls `__enter__`."""

    async def close(self) -> None:
        """Call the rest off and free the connection; what has arrived stays in `result`."""
        await self._run.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
