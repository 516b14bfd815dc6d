"""Every fault of a request is told, each at its place, and nothing submitted is repeated."""

from __future__ import annotations

from typing import Any

import pytest

from audiencelab.service import Limits, Service
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask

STATS = "/v2/query/stats"
CROSSTAB = "/v2/query/crosstab"


def leaf(question: str = "q2", *datapoints: str, **more: Any) -> dict[str, Any]:
    listed = {"datapoints": list(datapoints)} if datapoints else {}
    return {"question": question, **listed, **more}


def test_a_request_whose_every_part_is_wrong_tells_every_fault(service: Service) -> None:
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


def test_the_datapoints_of_a_known_question_are_looked_up_even_beside_faults(
    service: Service,
) -> None:
    body = {"question": "q2", "datapoints": ["q2_1", None, "q4_1"], "suffixes": ["1"]}
    answer = ask(service, "POST", STATS, body)
    assert answer.pointers == ["/datapoints/1", "/datapoints/2", "/suffixes"]


@pytest.mark.parametrize(
    ("expression", "pointer"),
    [
        ({}, ""),
        ({"and": [leaf()], "question": "q2"}, ""),
        ({"or": []}, "/or"),
        (leaf(datapoints=[]), "/datapoints"),
        (leaf("q2", "q2_1", min_count=2), "/min_count"),
        (leaf("q2", "q2_1", min_count=0), "/min_count"),
        (leaf("q2", min_count=3), "/min_count"),
        (leaf("q2", "q2_1", "q2_1", min_count=2), "/min_count"),
        (leaf("q20", suffixes=[9]), "/suffixes/0"),
        (leaf("q2", suffixes=[1]), "/suffixes"),
        (leaf("waves", "q9_1999"), "/datapoints/0"),
        (leaf("waves", "q4_2023", suffixes=["1"]), "/suffixes"),
        (leaf("sport.q2"), "/question"),
        ({"and": [leaf(), {"or": [leaf("q2", "x")], "not": True}]}, "/and/1/or/0/datapoints/0"),
        ([], ""),
    ],
)
def test_an_invalid_expression_is_told_at_its_place(
    service: Service, expression: Any, pointer: str
) -> None:
    body = {"rows": [{}, {"expression": expression}]}
    answer = ask(service, "POST", CROSSTAB, body)
    assert answer.status == 400
    assert answer.pointers == [f"/rows/1/expression{pointer}"]


@pytest.mark.parametrize(
    "expression",
    [
        None,
        leaf("core.q2", "q2_1"),
        leaf("q20", "q20_1", suffixes=["1", 2]),
        leaf("q20", options=["q20_1"]),
        leaf("sport.q9", min_count=3),
        leaf("waves", "q4_2023", **{"not": True}),
        leaf("s2", "s2_1"),
    ],
)
def test_every_written_form_is_accepted(service: Service, expression: Any) -> None:
    answer = ask(service, "POST", CROSSTAB, {"rows": [{"expression": expression}]})
    assert answer.status == 200


def test_inaccessible_codes_are_403_and_named(service: Service) -> None:
    body = {
        "question": "secret",
        "splitter": "secret",
        "audiences": [{"expression": leaf("q4", "q4_3")}],
        "locations": ["s2_1", "s2_3"],
        "waves": ["closed"],
        "base_audience": {"expression": leaf("waves", "closed")},
    }
    answer = ask(service, "POST", STATS, body)
    assert answer.status == 403
    told = {fault["pointer"]: fault["detail"] for fault in answer.json["errors"]}
    assert told == {
        "/question": "The question core.secret is not accessible.",
        "/splitter": "The question core.secret is not accessible.",
        "/audiences/0/expression/datapoints/0": "The datapoint q4_3 of core.q4 is not accessible.",
        "/locations/1": "The location s2_3 is not accessible.",
        "/waves/0": "The wave closed is not accessible.",
        "/base_audience/expression/datapoints/0": "The wave closed is not accessible.",
    }


def test_a_request_both_wrong_and_forbidden_is_400_with_both(service: Service) -> None:
    answer = ask(service, "POST", STATS, {"question": "secret", "waves": ["nowhere"]})
    assert (answer.status, answer.pointers) == (400, ["/question", "/waves/0"])


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1", b"\xff", b"nonsense", b"{'a': 1}", b"[" * 100_000, b'{"a":NaN}']
)
def test_what_is_not_json_is_told_and_not_repeated(service: Service, body: bytes) -> None:
    answer = ask(service, "POST", STATS, body)
    assert (answer.status, answer.pointers) == (400, [""])
    assert b"nonsense" not in answer.body


@pytest.mark.parametrize("body", [b"null", b"[]", b'"text"', b"1"])
def test_a_body_must_be_an_object(service: Service, body: bytes) -> None:
    answer = ask(service, "POST", CROSSTAB, body)
    assert (answer.status, answer.pointers) == (400, [""])


def test_null_stands_for_an_absent_field(service: Service) -> None:
    body = dict.fromkeys(("rows", "columns", "waves", "locations", "base_audience"))
    assert ask(service, "POST", CROSSTAB, body).lines == ask(service, "POST", CROSSTAB, {}).lines
    assert ask(service, "POST", STATS, {"question": None}).pointers == ["/question"]


