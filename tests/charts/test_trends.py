"""Trends have gaps where a question was not asked, and are broken where it changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab import charts
from audiencelab.charts import renderer
from audiencelab.charts.trends import trend
from audiencelab.render.colours import LIGHT
from audiencelab.schema import CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult
from tests.analysis.waves import opened
from tests.charts.layout import faults
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
    by_place = {(each["series"], each["wave"]): each["value"] for each in values_of(chart)}
    assert by_place["Tea", "q3_2024"] is None
    paths = re.findall(r'<path[^>]* d="([^"]+)"[^>]*stroke-width="2.2"', chart.svg())
    assert len([path for path in paths if path.count("M") == 2]) == 2, "each line breaks once"
    assert "q3_2024" in texts(chart.svg()), "the wave keeps its place on the axis"


def test_a_band_is_the_interval_and_has_the_same_gap() -> None:
    result = by_wave(WAVES, missing="q2_2024", datapoints=1)
    chart = charts.trend(result, intervals=0.9)
    expected = result.intervals(level=0.9)["column_percentage_low"]
    shown = [each["low"] for each in values_of(chart)]
    assert shown[1] is None
    assert shown[2:] == pytest.approx(expected.tolist()[2:])
    bands = re.findall(r'<path[^>]* d="([^"]+)"[^>]*fill="[^"]+"[^>]*opacity="0.14"', chart.svg())
    assert [band.count("M") for band in bands] == [2], "before the gap, and after it"
    assert "bands: 90% intervals" in subtitle(chart)


def test_points_on_low_bases_are_hollow() -> None:
    rows = [
        row(segment=wave, waves=[wave], figures=metrics(audience_sample=sample))
        for wave, sample in (("q1_2024", 500), ("q2_2024", 40))
    ]
    chart = charts.trend(stats(*rows, splitter="waves"))
    assert [each["mark"] for each in values_of(chart)] == ["", "*"]
    assert "Hollow points: fewer than 100 respondents" in subtitle(chart)
    assert "Hollow" not in subtitle(charts.trend(by_wave(["q1_2024"])))


def test_a_trend_shows_the_largest_and_counts_the_others() -> None:
    chart = charts.trend(by_wave(WAVES, datapoints=6), most=2)
    assert {each["series"] for each in values_of(chart)} == {"q1_6", "q1_5"}
    assert "the 2 largest of 6 rows" in subtitle(chart)
    never = [row("q1_9", NOTHING, segment=wave, waves=[]) for wave in WAVES]
    result = stats(*by_wave(WAVES, datapoints=3).rows, *never, splitter="waves")
    for most, words in ((2, " · the 2 largest of 3 rows; top=4 draws all"), (6, "")):
        first, second, gap = charts.trend(result, most=most).to_dict()["title"]["subtitle"]
        assert gap == "– no wave in common: q1_9"
        assert first == f"% of audience{words} · 1 of 4 rows without figures"
        assert second.endswith("smallest base n = 100")


def test_the_largest_are_those_of_any_audience() -> None:
    shares = {"q1_1": (90.0, 1.0), "q1_2": (20.0, 20.0), "q1_3": (10.0, 10.0)}
    rows = [
        row(code, metrics(10 * share), segment="q1_2024", waves=["q1_2024"], audience=audience.id)
        for code, pair in shares.items()
        for audience, share in zip((YOUNG, OLD), pair, strict=True)
    ]
    chart = charts.trend(stats(*rows, splitter="waves", audiences=(YOUNG, OLD)), most=2)
    assert {each["series"] for each in values_of(chart)} == {"Tea", "Coffee"}


@pytest.mark.parametrize("metric", ["column_percentage", "index"])
def test_a_trend_without_waves_is_valid_and_explained(metric: str) -> None:
    chart = charts.trend(by_wave(["q1_2024"], missing="q1_2024"), metric)
    first, second = chart.to_dict()["title"]["subtitle"]
    assert first.endswith("2 of 2 rows without figures")
    assert second == "Base: all respondents"
    assert "NaN" not in str(chart.to_dict())


def test_each_audience_has_a_panel_on_a_common_axis() -> None:
    rows = [
        row(code, metrics(share), segment=wave, waves=[wave], audience=audience.id)
        for code, share in (("q1_1", 300), ("q1_2", 500))
        for wave in WAVES
        for audience in (YOUNG, OLD)
    ]
    spec = trend(stats(*rows, splitter="waves", audiences=(YOUNG, OLD))).spec
    first, second = spec["concat"]
    assert [first["width"], first["height"]] == [second["width"], second["height"]]
    scales = [view["layer"][0]["encoding"]["y"]["scale"] for view in (first, second)]
    assert scales[0] == scales[1]
    assert {"Young", "Old", "Tea", "Coffee"} <= {*texts(renderer.svg(spec))}


def test_one_answer_of_several_audiences_is_a_line_for_each() -> None:
    rows = [
        row("q1_1", segment=wave, waves=[wave], audience=audience.id)
        for wave in WAVES
        for audience in (YOUNG, OLD)
    ]
    chart = charts.trend(stats(*rows, splitter="waves", audiences=(YOUNG, OLD)))
    assert {each["series"] for each in values_of(chart)} == {"Young", "Old"}
    assert "Tea" in subtitle(chart)


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
    chart = trend(stats(*near, far, splitter="waves"), height=300)
    named = [each for rows in datasets(chart) for each in rows if "at" in each]
    scale = chart.spec["layer"][0]["encoding"]["y"]["scale"]
    top = scale["domain"][1]
    pixel = top / 300
    at = sorted(each["at"] for each in named)
    assert min(np.diff(at)) >= 14.4 * pixel, "a line of text"
    assert 0 <= at[0] < at[-1] <= top
    assert [each["at"] for each in named if each["series"] == "q1_9"] == [pytest.approx(90.0)]
    assert abs(np.mean(at[:4]) - 10.25) < 40 * pixel


# -- crosstabs ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect(waves="all") as opened:
        yield opened


@pytest.mark.parametrize("columns", ["waves", al.nest("Gender", "waves")])
def test_values_of_a_crosstab_are_those_of_its_frame(client: al.Client, columns: Any) -> None:
    table = client.crosstab("Pets", columns)
    chart, frame = trend(table), table.to_frame()
    drawn = [each for rows in datasets(chart) for each in rows if "wave" in each and "n" in each]
    assert len({each["series"] for each in drawn}) == 6
    for each in drawn:
        line = frame.iloc[int(each["line"])]
        assert (line["row"], line["column"]) == (each["series"], each["wave"])
        assert line["column_percentage"] == each["value"]
        assert line["column_sample"] == each["n"]


def test_statistics_have_a_panel_for_each_unit_and_their_own_intervals(client: al.Client) -> None:
    table = client.crosstab([client["Age"].mean(), client["Short video a day"].median()], "waves")
    chart, frame = trend(table, intervals=True), table.to_frame()
    drawn = [each for rows in datasets(chart) for each in rows if "low" in each]
    for each in drawn:
        line = frame.iloc[each["line"]]
        assert (line["column"], line["value"]) == (each["wave"], each["value"])
    assert len(drawn) == 2 * 12
    assert all(each["low"] <= each["value"] <= each["high"] for each in drawn)
    axes = [view["layer"][1]["encoding"]["y"]["scale"]["domain"] for view in chart.spec["concat"]]
    assert axes[0] != axes[1]


def test_statistics_of_a_table_with_shares_are_drawn_when_they_are_asked_for(
    client: al.Client,
) -> None:
    table = client.crosstab(["Pets", client["Age"].mean()], "waves")
    means = values_of(trend(table, "mean"))
    assert [each["value"] for each in means] == table.statistics.values("value")[0].tolist()
    assert {each["series"] for each in values_of(trend(table))} > {"Dog", "Cat"}


def test_answers_on_a_scale_and_ages_are_steps_of_one_ramp(client: al.Client) -> None:
    chart = trend(client.crosstab("Feelings about AI", "waves"))
    assert chart.spec["layer"][0]["encoding"]["color"]["scale"]["range"] == [
        LIGHT.steps[at] for at in (5, 4, 2, 1, 0)
    ]
    ages = client.catalogue.audiences("Age")[:3]
    dog = (client["Pets"] == "Dog").named("Dog")
    by_age = trend(client.crosstab([dog], [al.nest(age, "waves") for age in ages]))
    assert by_age.spec["layer"][0]["encoding"]["color"]["scale"]["range"] == [
        LIGHT.steps[at] for at in (0, 2, 5)
    ]


def test_lines_of_a_crosstab_are_broken_where_a_question_changed() -> None:
    chart = trend(opened().crosstab("trust", "waves"))
    parts = [(each["wave"], each["part"]) for each in datasets(chart)[0]]
    assert len({part for _, part in parts}) == 2
    assert len({*parts}) == 4, "each wave is in one part"
    assert "do not compare" in subtitle(chart)


@pytest.mark.parametrize("number", [12, 40])
@pytest.mark.parametrize("width", [320, 900])
def test_names_of_waves_stay_apart(number: int, width: int) -> None:
    waves = [f"q{1 + at % 4}_{2010 + at // 4}" for at in range(number)]
    chart = trend(by_wave(waves), width=width)
    assert faults(chart.to_dict()) == []
    shown = chart.spec["layer"][0]["encoding"]["x"]["axis"]["values"]
    assert shown[-1] == chart.spec["layer"][0]["encoding"]["x"]["sort"][-1]


def test_a_table_without_waves_is_refused(client: al.Client) -> None:
    with fails(ValueError):
        charts.trend(client.crosstab("Pets", "Gender"))
