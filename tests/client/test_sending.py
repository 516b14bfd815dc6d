"""The flow walked by hand: every path of a call with no network, and no time passing."""

from __future__ import annotations

import json
import pickle

import pytest

from audiencelab.client import errors
from audiencelab.client.options import ClientOptions
from audiencelab.schema.http import TransportError
from tests.client.scripted import (
    CALL,
    CUT,
    OK,
    ONCE,
    Head,
    Script,
    World,
    fetch,
    refused,
)
from tests.messages import fails


def test_a_good_answer_is_parsed_from_all_its_pieces() -> None:
    result = fetch([Head(200, {}), b'{"a"', b": 1}"], ClientOptions())
    assert result == {"a": 1}


def test_attempts_share_the_calls_id_and_are_numbered_and_the_services_id_wins() -> None:
    world = World()
    answers: Script = [
        TransportError("Cut."),
        TransportError("Cut."),
        Head(404, {"x-request-id": "theirs"}),
    ]
    with pytest.raises(errors.NotFound) as caught:
        world.fetch(CALL, answers)
    assert [each.headers["x-request-id"] for each in world.sent] == ["id", "id-2", "id-3"]
    assert caught.value.request_id == "theirs"
    assert caught.value.attempts == 3


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


def test_a_title_that_only_repeats_the_status_is_left_out() -> None:
    body = b'{"title": "Not found", "detail": "No chart has this id."}'
    assert "(404). No chart has this id." in str(refused(404, body))


@pytest.mark.parametrize(("status", "words"), [(405, "refused the request"), (599, "failed")])
def test_who_is_at_fault_goes_by_the_status(status: int, words: str) -> None:
    assert str(refused(status, b"")).startswith(f"The service {words} ({status}).")


def test_faults_are_kept_with_their_pointers() -> None:
    body = {"title": "Bad", "errors": [{"pointer": "/question", "detail": "Unknown."}, 5]}
    error = refused(400, json.dumps(body).encode())
    assert [(fault.pointer, fault.detail) for fault in error.faults] == [("/question", "Unknown.")]
    assert "/question: Unknown." in str(error)


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": "text"}', b"<html>"])
def test_an_answer_that_breaks_the_promise_is_named(body: bytes) -> None:
    with fails(errors.InvalidResponse) as caught:
        fetch([Head(200, {}), body], ONCE)
    assert caught.value.__context__ is None


def test_no_answer_and_a_late_one() -> None:
    with fails(errors.ConnectionFailed) as caught:
        fetch([TransportError("Unreachable.")], ONCE)
    assert caught.value.__context__ is None
    with pytest.raises(errors.RequestTimeout):
        fetch([TransportError("Slow.", timeout=True)], ONCE)
    with pytest.raises(errors.ConnectionFailed):
        fetch([Head(200, {}), b"{", TransportError("Cut.")], ONCE)


def test_errors_survive_pickling_with_all_they_hold() -> None:
    error = refused(400, b'{"errors": [{"pointer": "/a", "detail": "b"}]}')
    error.hints += ("Did you mean it?",)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.faults == error.faults
    unknown = errors.UnknownCodeError("No such thing.", ["q9"])
    assert pickle.loads(pickle.dumps(unknown)).codes == ("q9",)


# -- the deadline ----------------------------------------------------------------------------


def test_a_pause_that_would_pass_the_deadline_is_not_begun() -> None:
    world = World()
    with fails(errors.RateLimited) as caught:
        world.fetch(CALL, [Head(429, {"retry-after": "5"}), b""], ClientOptions(deadline=3.0))
    assert (world.waits, caught.value.retry_after) == ([], 5)


def test_the_transport_gets_the_timeout_and_the_deadline() -> None:
    world = World()
    world.fetch(CALL, OK, ClientOptions(timeout=7.0, deadline=3.0))
    assert world.timeouts == [(7.0, 1_003.0)]


def test_a_deadline_says_what_was_allowed_and_what_had_come() -> None:
    world = World()

    def late(_: float = 0.0) -> bytes:
        world.time += 3.0
        return b'{"a'

    sender = world.sender([Head(200, {})], ClientOptions(deadline=3.0))
    world.script = iter([Head(200, {}), *OK[1:]])
    world.body = lambda: (late() for _ in range(2))  # type: ignore[method-assign] -- a body that is late
    with fails(errors.RequestTimeout) as caught:
        sender.fetch(CALL)
    assert caught.value.__context__ is None


def test_a_transport_that_keeps_no_time_is_not_used_beyond_it() -> None:
    world = World(answer_takes=10.0)
    with fails(errors.RequestTimeout):
        world.fetch(CALL, [*OK], ClientOptions(deadline=3.0))


# -- answers as they come --------------------------------------------------------------------


def test_a_raw_answer_holds_nothing_of_whoever_asked() -> None:
    headers = {
        "content-type": "application/json",
        "x-ratelimit-remaining": "9",
        "set-cookie": "secret",
        "authorization": "secret",
        "x-request-id": "theirs",
    }
    world = World()
    raw = world.fetch_raw([CUT, Head(201, headers), b'{"a"', b": 1}"])
    assert (raw.status, raw.attempts, raw.request_id) == (201, 2, "theirs")
    assert raw.json() == {"a": 1}
    assert raw.parse(dict[str, int]) == {"a": 1}
    assert raw.seconds == 0.5
    assert set(raw.headers) == {"content-type", "x-ratelimit-remaining", "x-request-id"}
    assert "secret" not in repr(raw)
    assert pickle.loads(pickle.dumps(raw)) == raw
    with fails(errors.InvalidResponse):
        raw.parse(list[int])


def test_an_answer_has_a_size_beyond_which_it_is_refused() -> None:
    with fails(errors.InvalidResponse):
        fetch([Head(200, {}), b"[" * 6, b"[" * 6], ClientOptions(max_body=10))
    with fails(errors.InvalidResponse):
        fetch([Head(200, {}), b"[" * 11], ClientOptions(max_body=10))


def test_of_an_error_only_the_beginning_is_read() -> None:
    endless: Script = [Head(400, {}), *([b"x" * 60_000] * 5)]
    with pytest.raises(errors.InvalidRequest):
        fetch(endless, ClientOptions())
    with pytest.raises(errors.InvalidRequest):
        fetch([Head(400, {}), b"{", CUT], ClientOptions())


def test_a_redirect_is_not_followed_and_names_the_host_alone() -> None:
    head = Head(307, {"location": "https://elsewhere.example/a?token=secret"})
    with fails(errors.RequestRefused) as caught:
        fetch([head, b""], ClientOptions())
    assert "secret" not in str(caught.value)
    assert "Give connect() the address" in str(caught.value)


def test_a_redirect_to_what_is_no_address_names_none() -> None:
    with fails(errors.RequestRefused):
        fetch([Head(307, {"location": "https://[broken"}), b""], ClientOptions())
