"""Trends have gaps where a question was not asked; stacks divide questions of one answer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from audiencelab import charts, connect
from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.results.grid import grid_table
from audiencelab.results.stats import StatsLabels
from audiencelab.schema import CalcData, StatsGroup
from audiencelab.schema.scales import Scale
from audiencelab.tables import ChartCalculationResult, GridResult, StatsResult
from tests.charts.samples import (
    OLD,
    WAVES,
    YOUNG,
    answer,
    calculation,
    datasets,
    subtitle,
    texts,
    values_of,
)
from tests.messages import fails
from tests.results.samples import NOTHING, by_wave, metrics, row, stats


def test_a_trend_has_a_gap_where_the_question_was_not_asked() -> None:
    chart = charts.trend(by_wave(WAVES, missing="q3_2024"))
    by_place = {(each["label"], each["wave"]): each["value"] for each in values_of(chart)}
    assert by_place["Tea", "q3_2024"] is None
    paths = re.findall(r'<path[^>]* d="([^"]+)"[^>]*stroke-width="2"', chart.svg())
    assert len([path for path in paths if path.count("M") == 2]) == 2, "each line breaks once"
    assert "q3_2024" in texts(chart.svg()), "the wave keeps its place on the axis"


def test_a_band_is_the_interval_and_has_the_same_gap() -> None:
    result = by_wave(WAVES, missing="q2_2024", datapoints=1)
    chart = charts.trend(result, intervals=0.9)
    expected = result.intervals(level=0.9)["column_percentage_low"]
    shown = [each["low"] for each in values_of(chart)]
    assert shown[1] is None
    assert shown[2:] == pytest.approx(expected.tolist()[2:])
    bands = re.findall(r'<path[^>]* d="([^"]+)"[^>]*fill="[^"]+"[^>]*opacity="0.16"', chart.svg())
    assert [band.count("M") for band in bands] == [2], "before the gap, and after it"
    assert "bands: 90% intervals" in subtitle(chart)


def test_points_on_low_bases_are_hollow() -> None:
    rows = [
        row(segment=wave, waves=[wave], figures=metrics(audience_sample=sample))
        for wave, sample in (("q1_2024", 500), ("q2_2024", 40))
    ]
    chart = charts.trend(stats(*rows, splitter="waves"))
    assert [each["low_base"] for each in values_of(chart)] == [False, True]
    assert "Hollow points: fewer than 100 respondents" in subtitle(chart)
    assert "Hollow" not in subtitle(charts.trend(by_wave(["q1_2024"])))


def test_a_trend_shows_the_largest_and_counts_the_others() -> None:
    chart = charts.trend(by_wave(WAVES, datapoints=6), most=2)
    assert {each["label"] for each in values_of(chart)} == {"q1_6", "q1_5"}
    assert "the 2 largest of 6 datapoints" in subtitle(chart)
    never = [row("q1_9", NOTHING, segment=wave, waves=[]) for wave in WAVES]
    result = stats(*by_wave(WAVES, datapoints=3).rows, *never, splitter="waves")
    for most, words in ((2, " · the 2 largest of 3 datapoints"), (8, "")):
        first, second, gap = charts.trend(result, most=most).to_dict()["title"]["subtitle"]
        assert gap == "– no wave in common: q1_9"
        assert first == f"% of audience{words} · 1 of 4 datapoints without figures"
        assert second.endswith("smallest base n = 100")


def test_the_largest_are_those_of_any_audience() -> None:
    shares = {"q1_1": (90.0, 1.0), "q1_2": (20.0, 20.0), "q1_3": (10.0, 10.0)}
    rows = [
        row(code, metrics(10 * share), segment="q1_2024", waves=["q1_2024"], audience=audience.id)
        for code, pair in shares.items()
        for audience, share in zip((YOUNG, OLD), pair, strict=True)
    ]
    chart = charts.trend(stats(*rows, splitter="waves", audiences=(YOUNG, OLD)), most=2)
    assert {each["label"] for each in values_of(chart)} == {"Tea", "Coffee"}


@pytest.mark.parametrize("metric", ["column_percentage", "index"])
def test_a_trend_without_waves_is_valid_and_explained(metric: str) -> None:
    chart = charts.trend(by_wave(["q1_2024"], missing="q1_2024"), metric)
    first, second = chart.to_dict()["title"]["subtitle"]
    assert first.endswith("2 of 2 datapoints without figures")
    assert second == "Base: all respondents"
    assert "NaN" not in str(chart.to_dict())


def test_small_multiples_are_together_as_wide_as_one_plot() -> None:
    rows = [
        row(code, segment="q1_2024", waves=["q1_2024"], audience=audience.id)
        for code in ("q1_1", "q1_2")
        for audience in (YOUNG, OLD)
    ]
    result = stats(*rows, splitter="waves", audiences=(YOUNG, OLD))
    spec = charts.trend(result, width=560).to_dict()
    assert (spec["columns"], spec["spec"]["width"]) == (2, 270)
    assert spec["facet"]["header"]["labelLimit"] == 270


def test_a_saved_chart_is_a_trend_if_its_segments_are_waves() -> None:
    by_waves = calculation(answer("Tea"), by=WAVES, segments={"q1_2024": "Q1 2024"})
    assert "Q1 2024" in texts(charts.trend(by_waves).svg())
    data = [CalcData(metrics(), segment=segment, waves=WAVES) for segment in ("q2_1", "q2_2")]
    by_gender = ChartCalculationResult("c-1", (StatsGroup(0, 200, [answer("Tea")], data),))
    with fails(ValueError):
        charts.trend(by_gender)


def test_labels_of_lines_do_not_overlap_and_are_near_their_lines() -> None:
    near = [row(f"q1_{n}", metrics(100 + n), segment="q1_2024") for n in range(1, 5)]
    far = row("q1_9", metrics(900), segment="q1_2024")
    chart = charts.trend(stats(*near, far, splitter="waves"), height=300)
    named = [each for rows in datasets(chart) for each in rows if "at" in each]
    scale = chart.to_dict()["layer"][0]["encoding"]["y"]["scale"]
    top = scale["domain"][1]
    pixel = top / 300
    at = sorted(each["at"] for each in named)
    assert min(np.diff(at)) >= 15.9 * pixel
    assert 0 <= at[0] < at[-1] <= top
    assert {each["at"] for each in named if each["series"] == "q1_9"} == {90.0}, "it had room"
    assert abs(np.mean(at[:4]) - 10.25) < 40 * pixel


# -- stacks ---------------------------------------------------------------------------------------


def part(code: str, percent: float, sample: float = 100, **more: Any) -> Any:
    given = sample * percent / 100
    figures = metrics(
        percent * 10, audience_sample=sample, positive_sample=given, audience_percentage=percent
    )
    return row(code, figures, **more)


def divided(**more: Any) -> StatsResult:
    """Two audiences: 70 and 30%, and 4 and 96% on a low base."""
    rows = [
        part("q1_1", 70, audience="a-1"),
        part("q1_1", 4, 50, audience="a-2"),
        part("q1_2", 30, audience="a-1"),
        part("q1_2", 96, 50, audience="a-2"),
    ]
    return stats(*rows, audiences=(YOUNG, OLD), **more)


def test_parts_add_up_to_100() -> None:
    chart = charts.stack(divided())
    young = [each for each in values_of(chart) if each["stack"] == "Young"]
    assert [(each["answer"], each["start"], each["end"]) for each in young] == [
        ("Tea", 0.0, 70.0),
        ("Coffee", 70.0, 100.0),
    ]
    shown = texts(chart.svg())
    assert {"70.0%", "30.0%", "96.0%", "Young", "Old *"} <= set(shown)
    assert "4.0%" not in shown, "it does not fit"
    assert "* fewer than 100 respondents" in shown[-1]


def test_multiple_choice_questions_are_rejected_by_default() -> None:
    with fails(OverlappingAnswers):
        charts.stack(stats(part("q1_1", 70), part("q1_2", 60)))
    result = stats(part("q1_1", 40), part("q1_2", 20))
    with fails(OverlappingAnswers):
        charts.stack(result)
    assert values_of(charts.stack(result, disjoint=True))[-1]["end"] == 60.0


def test_a_wave_without_the_question_keeps_its_position_without_parts() -> None:
    rows = [
        part("q1_1", 70, segment="q1_2024", waves=["q1_2024"]),
        row("q1_1", NOTHING, segment="q2_2024", waves=[]),
        part("q1_2", 30, segment="q1_2024", waves=["q1_2024"]),
        row("q1_2", NOTHING, segment="q2_2024", waves=[]),
    ]
    chart = charts.stack(stats(*rows, splitter="waves"))
    assert {"Q1 2024", "Q2 2024"} <= set(texts(chart.svg()))
    shares = [each["share"] for each in values_of(chart) if each["stack"] == "Q2 2024"]
    assert shares == [None, None]


def test_a_grid_has_a_stack_for_each_item_and_its_scale_as_parts() -> None:
    some = [part("q1_1", 70), part("q1_2", 40)], [part("q1_1", 20), part("q1_2", 30)]
    points = {code: stats(*rows) for code, rows in zip("12", some, strict=True)}
    grid = GridResult(grid_table(points, {"1": "Often", "2": "Seldom"}))
    chart, frame = charts.stack(grid), grid.to_frame()
    assert [(e["stack"], e["answer"], e["start"], e["end"]) for e in values_of(chart)] == [
        ("Tea", "Often", 0.0, 70.0),
        ("Coffee", "Often", 0.0, 40.0),
        ("Tea", "Seldom", 70.0, 90.0),
        ("Coffee", "Seldom", 40.0, 70.0),
    ]
    for each in values_of(chart):
        line = frame.iloc[each["line"]]
        cell = (line["datapoint_label"], line["suffix_label"], line["column_percentage"])
        assert cell == (each["stack"], each["answer"], each["share"])
    assert list(chart.selectable().selected) == list(frame)


def test_nets_are_omitted() -> None:
    with_net = divided().nets({"Any": ["q1_1", "q1_2"]})
    assert values_of(charts.stack(with_net)) == values_of(charts.stack(divided()))


# -- ordered scales -------------------------------------------------------------------------------

FIVE = tuple("12345")
NO_ONE = frozenset[str]()


def drawn(scale: Scale | None, percent: float = 16) -> StatsResult:
    """Answers 1 to 6 of a question, with a scale."""
    labels = StatsLabels("Drinks", {code: f"Step {code}" for code in "123456"}, scale=scale)
    return stats(*[part(code, percent) for code in "123456"], labels=labels, kind="single")


def test_the_survey_says_which_answers_are_a_scale_and_what_its_top_is() -> None:
    opposite = Scale(FIVE, "first", frozenset("6"), "opposite")
    for scale, total in (
        (opposite, "total: Step 1 + Step 2"),
        (replace(opposite, top="last", ends="amount"), "total: Step 4 + Step 5"),
        (replace(opposite, top="none"), ""),
        (replace(opposite, top=None), ""),
        (Scale(FIVE[:3], "first", NO_ONE, "opposite"), ""),
        (Scale(FIVE, "first", NO_ONE), ""),
        (None, ""),
    ):
        words = subtitle(charts.stack(drawn(scale)))
        assert total in words if total else "total" not in words


def test_a_stack_of_a_scale_has_the_total_of_its_top_two() -> None:
    with connect() as client:
        grid = client.grid("q22", datapoints=["q22_1"])
        chart = charts.stack(grid)
        shares = grid.to_frame().set_index("suffix_label")["column_percentage"]
    total = shares["Strongly agree"] + shares["Somewhat agree"]
    assert f"{total:.1f}%" in texts(chart.svg())
    assert "total: Strongly agree + Somewhat agree" in subtitle(chart)
