"""The flow walked by hand: every path of a call with no network, and no time passing."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from audiencelab.client import errors
from audiencelab.client.flow import Emit, Read, Send, Wait, crosstab, exchange_whole, fetch
from audiencelab.client.flow.retries import Ambient
from audiencelab.client.messages import Call, Head, NoAnswer, Request, Retry
from audiencelab.client.options import Options
from audiencelab.frames import CrosstabResult
from tests.client.stream.test_cells import COLUMNS, ROWS, cells

REQUEST = Request("POST", "/v2/query/stats", {"include": "secret-query"}, b"{}")
CALL = Call(REQUEST, msgspec.json.Decoder(dict[str, int]).decode)

Answer = list[Head | bytes | NoAnswer]

ONCE = Options(retries=0)


@dataclass
class World:
    """A world in which time passes only when the flow waits, or when a door is slow."""

    time: float = 1_000.0
    chance: float = 1.0
    answer_takes: float = 0.0
    sent: list[Request] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    emitted: list[Any] = field(default_factory=list)

    def ambient(self) -> Ambient:
        return Ambient(
            lambda: self.time, lambda: 1_700_000_000.0, lambda: self.chance, lambda: "id"
        )

    def walk(self, flow: Any, answers: Answer) -> Any:
        """Play the driver; when the answers are used up, every body has ended."""
        supply: Iterator[Head | bytes | NoAnswer] = iter(answers)
        given: Any = None
        try:
            while True:
                step = flow.throw(given) if isinstance(given, NoAnswer) else flow.send(given)
                given = None
                match step:
                    case Emit(value):
                        self.emitted.append(value)
                    case Wait(seconds):
                        self.waits.append(seconds)
                        self.time += seconds
                    case Send(request):
                        self.sent.append(request)
                        self.time += self.answer_takes
                        given = next(supply, None)
                        assert given is not None, "asked once more than expected"
                    case Read():
                        given = next(supply, b"")
        except StopIteration as stop:
            return stop.value


def walk(flow: Any, answers: Answer) -> tuple[Any, list[Any]]:
    """The flow's result and what it emitted."""
    world = World()
    return world.walk(flow, answers), world.emitted


def refused(status: int, body: bytes) -> errors.RequestError:
    with pytest.raises(errors.RequestError) as caught:
        walk(fetch(CALL, ONCE), [Head(status, {}), body])
    return caught.value


def test_a_good_answer_is_parsed_from_all_its_pieces() -> None:
    result, _ = walk(fetch(CALL, Options()), [Head(200, {}), b'{"a"', b": 1}"])
    assert result == {"a": 1}


def test_attempts_share_the_calls_id_and_are_numbered_and_the_services_id_wins() -> None:
    world = World()
    answers: Answer = [NoAnswer("Cut."), NoAnswer("Cut."), Head(404, {"x-request-id": "theirs"})]
    with pytest.raises(errors.NotFound) as caught:
        world.walk(fetch(CALL, Options(), world.ambient()), answers)
    assert [each.headers["x-request-id"] for each in world.sent] == ["id", "id-2", "id-3"]
    assert caught.value.request_id == "theirs"
    assert caught.value.attempts == 3


def test_calls_have_different_ids() -> None:
    first, second = (fetch(CALL, Options()).send(None) for _ in range(2))
    assert isinstance(first, Send)
    assert isinstance(second, Send)
    assert first.request.headers != second.request.headers


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
    with pytest.raises(errors.InvalidResponse, match="not what the interface promises") as caught:
        walk(fetch(CALL, ONCE), [Head(200, {}), body])
    assert caught.value.__context__ is None


def test_no_answer_and_a_late_one() -> None:
    with pytest.raises(errors.ConnectionFailed, match="Unreachable") as caught:
        walk(fetch(CALL, ONCE), [NoAnswer("Unreachable.")])
    assert caught.value.__context__ is None
    with pytest.raises(errors.RequestTimeout):
        walk(fetch(CALL, ONCE), [NoAnswer("Slow.", timeout=True)])
    with pytest.raises(errors.ConnectionFailed):
        walk(fetch(CALL, ONCE), [Head(200, {}), b"{", NoAnswer("Cut.")])


# -- the crosstab ----------------------------------------------------------------------------


def lines(count: int) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in cells()[:count])


def asking(rows: Sequence[int], columns: Sequence[int]) -> Request:
    """A request that shows in its body what it asks for."""
    return Request("POST", "/v2/query/crosstab", {}, json.dumps([rows, columns]).encode())


