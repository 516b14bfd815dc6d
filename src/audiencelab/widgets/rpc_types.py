"""Operations of a page: their types, and requests and answers as plain values without Jupyter.

A `PageOperation` is declared once, with the types of its arguments and of its answer, in the module
`protocol` of its widget; `tools/protocol.py` writes the same types for the page. The channel of a
widget carries requests over a comm, the Jupyter server extension over HTTP; both call the same
handlers through `Operations`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any, Generic, TypeVar, cast

import msgspec

from audiencelab.errors import AudienceError, Fault

MESSAGE_LIMIT = 1_000_000
"""Maximum bytes of one answer: larger messages delay every other comm of the page."""

_log = logging.getLogger("audiencelab.widgets")

Buffer = bytes | bytearray | memoryview

A = TypeVar("A")
R = TypeVar("R")


class Cancelled(AudienceError):
    """Raised inside a handler when the page no longer waits for its answer."""


class Args(msgspec.Struct, omit_defaults=True):
    """Arguments of an operation; the page may leave out those that have a default."""


class Data(msgspec.Struct):
    """A part of an answer or of a trait; every field is always sent."""


class NoArgs(Args):
    """An operation without arguments."""


class Code(Data):
    """Python code."""

    code: str


@dataclass(frozen=True, slots=True)
class PageOperation(Generic[A, R]):
    """An operation of a page, with the types of its arguments and of its answer.

    body: the type of the JSON in the answer's buffer, where it is JSON.
    """

    name: str
    args: type[A]
    answer: type[R]
    body: type[Any] | None = None


class ModuleArgs(Args):
    """module: the name of a module of the front end. have: modules that the page has already."""

    module: str
    have: list[str] = []


class Modules(Data):
    """Modules in the buffer, one after the other: their names and bytes, each after its imports.

    The buffer is compressed with gzip.
    """

    modules: list[tuple[str, int]]


class EveryWidget:
    """What the channel of every widget answers; `ping` at once."""

    ping = PageOperation("ping", NoArgs, NoneType)
    front_end = PageOperation("front_end", ModuleArgs, Modules)


@dataclass(frozen=True, slots=True)
class AnswerWithBuffers(Generic[R]):
    """What a handler returns when it sends binary buffers with its data."""

    data: R
    buffers: Sequence[Buffer] = ()


@dataclass(frozen=True, slots=True)
class PageRequest(Generic[A]):
    """One request of the page; `cancelled` becomes true when the page no longer waits."""

    id: int | str
    op: str
    args: A
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


RawRequest = PageRequest[Mapping[str, Any]]
"""A request as it arrives: its arguments are not checked yet."""

Handler = Callable[[PageRequest[A]], R | AnswerWithBuffers[R]]
"""Takes the request with its decoded arguments; returns the answer, or an `AnswerWithBuffers`."""


class Operations:
    """Handlers by operation: decodes arguments, and encodes answers."""

    def __init__(self) -> None:
        self._handlers: dict[str, tuple[PageOperation[Any, Any], Handler[Any, Any]]] = {}

    def on(self, operation: PageOperation[A, R], handler: Handler[A, R]) -> None:
        """Answer requests of `operation` with `handler`."""
        self._handlers[operation.name] = operation, handler

    def answer(self, request: RawRequest) -> AnswerWithBuffers[Any]:
        """The answer to one request as plain JSON data; raises what the handler raises.

        `AudienceError` for an unknown operation, for arguments of other types, and for an answer
        of more than `MESSAGE_LIMIT` bytes.
        """
        if request.op not in self._handlers:
            raise AudienceError(
                f"There is no operation {request.op!r}: the page and the installed audiencelab "
                "differ in version. Reload the page."
            )
        operation, handler = self._handlers[request.op]
        try:
            args = msgspec.convert(request.args, operation.args)
        except msgspec.ValidationError as error:
            raise AudienceError(f"The request {request.op!r} is not valid: {error}") from None
        except RecursionError:
            raise AudienceError(f"The request {request.op!r} is nested too deeply.") from None
        found = handler(replace(cast("PageRequest[Any]", request), args=args))
        answer = (
            cast("AnswerWithBuffers[Any]", found)
            if isinstance(found, AnswerWithBuffers)
            else AnswerWithBuffers(found)
        )
        encoded = msgspec.json.encode(answer.data)
        size = len(encoded) + sum(memoryview(buffer).nbytes for buffer in answer.buffers)
        if size > MESSAGE_LIMIT:
            raise AudienceError(
                f"The answer to {request.op!r} has {size:,} bytes; one message may have at most "
                f"{MESSAGE_LIMIT:,}. Request it in parts."
            )
        # Through JSON, so that plain values are left, as comms and HTTP take them.
        return AnswerWithBuffers(msgspec.json.decode(encoded), answer.buffers)


class Failure(Data):
    """An exception as the page shows it: type, message, and faults with JSON pointers."""

    type: str
    message: str
    faults: list[FaultAt]


class FaultAt(Data):
    """One fault of a request."""

    pointer: str
    detail: str


def describe_error(error: Exception) -> Failure:
    """An exception as the page shows it."""
    if not isinstance(error, AudienceError):
        _log.error("a widget's request failed", exc_info=error)
    faults = cast("Sequence[object]", getattr(error, "faults", ()) or ())
    return Failure(
        type(error).__name__,
        str(error)[:2_000] or type(error).__name__,
        [FaultAt(each.pointer, each.detail) for each in faults if isinstance(each, Fault)][:100],
    )
