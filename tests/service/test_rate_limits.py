"""Limits of requests, by a clock of the test."""

from __future__ import annotations

import pytest

from audiencelab.service import RateLimit, Service
from audiencelab.service.limits import Limiter
from audiencelab.survey import Survey
from tests.service.asking import Answer, ask
from tests.service.test_access import CHARTS, QUESTION, Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(Limiter.__init__, "__defaults__", (clock, None))
    return clock


@pytest.fixture
def limited(survey: Survey, clock: Clock) -> Service:
    return Service(survey, ["one", "other"], rate_limit=RateLimit(per_second=0.5, burst=3))


def allowance(answer: Answer) -> tuple[int, int, int]:
    limit, remaining, reset = (
        int(answer.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining", "reset")
    )
    return limit, remaining, reset


def test_a_burst_is_granted_and_then_one_request_at_a_time(limited: Service, clock: Clock) -> None:
    answers = [ask(limited, "GET", QUESTION, token="one") for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert [allowance(answer) for answer in answers] == [(3, 2, 2), (3, 1, 4), (3, 0, 6), (3, 0, 6)]
    assert answers[-1].headers["retry-after"] == "2"
    assert "2 s" in answers[-1].json["detail"]
    clock.now += 1.9
    assert ask(limited, "GET", QUESTION, token="one").status == 429
    clock.now += 0.1
    assert ask(limited, "GET", QUESTION, token="one").status == 200
    assert ask(limited, "GET", QUESTION, token="one").status == 429
    clock.now += 1e6
    statuses = [ask(limited, "GET", QUESTION, token="one").status for _ in range(4)]
    assert statuses == [200, 200, 200, 429]


def test_each_credential_has_its_own_limit_however_it_is_written(limited: Service) -> None:
    for _ in range(3):
        ask(limited, "GET", QUESTION, token="one")
    bare = ask(limited, "GET", QUESTION, token=None, headers={"Authorization": "one"})
    assert bare.status == 429
    assert ask(limited, "GET", QUESTION, token="other").status == 200


def test_refused_requests_count_and_unknown_callers_do_not(limited: Service) -> None:
    bad = ask(limited, "POST", CHARTS, {"name": 1}, token="one")
    missing = ask(limited, "POST", f"{CHARTS}/x/calculate", token="one")
    assert (bad.status, missing.status) == (400, 404)
    assert (allowance(bad)[1], allowance(missing)[1]) == (2, 1)
    stranger = ask(limited, "GET", QUESTION, token="wrong")
    assert stranger.status == 401
    assert not [name for name in stranger.headers if name.startswith("x-ratelimit")]
    assert allowance(ask(limited, "GET", QUESTION, token="one"))[1] == 0
