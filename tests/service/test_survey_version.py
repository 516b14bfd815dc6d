"""Every answer names the version of the survey it is of, and no other version answers for it."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path

import httpx
import pytest

import audiencelab
from audiencelab.engine import Engine
from audiencelab.schema.http import IF_SURVEY_VERSION, SURVEY_VERSION
from audiencelab.service import Request, Service
from audiencelab.service.openapi_examples import BODIES
from audiencelab.service.operations import OPERATIONS, Operation
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, Answer, ask
from tests.service.surveys import build_survey
from tests.service.test_new_version import MEN, weighed
from tests.service.test_openapi import example_path

QUESTION, CROSSTAB, STATS = "/v2/questions/core.q2", "/v2/query/crosstab", "/v2/query/stats"
TABLE = {"rows": [MEN], "columns": [MEN]}


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return build_survey(tmp_path / "survey")


def version(service: Service) -> str:
    return ask(service, "GET", QUESTION).headers[SURVEY_VERSION]


def with_version(service: Service, wanted: str, body: object = TABLE) -> Answer:
    return ask(service, "POST", CROSSTAB, body, headers={IF_SURVEY_VERSION: wanted})


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_every_operation_names_the_version_and_refuses_another(operation: Operation) -> None:
    service = Service(audiencelab.demo_survey(), [TOKEN])
    endpoint, path = operation.endpoint, example_path(operation, service)
    body, method = BODIES.get(endpoint), endpoint.method
    named = ask(service, method, path, body)
    assert named.status == 200
    assert named.headers[SURVEY_VERSION] == version(service)
    refused = ask(service, method, path, body, headers={IF_SURVEY_VERSION: "0" * 32})
    assert (refused.status, refused.json["type"]) == (412, "survey_changed")
    assert refused.json["title"] == "The survey has changed"
    known = {IF_SURVEY_VERSION: named.headers[SURVEY_VERSION]}
    assert ask(service, method, path, body, headers=known).status == 200


def test_another_version_refuses_before_it_looks_at_the_request(survey: Survey) -> None:
    service = Service(survey, [TOKEN])
    assert with_version(service, "another", {"nonsense": 1}).status == 412
    assert with_version(service, version(service), {"nonsense": 1}).status == 400


def test_restarts_copies_weights_and_given_engines_name_the_same_version(
    survey: Survey, tmp_path: Path
) -> None:
    first = version(Service(survey, [TOKEN]))
    copied = shutil.copytree(survey.path, tmp_path / "copied")
    again = Survey.open(survey.path)
    services = [
        Service(again, [TOKEN]),
        Service(Survey.open(copied), [TOKEN]),
        Service(again, [TOKEN], engine=Engine(again)),
        # The weight of a query belongs to the query.
        Service(again, [TOKEN]).weighted(None),
        Service(again, [TOKEN]).pinned(),
    ]
    assert {version(each) for each in services} == {first}
    assert len(first) == 32


def test_what_changes_figures_changes_the_version(survey: Survey) -> None:
    service = Service(survey, [TOKEN])
    known = [version(service), version(Service(survey, [TOKEN], minimum_base=30))]
    kept = service.pinned()
    for men in (0.25, 0.75):
        weighed(survey, men)
        known.append(version(service))
    assert len({*known}) == 4
    assert with_version(service, known[0]).status == 412
    assert with_version(service, known[-1]).status == 200
    assert with_version(kept, known[0]).status == 200


def test_what_is_stored_beside_the_survey_leaves_it(survey: Survey) -> None:
    service = Service(survey, [TOKEN])
    before = version(service)
    ask(service, "POST", "/v1/charts", {"name": "Chart"})
    service.save_audience(audiencelab.Q("q2").any("q2_1"))
    assert version(service) == before


def test_a_stream_names_the_version_of_its_figures_to_its_end(survey: Survey) -> None:
    service = Service(survey, [TOKEN])
    headers = {"authorization": TOKEN}
    body = json.dumps({"rows": [{**MEN, "id": f"{n}"} for n in range(1_000)]}).encode()
    response = service.handle(Request("POST", CROSSTAB, "", headers, body))
    chunks = iter(response.body)
    next(chunks)
    old = version(service)
    weighed(survey, 0.75)
    assert response.headers[SURVEY_VERSION] == old != version(service)
    assert sum(1 for _ in chunks) > 0


def test_over_http_compression_keeps_it_and_logs_have_it(
    survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "audiencelab")
    with (
        audiencelab.serve(survey.path, token=TOKEN) as url,
        httpx.Client(
            base_url=url, headers={"Authorization": TOKEN}, trust_env=False, timeout=60
        ) as http,
    ):
        rows = {"rows": [{**MEN, "id": f"{n}"} for n in range(100)]}
        table = http.post(CROSSTAB, json=rows)
        assert table.headers["content-encoding"] == "gzip"
        first = http.get(QUESTION)
        same = http.get(QUESTION, headers={"If-None-Match": first.headers["etag"]})
        assert same.status_code == 304
        refused = http.get(QUESTION, headers={"If-Survey-Version": "another"})
        assert refused.status_code == 412
        assert http.post("/v1/charts", json={"name": "Chart"}).status_code == 200
    [named] = {each.headers[SURVEY_VERSION] for each in (table, first, same, refused)}
    logged = [json.loads(each.getMessage()) for each in caplog.records if each.args]
    lines = [each for each in logged if "operation" in each]
    assert {each["survey_version"] for each in lines} == {named}
    assert len(lines) == 6  # five requests, and the one that wrote, for auditors
