"""Crosstabs and profiles while they arrive: their updates, the result that fills, the progress."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, Self, TypeVar, cast

from audiencelab.client.errors import RequestError
from audiencelab.client.on_threads import Steps, Workers
from audiencelab.client.stopping import Stop, Stopped
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.tables import CrosstabResult, ProfileResult

R = TypeVar("R", CrosstabResult, ProfileResult)

Progress = Callable[[int, int], object] | bool | None
"""A function of the cells that have arrived and the cells expected; True for a progress bar."""


class _Filling(Generic[R]):
    """What both kinds of stream share: a result that fills."""

    result: R

    def __repr__(self) -> str:
        arrived, expected = self.result.count, self.result.expected
        return f"<{type(self).__name__}: {arrived:,} of {expected:,} cells have arrived>"


class CrosstabStream(_Filling[R]):
    """A crosstab or a profile that is arriving: iterate over its updates, read `result` any time.

    result: fills as cells arrive. If the survey changes meanwhile, the query starts again: the next
        update has no cells, and `result` is an empty table of the new version from then on. The
        cells of the old version stay in the table that it was before, and no table has both.
    A context manager; `close()` stops it.
    """

    def __init__(self, result: R, updates: Generator[CrosstabUpdate]) -> None:
        self.result = result
        self._updates = updates
        self._stop = Stop()
        self._closed = False

    def __iter__(self) -> Iterator[CrosstabUpdate]:
        return self

    def __next__(self) -> CrosstabUpdate:
        try:
            with self._stop.active():
                update = None if self._closed else next(self._updates)
            # Closed meanwhile, the generator is still to be closed.
            if update is not None and not self._closed:
                if isinstance(self.result, CrosstabResult):
                    self.result = cast(R, update.result)
                return update
        except (RequestError, Stopped):
            if not self._closed:
                raise
        self.close()
        raise StopIteration

    def close(self) -> None:
        """Stop the rest and free the connection; what has arrived stays in `result`.

        >>> stream = client.crosstab_stream("Finding brands", "Age")
        >>> update = next(stream)
        >>> stream.close()
        >>> stream.result.count == update.arrived
        True
        """
        # A step that another thread makes ends; until it has, the generator cannot be closed.
        self._closed = True
        self._stop.set()
        with suppress(ValueError):
            self._updates.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncCrosstabStream(_Filling[R]):
    """A crosstab or a profile that is arriving: `async for` its updates, read `result` any time.

    result: fills as cells arrive. Use it with `async with`; `close()` stops it.
    """

    def __init__(self, stream: CrosstabStream[R], workers: Workers) -> None:
        self.result = stream.result
        self._stream = stream
        self._steps = Steps(stream, workers)

    def __aiter__(self) -> AsyncIterator[CrosstabUpdate]:
        return self

    async def __anext__(self) -> CrosstabUpdate:
        update = await anext(self._steps)
        self.result = self._stream.result
        return update

    async def close(self) -> None:
        """Stop the rest and free the connection; what has arrived stays in `result`.

        >>> import asyncio
        >>> async def first_update():
        ...     async with al.connect_async() as client:
        ...         await client.catalogue()  # where questions are found by name
        ...         stream = client.crosstab_stream("Finding brands", "Age")
        ...         update = await anext(stream)
        ...         await stream.close()
        ...         return stream.result.count == update.arrived
        >>> asyncio.run(first_update())
        True
        """
        await self._steps.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


@contextmanager
def reporting(
    progress: Progress, expected: int, unit: str = "cells"
) -> Generator[Callable[[CrosstabUpdate], object]]:
    """A function to call with every update; a progress bar, in `unit`s, is closed at the end."""
    if progress is None or progress is False:
        yield lambda update: None
    elif progress is True:
        from tqdm.auto import tqdm

        with tqdm(total=expected, unit=unit) as bar:
            yield lambda update: bar.update(len(update.rows))
    elif callable(progress):
        yield lambda update: progress(update.arrived, update.expected)
    else:
        raise TypeError(
            "progress must be a function of (arrived, expected), or True for a bar; got "
            f"{type(progress).__name__}."
        )
