"""What the service says of its survey: who counts, which waves, who was asked, what was offered."""

from __future__ import annotations

from typing import Any

import pytest

from audiencelab.errors import AudienceError
from audiencelab.schema.coverage import offered_in
from audiencelab.schema.http import BASE_OF, SURVEY_SCOPE
from audiencelab.schema.survey_scope import MOST_BYTES, SurveyScope
from audiencelab.service import Service
from audiencelab.survey import Survey
from audiencelab.survey.record import SurveyRecord
from tests.messages import fails
from tests.service.asking import TOKEN, ask
from tests.service.surveys import OPEN_WAVES

FILTER, QUESTION = "/v3/questions/filter", "/v2/questions/core.q2"

RECORD = SurveyRecord(
    base_of="valid",
    waves="all",
    sizes="sum",
    routed=("core.q2",),
    not_offered={
        "q4_2022": {"core.q2": ("q2_2",)},
        "q1_2023": {"core.q2": ("q2_2",)},
        "closed": {"core.q2": ("q2_1",)},
    },
)


@pytest.fixture(scope="module")
def recorded(survey: Survey) -> Service:
    """A service of the survey as if its record were another."""
    opened = Survey.open(survey.path)
    vars(opened)["record"] = RECORD
    return Service(opened, [TOKEN])


def scope_of(service: Service, path: str = FILTER, **headers: str) -> SurveyScope:
    method = "POST" if path == FILTER else "GET"
    answer = ask(service, method, path, {} if method == "POST" else None, headers=headers)
    return SurveyScope.from_header(answer.headers[SURVEY_SCOPE])


@pytest.mark.parametrize("path", [FILTER, QUESTION])
def test_the_catalogue_says_what_a_query_counts(recorded: Service, path: str):
    scope = scope_of(recorded, path)
    assert (scope.base_of, scope.waves, scope.sizes) == ("valid", "all", "sum")
    assert scope.routed_known
    # Waves that callers may not use are not named.
    assert [*scope.wave_names] == OPEN_WAVES


def test_an_answer_without_a_body_says_it_too(recorded: Service):
    tag = ask(recorded, "GET", QUESTION).headers["etag"]
    unchanged = ask(recorded, "GET", QUESTION, headers={"If-None-Match": tag})
    assert unchanged.status == 304
    assert SurveyScope.from_header(unchanged.headers[SURVEY_SCOPE]).base_of == "valid"


def test_other_answers_do_not(recorded: Service):
    for method, path in (("POST", "/v2/query/crosstab"), ("GET", "/v2/categories/11")):
        assert SURVEY_SCOPE not in ask(recorded, method, path, None).headers


def test_a_survey_without_a_record_counts_everyone(service: Service):
    scope = scope_of(service)
    assert (scope.base_of, scope.waves, scope.sizes) == ("everyone", "", "average")
    # Any question may have been routed, so that no flag says it.
    assert not scope.routed_known
    [question] = ask(service, "GET", QUESTION).json.values()
    assert "routed" not in question["flags"]


def test_the_server_may_choose_another_base(survey: Survey):
    assert scope_of(Service(survey, [TOKEN], base_of="valid")).base_of == "valid"
    with fails(AudienceError):
        Service(survey, [TOKEN], base_of="some")  # pyright: ignore[reportArgumentType]


def test_flags_say_what_was_offered_and_that_some_were_not_asked(recorded: Service):
    [question] = ask(recorded, "GET", QUESTION).json.values()
    # The closed wave is not named, nor an answer that the others all offered.
    assert offered_in(question["flags"]) == {"q2_2": tuple(OPEN_WAVES[2:])}
    assert "routed" in question["flags"]
    listed = ask(recorded, "POST", FILTER, {"questions": [{"question": "s2"}]}).json["questions"]
    assert not {"routed", *offered_in(listed[0]["flags"])} & {*listed[0]["flags"]}


@pytest.mark.parametrize("name", ["x" * MOST_BYTES, "\u2028<b>'\"" * 200])
def test_long_and_hostile_names_of_waves_fit_a_header(name: str):
    header = SurveyScope(base_of="valid", wave_names={"w1": name}).to_header()
    assert header.isascii()
    assert header.isprintable()
    assert len(header) <= MOST_BYTES
    read = SurveyScope.from_header(header)
    assert read.base_of == "valid"
    assert read.wave_names in ({}, {"w1": name})


@pytest.mark.parametrize("header", ["", "{", "%7B%22base_of%22%3A%22some%22%7D", "%FF"])
def test_another_header_is_refused(header: str):
    with fails(AudienceError):
        SurveyScope.from_header(header)


@pytest.mark.parametrize(
    ("path", "body"),
    [("/v2/query/crosstab", {}), ("/v2/query/stats", {"question": "q2"}), ("/local/precision", {})],
)
def test_an_answer_repeats_who_counted(service: Service, path: str, body: dict[str, Any]):
    assert BASE_OF not in ask(service, "POST", path, body).headers
    assert BASE_OF not in ask(service, "POST", path, {**body, "base_of": "everyone"}).headers
    answer = ask(service, "POST", path, {**body, "base_of": "valid"})
    if answer.status == 200:
        assert answer.headers[BASE_OF] == "valid"
