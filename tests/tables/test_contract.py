"""What every frame of a client holds: columns, types and order are a contract.

Stats, crosstabs and calculations are pinned beside their results; here are the other frames, and
what is true of all.
"""

from __future__ import annotations

import json
from functools import cache

import pandas as pd
import pytest

from audiencelab import Client, Q, connect
from audiencelab.schema import Insight
from audiencelab.tables import InsightsPage
from tests.results.samples import by_wave, crosstab, row, stats

TEXT = str(pd.Series(["text"]).dtype)

CATALOGUE = {
    "question": TEXT,
    "question_label": TEXT,
    "datapoint": TEXT,
    "datapoint_label": TEXT,
    "midpoint": "float64",
    "category": TEXT,
    "datasets": TEXT,
    "suffixes": "int64",
    "accessible": "bool",
}


@cache
def client() -> Client:
    return connect()


def kinds(frame: pd.DataFrame) -> dict[str, str]:
    return {str(name): str(kind) for name, kind in frame.dtypes.items()}


@pytest.mark.parametrize("words", ["age", "no such words at all"])
def test_the_catalogue_is_a_line_for_each_answer(words: str) -> None:
    frame = client().catalogue.search(words).to_frame()
    assert kinds(frame) == CATALOGUE
    assert not frame[["question", "datapoint"]].duplicated().any()


def test_waves_and_locations_are_counts_beside_names() -> None:
    counts = {"code": TEXT, "name": TEXT, "sample": "int64", "size": "float64"}
    assert kinds(client().waves().to_frame()) == counts
    assert kinds(client().locations().to_frame()) == {"code": TEXT, "name": TEXT}


@pytest.mark.parametrize("insights", [[], [Insight(id=1, name="One")]])
def test_insights_are_a_line_each(insights: list[Insight]) -> None:
    frame = InsightsPage(insights=insights, total=1).to_frame()
    assert kinds(frame) == {"id": "int64", "name": TEXT, "description": TEXT, "thumb_path": TEXT}


FRAMES = {
    "stats": stats(row()).to_frame(),
    "trend": by_wave(["q1_2024", "q2_2024"]).to_frame(),
    "crosstab": crosstab().to_frame(),
}


@pytest.mark.parametrize("name", FRAMES)
def test_codes_have_labels_beside_them_and_shares_both_their_bases(name: str) -> None:
    frame = FRAMES[name]
    for code, label in (("question", "question_label"), ("segment", "segment_label")):
        if code in frame:
            assert list(frame).index(label) == list(frame).index(code) + 1
    bases = {"row", "column"} | ({"base"} if name == "crosstab" else set())
    assert {f"{base}_{kind}" for base in bases for kind in ("size", "sample")} <= set(frame)


def test_provenance_of_every_query_is_small_json_without_a_credential() -> None:
    women = Q("q2").any("q2_2")
    asked = [
        client().stats("q4", base_audience=women).to_frame(),
        client().crosstab(rows=[women], columns=[~women]).to_frame(),
        client().crosstab(rows=[women], columns=[~women]).to_wide(["index", "size"]),
    ]
    for frame in asked:
        told = json.dumps(frame.attrs)
        assert len(told) < 2_000
        assert {"operation", "service", "waves", "locations", "base_audience", "asked_at"} <= set(
            frame.attrs
        )


def test_nobody_is_given_margins_who_has_not_asked_for_any() -> None:
    made = [*FRAMES.values(), crosstab().to_wide(), stats(row()).to_wide()]
    columns = [str(column) for frame in made for column in frame]
    assert [name for name in columns if name.endswith(("_se", "_low", "_high"))] == []
    pages = [crosstab().to_html(), crosstab()._repr_html_(), stats(row())._repr_html_()]
    assert [page for page in pages if "interval" in page or "±" in page] == []
    asked = crosstab(size=20, column_size=100, column_sample=100, base_sample=900).intervals()
    assert "column_percentage_se" in asked, "so it would be seen"
