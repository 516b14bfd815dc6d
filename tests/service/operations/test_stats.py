"""The statistics query on the wire: layout, order, defaults. Its figures: tests/engine."""

from __future__ import annotations

from typing import Any

import pytest

from audiencelab.schema import METRICS
from audiencelab.service import Service
from tests.service.asking import stats
from tests.service.surveys import OPEN_WAVES, SPORT_WAVES

WOMEN = {"id": "w", "expression": {"question": "q2", "datapoints": ["q2_2"]}}
MEN = {"id": "m", "expression": {"question": "q2", "datapoints": ["q2_1"]}}


def test_a_bare_query_has_rows_without_segment_or_audience(service: Service) -> None:
    answer = stats(service, question="core.q2")
    assert answer["meta"] == {"type": "DATAPOINTS", "question": "core.q2", "splitter": ""}
    assert [row["datapoint"] for row in answer["data"]] == ["q2_1", "q2_2"]
    for row in answer["data"]:
        assert set(row) == {"datapoint", "metrics", "waves", "suffixes"}
        assert set(row["metrics"]) == set(METRICS)
        assert (row["waves"], row["suffixes"]) == (OPEN_WAVES, [])


def test_rows_are_ordered_by_datapoint_then_segment_then_audience_as_requested(
    service: Service,
) -> None:
    answer = stats(
        service,
        question="q20",
        datapoints=["q20_2", "q20_1"],
        splitter="q4",
        segments=["q4_2", "q4_1"],
        audiences=[WOMEN, MEN],
    )
    found = [(row["datapoint"], row["segment"], row["audience"]) for row in answer["data"]]
    assert found == [
        (datapoint, segment, audience)
        for datapoint in ("q20_2", "q20_1")
        for segment in ("q4_2", "q4_1")
        for audience in ("w", "m")
    ]
    assert answer["meta"] == {"type": "DATAPOINTS-SEGMENTS", "question": "q20", "splitter": "q4"}


@pytest.mark.parametrize("base", [False, True])
def test_the_order_is_the_same_when_each_segment_is_its_own_base(
    service: Service, base: bool
) -> None:
    body = {"question": "q20", "splitter": "s2", "audiences": [WOMEN, MEN], "segmented_base": base}
    rows = stats(service, **body)["data"]
    assert [(row["datapoint"], row["segment"], row["audience"]) for row in rows] == [
        (datapoint, segment, audience)
        for datapoint in ("q20_1", "q20_2")
        for segment in ("s2_1", "s2_2")
        for audience in ("w", "m")
    ]


def test_suffixes_merge_into_one_row_and_are_listed_as_integers(service: Service) -> None:
    rows = stats(service, question="q20", suffixes=["2", 1])["data"]
    assert [row["suffixes"] for row in rows] == [[2, 1], [2, 1]]
    alone = [stats(service, question="q20", suffixes=[code])["data"] for code in ("1", "2")]
    for place, row in enumerate(rows):
        # A grid's respondent gave each datapoint one suffix at most, so the two add up.
        parts = [each[place]["metrics"]["positive_sample"] for each in alone]
        assert row["metrics"]["positive_sample"] == sum(parts)


def test_without_segments_a_question_splits_into_all_its_datapoints(service: Service) -> None:
    rows = stats(service, question="q2", datapoints=["q2_1"], splitter="sport.q9")["data"]
    assert [row["segment"] for row in rows] == ["q9_1", "q9_2", "q9_3"]


def test_split_by_waves_each_row_has_its_own_wave(service: Service) -> None:
    rows = stats(service, question="q2", datapoints=["q2_1"], splitter="waves")["data"]
    assert [(row["segment"], row["waves"]) for row in rows] == [
        (code, [code]) for code in OPEN_WAVES
    ]


def test_a_wave_that_did_not_ask_gives_zeros_and_no_waves(service: Service) -> None:
    rows = stats(service, question="sport.q9", datapoints=["q9_1"], splitter="waves")["data"]
    for row in rows:
        asked = row["segment"] in SPORT_WAVES
        assert row["waves"] == ([row["segment"]] if asked else [])
        assert (row["metrics"]["audience_sample"] > 0) is asked
        assert any(row["metrics"].values()) is asked


def test_the_waves_question_is_a_question_like_any_other(service: Service) -> None:
    rows = stats(service, question="waves")["data"]
    assert [(row["datapoint"], row["waves"]) for row in rows] == [
        (code, [code]) for code in OPEN_WAVES
    ]
    assert {row["metrics"]["positive_sample"] for row in rows} == {100}


def test_a_repeated_code_counts_once(service: Service) -> None:
    body = {"question": "q2", "waves": ["q1_2023"], "locations": ["s2_1"]}
    twice = {key: value * 2 for key, value in body.items() if key != "question"}
    assert stats(service, question="q2", **twice) == stats(service, **body)


def test_a_repeated_datapoint_suffix_or_segment_makes_no_second_row(service: Service) -> None:
    once: dict[str, Any] = {"datapoints": ["q20_2"], "suffixes": ["2"], "segments": ["q4_1"]}
    twice = {"datapoints": ["q20_2"] * 2, "suffixes": ["2", 2], "segments": ["q4_1"] * 2}
    expected = stats(service, question="q20", splitter="q4", **once)
    assert len(expected["data"]) == 1
    assert stats(service, question="q20", splitter="q4", **twice) == expected


def test_empty_lists_stand_for_absent_ones(service: Service) -> None:
    names = ("datapoints", "suffixes", "segments", "audiences", "locations", "waves")
    empty = {name: [] for name in names}
    assert stats(service, question="q2", **empty) == stats(service, question="q2")


def test_an_audience_without_an_id_has_an_empty_one(service: Service) -> None:
    rows = stats(service, question="q2", audiences=[{"name": "All"}])["data"]
    assert [row["audience"] for row in rows] == ["", ""]


def test_datapoints_that_may_not_be_used_are_not_among_all_of_them(service: Service) -> None:
    rows = stats(service, question="q4")["data"]
    assert [row["datapoint"] for row in rows] == ["q4_1", "q4_2"]
    rows = stats(service, question="q2", datapoints=["q2_1"], splitter="core.q4")["data"]
    assert [row["segment"] for row in rows] == ["q4_1", "q4_2"]


def test_codes_mean_the_same_with_and_without_the_base_namespace(service: Service) -> None:
    def answers(prefix: str) -> Any:
        women = {"question": f"{prefix}q2", "datapoints": ["q2_2"]}
        young = {"question": f"{prefix}q4", "datapoints": ["q4_1"], "not": True}
        return stats(
            service,
            question=f"{prefix}q20",
            splitter=f"{prefix}s2",
            audiences=[{"id": "w", "expression": women}],
            base_audience={"expression": young},
        )

    with_namespace, without = answers("core."), answers("")
    assert with_namespace["data"] == without["data"]
    assert with_namespace["meta"] == without["meta"] | {
        "question": "core.q20",
        "splitter": "core.s2",
    }
