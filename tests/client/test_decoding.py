"""Answers of other services: nulls for fields left out, fields and labels new to us, no guess."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab import schema as wire
from audiencelab.client.decoding import reader
from audiencelab.client.questions import QuestionsAnswer
from audiencelab.schema import (
    METRICS,
    Category,
    ChartCalculation,
    Datapoint,
    InsightsPage,
    Question,
    Resource,
    SavedAudience,
    SavedChart,
    StatsResult,
)
from tests.schema.documents import documents

ROW: dict[str, Any] = {
    "datapoint": "q2_1",
    "metrics": dict.fromkeys(METRICS, 1.0),
    "waves": ["q1_2024"],
}
RESOURCES = [kind for kind in Resource.__subclasses__() if kind.__name__ in wire.__all__]
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


def test_nulls_in_a_document_of_free_form_are_its_own() -> None:
    expression = {"question": "q2", "datapoints": ["q2_1"], "min_count": None}
    body = {"id": "1", "expression": expression, "description": None}
    assert reader(SavedAudience)(json.dumps(body).encode()).expression == expression


def test_a_metric_that_is_left_out_or_null_is_not_known_and_never_0() -> None:
    metrics = {**ROW["metrics"], "audience_index": None}
    del metrics["positive_size"]
    [row] = stats({"metrics": metrics}, META).data
    assert math.isnan(row.metrics.audience_index)
    assert math.isnan(row.metrics.positive_size)
    assert row.metrics.audience_size == 1


def test_a_null_list_is_an_empty_one_wherever_it_is() -> None:
    assert reader(StatsResult)(json.dumps({"meta": META, "data": None}).encode()).data == []
    assert reader(QuestionsAnswer)(b'{"questions": null}').questions == []
    assert reader(InsightsPage)(b'{"insights": null, "total": null}').insights == []


def test_a_null_list_beside_an_error_is_not_an_empty_one() -> None:
    with pytest.raises(msgspec.ValidationError):
        reader(QuestionsAnswer)(b'{"questions": null, "error": "quota exceeded"}')


def test_a_number_without_a_fraction_is_an_integer() -> None:
    page = reader(InsightsPage)(b'{"insights": [{"id": 7.0}], "limit": 10.0, "total": 1.0}')
    assert (page.insights[0].id, page.limit, page.total) == (7, 10, 1)
    assert all(type(each) is int for each in (page.insights[0].id, page.limit, page.total))
    assert stats({"suffixes": [1.0, "2"]}, META).data[0].suffixes == [1, "2"]
    with pytest.raises(msgspec.ValidationError):
        reader(InsightsPage)(b'{"insights": [], "limit": 10.5}')


@pytest.mark.parametrize("midpoint", [{}, {"value": None}, None])
def test_a_midpoint_without_a_value_is_none(midpoint: object) -> None:
    body = {"code": "q2", "datapoints": [{"code": "q2_1", "midpoint": midpoint, "order": {}}]}
    [datapoint] = reader(Question)(json.dumps(body).encode()).datapoints or []
    assert datapoint.midpoint is None
    assert datapoint.order is None


def test_a_lineage_may_be_of_strings_or_of_objects() -> None:
    strings = {"id": "3", "lineage": ["1", "2"]}
    objects = {"id": "3", "lineage": [{"id": "1"}, {"id": "2", "novel": 4}]}
    read = reader(Category)
    assert [each.id for each in read(json.dumps(strings).encode()).lineage or ()] == ["1", "2"]
    found = read(json.dumps(objects).encode()).lineage or []
    assert [each.id for each in found] == ["1", "2"]
    path = {"code": "q2", "taxonomy_paths": [{"categories_lineage": ["1"], "novel": True}]}
    [place] = reader(Question)(json.dumps(path).encode()).taxonomy_paths or []
    assert place.categories_lineage == [Category(id="1")]


@pytest.mark.parametrize(
    "document",
    [
        {"meta": None, "data": []},
        {"meta": META},
        {"meta": META, "data": [None]},
        {"meta": META, "data": [{**ROW, "datapoint": None}]},
        {"meta": META, "data": [{**ROW, "metrics": None}]},
        {"meta": META, "data": [{**ROW, "waves": [None]}]},
        {"meta": META, "data": [{**ROW, "metrics": {"audience_size": "many"}}]},
        {"meta": META, "data": [{"waves": [], "novel": ROW}]},
        {"meta": META, "data": {"novel": [ROW]}},
    ],
)
def test_what_must_be_there_still_must(document: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        reader(StatsResult)(json.dumps(document).encode())


@pytest.mark.parametrize("kind", RESOURCES, ids=lambda kind: kind.__name__)
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_what_a_service_sends_is_written_again_alike(
    kind: type[Resource], data: st.DataObject
) -> None:
    document = data.draw(documents(kind))
    value = reader(kind)(json.dumps(document).encode())
    for each in (value, copy.copy(value), pickle.loads(pickle.dumps(value))):
        assert each == value
        assert json.dumps(each.to_dict(), sort_keys=True) == json.dumps(document, sort_keys=True)


def test_an_unknown_field_is_ignored_beside_nulls() -> None:
    datapoint = {"code": "q2_1", "name": None, "novel": None}
    body = {"code": "q2", "unit": None, "novel": {"code": "q3"}, "datapoints": [datapoint]}
    question = reader(Question)(json.dumps(body).encode())
    assert question == Question("q2", datapoints=[Datapoint("q2_1")])


def test_a_label_that_we_do_not_know_is_a_label() -> None:
    group = {"code": 299, "error": "Not now.", "error_type": "out_of_season"}
    calculation = reader(ChartCalculation)(json.dumps({"stats": [group]}).encode())
    assert calculation.stats[0].error_type == "out_of_season"
    chart = reader(SavedChart)(
        b'{"group_type": -7, "view_type": 10000000000, "shared_type": "loan"}'
    )
    assert (chart.group_type, chart.view_type, chart.shared_type) == (-7, 10**10, "loan")
    saved = reader(SavedAudience)(b'{"id": "1", "flags": ["authored", "adopted"]}')
    assert saved.flags == ["authored", "adopted"]
    assert stats({}, {"type": "SEGMENTS-FIRST"}).meta.type == "SEGMENTS-FIRST"
