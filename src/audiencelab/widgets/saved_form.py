"""The saved form of a widget: what a page without a kernel draws, kept in the widget's state.

It is the static form, compressed. It follows what is shown a moment after the last change: during
work, and while a table fills, nothing is sent.
"""

from __future__ import annotations

import base64
import gzip
import logging
import threading
import time
from collections.abc import Callable

from audiencelab import background
from audiencelab.markup import Form

SETTLE_SECONDS = 1.0
"""Seconds without a change after which a form is made again."""

REST = 10
"""How many times as long as a form took to make nothing has to change before the next one."""

MOST_BYTES = 200_000
"""Most that a form takes of a widget's state."""

_log = logging.getLogger("audiencelab.widgets")


def packed(form: Form) -> str:
    """The form as a trait: its HTML, compressed with gzip, in base64."""
    return base64.b64encode(gzip.compress(str(form).encode(), mtime=0)).decode()


class Settling:
    """Makes calls some seconds after the last change, one after the other in the background.

    One timer serves all widgets, and runs only while a call is due.
    """

    def __init__(self, seconds: float = SETTLE_SECONDS) -> None:
        self._seconds = seconds
        self._due: dict[Callable[[], object], float] = {}
        self._next: float | None = None
        self._lock = threading.Lock()
        self._worker = background.pool("audiencelab-saved", 1, cancel=self._due.clear)

    def touch(self, call: Callable[[], object], least: float = 0) -> None:
        """Something changed: call in a while, and not before; least: seconds to wait at least."""
        at = time.monotonic() + max(self._seconds, least)
        with self._lock:
            self._due[call] = at
            if self._next is not None and self._next <= at:
                return
            self._next = at
        self._wait_until(at)

    def forget(self, call: Callable[[], object]) -> None:
        """Do not call; harmless when it is not due."""
        with self._lock:
            self._due.pop(call, None)

    def _wait_until(self, at: float) -> None:
        # Not with the lock held: without threads or an event loop the call is made at once.
        background.call_later(max(0.0, at - time.monotonic()), lambda: self._begin(at))

    def _begin(self, at: float) -> None:
        # The program may have ended meanwhile, and then takes no more work.
        if threading.main_thread().is_alive():
            self._worker.submit(self._make_calls, at)

    def _make_calls(self, at: float) -> None:
        """Make the calls that are due, and wait for the others."""
        now = max(at, time.monotonic())
        with self._lock:
            if at != self._next:  # Another timer goes before this one.
                return
            ready = [call for call, due in self._due.items() if due <= now]
            for call in ready:
                del self._due[call]
        for call in ready:
            try:
                call()
            except Exception:
                # Such as a message to a page that was closed.
                _log.info("a widget's form was not saved", exc_info=True)
        with self._lock:
            self._next = left = min(self._due.values(), default=None)
        if left is not None:
            self._wait_until(left)


settling = Settling()
"""That of all widgets."""
