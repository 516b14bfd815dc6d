"""The calculation of a chart: the statistics query's figures, group by group, right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.schema import ChartCalculation
from audiencelab.service import Limits, Service
from audiencelab.service.store import Store
from audiencelab.survey import Survey, SurveyBuilder, SurveyWave
from tests.service.asking import TOKEN, ask, stats
from tests.service.surveys import CATALOGUE, OPEN_WAVES, SPORT_WAVES

WOMEN = {"question": "q2", "datapoints": ["q2_2"]}
GOLF = {"question": "sport.q9", "datapoints": ["q9_3"]}
MAN = {"question_code": "q2", "datapoint_code": "q2_1"}


@pytest.fixture
def service(survey: Survey) -> Iterator[Service]:
    with Service(survey, [TOKEN]) as service:
        yield service


def create(service: Service, **body: Any) -> str:
    answer = ask(service, "POST", "/v1/charts", {"name": "A chart", **body})
    assert answer.status == 200, answer.body
    return answer.json["id"]


def calculate(service: Service, **body: Any) -> list[Any]:
    """The groups of a new chart."""
    answer = ask(service, "POST", f"/v1/charts/{create(service, **body)}/calculate")
    assert answer.status == 200, answer.body
    return answer.json["stats"]


def ids(number: int) -> list[str]:
    return [f"00000000-0000-4000-8000-{place:012d}" for place in range(number)]


# The figures


def expected(service: Service, chart: dict[str, Any], attribute: dict[str, str]) -> list[Any]:
    """What the statistics query answers for an attribute, as a group's data."""
    names = {"locations": "location_codes", "waves": "wave_codes"}
    same = ("splitter", "segments", "segmented_base", "audiences", "base_audience")
    body = {name: chart[name] for name in same if chart.get(name)}
    body |= {name: chart[code] for name, code in names.items() if chart.get(code)}
    namespace = attribute.get("namespace_code") or "core"
    body |= {
        "question": f"{namespace}.{attribute['question_code']}",
        "datapoints": [attribute["datapoint_code"]],
    }
    if attribute.get("suffix_code"):
        body["suffixes"] = [attribute["suffix_code"]]
    for audience in body.get("audiences", ()):
        audience.pop("is_hidden", None)
    rows = stats(service, **body)["data"]
    kept = ("audience", "metrics", "segment", "waves")
    return [{name: row[name] for name in kept if name in row} for row in rows]


