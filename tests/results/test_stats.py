"""The stats frame: its columns are a contract, its numbers never pretend."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd

from audiencelab.expressions import Audience
from audiencelab.results.stats import STATS_FIGURES, StatsLabels
from tests.messages import fails
from tests.results.samples import NOTHING, by_wave, metrics, row, stats

YOUNG = Audience("Young", id="a-1")
OLD = Audience("Old", id="a-2")


def test_the_columns_of_a_full_frame_are_these_in_this_order() -> None:
    frame = stats(
        row(segment="q1_2024", audience="a-1", suffixes=[1, 2]),
        splitter="waves",
        audiences=(YOUNG,),
    ).to_frame()
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    text = str(pd.Series(["text"]).dtype)
    assert kinds == {
        "question": text,
        "question_label": "category",
        "datapoint": text,
        "datapoint_label": "category",
        "segment": text,
        "segment_label": "category",
        "audience": text,
        "audience_name": "category",
        "suffixes": "object",
        "waves": "object",
        "size": "float64",
        "sample": "int64",
        "column_size": "float64",
        "column_sample": "int64",
        "row_size": "float64",
        "row_sample": "int64",
        "column_percentage": "float64",
        "row_percentage": "float64",
        "total_percentage": "float64",
        "index": "float64",
        "note": text,
    }
    assert list(kinds)[10:20] == list(STATS_FIGURES)


def test_segment_and_audience_are_there_only_when_asked_for() -> None:
    frame = stats(row()).to_frame()
    assert not {"segment", "segment_label", "audience", "audience_name"} & set(frame.columns)


def test_labels_stand_beside_codes_in_the_order_asked_for() -> None:
    frame = stats(row("q1_2"), row("q1_1"), row("q1_9")).to_frame()
    assert frame["datapoint"].tolist() == ["q1_2", "q1_1", "q1_9"]
    labels = frame["datapoint_label"]
    assert labels.cat.ordered
    assert labels.cat.categories.tolist() == ["Coffee", "Tea", "q1_9"]
    assert frame["question_label"].unique().tolist() == ["Drinks"]


def test_two_datapoints_of_one_name_stay_two_rows() -> None:
    twice = StatsLabels("Drinks", {"q1_1": "Other", "q1_2": "Other"})
    result = stats(row("q1_1"), row("q1_2", metrics(500)), labels=twice)
    assert result.to_frame()["datapoint_label"].tolist() == ["Other", "Other"]
    assert result.to_wide()["column_percentage"].tolist() == [25.0, 50.0]


def test_no_wave_in_common_is_never_a_silent_zero() -> None:
    frame = by_wave(["q1_2024", "q2_2024"], missing="q2_2024").to_frame()
    late = frame[frame["segment"] == "q2_2024"]
    sizes_and_shares = [name for name in STATS_FIGURES if not name.endswith("sample")]
    assert late[sizes_and_shares].isna().all(axis=None)
    assert (late["sample"] == 0).all()
    assert late["note"].unique().tolist() == ["no wave in common"]
    assert frame[frame["segment"] == "q1_2024"][list(STATS_FIGURES)].notna().all(axis=None)


def test_whose_emptiness_it_is_depends_on_what_was_asked() -> None:
    empty = row(figures=NOTHING, segment="q1_2024", audience="a-1")
    assert stats(empty, splitter="waves").to_frame()["note"].tolist() == ["empty segment"]
    result = stats(empty, splitter="waves", audiences=(YOUNG,))
    assert result.to_frame()["note"].tolist() == ["empty audience"]


def test_wide_puts_datapoints_down_and_what_was_asked_across() -> None:
    rows = [
        row(code, metrics(100.0 * number), segment=wave, audience=audience)
        for number, code in enumerate(["q1_1", "q1_2"], 1)
        for wave in ["q1_2024", "q2_2024"]
        for audience in ["a-1", "a-2"]
    ]
    both = stats(*rows, splitter="waves", audiences=(YOUNG, OLD)).to_wide("size")
    assert both.index.tolist() == ["Tea", "Coffee"]
    assert both.columns.names == ["segment", "audience"]
    assert both.columns.tolist()[:2] == [("Q1 2024", "Young"), ("Q1 2024", "Old")]
    assert both.iloc[1].tolist() == [200.0] * 4

    codes = stats(*rows, splitter="waves", audiences=(YOUNG, OLD)).to_wide(labels=False)
    assert codes.index.tolist() == ["q1_1", "q1_2"]
    assert codes.columns.tolist()[1] == ("q1_2024", "a-2")


def test_wide_has_one_level_where_one_is_enough() -> None:
    assert by_wave(["q1_2024", "q2_2024"]).to_wide().columns.tolist() == ["Q1 2024", "Q2 2024"]
    audience = stats(row(audience="a-1"), audiences=(YOUNG,)).to_wide()
    assert audience.columns.tolist() == ["Young"]
    assert stats(row()).to_wide("sample").columns.tolist() == ["sample"]


def test_wide_puts_several_metrics_beside_each_other() -> None:
    two = ["column_percentage", "sample"]
    by_segment = by_wave(["q1_2024", "q2_2024"]).to_wide(two)
    assert by_segment.columns.names == ["segment", "metric"]
    assert by_segment.columns.tolist()[:2] == [("Q1 2024", two[0]), ("Q1 2024", two[1])]
    assert by_segment["Q2 2024"].loc["Coffee"].tolist() == [21.0, 25.0]
    alone = stats(row()).to_wide(two)
    assert (alone.columns.tolist(), alone.columns.name) == (two, "metric")
    assert alone.loc["Tea"].tolist() == [25.0, 25.0]


def test_wide_names_the_metrics_when_given_another() -> None:
    with fails(ValueError):
        stats(row()).to_wide("much")
    with fails(ValueError):
        stats(row()).to_wide(3)  # type: ignore[arg-type]  # the slip that is tested
    with fails(ValueError):
        stats(row()).to_html(metrics=3)  # type: ignore[arg-type]  # as above


def test_an_empty_result_is_an_empty_frame_of_the_same_kinds() -> None:
    frame = stats().to_frame()
    assert len(frame) == 0
    assert frame.dtypes.astype(str).equals(stats(row()).to_frame().dtypes.astype(str))


def test_attrs_are_json() -> None:
    result = stats(row(), provenance={"waves": ["q1_2024"], "service": "embedded"})
    assert json.loads(json.dumps(result.to_frame().attrs)) == result.provenance
    assert result.to_wide().attrs["metric"] == "column_percentage"


def test_a_result_is_a_sequence_of_the_wires_rows_and_can_be_pickled() -> None:
    result = by_wave(["q1_2024", "q2_2024"])
    assert len(result) == len(list(result)) == 4
    assert result.waves == ("q1_2024", "q2_2024")
    again = pickle.loads(pickle.dumps(result))
    assert again.to_frame().equals(result.to_frame())
    assert np.array_equal(again.to_wide(), result.to_wide())
    assert repr(again) == repr(result)
    assert "q1: 2 datapoints × 2 segments, 4 rows, 2 waves: Q1 2024, Q2 2024" in repr(result)