def ask(answers: Answer, options: Options = ONCE) -> tuple[CrosstabResult, list[Any]]:
    return walk(crosstab(asking, CrosstabResult(ROWS, COLUMNS), options), answers)


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
        walk(fetch(CALL, ONCE), [Head(200, {}), document])
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


# -- trying again ----------------------------------------------------------------------------


def posting(retry: Retry) -> Call[dict[str, int]]:
    request = Request("POST", "/v1/charts", {}, b"{}", retry=retry)
    return Call(request, msgspec.json.Decoder(dict[str, int]).decode)


OK: Answer = [Head(200, {}), b'{"a": 1}', b""]
CUT = NoAnswer("The connection broke.")
UNSENT = NoAnswer("Unreachable.", unsent=True)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
@pytest.mark.parametrize("retry", [Retry.READ, Retry.ASSIGN, Retry.COSTLY])
def test_what_may_pass_is_tried_again(status: int, retry: Retry) -> None:
    world = World()
    answers: Answer = [Head(status, {}), b"", *OK]
    assert world.walk(fetch(posting(retry), Options(), world.ambient()), answers) == {"a": 1}
    assert world.waits == [0.5]


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 413, 422, 501, 505])
def test_what_will_not_pass_is_not(status: int) -> None:
    world = World()
    with pytest.raises(errors.RequestRefused) as caught:
        world.walk(fetch(CALL, Options(), world.ambient()), [Head(status, {}), b"{}"])
    assert (caught.value.attempts, world.waits) == (1, [])


@pytest.mark.parametrize(
    ("retry", "retries", "attempts"),
    [
        (Retry.READ, 2, 3),
        (Retry.ASSIGN, 2, 3),
        (Retry.COSTLY, 2, 2),
        (Retry.COSTLY, 1, 1),
        (Retry.COSTLY, 9, 2),
        (Retry.CREATE, 2, 3),
        (Retry.READ, 0, 1),
        (Retry.READ, 6, 7),
    ],
)
def test_how_often_belongs_to_the_operation(retry: Retry, retries: int, attempts: int) -> None:
    world = World()
    flow = fetch(posting(retry), Options(retries=retries), world.ambient())
    with pytest.raises(errors.ConnectionFailed) as caught:
        world.walk(flow, [UNSENT] * attempts)
    assert len(world.sent) == caught.value.attempts == attempts
    assert world.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0][: attempts - 1]


def test_pauses_have_a_floor_however_chance_falls() -> None:
    world = World(chance=0.0)
    with pytest.raises(errors.ConnectionFailed):
        world.walk(fetch(CALL, Options(), world.ambient()), [CUT] * 3)
    assert world.waits == [0.1, 0.1]


def test_a_broken_document_is_asked_for_again_and_a_strange_one_is_not() -> None:
    world = World()
    broken: Answer = [Head(200, {}), b'{"a', b""]
    assert world.walk(fetch(CALL, Options(), world.ambient()), [*broken, *OK]) == {"a": 1}
    with pytest.raises(errors.InvalidResponse) as caught:
        world.walk(fetch(CALL, Options(), world.ambient()), [Head(200, {}), b'{"a": "text"}'])
    assert caught.value.attempts == 1


@pytest.mark.parametrize("answers", [[UNSENT], [Head(429, {}), b""], [Head(503, {}), b""]])
def test_a_creation_is_repeated_where_nothing_was_done(answers: Answer) -> None:
    world = World()
    flow = fetch(posting(Retry.CREATE), Options(), world.ambient())
    assert world.walk(flow, [*answers, *OK]) == {"a": 1}


@pytest.mark.parametrize(
    "answers",
    [
        [CUT],
        [NoAnswer("Slow.", timeout=True)],
        [Head(500, {}), b""],
        [Head(502, {}), b""],
        [Head(504, {}), b""],
        [Head(201, {}), CUT],
        [Head(201, {}), b'{"id": "a'],
        [Head(201, {}), b'{"id": "a"}'],
    ],
)
def test_a_creation_that_may_have_happened_is_never_repeated(answers: Answer) -> None:
    world = World()
    with pytest.raises(errors.AmbiguousWriteError, match="do it twice") as caught:
        world.walk(fetch(posting(Retry.CREATE), Options(), world.ambient()), answers)
    assert len(world.sent) == caught.value.attempts == 1
    assert caught.value.__context__ is None
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_creation_that_is_refused_is_an_ordinary_refusal() -> None:
    for status in (400, 403, 408, 413, 501):
        with pytest.raises(errors.RequestRefused):
            walk(fetch(posting(Retry.CREATE), Options()), [Head(status, {}), b""])


