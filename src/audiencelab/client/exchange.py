"""One call and its attempts: request ids, the deadline, errors, and whether to try again.

No input or output: `sending` sends and reads. An exchange belongs to a single call. Every attempt
carries the call's id in `X-Request-ID`: the first as it is, the others with their number behind it
(`…-2`), so that a service's log shows that they belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Generic, TypeVar

import msgspec

from audiencelab.client import stopping
from audiencelab.client.decoding import read_legible
from audiencelab.client.errors import (
    AmbiguousWriteError,
    ConnectionFailed,
    InvalidResponse,
    RequestError,
    RequestLine,
    RequestRefused,
    RequestTimeout,
    SurveyChanged,
)
from audiencelab.client.options import ClientOptions
from audiencelab.client.problems import is_of_another_version, refusal_of, unexpected
from audiencelab.client.responses import RawResponse, shown_headers
from audiencelab.client.retries import (
    LONGEST_PAUSE,
    Clock,
    asked_pause,
    back_off,
    is_ambiguous,
    may_repeat,
    repetitions,
)
from audiencelab.client.transports.base import Timeout
from audiencelab.schema.endpoints import Retry
from audiencelab.schema.http import (
    IF_SURVEY_VERSION,
    SURVEY_VERSION,
    Request,
    TransportError,
    short_version,
)

T = TypeVar("T")

REQUEST_ID = "x-request-id"

MOST_ATTEMPTS = 20
"""Maximum attempts of one call, even if each of them brings something new."""

_ITEM = 16
"""Bytes of `max_body` for each item of a response; a decoded item takes up to 500 bytes."""

_FEW_ITEMS = 100_000
"""Items that are accepted in any case."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request, how to read its response, and what sending it twice does.

    mark: marks the value with the response's entity tag, where there is one.
    """

    request: Request
    parse: Callable[[bytes], T]
    retry: Retry = Retry.READ
    mark: Callable[[T, str], T] | None = None


class CallAttempts:
    """The attempts of one call.

    request: what is sent next. line: identifies the latest attempt in an error.
    version: which version of the survey must answer; "" for any.
    headers: of the latest response.
    """

    def __init__(
        self, request: Request, options: ClientOptions, clock: Clock, retry: Retry = Retry.READ
    ) -> None:
        self.request = request
        self.version = ""
        self._retry = retry
        self._options = options
        self._clock = clock
        self._id = clock.new_id()
        self._count = self._fruitless = self._received = 0
        self._began = clock.monotonic()
        self._until = self._began + (inf if options.deadline is None else options.deadline)
        self.headers: Mapping[str, str] = {}
        self.line = RequestLine(request.method, request.path, self._id, None, 0)

    def begin(self, named: Mapping[str, str] | None = None) -> tuple[Request, Timeout]:
        """The next attempt: what to send and how long to wait; raises after the deadline.

        named: headers of this attempt alone.
        """
        stopping.check()
        if self._clock.monotonic() >= self._until:
            # The status would be that of the attempt before.
            self.line = replace(self.line, status=None)
            raise self._late(unsent=self._count == 0)
        self._count += 1
        self._received = 0
        request = self.request
        request_id = self._id if self._count == 1 else f"{self._id}-{self._count}"
        self.line = RequestLine(request.method, request.path, request_id, None, self._count)
        # The caller's own come first, so that they replace none that the request needs.
        headers = {**self._options.headers, **request.headers, REQUEST_ID: request_id}
        headers |= named or {}
        if self.version:
            headers[IF_SURVEY_VERSION] = self.version
        return replace(request, headers=headers), Timeout(self._options.timeout, self._until)

    def answered(self, status: int, headers: Mapping[str, str]) -> bool:
        """Note the head of a response; returns whether it is a success."""
        request_id = headers.get(REQUEST_ID) or self.line.request_id
        self.line = replace(self.line, request_id=request_id, status=status)
        self.headers = headers
        return 200 <= status < 300

    def received(self, chunk: bytes) -> None:
        """Count a chunk of a response; raises after the deadline."""
        stopping.check()
        self._received += len(chunk)
        if self._clock.monotonic() >= self._until:
            raise self._late()

    def check_size(self) -> None:
        """Raise if the response is larger than allowed."""
        if self._received > self._options.max_body:
            raise InvalidResponse(
                f"The response is larger than {self._options.max_body:,} bytes after "
                "decompression. Give connect() a larger max_body if you trust the service.",
                self.line,
            )

    def parse(self, call: Call[T], body: bytes) -> T:
        """The value of a complete response; raises `InvalidResponse`."""
        self._check_items(body)
        try:
            value, etag = read_legible(call.parse, body), self.headers.get("etag")
            return value if call.mark is None or etag is None else call.mark(value, etag)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            detail = str(error).rstrip(".")
            # Well-formed JSON of another shape would be the same after a retry.
            broken = not isinstance(error, (msgspec.ValidationError, RecursionError))
        message = unexpected(detail, self.line.status or 0, self.headers, body)
        raise InvalidResponse(message, self.line, broken=broken)

    def raw(self, body: bytes) -> RawResponse:
        """The complete response as it came."""
        seconds = self._clock.monotonic() - self._began
        return RawResponse(self.line, shown_headers(self.headers), body, seconds)

    def refused(self, body: bytes) -> RequestError:
        """The error for a response that is not a success."""
        if is_of_another_version(self.line.status or 0, body):
            return self.changed()
        pause = asked_pause(self.line.status or 0, self.headers, self._clock.now())
        return refusal_of(self.line, self.headers, body, pause, self._options.credential)

    def changed(self, version: str | None = None) -> SurveyChanged:
        """The error for a survey that is not in the version that the result is of.

        version: that of the result; by default the one that was asked for.
        """
        before = short_version(self.version if version is None else version)
        now = short_version(self.headers.get(SURVEY_VERSION, ""))
        return SurveyChanged(
            "The survey has changed since this result was begun, and figures of two versions do "
            f"not go together: it was {before}, and is {now}. Ask for the result again.",
            self.line,
        )

    def failed(self, failure: TransportError) -> RequestError:
        """The error for a response that did not come, or not completely."""
        # Transports wait no longer than until the deadline, so a timeout may be the deadline's.
        if failure.timeout and self._clock.monotonic() >= self._until:
            return self._late(unsent=failure.unsent)
        kind = RequestTimeout if failure.timeout else ConnectionFailed
        return kind(failure.message, self.line, unsent=failure.unsent)

    def pause(self, failure: RequestError, *, progress: bool = False) -> float | None:
        """Seconds to wait before the next attempt, or None if there should be none.

        progress: whether the failed attempt brought something new.
        """
        self._fruitless = 0 if progress else self._fruitless + 1
        allowed = repetitions(self._retry, self._options.retries)
        if (
            not allowed
            or self._fruitless > allowed
            or self._count >= max(MOST_ATTEMPTS, allowed + 1)
        ):
            return None
        if not may_repeat(failure, self._retry):
            return None
        asked = failure.retry_after if isinstance(failure, RequestRefused) else None
        if asked is not None and asked > LONGEST_PAUSE:
            return None
        pause = 0.0 if progress else back_off(self._fruitless, self._clock.chance())
        pause = max(pause, asked or 0.0)
        # Raising now keeps the cause; waiting would replace it with the error of the deadline.
        if self._clock.monotonic() + pause >= self._until:
            failure.message += (
                f" The deadline of {self._options.deadline:g} s leaves no time for another attempt."
            )
            return None
        return pause if self._options.pauses else 0.0

    def final(self, failure: RequestError) -> RequestError:
        """The error to raise when no other attempt follows."""
        if not is_ambiguous(failure, self._retry):
            return failure
        return AmbiguousWriteError(
            f"{failure.message} The request may or may not have been carried out, and sending it "
            "again might do it twice. Check the service before you try again.",
            failure.request,
        )

    def _check_items(self, body: bytes) -> None:
        """Refuse a document that would take many times its own length once it is decoded."""
        # Without parsing: nearly every item follows a comma or begins with a brace.
        most = max(_FEW_ITEMS, self._options.max_body // _ITEM)
        if len(body) > most and body.count(b",") + body.count(b"{") > most:
            raise InvalidResponse(
                f"The response holds more than {most:,} items, which {self._options.max_body:,} "
                "bytes allow. Give connect() a larger max_body if you trust the service.",
                self.line,
            )

    def _late(self, *, unsent: bool = False) -> RequestTimeout:
        received = "no response"
        if self.line.status is not None:
            received = f"the head of a response ({self.line.status}) and {self._received:,} bytes"
        return RequestTimeout(
            f"Deadline of {self._options.deadline:g} s exceeded; {received} received.",
            self.line,
            unsent=unsent,
        )
