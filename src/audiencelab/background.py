"""Work in the background: on threads, or on the event loop where there are none.

The only module that starts threads. Python in a browser (emscripten) has none: there, work waits
for the next turn of the event loop, and begins at once when its result is asked for.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, ParamSpec, Protocol, TypeVar

from audiencelab.browser import IN_BROWSER

__all__ = ["EXIT_SECONDS", "Handle", "Task", "call_later", "in_thread", "pool", "run"]

EXIT_SECONDS = 20.0
"""How long the end of the program waits for cancelled work. Most work ends at once between two of
its steps; only compiling the kernel takes seconds."""

IDLE_SECONDS = 10.0
"""How long a thread of an executor waits for more work."""

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger("audiencelab")
_has_threads = not IN_BROWSER
_lock = threading.Lock()
_running: dict[Task[Any], tuple[threading.Thread, Callable[[], object]]] = {}
_exit_watcher: threading.Thread | None = None


class Task(Future[T]):
    """The future of one piece of work; its methods wait for the work, or do it without threads."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__()
        self._work = work
        self._has_begun = False

    def begin(self) -> None:
        """Do the work on this thread, unless it was begun or cancelled before."""
        if self._has_begun or not self.set_running_or_notify_cancel():
            return
        self._has_begun = True
        try:
            self.set_result(self._work())
        except BaseException as error:
            # Many callers only want the work done and never read its future.
            _log.warning("Work in the background failed.", exc_info=error)
            self.set_exception(error)

    def result(self, timeout: float | None = None) -> T:
        """What the work returned; raises its error, or `TimeoutError`."""
        self.begin_without_threads()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The error of the work, or None; raises `TimeoutError`."""
        self.begin_without_threads()
        return super().exception(timeout)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the work has ended, however it did; False after `timeout` seconds."""
        try:
            self.exception(timeout)
        except TimeoutError:
            return self.done()
        return True

    def begin_without_threads(self) -> None:
        """Begin now where nothing else would while this thread waits."""
        if not _has_threads:
            self.begin()


def run(work: Callable[[], T], *, name: str, cancel: Callable[[], object]) -> Task[T]:
    """Begin `work` in the background; returns its future.

    name: of the thread. cancel: asks the work to end soon; called from another thread, and only at
    the end of the program. It may be called when the work has just ended.
    """
    task = Task(work)
    if not _has_threads:
        _soon(task.begin)
        return task

    def on_thread() -> None:
        try:
            task.begin()
        finally:
            with _lock:
                _running.pop(task, None)

    thread = threading.Thread(target=on_thread, name=name, daemon=True)
    with _lock:
        _watch_for_the_end()
        _running[task] = thread, cancel
    try:
        thread.start()
    except BaseException:  # pragma: no cover - there are no more threads
        with _lock:
            _running.pop(task, None)
        raise
    return task


class Handle(Protocol):
    """A call that is to come."""

    def cancel(self) -> object:
        """Leave it out, if it has not begun."""


def call_later(seconds: float, call: Callable[[], object]) -> Handle:
    """Make a short call after some seconds, on another thread or a turn of the event loop."""
    if not _has_threads:
        task = Task(call)
        _soon(task.begin, seconds)
        return task
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer


def pool(name: str, workers: int, cancel: Callable[[], object] | None = None) -> Executor:
    """An executor of `workers` threads; without threads, of turns of the event loop.

    cancel: as for `run`, of all work at once. Without it the end of the program waits for the work.
    """
    if not _has_threads:
        return _LoopExecutor()
    if cancel is None:
        return ThreadPoolExecutor(workers, thread_name_prefix=name)
    return _CancelledExecutor(name, workers, cancel)


async def in_thread(workers: Executor, work: Callable[[], T]) -> T:
    """What the work returns; the event loop goes on meanwhile where there are threads.

    workers: made by `pool`. The work sees the context variables of its caller.
    """
    if not _has_threads:
        return work()
    context = contextvars.copy_context()
    return await asyncio.wrap_future(workers.submit(context.run, work))


class _CancelledExecutor(Executor):
    """Does work on threads of `run`, so that the end of the program cancels it.

    A thread is started where none is idle, and ends after a while without work.
    """

    def __init__(self, name: str, workers: int, cancel: Callable[[], object]) -> None:
        self._name = name
        self._most = workers
        self._cancel = cancel
        self._changed = threading.Condition()
        self._work: deque[Callable[[], object]] = deque()
        self._threads = self._idle = 0
        self._ended = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    found = fn(*args, **kwargs)
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(found)

        with self._changed:
            if self._ended:
                raise RuntimeError("This executor takes no more work.")
            self._work.append(work)
            self._changed.notify()
            if len(self._work) <= self._idle or self._threads == self._most:
                return future
            self._threads += 1
        run(self._serve, name=self._name, cancel=self._end)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work; threads end when there is none left."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _serve(self) -> None:
        while self._did_work():
            pass

    def _did_work(self) -> bool:
        # In a function of its own, which holds no result while the thread is idle.
        work = self._next()
        if work is not None:
            work()
        return work is not None

    def _next(self) -> Callable[[], object] | None:
        """The next piece of work; None after a while without any, and at the end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._work or self._ended, IDLE_SECONDS)
            self._idle -= 1
            if self._work:
                return self._work.popleft()
            self._threads -= 1
            return None

    def _end(self) -> None:
        self._cancel()
        self.shutdown()


class _LoopExecutor(Executor):
    """Does each piece of work in a turn of the event loop."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        task = Task(lambda: fn(*args, **kwargs))
        _soon(task.begin)
        return task


def _soon(call: Callable[[], object], seconds: float = 0) -> None:
    """Call in a later turn of the event loop; now, where no loop is running."""
    try:
        asyncio.get_running_loop().call_later(seconds, call)
    except RuntimeError:
        call()


# -- the end of the program ------------------------------------------------------------------------


def _watch_for_the_end() -> None:
    """Start the thread that cancels all work when the main thread ends, once; the lock is held.

    A daemon thread is stopped wherever it is when Python ends, which aborts the process inside
    compiled code; any other thread delays the end until its work is done. So daemons do the work,
    and this thread, which is not a daemon, cancels it and waits for them.
    """
    global _exit_watcher
    if _exit_watcher is None:
        _exit_watcher = threading.Thread(target=_end, name="background-exit")
        _exit_watcher.start()


def _end() -> None:
    """Wait for the main thread, then cancel all work and wait until it has ended."""
    threading.main_thread().join()
    with _lock:
        running = list(_running.values())
    for _, cancel in running:
        cancel()
    until = time.monotonic() + EXIT_SECONDS
    for thread, _ in running:
        thread.join(max(0.0, until - time.monotonic()))


def _after_fork() -> None:
    """Forget the threads of the parent, of which a copy of the process has none."""
    global _exit_watcher, _lock
    _lock, _exit_watcher = threading.Lock(), None
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