# -- pauses that the service asks for --------------------------------------------------------

NOW = "Tue, 14 Nov 2023 22:13:20 GMT"
LATER = "Tue, 14 Nov 2023 22:13:27 GMT"
PAST = "Tue, 14 Nov 2023 20:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "0"}, 0.5),
        ({"retry-after": LATER}, 7),
        ({"retry-after": LATER, "date": PAST}, None),
        ({"retry-after": PAST}, 0.5),
        ({"retry-after": "Tue, 14 Nov 2023 20:00:09 GMT", "date": PAST}, 9),
        ({"x-ratelimit-reset": "4"}, 4),
        ({"x-ratelimit-reset": "1700000006"}, 6),
        ({"x-ratelimit-reset": "1700000006", "date": LATER}, 0.5),
        ({"retry-after": "2", "x-ratelimit-reset": "50"}, 2),
        ({"retry-after": "120"}, 120),
        ({"retry-after": "121"}, None),
        ({"retry-after": "-5"}, 0.5),
        ({"retry-after": "nan"}, 0.5),
        ({"retry-after": "soon"}, 0.5),
        ({"retry-after": "Tue, 99 Nov 2023"}, 0.5),
    ],
)
def test_a_pause_is_kept_in_every_form_or_told(
    headers: dict[str, str], seconds: float | None
) -> None:
    world = World()
    flow = fetch(CALL, Options(), world.ambient())
    answers: Answer = [Head(429, headers), b"", *OK]
    if seconds is None:
        with pytest.raises(errors.RateLimited, match="asks to wait") as caught:
            world.walk(flow, answers)
        assert caught.value.retry_after is not None
        assert caught.value.retry_after > 120
        assert pickle.loads(pickle.dumps(caught.value)).retry_after == caught.value.retry_after
    else:
        world.walk(flow, answers)
        assert world.waits == [seconds]


def test_only_a_rate_limit_speaks_of_its_reset() -> None:
    world = World()
    answers: Answer = [Head(503, {"x-ratelimit-reset": "50"}), b"", *OK]
    world.walk(fetch(CALL, Options(), world.ambient()), answers)
    assert world.waits == [0.5]


# -- the deadline ----------------------------------------------------------------------------


def test_a_pause_that_would_pass_the_deadline_is_not_begun() -> None:
    world = World()
    flow = fetch(CALL, Options(deadline=3.0), world.ambient())
    with pytest.raises(errors.RateLimited, match="deadline of 3 s leaves no time") as caught:
        world.walk(flow, [Head(429, {"retry-after": "5"}), b""])
    assert (world.waits, caught.value.retry_after) == ([], 5)


def test_each_step_is_told_until_when() -> None:
    flow = fetch(CALL, Options(timeout=7.0, deadline=3.0), World().ambient())
    step = flow.send(None)
    assert isinstance(step, Send)
    assert (step.patience.timeout, step.patience.until) == (7.0, 1_003.0)


def test_a_deadline_says_what_was_allowed_and_what_had_come() -> None:
    world = World()
    flow = fetch(CALL, Options(deadline=3.0), world.ambient())
    assert isinstance(flow.send(None), Send)
    flow.send(Head(200, {}))
    flow.send(b'{"a')
    world.time += 3.0
    with pytest.raises(
        errors.RequestTimeout, match=r"3 s, its deadline; the head .* \(200\) and 3 bytes"
    ) as caught:
        flow.throw(NoAnswer("Slow.", timeout=True))
    assert caught.value.__context__ is None


def test_a_door_that_keeps_no_time_is_not_asked_beyond_it() -> None:
    world = World(answer_takes=10.0)
    with pytest.raises(errors.RequestTimeout, match="deadline"):
        world.walk(fetch(CALL, Options(deadline=3.0), world.ambient()), [*OK])


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
    flow = exchange_whole(REQUEST, Options(), world.ambient())
    raw = world.walk(flow, [CUT, Head(201, headers), b'{"a"', b": 1}"])
    assert (raw.status, raw.attempts, raw.request_id) == (201, 2, "theirs")
    assert raw.json() == {"a": 1}
    assert raw.parse(dict[str, int]) == {"a": 1}
    assert raw.seconds == 0.5
    assert set(raw.headers) == {"content-type", "x-ratelimit-remaining", "x-request-id"}
    assert "secret" not in repr(raw)
    assert pickle.loads(pickle.dumps(raw)) == raw
    with pytest.raises(errors.InvalidResponse, match="not what was expected"):
        raw.parse(list[int])


