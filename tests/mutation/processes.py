"""Work in processes of their own, so many at once, each ended when it takes too long."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

__all__ = ["TOO_LONG", "silence", "together"]

K = TypeVar("K")

TOO_LONG = None
"""In place of the exit code of a process that had to be ended."""


def together(
    jobs: Iterable[tuple[K, Callable[[], None]]], workers: int, seconds: float
) -> Iterator[tuple[K, int | None]]:
    """Run each job in a fork; its name and exit code, in the order in which they end."""
    waiting = iter(jobs)
    running: dict[int, tuple[K, BaseProcess, float]] = {}
    more = True
    while more or running:
        while more and len(running) < workers:
            if (job := next(waiting, None)) is None:
                more = False
                break
            process = multiprocessing.get_context("fork").Process(target=job[1])
            process.start()
            running[process.sentinel] = job[0], process, time.monotonic() + seconds
        ended = set(wait(list(running), 1))
        for sentinel, (key, process, until) in list(running.items()):
            late = sentinel not in ended and time.monotonic() > until
            if late:
                process.kill()
            if late or sentinel in ended:
                process.join()
                del running[sentinel]
                yield key, TOO_LONG if late else process.exitcode


def silence() -> None:
    """Hide what tests of changed code print."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
