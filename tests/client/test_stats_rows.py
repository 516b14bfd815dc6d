"""Rows of a stats answer: told apart by what was asked, complete, or a named error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from audiencelab.client import errors
from audiencelab.expressions import Audience
from tests.client.odd_services import TWO, Handler, Opened, row
from tests.messages import fails


def stats_of(rows: Callable[[list[str]], list[dict[str, Any]]]) -> Handler:
    """A service whose rows are made of the ids of the audiences that were sent."""

    def handler(path: str, body: dict[str, Any]) -> Any:
        if path != "/v2/query/stats":
            return {"questions": []}
        ids = [each["id"] for each in body.get("audiences", ())]
        return {"meta": {"type": "DATAPOINTS"}, "data": rows(ids)}

    return handler


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([row("q1_1", 10, suffixes=[1]), row("q1_1", 70, suffixes=[2])], "suffixes"),
        ([row("q1_1", 10), row("q1_1", 10) | {"waves": ["q2_2024"]}], "waves"),
        ([row("q1_1", 10), row("q1_1", 70)], "metrics"),
        ([row("q1_1", 10, segment="a"), row("q1_1", 70, segment="b")], "segments"),
    ],
)
def test_rows_that_stand_for_one_place_and_differ_are_refused(
    opened: Opened, rows: list[dict[str, Any]], words: str
) -> None:
    client = opened(stats_of(lambda _: rows))
    with pytest.raises(errors.InvalidResponse, match=f"'q1_1' and differ in their {words}"):
        client.stats("q1", suffixes=["1", "2"])


def test_a_row_that_comes_twice_with_the_same_figures_comes_once(opened: Opened) -> None:
    rows = [row("q1_1", None), row("q1_2", 5.0), row("q1_1", None)]
    result = opened(stats_of(lambda _: rows)).stats("q1")
    assert [each.datapoint for each in result] == ["q1_1", "q1_2"]
    assert math.isnan(result.rows[0].metrics.audience_percentage)


def test_rows_that_do_not_say_which_audience_are_refused(opened: Opened) -> None:
    client = opened(stats_of(lambda _: [row("q1_1", 10), row("q1_1", 70)]))
    with fails(errors.InvalidResponse):
        client.stats("q1", audiences=TWO)


def test_rows_of_the_only_audience_need_not_say_so(opened: Opened) -> None:
    result = opened(stats_of(lambda _: [row("q1_1", 10)])).stats("q1", audiences=TWO[:1])
    assert result.rows[0].audience == result.audiences[0].id
    assert result.to_wide().shape == (1, 1)


def test_an_audience_that_did_not_come_is_named(opened: Opened) -> None:
    client = opened(stats_of(lambda ids: [row("q1_1", audience=ids[0])]))
    with fails(errors.IncompleteStream) as caught:
        client.stats("q1", audiences=[Audience("First", TWO[0]), Audience("Second", TWO[1])])
    assert len(caught.value.result.rows) == 1


def test_a_row_missing_between_the_others_is_named(opened: Opened) -> None:
    rows = [row("q1_1", segment="w1"), row("q1_1", segment="w2"), row("q1_2", segment="w1")]
    client = opened(stats_of(lambda _: rows))
    with fails(errors.IncompleteStream):
        client.stats("q1", splitter="waves")


def test_a_datapoint_that_was_asked_for_and_did_not_come_is_named(opened: Opened) -> None:
    client = opened(stats_of(lambda _: [row("q1_1")]))
    with fails(errors.IncompleteStream):
        client.stats("q1", datapoints=["q1_1", "q1_2"])
