"""How one call goes: a generator that yields steps and is sent what came of them.

The flow decides everything (what an error status means, when an answer is whole); a driver only
does what it is told. So the same logic runs under a blocking driver and an asynchronous one, and
a test can walk through it with no network.

Retries, deadlines and the resumption of broken streams belong into `exchange` and `crosstab`
below, between a failure and the `raise`; today each request is tried once.
"""

from __future__ import annotations

import uuid
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import msgspec

from audiencelab.client.cells import CellCollector, CrosstabUpdate
from audiencelab.client.errors import (
    AuthenticationError,
    ConnectionFailed,
    IncompleteStream,
    InvalidResponse,
    RequestError,
    RequestLine,
    RequestTimeout,
    refusal,
)
from audiencelab.client.messages import Call, Head, NoAnswer, Patience, Request
from audiencelab.client.options import Options
from audiencelab.client.streams import InvalidStream
from audiencelab.errors import Fault
from audiencelab.frames.crosstab import CrosstabResult

__all__ = [
    "Emit",
    "Flow",
    "Read",
    "Send",
    "Step",
    "Wait",
    "crosstab",
    "fetch",
]

T = TypeVar("T")

REQUEST_ID = "x-request-id"

_WORDS = {
    400: "The service refused the request",
    401: "The service does not accept the credential",
    403: "The service does not allow this",
    404: "The service has nothing there",
    413: "The request is too large for the service",
    422: "The service refused the request",
    429: "The service asks for fewer requests",
}
_TEXT_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Send:
    """Step: send this request; the driver sends back a `Head`."""

    request: Request
    patience: Patience


@dataclass(frozen=True, slots=True)
class Wait:
    """Step: let this many seconds pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Read:
    """Step: the next bytes of the answer; the driver sends back `b""` at its end."""


@dataclass(frozen=True, slots=True)
class Emit:
    """Step: hand this to the caller, who may be gone."""

    value: Any


Step = Send | Read | Wait | Emit
Flow = Generator[Step, Any, T]


def fetch(call: Call[T], options: Options) -> Flow[T]:
    """A call whose answer is one JSON document."""
    line, _ = yield from exchange(call.request, options)
    body = yield from read_all(line)
    try:
        return call.parse(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        detail = str(error)
    raise InvalidResponse(
        f"The service's answer is not what the interface promises: {detail}.", line
    )


def crosstab(request: Request, collector: CellCollector, options: Options) -> Flow[CrosstabResult]:
    """The crosstab call: emits a `CrosstabUpdate` as cells arrive and returns the whole table."""
    line, _ = yield from exchange(request, options)
    why = "The service closed the stream."
    try:
        while chunk := (yield from read(line)):
            yield from _emit(collector.feed(chunk))
        yield from _emit(collector.finish())
    except InvalidStream as error:
        why = _broken(error)
    except ConnectionFailed as error:
        why = error.message
    result = collector.result
    if collector.unplaced:
        why = (
            f"{collector.unplaced:,} cells came with neither our ids nor our audiences, and their "
            "indices do not tell whether the service counts from 0 or from 1."
        )
    if not result.complete:
        raise IncompleteStream(
            f"The crosstab ended early: {result.count:,} of {result.expected:,} cells came. {why} "
            "The error's `result` holds them, and `result.missing()` lists the others.",
            line,
            result,
        )
    return result


def exchange(request: Request, options: Options) -> Flow[tuple[RequestLine, Head]]:
    """Send a request and look at the answer's head; raises for every error status."""
    request_id = uuid.uuid4().hex
    headers = {**options.headers, **request.headers, REQUEST_ID: request_id}
    patience = Patience(options.timeout)
    line = RequestLine(request.method, request.path, request_id)
    failure: NoAnswer | None = None
    head = Head(0, {})
    try:
        head = cast(Head, (yield Send(replace(request, headers=headers), patience)))
    except NoAnswer as error:
        failure = error
    if failure is not None:
        raise _unanswered(failure, line)
    line = replace(
        line, status=head.status, request_id=head.headers.get(REQUEST_ID) or line.request_id
    )
    if not 200 <= head.status < 300:
        body = yield from read_all(line)
        raise refused(line, body)
    return line, head


def read(line: RequestLine) -> Flow[bytes]:
    """The next bytes of the answer, `b""` at its end."""
    failure: NoAnswer | None = None
    try:
        return cast(bytes, (yield Read()))
    except NoAnswer as error:
        failure = error
    raise _unanswered(failure, line)


def read_all(line: RequestLine) -> Flow[bytes]:
    """The whole body."""
    chunks: list[bytes] = []
    while chunk := (yield from read(line)):
        chunks.append(chunk)
    return b"".join(chunks)


def refused(line: RequestLine, body: bytes) -> RequestError:
    """The error for an error status; any body will do, a problem document says most."""
    status = line.status or 0
    headline = f"{_WORDS.get(status, 'The service failed')} ({status})."
    title, detail, faults = _read_problem(body)
    # A list of faults says it better than any summary of them.
    parts = [] if faults else [part.rstrip(".") for part in (title, detail) if part]
    words = "".join(f"{part}. " for part in dict.fromkeys(parts))
    hints = ["Check the token given to connect(), or AUDIENCELAB_TOKEN."] * (
        refusal(status) is AuthenticationError
    )
    return refusal(status)(f"{headline} {words}".strip(), line, faults=faults, hints=hints)


def _read_problem(body: bytes) -> tuple[str, str, list[Fault]]:
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", _text(body.decode("utf-8", "replace")), []
    if isinstance(document, str):
        return "", _text(document), []
    if not isinstance(document, dict):
        return "", "", []
    fields = cast(dict[str, Any], document)
    detail = next((fields[key] for key in ("detail", "message", "error") if fields.get(key)), "")
    entries = fields.get("errors")
    listed = cast(list[Any], entries) if isinstance(entries, list) else []
    faults = [
        Fault(_text(entry.get("pointer", "")), _text(entry.get("detail", "")))
        for entry in (cast(dict[str, Any], one) for one in listed if isinstance(one, dict))
    ]
    return _text(fields.get("title", "")), _text(detail), faults


def _text(value: object) -> str:
    words = " ".join(str(value).split())
    return words if len(words) <= _TEXT_LENGTH else words[: _TEXT_LENGTH - 1] + "…"


def _unanswered(failure: NoAnswer, line: RequestLine) -> ConnectionFailed:
    kind = RequestTimeout if failure.timeout else ConnectionFailed
    return kind(failure.words, line)


def _broken(error: InvalidStream) -> str:
    """What a stream holds instead of cells: a problem that came late, or nonsense."""
    title, detail, _ = _read_problem(error.document) if error.document else ("", "", [])
    if title or detail:
        return f"The service failed while sending: {' '.join(filter(None, (title, detail)))}."
    return f"{error}"


def _emit(update: CrosstabUpdate | None) -> Flow[None]:
    if update is not None:
        yield Emit(update)
