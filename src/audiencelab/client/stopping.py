"""Ends a call that is given up: what its thread waits for is woken, and `Stopped` is raised there.

A call that may be given up runs inside `Stop.active()`. Whatever waits on its way says how it is
woken (`waking`), and what runs long asks now and then whether to go on (`check`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_current: ContextVar[Stop | None] = ContextVar("stop", default=None)


class Stopped(BaseException):
    """The call was given up. Not an `Exception`: nothing on the way may take it for a failure."""


class Stop:
    """Gives up what runs inside `active()`; once set, for good."""

    def __init__(self) -> None:
        self._set = threading.Event()
        self._changing = threading.Lock()
        self._wakes: list[Callable[[], object]] = []

    def set(self) -> None:
        """Wake what waits; may be called from any thread, and does not wait itself."""
        # Under the lock, since what is woken may belong to another call a moment later.
        with self._changing:
            self._set.set()
            for wake in self._wakes:
                wake()

    def is_set(self) -> bool:
        return self._set.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, and raise `Stopped` if this is set meanwhile."""
        if self._set.wait(seconds):
            raise Stopped

    def run(self, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """What `work` returns, which this may give up."""
        with self.active():
            check()
            return work(*args, **options)

    @contextmanager
    def active(self) -> Generator[None]:
        """Let this give up what the thread does meanwhile; so does a stop that is active around."""
        outer = _current.get()
        token = _current.set(self)
        try:
            if outer is None:
                yield
            else:
                with outer.waking(self.set):
                    yield
        finally:
            _current.reset(token)

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Generator[None]:
        """Call `wake` when this is set, or now if it is; it may not wait."""
        with self._changing:
            if self._set.is_set():
                wake()
            self._wakes.append(wake)
        try:
            yield
        finally:
            with self._changing:
                self._wakes.remove(wake)


def is_stopped() -> bool:
    """Whether the call that this thread makes has been given up."""
    stop = _current.get()
    return stop is not None and stop.is_set()


def check() -> None:
    """Raise `Stopped` if the call that this thread makes has been given up."""
    if is_stopped():
        raise Stopped


def sleep(seconds: float) -> None:
    """Wait; raises `Stopped` as soon as the call is given up."""
    stop = _current.get()
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)


@contextmanager
def waking(wake: Callable[[], object]) -> Generator[None]:
    """Call `wake` as soon as the call that this thread makes is given up."""
    stop = _current.get()
    if stop is None:
        yield
    else:
        with stop.waking(wake):
            yield


@contextmanager
def holding(lock: threading.RLock) -> Generator[None]:
    """Hold a lock that another thread may hold for as long as a request takes."""
    while not lock.acquire(timeout=-1 if _current.get() is None else 0.25):
        check()
    try:
        yield
    finally:
        lock.release()
