"""A heat map holds a cell for each figure, of crosstabs, queries and saved charts alike."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab import charts
from tests.charts.test_charts import (
    WAVES,
    answer,
    calculation,
    texts,
    two_audiences,
    two_audiences_by_wave,
    values_of,
)
from tests.results.samples import by_wave, crosstab, metrics, row, stats


def cells(drawing: charts.Chart) -> dict[tuple[str, str], float | None]:
    return {(each["row"], each["column"]): each["value"] for each in values_of(drawing)}


def test_a_query_has_datapoints_down_and_audiences_across() -> None:
    assert cells(charts.heatmap(two_audiences())) == {
        ("Tea", "Young"): 50,
        ("Tea", "Old"): 100,
        ("Coffee", "Young"): 50,
        ("Coffee", "Old"): 100,
    }
    shares = charts.heatmap(two_audiences(), "audience_percentage")
    assert cells(shares)["Tea", "Old"] == 20
    assert {"20.0%", "Drinks"} <= set(texts(shares.svg()))


def test_segments_stand_across_and_audiences_with_them() -> None:
    assert {column for _, column in cells(charts.heatmap(by_wave(WAVES)))} == {
        "Q1 2024",
        "Q2 2024",
        "q3_2024",
        "q4_2024",
    }
    both = {column for _, column in cells(charts.heatmap(two_audiences_by_wave()))}
    assert {"Q1 2024 · Young", "Q1 2024 · Old"} <= both
    assert len(both) == 8
    assert {column for _, column in cells(charts.heatmap(stats(row())))} == {"Everyone"}


def test_a_saved_chart_is_its_attributes_and_says_what_failed() -> None:
    drawing = charts.heatmap(calculation(answer("Tea"), answer("Bus", "Travel"), "Unknown."))
    assert {each for each, _ in cells(drawing)} == {"Drinks – Tea", "Travel – Bus"}
    assert {column for _, column in cells(drawing)} == {"Young", "Old"}
    assert "1 of 3 without figures" in " ".join(texts(drawing.svg()))


def test_a_wave_that_was_not_asked_is_empty() -> None:
    drawing = charts.heatmap(by_wave(WAVES, missing="q3_2024"))
    assert cells(drawing)["Tea", "q3_2024"] is None
    assert texts(drawing.svg()).count("–") == 2


@pytest.mark.parametrize("metric", ["audience_index", "index"])
def test_low_bases_have_stars_that_are_explained(metric: str) -> None:
    drawing = (
        charts.heatmap(
            crosstab(column_sample=np.array([[99, 29, 100]] * 2), row_sample=500, index=120)
        )
        if metric == "index"
        else charts.heatmap(stats(row("q1_1", metrics(audience_sample=99))))
    )
    shown = texts(drawing.svg())
    assert any(text.endswith(" *") for text in shown)
    assert any(text.endswith(" **") for text in shown) is (metric == "index")
    assert "fewer than 100 respondents" in " ".join(shown)


def test_counts_have_no_stars() -> None:
    shown = texts(charts.heatmap(crosstab(column_sample=10), "sample").svg())
    assert not any(text.endswith("*") for text in shown)


def test_more_cells_than_a_picture_can_hold_are_refused_with_advice() -> None:
    rows = [row(f"q1_{number}", segment=wave) for number in range(1_100) for wave in WAVES]
    with pytest.raises(ValueError, match=r"4,400 cells .*segments="):
        charts.heatmap(stats(*rows, splitter="waves"))


def test_the_metrics_are_those_of_the_result() -> None:
    with pytest.raises(ValueError, match="audience_percentage"):
        charts.heatmap(two_audiences(), "column_percentage")
    with pytest.raises(ValueError, match="column_percentage"):
        charts.heatmap(crosstab(), "audience_percentage")
