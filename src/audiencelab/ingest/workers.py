"""Where the work of an import is done: in this process, or in several of their own.

The work is cut into tasks, each a picklable function and value; results come in the order of the
tasks, so that what is made of them does not depend on how many work. Nothing of surveys is known
here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from audiencelab.ingest.tables import Progress
from audiencelab.survey.errors import SurveyError

__all__ = ["Tell", "Workers", "usable_cores"]

_LOOK = 0.1
"""Seconds between two looks at how far the processes are."""

Tell = Callable[[int], None]
"""Is told so many more bytes, by who does a task."""

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class _Work(Protocol[T_contra, R_co]):
    def __call__(self, task: T_contra, tell: Tell, /) -> R_co: ...


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """`jobs` processes; with one job this process, and no other is started.

    Leaving the context ends them, at the latest when a task tells how far it is. They end with
    this process too, however that ends.
    """

    def __init__(self, jobs: int = 1) -> None:
        if jobs < 1:
            raise SurveyError(f"{jobs} jobs do no work: take 1 or more.")
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        if jobs > 1:
            # Spawned: a forked copy of a process with threads, such as Arrow's, may hang.
            context = multiprocessing.get_context("spawn")
            self._told = context.Value("q", 0)
            self._stop = context.Event()
            self._pool = ProcessPoolExecutor(
                jobs, context, initializer=_begin, initargs=(self._told, self._stop)
            )

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._stop.set()
            self._pool.shutdown(cancel_futures=True)

    def map(
        self, work: _Work[T, R], tasks: Iterable[T], progress: Progress | None = None
    ) -> Iterator[R]:
        """What `work(task, tell)` gives for each task, in their order; a few are done ahead.

        progress: told how many bytes the tasks have told altogether.
        Raises what the work raises; `SurveyError` for a process that has ended of itself.
        """
        told = progress or Progress()
        if self._pool is not None:
            yield from self._in_processes(self._pool, work, tasks, told)
            return
        done = 0

        def tell(octets: int) -> None:
            nonlocal done
            done += octets
            told.at(done)

        for task in tasks:
            yield work(task, tell)

    def _in_processes(
        self, pool: ProcessPoolExecutor, work: _Work[T, R], tasks: Iterable[T], progress: Progress
    ) -> Iterator[R]:
        before = self._told.value
        left = iter(tasks)
        ahead: deque[Future[R]] = deque()
        try:
            while True:
                for task in left:
                    with _deaf_to_ctrl_c():
                        ahead.append(pool.submit(_do, work, task))
                    if len(ahead) > 2 * self.jobs:
                        break
                if not ahead:
                    return
                while not wait([ahead[0]], _LOOK).done:
                    progress.at(self._told.value - before)
                progress.at(self._told.value - before)
                yield ahead.popleft().result()
        except BrokenProcessPool:
            raise SurveyError(
                "A process of the import has ended of itself. Most often there was not enough "
                "memory: take fewer jobs. A Python script needs its work under "
                '`if __name__ == "__main__":` to have processes of its own.'
            ) from None


@contextmanager
def _deaf_to_ctrl_c() -> Generator[None]:
    """Processes that are started here never hear Ctrl-C, which goes to all of a terminal.

    This one hears it afterwards, and ends the others in order.
    """
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---- in the processes ----

_told: Any = None
_stop: Any = None


class _StoppedError(Exception):
    """The import has ended, and nobody wants the rest."""


def _begin(told: Any, stop: Any) -> None:
    global _told, _stop
    _told, _stop = told, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems where nothing is inherited
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(work: _Work[T, R], task: T) -> R:
    _tell(0)  # the import may have ended meanwhile
    return work(task, _tell)


def _tell(octets: int) -> None:
    if _stop.is_set():
        raise _StoppedError
    with _told:
        _told.value += octets
