"""Several worker processes on one socket; one that ends is replaced.

They are spawned: a fork would copy locks that threads of this process hold. Each opens the survey
itself, whose files are mapped, so that all share the same memory, and the same store.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from audiencelab import background
from audiencelab.errors import AudienceError
from audiencelab.service.http.observing import forget_process
from audiencelab.service.http.running import ServeError, ServeSettings, give_back_memory, running
from audiencelab.service.limits import Turns
from audiencelab.service.store import Store

_EXIT_SECONDS = 5.0
"""Seconds in which a worker must end after its answers in progress."""

_PAUSE = 1.0
"""Seconds before a worker that did not even start is replaced."""

_log = logging.getLogger("audiencelab.service.http")
_spawn = multiprocessing.get_context("spawn")


@contextmanager
def workers(
    settings: ServeSettings,
    listener: socket.socket,
    count: int,
    setup: Callable[[], object] | None,
) -> Generator[None]:
    """`count` processes that serve the socket while the block lasts.

    setup: called first in each of them.
    Raises `ServeError` for settings that cannot be sent to another process, and for the error of
    a worker that does not start.
    """
    with TemporaryDirectory(prefix="audiencelab-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        counters = folder / "metrics"
        counters.mkdir()
        settings = replace(
            settings,
            # One that was used has memory mapped, which no other process can be sent.
            survey=settings.survey.reopen(),
            # Without a file each worker would have charts of its own.
            store=settings.store or folder / "store.db",
            usage=folder / "usage.db",
            counters=counters,
        )
        _check_sendable(settings, setup)
        assert settings.store is not None
        # Made here, so that no two workers do, and a file that is not a store is refused at once.
        Store.open(settings.store).close()
        group = _Group(settings, lambda: _Worker(settings, listener, setup), count)
        supervising = background.run(
            group.supervise, name="audiencelab-workers", cancel=group.end_supervision
        )
        try:
            yield
        finally:
            group.end_supervision()
            supervising.wait()
            # Else connections would wait in it while the workers end.
            listener.close()
            group.end(settings.grace + _EXIT_SECONDS)


def _check_sendable(settings: ServeSettings, setup: Callable[[], object] | None) -> None:
    if not isinstance(settings.engine, str | None):
        raise ServeError("Several workers need the scheduler's address as engine, not a client.")
    try:
        pickle.dumps((settings, setup))
    except Exception as error:
        raise ServeError(
            f"What is served cannot be sent to worker processes: {error}. Use one worker, or "
            "credentials, faults and worker_setup that can be pickled."
        ) from None


class _Worker:
    """One worker process, which begins with this object."""

    def __init__(
        self, settings: ServeSettings, listener: socket.socket, setup: Callable[[], object] | None
    ) -> None:
        self._pipe, theirs = _spawn.Pipe()
        self._failure: str | None = None
        self.process = _spawn.Process(
            target=_work, args=(settings, listener, theirs, setup), daemon=True
        )
        self.process.start()
        # While this process holds that end too, `recv` does not see that the worker has ended.
        theirs.close()

    def failure(self) -> str:
        """Why it does not serve, or empty if it does; waits until that is known."""
        if self._failure is None:
            try:
                self._failure = str(self._pipe.recv())
            except EOFError:
                self._failure = "A worker process did not start; its log has the cause."
        return self._failure

    def begin_to_end(self) -> None:
        """Let it finish its answers and end, as it also does when this process is killed."""
        self._pipe.close()


class _Group:
    """The workers that run now."""

    def __init__(self, settings: ServeSettings, start: Callable[[], _Worker], count: int) -> None:
        assert settings.usage is not None
        self._settings = settings
        self._start = start
        # Made before workers open it: SQLite does not wait while the kind of journal changes.
        self._turns = Turns(0, settings.usage)
        # A pipe, since `wait` takes it together with processes; closing its other end wakes it.
        self._ended, self._ending = _spawn.Pipe(duplex=False)
        self._workers = [start() for _ in range(count)]
        if failures := [each.failure() for each in self._workers if each.failure()]:
            self.end(_EXIT_SECONDS)
            raise ServeError(failures[0])

    def supervise(self) -> None:
        """Replace workers that end, until `end_supervision` is called."""
        while not self._ended.poll():
            wait([self._ended, *(each.process.sentinel for each in self._workers)])
            for place, worker in enumerate(self._workers):
                if not worker.process.is_alive():
                    self._clear(worker)
                    # One that cannot start would be started again and again.
                    if self._ended.poll(_PAUSE if worker.failure() else 0):
                        return
                    self._workers[place] = self._start()

    def _clear(self, worker: _Worker) -> None:
        """Take what a worker that ended had in progress out of limits and metrics."""
        process = worker.process
        reason = worker.failure() or f"exit code {process.exitcode}"
        _log.error("Worker process %s ended (%s) and is replaced", process.pid, reason)
        assert process.pid is not None
        self._turns.end_all_of(process.pid)
        if self._settings.metrics and self._settings.counters is not None:
            forget_process(self._settings.counters, process.pid)

    def end_supervision(self) -> None:
        """Replace no worker from now on."""
        self._ending.close()

    def end(self, seconds: float) -> None:
        """End all workers; those that take longer are killed."""
        for each in self._workers:
            each.begin_to_end()
        deadline = monotonic() + seconds
        for each in self._workers:
            each.process.join(max(0.0, deadline - monotonic()))
            if each.process.is_alive():
                _log.error("Worker process %s did not end and is killed", each.process.pid)
                each.process.kill()
                each.process.join()


def _work(
    settings: ServeSettings,
    listener: socket.socket,
    pipe: Connection[str, str],
    setup: Callable[[], object] | None,
) -> None:
    """What a worker process does: serve until the other end of the pipe is closed."""
    # Terminals and systemd signal all processes at once; the first one decides what happens.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    if setup is not None:
        setup()
    give_back_memory()
    try:
        with running(settings, listener):
            pipe.send("")
            with suppress(EOFError, OSError):
                pipe.recv()
    except AudienceError as error:
        pipe.send(str(error))
        sys.exit(1)
