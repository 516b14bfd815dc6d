"""Bodies of requests: their forms, their limits, and the faults of bad ones."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from audiencelab.service import Limits, Service
from audiencelab.service.openapi import document
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, Answer, ask, crosstab, stats

STATS, CROSSTAB, CHARTS = "/v2/query/stats", "/v2/query/crosstab", "/v1/charts"
QUESTIONS, INSIGHTS = "/v3/questions/filter", "/v3/insights/filter"


def leaf(question: str = "q2", *datapoints: str, **more: Any) -> dict[str, Any]:
    listed = {"datapoints": list(datapoints)} if datapoints else {}
    return {"question": question, **listed, **more}


def nested(depth: int) -> dict[str, Any]:
    return leaf() if depth == 1 else {"and": [nested(depth - 1)]}


def faults(answer: Answer) -> dict[str, str]:
    return {fault["pointer"]: fault["detail"] for fault in answer.json["errors"]}


# Bad bodies


@pytest.mark.parametrize(
    "body",
    [
        *(b"{", b"[1", b"\xff", b"canary", b"{'a': 1}", b"[" * 100_000, b'{"a":NaN}'),
        *(b'{"a":1e999}', b"null", b"[]", b'"canary"', b"1"),
    ],
)
@pytest.mark.parametrize("path", [STATS, CROSSTAB, CHARTS, INSIGHTS])
def test_a_body_that_is_not_a_json_object_is_400(service: Service, path: str, body: bytes) -> None:
    answer = ask(service, "POST", path, body)
    assert (answer.status, answer.pointers) == (400, [""])
    assert b"canary" not in answer.body


@pytest.mark.parametrize("path", [STATS, CROSSTAB, CHARTS, QUESTIONS, INSIGHTS])
def test_only_filters_may_have_an_empty_body(service: Service, path: str) -> None:
    is_filter = path in (QUESTIONS, INSIGHTS)
    assert document()["paths"][path]["post"]["requestBody"]["required"] is not is_filter
    for body in (b"", b" \n"):
        answer = ask(service, "POST", path, body)
        assert answer.status == (200 if is_filter else 400)
        assert not is_filter or answer.body == ask(service, "POST", path, {}).body


EXPRESSIONS: list[tuple[Any, str, str]] = [
    ({}, "", "has none of them"),
    ([], "", "must be an object"),
    ({"and": [leaf()], "question": "q2"}, "", "has 'and', 'question'"),
    ({"or": []}, "/or", "at least one node"),
    (leaf(datapoints=[]), "/datapoints", "at least one code"),
    (leaf("q2", "q2_1", min_count=2), "/min_count", "number of datapoints, 1"),
    (leaf("q2", min_count=3), "/min_count", "different datapoints, 2"),
    (leaf("q2", "q2_1", "q2_1", min_count=2), "/min_count", "different datapoints, 1"),
    (leaf("q20", suffixes=[9]), "/suffixes/0", "no suffix of this code"),
    (leaf("q2", suffixes=[1]), "/suffixes", "no suffixes"),
    (leaf("waves", "q9_1999"), "/datapoints/0", "No wave"),
    (leaf("waves", "q4_2023", suffixes=["1"]), "/suffixes", "no suffixes"),
    (leaf("sport.q2"), "/question", "No question"),
    ({"and": [leaf(), {"or": [leaf("q2", "x")]}]}, "/and/1/or/0/datapoints/0", "no datapoint"),
]

BAD: list[tuple[str, Any, int, str, str]] = [
    *((CROSSTAB, {"rows": [{}, {"expression": bad}]}, 400, f"/rows/1/expression{at}", why)
      for bad, at, why in EXPRESSIONS),
    (CROSSTAB, {"rows": {}}, 400, "/rows", "must be an array"),
    (CROSSTAB, {"Canary <b>": 1}, 400, "", "Unknown field; this object takes columns, rows"),
    (CROSSTAB, {"wave": ["q4_2023"]}, 400, "/wave", "Unknown field"),
    (CROSSTAB, {"rows": [{"name": "x" * 20_001}]}, 400, "/rows/0/name", "limit (text) is 20,000"),
    (STATS, {}, 400, "/question", "required"),
    (STATS, {"question": None}, 400, "/question", "required"),
    (STATS, {"question": ""}, 400, "/question", "must not be empty"),
    (STATS, {"question": "q2", "datapoints": ["q4_1"]}, 400, "/datapoints/0", "no datapoint"),
    (STATS, {"question": "q2", "suffixes": ["1"]}, 400, "/suffixes", "no suffixes"),
    (STATS, {"question": "q20", "suffixes": [1.5]}, 400, "/suffixes/0", "string or an integer"),
    (STATS, {"question": "q2", "segments": ["q4_1"]}, 400, "/segments", "need a splitter"),
    (STATS, {"question": "secret"}, 403, "/question", "core.secret is not accessible"),
    (STATS, {"question": "q2", "segmented_base": 1}, 400, "/segmented_base", "true or false"),
    (CROSSTAB, {"waves": ["closed"]}, 403, "/waves/0", "wave closed is not accessible"),
    (CROSSTAB, {"locations": ["s2_3"]}, 403, "/locations/0", "s2_3 is not accessible"),
    (CROSSTAB, {"base_audience": {"expression": leaf("q4", "q4_3")}}, 403,
     "/base_audience/expression/datapoints/0", "q4_3 of core.q4 is not accessible"),
    (QUESTIONS, {"include": {"children": True}}, 400, "/include/children", "Unknown field"),
    (QUESTIONS, {"include": ["datapoints"]}, 400, "/include", "must be an object"),
    (QUESTIONS, {"questions": [{"namespace_code": "core"}]}, 400, "/questions/0/question", "requ"),
    (INSIGHTS, {"limit": 0}, 400, "/limit", "at least 1"),
    (INSIGHTS, {"limit": 1_001}, 400, "/limit", "at most 1,000, the limit (page)"),
    (INSIGHTS, {"limit": 10.5}, 400, "/limit", "must be an integer"),
    (INSIGHTS, {"offset": -1}, 400, "/offset", "at least 0"),
    (INSIGHTS, {"offset": 2**63}, 400, "/offset", "at most"),
    (INSIGHTS, {"order": "ASC"}, 400, "/order", "one of asc, desc"),
    (INSIGHTS, {"filters": {"types": ["book"]}}, 400, "/filters/types/0", "one of report"),
    (INSIGHTS, {"filters": {"categories": ["1"]}}, 400, "/filters/categories/0", "an integer"),
    (CHARTS, {"name": ""}, 400, "/name", "must not be empty"),
    (CHARTS, {"name": "x", "group_type": 10**400}, 400, "/group_type", "at most"),
    (CHARTS, {"name": "x", "attributes": [None]}, 400, "/attributes/0", "must be an object"),
    (CHARTS, {"name": "x", "created_at": 1}, 400, "/created_at", "Unknown field"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "status", "pointer", "why"), BAD)
def test_a_bad_request_has_its_fault_at_its_pointer(
    service: Service, path: str, body: Any, status: int, pointer: str, why: str
) -> None:
    answer = ask(service, "POST", path, msgspec.json.encode(body))
    assert (answer.status, answer.pointers) == (status, [pointer])
    assert why.lower() in answer.json["errors"][0]["detail"].lower()
    assert b"Canary" not in answer.body


def test_every_fault_of_a_request_is_reported_and_nothing_submitted_is_repeated(
    service: Service,
) -> None:
    body = {
        "question": "canary1",
        "datapoints": ["canary2", 3],
        "suffixes": [True],
        "splitter": "q4",
        "segments": ["canary3"],
        "segmented_base": "canary4",
        "audiences": [
            {"id": 7, "expression": {"and": []}},
            "canary5",
            {"expression": leaf("canary6")},
            {"expression": {"or": [leaf("q2", "canary7"), leaf("q20", suffixes=["canary8"])]}},
        ],
        "locations": ["s2_1", "canary9"],
        "waves": ["q4_2023", "canary10"],
        "base_audience": {"expression": {"and": [leaf()], "or": [leaf()]}},
        "unknown": "canary11",
    }
    answer = ask(service, "POST", STATS, body)
    assert answer.status == 400
    assert sorted(answer.pointers) == sorted(
        [
            "/question",
            "/datapoints/1",
            "/suffixes/0",
            "/segments/0",
            "/segmented_base",
            "/audiences/0/id",
            "/audiences/0/expression/and",
            "/audiences/1",
            "/audiences/2/expression/question",
            "/audiences/3/expression/or/0/datapoints/0",
            "/audiences/3/expression/or/1/suffixes/0",
            "/locations/1",
            "/waves/1",
            "/base_audience/expression",
            "/unknown",
        ]
    )
    assert answer.json["detail"] == "The request has 15 faults."
    assert b"canary" not in answer.body


def test_an_invalid_item_keeps_its_position(service: Service) -> None:
    body = {"question": "q2", "datapoints": ["q2_1", None, "q4_1"]}
    assert ask(service, "POST", STATS, body).pointers == ["/datapoints/1", "/datapoints/2"]


def test_a_request_with_other_faults_besides_forbidden_codes_is_400(service: Service) -> None:
    answer = ask(service, "POST", STATS, {"question": "secret", "waves": ["nowhere"]})
    assert (answer.status, answer.pointers) == (400, ["/question", "/waves/0"])


@pytest.mark.parametrize(
    ("path", "body", "axis"),
    [
        (CROSSTAB, {}, "rows"),
        (CROSSTAB, {}, "columns"),
        (STATS, {"question": "q4"}, "audiences"),
        (CHARTS, {"name": "x"}, "audiences"),
    ],
)
def test_ids_of_audiences_are_distinct_and_short(
    service: Service, path: str, body: dict[str, Any], axis: str
) -> None:
    twice = [{"id": "a"}, {"id": "b"}, {"id": "a", "expression": leaf()}]
    answer = ask(service, "POST", path, {**body, axis: twice})
    assert (answer.status, answer.pointers) == (400, [f"/{axis}/2/id"])
    assert ask(service, "POST", path, {**body, axis: [{"id": "a" * 256}, {}, {}]}).status == 200
    answer = ask(service, "POST", path, {**body, axis: [{"id": "a" * 257}]})
    assert "the limit (identifier) is 256" in faults(answer)[f"/{axis}/0/id"]


@pytest.mark.parametrize("encoding", ["gzip", "br", "gzip, identity"])
def test_an_encoded_body_is_415(service: Service, encoding: str) -> None:
    answer = ask(service, "POST", CROSSTAB, b"\x1f\x8b", headers={"Content-Encoding": encoding})
    assert (answer.status, answer.headers["accept-encoding"]) == (415, "identity")
    plain = {"Content-Encoding": "Identity"}
    assert ask(service, "POST", CROSSTAB, {}, headers=plain).status == 200


# Good bodies


@pytest.mark.parametrize(
    "expression",
    [
        None,
        leaf("core.q2", "q2_1"),
        leaf("q20", "q20_1", suffixes=["1", 2]),
        leaf("q20", options=["q20_1"]),
        leaf("sport.q9", min_count=3),
        leaf("waves", "q4_2023", **{"not": True}),
    ],
)
def test_every_written_form_is_accepted(service: Service, expression: Any) -> None:
    assert len(crosstab(service, rows=[{"expression": expression}])) == 1


def test_null_is_an_absent_field(service: Service) -> None:
    nulls = dict.fromkeys(("rows", "columns", "waves", "locations", "base_audience"))
    assert crosstab(service, **nulls) == crosstab(service)
    names = ("datapoints", "suffixes", "splitter", "segments", "segmented_base", "audiences")
    nulls = dict.fromkeys((*names, "locations", "waves", "base_audience"))
    assert stats(service, question="q2", **nulls) == stats(service, question="q2")


@pytest.mark.parametrize("number", [b"10.0", b"1e1", b"1.0E+1"])
def test_a_number_without_a_fraction_is_an_integer(service: Service, number: bytes) -> None:
    answer = ask(service, "POST", INSIGHTS, b'{"limit": ' + number + b"}")
    assert (answer.status, answer.json["limit"]) == (200, 10)


def test_an_integral_suffix_is_a_code(service: Service) -> None:
    node = b'{"question": "q20", "suffixes": [1.0], "min_count": 1.0}'
    body = b'{"rows": [{"expression": ' + node + b"}]}"
    assert ask(service, "POST", CROSSTAB, body).status == 200
    answer = ask(service, "POST", STATS, b'{"question": "q20", "suffixes": [1.0, 2]}')
    assert answer.json["data"][0]["suffixes"] == [1, 2]


# Limits


@pytest.fixture
def narrow(survey: Survey) -> Service:
    limits = Limits(depth=3, nodes=5, rows=3, columns=2, cells=5, items=4, body=4000, faults=3)
    return Service(survey, [TOKEN], limits)


@pytest.mark.parametrize(
    ("beyond", "pointer", "why", "at"),
    [
        (
            {"base_audience": {"expression": nested(4)}},
            "/base_audience/expression/and/0/and/0/and/0",
            "3 levels",
            {"base_audience": {"expression": nested(3)}},
        ),
        (
            {"base_audience": {"expression": {"or": [leaf()] * 5}}},
            "/base_audience/expression",
            "5 nodes",
            {"base_audience": {"expression": {"or": [leaf()] * 4}}},
        ),
        ({"rows": [{}] * 4}, "/rows", "limit (rows) is 3", {"rows": [{}] * 3}),
        ({"columns": [{}] * 3}, "/columns", "limit (columns) is 2", {"columns": [{}] * 2}),
        (
            {"rows": [{}] * 3, "columns": [{}] * 2},
            "",
            "3 rows × 2 columns are 6 cells; the limit (cells) is 5",
            {"rows": [{}] * 2, "columns": [{}] * 2},
        ),
        ({"waves": ["q4_2023"] * 5}, "/waves", "limit (items) is 4", {"waves": ["q4_2023"] * 4}),
    ],
)
def test_a_request_beyond_a_limit_is_400_with_the_limit_named(
    narrow: Service, beyond: Any, pointer: str, why: str, at: Any
) -> None:
    answer = ask(narrow, "POST", CROSSTAB, beyond)
    assert (answer.status, answer.pointers) == (400, [pointer])
    assert why in faults(answer)[pointer]
    assert ask(narrow, "POST", CROSSTAB, at).status == 200


def test_the_rows_of_a_stats_query_count_as_cells(narrow: Service) -> None:
    answer = ask(narrow, "POST", STATS, {"question": "q2", "splitter": "sport.q9"})
    assert answer.status == 400
    assert faults(answer)[""] == (
        "2 datapoints × 3 segments × 1 audiences are 6 rows; the limit (cells) is 5."
    )


def test_a_body_beyond_the_limit_is_413_with_the_limit_named(narrow: Service) -> None:
    answer = ask(narrow, "POST", CROSSTAB, b" " * 4001)
    assert answer.status == 413
    assert "4,000" in answer.json["detail"]


def test_faults_beyond_the_limit_are_counted(narrow: Service) -> None:
    answer = ask(narrow, "POST", CROSSTAB, {"waves": [1, 2, 3, 4], "locations": [5]})
    assert len(answer.json["errors"]) == 4
    assert answer.json["detail"] == "The request has 5 faults."
    assert answer.json["errors"][-1]["detail"] == "There are 2 more faults."


def test_long_audiences_are_not_repeated_in_each_cell(service: Service) -> None:
    long = {"id": "long", "expression": {"or": [leaf()] * 1_500}}
    cells = crosstab(service, rows=[long, {"id": "short"}])
    assert [cell["audiences"]["row"]["audience"] for cell in cells] == ["long", "short"]
    assert ["row" in cell for cell in cells] == [False, True]


def test_a_response_is_not_many_times_its_request(survey: Survey) -> None:
    long = [{"id": f"a{place}", "name": "x" * 15_000} for place in range(100)]
    body = {"rows": long, "columns": long}
    answer = ask(Service(survey, [TOKEN], Limits(body=1 << 30)), "POST", CROSSTAB, body)
    assert len(answer.body) < 8 * len(msgspec.json.encode(body))
    assert not any("row" in cell or "column" in cell for cell in answer.lines)
    assert len({cell["audiences"]["row"]["audience"] for cell in answer.lines}) == 100
