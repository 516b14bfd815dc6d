"""How often one credential may ask: a bucket for each, told in the headers of every answer."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.service import RateLimit, Service
from audiencelab.service.limits import Limiter
from audiencelab.survey import Survey
from tests.service.asking import Answer, ask

PATH = "/v2/questions/core.q2"


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(Limiter.__init__, "__defaults__", (clock,))
    return clock


@pytest.fixture
def service(survey: Survey, clock: Clock) -> Service:
    return Service(survey, ["one", "other"], rate_limit=RateLimit(per_second=0.5, burst=3))


def allowance(answer: Answer) -> tuple[int, int, int]:
    names = ("Limit", "Remaining", "Reset")
    limit, remaining, reset = (int(answer.headers[f"x-ratelimit-{name.lower()}"]) for name in names)
    return limit, remaining, reset


def test_a_burst_is_granted_and_then_one_request_at_a_time(service: Service, clock: Clock) -> None:
    answers = [ask(service, "GET", PATH, token="one") for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert [allowance(answer) for answer in answers] == [(3, 2, 2), (3, 1, 4), (3, 0, 6), (3, 0, 6)]
    assert answers[-1].headers["retry-after"] == "2"
    clock.now += 1.9
    assert ask(service, "GET", PATH, token="one").status == 429
    clock.now += 0.1
    assert ask(service, "GET", PATH, token="one").status == 200
    assert ask(service, "GET", PATH, token="one").status == 429


def test_waiting_as_long_as_told_is_enough(service: Service, clock: Clock) -> None:
    for _ in range(20):
        answer = ask(service, "GET", PATH, token="one")
        if answer.status == 429:
            clock.now += int(answer.headers["retry-after"])
            assert ask(service, "GET", PATH, token="one").status == 200


def test_a_full_bucket_holds_no_more_than_a_burst(service: Service, clock: Clock) -> None:
    clock.now += 1e6
    assert [ask(service, "GET", PATH, token="one").status for _ in range(4)] == [200] * 3 + [429]


def test_each_credential_has_its_own_bucket_however_it_is_written(service: Service) -> None:
    for _ in range(3):
        ask(service, "GET", PATH, token="one")
    bare = ask(service, "GET", PATH, token=None, headers={"Authorization": "one"})
    assert bare.status == 429
    assert ask(service, "GET", PATH, token="other").status == 200


def test_a_refused_request_counts_and_is_told_what_is_left(service: Service) -> None:
    bad = ask(service, "POST", "/v1/charts", {"name": 1}, token="one")
    missing = ask(service, "POST", "/v1/charts/x/calculate", token="one")
    assert (bad.status, missing.status) == (400, 404)
    assert (allowance(bad)[1], allowance(missing)[1]) == (2, 1)


def test_a_refusal_is_a_problem_that_says_when(service: Service) -> None:
    for _ in range(3):
        ask(service, "GET", PATH, token="one")
    answer = ask(service, "POST", "/v1/charts", b"{", token="one")
    assert answer.status == 429
    assert answer.headers["content-type"] == "application/problem+json"
    assert "2 s" in answer.json["detail"]


def test_who_is_not_let_in_takes_nothing_from_anybody(service: Service) -> None:
    for token in (None, "wrong"):
        answer = ask(service, "GET", PATH, token=token)
        assert answer.status == 401
        assert not [name for name in answer.headers if name.startswith("x-ratelimit")]
    assert allowance(ask(service, "GET", PATH, token="one"))[1] == 2


def test_without_a_limit_nothing_is_said_about_one(survey: Survey) -> None:
    answer = ask(Service(survey, ["one"]), "GET", PATH, token="one")
    assert not [name for name in answer.headers if name.startswith("x-ratelimit")]


@pytest.mark.parametrize(
    ("per_second", "burst"), [(0, 1), (-1, 1), (math.nan, 1), (math.inf, 1), (1, 0)]
)
def test_a_limit_allows_something(per_second: float, burst: int) -> None:
    with pytest.raises(ValueError, match="per_second above 0"):
        RateLimit(per_second, burst)


@given(
    per_second=st.floats(0.01, 100),
    burst=st.integers(1, 20),
    pauses=st.lists(st.floats(0, 30), max_size=60),
)
def test_no_stretch_of_time_grants_more_than_the_burst_and_its_share(
    per_second: float, burst: int, pauses: list[float]
) -> None:
    clock = Clock()
    limiter = Limiter(RateLimit(per_second, burst), clock)
    granted: list[float] = []
    for pause in pauses:
        clock.now += pause
        taken = limiter.take(b"caller")
        assert 0 <= taken.remaining <= burst
        assert taken.granted is (taken.wait == 0)
        if taken.granted:
            granted.append(clock.now)
    for first in range(len(granted)):
        for last in range(first, len(granted)):
            share = (granted[last] - granted[first]) * per_second
            assert last - first + 1 <= burst + share + 1e-6
