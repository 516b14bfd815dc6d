"""The error for a response that is a refusal, or not what the operation promises.

A problem document (RFC 9457) says most; any other JSON, plain text or an empty body is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from audiencelab.client.errors import (
    AuthenticationError,
    IncompleteStream,
    InvalidResponse,
    RequestError,
    RequestLine,
    RequestRefused,
    SavedMeanwhile,
    refusal,
)
from audiencelab.client.stream.collector import ContradictingCells
from audiencelab.client.stream.objects import InvalidStream
from audiencelab.errors import Fault
from audiencelab.schema.http import SURVEY_CHANGED
from audiencelab.tables import CrosstabResult

_WORDS = {
    400: "The service refused the request",
    401: "The service does not accept the credential",
    403: "The service does not allow this",
    404: "Not found",
    412: "Someone else saved this in the meantime",
    413: "The request is too large for the service",
    422: "The service refused the request",
    429: "The service asks for fewer requests",
}
_PHRASES = {each.value: each.phrase.casefold() for each in HTTPStatus}
_SAVED_MEANWHILE = (
    "Read it again and repeat the change, or write over theirs: update without if_match."
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TEXT_LENGTH = 300

_EXPLANATION = 64 * 1024
"""Bytes of an unexpected answer that are looked through for words."""

_MARKUP = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def refusal_of(
    line: RequestLine,
    headers: Mapping[str, str],
    body: bytes,
    retry_after: float | None = None,
    credential: str = "",
) -> RequestRefused:
    """The error for an error status; `credential` describes where the token came from."""
    status = line.status or 0
    kind = refusal(status)
    if status in _REDIRECTS:
        return kind(_redirected(status, headers.get("location", "")), line)
    title, detail, faults = _read_problem(body)
    if title.casefold() == _PHRASES.get(status):
        title = ""  # The status repeats it.
    # The list of faults replaces any summary of them.
    parts = [] if faults else [part.rstrip(".") for part in (title, detail) if part]
    if retry_after is not None:
        parts.append(f"It asks to wait {retry_after:.4g} s before the next request")
    otherwise = "The service failed" if status >= 500 else _WORDS[400]
    headline = f"{_WORDS.get(status, otherwise)} ({status})."
    words = "".join(f"{part}. " for part in dict.fromkeys(parts))
    source = f"It came from {credential}." if credential else ""
    hints = [f"Check the token. {source}".strip()] * (kind is AuthenticationError)
    if kind is SavedMeanwhile:
        # The service's words are for programs that send If-Match themselves.
        words, hints = "", [_SAVED_MEANWHILE]
        if line.attempts > 1:
            hints.append("It may have been your own change: an earlier attempt got no response.")
    return kind(
        f"{headline} {words}".strip(), line, faults=faults, hints=hints, retry_after=retry_after
    )


def is_of_another_version(status: int, body: bytes) -> bool:
    """Whether a service refuses because its survey is not in the version that was asked for."""
    if status != HTTPStatus.PRECONDITION_FAILED:
        return False
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("type") == SURVEY_CHANGED  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- JSON


def unexpected(detail: str, status: int, headers: Mapping[str, str], body: bytes) -> str:
    """The message for a success without what the operation promises; quotes the service."""
    return (
        f"The service's response ({form(status, headers)}) is not what the interface promises: "
        f"{detail}.{_quoted(body)}"
    )


def form(status: int, headers: Mapping[str, str]) -> str:
    """The status and the content type of a response."""
    return f"{status}, {_text(headers.get('content-type', '')) or 'no content type'}"


def _quoted(body: bytes) -> str:
    """The text of an unexpected response; nothing of a JSON document that holds results."""
    if len(body) > _EXPLANATION:
        return ""
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if body.lstrip()[:1] in (b"{", b"[", b'"'):
            return ""  # a document that was cut
        words = [_text(_MARKUP.sub(" ", body.decode("utf-8", "replace")))]
    else:
        title, detail, faults = _read_problem(body)
        words = [title, detail, *(each.detail for each in faults)]
    text = " ".join(filter(None, dict.fromkeys(words)))
    return f" It says: {text!r}." if text else ""


def early_end(
    unplaced: int,
    line: RequestLine,
    headers: Mapping[str, str],
    failure: RequestError | InvalidStream | None,
) -> RequestError:
    """The error for a crosstab stream that ended before its table was complete.

    unplaced: cells whose positions are unknown. failure: why the stream broke, or what in it
    could not be read.
    """
    if isinstance(failure, RequestError):
        return failure
    if isinstance(failure, ContradictingCells):
        return InvalidResponse(str(failure), line)
    if failure is not None:
        message, status = _late_problem(failure.document)
        # What the service refuses now it will refuse again, except for its own failures.
        broken = status is None or status >= 500 or status in (408, 429)
        came = f"{failure} The response came as {form(line.status or 0, headers)}."
        return InvalidResponse(message or came, line, broken=broken)
    if unplaced:
        return InvalidResponse(
            f"{unplaced:,} cells came without our ids and our audiences, and their "
            "indices do not show their positions in the table.",
            line,
        )
    return InvalidResponse("The service closed the stream.", line, broken=True)


def incomplete(failure: RequestError, result: CrosstabResult) -> RequestError:
    """The error for a crosstab that stays incomplete."""
    refused = failure.status is None or isinstance(failure, RequestRefused)
    if refused and not result.count:
        return failure
    return IncompleteStream(
        f"The crosstab ended early: {result.count:,} of {result.expected:,} cells came. "
        f"{failure.message} The error's `result` holds them, and `result.missing()` lists the "
        "others.",
        failure.request,
        result,
    )


def _late_problem(document: bytes) -> tuple[str, int | None]:
    """An error that a service reports inside a stream, and its status; `""` if there is none."""
    title, detail, _ = _read_problem(document) if document else ("", "", [])
    words = " ".join(filter(None, (title, detail)))
    return (f"The service failed while sending: {words}." if words else ""), _status(document)


def _status(document: bytes) -> int | None:
    try:
        fields = msgspec.json.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    status = cast(dict[str, Any], fields).get("status") if isinstance(fields, dict) else None
    return status if isinstance(status, int) else None


def _redirected(status: int, location: str) -> str:
    """A redirect is not followed: the credential is meant for the address that was given."""
    try:
        target = urlsplit(location)
        # The rest is left out: a path or a query may repeat what was sent.
        where = f"{target.scheme}://{target.hostname}" if target.scheme and target.hostname else ""
    except ValueError:
        where = ""
    to = f", to {_text(where)}" if where else ""
    return (
        f"The service redirects to another address ({status}{to}), and a credential does not "
        "follow. Give connect() the address of the service itself."
    )


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
    detail = _first(fields, "detail", "message", "error")
    if isinstance(detail, dict):
        inner = cast(dict[str, Any], detail)
        detail = _first(inner, "detail", "message") or str(inner)
    entries = fields.get("errors")
    listed = cast(list[Any], entries) if isinstance(entries, list) else []
    faults = [
        Fault(_text(entry.get("pointer", "")), _text(entry.get("detail", "")))
        for entry in (cast(dict[str, Any], one) for one in listed if isinstance(one, dict))
    ]
    return _text(fields.get("title", "")), _text(detail), faults


def _first(fields: Mapping[str, Any], *names: str) -> Any:
    return next((fields[name] for name in names if fields.get(name)), "")


def _text(value: object) -> str:
    words = " ".join(str(value).split())
    return words if len(words) <= _TEXT_LENGTH else words[: _TEXT_LENGTH - 1] + "…"
