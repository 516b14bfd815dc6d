"""What a page asks and what it is told: plain values, with no Jupyter in them.

The channel of a widget carries them through a kernel, and the extension of the Jupyter server over
HTTP; what is answered is the same, since both call the same handlers.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import msgspec

from audiencelab.errors import AudienceError, Fault

__all__ = [
    "MESSAGE_LIMIT",
    "Answer",
    "Buffer",
    "Cancelled",
    "Handler",
    "Operations",
    "Request",
    "describe_error",
    "packed",
]

MESSAGE_LIMIT = 1_000_000
"""Bytes that one answer may have: larger ones stall the comm for everybody else in the page."""

_log = logging.getLogger("audiencelab.widgets")

Buffer = bytes | bytearray | memoryview


class Cancelled(AudienceError):
    """Raised inside a handler whose request nobody waits for any more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler returns when it has binary buffers to send beside its data."""

    data: object = None
    buffers: Sequence[Buffer] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One question of the front end, and the means to notice that it was called off."""

    id: int | str
    op: str
    args: Mapping[str, Any]
    buffers: Sequence[Buffer] = ()
    key: str | None = None
    _called_off: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def cancelled(self) -> bool:
        """Whether the front end no longer waits; ask between steps of long work."""
        return self._called_off.is_set()

    def check(self) -> None:
        """Raise `Cancelled` if the front end no longer waits."""
        if self.cancelled:
            raise Cancelled(f"request {self.id} ({self.op}) was called off")

    def cancel(self) -> None:
        """Tell the handler that nobody waits any more."""
        self._called_off.set()


Handler = Callable[[Request], object]
"""Gets the request; returns JSON-able data (or a msgspec Struct), or an `Answer`."""


class Operations(Protocol):
    """What takes handlers by the names of their operations."""

    def on(self, op: str, handler: Handler, *, inline: bool = False) -> None:
        """Answer requests named `op` with `handler`."""
        ...


def describe_error(error: Exception) -> dict[str, object]:
    """An exception as the front end shows it: type, message, and the places at fault."""
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
    """The handler's result as plain JSON data, checked against the limit of one message."""
    answer = result if isinstance(result, Answer) else Answer(result)
    encoded = msgspec.json.encode(answer.data)
    size = len(encoded) + sum(memoryview(buffer).nbytes for buffer in answer.buffers)
    if size > MESSAGE_LIMIT:
        raise AudienceError(
            f"The answer to {request.op!r} has {size:,} bytes; one message may have "
            f"{MESSAGE_LIMIT:,}: ask for it in parts."
        )
    return Answer(msgspec.to_builtins(answer.data), answer.buffers)
