"""Questions and categories with the relationships that were asked for."""

from __future__ import annotations

import pytest

from audiencelab.service import Service
from tests.service.asking import ask

FILTER = "/v3/questions/filter"
ALWAYS = {
    "accessible",
    "attribute_count",
    "code",
    "datasets",
    "description",
    "flags",
    "knowledge_base",
    "message",
    "name",
    "namespace_code",
    "notice",
    "order",
    "suffixes",
    "unit",
    "warning",
}


def codes(answer) -> list[str]:
    return [f"{each['namespace_code']}.{each['code']}" for each in answer.json["questions"]]


def test_without_questions_all_accessible_ones_come(service: Service) -> None:
    expected = ["core.s2", "core.q2", "core.q4", "core.q20", "sport.q9"]
    assert codes(ask(service, "POST", FILTER, {})) == expected
    assert codes(ask(service, "POST", FILTER, {"questions": []})) == expected


def test_the_questions_asked_for_come_in_that_order_and_unknown_ones_do_not(
    service: Service,
) -> None:
    keys = [
        {"namespace_code": "sport", "question": "q9"},
        {"namespace_code": "sport", "question": "q2"},
        {"namespace_code": "core", "question": "nowhere"},
        {"namespace_code": "core", "question": "core.q4"},
        {"question": "q2"},
        {"namespace_code": "sport", "question": "q9"},
    ]
    answer = ask(service, "POST", FILTER, {"questions": keys})
    assert codes(answer) == ["sport.q9", "core.q4", "core.q2"]


def test_an_inaccessible_question_that_is_asked_for_is_listed_as_such(service: Service) -> None:
    keys = [{"namespace_code": "core", "question": "secret"}]
    [found] = ask(service, "POST", FILTER, {"questions": keys}).json["questions"]
    assert found["accessible"] is False


def test_relationships_are_there_only_when_asked_for(service: Service) -> None:
    plain = ask(service, "POST", FILTER, {"include": {"datapoints": False}}).json["questions"]
    assert all(set(question) == ALWAYS for question in plain)
    wanted = {"categories": True, "datapoints": True, "taxonomy_paths": True}
    full = ask(service, "POST", FILTER, {"include": wanted}).json["questions"]
    assert all(set(question) == ALWAYS | set(wanted) for question in full)


def test_every_field_of_a_question_says_what_the_survey_says(service: Service) -> None:
    wanted = {"categories": True, "taxonomy_paths": True}
    keys = [{"namespace_code": "core", "question": "q2"}]
    [found] = ask(service, "POST", FILTER, {"include": wanted, "questions": keys}).json["questions"]
    assert (found["name"], found["description"]) == ("Gender", "Which of these describes you?")
    assert found["knowledge_base"] == "Asked since the beginning."
    assert found["message"] == "One answer."
    assert found["notice"] == "Asked of all."
    assert found["warning"] == "Not comparable before 2022."
    assert (found["flags"], found["unit"], found["order"]) == (
        ["core", "kind:single"],
        "people",
        1,
    )
    assert found["attribute_count"] == 2
    assert [each["code"] for each in found["datasets"]] == ["main"]
    assert [each["id"] for each in found["categories"]] == ["11", "12"]
    paths = [
        ([each["name"] for each in path["categories_lineage"]], path["dataset"]["code"])
        for path in found["taxonomy_paths"]
    ]
    assert paths == [(["Demographics", "Basics"], "main"), (["Demographics", "More"], "main")]


def test_datapoints_carry_midpoints_orders_and_access(service: Service) -> None:
    question = ask(service, "GET", "/v2/questions/q4?include=datapoints").json["question"]
    assert question["datapoints"] == [
        {"code": "q4_1", "name": "16 to 24", "accessible": True, "midpoint": {"value": 20.0}},
        {"code": "q4_2", "name": "25 to 34", "accessible": True, "midpoint": {"value": 29.5}},
        {"code": "q4_3", "name": "Not for sale", "accessible": False},
    ]


def test_suffixes_come_with_every_grid_and_count_in_its_attributes(service: Service) -> None:
    question = ask(service, "GET", "/v2/questions/core.q20").json["question"]
    assert [each["name"] for each in question["suffixes"]] == ["Daily", "Weekly", "Never"]
    assert question["attribute_count"] == 6


