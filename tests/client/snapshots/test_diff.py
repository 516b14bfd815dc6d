"""How two requests differ, and which recorded one is nearest."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.client.snapshots.diff import (
    ComparedRequest,
    distance,
    nearest,
    request_differences,
    value_differences,
)

STATS = "/v2/query/stats"

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


def stats(body: Any) -> ComparedRequest:
    return ComparedRequest("POST", STATS, {}, body)


@given(one=values, other=values)
def test_what_differs_does_so_both_ways(one: Any, other: Any) -> None:
    assert distance(stats(one), stats(one)) == 0
    assert (distance(stats(one), stats(other)) == 0) == (distance(stats(other), stats(one)) == 0)


@pytest.mark.parametrize(
    ("before", "now", "line"),
    [
        ({"a": 1}, {"a": 2}, "/a: recorded 1, asked 2"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1]}}, "/a/b/1: recorded 2, asked nothing"),
        ({}, {"x/y~z": None}, "/x~1y~0z: recorded nothing, asked null"),
        ({"a": True}, {"a": 1}, "/a: recorded true, asked 1"),
        ({"a": []}, {"a": {}}, "/a: recorded [], asked {}"),
        ([1], None, "the whole body: recorded [1], asked null"),
        ({"a": "é" * 99}, {"a": ""}, '/a: recorded "' + "é" * 58 + '…, asked ""'),
    ],
)
def test_a_difference_names_its_place_and_both_values(before: Any, now: Any, line: str) -> None:
    assert request_differences(stats(before), stats(now)) == (line,)


def test_a_field_that_an_answer_did_not_have_then_is_no_difference_of_what_it_had() -> None:
    then = {"meta": {"type": "x"}, "data": [{"a": 1}]}
    assert (
        value_differences(then, {"meta": {"type": "x", "new": 1}, "data": [{"a": 1, "b": 2}]}) == ()
    )
    assert value_differences({"a": 1}, {"a": 1.0}) == ()
    assert value_differences({"a": 2e-20}, {"a": -3e-20}) == ()
    assert value_differences({"a": 2e-9}, {"a": 3e-9}) == ("/a: recorded 2e-09, now 3e-09",)
    assert value_differences({"a": 1}, {}) == ("/a: recorded 1, now nothing",)
    assert value_differences({"a": []}, {"a": [1]}) == ("/a/0: recorded nothing, now 1",)


def test_the_query_and_the_path_are_named_too() -> None:
    one = ComparedRequest("GET", "/v2/questions/core.q4", {"include": "datapoints"}, None)
    other = ComparedRequest("GET", "/v2/questions/core.q5", {}, None)
    assert request_differences(one, other) == (
        'the path: recorded "/v2/questions/core.q4", asked "/v2/questions/core.q5"',
        'the query /include: recorded "datapoints", asked nothing',
    )


def test_many_are_counted_and_not_listed() -> None:
    assert request_differences(stats([]), stats(list(range(9))))[-1] == "… and 4 more"


def test_nearest_is_the_one_of_the_same_operation_that_differs_least() -> None:
    recorded = [
        stats({"question": "q4", "waves": ["a"]}),
        stats({"question": "q5", "waves": ["b"]}),
        ComparedRequest("POST", "/v2/query/crosstab", {}, {"question": "q4", "waves": ["b"]}),
    ]
    assert nearest(stats({"question": "q4", "waves": ["c"]}), recorded) == 0
    assert nearest(stats({"a": 2}), [stats({"a": 1}), stats({"a": 1})]) == 1  # the latest of equals
    assert nearest(ComparedRequest("POST", "/v3/insights/filter", {}, {}), recorded) is None
