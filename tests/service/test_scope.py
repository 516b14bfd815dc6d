"""Whom a query counts, as the service reads it: fields of the body, and a header for the weight."""

from __future__ import annotations

import pytest

import audiencelab as al
from audiencelab.client import InvalidRequest
from audiencelab.schema.http import WEIGHT
from audiencelab.service import Service
from audiencelab.service.openapi import document
from audiencelab.survey import Survey
from tests.messages import fails
from tests.service.asking import TOKEN, ask, crosstab

EVERYONE = {"id": "all"}
QUERIES = {
    "/v2/query/stats": {"question": "q2"},
    "/v2/query/crosstab": {"rows": [EVERYONE]},
}


@pytest.mark.parametrize("path", QUERIES)
def test_an_unknown_base_is_refused(service: Service, path: str) -> None:
    assert ask(service, "POST", path, QUERIES[path] | {"base_of": "valid"}).status == 200
    unknown = ask(service, "POST", path, QUERIES[path] | {"base_of": "all"})
    assert (unknown.status, unknown.pointers) == (400, ["/base_of"])


@pytest.mark.parametrize("path", QUERIES)
def test_everyone_is_the_default(service: Service, path: str) -> None:
    plain = ask(service, "POST", path, QUERIES[path])
    assert ask(service, "POST", path, QUERIES[path] | {"base_of": "everyone"}).body == plain.body


@pytest.mark.parametrize("path", QUERIES)
def test_the_interface_describes_it_as_optional(path: str) -> None:
    body = document()["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    assert "base_of" in body["schema"]["properties"]
    assert "base_of" not in body["schema"].get("required", ())
    headers = document()["paths"][path]["post"]["parameters"]
    assert WEIGHT in [each["name"] for each in headers if each["in"] == "header"]


def sizes(service: Service, headers: dict[str, str] | None = None) -> tuple[float, float]:
    body = {"rows": [EVERYONE]}
    [cell] = ask(service, "POST", "/v2/query/crosstab", body, headers=headers).lines
    return cell["base"]["size"], cell["base"]["sample"]


def test_the_weight_of_a_header_is_counted_with(survey: Survey) -> None:
    service = Service(survey, [TOKEN])
    size, sample = sizes(service)
    unweighted, people = sizes(service, {WEIGHT: ""})
    # On average over four waves; respondents of weight 0 count as well.
    assert unweighted == pytest.approx(people / 4)
    assert (people >= sample, unweighted == size) == (True, False)
    assert sizes(service) == (size, sample)


def test_a_weight_that_the_survey_does_not_have_is_refused(service: Service) -> None:
    body = {"rows": [EVERYONE]}
    refused = ask(service, "POST", "/v2/query/crosstab", body, headers={WEIGHT: "no%20such"})
    assert (refused.status, refused.pointers) == (400, [""])
    assert "no such" not in refused.body.decode()


def test_an_operation_without_figures_has_no_weight(service: Service) -> None:
    assert ask(service, "GET", "/v2/questions/core.q2", headers={WEIGHT: "no"}).status == 200
    assert crosstab(service, rows=[EVERYONE])


@pytest.mark.parametrize("path", QUERIES)
def test_it_is_read_over_http(survey: Survey, path: str) -> None:
    with al.serve(survey, token=TOKEN) as url, al.connect(url, token=TOKEN) as client:
        assert client.request("POST", path, json=QUERIES[path]).status == 200
        with fails(InvalidRequest):
            client.request("POST", path, json=QUERIES[path] | {"base_of": "all"})
