"""One call and its attempts: sending, reading, and whether to try again.

It belongs to a single call and lives as long. Every attempt carries the call's id in
`X-Request-ID`: the first as it is, the others with their number behind it (`…-2`), so that a
service's log tells them apart and still shows that they belong together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from audiencelab.client.errors import (
    AmbiguousWriteError,
    ConnectionFailed,
    InvalidResponse,
    RequestError,
    RequestLine,
    RequestRefused,
    RequestTimeout,
)
from audiencelab.client.flow.problems import refused
from audiencelab.client.flow.retries import (
    LONGEST_PAUSE,
    Ambient,
    asked_pause,
    back_off,
    is_ambiguous,
    may_repeat,
    repetitions,
)
from audiencelab.client.flow.steps import Flow, Read, Send
from audiencelab.client.messages import Head, NoAnswer, Patience, Request, Withheld
from audiencelab.client.options import Options

__all__ = ["Attempts"]

REQUEST_ID = "x-request-id"

MOST = 20
"""Attempts that one call may take although each of them brings something new."""

_EXPLANATION = 64 * 1024
"""Bytes of an error's body that are read; what it has to say stands at the beginning."""

_ITEM = 16
"""Bytes of `max_body` for each item of an answer. An item takes up to 500 bytes once it is read."""

_FEW_ITEMS = 100_000
"""Items that are taken in any case."""

_READ = Read()


class Attempts:
    """The attempts of one call.

    request: what is sent next. line: what identifies the latest attempt in an error.
    """

    def __init__(self, request: Request, options: Options, ambient: Ambient) -> None:
        self.request = request
        self._options = options
        self._ambient = ambient
        self._id = ambient.new_id()
        self._count = 0
        self._fruitless = 0
        self._received = 0
        self._began = ambient.clock()
        deadline = options.deadline
        self._until = None if deadline is None else self._began + deadline
        self._patience = Patience(options.timeout, self._until)
        self.line = RequestLine(request.method, request.path, self._id, None, 0)

    @property
    def seconds(self) -> float:
        """How long the call has taken so far."""
        return self._ambient.clock() - self._began

    def send(self) -> Flow[Head]:
        """Send the request and look at the answer's head; raises for every error status."""
        self._check_time_to_send()
        self._count += 1
        self._received = 0
        request, count = self.request, self._count
        request_id = self._id if count == 1 else f"{self._id}-{count}"
        self.line = RequestLine(request.method, request.path, request_id, None, count)
        headers = {**self._options.headers, **request.headers, REQUEST_ID: request_id}
        step = Send(replace(request, headers=headers), self._patience)
        failure: NoAnswer | None = None
        head: Head | None = None
        try:
            head = cast(Head, (yield step))
        except NoAnswer as error:
            failure = error
        if head is None:
            raise self._unanswered(failure)
        status, answered = head.status, head.headers
        self.line = RequestLine(
            request.method, request.path, answered.get(REQUEST_ID) or request_id, status, count
        )
        if 200 <= status < 300:
            return head
        body = yield from self._explanation()
        pause = asked_pause(status, answered, self._ambient.now())
        raise refused(self.line, answered, body, pause, self._options.credential)

    def read(self) -> Flow[bytes]:
        """The next bytes of the answer, `b""` at its end."""
        if self._is_late():
            raise self._late()
        failure: NoAnswer | None = None
        try:
            chunk = cast(bytes, (yield _READ))
            self._received += len(chunk)
            return chunk
        except NoAnswer as error:
            failure = error
        raise self._unanswered(failure)

    def read_all(self) -> Flow[bytes]:
        """The whole body."""
        first = yield from self.read()
        if not first:
            return b""
        chunks = [first]
        while chunk := (yield from self.read()):
            chunks.append(chunk)
            if self._received > self._options.max_body:
                break
        if self._received > self._options.max_body:
            raise InvalidResponse(
                f"The answer is larger than {self._options.max_body:,} bytes with its "
                "compression undone. Give connect() a larger max_body if you trust the service.",
                self.line,
            )
        return b"".join(chunks)

    def check_items(self, body: bytes) -> None:
        """Refuse a document that would take many times its own length once it is read."""
        most = max(_FEW_ITEMS, self._options.max_body // _ITEM)
        if len(body) > most and body.count(b",") + body.count(b"{") > most:
            raise InvalidResponse(
                f"The answer holds more than {most:,} items, which {self._options.max_body:,} "
                "bytes allow. Give connect() a larger max_body if you trust the service.",
                self.line,
            )

    def pause(self, failure: RequestError, *, progress: bool = False) -> float | None:
        """Seconds to wait before the next attempt, or None if there is to be none.

        progress: whether the attempt that failed brought something new all the same.
        """
        self._fruitless = 0 if progress else self._fruitless + 1
        allowed = repetitions(self.request.retry, self._options.retries)
        if not allowed or self._fruitless > allowed or self._count >= max(MOST, allowed + 1):
            return None
        if not may_repeat(failure, self.request.retry):
            return None
        asked = failure.retry_after if isinstance(failure, RequestRefused) else None
        if asked is not None and asked > LONGEST_PAUSE:
            return None
        pause = 0.0 if progress else back_off(self._fruitless, self._ambient.chance())
        pause = max(pause, asked or 0.0)
        if self._until is not None and self._ambient.clock() + pause >= self._until:
            failure.message += (
                f" The deadline of {self._options.deadline:g} s leaves no time for another attempt."
            )
            return None
        return pause if self._options.pauses else 0.0

    def final(self, failure: RequestError) -> RequestError:
        """What to raise when no other attempt is to follow."""
        if not is_ambiguous(failure, self.request.retry):
            return failure
        return AmbiguousWriteError(
            f"{failure.message} Whether it was carried out all the same is not known, and sending "
            "it again might do it twice. Look whether it is there before you try again.",
            failure.request,
        )

    def _explanation(self) -> Flow[bytes]:
        """The beginning of an error's body, as far as it comes."""
        body = b""
        try:
            while len(body) < _EXPLANATION and (chunk := (yield from self.read())):
                body += chunk
        except ConnectionFailed:
            # The status has been said; a broken explanation of it is no other error.
            pass
        return body[:_EXPLANATION]

    def _is_late(self) -> bool:
        return self._until is not None and self._ambient.clock() >= self._until

    def _check_time_to_send(self) -> None:
        if self._is_late():
            # Nothing came of the attempt that will not be made.
            self.line = replace(self.line, status=None)
            raise self._late(unsent=self._count == 0)

    def _unanswered(self, failure: NoAnswer | None) -> RequestError:
        assert failure is not None, "a driver sends what came, or throws NoAnswer"
        if isinstance(failure, Withheld):
            return InvalidResponse(failure.words, self.line)
        if failure.timeout and self._is_late():
            return self._late(unsent=failure.unsent)
        kind = RequestTimeout if failure.timeout else ConnectionFailed
        return kind(failure.words, self.line, unsent=failure.unsent)

    def _late(self, *, unsent: bool = False) -> RequestTimeout:
        came = "nothing"
        if self.line.status is not None:
            came = f"the head of an answer ({self.line.status}) and {self._received:,} bytes"
        return RequestTimeout(
            f"The call was not over after {self._options.deadline:g} s, its deadline; "
            f"{came} had come.",
            self.line,
            unsent=unsent,
        )
