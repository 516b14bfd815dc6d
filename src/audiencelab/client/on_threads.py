"""Blocking calls for `await`: each runs on a worker thread, and iterators one step at a time."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from audiencelab.client.context import CLOSED, ClientContext
from audiencelab.client.stopping import Stop, Stopped, waking
from audiencelab.hidden_members import hide_members
from audiencelab.unknown_names import OtherWords

if TYPE_CHECKING:
    from asyncio import Future
    from concurrent.futures import Executor

B = TypeVar("B")
P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

WORKERS = 64
"""Threads of one client: calls of it that wait for a service at the same time."""


class Workers:
    """The worker threads of one client and its copies, started when they are needed."""

    def __init__(self, context: ClientContext) -> None:
        self._context = context
        self._pool: Executor | None = None
        self._stops: set[Stop] = set()

    async def run(self, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """What a blocking call returns; its thread is free soon after this is cancelled.

        Raises `RuntimeError` once the client is closed.
        """
        # asyncio is loaded by asynchronous clients only.
        from audiencelab import background

        self._context.check_open()
        if self._pool is None:
            self._pool = background.pool("audiencelab-async", WORKERS, cancel=self.stop)
        stop = Stop()
        self._stops.add(stop)
        try:
            return await background.in_thread(self._pool, lambda: stop.run(work, *args, **options))
        except Stopped:
            raise RuntimeError(CLOSED) from None
        except BaseException:
            # This task was cancelled: the thread would go on by itself.
            stop.set()
            raise
        finally:
            self._stops.discard(stop)

    def stop(self) -> None:
        """Give up all calls that are being made."""
        # A copy: calls of other threads end, and remove theirs, meanwhile.
        for stop in list(self._stops):
            stop.set()

    def close(self) -> None:
        """Give up all calls, and take no more."""
        self.stop()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


@hide_members("blocking", "workers")
class OnThreads(OtherWords, Generic[B]):
    """The methods of a blocking object, for `await`."""

    def __init__(self, blocking: B, workers: Workers) -> None:
        self.blocking = blocking
        self.workers = workers

    def __repr__(self) -> str:
        return f"<Async{repr(self.blocking)[1:]}"


def awaited(
    method: Callable[Concatenate[B, P], T],
) -> Callable[Concatenate[OnThreads[B], P], Coroutine[Any, Any, T]]:
    """A blocking method as one to await, with the same arguments and documentation."""

    @wraps(method)
    async def call(self: OnThreads[B], /, *args: P.args, **options: P.kwargs) -> T:
        if callable(report := options.get("progress")):
            options["progress"] = _on_loop(report)
        return await self.workers.run(method, self.blocking, *args, **options)

    return call


def _on_loop(function: Callable[..., object]) -> Callable[..., object]:
    """The function, called by other threads and yet on this one, where its event loop is."""
    import asyncio
    from concurrent import futures

    loop, here = asyncio.get_running_loop(), threading.get_ident()

    def call(*args: object) -> object:
        # On the loop's own thread, waiting for the loop would never end.
        if threading.get_ident() == here:
            return function(*args)
        done: futures.Future[object] = futures.Future()

        def work() -> None:
            # False once the caller has been woken by `cancel`, and waits no more.
            if done.set_running_or_notify_cancel():
                try:
                    done.set_result(function(*args))
                except BaseException as error:
                    done.set_exception(error)

        with waking(done.cancel):
            loop.call_soon_threadsafe(work)
            return done.result()

    return call


class Closable(Protocol[T_co]):
    """A generator or a stream; `close` may be called while another thread makes a step."""

    def __next__(self) -> T_co: ...

    def close(self) -> None: ...


class Steps(AsyncIterator[T]):
    """The values of a blocking iterator, each made on a worker thread."""

    def __init__(self, values: Closable[T], workers: Workers) -> None:
        self._values = values
        self._workers = workers
        self._closed = False
        self._step: Future[tuple[T, ...]] | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        import asyncio

        if self._closed:
            raise StopAsyncIteration
        self._step = asyncio.ensure_future(self._workers.run(self._next))
        try:
            for value in await self._step:
                return value
        except asyncio.CancelledError:
            if not self._closed:
                self._closed = True
                raise
        finally:
            self._step = None
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """End the iteration and free what it holds; a step of another task ends it there."""
        self._closed = True
        if self._step is not None:
            self._step.cancel()
        self._end()

    def _next(self) -> tuple[T, ...]:
        """The next value; none at the end, as `StopIteration` cannot pass a future."""
        try:
            return (next(self._values),)
        except StopIteration:
            return ()
        finally:
            # Closed meanwhile, which a running iterator cannot be.
            if self._closed:
                self._end()

    def _end(self) -> None:
        with suppress(ValueError):
            self._values.close()