leaves = st.sampled_from(
    [
        WOMEN,
        WOMEN | {"not": True},
        GOLF,
        {"question": "q20", "suffixes": ["1", "2"]},
        {"question": "q20", "min_count": 2},
        {"question": "waves", "datapoints": ["q3_2023", "q1_2023"]},
    ]
)
expressions = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda word, nodes: {word: nodes},
        st.sampled_from(["and", "or"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=5,
)
attributes = st.sampled_from(
    [
        MAN,
        {"namespace_code": "core", "question_code": "q4", "datapoint_code": "q4_2"},
        {"question_code": "q20", "datapoint_code": "q20_1", "suffix_code": "3"},
        {"question_code": "q20", "datapoint_code": "q20_2"},
        {"namespace_code": "sport", "question_code": "q9", "datapoint_code": "q9_2"},
    ]
)
splits = st.sampled_from(
    [{}, {"splitter": "waves"}, {"splitter": "s2"}, {"splitter": "q4", "segments": ["q4_2"]}]
)


@st.composite
def charts(draw: st.DrawFn) -> dict[str, Any]:
    chosen = draw(st.lists(st.none() | expressions, max_size=3))
    audiences = [
        {"id": name, "expression": expression, "is_hidden": draw(st.booleans())}
        for name, expression in zip(ids(len(chosen)), chosen, strict=True)
    ]
    return {
        "attributes": draw(st.lists(attributes, max_size=4)),
        "audiences": audiences,
        "base_audience": draw(st.none() | st.fixed_dictionaries({"expression": expressions})),
        "segmented_base": draw(st.booleans()),
        "location_codes": draw(st.lists(st.sampled_from(["s2_1", "s2_2"]), max_size=1)),
        "wave_codes": draw(st.lists(st.sampled_from(OPEN_WAVES), max_size=3)),
        **draw(splits),
    }


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(chart=charts())
def test_the_figures_are_those_of_the_statistics_query(
    service: Service, chart: dict[str, Any]
) -> None:
    groups = calculate(service, **chart)
    assert [group.get("group_id", 0) for group in groups] == list(range(len(chart["attributes"])))
    for attribute, group in zip(chart["attributes"], groups, strict=True):
        rows = expected(service, chart, attribute)
        if any(row["waves"] for row in rows):
            assert (group["code"], group["data"]) == (200, rows)
        else:
            assert (group["code"], group["error_type"]) == (409, "incompatible_waves")
            assert not group["data"]


def test_rows_are_ordered_by_segment_then_audience_as_the_chart_has_them(service: Service) -> None:
    names = ids(2)
    [group] = calculate(
        service,
        attributes=[MAN],
        audiences=[{"id": names[1], "expression": WOMEN}, {"id": names[0], "is_hidden": True}],
        splitter="waves",
        segments=["q4_2023", "q4_2022"],
    )
    assert [(row["segment"], row["audience"], row["waves"]) for row in group["data"]] == [
        (wave, name, [wave]) for wave in ("q4_2023", "q4_2022") for name in (names[1], names[0])
    ]
    assert group["meta"] == {"type": "DATAPOINTS-SEGMENTS", "question": "q2", "splitter": "waves"}


def test_a_chart_without_attributes_has_no_groups(service: Service) -> None:
    for body in ({}, {"attributes": []}, {"attributes": None, "wave_codes": ["gone"]}):
        assert calculate(service, **body) == []


def test_the_answer_names_the_chart_and_reads_as_its_wire_type(service: Service) -> None:
    [young] = ids(1)
    audiences = [{"id": young, "name": "Young", "expression": WOMEN}]
    chart = create(service, name="Men", attributes=[MAN] * 300, audiences=audiences)
    answer = ask(service, "POST", f"/v1/charts/{chart}/calculate")
    assert answer.json["meta"] == {
        "chart_id": chart,
        "name": "Men",
        "audiences": [{"id": young, "name": "Young"}],
    }
    read = msgspec.json.decode(answer.body, type=ChartCalculation)
    assert [group.group_id for group in read.stats] == list(range(300))
    assert len({msgspec.json.encode(group.data) for group in read.stats}) == 1


# What an attribute is called


def test_an_attribute_is_told_with_its_names_and_its_place_in_the_taxonomy(
    service: Service,
) -> None:
    attribute = {"question_code": "q20", "datapoint_code": "q20_1", "suffix_code": "2"}
    [[told], [man]] = (
        group["attributes"] for group in calculate(service, attributes=[attribute, MAN])
    )
    [path] = told.pop("taxonomy_paths")
    assert told == attribute | {
        "compatibilities_metadata": {"has_compatibilities": True, "has_incompatibilities": False},
        "datapoint_label": "Radio",
        "generated_text": "Media used: Radio (Weekly)",
        "namespace_code": "core",
        "order": 0,
        "question_description": "",
        "question_label": "Media used",
        "suffix_label": "Weekly",
    }
    assert (path["dataset"]["code"], path["dataset"]["name"]) == ("main", "Main study")
    assert [each["name"] for each in path["taxonomy_path"]] == ["Media"]
    assert man["question_description"] == "Which of these describes you?"
    lineages = [[each["id"] for each in path["taxonomy_path"]] for path in man["taxonomy_paths"]]
    assert ["1", "11"] in lineages


def test_a_path_tells_of_each_category_what_is_below_it(service: Service) -> None:
    [[man]] = (group["attributes"] for group in calculate(service, attributes=[MAN]))
    path = man["taxonomy_paths"][0]
    root, basics = path["taxonomy_path"]
    assert [(each["id"], each["height"], each["attributes_count"]) for each in (root, basics)] == [
        ("1", 1, 5),
        ("11", 0, 5),
    ]
    assert [each["id"] for each in root["category_children"]] == ["11", "12"]
    assert (root["question_children"], basics["category_children"]) == ([], [])
    [asked] = basics["question_children"]
    assert (asked["question_code"], asked["question_label"]) == ("q2", "Gender")
    assert (asked["average_unit"], asked["has_suffixes"]) == ("people", False)
    assert [each["datapoint_code"] for each in asked["attributes"]] == [MAN["datapoint_code"]]
    assert [
        [each["id"] for each in place["taxonomy_path"]] for place in asked["taxonomy_paths"]
    ] == [["1", "11"], ["1", "12"]]
    # Its dataset begins with its root categories, which are not on a path and have no height.
    assert [each["id"] for each in path["dataset"]["categories"]] == ["1", "2"]
    assert "height" not in path["dataset"]["categories"][0]


@pytest.mark.parametrize(
    ("namespace", "code"), [("sport", "q9"), ("", "sport.q9"), ("sport", "sport.q9")]
)
def test_a_question_may_carry_its_namespace_or_have_it_beside(
    service: Service, namespace: str, code: str
) -> None:
    attribute = {"namespace_code": namespace, "question_code": code, "datapoint_code": "q9_1"}
    [group] = calculate(service, attributes=[attribute])
    assert group["data"][0]["waves"] == list(SPORT_WAVES)
    [told] = group["attributes"]
    assert (told["namespace_code"], told["question_code"]) == ("sport", "q9")


def test_whether_every_row_has_waves_is_told(service: Service) -> None:
    sport = {"namespace_code": "sport", "question_code": "q9", "datapoint_code": "q9_1"}
    [group] = calculate(service, attributes=[sport], splitter="waves")
    [told] = group["attributes"]
    assert group["code"] == 200
    assert told["compatibilities_metadata"] == {
        "has_compatibilities": True,
        "has_incompatibilities": True,
    }


# What cannot be calculated

FAILURES: dict[str, tuple[dict[str, Any], int, str]] = {
    "a question that is not there": ({"question_code": "gone"}, 404, "/question_code"),
    "a namespace that is not there": ({"namespace_code": "gone"}, 404, "/question_code"),
    "a datapoint that is not there": ({"datapoint_code": "gone"}, 404, "/datapoint_code"),
    "a datapoint of another question": ({"datapoint_code": "q4_1"}, 404, "/datapoint_code"),
    "a suffix of a question without": ({"suffix_code": "1"}, 400, "/suffix_code"),
    "a suffix that is not there": (
        {"question_code": "q20", "datapoint_code": "q20_1", "suffix_code": "9"},
        404,
        "/suffix_code",
    ),
    "a question that may not be used": (
        {"question_code": "secret", "datapoint_code": "secret_1"},
        403,
        "/question_code",
    ),
    "a datapoint that may not be used": (
        {"question_code": "q4", "datapoint_code": "q4_3"},
        403,
        "/datapoint_code",
    ),
    "a wave that may not be used": (
        {"question_code": "waves", "datapoint_code": "closed"},
        403,
        "/datapoint_code",
    ),
    "no datapoint": ({"datapoint_code": ""}, 400, ""),
    "no question": ({"question_code": None}, 400, ""),
}
TYPES = {404: "not_found", 403: "forbidden", 409: "incompatible_waves", 400: "invalid"}


@pytest.mark.parametrize("name", FAILURES)
def test_a_group_that_fails_says_why_and_the_others_answer(service: Service, name: str) -> None:
    wrong, code, pointer = FAILURES[name]
    whole = calculate(service, attributes=[MAN])[0]
    first, group, last = calculate(service, attributes=[MAN, MAN | wrong, MAN])
    assert (first["code"], first["data"]) == (last["code"], last["data"]) == (200, whole["data"])
    assert (group["code"], group["error_type"], group["data"]) == (code, TYPES[code], [])
    assert group["error"].startswith(pointer)
    assert "gone" not in group["error"]
    assert group["attributes"][0]["compatibilities_metadata"]["has_incompatibilities"]


FRAME_FAILURES: dict[str, tuple[dict[str, Any], int, str]] = {
    "an audience's unknown code": (
        {"audiences": [{}, {"expression": {"question": "gone"}}]},
        404,
        "/audiences/1/expression/question",
    ),
    "an audience's forbidden code": (
        {"audiences": [{"expression": {"or": [WOMEN, {"question": "secret"}]}}]},
        403,
        "/audiences/0/expression/or/1/question",
    ),
    "the base's unknown code": (
        {"base_audience": {"expression": WOMEN | {"datapoints": ["q2_2", "gone"]}}},
        404,
        "/base_audience/expression/datapoints/1",
    ),
    "more answers than there are": (
        {"base_audience": {"expression": {"question": "q2", "min_count": 3}}},
        400,
        "/base_audience/expression/min_count",
    ),
    "a forbidden splitter": ({"splitter": "secret"}, 403, "/splitter"),
    "an unknown segment": ({"splitter": "q4", "segments": ["gone"]}, 404, "/segments/0"),
    "segments without a splitter": ({"segments": ["q4_1"]}, 400, "/segments"),
    "an unknown wave": ({"wave_codes": ["gone"]}, 404, "/wave_codes/0"),
    "a forbidden wave": ({"wave_codes": ["q4_2023", "closed"]}, 403, "/wave_codes/1"),
    "an unknown location": ({"location_codes": ["gone"]}, 404, "/location_codes/0"),
    "a forbidden location": ({"location_codes": ["s2_3"]}, 403, "/location_codes/0"),
}


@pytest.mark.parametrize("name", FRAME_FAILURES)
def test_what_is_wrong_with_the_chart_is_told_by_every_group(service: Service, name: str) -> None:
    wrong, code, pointer = FRAME_FAILURES[name]
    groups = calculate(service, attributes=[MAN, MAN], **wrong)
    for group in groups:
        assert (group["code"], group["error_type"], group["data"]) == (code, TYPES[code], [])
        assert group["error"].startswith(f"{pointer}: ")
        assert "gone" not in group["error"]
        assert group["attributes"][0]["generated_text"] == "Gender: Male"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (range(1, 7), "in w1, w2, w3, w4, w5, w6."),
        (range(1, 9), "in 8 waves between w1 and w8."),
        ([9], "in none."),
    ],
)
def test_the_waves_of_a_question_are_told_shortly(
    tmp_path: Path, asked: Sequence[int], told: str
) -> None:
    """The last of ten waves is open to nobody."""
    with SurveyBuilder(tmp_path / "survey", CATALOGUE) as builder:
        for place in range(10):
            starts = date(2014 + place, 1, 1)
            answers: dict[str, Any] = {"s2": np.zeros(2, int), "q2": np.zeros(2, int)}
            if place in asked:
                answers["sport.q9"] = np.ones((2, 3), bool)
            wave = SurveyWave(f"w{place}", "", starts, starts, accessible=place < 9)
            builder.add_wave(wave, np.ones(2), answers)
        survey = builder.finish()
    sport = {"namespace_code": "sport", "question_code": "q9", "datapoint_code": "q9_1"}
    with Service(survey, [TOKEN]) as service:
        [group] = calculate(service, attributes=[sport], wave_codes=["w0"])
    assert group["error_type"] == "incompatible_waves"
    assert group["error"].endswith(f"The question was asked {told}")


