"""Loads the table of a grid on a worker thread: the newest query wins, and it can be cancelled.

The grid gets progress through one callback, which is called on the worker, at most ten times a
second, and once more at the end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from audiencelab import background
from audiencelab.errors import AudienceError
from audiencelab.results.crosstab import share_cells
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.protocol import Phase
from audiencelab.widgets.crosstab.query import GridQuery, TableStream

REPORT_SECONDS = 0.1
"""Minimum time between two reports of one query."""

_SETTLE_SECONDS = 0.015
"""The worker waits this long for a newer query: several traits set in a row are one query."""


class GridCancelled(AudienceError):
    """The grid's table was cancelled before it was complete."""


class GridTimeout(AudienceError, TimeoutError):
    """The grid's table was not complete within the timeout."""


@dataclass(frozen=True, slots=True)
class LoadState:
    """The progress of the newest query.

    generation: counts queries. version: counts reports within one.
    result: the growing table, None until the service answered.
    """

    generation: int = 0
    version: int = 0
    phase: Phase = "done"
    result: CrosstabResult | None = None
    error: Exception | None = None


class TableLoader:
    """Runs one query at a time, each on a thread of its own.

    open_stream: begins a query; called on the worker.
    report: called with every new snapshot, but never for a query that a newer one replaced.
    """

    def __init__(
        self,
        open_stream: Callable[[GridQuery], TableStream],
        report: Callable[[LoadState], None],
    ) -> None:
        self._open_stream = open_stream
        self._report = report
        # Reentrant: `close` holds it while it cancels, which takes it again.
        self._changed = threading.Condition(threading.RLock())
        self._snapshot = LoadState()
        # Those of the running query; None when it has ended, because Jupyter keeps every grid.
        self._stop: threading.Event | None = None
        self._stream: TableStream | None = None
        self._work: background.Task[None] | None = None

    @property
    def snapshot(self) -> LoadState:
        """The present state."""
        return self._snapshot

    def start(self, query: GridQuery | None) -> int:
        """Load `query` instead of the running one, if any; returns its generation at once.

        None: there is nothing to load.
        """
        with self._changed:
            self._stop_worker()
            self._stop = stop = threading.Event()
            generation = self._snapshot.generation + 1
            self._snapshot = LoadState(generation, phase="done" if query is None else "running")
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
        """Cancel the running query; received cells stay. Harmless when nothing runs."""
        with self._changed:
            self._stop_worker()
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
            raise GridCancelled("The table was cancelled before it was complete.")
        if snapshot.result is None:
            raise AudienceError("The grid has nothing to count yet: give it rows or columns.")
        return snapshot.result

    def settle(self, timeout: float | None) -> bool:
        """Wait until nothing runs, whatever the outcome; False after `timeout` seconds."""
        if self._work is not None:
            self._work.begin_without_threads()
        with self._changed:
            return self._changed.wait_for(lambda: self._snapshot.phase != "running", timeout)

    def close(self) -> None:
        """Stop the worker; nothing is reported from then on."""
        with self._changed:
            self._report = _ignore
        self.cancel()

    def _stop_worker(self) -> None:
        """Stop the worker between two steps, or while it waits for bytes."""
        if self._stop is not None:
            self._stop.set()
        if self._stream is not None:
            self._stream.close()
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
                if not self._receive(stream, generation, stop):
                    # A page keeps the complete blocks of a query: those of the old version of the
                    # survey must not be shown beside the new one's.
                    with self._changed:
                        if not stop.is_set():
                            self.start(query)
            finally:
                stream.close()
        except Exception as error:  # kept for the callers of `wait`
            if not stop.is_set():
                self._publish(generation, "failed", self._snapshot.result, error)
        finally:
            with self._changed:
                if self._stop is stop:
                    self._stop = self._stream = self._work = None

    def _receive(self, stream: TableStream, generation: int, stop: threading.Event) -> bool:
        """Receive a table to its end; False if it began again, as the survey has changed."""
        begun = stream.result
        throttle = Throttle(lambda: self._publish(generation, "running", stream.result))
        try:
            for _ in stream:
                if stop.is_set():
                    return True
                if stream.result is not begun and not stream.result.count:
                    return False
                throttle.tick()
        finally:
            throttle.end()
        if not stop.is_set():
            table = stream.result
            # Jupyter still keeps the grid before this one, which usually has equal arrays.
            share_cells(table)
            self._publish(generation, "done", table)
        return True

    def _publish(
        self,
        generation: int,
        phase: Phase,
        result: CrosstabResult | None,
        error: Exception | None = None,
    ) -> None:
        with self._changed:
            current = self._snapshot
            if current.generation != generation or current.phase != "running":
                return
            self._snapshot = LoadState(generation, current.version + 1, phase, result, error)
            self._changed.notify_all()
            # Inside the lock, so that reports are in order whichever thread makes them.
            self._report(self._snapshot)


class Throttle:
    """Calls `report` at once, then at most every `REPORT_SECONDS`, and after the last tick."""

    def __init__(self, report: Callable[[], None]) -> None:
        self._report = report
        self._due = 0.0
        self._timer: background.Handle | None = None
        self._pending = False

    def tick(self) -> None:
        """Something changed."""
        wait = self._due - time.monotonic()
        if wait <= 0:
            self._due = time.monotonic() + REPORT_SECONDS
            self._report()
        elif not self._pending:
            # A stream may pause after this: the change is reported all the same.
            self._pending = True
            self._timer = background.call_later(wait, self._report_late)

    def _report_late(self) -> None:
        # Reset before reporting: ticks during the report need another one.
        self._pending = False
        self._report()

    def end(self) -> None:
        """Drop a pending report."""
        if self._timer is not None:
            self._timer.cancel()


def _ignore(_: LoadState) -> None:
    return
