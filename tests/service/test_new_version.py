"""A survey that somebody changes while a service answers from it."""

from __future__ import annotations

import logging
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from audiencelab.engine import Engine
from audiencelab.service import Request, Service
from audiencelab.survey import Net, NetPoint, Survey, derive, rake
from audiencelab.survey.raking import Margin, Target, Targets
from tests.service.asking import TOKEN, ask, crosstab
from tests.service.surveys import build_survey

MEN = {"id": "men", "expression": {"question": "q2", "datapoints": ["q2_1"]}}
NET = Net(code="all", name="Everybody", question="q2", datapoints=(NetPoint("All", ("q2_1",)),))


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return build_survey(tmp_path / "survey")


def weighed(survey: Survey, men: float) -> Survey:
    """The next version, in which so much of the weight is men's."""
    margin = Margin("q2", {"q2_1": men, "q2_2": 1 - men})
    return rake(survey.path, Targets((Target((margin,)),))).survey


def share_of_men(service: Service) -> float:
    [cell] = crosstab(service, rows=[MEN], columns=[])
    return round(cell["audiences"]["row"]["percentage"], 6)


def test_the_next_request_is_answered_from_the_new_version(survey: Survey) -> None:
    service = Service(survey, [TOKEN])
    assert ask(service, "GET", "/v2/questions/all").status == 404
    assert service.survey is survey
    derive(survey, NET)
    assert ask(service, "GET", "/v2/questions/all").status == 200
    assert service.survey.is_current
    assert not survey.is_current
    weighed(survey, 0.75)
    assert share_of_men(service) == 75


def test_an_answer_that_has_begun_ends_on_the_old_version(survey: Survey) -> None:
    weighed(survey, 0.25)
    service = Service(Survey.open(survey.path), [TOKEN])
    rows = [{**MEN, "id": f"men {place}"} for place in range(1_000)]
    body = msgspec.json.encode({"rows": rows, "columns": [MEN]})
    headers = {"authorization": TOKEN}
    chunks = iter(service.handle(Request("POST", "/v2/query/crosstab", "", headers, body)).body)
    first = next(chunks)
    weighed(survey, 0.75)
    assert share_of_men(service) == 75
    cells = [msgspec.json.decode(line) for line in (first + b"".join(chunks)).splitlines()]
    assert len(cells) == 1_000
    assert {round(cell["audiences"]["row"]["percentage"], 6) for cell in cells} == {25}


def test_many_threads_see_one_version_or_the_other_and_never_both(survey: Survey) -> None:
    weighed(survey, 0.25)
    service = Service(Survey.open(survey.path), [TOKEN])

    def asked(_: int) -> Any:
        cells = crosstab(service, rows=[MEN], columns=[MEN, {"id": "all", "expression": None}])
        return {round(cell["audiences"]["row"]["percentage"], 6) for cell in cells}

    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(asked, range(400))
        for place in range(6):
            weighed(survey, 0.75 if place % 2 == 0 else 0.25)
        found = list(answers)
    assert all(each in ({25}, {75}) for each in found)
    assert share_of_men(service) == 25


def test_a_survey_that_is_taken_away_is_answered_from_all_the_same(
    survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service(survey, [TOKEN])
    before = crosstab(service, rows=[MEN], columns=[MEN])
    moved = shutil.move(survey.path, survey.path.with_name("elsewhere"))
    with caplog.at_level(logging.WARNING, "audiencelab.service"):
        assert crosstab(service, rows=[MEN], columns=[MEN]) == before
        assert crosstab(service, rows=[MEN], columns=[MEN]) == before
        assert ask(service, "POST", "/v3/insights/filter", {}).status == 200
    [told] = caplog.messages
    assert "old version" in told
    shutil.move(moved, survey.path)
    assert crosstab(service, rows=[MEN], columns=[MEN]) == before


def test_an_engine_that_the_service_was_given_stays_with_its_version(survey: Survey) -> None:
    survey.pin()
    service = Service(survey, [TOKEN], engine=Engine(survey))
    before = share_of_men(service)
    weighed(survey, 0.75)
    assert share_of_men(service) == before
    assert service.survey is survey


def test_where_that_version_is_not_held_the_caller_learns_what_happened(survey: Survey) -> None:
    service = Service(survey, [TOKEN], engine=Engine(survey))
    weighed(survey, 0.75)
    answer = ask(service, "POST", "/v2/query/crosstab", {"rows": [MEN], "columns": []})
    assert answer.status == 503
    assert "changed or are not there" in answer.json["detail"]
    assert str(survey.path) not in answer.body.decode()