def test_an_unknown_field_that_is_no_name_is_not_repeated(service: Service) -> None:
    answer = ask(service, "POST", CROSSTAB, {"Canary <b>": 1, "wave": ["q4_2023"]})
    assert answer.pointers == ["", "/wave"]
    assert b"Canary" not in answer.body


def test_segments_without_a_splitter_mean_nothing_and_are_refused(service: Service) -> None:
    answer = ask(service, "POST", STATS, {"question": "q2", "segments": ["q4_1"]})
    assert answer.pointers == ["/segments"]


# ---- limits ----


@pytest.fixture
def narrow(survey: Survey) -> Service:
    limits = Limits(depth=3, nodes=5, rows=3, columns=2, cells=5, items=4, body=4000, faults=3)
    return Service(survey, [TOKEN], limits)


def nested(depth: int) -> dict[str, Any]:
    return leaf() if depth == 1 else {"and": [nested(depth - 1)]}


@pytest.mark.parametrize(
    ("body", "pointer", "named"),
    [
        ({"base_audience": {"expression": nested(4)}}, "/base_audience/expression", "3 levels"),
        ({"base_audience": {"expression": {"or": [leaf()] * 5}}}, "/base_audience/expres", "5 nod"),
        ({"rows": [{}] * 4}, "/rows", "limit (rows) is 3"),
        ({"columns": [{}] * 3}, "/columns", "limit (columns) is 2"),
        ({"rows": [{}] * 3, "columns": [{}] * 2}, "", "limit (cells) is 5"),
        ({"waves": ["q4_2023"] * 5}, "/waves", "limit (items) is 4"),
    ],
)
def test_what_lies_beyond_a_limit_is_400_with_the_limit_named(
    narrow: Service, body: Any, pointer: str, named: str
) -> None:
    answer = ask(narrow, "POST", CROSSTAB, body)
    assert answer.status == 400
    [fault] = answer.json["errors"]
    assert fault["pointer"].startswith(pointer)
    assert named in fault["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"base_audience": {"expression": nested(3)}},
        {"base_audience": {"expression": {"or": [leaf()] * 4}}},
        {"rows": [{}] * 2, "columns": [{}] * 2},
        {"rows": [{}] * 3},
        {"waves": ["q4_2023"] * 4},
    ],
)
def test_what_lies_at_a_limit_is_answered(narrow: Service, body: Any) -> None:
    assert ask(narrow, "POST", CROSSTAB, body).status == 200


def test_the_rows_of_a_stats_query_count_as_cells(narrow: Service) -> None:
    body = {"question": "q2", "splitter": "sport.q9"}
    answer = ask(narrow, "POST", STATS, body)
    assert answer.status == 400
    assert answer.json["errors"][0]["detail"] == (
        "2 datapoints × 3 segments × 1 audiences are 6 rows; the limit (cells) is 5."
    )


def test_a_body_beyond_the_limit_is_413_with_the_limit_named(narrow: Service) -> None:
    answer = ask(narrow, "POST", CROSSTAB, b" " * 4001)
    assert answer.status == 413
    assert "4,000" in answer.json["detail"]


def test_a_text_beyond_the_limit_is_named_with_its_place(service: Service) -> None:
    body = {"rows": [{"id": "a"}, {"name": "x" * 20_001}]}
    answer = ask(service, "POST", CROSSTAB, body)
    assert answer.status == 400
    [fault] = answer.json["errors"]
    assert fault["pointer"] == "/rows/1/name"
    assert fault["detail"] == "Has 20,001 characters; the limit (text) is 20,000."
    body["rows"][1]["name"] = "ü" * 20_000
    assert ask(service, "POST", CROSSTAB, body).status == 200


def test_a_long_audience_is_not_told_again_in_each_cell(service: Service) -> None:
    long = {"id": "long", "expression": {"or": [leaf()] * 1_500}}
    cells = ask(service, "POST", CROSSTAB, {"rows": [long, {"id": "short"}]}).lines
    assert [cell["audiences"]["row"]["audience"] for cell in cells] == ["long", "short"]
    assert ["row" in cell for cell in cells] == [False, True]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, identity"])
def test_an_encoded_body_is_415(service: Service, encoding: str) -> None:
    answer = ask(service, "POST", CROSSTAB, b"\x1f\x8b", headers={"Content-Encoding": encoding})
    assert answer.status == 415
    assert answer.headers["accept-encoding"] == "identity"
    plain = {"Content-Encoding": "Identity"}
    assert ask(service, "POST", CROSSTAB, {}, headers=plain).status == 200


def test_a_flood_of_faults_is_cut_and_counted(narrow: Service) -> None:
    answer = ask(narrow, "POST", CROSSTAB, {"waves": [1, 2, 3, 4], "locations": [5]})
    assert len(answer.json["errors"]) == 4
    assert answer.json["detail"] == "The request has 5 faults."
    assert answer.json["errors"][-1]["detail"] == "There are 2 more faults."


def test_the_standard_limits_are_the_documented_ones() -> None:
    limits = Limits()
    assert (limits.depth, limits.nodes, limits.rows, limits.columns) == (64, 10_000, 2_000, 2_000)
    assert (limits.cells, limits.body) == (1_000_000, 8 * 1024 * 1024)
    assert limits.text == 20_000