def test_an_expression_beyond_the_limits_of_today_is_told(survey: Survey) -> None:
    deep: dict[str, Any] = WOMEN
    for _ in range(80):
        deep = {"and": [deep]}
    chart: dict[str, Any] = {"attributes": [MAN], "base_audience": {"expression": deep}}
    with Store.open() as store:
        wide = Service(survey, [TOKEN], Limits(depth=100), store=store)
        plain = calculate(wide, attributes=[MAN], base_audience={"expression": WOMEN})
        made = create(wide, **chart)
        path = f"/v1/charts/{made}/calculate"
        assert ask(wide, "POST", path).json["stats"][0]["data"] == plain[0]["data"]
        narrow = Service(survey, [TOKEN], store=store)
        [group] = ask(narrow, "POST", path).json["stats"]
    assert (group["code"], group["error_type"]) == (400, "invalid")
    assert group["error"].startswith("/base_audience/expression/")


def test_a_chart_of_too_many_rows_is_refused_with_the_limit(survey: Survey) -> None:
    with Service(survey, [TOKEN], Limits(cells=20)) as service:
        chart = create(service, attributes=[MAN] * 5, splitter="waves")
        answer = ask(service, "POST", f"/v1/charts/{chart}/calculate")
        assert answer.status == 400
        assert "the limit (cells) is 20" in answer.json["errors"][0]["detail"]
        assert len(calculate(service, attributes=[MAN] * 4, splitter="waves")) == 4
