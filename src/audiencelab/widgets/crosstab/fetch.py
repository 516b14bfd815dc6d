"""Fetches the grid's table on a worker thread: the newest query wins, and it can be called off.

Not here: traits, comms and bytes. The grid hears of progress through one callback, which is
called from the worker, at most ten times a second, and once more at the end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from audiencelab import background
from audiencelab.errors import AudienceError
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.widgets.crosstab.query import GridQuery

__all__ = ["GridCancelled", "GridTimeout", "Phase", "Snapshot", "TableFetcher", "TableStream"]

Phase = Literal["running", "done", "cancelled", "failed"]

REPORT_SECONDS = 0.1
"""Least time between two reports of one query."""

_SETTLE_SECONDS = 0.015
"""Several traits set one after another are one query: the worker waits this long for a newer."""


class GridCancelled(AudienceError):
    """The grid's table was called off before it was complete."""


class GridTimeout(AudienceError, TimeoutError):
    """The grid's table was not complete in the time allowed."""


class TableStream(Protocol):
    """A crosstab that is coming in: iterating takes in more of `result`."""

    @property
    def result(self) -> CrosstabResult: ...
    def __iter__(self) -> Iterator[Any]: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far the newest query is.

    generation: counts queries. version: counts reports within one.
    result: the growing table, None until the service answered.
    """

    generation: int = 0
    version: int = 0
    phase: Phase = "done"
    result: CrosstabResult | None = None
    error: Exception | None = None


class TableFetcher:
    """Runs one query at a time, each on a thread of its own.

    open_stream: begins a query; called on the worker.
    report: hears every new snapshot; never called for a query that a newer one replaced.
    """

    def __init__(
        self,
        open_stream: Callable[[GridQuery], TableStream],
        report: Callable[[Snapshot], None],
    ) -> None:
        self._open_stream = open_stream
        self._report = report
        self._changed = threading.Condition(threading.RLock())
        self._snapshot = Snapshot()
        # Of the query that runs, and none when it has ended: Jupyter keeps every grid.
        self._stop: threading.Event | None = None
        self._stream: TableStream | None = None
        self._work: background.Task[None] | None = None

    @property
    def snapshot(self) -> Snapshot:
        """The state now."""
        return self._snapshot

    def start(self, query: GridQuery | None) -> int:
        """Fetch `query` instead of whatever is running; returns its generation at once.

        None: there is nothing to fetch.
        """
        with self._changed:
            self._call_off()
            self._stop = stop = threading.Event()
            generation = self._snapshot.generation + 1
            self._snapshot = Snapshot(generation, phase="done" if query is None else "running")
            self._changed.notify_all()
            self._report(self._snapshot)
        if query is None:
            return generation
        self._work = background.run(
            lambda: self._run(query, generation, stop),
            name=f"audiencelab-grid-{generation}",
            cancel=self.close,
        )
        return generation

    def cancel(self) -> None:
        """Call the running query off; what has arrived stays. Harmless when nothing runs."""
        with self._changed:
            self._call_off()
            snapshot = self._snapshot
            if snapshot.phase == "running":
                self._publish(snapshot.generation, "cancelled", snapshot.result)

    def wait(self, timeout: float | None = None) -> CrosstabResult:
        """The complete table of the newest query.

        Raises the query's own error, `GridCancelled`, or `GridTimeout` after `timeout` seconds.
        """
        if not self.settle(timeout):
            raise GridTimeout(f"The table was not complete after {timeout:g} seconds.")
        snapshot = self._snapshot
        if snapshot.error is not None:
            raise snapshot.error
        if snapshot.phase == "cancelled":
            raise GridCancelled("The table was called off before it was complete.")
        if snapshot.result is None:
            raise AudienceError("The grid has nothing to count yet: give it rows or columns.")
        return snapshot.result

    def settle(self, timeout: float | None) -> bool:
        """Wait until nothing runs, however it ended; False after `timeout` seconds."""
        if self._work is not None:
            self._work.begin_without_threads()
        with self._changed:
            return self._changed.wait_for(lambda: self._snapshot.phase != "running", timeout)

    def close(self) -> None:
        """End the worker; nothing is reported any more."""
        with self._changed:
            self._report = _to_nobody
        self.cancel()

    def _call_off(self) -> None:
        """Tell the worker, wherever it is: between two steps, or waiting for bytes."""
        if self._stop is not None:
            self._stop.set()
        if self._stream is not None:
            self._stream.close()
        self._let_go()

    def _let_go(self) -> None:
        self._stop = self._stream = self._work = None

    # -- on the worker -------------------------------------------------------------------------

    def _run(self, query: GridQuery, generation: int, stop: threading.Event) -> None:
        if stop.wait(_SETTLE_SECONDS):
            return
        try:
            stream = self._open_stream(query)
            try:
                with self._changed:
                    if stop.is_set():
                        return
                    self._stream = stream
                self._take_in(stream, generation, stop)
            finally:
                stream.close()
        except Exception as error:  # every error belongs to whoever asks for the result
            if not stop.is_set():
                self._publish(generation, "failed", self._snapshot.result, error)
        finally:
            with self._changed:
                if self._stop is stop:
                    self._let_go()

    def _take_in(self, stream: TableStream, generation: int, stop: threading.Event) -> None:
        pace = _Pace(lambda: self._publish(generation, "running", stream.result))
        try:
            for _ in stream:
                if stop.is_set():
                    return
                pace.tick()
        finally:
            pace.end()
        if not stop.is_set():
            table = stream.result
            # The grid before this one, which Jupyter still keeps, has mostly the same.
            table.share()
            self._publish(generation, "done", table)

    def _publish(
        self,
        generation: int,
        phase: Phase,
        result: CrosstabResult | None,
        error: Exception | None = None,
    ) -> None:
        with self._changed:
            current = self._snapshot
            # A query that was replaced or called off has nothing more to say.
            if current.generation != generation or current.phase != "running":
                return
            self._snapshot = Snapshot(generation, current.version + 1, phase, result, error)
            self._changed.notify_all()
            # Inside the lock, so that reports come in order whichever thread speaks.
            self._report(self._snapshot)


class _Pace:
    """Calls `report` at once, then at most every `REPORT_SECONDS`, and never forgets the last."""

    def __init__(self, report: Callable[[], None]) -> None:
        self._report = report
        self._due = 0.0
        self._late: background.Handle | None = None
        self._is_to_come = False

    def tick(self) -> None:
        wait = self._due - time.monotonic()
        if wait <= 0:
            self._due = time.monotonic() + REPORT_SECONDS
            self._report()
        elif not self._is_to_come:
            # A stream may pause after this: what has come is shown all the same.
            self._is_to_come = True
            self._late = background.call_later(wait, self._report_late)

    def _report_late(self) -> None:
        # Before it looks: what comes while it tells is news again.
        self._is_to_come = False
        self._report()

    def end(self) -> None:
        if self._late is not None:
            self._late.cancel()


def _to_nobody(_: Snapshot) -> None:
    return
