"""When a request is sent again, and after how long."""

from __future__ import annotations

import pickle

import pytest

from audiencelab.client import errors
from audiencelab.client.options import ClientOptions
from audiencelab.schema.endpoints import Retry
from audiencelab.schema.http import TransportError
from tests.client.scripted import CALL, CUT, OK, UNSENT, Head, Script, World, fetch, posting
from tests.messages import fails


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
@pytest.mark.parametrize("retry", [Retry.READ, Retry.ASSIGN, Retry.COSTLY])
def test_what_may_pass_is_tried_again(status: int, retry: Retry) -> None:
    world = World()
    answers: Script = [Head(status, {}), b"", *OK]
    assert world.fetch(posting(retry), answers) == {"a": 1}
    assert world.waits == [0.5]


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 413, 422, 501, 505])
def test_what_will_not_pass_is_not(status: int) -> None:
    world = World()
    with pytest.raises(errors.RequestRefused) as caught:
        world.fetch(CALL, [Head(status, {}), b"{}"])
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
    with pytest.raises(errors.ConnectionFailed) as caught:
        world.fetch(posting(retry), [UNSENT] * attempts, ClientOptions(retries=retries))
    assert len(world.sent) == caught.value.attempts == attempts
    assert world.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0][: attempts - 1]


def test_pauses_have_a_floor_however_chance_falls() -> None:
    world = World(chance=0.0)
    with pytest.raises(errors.ConnectionFailed):
        world.fetch(CALL, [CUT] * 3)
    assert world.waits == [0.1, 0.1]


def test_a_broken_document_is_asked_for_again_and_a_strange_one_is_not() -> None:
    world = World()
    broken: Script = [Head(200, {}), b'{"a', b""]
    assert world.fetch(CALL, [*broken, *OK]) == {"a": 1}
    with pytest.raises(errors.InvalidResponse) as caught:
        world.fetch(CALL, [Head(200, {}), b'{"a": "text"}'])
    assert caught.value.attempts == 1


@pytest.mark.parametrize("answers", [[UNSENT], [Head(429, {}), b""], [Head(503, {}), b""]])
def test_a_creation_is_repeated_where_nothing_was_done(answers: Script) -> None:
    world = World()
    assert world.fetch(posting(Retry.CREATE), [*answers, *OK]) == {"a": 1}


@pytest.mark.parametrize(
    "answers",
    [
        [CUT],
        [TransportError("Slow.", timeout=True)],
        [Head(500, {}), b""],
        [Head(502, {}), b""],
        [Head(504, {}), b""],
        [Head(201, {}), CUT],
        [Head(201, {}), b'{"id": "a'],
        [Head(201, {}), b'{"id": "a"}'],
    ],
)
def test_a_creation_that_may_have_happened_is_never_repeated(answers: Script) -> None:
    world = World()
    with fails(errors.AmbiguousWriteError) as caught:
        world.fetch(posting(Retry.CREATE), answers)
    assert len(world.sent) == caught.value.attempts == 1
    assert caught.value.__context__ is None
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_creation_that_is_refused_is_an_ordinary_refusal() -> None:
    for status in (400, 403, 408, 413, 501):
        with pytest.raises(errors.RequestRefused):
            fetch([Head(status, {}), b""], call=posting(Retry.CREATE))


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
    answers: Script = [Head(429, headers), b"", *OK]
    if seconds is None:
        with fails(errors.RateLimited) as caught:
            world.fetch(CALL, answers)
        assert caught.value.retry_after is not None
        assert caught.value.retry_after > 120
        assert pickle.loads(pickle.dumps(caught.value)).retry_after == caught.value.retry_after
    else:
        world.fetch(CALL, answers)
        assert world.waits == [seconds]


def test_only_a_rate_limit_speaks_of_its_reset() -> None:
    world = World()
    answers: Script = [Head(503, {"x-ratelimit-reset": "50"}), b"", *OK]
    world.fetch(CALL, answers)
    assert world.waits == [0.5]
