"""Threads that work on while the program does something else, and end before the program does.

A daemon thread is cut off wherever it is when Python ends, which aborts the whole process if that
is inside compiled code. A thread that is no daemon holds the end up until its work is done, however
long that takes. These are called off first, and then waited for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from importlib import import_module

__all__ = ["PATIENCE", "in_background"]

PATIENCE = 20.0
"""Seconds, at the end of the program, in which threads that were called off are waited for. Work
between two of its steps ends at once; only making the compiled kernel takes seconds."""

_lock = threading.Lock()
_running: dict[threading.Thread, Callable[[], object]] = {}
_registered = False


def in_background(
    work: Callable[[], object], *, name: str, call_off: Callable[[], object]
) -> threading.Thread:
    """Begin `work` on a thread of its own; returns the thread.

    name: of the thread. call_off: asks the work to end soon; called from another thread, and only
    when the program ends. It may be called when the work has just ended.
    """

    def run() -> None:
        try:
            work()
        finally:
            with _lock:
                _running.pop(thread, None)

    thread = threading.Thread(target=run, name=name, daemon=True)
    with _lock:
        _register()
        _running[thread] = call_off
    try:
        thread.start()
    except BaseException:  # pragma: no cover - no thread is to be had
        # No thread can be had: there is nothing to wait for.
        with _lock:
            _running.pop(thread, None)
        raise
    return thread


def _register() -> None:
    """See that the threads are ended, once; before the pools that they may be using close."""
    global _registered
    if _registered:
        return
    # Python closes its pools in this way, the last to be registered first. `atexit` comes after it.
    import_module("concurrent.futures.thread")
    threading._register_atexit(_end)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] -- there is no public name for it
    _registered = True


def _end() -> None:
    """Call all threads off, and wait until they have ended."""
    with _lock:
        # After a fork the threads of the parent are not there.
        running = {thread: off for thread, off in _running.items() if thread.is_alive()}
    for call_off in running.values():
        call_off()
    until = time.monotonic() + PATIENCE
    for thread in running:
        thread.join(max(0.0, until - time.monotonic()))