@pytest.mark.parametrize(
    ("query", "included"),
    [
        ("", set()),
        ("?include=", set()),
        ("?include=datapoints", {"datapoints"}),
        ("?include=datapoints,categories", {"datapoints", "categories"}),
        ("?include=datapoints%2Ccategories", {"datapoints", "categories"}),
        ("?include=datapoints&include=categories", {"datapoints", "categories"}),
    ],
)
def test_include_is_a_list_by_commas_or_repetition(
    service: Service, query: str, included: set[str]
) -> None:
    question = ask(service, "GET", f"/v2/questions/core.q2{query}").json["question"]
    assert set(question) - ALWAYS == included


@pytest.mark.parametrize(
    ("path", "pointers"),
    [
        ("/v2/questions/q2?include=taxonomy_paths", ["/include"]),
        ("/v2/questions/q2?include=datapoints,canary,canary2", ["/include"]),
        ("/v2/questions/q2?canary=1&include=canary", ["", "/include"]),
        ("/v2/categories/1?include=datapoints", ["/include"]),
        ("/v3/questions/filter?include=datapoints", [""]),
    ],
)
def test_an_unknown_relationship_or_parameter_is_400(
    service: Service, path: str, pointers: list[str]
) -> None:
    answer = ask(service, "POST" if "filter" in path else "GET", path, {})
    assert (answer.status, answer.pointers) == (400, pointers)
    assert b"canary" not in answer.body


def test_what_the_catalogue_lacks_is_404_and_not_repeated(service: Service) -> None:
    for path in ("/v2/questions/core.canary", "/v2/questions/sport.q2", "/v2/categories/canary"):
        answer = ask(service, "GET", path)
        assert answer.status == 404
        assert b"canary" not in answer.body


def test_a_category_alone_has_no_relationships(service: Service) -> None:
    category = ask(service, "GET", "/v2/categories/11").json["category"]
    paths = category.pop("taxonomy_paths")
    assert category == {"id": "11", "name": "Basics", "description": "Who they are", "order": 0}
    # Its places are no relationship that is asked for.
    assert [
        (path["dataset"]["code"], [each["id"] for each in path["categories_lineage"]])
        for path in paths
    ] == [("main", ["1", "11"])]


def test_a_category_with_everything(service: Service) -> None:
    include = "children,lineage,attribute_count,datasets,descendant_attributes"
    category = ask(service, "GET", f"/v2/categories/1?include={include}").json["category"]
    assert [child["id"] for child in category["child_categories"]] == ["11", "12"]
    assert category["child_questions"] == []
    assert [each["id"] for each in category["lineage"]] == ["1"]
    # q2 hangs under both children and counts once: 2 datapoints of it and 3 of q4.
    assert category["attribute_count"] == 5
    assert [each["datapoint_code"] for each in category["descendant_attributes"]] == [
        "q2_1",
        "q2_2",
        "q4_1",
        "q4_2",
        "q4_3",
    ]
    # A category that names no datasets belongs to all.
    assert [each["code"] for each in category["datasets"]] == ["main", "extra"]
    # A dataset has its root categories.
    assert [
        [child["id"] for child in each["child_categories"]] for each in category["datasets"]
    ] == [["1", "2"], ["1", "2"]]


def test_a_category_says_what_the_survey_says(service: Service) -> None:
    found = [ask(service, "GET", f"/v2/categories/{id_}").json["category"] for id_ in ("11", "12")]
    assert [
        {name: each[name] for name in ("id", "name", "description", "order")} for each in found
    ] == [
        {"id": "11", "name": "Basics", "description": "Who they are", "order": 0},
        {"id": "12", "name": "More", "description": "", "order": 7},
    ]


def test_a_grid_has_an_attribute_for_each_datapoint_and_suffix(service: Service) -> None:
    path = "/v2/categories/2?include=descendant_attributes"
    attributes = ask(service, "GET", path).json["category"]["descendant_attributes"]
    assert attributes[1] == {
        "datapoint_code": "q20_1",
        "datapoint_name": "Radio",
        "namespace_code": "core",
        "question_code": "q20",
        "question_name": "Media used",
        "suffix_code": "2",
        "suffix_name": "Weekly",
    }
    assert [each["suffix_code"] for each in attributes] == ["1", "2", "3"] * 2 + ["", ""]
