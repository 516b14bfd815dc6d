"""Requests and answers between a page and Python, as plain values without Jupyter.

The channel of a widget carries them over a comm, the Jupyter server extension over HTTP; both call
the same handlers.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import msgspec

from audiencelab.errors import AudienceError, Fault

MESSAGE_LIMIT = 1_000_000
"""Maximum bytes of one answer: larger messages delay every other comm of the page."""

_log = logging.getLogger("audiencelab.widgets")

Buffer = bytes | bytearray | memoryview


class Cancelled(AudienceError):
    """Raised inside a handler when the page no longer waits for its answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler returns when it sends binary buffers with its data."""

    data: object = None
    buffers: Sequence[Buffer] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One request of the page; `cancelled` becomes true when the page no longer waits."""

    id: int | str
    op: str
    args: Mapping[str, Any]
    buffers: Sequence[Buffer] = ()
    key: str | None = None
    _cancelled: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def cancelled(self) -> bool:
        """Whether the page no longer waits; check it between steps of long work."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise `Cancelled` if the page no longer waits."""
        if self.cancelled:
            raise Cancelled(f"request {self.id} ({self.op}) was cancelled")

    def cancel(self) -> None:
        """Mark the request as cancelled."""
        self._cancelled.set()


Handler = Callable[[Request], object]
"""Takes the request; returns JSON data (or a msgspec Struct), or an `Answer`."""


class Operations(Protocol):
    """A registry of handlers by the names of their operations."""

    def on(self, op: str, handler: Handler, *, inline: bool = False) -> None:
        """Answer requests named `op` with `handler`."""
        ...


def describe_error(error: Exception) -> dict[str, object]:
    """An exception as the page shows it: type, message, and faults with JSON pointers."""
    if not isinstance(error, AudienceError):
        _log.error("a widget's request failed", exc_info=error)
    faults = cast("Sequence[object]", getattr(error, "faults", ()) or ())
    return {
        "type": type(error).__name__,
        "message": str(error)[:2_000] or type(error).__name__,
        "faults": [
            {"pointer": fault.pointer, "detail": fault.detail}
            for fault in faults
            if isinstance(fault, Fault)
        ][:100],
    }


def packed(request: Request, result: object) -> Answer:
    """The handler's result as plain JSON data; `AudienceError` above `MESSAGE_LIMIT` bytes."""
    answer = result if isinstance(result, Answer) else Answer(result)
    encoded = msgspec.json.encode(answer.data)
    size = len(encoded) + sum(memoryview(buffer).nbytes for buffer in answer.buffers)
    if size > MESSAGE_LIMIT:
        raise AudienceError(
            f"The answer to {request.op!r} has {size:,} bytes; one message may have at most "
            f"{MESSAGE_LIMIT:,}. Request it in parts."
        )
    return Answer(msgspec.to_builtins(answer.data), answer.buffers)
