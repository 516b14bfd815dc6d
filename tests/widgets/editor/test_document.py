"""The editor's document: the same audience back, and the same judgement as the page's."""

from __future__ import annotations

import json
from pathlib import Path
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
    read_work,
    replaced,
    work_of,
)
from tests.strategies import expressions

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("documents.json").read_text("utf-8")
)

audiences = st.builds(
    Audience, st.text(max_size=8), st.none() | expressions(), st.none() | st.just("a-1")
)


@given(audiences)
def test_an_audience_comes_back_unchanged(audience: Audience) -> None:
    document = document_of(audience)
    assert [*find_document_faults(document)] == []
    assert audience_of(document) == audience


@given(audiences)
def test_a_document_is_json_of_the_form_that_is_read(audience: Audience) -> None:
    work = work_of(audience)
    assert read_work(json.loads(json.dumps(work))) == work


@given(audiences, audiences)
def test_ids_are_never_given_twice(before: Audience, after: Audience) -> None:
    def ids(node: Any) -> list[str]:
        return [node["id"], *(i for child in node.get("children", []) for i in ids(child))]

    work = work_of(before)
    changed = replaced(work, after, time=0)
    used = [*ids(work["document"]["root"]), *ids(changed["document"]["root"])]
    assert len(set(used)) == len(used)
    assert all(int(each[1:]) < changed["document"]["next"] for each in used)


@pytest.mark.parametrize("count", [float("nan"), float("inf"), 1.5, 0])
def test_a_number_that_counts_nothing_is_a_fault(count: float) -> None:
    """In a file of another program it may be none, or without an end."""
    work = work_of(Audience(expression=Q("q4").at_least(2, "q4_1", "q4_2", "q4_3")))
    work["document"]["root"]["children"][0]["count"] = count
    document = read_work(work)["document"]
    assert [fault.detail for _, fault in find_document_faults(document)] == [
        "The number must be a whole number of at least 1."
    ]


def test_setting_from_python_is_one_step_that_can_be_undone() -> None:
    work = work_of(Audience("before"))
    changed = replaced(work, Audience("after"), time=5)
    (step,) = changed["history"]["past"]
    # The page reverts a step by putting each patch's `before` in place of its `after`.
    (patch,) = step["patches"]
    assert patch == {"path": [], "before": work["document"], "after": changed["document"]}
    assert changed["history"]["future"] == []


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_documents_are_judged_as_on_the_page(case: dict[str, Any]) -> None:
    document = case["document"]
    faulty = {node for node, _ in find_document_faults(document)}
    assert faulty == set(case["faulty"])
    if not faulty:
        expression = audience_of(document).expression
        assert (None if expression is None else expression.to_wire()) == case["expression"]


def test_a_fault_is_told_with_its_place() -> None:
    case = next(case for case in CASES if case["faulty"] == ["n2", "n3", "n4", "n5"])
    faults = {fault.pointer: fault.detail for _, fault in find_document_faults(case["document"])}
    assert faults["/and/0"] == "Choose at least one answer."
    assert faults["/and/1"] == "At least 3 of 2 answers can never hold."


def test_an_unknown_question_is_named_with_the_one_that_may_be_meant(small_client: Client) -> None:
    from audiencelab.widgets import AudienceEditor

    with pytest.raises(al.InvalidExpression, match=r"Unknown question 'gendr'\. Did you mean 'q2'"):
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
        ({"question": "core.q99"}, ["Unknown question 'core.q99'."]),
        ({"question": "core.q15", "datapoints": ["q15_1"]}, ["You may not use this question."]),
        ({"datapoints": ["q4_2", "q4_99"]}, ["This question has no answer q4_99."]),
        (
            {"datapoints": None, "quantifier": "at_least", "count": 99},
            ["At least 99 of 7 answers can never hold."],
        ),
        ({"datapoints": None, "quantifier": "at_least", "count": 2}, []),
    ],
)
def test_a_condition_is_judged_by_the_catalogue(
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
        "work",
        {},
        {"document": {"root": {}}, "history": {}},
        {
            "document": {"name": "", "audience_id": None, "next": 2, "root": {"kind": "leaf"}},
            "history": {"past": [], "future": []},
        },
    ],
)
def test_what_is_no_document_is_refused(broken: object) -> None:
    with pytest.raises(MalformedDocument, match="not a document"):
        read_work(broken)
