"""Answers in the spelling of other services: nulls for what is left out, and nothing guessed."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest

from audiencelab.client.reading import reader
from audiencelab.wire import METRICS, Question, StatsResult

ROW: dict[str, Any] = {
    "datapoint": "q2_1",
    "metrics": dict.fromkeys(METRICS, 1.0),
    "waves": ["q1_2024"],
}
META = {"type": "DATAPOINTS", "question": "q2"}


def stats(row: dict[str, Any], meta: dict[str, Any]) -> StatsResult:
    return reader(StatsResult)(json.dumps({"meta": meta, "data": [ROW | row]}).encode())


def test_null_is_a_field_left_out() -> None:
    plain = stats({}, META)
    nulls = {"segment": None, "audience": None, "suffixes": None}
    assert stats(nulls, META | {"splitter": None}) == plain
    assert stats({"waves": None}, META).data[0].waves == []


def test_a_question_may_have_nulls_for_empty_arrays_and_texts() -> None:
    plain = {"code": "q2", "namespace_code": "core", "datapoints": [{"code": "q2_1"}]}
    names = ("datasets", "flags", "suffixes", "categories", "description", "notice", "unit")
    nulls = plain | dict.fromkeys(names) | {"datapoints": [{"code": "q2_1", "name": None}]}
    read = reader(Question)
    assert read(json.dumps(nulls).encode()) == read(json.dumps(plain).encode())


def test_a_metric_that_is_left_out_or_null_is_not_known_and_never_0() -> None:
    metrics = {**ROW["metrics"], "audience_index": None}
    del metrics["positive_size"]
    [row] = stats({"metrics": metrics}, META).data
    assert math.isnan(row.metrics.audience_index)
    assert math.isnan(row.metrics.positive_size)
    assert row.metrics.audience_size == 1


@pytest.mark.parametrize(
    "document",
    [
        {"meta": None, "data": []},
        {"meta": META, "data": None},
        {"meta": META, "data": [None]},
        {"meta": META, "data": [{**ROW, "datapoint": None}]},
        {"meta": META, "data": [{**ROW, "metrics": None}]},
        {"meta": META, "data": [{**ROW, "waves": [None]}]},
        {"meta": META, "data": [{**ROW, "metrics": {"audience_size": "many"}}]},
    ],
)
def test_what_must_be_there_still_must(document: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        reader(StatsResult)(json.dumps(document).encode())
