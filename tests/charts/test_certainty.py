"""Margins stand where the result has them; a figure on a low base says that it does."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from audiencelab import charts
from audiencelab.expressions import Audience
from tests.charts.test_charts import answer, calculation, texts, values_of
from tests.results.samples import NOTHING, by_wave, metrics, row, stats

YOUNG = Audience("Young", id="a-1")
LOW = "* fewer than 100 respondents in the denominator, ** fewer than 30"


def on_bases_of(*samples: float) -> Any:
    rows = [
        row(f"q1_{place}", metrics(audience_sample=sample))
        for place, sample in enumerate(samples, 1)
    ]
    return stats(*rows)


@pytest.mark.parametrize("metric", ["audience_percentage", "audience_index"])
def test_a_bar_s_margin_is_the_interval_of_its_result(metric: str) -> None:
    result = stats(
        row(audience="a-1"), row("q1_2", metrics(100), audience="a-1"), audiences=(YOUNG,)
    )
    expected = result.intervals(level=0.9)
    drawn = values_of(charts.bar(result, metric, intervals=0.9))
    for end in ("low", "high"):
        told = [each[end] for each in drawn]
        assert told == pytest.approx(expected[f"{metric}_{end}"].tolist(), rel=1e-9)


def test_the_subtitle_says_the_level() -> None:
    def said(**asked: Any) -> str:
        return charts.bar(stats(row()), **asked).to_dict()["title"]["subtitle"][0]

    assert said() == "% of audience"
    assert said(intervals=True) == "% of audience · 95 % intervals"
    assert said(intervals=0.99) == "% of audience · 99 % intervals"


def test_a_saved_chart_has_margins_too() -> None:
    drawing = charts.bar(calculation(answer("Tea"), "Not accessible."), intervals=True)
    assert all(each["low"] < each["value"] < each["high"] for each in values_of(drawing))


def test_figures_stand_clear_of_their_margins() -> None:
    rows = [row(f"q1_{n}", metrics(audience_index=n * 60.0), audience="a-1") for n in (1, 2)]
    under, over = values_of(
        charts.bar(stats(*rows, audiences=(YOUNG,)), "audience_index", intervals=True)
    )
    assert under["end"] <= under["low"]
    assert over["end"] >= over["high"]


def test_a_metric_without_margins_and_a_level_that_is_none_are_refused() -> None:
    with pytest.raises(ValueError, match="'positive_size' has no intervals"):
        charts.bar(stats(row()), "positive_size", intervals=True)
    with pytest.raises(ValueError, match=r"between 0\.5 and 1"):
        charts.bar(stats(row()), intervals=95)


def test_low_bases_are_hatched_and_starred_and_explained() -> None:
    drawing = charts.bar(on_bases_of(100, 99, 30, 29))
    shown = texts(drawing.svg())
    assert [text for text in shown if text.startswith("25.0%")] == [
        "25.0%",
        "25.0% *",
        "25.0% *",
        "25.0% **",
    ]
    assert LOW in shown[-1]
    assert drawing.svg().count('fill="url(#') == 3


def test_without_low_bases_there_is_no_note_and_nothing_is_hatched() -> None:
    drawing = charts.bar(on_bases_of(100, 5_000))
    assert "fewer than" not in texts(drawing.svg())[-1]
    assert "linearGradient" not in drawing.svg()


def test_nothing_has_no_star() -> None:
    drawn = values_of(charts.bar(stats(row(), row("q1_2", NOTHING, waves=[]))))
    assert [each["mark"] for each in drawn] == ["", ""]
    assert np.isnan(drawn[1]["value"] or np.nan)


def test_a_share_of_the_datapoint_rests_on_the_datapoint_s_sample() -> None:
    result = stats(row(figures=metrics(datapoint_sample=40, audience_sample=500)))
    assert values_of(charts.bar(result, "datapoint_percentage"))[0]["mark"] == "*"
    assert values_of(charts.bar(result, "audience_percentage"))[0]["mark"] == ""


def test_a_trend_s_band_is_the_interval_and_breaks_where_nobody_was_asked() -> None:
    result = by_wave(["q1_2024", "q2_2024", "q3_2024", "q4_2024"], missing="q2_2024", datapoints=1)
    drawing = charts.trend(result, intervals=0.9)
    expected = result.intervals(level=0.9)["audience_percentage_low"]
    told = [each["low"] for each in values_of(drawing)]
    assert told[1] is None
    assert told[2:] == pytest.approx(expected.tolist()[2:])
    bands = re.findall(r'<path[^>]* d="([^"]+)"[^>]*fill="[^"]+"[^>]*opacity="0.16"', drawing.svg())
    assert [band.count("M") for band in bands] == [2], "before the gap, and after it"
    assert "bands: 90 % intervals" in texts(drawing.svg())[-1]


def test_a_trend_s_points_on_low_bases_are_hollow() -> None:
    rows = [
        row(segment=wave, waves=[wave], figures=metrics(audience_sample=sample))
        for wave, sample in (("q1_2024", 500), ("q2_2024", 40))
    ]
    drawing = charts.trend(stats(*rows, splitter="waves"))
    assert [each["low_base"] for each in values_of(drawing)] == [False, True]
    assert "Hollow points: fewer than 100 respondents" in texts(drawing.svg())[-1]
    assert "Hollow" not in texts(charts.trend(by_wave(["q1_2024"])).svg())[-1]


def test_the_source_stands_under_the_words_and_not_when_it_was_asked() -> None:
    result = stats(row())
    assert not any("Source" in text for text in texts(charts.bar(result).svg()))
    result.provenance.update(survey="Households 2025", asked_at="2026-01-02T03:04:05+00:00")
    assert texts(charts.bar(result).svg())[-1].endswith("Source: Households 2025")
