"""The editor's document: round trips of audiences, and the same errors as on the page."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client import Catalogue, Client
from audiencelab.expressions import Audience, Q
from audiencelab.widgets.editor.document import (
    MalformedDocument,
    audience_of,
    document_of,
    find_document_faults,
    read_document,
    replaced,
)
from tests.messages import fails
from tests.strategies import expressions

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("documents.json").read_text("utf-8")
)

NO_ACCESS = "You do not have access to this question: choose another, or ask for access."
NEVER = "At least 99 of 7 answers can never hold: choose more answers or lower the number."

audiences = st.builds(
    Audience, st.text(max_size=8), st.none() | expressions(), st.none() | st.just("a-1")
)


@given(audiences)
def test_an_audience_comes_back_unchanged(audience: Audience) -> None:
    document = document_of(audience)
    assert [*find_document_faults(document)] == []
    assert audience_of(document) == audience


@given(audiences)
def test_a_document_is_json_of_the_documented_form(audience: Audience) -> None:
    document = document_of(audience)
    assert read_document(json.loads(json.dumps(document))) == document


def test_a_document_of_1_0_is_read_without_its_history() -> None:
    document = document_of(Audience("before"))
    step = {"label": "rename", "gesture": None, "time": 0, "patches": []}
    old = {"document": document, "history": {"past": [step], "future": [step]}}
    assert read_document(old) == document


@given(audiences, audiences)
def test_ids_are_unique(before: Audience, after: Audience) -> None:
    def ids(node: Any) -> list[str]:
        return [node["id"], *(i for child in node.get("children", []) for i in ids(child))]

    document = document_of(before)
    changed = replaced(document, after)
    used = [*ids(document["root"]), *ids(changed["root"])]
    assert len(set(used)) == len(used)
    assert all(int(each[1:]) < changed["next"] for each in used)


@pytest.mark.parametrize("count", [float("nan"), float("inf"), 1.5, 0])
def test_a_count_below_one_is_an_error(count: float) -> None:
    """In a file of another program it may be none, or without an end."""
    document = document_of(Audience(expression=Q("q4").at_least(2, "q4_1", "q4_2", "q4_3")))
    document["root"]["children"][0]["count"] = count
    document = read_document(document)
    assert [fault.detail for _, fault in find_document_faults(document)] == [
        "The number must be an integer of at least 1."
    ]


class Questions(dict[str, Any]):
    """The questions of a case, as a catalogue has them."""

    def guess(self, key: str) -> str:
        return ""


def questions_of(case: dict[str, Any]) -> Questions | None:
    def question(record: dict[str, Any]) -> SimpleNamespace:
        coded = {
            name: tuple(SimpleNamespace(code=code) for code in record[name])
            for name in ("datapoints", "suffixes")
        }
        flags = ["form:numeric"] * record.get("own_numbers", False)
        return SimpleNamespace(
            accessible=record["accessible"], record=SimpleNamespace(flags=flags), **coded
        )

    records = case.get("questions")
    return records and Questions({record["code"]: question(record) for record in records})


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_documents_have_the_same_errors_as_on_the_page(case: dict[str, Any]) -> None:
    document = case["document"]
    faults: dict[str, list[str]] = {}
    for node, fault in find_document_faults(document, questions_of(case)):
        faults.setdefault(node, []).append(fault.detail)
    assert faults == case["faults"]
    if not faults:
        expression = audience_of(document).expression
        assert (None if expression is None else expression.to_wire()) == case["expression"]


def test_an_error_has_a_pointer_into_the_tree() -> None:
    case = next(case for case in CASES if [*case["faults"]] == ["n2", "n3", "n4", "n5"])
    pointers = [fault.pointer for _, fault in find_document_faults(case["document"])]
    assert pointers == ["/and/0", "/and/1", "/and/2", "/and/3"]


def test_an_unknown_question_has_a_suggestion(small_client: Client) -> None:
    from audiencelab.widgets import AudienceEditor

    with fails(al.InvalidExpression):
        AudienceEditor(small_client, value=al.Q("gendr").any("q2_1"))


def condition(**fields: object) -> Any:
    """A document of one condition."""
    leaf = {"id": "n2", "kind": "leaf", "question": "core.q4", "datapoints": ["q4_2"]}
    leaf |= {"suffixes": [], "quantifier": "any", "count": 1, "negated": False, **fields}
    root = {"id": "n1", "kind": "group", "operator": "and", "negated": False, "children": [leaf]}
    return {"name": "", "audience_id": None, "next": 3, "root": root}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, []),
        (
            {"question": "core.q99"},
            ["Unknown question 'core.q99'. The survey has 2 questions. Write client.catalogue."],
        ),
        ({"question": "core.q15", "datapoints": ["q15_1"]}, [NO_ACCESS]),
        ({"datapoints": ["q4_2", "q4_99"]}, ["This question has no answer q4_99."]),
        (
            {"datapoints": None, "quantifier": "at_least", "count": 99},
            [NEVER],
        ),
        ({"datapoints": None, "quantifier": "at_least", "count": 2}, []),
    ],
)
def test_a_condition_is_checked_against_the_catalogue(
    small_client: Client, fields: dict[str, object], said: list[str]
) -> None:
    # With the questions that may not be used: a deployment may list them.
    everything = Catalogue(
        small_client.questions.filter(
            ["core.q4", "core.q15"], include={"datapoints": True}
        ).questions
    )
    found = find_document_faults(condition(**fields), everything)
    assert [(node, fault.pointer, fault.detail) for node, fault in found] == [
        ("n2", "/and/0", detail) for detail in said
    ]


@pytest.mark.parametrize(
    "broken",
    [
        None,
        "document",
        {},
        {"document": {"root": {}}, "history": {}},
        {"name": "", "audience_id": None, "next": 2, "root": {"kind": "leaf"}},
    ],
)
def test_invalid_documents_are_rejected(broken: object) -> None:
    with fails(MalformedDocument):
        read_document(broken)
