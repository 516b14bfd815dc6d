"""The flow walked by hand: every path of a call with no network."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from audiencelab.client import errors
from audiencelab.client.cells import CellCollector
from audiencelab.client.flow import Emit, Read, Send, crosstab, fetch
from audiencelab.client.messages import Call, Head, NoAnswer, Request
from audiencelab.client.options import Options
from audiencelab.frames import CrosstabResult
from tests.client.test_cells import COLUMNS, ROWS, cells

REQUEST = Request("POST", "/v2/query/stats", {"include": "secret-query"}, b"{}")
CALL = Call(REQUEST, msgspec.json.Decoder(dict[str, int]).decode)

Answer = list[Head | bytes | NoAnswer]


def walk(flow: Any, answers: Answer) -> tuple[Any, list[Any]]:
    """Play the driver: the flow's result and what it emitted."""
    emitted: list[Any] = []
    supply: Iterator[Head | bytes | NoAnswer] = iter(answers)
    given: Any = None
    try:
        while True:
            step = flow.throw(given) if isinstance(given, NoAnswer) else flow.send(given)
            assert isinstance(step, Send | Read | Emit)
            given = None
            if isinstance(step, Emit):
                emitted.append(step.value)
            else:
                given = next(supply, b"")
    except StopIteration as stop:
        return stop.value, emitted


def refused(status: int, body: bytes) -> errors.RequestError:
    with pytest.raises(errors.RequestError) as caught:
        walk(fetch(CALL, Options()), [Head(status, {}), body])
    return caught.value


def test_a_good_answer_is_parsed_from_all_its_pieces() -> None:
    result, _ = walk(fetch(CALL, Options()), [Head(200, {}), b'{"a"', b": 1}"])
    assert result == {"a": 1}


def test_each_request_has_an_id_of_its_own_and_the_services_wins() -> None:
    flow = fetch(CALL, Options())
    sent = flow.send(None)
    assert isinstance(sent, Send)
    assert sent.request.headers["x-request-id"]
    with pytest.raises(errors.NotFound) as caught:
        walk_from(flow, [Head(404, {"x-request-id": "theirs"})])
    assert caught.value.request_id == "theirs"


def walk_from(flow: Any, answers: Answer) -> None:
    flow.send(answers[0])
    flow.send(b"")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.InvalidRequest),
        (401, errors.AuthenticationError),
        (403, errors.AccessDenied),
        (404, errors.NotFound),
        (413, errors.RequestTooLarge),
        (418, errors.RequestRefused),
        (422, errors.InvalidRequest),
        (429, errors.RateLimited),
        (500, errors.ServiceFailure),
        (503, errors.ServiceFailure),
        (302, errors.RequestRefused),
    ],
)
def test_each_status_has_its_error(status: int, kind: type[errors.RequestError]) -> None:
    error = refused(status, b"")
    assert type(error) is kind
    assert (error.status, error.method, error.path) == (status, "POST", "/v2/query/stats")
    assert "secret-query" not in str(error)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"title": "No", "detail": "Because."}', "No. Because."),
        (b'{"message": "Plain"}', "Plain"),
        (b'"a JSON string"', "a JSON string"),
        (b"plain text", "plain text"),
        (b"\xff\xfe", "(400)"),
        (b"[1, 2]", "(400)"),
        (b"x" * 10_000, "…"),
        (b'{"errors": "not a list", "detail": 5}', "5"),
    ],
)
def test_any_body_of_an_error_will_do(body: bytes, words: str) -> None:
    message = str(refused(400, body))
    assert words in message
    assert len(message) < 600


def test_faults_are_kept_with_their_pointers() -> None:
    body = {"title": "Bad", "errors": [{"pointer": "/question", "detail": "Unknown."}, 5]}
    error = refused(400, json.dumps(body).encode())
    assert [(fault.pointer, fault.detail) for fault in error.faults] == [("/question", "Unknown.")]
    assert "/question: Unknown." in str(error)


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": "text"}', b"<html>"])
def test_an_answer_that_breaks_the_promise_is_named(body: bytes) -> None:
    with pytest.raises(errors.InvalidResponse, match="not what the interface promises") as caught:
        walk(fetch(CALL, Options()), [Head(200, {}), body])
    assert caught.value.__context__ is None


