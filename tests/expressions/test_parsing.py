"""Reading and writing the three JSON forms, with every fault of a bad one."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.expressions import (
    Audience,
    Expression,
    Form,
    InvalidExpression,
    Q,
    parse_audience,
    parse_expression,
)
from tests.messages import fails
from tests.strategies import expressions

FORMS: list[Form] = ["query", "chart", "saved"]


def test_the_forms_differ_in_their_suffixes() -> None:
    tree = ~Q("q20", suffixes=[1, "2"]).at_least(2, "a", "b", "c")
    leaf = {"question": "q20", "datapoints": ["a", "b", "c"], "min_count": 2, "not": True}
    assert tree.to_wire("query") == tree.to_wire("chart") == {**leaf, "suffixes": ["1", "2"]}
    assert tree.to_wire("saved") == {**leaf, "suffixes": [1, 2]}


@pytest.mark.parametrize("suffix", ["01", "-1", "1.0", "²", "9" * 19, "9" * 5_000])
def test_a_suffix_that_is_no_plain_number_stays_text(suffix: str) -> None:
    tree = Q("q20", suffixes=[suffix]).any()
    assert tree.to_wire("saved")["suffixes"] == [suffix]
    assert repr(suffix) in tree.to_code()


def test_options_stand_for_datapoints() -> None:
    written = {"question": "q2", "options": ["q2_1"], "suffixes": [3]}
    assert parse_expression(written) == Q("q2", suffixes=[3]).any("q2_1")


def test_null_fields_are_absent_ones() -> None:
    written = {"question": "q2", "and": None, "datapoints": ["a"], "min_count": None, "not": None}
    assert parse_expression(written) == Q("q2").any("a")


@pytest.mark.parametrize("form", FORMS)
@given(tree=expressions())
def test_what_is_written_reads_back_equal(form: Form, tree: Expression) -> None:
    written = tree.to_wire(form)
    again = parse_expression(json.loads(json.dumps(written)))
    assert again == tree
    assert again.to_wire(form) == written


def faults_of(data: object) -> dict[str, str]:
    with pytest.raises(InvalidExpression) as caught:
        parse_expression(data)
    return {fault.pointer: fault.detail for fault in caught.value.faults}


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ([], ""),
        ({}, ""),
        ({"question": "q", "and": [{"question": "q"}]}, ""),
        ({"or": []}, "/or"),
        ({"and": "q"}, "/and"),
        ({"question": ""}, "/question"),
        ({"question": 4}, "/question"),
        ({"question": "", "datapoints": ["a"]}, "/question"),
        ({"question": 4, "datapoints": ["a"]}, "/question"),
        ({"question": "q", "datapoints": []}, "/datapoints"),
        ({"question": "q", "datapoints": "q_1"}, "/datapoints"),
        ({"question": "q", "datapoints": ["a", 7]}, "/datapoints/1"),
        ({"question": "q", "datapoints": ["a"], "options": ["a"]}, "/options"),
        ({"question": "q", "suffixes": []}, "/suffixes"),
        ({"question": "q", "suffixes": [1, True]}, "/suffixes/1"),
        ({"question": "q", "suffixes": [1.5]}, "/suffixes/0"),
        ({"question": "q", "datapoints": ["a"], "min_count": 0}, "/min_count"),
        ({"question": "q", "datapoints": ["a"], "min_count": 2}, "/min_count"),
        ({"question": "q", "min_count": True}, "/min_count"),
        ({"question": "q", "not": "yes"}, "/not"),
        ({"question": "q", "datapoint": ["a"]}, "/datapoint"),
        ({"question": "q", "a/b~": 1}, "/a~1b~0"),
        ({"and": [{"question": "q"}], "min_count": 1}, ""),
        ({"and": [{"question": "q"}, {"or": [{"question": "q"}, 3]}]}, "/and/1/or/1"),
    ],
)
def test_one_fault_is_found_at_its_place(data: object, pointer: str) -> None:
    assert list(faults_of(data)) == [pointer]
    with fails(InvalidExpression):
        parse_expression(data)


def test_every_fault_is_reported_in_document_order() -> None:
    data = {
        "and": [
            {"question": "q", "datapoints": [], "not": 1},
            {"or": []},
            {"nothing": True},
        ]
    }
    pointers = ["/and/0/not", "/and/0/datapoints", "/and/1/or", "/and/2", "/and/2/nothing"]
    assert list(faults_of(data)) == pointers
    with fails(InvalidExpression) as caught:
        parse_expression(data, pointer="/rows/0")
    assert [fault.pointer for fault in caught.value.faults] == [f"/rows/0{at}" for at in pointers]
    assert pickle.loads(pickle.dumps(caught.value)).faults == caught.value.faults


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "this one has none of them"),
        ({"question": "q", "x": 1}, "a node may have 'and', 'or', 'question', 'datapoints'"),
        ({"and": [{"question": "q"}], "question": "q"}, "this one has 'and', 'question'"),
        ({"question": "q", "suffixes": [1.5]}, "Must be a code, as a string or an integer."),
        ({"question": "q", "datapoints": [7]}, "Must be a code, as a string."),
    ],
)
def test_a_fault_says_what_was_found_and_what_may_stand_there(data: object, words: str) -> None:
    assert [detail for detail in faults_of(data).values() if words in detail]


@pytest.mark.parametrize("listed", [{}, {"datapoints": ["a"]}, {"options": ["a", "b"]}])
def test_what_holds_anyway_may_be_written_out(listed: dict[str, Any]) -> None:
    data = {"question": "q", "min_count": 1, "not": False, **listed}
    assert parse_expression(data) == Q("q").any(
        *[code for codes in listed.values() for code in codes]
    )


def nested(levels: int) -> dict[str, Any]:
    node: dict[str, Any] = {"question": "q"}
    for _ in range(levels - 1):
        node = {"and": [node]}
    return node


def test_depth_is_limited() -> None:
    assert parse_expression(nested(64)).to_wire() == nested(64)
    for levels in (65, 100_000):
        [detail] = faults_of(nested(levels)).values()
        assert "64 levels" in detail


def test_the_number_of_nodes_is_limited() -> None:
    parse_expression({"or": [{"question": "q"}] * 9_999})
    [(pointer, detail)] = faults_of({"or": [{"question": "q"}] * 10_000}).items()
    assert pointer == ""
    assert "10,000 nodes" in detail


def test_the_limits_can_be_others() -> None:
    assert parse_expression(nested(80), max_depth=80).to_wire() == nested(80)
    with fails(InvalidExpression):
        parse_expression(nested(4), max_depth=3)
    with fails(InvalidExpression):
        parse_expression(nested(3), max_nodes=2)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["and", "or", "question", "datapoints", "suffixes", "not", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_either_read_or_refused_with_faults(data: object) -> None:
    try:
        faults, tree = (), parse_expression(data)
    except InvalidExpression as error:
        faults, tree = error.faults, None
    assert bool(faults) != isinstance(tree, Expression)
    assert all(fault.detail for fault in faults)


def test_an_audience_reads_and_writes_itself() -> None:
    audience = Audience("Young", Q("q4").any("q4_2"), id="a1")
    assert parse_audience(audience.to_wire()) == audience
    assert parse_audience({"id": "x", "expression": None}) == Audience(id="x")
    with fails(InvalidExpression):
        parse_audience({"expression": {"or": []}})


@pytest.mark.parametrize("data", [None, [], "q4", 4])
def test_an_audience_that_is_no_object_is_refused(data: object) -> None:
    with fails(InvalidExpression):
        parse_audience(data)
