"""Errors of ours in IPython: the callers' lines and the message, without our frames.

One object of IPython's shell formats every traceback. We go before it where an error was raised on
purpose, by a `raise` in this package; defects, and errors of other libraries and of the callers'
own code, keep all their frames. The exception is not changed: logs, `%debug` and
`sys.last_traceback` have every frame, `%xmode Verbose` and `AUDIENCELAB_DEBUG=1` show them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dis import opmap
from itertools import islice
from linecache import getlines
from traceback import FrameSummary, extract_tb, walk_tb
from types import FrameType, TracebackType
from typing import Any

PACKAGE = __name__.partition(".")[0]
BINDS_ARGUMENTS = {f"{PACKAGE}.keywords", f"{PACKAGE}.client.one_version"}
"""Modules whose wrappers call with what was given; Python refuses there what does not fit."""

LIBRARIES = (os.__file__.removesuffix("os.py"), "<frozen ")
MOST_LINES = 6
"""Of one call that is written over several lines."""


def hide_our_frames() -> None:
    """Show the callers' lines alone in the shell of IPython that runs, if one does."""
    shell: Any = sys.modules["IPython"].get_ipython()
    formatter: Any = getattr(shell, "InteractiveTB", None)
    if formatter is None or hasattr(formatter, "shows_callers"):
        return
    usual: Callable[..., list[str]] = formatter.structured_traceback

    def structured_traceback(
        kind: Any, error: Any = None, trace: Any = None, *given: Any, **named: Any
    ) -> list[str]:
        whole = formatter.mode != "Context" or os.environ.get("AUDIENCELAB_DEBUG")
        shown = [] if whole else callers(error, trace)
        if not shown:
            return usual(kind, error, trace, *given, **named)
        lines = [line for each in shown for line in _frame_lines(shell, each)]
        if before := _of_callers(error):
            cause = usual(type(before), before, before.__traceback__)
            lines = [*cause, "\nThen, while that error was handled:\n", *lines]
        formatter.tb = trace  # which %debug reads
        return [*lines, *_message(shell, error)]

    formatter.structured_traceback, formatter.shows_callers = structured_traceback, True


def callers(error: object, trace: object) -> list[FrameSummary]:
    """The frames of those who called the package; none for an error that we did not raise."""
    if not isinstance(error, Exception) or not isinstance(trace, TracebackType):
        return []
    if not _is_on_purpose(trace):
        return []
    found = zip(walk_tb(trace), extract_tb(trace), strict=True)
    return [summary for (frame, _), summary in found if _is_callers(frame)]


def _is_on_purpose(trace: TracebackType) -> bool:
    """Whether the innermost frame is ours and raises, or passes on arguments that do not fit."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    if not _is_ours(trace.tb_frame):
        return False
    if trace.tb_frame.f_globals["__name__"] in BINDS_ARGUMENTS:
        return True
    operation = trace.tb_frame.f_code.co_code[trace.tb_lasti]
    return operation == opmap["RAISE_VARARGS"]


def _is_ours(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE


def _is_callers(frame: FrameType) -> bool:
    """Whether a frame is neither ours nor that of a library."""
    path = frame.f_code.co_filename
    library = path.startswith(LIBRARIES) or path.endswith(".pyx") or "-packages" in path
    return not (library or _is_ours(frame))


def _of_callers(error: BaseException) -> BaseException | None:
    """The error of the callers' own code that was handled when this one was raised, if any."""
    seen = {id(error)}
    while True:
        hidden = error.__suppress_context__
        before = error.__cause__ or (None if hidden else error.__context__)
        if before is None or id(before) in seen:
            return None
        if any(_is_callers(frame) for frame, _ in walk_tb(before.__traceback__)):
            return before
        seen.add(id(before))
        error = before


def _frame_lines(shell: Any, frame: FrameSummary) -> Iterator[str]:
    """Where a caller's line is, and the line, as IPython writes them."""
    cell = shell.compile.format_code_name(frame.filename)
    where = " ".join(cell) if cell else f"File {frame.filename}"
    inside = "" if frame.name == "<module>" else f", in {frame.name}"
    yield f"{where}, line {frame.lineno}{inside}"
    first = frame.lineno or 1
    lines = getlines(frame.filename)
    last = min(frame.end_lineno or first, first + MOST_LINES - 1)
    for number, line in enumerate(islice(lines, first - 1, last), first):
        yield f"{'---->' if number == first else '     '} {number} {line.rstrip()}"


def _message(shell: Any, error: Exception) -> Iterator[str]:
    name = type(error).__name__
    coloured = str(shell.colors).lower() != "nocolor"
    yield f"\x1b[31m{name}\x1b[39m: {error}" if coloured else f"{name}: {error}"
    yield from getattr(error, "__notes__", ())
