"""The time of day is set forward and back under a running service.

What waits asks another clock (`time.monotonic`), and is not tested here: it cannot be set.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from audiencelab.service import RateLimit, Service
from audiencelab.service.operations.charts import KEPT_SECONDS
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask

HOUR = 3600.0
KEY = {"Idempotency-Key": "one"}


class Clock:
    """The system's clock, and how far somebody has set it off."""

    def __init__(self) -> None:
        self.off = 0.0
        self._real = time.time

    def __call__(self) -> float:
        return self._real() + self.off


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "time", clock)
    return clock


@pytest.fixture
def service(survey: Survey, tmp_path: Path) -> Iterator[Service]:
    with Service(survey, [TOKEN], store=tmp_path / "store.db") as service:
        yield service


def made(service: Service) -> str:
    answer = ask(service, "POST", "/v1/charts", {"name": "x"}, headers=KEY)
    assert answer.status == 200
    return answer.json["id"]


@pytest.mark.parametrize("off", [-400 * 24 * HOUR, -HOUR, HOUR, KEPT_SECONDS - HOUR])
def test_a_request_that_is_repeated_over_a_jump_is_still_one(
    service: Service, clock: Clock, off: float
) -> None:
    first = made(service)
    clock.off = off
    assert made(service) == first
    assert [chart.id for chart in service.charts()] == [first]
    clock.off = 0.0
    assert made(service) == first


def test_a_day_later_the_key_is_free_again(service: Service, clock: Clock) -> None:
    first = made(service)
    clock.off = KEPT_SECONDS + HOUR
    second = made(service)
    assert second != first
    # Set back, the clock finds the later answer, and not two.
    clock.off = 0.0
    assert made(service) == second
    assert len(service.charts()) == 2


def test_nothing_is_changed_before_it_was_made(service: Service, clock: Clock) -> None:
    chart = made(service)
    clock.off = -5 * HOUR
    assert ask(service, "PUT", f"/v1/charts/{chart}", {"color": "red"}).status == 200
    [kept] = service.charts()
    assert kept.color == "red"
    assert kept.created_at is not None
    assert kept.updated_at == kept.created_at
    clock.off = 5 * HOUR
    ask(service, "PUT", f"/v1/charts/{chart}", {"color": "blue"})
    [kept] = service.charts()
    assert kept.created_at is not None
    assert kept.updated_at == pytest.approx(kept.created_at + 5 * HOUR, abs=60)


def test_a_rate_does_not_follow_the_clock(survey: Survey, clock: Clock) -> None:
    service = Service(survey, [TOKEN], rate_limit=RateLimit(per_second=0.001, burst=2))
    assert [ask(service, "GET", "/v2/questions/q2").status for _ in range(3)] == [200, 200, 429]
    for off in (1_000 * HOUR, -1_000 * HOUR):
        clock.off = off
        refused = ask(service, "GET", "/v2/questions/q2")
        assert refused.status == 429
        assert 0 < int(refused.headers["retry-after"]) <= 1_000
