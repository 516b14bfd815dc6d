"""Who gets in: Bearer or bare token; everything else is 401 and told without an echo."""

from __future__ import annotations

import pytest

from audiencelab.service import Service
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask

PATH = "/v2/questions/core.q2"


@pytest.mark.parametrize("value", [f"Bearer {TOKEN}", f"bearer  {TOKEN}", TOKEN, f" {TOKEN} "])
def test_bearer_or_bare_token_is_accepted(service: Service, value: str) -> None:
    assert ask(service, "GET", PATH, token=None, headers={"authorization": value}).status == 200


@pytest.mark.parametrize(
    "value",
    ["", "   ", "Bearer", "Bearer ", "wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "é", "\ud800"],
)
def test_anything_else_is_refused(service: Service, value: str) -> None:
    answer = ask(service, "GET", PATH, token=None, headers={"Authorization": value})
    assert answer.status == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json["title"] == "A valid credential is needed"
    assert not value.strip() or value not in answer.json["detail"]


def test_no_header_is_refused_before_anything_is_looked_at(service: Service) -> None:
    assert ask(service, "GET", "/v2/questions/nowhere", token=None).status == 401
    assert ask(service, "POST", "/v2/query/stats", b"{", token=None).status == 401


def test_each_of_several_tokens_is_accepted(survey: Survey) -> None:
    service = Service(survey, ["first", "second"])
    for token, status in (("first", 200), ("second", 200), ("firstsecond", 401)):
        assert ask(service, "GET", PATH, token=token).status == status


def test_a_service_without_tokens_makes_one_that_nobody_can_guess(survey: Survey) -> None:
    one, other = Service(survey), Service(survey)
    assert one.token != other.token
    assert len(one.token) >= 32
    assert ask(one, "GET", PATH, token=one.token).status == 200
    assert ask(one, "GET", PATH, token=other.token).status == 401


@pytest.mark.parametrize("tokens", [[], [""], ["good", "  "]])
def test_a_service_that_takes_every_caller_cannot_be_made(
    survey: Survey, tokens: list[str]
) -> None:
    with pytest.raises(ValueError, match="at least one token"):
        Service(survey, tokens)


def test_given_tokens_are_not_kept(survey: Survey) -> None:
    service = Service(survey, ["canary-token"])
    with pytest.raises(LookupError):
        _ = service.token
    assert "canary" not in repr(service)
    assert "canary" not in repr(vars(service._credentials))
