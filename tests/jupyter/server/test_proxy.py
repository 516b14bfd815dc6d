"""Requests that are passed on, without a server."""

import pytest

from audiencelab.jupyter.server.proxy import path_within, response_headers, service_request
from audiencelab.schema.http import BASE_OF, JSON, SURVEY_SCOPE
from audiencelab.service.operations import OPERATIONS


@pytest.mark.parametrize(
    ("include", "query"),
    [
        ("datapoints", "include=datapoints"),
        ("datapoints,categories", "include=datapoints%2Ccategories"),
        ("a b", ""),
        ("a&b=c", ""),
    ],
)
def test_a_parameter_is_a_list_of_names(include: str, query: str) -> None:
    request = service_request("GET", "/v2/questions/q4", include, {}, b"")
    assert request is not None
    assert request.query == query


@pytest.mark.parametrize("base", ["", "/user/service", "/user/service/x"])
@pytest.mark.parametrize("name", ["demo", "service", "a%2Fservice"])
def test_the_path_follows_service_whatever_precedes_it(base: str, name: str) -> None:
    uri = f"{base}/audiencelab/connections/{name}/service/v2/questions/a%2Fb?include=x"
    assert path_within(uri) == "/v2/questions/a%2Fb"


def test_the_allowed_operations_are_those_of_the_service() -> None:
    allowed = {(each.endpoint.method, each.endpoint.path) for each in OPERATIONS}
    for path in {path for _, path in allowed}:
        concrete = "/".join("x" if part.startswith("{") else part for part in path.split("/"))
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            request = service_request(method, concrete, "", {}, b"")
            assert (request is not None) == ((method, path) in allowed)
            assert request is None or (request.method, request.path) == (method, concrete)


@pytest.mark.parametrize("value", ["%7B%22base_of%22%3A%22valid%22%7D", "a\r\nset-cookie: b", "é"])
def test_what_the_service_says_of_who_counts_is_passed_on(value: str) -> None:
    answer = {"content-type": JSON, SURVEY_SCOPE: value, BASE_OF: "valid", "set-cookie": "a"}
    passed = {"content-type": JSON, BASE_OF: "valid"}
    if value.startswith("%"):
        passed[SURVEY_SCOPE] = value
    assert response_headers(200, answer) == passed