def test_an_answer_has_a_size_beyond_which_it_is_refused() -> None:
    with pytest.raises(errors.InvalidResponse, match="larger than 10 bytes"):
        walk(fetch(CALL, Options(max_body=10)), [Head(200, {}), b"[" * 6, b"[" * 6])
    with pytest.raises(errors.InvalidResponse, match="larger than 10 bytes"):
        walk(fetch(CALL, Options(max_body=10)), [Head(200, {}), b"[" * 11])


def test_of_an_error_only_the_beginning_is_read() -> None:
    endless: Answer = [Head(400, {}), *([b"x" * 60_000] * 5)]
    with pytest.raises(errors.InvalidRequest):
        walk(fetch(CALL, Options()), endless)
    with pytest.raises(errors.InvalidRequest):
        walk(fetch(CALL, Options()), [Head(400, {}), b"{", CUT])


def test_a_redirect_is_not_followed_and_names_the_host_alone() -> None:
    head = Head(307, {"location": "https://elsewhere.example/a?token=secret"})
    with pytest.raises(errors.RequestRefused, match=r"https://elsewhere\.example\)") as caught:
        walk(fetch(CALL, Options()), [head, b""])
    assert "secret" not in str(caught.value)
    assert "Give connect() the address" in str(caught.value)


# -- going on with a stream ------------------------------------------------------------------


def resumed(answers: Answer, options: Options | None = None) -> tuple[World, CrosstabResult]:
    world = World()
    flow = crosstab(asking, CrosstabResult(ROWS, COLUMNS), options or Options(), world.ambient())
    return world, world.walk(flow, answers)


def asked(world: World) -> list[Any]:
    return [json.loads(each.body or b"") for each in world.sent]


@pytest.mark.parametrize(
    "failure",
    [
        [b""],
        [CUT],
        [b'{"audiences": {"row"', b""],
        [b'{"title": "Too busy", "status": 503}\n'],
        [b"<html>"],
    ],
)
def test_a_broken_stream_is_gone_on_with_by_what_is_missing(failure: Answer) -> None:
    world, result = resumed([Head(200, {}), lines(3), *failure, Head(200, {}), lines(6)])
    assert result.complete
    assert asked(world) == [[[0, 1, 2], [0, 1]], [[1, 2], [0, 1]]]
    assert world.waits == [0.0]
    assert [update.arrived for update in world.emitted] == [3, 6]


def test_failures_count_only_while_nothing_comes() -> None:
    pieces = [json.dumps(each).encode() for each in cells()]
    answers: Answer = []
    for piece in pieces:
        answers += [CUT, CUT, Head(200, {}), piece, b""]
    world, result = resumed(answers)
    assert result.complete
    assert len(world.sent) == 18
    assert world.waits == [0.5, 1.0, *([0.0, 0.5, 1.0] * 5)]


def test_a_stream_that_brings_nothing_ends_after_its_retries() -> None:
    world = World()
    flow = crosstab(asking, CrosstabResult(ROWS, COLUMNS), Options(), world.ambient())
    with pytest.raises(errors.IncompleteStream, match="3 of 6") as caught:
        world.walk(flow, [Head(200, {}), lines(3), b"", CUT, Head(502, {}), b"", CUT])
    assert caught.value.attempts == 4
    assert caught.value.result.count == 3


def test_a_refusal_in_the_middle_keeps_what_came() -> None:
    with pytest.raises(errors.IncompleteStream, match="does not accept the credential"):
        resumed([Head(200, {}), lines(3), b"", Head(401, {}), b""])


def test_what_the_service_refuses_late_is_not_asked_again() -> None:
    late = b'{"title": "No access", "status": 403}'
    with pytest.raises(errors.IncompleteStream, match="No access") as caught:
        resumed([Head(200, {}), lines(3), late])
    assert caught.value.attempts == 1


def test_a_contradiction_is_an_error_at_once() -> None:
    [other] = cells()[:1]
    other["intersect"]["size"] += 100
    with pytest.raises(errors.IncompleteStream, match="came twice") as caught:
        resumed([Head(200, {}), lines(3), json.dumps(other).encode()])
    assert caught.value.attempts == 1
    assert not caught.value.result.complete


def test_without_retries_a_stream_is_not_gone_on_with() -> None:
    with pytest.raises(errors.IncompleteStream) as caught:
        resumed([Head(200, {}), lines(3)], ONCE)
    assert caught.value.attempts == 1
