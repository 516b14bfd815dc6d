"""Charts: what is created, what an update changes, and what is refused with every fault named."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
import pytest

from audiencelab.service import Service, UnknownIdError
from audiencelab.survey import Survey
from tests.messages import fails
from tests.service.asking import TOKEN, Answer, ask

A_UUID = "6f1c2b6e-1d2a-4b57-9a52-2f6f6a1d3c10"
ANOTHER_UUID = "0b4d7f6a-8f0e-4d0f-8b2a-3e1c5d7f9a21"
WOMEN = {"question": "q2", "datapoints": ["q2_2"]}

EVERYTHING: dict[str, Any] = {
    "attributes": [
        {
            "namespace_code": "core",
            "question_code": "q20",
            "datapoint_code": "q20_1",
            "suffix_code": "1",
        }
    ],
    "audiences": [
        {
            "id": A_UUID,
            "name": "Women",
            "expression": WOMEN,
            "color_index": 3,
            "is_hidden": True,
        }
    ],
    "base_audience": {"id": ANOTHER_UUID, "name": "All"},
    "color": "teal",
    "dataset_codes": ["main"],
    "dataset_names": ["Main study"],
    "folder_id": "any text",
    "group_type": 2**63 - 1,
    "location_codes": ["s2_1"],
    "metrics": ["audience_index"],
    "name": "Everything",
    "segmented_base": True,
    "segments": ["s2_1"],
    "sort_parameter_type": -4,
    "sort_parameter_value": "x",
    "sort_type": 0,
    "splitter": "s2",
    "view_type": 7,
    "wave_codes": ["q4_2023"],
}


@pytest.fixture
def service(survey: Survey) -> Iterator[Service]:
    with Service(survey, [TOKEN]) as service:
        yield service


def create(service: Service, **body: Any) -> str:
    answer = ask(service, "POST", "/v1/charts", {"name": "A chart", **body})
    assert answer.status == 200, answer.body
    return answer.json["id"]


def update(service: Service, chart: str, **body: Any) -> Answer:
    return ask(service, "PUT", f"/v1/charts/{chart}", body)


def kept(service: Service, made: str) -> dict[str, Any]:
    return msgspec.to_builtins(service.chart(made))


# Creating


def test_a_chart_is_kept_as_it_was_sent_under_an_id_of_its_own(service: Service) -> None:
    before = int(time.time())
    answer = ask(service, "POST", "/v1/charts", EVERYTHING)
    assert (answer.status, answer.json["audience_replacements"]) == (200, [])
    chart = kept(service, answer.json["id"])
    times = chart.pop("created_at"), chart.pop("updated_at")
    assert before <= times[0] == times[1] <= time.time()
    assert chart == EVERYTHING | {"id": answer.json["id"], "is_owner": True, "owner_id": 1}
    assert str(UUID(chart["id"])) == chart["id"]


def test_a_name_is_all_that_a_chart_needs(service: Service) -> None:
    assert kept(service, create(service)).keys() == {
        *("id", "name", "is_owner", "owner_id", "created_at", "updated_at")
    }
    for body in ({}, {"name": None}, {"name": ""}, {"name": 1}):
        answer = ask(service, "POST", "/v1/charts", body)
        assert (answer.status, answer.pointers) == (400, ["/name"])


def test_an_audience_id_that_is_no_uuid_is_replaced_and_told(service: Service) -> None:
    audiences = [{"id": "w"}, {"id": A_UUID}, {}, {"id": ""}]
    body = {"name": "x", "audiences": audiences, "base_audience": {"id": "the base"}}
    answer = ask(service, "POST", "/v1/charts", body).json
    chart = kept(service, answer["id"])
    ids = [audience["id"] for audience in chart["audiences"]]
    assert ids[1] == A_UUID
    assert len({str(UUID(each)) for each in ids}) == 4
    assert answer["audience_replacements"] == [
        {"from": "w", "to": ids[0]},
        {"from": "the base", "to": chart["base_audience"]["id"]},
    ]


def test_expressions_are_kept_in_the_chart_form_whichever_form_they_came_in(
    service: Service,
) -> None:
    sent = {"question": "q20", "options": ["q20_1"], "suffixes": [1, "2"]}
    [audience] = kept(service, create(service, audiences=[{"expression": sent}]))["audiences"]
    assert audience["expression"] == {
        "question": "q20",
        "datapoints": ["q20_1"],
        "suffixes": ["1", "2"],
    }


def test_codes_of_a_chart_may_be_unknown_to_the_survey(service: Service) -> None:
    leaf = {"question": "gone", "datapoints": ["gone_1"]}
    made = create(
        service, audiences=[{"expression": leaf}], splitter="gone", wave_codes=["q1_1999"]
    )
    assert kept(service, made)["splitter"] == "gone"


def test_every_fault_of_a_chart_is_told_and_nothing_is_kept(service: Service) -> None:
    audiences = [
        {"id": "twin", "expression": {"and": []}},
        {"id": "twin", "color_index": "canary"},
        {"expression": WOMEN | {"or": [WOMEN]}},
        "canary",
    ]
    body = {
        "name": 7,
        "attributes": [{"question_code": 1}, None],
        "audiences": audiences,
        "base_audience": [],
        "group_type": 1.5,
        "segmented_base": "canary",
        "wave_codes": [""],
        "created_at": 1,
        "canary": 1,
    }
    answer = ask(service, "POST", "/v1/charts", body)
    assert answer.status == 400
    assert sorted(answer.pointers) == [
        *("/attributes/0/question_code", "/attributes/1", "/audiences/0/expression/and"),
        *("/audiences/1/color_index", "/audiences/1/id", "/audiences/2/expression", "/audiences/3"),
        *("/base_audience", "/canary", "/created_at", "/group_type", "/name", "/segmented_base"),
        "/wave_codes/0",
    ]
    assert b"canary" not in answer.body.replace(b'"/canary"', b"")
    assert service.charts() == ()


# Updating


def test_null_empties_a_field_except_the_name(service: Service) -> None:
    made = create(service, **EVERYTHING)
    nulls = dict.fromkeys(set(EVERYTHING) - {"name"})
    assert update(service, made, **nulls).status == 200
    assert kept(service, made).keys() == {
        *("id", "name", "is_owner", "owner_id", "created_at", "updated_at")
    }
    answer = update(service, made, name=None, view_type="x")
    assert (answer.status, sorted(answer.pointers)) == (400, ["/name", "/view_type"])


def test_an_update_may_set_what_the_service_set(service: Service) -> None:
    given: dict[str, Any] = {
        "created_at": 1,
        "updated_at": 2,
        "shared_at": 3,
        "owner_id": 4,
        "is_owner": False,
        "is_public": True,
        "is_shared": True,
        "owner_email": "a@b.example",
        "shared_type": "team",
    }
    made = create(service)
    assert update(service, made, **given).status == 200
    assert kept(service, made) == {"id": made, "name": "A chart"} | given


def test_an_update_keeps_the_ids_of_audiences_and_fills_only_gaps(service: Service) -> None:
    made = create(service)
    update(service, made, audiences=[{"id": "mine"}, {}], base_audience={})
    chart = kept(service, made)
    assert chart["audiences"][0]["id"] == "mine"
    assert UUID(chart["audiences"][1]["id"])
    assert UUID(chart["base_audience"]["id"])


@pytest.mark.parametrize("made", [A_UUID, "x", "a%2Fb", "%00", "%ED%A0%80", "ü", "\ud800", "'--"])
def test_a_chart_that_is_not_there_is_not_found(service: Service, made: str) -> None:
    assert update(service, made, color="red").status == 404
    assert ask(service, "POST", f"/v1/charts/{made}/calculate").status == 404
    with fails(UnknownIdError) as told:
        service.chart(made)
    assert isinstance(told.value, LookupError)


# The same request again


def again(service: Service, key: str, body: Any) -> Answer:
    return ask(service, "POST", "/v1/charts", body, headers={"Idempotency-Key": key})


def test_another_request_under_a_key_that_was_used_is_a_conflict(service: Service) -> None:
    again(service, "one", {"name": "x"})
    answer = again(service, "one", {"name": "canary"})
    assert answer.status == 409
    assert b"canary" not in answer.body
    assert len(service.charts()) == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "ü", "\x00", "x" * 256, "\ud800"])
def test_a_key_is_a_short_visible_text(service: Service, key: str) -> None:
    answer = again(service, key, {"name": "x"})
    assert answer.status == 400
    assert "Idempotency-Key" in answer.json["errors"][0]["detail"]