def test_no_answer_and_a_late_one() -> None:
    with pytest.raises(errors.ConnectionFailed, match="Unreachable") as caught:
        walk(fetch(CALL, Options()), [NoAnswer("Unreachable.")])
    assert caught.value.__context__ is None
    with pytest.raises(errors.RequestTimeout):
        walk(fetch(CALL, Options()), [NoAnswer("Slow.", timeout=True)])
    with pytest.raises(errors.ConnectionFailed):
        walk(fetch(CALL, Options()), [Head(200, {}), b"{", NoAnswer("Cut.")])


# -- the crosstab ----------------------------------------------------------------------------


def lines(count: int) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in cells()[:count])


def ask(answers: Answer) -> tuple[CrosstabResult, list[Any]]:
    return walk(crosstab(REQUEST, CellCollector(CrosstabResult(ROWS, COLUMNS)), Options()), answers)


def test_a_whole_stream_gives_the_table() -> None:
    result, updates = ask([Head(200, {}), lines(2), lines(6)])
    assert result.complete
    assert [update.arrived for update in updates] == [2, 6]


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ([], "closed the stream"),
        ([b'{"audiences": {"row"'], "middle of object 4"),
        ([b'{"title": "Too busy", "status": 503}\n'], "failed while sending: Too busy"),
        ([b"<html>"], "no JSON object"),
        ([NoAnswer("The connection broke.")], "The connection broke."),
    ],
)
def test_a_stream_that_ends_early_holds_what_came(rest: Answer, words: str) -> None:
    with pytest.raises(errors.IncompleteStream, match="3 of 6 cells") as caught:
        ask([Head(200, {}), lines(3), *rest])
    error = caught.value
    assert words in str(error)
    assert error.result.count == 3
    assert error.result.missing() == [(1, 1), (2, 0), (2, 1)]
    assert error.__context__ is None
    again = pickle.loads(pickle.dumps(error))
    assert again.result.missing() == error.result.missing()
    assert str(again) == str(error)


def test_cells_that_no_place_is_sure_for_are_told() -> None:
    [found] = cells()[:1]
    for name in ("row", "column"):
        found[f"{name}_index"] = 0
        found["audiences"][name] |= found["base"] | {"audience": "made up by the service"}
        del found[name]
    with pytest.raises(errors.IncompleteStream, match="1 cells came with neither our ids"):
        ask([Head(200, {}), json.dumps(found).encode()])


@pytest.mark.parametrize(
    "document",
    [
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"row": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"row": {"name": "\xff"}}',
    ],
)
def test_nesting_without_end_and_broken_text_are_named(document: bytes) -> None:
    with pytest.raises(errors.IncompleteStream, match="0 of 6"):
        ask([Head(200, {}), document])
    with pytest.raises(errors.InvalidResponse):
        walk(fetch(CALL, Options()), [Head(200, {}), document])
    assert refused(400, document).status == 400


def test_nothing_at_all_is_an_early_end_too() -> None:
    with pytest.raises(errors.IncompleteStream, match="0 of 6"):
        ask([Head(200, {})])


def test_what_follows_a_whole_table_is_of_no_interest() -> None:
    result, _ = ask([Head(200, {}), lines(6), b"<!-- done -->"])
    assert result.complete


def test_a_refused_crosstab_is_an_ordinary_refusal() -> None:
    with pytest.raises(errors.InvalidRequest):
        ask([Head(400, {}), b"{}"])


def test_errors_survive_pickling_with_all_they_hold() -> None:
    error = refused(400, b'{"errors": [{"pointer": "/a", "detail": "b"}]}')
    error.hints += ("Did you mean it?",)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.faults == error.faults
    unknown = errors.UnknownCodeError("No such thing.", ["q9"])
    assert pickle.loads(pickle.dumps(unknown)).codes == ("q9",)
