"""The published interface: a valid document that says what the service does, and no more."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from audiencelab import demo_survey
from audiencelab.expressions import InvalidExpression, parse_expression
from audiencelab.schema import endpoints
from audiencelab.service import Limits, RateLimit, Service
from audiencelab.service.openapi import document
from audiencelab.service.openapi_examples import BODIES, PARAMETERS
from audiencelab.service.operations import OPERATIONS, Operation
from tests.service.asking import TOKEN, ask

DOCUMENT = document()


def test_it_is_valid() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_it_has_every_operation_health_and_itself() -> None:
    described = {
        (method.upper(), path, operation["operationId"])
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
    }
    assert described == {
        *((each.endpoint.method, each.endpoint.path, each.name) for each in OPERATIONS),
        ("GET", "/health", "health"),
        ("GET", "/ready", "ready"),
        ("GET", "/openapi.json", "interface"),
    }


def test_limits_are_in_it() -> None:
    described = document(Limits(rows=17, depth=5))
    crosstab = described["paths"]["/v2/query/crosstab"]["post"]["requestBody"]
    properties = crosstab["content"]["application/json"]["schema"]["properties"]
    assert properties["rows"]["maxItems"] == 17
    assert "- rows: 17" in described["info"]["description"]
    assert "5 levels" in described["components"]["schemas"]["AudienceExpression"]["description"]


def test_only_health_and_the_document_need_no_credential() -> None:
    assert [
        path
        for path, item in DOCUMENT["paths"].items()
        for op in item.values()
        if op.get("security") == []
    ] == ["/health", "/ready", "/openapi.json"]


def test_a_key_against_repetition_is_described_where_it_counts() -> None:
    takes = {
        (path, method)
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
        for parameter in operation.get("parameters", ())
        if (parameter["in"], parameter["name"]) == ("header", "Idempotency-Key")
    }
    assert takes == {("/v1/charts", "post")}


def test_every_answer_of_an_operation_describes_its_headers(demo: Service) -> None:
    limited = Service(demo.survey, [TOKEN], rate_limit=RateLimit(1, 1))
    sent = set(ask(limited, "GET", "/v2/questions/core.q2").headers)
    refused = set(ask(limited, "GET", "/v2/questions/core.q2").headers)
    always = {"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
    assert {name.lower() for name in always} <= sent & refused
    described = DOCUMENT["paths"]["/v2/questions/{question_code}"]["get"]["responses"]["200"]
    assert set(described["headers"]) == {
        *always,
        "Survey-Version",
        "Survey-Scope",
        "ETag",
        "Cache-Control",
    }
    content = {"content-type", "content-length"}
    assert {name.lower() for name in described["headers"]} == sent - content
    for response in DOCUMENT["components"]["responses"].values():
        assert set(response["headers"]) >= always


def headers_of(name: str, status: str) -> set[str]:
    (operation,) = [
        each
        for item in DOCUMENT["paths"].values()
        for each in item.values()
        if each["operationId"] == name
    ]
    response = operation["responses"].get(status, {})
    if reference := response.get("$ref"):
        response = DOCUMENT["components"]["responses"][reference.rsplit("/", 1)[1]]
    return set(response.get("headers", ()))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_tags_and_conditions_are_described_where_they_occur(
    operation: Operation, demo: Service
) -> None:
    path = example_path(operation, demo)
    body = BODIES.get(operation.endpoint)
    answer = ask(demo, operation.endpoint.method, path, body)
    assert ("etag" in answer.headers) == ("ETag" in headers_of(operation.name, "200"))
    parameters = DOCUMENT["paths"][operation.endpoint.path][operation.endpoint.method.lower()]
    taken = {each["name"] for each in parameters["parameters"] if each["in"] == "header"}
    for header, status in (("If-None-Match", 304), ("If-Match", 412), ("If-Survey-Version", 412)):
        tag = answer.headers.get("etag", '"any"') if status == 304 else '"another"'
        found = ask(demo, operation.endpoint.method, path, body, headers={header: tag})
        assert (found.status == status) == (header in taken)
        assert header not in taken or str(status) in parameters["responses"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
@pytest.mark.parametrize("status", ["429", "503"])
def test_any_operation_may_ask_to_wait(operation: Operation, status: str) -> None:
    assert "Retry-After" in headers_of(operation.name, status)


def test_a_crosstab_is_described_as_the_stream_that_it_is(demo: Service) -> None:
    answer = ask(demo, "POST", "/v2/query/crosstab", BODIES[endpoints.QUERY_CROSSTAB])
    described = DOCUMENT["paths"]["/v2/query/crosstab"]["post"]["responses"]["200"]["content"]
    content = described["application/x-ndjson"]
    assert content["schema"]["type"] == "string"
    for line in answer.lines:
        assert problems(content["x-itemSchema"], line) == []


def test_it_says_nothing_of_readers_defaults() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert not [each for each in schema["properties"].values() if "default" in each], name


# -- examples


@pytest.fixture(scope="module")
def demo() -> Service:
    return Service(demo_survey(), [TOKEN])


def example_path(operation: Operation, demo: Service) -> str:
    """The path of an operation's example; a chart that it needs is made."""
    path = operation.endpoint.path
    if path.startswith("/v1/charts/"):
        made = ask(demo, "POST", "/v1/charts", BODIES[endpoints.CREATE_CHART])
        path = path.replace("{id}", made.json["id"])
    for name, value in PARAMETERS.items():
        path = path.replace(f"{{{name}}}", value)
    return path


