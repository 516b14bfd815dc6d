"""Whatever a door does, in whatever order: a call ends, in time, and with no wrong figure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.client import errors
from audiencelab.client.flow import Emit, Flow, Read, Send, Wait, crosstab, fetch
from audiencelab.client.flow.attempts import MOST
from audiencelab.client.flow.retries import Ambient, repetitions
from audiencelab.client.messages import Call, Head, NoAnswer, Request, Retry
from audiencelab.client.options import Options
from audiencelab.tables import CrosstabResult
from tests.client.stream.small_table import COLUMNS, ROWS, cells

LINES = [json.dumps(each).encode() + b"\n" for each in cells()]
WHOLE = b"".join(LINES)


@dataclass(frozen=True)
class Attempt:
    """How a door answers once: after so many seconds, this head or none, these chunks, this end.

    seconds: taken by each step. end: what comes after the chunks, `b""` or a failure.
    """

    seconds: float
    head: Head | None
    chunks: tuple[bytes, ...]
    unsent: bool
    cut: bool


@dataclass
class Door:
    """A scripted door and a clock of its own; the last attempt is repeated for ever."""

    attempts: Sequence[Attempt]
    time: float = 0.0
    sent_at: list[float] = field(default_factory=list)
    sent: list[Attempt] = field(default_factory=list)
    read_at: list[float] = field(default_factory=list)
    steps: int = 0

    def run(self, flow: Flow[Any]) -> Any:
        given_back: Any = None
        chunks: Iterator[bytes] = iter(())
        attempt = self.attempts[0]
        while True:
            try:
                if isinstance(given_back, NoAnswer):
                    step = flow.throw(given_back)
                else:
                    step = flow.send(given_back)
            except StopIteration as stop:
                return stop.value
            self.steps += 1
            assert self.steps < 5_000, "the call does not end"
            given_back = None
            match step:
                case Wait(seconds):
                    assert seconds >= 0
                    self.time += seconds
                case Emit():
                    pass
                case Send(_, patience):
                    attempt = self.attempts[min(len(self.sent), len(self.attempts) - 1)]
                    self.sent.append(attempt)
                    self.sent_at.append(self.time)
                    chunks = iter(attempt.chunks)
                    late = self._pass(attempt.seconds, patience.until)
                    until = patience.until
                    if attempt.head is None or late:
                        given_back = NoAnswer("None.", timeout=late, unsent=attempt.unsent)
                    else:
                        given_back = attempt.head
                case Read():
                    self.read_at.append(self.time)
                    late = self._pass(attempt.seconds, until)
                    end = NoAnswer("Cut.") if attempt.cut else b""
                    given_back = NoAnswer("Late.", timeout=True) if late else next(chunks, end)

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
    Options,
    deadline=st.sampled_from([None, 0.5, 5.0, 60.0]),
    retries=st.integers(0, 4),
    max_body=st.sampled_from([5, 1_000_000]),
)


def ambient(door: Door, chance: float) -> Ambient:
    return Ambient(lambda: door.time, lambda: 1.7e9, lambda: chance, lambda: "id")


def outcome(door: Door, flow: Flow[Any]) -> Any:
    """The flow's result, or its error; any other error is not expected."""
    try:
        return door.run(flow)
    except errors.RequestError as error:
        return error


def check_time(door: Door, options: Options) -> None:
    deadline = options.deadline
    if deadline is not None:
        assert all(moment < deadline for moment in [*door.sent_at, *door.read_at])
        assert door.time <= deadline


DOCUMENTS = st.sampled_from(
    [(b'{"a": 1}',), (b'{"a"', b": 1}"), (b'{"a"',), (), (b"<html>",), (b'{"a": "b"}',)]
)


@given(attempts_of(DOCUMENTS), OPTIONS, st.sampled_from(Retry), st.floats(0, 1))
def test_a_call_ends_right_or_with_a_named_error(
    attempts: list[Attempt], options: Options, retry: Retry, chance: float
) -> None:
    door = Door(attempts)
    request = Request("POST", "/v2/query/stats", {}, b"{}", retry=retry)
    call = Call(request, msgspec.json.Decoder(dict[str, int]).decode)
    found = outcome(door, fetch(call, options, ambient(door, chance)))
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
    attempts: list[Attempt], options: Options, chance: float
) -> None:
    door = Door(attempts)
    result = CrosstabResult(ROWS, COLUMNS)

    def ask(rows: Sequence[int], columns: Sequence[int]) -> Request:
        assert rows
        assert columns
        return Request("POST", "/v2/query/crosstab", {}, json.dumps([rows, columns]).encode())

    found = outcome(door, crosstab(ask, result, options, ambient(door, chance)))
    if isinstance(found, errors.IncompleteStream):
        assert found.result is result
        assert not result.complete
    elif isinstance(found, errors.RequestError):
        assert result.count == 0
    else:
        assert found is result
        assert result.complete
    check_time(door, options)
    assert len(door.sent) <= MOST
    expected = {(each["row_index"], each["column_index"]): each for each in cells()}
    for row in range(len(ROWS)):
        for column in range(len(COLUMNS)):
            if result.arrived[row, column]:
                size = expected[row + 1, column + 1]["intersect"]["size"]
                assert result.values("size")[row, column] == size
