"""Whatever a transport does, in whatever order: a call ends, in time, and with no wrong figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from audiencelab.client import errors
from audiencelab.client.context import ClientContext
from audiencelab.client.exchange import MOST_ATTEMPTS
from audiencelab.client.options import ClientOptions
from audiencelab.client.retries import Clock, repetitions
from audiencelab.client.sending import Sender
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.schema.endpoints import Retry
from audiencelab.schema.http import Request, Response, TransportError
from audiencelab.tables import CrosstabResult
from tests.client.scripted import Head, asking, posting
from tests.client.stream.small_table import COLUMNS, ROWS, cells

LINES = [json.dumps(each).encode() + b"\n" for each in cells()]
WHOLE = b"".join(LINES)


@dataclass(frozen=True)
class Attempt:
    """One response of a transport: after some seconds, this head or none, these chunks, this end.

    seconds: taken by each step. end: what comes after the chunks, `b""` or a failure.
    """

    seconds: float
    head: Head | None
    chunks: tuple[bytes, ...]
    unsent: bool
    cut: bool


@dataclass
class SlowTransport:
    """A scripted transport and a clock of its own; the last attempt is repeated for ever."""

    attempts: Sequence[Attempt]
    time: float = 0.0
    sent_at: list[float] = field(default_factory=list)
    sent: list[Attempt] = field(default_factory=list)
    read_at: list[float] = field(default_factory=list)
    secrets = ()

    def sender(self, options: ClientOptions, chance: float) -> Sender:
        clock = Clock(lambda: self.time, lambda: 1.7e9, lambda: chance, lambda: "id", self.sleep)
        return Sender(self, ClientContext("https://service.example"), options, clock)

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.time += seconds

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        attempt = self.attempts[min(len(self.sent), len(self.attempts) - 1)]
        self.sent.append(attempt)
        self.sent_at.append(self.time)
        assert len(self.sent) < 500, "the call does not end"
        late = self._pass(attempt.seconds, timeout.until)
        if attempt.head is None or late:
            raise TransportError("None.", timeout=late, unsent=attempt.unsent)
        body = self._body(attempt, timeout.until)
        return Response(attempt.head.status, dict(attempt.head.headers), body)

    def close(self) -> None: ...

    def _body(self, attempt: Attempt, until: float | None) -> Iterator[bytes]:
        for chunk in (*attempt.chunks, b""):
            self.read_at.append(self.time)
            if self._pass(attempt.seconds, until):
                raise TransportError("Late.", timeout=True)
            if chunk:
                yield chunk
        if attempt.cut:
            raise TransportError("Cut.")

    def _pass(self, seconds: float, until: float | None) -> bool:
        """Let time pass, no further than the call may wait; whether that was too short."""
        self.time += seconds
        if until is None or self.time < until:
            return False
        self.time = until
        return True


HEADERS = st.one_of(
    st.just({}),
    st.sampled_from(["0", "1", "2.5", "119", "500", "-1", "soon", "nan", "1e400"]).map(
        lambda after: {"retry-after": after}
    ),
)
STATUSES = st.sampled_from([200, 200, 200, 201, 302, 400, 401, 404, 408, 429, 500, 501, 502, 503])
HEADS = st.none() | st.builds(Head, STATUSES, HEADERS)


def attempts_of(chunks: st.SearchStrategy[tuple[bytes, ...]]) -> st.SearchStrategy[list[Attempt]]:
    return st.lists(
        st.builds(
            Attempt,
            st.sampled_from([0.0, 0.0, 0.3, 4.0]),
            HEADS,
            chunks,
            st.booleans(),
            st.booleans(),
        ),
        min_size=1,
        max_size=12,
    )


OPTIONS = st.builds(
    ClientOptions,
    deadline=st.sampled_from([None, 0.5, 5.0, 60.0]),
    retries=st.integers(0, 4),
    max_body=st.sampled_from([5, 1_000_000]),
)


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call, or its error; any other error is not expected."""
    try:
        return call()
    except errors.RequestError as error:
        return error


def check_time(door: SlowTransport, options: ClientOptions) -> None:
    deadline = options.deadline
    if deadline is not None:
        assert all(moment < deadline for moment in [*door.sent_at, *door.read_at])
        assert door.time <= deadline


DOCUMENTS = st.sampled_from(
    [(b'{"a": 1}',), (b'{"a"', b": 1}"), (b'{"a"',), (), (b"<html>",), (b'{"a": "b"}',)]
)


@given(attempts_of(DOCUMENTS), OPTIONS, st.sampled_from(Retry), st.floats(0, 1))
def test_a_call_ends_right_or_with_a_named_error(
    attempts: list[Attempt], options: ClientOptions, retry: Retry, chance: float
) -> None:
    door = SlowTransport(attempts)
    call = posting(retry)
    found = outcome(lambda: door.sender(options, chance).fetch(call)[0])
    if isinstance(found, errors.RequestError):
        assert found.attempts == len(door.sent)
        assert found.__context__ is None
    else:
        assert found == {"a": 1}
    assert len(door.sent) <= 1 + repetitions(retry, options.retries)
    check_time(door, options)
    if retry is Retry.CREATE:
        # Whatever was sent again had certainly not been carried out.
        for each in door.sent[:-1]:
            refused = each.head is not None and each.head.status in (429, 503)
            assert refused or (each.head is None and each.unsent)


CELLS = st.lists(
    st.one_of(
        st.sampled_from(LINES),
        st.integers(0, len(WHOLE)).map(lambda end: WHOLE[:end]),
        st.sampled_from([b"<html>", b'{"title": "Busy", "status": 503}', b'{"status": 403}']),
    ),
    max_size=4,
).map(tuple)


@given(attempts_of(CELLS), OPTIONS, st.floats(0, 1))
def test_a_crosstab_ends_whole_or_holds_what_came_and_no_figure_is_wrong(
    attempts: list[Attempt], options: ClientOptions, chance: float
) -> None:
    door = SlowTransport(attempts)
    result = CrosstabResult(ROWS, COLUMNS)

    def ask(rows: Sequence[int], columns: Sequence[int]) -> Request:
        assert rows
        assert columns
        return asking(rows, columns)

    found = outcome(lambda: list(door.sender(options, chance).crosstab(ask, result)))
    if isinstance(found, errors.IncompleteStream):
        assert found.result is result
        assert not result.complete
    elif isinstance(found, errors.RequestError):
        assert result.count == 0
    else:
        assert result.complete
    check_time(door, options)
    assert len(door.sent) <= MOST_ATTEMPTS
    expected = {(each["row_index"], each["column_index"]): each for each in cells()}
    for row in range(len(ROWS)):
        for column in range(len(COLUMNS)):
            if result.arrived[row, column]:
                size = expected[row + 1, column + 1]["intersect"]["size"]
                assert result.values("size")[row, column] == size
