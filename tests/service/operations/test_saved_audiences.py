"""Saved audiences: an update assigns what is given and nothing else; others are made in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
import pytest

from audiencelab.engine import MissingCodeError
from audiencelab.expressions import Audience, Q
from audiencelab.schema import SavedAudience
from audiencelab.service import Service, UnknownIdError
from audiencelab.survey import Survey
from tests.messages import fails
from tests.service.asking import TOKEN, Answer, ask
from tests.service.surveys import build_survey

FANS = "2f1b9f3e-63a2-4b1e-9a52-6a1f3d5a7c10"
NIL = "00000000-0000-0000-0000-000000000000"
A_UUID = "6f1c2b6e-1d2a-4b57-9a52-2f6f6a1d3c10"

SEEDED = SavedAudience(
    FANS,
    v1_id=7,
    user_id=3,
    name="Fans",
    description="Media used is Radio",
    datasets=["main"],
    expression={"question": "q20", "datapoints": ["q20_1"], "suffixes": [1]},
    flags=["curated"],
    folder_id=NIL,
    position=4.0,
    created_at="2023-01-01T00:00:00Z",
    updated_at="2023-01-01T00:00:00Z",
)


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return build_survey(tmp_path_factory.mktemp("saved") / "survey", saved_audiences=[SEEDED])


@pytest.fixture
def service(survey: Survey) -> Iterator[Service]:
    with Service(survey, [TOKEN]) as service:
        yield service


def patch(service: Service, audience: str = FANS, **body: Any) -> Answer:
    return ask(service, "PATCH", f"/v2/saved/audiences/{audience}", body)


def changed(service: Service, **body: Any) -> dict[str, Any]:
    """What an update changed, beside the time."""
    before = msgspec.to_builtins(service.saved_audience(FANS))
    answer = patch(service, **body)
    assert answer.status == 200, answer.body
    after = answer.json
    assert msgspec.to_builtins(service.saved_audience(FANS)) == after
    assert after.pop("updated_at") >= before.pop("updated_at")
    return {name: after.get(name) for name in after | before if after.get(name) != before.get(name)}


# Updating


def test_a_new_expression_brings_its_words_and_its_datasets(service: Service) -> None:
    sent = {
        "and": [
            {"question": "q2", "options": ["q2_2"]},
            {"question": "core.q20", "datapoints": ["q20_2"], "suffixes": ["2", 1], "not": True},
        ]
    }
    assert changed(service, expression=sent) == {
        "expression": {
            "and": [
                {"question": "q2", "datapoints": ["q2_2"]},
                {
                    "question": "core.q20",
                    "datapoints": ["q20_2"],
                    "suffixes": [2, 1],
                    "not": True,
                },
            ]
        },
        "description": "Gender is Female, and Media used is not Cinema (Weekly or Daily)",
    }
    assert changed(service, expression={"question": "sport.q9"})["datasets"] == []
    after = changed(service, expression={"question": "q2"}, datasets=["extra"])
    assert after["datasets"] == ["extra"]


def test_null_removes_a_field_except_the_name(service: Service) -> None:
    names = ("datasets", "expression", "flags", "folder", "folder_id", "position", "shared")
    patch(service, folder_id=A_UUID, shared=True)
    assert changed(service, **dict.fromkeys(names)) == {
        "datasets": [],
        "description": "everyone",
        "expression": None,
        "flags": [],
        "folder_id": NIL,
        "position": None,
        "shared": False,
    }
    # Of two forms of the folder, null is neither.
    assert patch(service, folder=None, folder_id=A_UUID).json["folder_id"] == A_UUID
    answer = patch(service, name=None)
    assert (answer.status, answer.pointers) == (400, ["/name"])


def test_a_legacy_folder_is_always_the_same_folder(service: Service) -> None:
    first = changed(service, folder=12)["folder_id"]
    assert UUID(first)
    assert changed(service, folder=13)["folder_id"] != first
    assert changed(service, folder=12)["folder_id"] == first
    assert changed(service, folder=0)["folder_id"] == NIL
    assert service.saved_audience(FANS).folder is None


def test_a_dataset_that_the_survey_does_not_have_is_refused(service: Service) -> None:
    answer = patch(service, datasets=["extra", "gone", 4])
    assert (answer.status, answer.pointers) == (400, ["/datasets/2", "/datasets/1"])
    assert b"gone" not in answer.body


def test_every_fault_is_told_and_nothing_changes(service: Service) -> None:
    before = service.saved_audience(FANS)
    body = {
        "name": "",
        "flags": ["authored", "canary"],
        "folder_id": "canary",
        "folder": "canary",
        "position": "canary",
        "shared": 1,
        "datasets": [1],
        "v1_id": 9,
        "expression": {"or": [{"question": "canary"}, {"question": "q2", "datapoints": ["x"]}]},
    }
    answer = patch(service, **body)
    assert answer.status == 400
    assert sorted(answer.pointers) == [
        *("/datasets/0", "/expression/or/0/question", "/expression/or/1/datapoints/0"),
        *("/flags/1", "/folder", "/folder_id", "/name", "/position", "/shared", "/v1_id"),
    ]
    assert b"canary" not in answer.body
    assert service.saved_audience(FANS) == before


@pytest.mark.parametrize(
    ("expression", "pointers"),
    [
        ({"question": "secret"}, ["/expression/question"]),
        (
            {"or": [{"question": "q4", "datapoints": ["q4_1", "q4_3"]}, {"question": "secret"}]},
            ["/expression/or/0/datapoints/1", "/expression/or/1/question"],
        ),
        ({"question": "waves", "datapoints": ["closed"]}, ["/expression/datapoints/0"]),
    ],
)
def test_codes_that_may_not_be_used_are_forbidden(
    service: Service, expression: dict[str, Any], pointers: list[str]
) -> None:
    answer = patch(service, expression=expression)
    assert (answer.status, answer.pointers) == (403, pointers)


@pytest.mark.parametrize("audience", [A_UUID, "7", "x%2Fy", "\ud800"])
def test_an_audience_that_is_not_there_is_not_found(service: Service, audience: str) -> None:
    assert patch(service, audience, name="x").status == 404
    with fails(UnknownIdError) as told:
        service.saved_audience(audience)
    assert isinstance(told.value, LookupError)


# From Python


def test_an_audience_saved_from_python_can_be_updated(service: Service) -> None:
    made = service.save_audience(Audience("Men", Q("q2").any("q2_1")))
    assert made == service.saved_audience(made.id) == service.saved_audiences()[-1]
    assert (made.v1_id, made.position, made.user_id) == (8, 5.0, 1)
    assert (made.name, made.description, made.datasets) == ("Men", "Gender is Male", ["main"])
    assert made.expression == {"question": "q2", "datapoints": ["q2_1"]}
    assert (made.folder_id, made.flags, made.shared) == (NIL, [], False)
    assert made.permissions is not None
    assert made.permissions.audience_overall == "accessible"
    assert made.created_at == made.updated_at
    assert patch(service, made.id, name="Others").json["name"] == "Others"
    assert [each.name for each in service.saved_audiences()] == ["Fans", "Others"]


def test_everything_about_an_audience_can_be_said_from_python(service: Service) -> None:
    made = service.save_audience(
        Audience("All"), folder_id=A_UUID, flags=["isP2"], datasets=["extra"], shared=True
    )
    assert (made.folder_id, made.flags, made.datasets) == (A_UUID, ["isP2"], ["extra"])
    assert (made.shared, made.expression, made.description) == (True, None, "everyone")


def test_what_cannot_be_saved_from_python_says_so(service: Service) -> None:
    with pytest.raises(MissingCodeError):
        service.save_audience(Audience("x", Q("gone").any("gone_1")))
    with fails(ValueError):
        service.save_audience(Audience("x"), flags=["mine"])
    with fails(ValueError):
        service.save_audience(Audience("x"), folder_id="mine")
    assert len(service.saved_audiences()) == 1