def request_body(operation: Operation) -> dict[str, Any]:
    methods = DOCUMENT["paths"][operation.endpoint.path]
    return methods[operation.endpoint.method.lower()]["requestBody"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_examples_are_answered_by_the_demo_survey(operation: Operation, demo: Service) -> None:
    path = example_path(operation, demo)
    answer = ask(demo, operation.endpoint.method, path, BODIES.get(operation.endpoint))
    assert answer.status == 200, answer.body


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if each.body], ids=lambda each: each.name
)
def test_examples_fit_their_schema(operation: Operation) -> None:
    content = request_body(operation)["content"]["application/json"]
    assert problems(content["schema"], content["example"]) == []


# -- the expression


def problems(schema: Any, value: Any) -> list[str]:
    whole = {**schema, "components": DOCUMENT["components"]}
    return [each.message for each in jsonschema.Draft202012Validator(whole).iter_errors(value)]


LEAF = {"question": "q2", "datapoints": ["q2_1"]}


@pytest.mark.parametrize(
    "expression",
    [
        LEAF,
        {"question": "q2"},
        {"question": "q2", "options": ["q2_1"], "suffixes": [1, "2"], "min_count": 1},
        {"and": [LEAF, {"or": [LEAF], "not": True}]},
        {"and": [LEAF], "or": None, "question": None, "datapoints": None, "not": None},
        {"question": "q2", "datapoints": ["q2_1"], "options": None},
        {},
        {"and": []},
        {"and": [LEAF], "or": [LEAF]},
        {"and": [LEAF], "datapoints": ["q2_1"]},
        {"and": [{"or": [{}]}]},
        {"question": "q2", "datapoints": []},
        {"question": "q2", "datapoints": ["a"], "options": ["a"]},
        {"question": "q2", "min_count": 0},
        {"question": "q2", "suffixes": [True]},
        {"question": "q2", "suffixes": [1.5]},
        {"question": ""},
        {"question": "q2", "not": "yes"},
        {"question": "q2", "else": 1},
        [],
        "q2",
    ],
    ids=repr,
)
def test_the_schema_of_an_expression_agrees_with_its_parser(expression: Any) -> None:
    try:
        parse_expression(expression)
    except InvalidExpression:
        is_valid = False
    else:
        is_valid = True
    schema = {"$ref": "#/components/schemas/AudienceExpression"}
    assert (problems(schema, expression) == []) == is_valid


# -- null


def nullable(schema: dict[str, Any]) -> dict[str, bool]:
    """The fields of a body, and whether each is declared to take null."""
    return {
        name: "null" in each.get("type", ()) or {"type": "null"} in each.get("anyOf", ())
        for name, each in schema["properties"].items()
    }


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if each.body], ids=lambda each: each.name
)
def test_null_is_declared_where_it_is_accepted(operation: Operation, demo: Service) -> None:
    body = request_body(operation)
    chart = ask(demo, "POST", "/v1/charts", {"name": "x"}).json["id"]
    saved = demo.saved_audiences()[0].id
    path = operation.endpoint.path
    path = path.replace("{id}", chart if "charts" in path else saved)
    question = {"question": "q2"}
    least = {"query_stats": question, "query_numbers": question, "create_chart": {"name": "x"}}
    least["query_amounts"] = BODIES[endpoints.QUERY_AMOUNTS]
    least["query_adjusted"] = BODIES[endpoints.QUERY_ADJUSTED]
    for name, is_declared in nullable(body["content"]["application/json"]["schema"]).items():
        sent = {**least.get(operation.name, {}), name: None}
        assert (ask(demo, operation.endpoint.method, path, sent).status == 200) == is_declared, name
