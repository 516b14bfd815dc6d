"""Access to the service: paths, request ids, credentials and rate limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.service import RateLimit, Service
from audiencelab.service.limits import Limiter
from audiencelab.survey import Survey
from tests.client.test_canary import reachable
from tests.messages import fails
from tests.service.asking import TOKEN, ask

QUESTION, STATS, CHARTS = "/v2/questions/core.q2", "/v2/query/stats", "/v1/charts"


# Paths and ids


@pytest.mark.parametrize(
    "path", ["/", "/v2/questions", "/v2/questions/", "/v2/questions/a/b", "/v1/nothing", ""]
)
def test_an_unknown_path_is_404(service: Service, path: str) -> None:
    answer = ask(service, "GET", path)
    assert (answer.status, answer.json["status"]) == (404, 404)


def test_a_known_path_with_another_method_is_405_with_its_methods(service: Service) -> None:
    answer = ask(service, "DELETE", STATS)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


def test_path_parameters_are_decoded_once(service: Service) -> None:
    assert ask(service, "GET", "/v2/questions/core%2Eq2").status == 200
    assert ask(service, "GET", "/v2/questions/core%252Eq2").status == 404


@pytest.mark.parametrize(
    ("given", "is_kept"),
    [("notebook-7.cell_3", True), ("two words", False), ("a\r\nb: c", False), ("x" * 129, False)],
)
def test_a_plain_request_id_comes_back_and_others_are_replaced(
    service: Service, given: str, is_kept: bool
) -> None:
    headers = {"X-Request-Id": given}
    ids = {
        ask(service, "GET", path, headers=headers).headers["x-request-id"]
        for path in (QUESTION, "/v1/nothing")
    }
    assert ids == {given} if is_kept else len(ids - {given}) == 2


# Credentials


@pytest.mark.parametrize("value", [f"Bearer {TOKEN}", f"bearer  {TOKEN}", TOKEN, f" {TOKEN} "])
def test_a_bearer_or_bare_token_is_accepted(service: Service, value: str) -> None:
    headers = {"authorization": value}
    assert ask(service, "GET", QUESTION, token=None, headers=headers).status == 200


@pytest.mark.parametrize(
    "value",
    [None, "", "  ", "Bearer ", "wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "é", "\ud800"],
)
def test_any_other_credential_is_401_before_the_request_is_read(
    service: Service, value: str | None
) -> None:
    headers = {} if value is None else {"Authorization": value}
    for method, path, body in (("GET", "/v2/questions/nowhere", None), ("POST", STATS, b"{")):
        answer = ask(service, method, path, body, token=None, headers=headers)
        assert answer.status == 401
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert not (value or "").strip() or value not in answer.json["detail"]


def test_each_of_several_tokens_is_accepted_and_none_is_kept(survey: Survey) -> None:
    service = Service(survey, ["first-canary", "second"])
    for token, status in (("first-canary", 200), ("second", 200), ("first-canarysecond", 401)):
        assert ask(service, "GET", QUESTION, token=token).status == status
    held = [each for each in reachable(service) if isinstance(each, str | bytes)]
    assert not [each for each in held if "canary" in str(each)]
    with pytest.raises(LookupError):
        _ = service.token


def test_a_service_without_tokens_makes_a_random_one(survey: Survey) -> None:
    one, other = Service(survey), Service(survey)
    assert len(one.token) >= 32
    assert ask(one, "GET", QUESTION, token=one.token).status == 200
    assert ask(one, "GET", QUESTION, token=other.token).status == 401


@pytest.mark.parametrize("tokens", [[], [""], ["good", "  "]])
def test_a_service_needs_a_token(survey: Survey, tokens: list[str]) -> None:
    with fails(ValueError):
        Service(survey, tokens)


# Rate limits


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("per_second", "burst"), [(0, 1), (-1, 1), (float("nan"), 1), (float("inf"), 1), (1, 0)]
)
def test_a_rate_limit_allows_something(per_second: float, burst: int) -> None:
    with fails(ValueError):
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
