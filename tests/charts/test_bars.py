"""Bar charts of queries, saved charts and crosstabs; intervals, low bases; ranked profiles."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from audiencelab import charts, connect
from audiencelab.charts.theme import look
from tests.charts.samples import (
    LOW,
    OLD,
    SHARES,
    YOUNG,
    answer,
    calculation,
    subtitle,
    texts,
    two_audiences,
    values_of,
)
from tests.results.samples import NOTHING, crosstab, metrics, row, stats
from tests.tables.test_profile import profile


def test_bars_of_a_query_have_values_and_a_tick_for_the_base() -> None:
    chart = charts.bar(two_audiences())
    shown = {(each["label"], each["group"]): each for each in values_of(chart)}
    assert shown["Tea", "Young"]["value"] == 10.0
    # Index 50 with 10% means 20% in the base; index 100 with 20% means the same.
    assert {each["base"] for each in shown.values()} == {20.0}
    assert "10.0%" in texts(chart.svg())
    marks = [each["mark"]["type"] for each in charts.bar(stats(row())).to_dict()["layer"]]
    assert "tick" not in marks, "there is no audience to compare with the base"


def test_bars_in_order_of_value() -> None:
    result = stats(row("q1_1", metrics(100)), row("q1_2", metrics(300)))
    svgs = charts.bar(result).svg(), charts.bar(result, sort="value").svg()
    order = [[text for text in texts(svg) if text in ("Tea", "Coffee")] for svg in svgs]
    assert order == [["Tea", "Coffee"], ["Coffee", "Tea"]]


def test_bars_of_a_saved_chart_are_its_attributes() -> None:
    of_one = calculation(answer("Tea"), answer("Tea", suffix="Daily"), answer("Coffee"))
    shown = texts(charts.bar(of_one).svg())
    assert {"Habits", "Tea", "Tea (Daily)", "Coffee", "Young", "Old"} < set(shown)
    assert shown[-1].startswith("% of audience · Drinks · tick: share of the base")
    assert "Base: " not in shown[-1], "a calculation does not have it"
    of_several = calculation(answer("Tea"), answer("Bus", "Travel"), name="")
    shown = texts(charts.bar(of_several).svg())
    assert {"Chart c-1", "Drinks – Tea", "Travel – Bus"} < set(shown)
    twice = texts(charts.bar(calculation(answer("Tea"), answer("Tea"))).svg())
    assert {"Tea (drinks drinks_tea)", "Tea (drinks drinks_tea #1)"} < set(twice)


def test_failed_attributes_of_a_saved_chart_are_omitted_and_counted() -> None:
    part = calculation(answer("Tea"), "Unknown datapoint.", "Not accessible.")
    shown = texts(charts.bar(part).svg())
    assert "% of audience · Drinks · 2 of 3 without figures · tick" in shown[-1]
    assert "Gone" not in shown


def test_columns_of_a_crosstab_are_groups_of_bars() -> None:
    table = crosstab(column_percentage=SHARES, column_sample=np.array([[29, 99, 100]] * 2))
    drawn = values_of(charts.bar(table))
    assert [(each["label"], each["group"], each["value"]) for each in drawn][:4] == [
        ("Men", "Tea", 10.0),
        ("Men", "Coffee", 20.0),
        ("Men", "Water", 15.0),
        ("Women", "Tea", 40.0),
    ]
    assert [each["line"] for each in drawn] == [0, 1, 2, 3, 4, 5]
    assert [each["mark"] for each in drawn] == ["**", "*", "", "**", "*", ""]
    assert {each["mark"] for each in values_of(charts.bar(table, "size"))} == {""}
    share = table.values("row_base_percentage").ravel()
    assert [each["base"] for each in drawn] == pytest.approx(share)
    assert "tick: share of the base" in subtitle(charts.bar(table))
    assert "tick" not in subtitle(charts.bar(table, "row_percentage"))


@pytest.mark.parametrize("width", [220, 440])
def test_values_are_in_one_column_without_overlapping_bars_ticks_and_intervals(width: int) -> None:
    shares = np.array([[10.0, 20, 15], [40, 5, 1]])
    chart = charts.bar(crosstab(column_percentage=shares), intervals=True, width=width)
    found = re.findall(
        r'<text[^>]* transform="translate\(([\d.-]+),[^>]*>[\d.]+%[ *]*<', chart.svg()
    )
    assert set(map(float, found)) == {float(width)}
    (_, most) = chart.to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    farthest = max(max(each["value"], each["base"], each["high"]) for each in values_of(chart))
    assert width - farthest / most * width >= 50


def test_groups_with_the_same_base_share_a_tick() -> None:
    sizes = []
    for base in ([20.0, 20], [20, 30]):
        rows = [
            row("q1_1", metrics(100, audience_index=1000 / share), audience=audience)
            for share, audience in zip(base, ("a-1", "a-2"), strict=True)
        ]
        spec = charts.bar(stats(*rows, audiences=(YOUNG, OLD))).to_dict()
        ticks = [each for each in spec["layer"] if each["mark"]["type"] == "tick"]
        sizes.append({each["mark"]["size"] for each in ticks})
        assert all(("yOffset" in each["encoding"]) is (base[1] == 30) for each in ticks)
    assert sizes == [{32}, {12}]


# -- intervals and low bases ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "metric"),
    [
        (stats(row(audience="a-1"), audiences=(YOUNG,)), "column_percentage"),
        (stats(row(audience="a-1"), audiences=(YOUNG,)), "index"),
        (crosstab(), "column_percentage"),
        (crosstab(), "index"),
    ],
)
def test_intervals_are_those_of_the_result(result: Any, metric: str) -> None:
    expected = result.intervals(level=0.9)
    drawn = values_of(charts.bar(result, metric, intervals=0.9))
    for end in ("low", "high"):
        shown = [each[end] for each in drawn]
        assert shown == pytest.approx(expected[f"{metric}_{end}"].tolist(), rel=1e-9)


def test_a_saved_chart_has_intervals_and_the_subtitle_has_the_level() -> None:
    chart = charts.bar(calculation(answer("Tea"), "Not accessible."), intervals=0.99)
    assert all(each["low"] < each["value"] < each["high"] for each in values_of(chart))
    assert "99% intervals" in subtitle(chart)
    assert "95% intervals" in subtitle(charts.bar(stats(row()), intervals=True))
    assert "intervals" not in subtitle(charts.bar(stats(row())))


def test_values_do_not_overlap_intervals_of_indices() -> None:
    rows = [row(f"q1_{n}", metrics(audience_index=n * 60.0), audience="a-1") for n in (1, 2)]
    under, over = values_of(charts.bar(stats(*rows, audiences=(YOUNG,)), "index", intervals=True))
    assert under["end"] <= under["low"]
    assert over["end"] >= over["high"]


def test_low_bases_are_hatched_starred_and_explained() -> None:
    def on_bases_of(*samples: float) -> charts.Chart:
        figures = [metrics(audience_sample=sample) for sample in samples]
        return charts.bar(stats(*(row(f"q1_{n}", each) for n, each in enumerate(figures))))

    chart = on_bases_of(100, 99, 30, 29)
    shown = texts(chart.svg())
    assert [text.removeprefix("25.0%") for text in shown if text.startswith("25.0%")] == [
        *("", " *", " *", " **")
    ]
    assert LOW in shown[-1]
    assert chart.svg().count('fill="url(#') == 3
    high = on_bases_of(100, 5_000).svg()
    assert "fewer than" not in texts(high)[-1]
    assert "linearGradient" not in high


def test_each_metric_has_low_base_marks_by_its_own_base() -> None:
    drawn = values_of(charts.bar(stats(row(), row("q1_2", NOTHING, waves=[]))))
    assert [each["mark"] for each in drawn] == ["", ""]
    assert drawn[1]["value"] is None
    result = stats(row(figures=metrics(datapoint_sample=40, audience_sample=500)))
    assert values_of(charts.bar(result, "row_percentage"))[0]["mark"] == "*"
    assert values_of(charts.bar(result, "column_percentage"))[0]["mark"] == ""


# -- profiles -------------------------------------------------------------------------------------

ROWS = ("Tea", "Coffee", "Water", "Milk", "Juice")
INDEX = np.array([[120.0], [80.0], [np.nan], [300.0], [99.0]])
SAMPLES = {"column_sample": 500, "row_sample": 500}


def ranked(**options: Any) -> charts.Chart:
    table = crosstab(ROWS, ("Young",), index=INDEX, column_percentage=INDEX / 10, **SAMPLES)
    return charts.profile(table, **options)


def test_rows_are_ranked_by_index_and_rows_without_one_are_omitted() -> None:
    shown = [each["label"] for each in values_of(ranked())]
    assert shown == ["Milk", "Tea", "Juice", "Coffee"]
    drawn = texts(ranked().svg())
    assert [text for text in drawn if text in ROWS] == shown
    assert {"300 · 30.0%", "80 · 8.0%"} <= set(drawn)


def test_the_limit_keeps_both_ends_and_is_stated() -> None:
    assert [each["label"] for each in values_of(ranked(limit=1))] == ["Milk", "Coffee"]
    assert "2 of 4 rows" in subtitle(ranked(limit=1))


def test_a_column_must_be_named_if_there_are_several() -> None:
    table = crosstab(index=np.array([[110.0, 90, 100], [90, 110, 100]]))
    of_coffee = charts.profile(table, "Coffee")
    assert of_coffee.to_dict()["title"]["text"] == "Coffee"
    assert [each["value"] for each in values_of(of_coffee)] == [110, 90]
    assert values_of(charts.profile(table, "column-2")) == values_of(of_coffee)


def test_a_low_base_of_a_profile_is_starred_and_hatched() -> None:
    svg = charts.profile(crosstab(("Tea",), ("Young",), index=150, column_sample=29)).svg()
    assert any(text.endswith("**") for text in texts(svg))
    assert svg.count('fill="url(#') == 1
    assert LOW in texts(svg)[-1]


def test_a_profile_omits_rare_answers_and_its_own_questions() -> None:
    shown = [each["label"] for each in values_of(charts.profile(profile()))]
    assert shown == ["Drinks – Tea", "Pets – Cat", "Drinks – Coffee"]
    assert [each["label"] for each in values_of(charts.profile(profile(arrived=1)))] == shown[:1]
    assert charts.profile(profile()).to_dict()["title"]["text"] == "Fans"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_of_many_columns_has_its_own_colour(theme: str) -> None:
    with connect() as client:
        several = ["Age", "Gender", "Kind of place"]
        result = client.stats("Gender", audiences=several, splitter="Gender")
    drawn = charts.bar(result, theme=theme).to_dict()
    colours = drawn["spec"]["layer"][0]["encoding"]["color"]["scale"]["range"]
    assert len(colours) == len(result.audiences) > len(look(theme).series)
    assert len(set(colours)) == len(colours)


def test_headings_of_many_plots_are_broken_into_lines_and_not_cut() -> None:
    with connect() as client:
        columns = {"Ways of finding out about brands": client["Finding brands"].audiences()[:7]}
        spec = client.crosstab("Gender", columns).chart.bar().to_dict()
    lines = json.loads(spec["facet"]["header"]["labelExpr"].removesuffix("[datum.value]"))
    names = [" ".join(each) for each in lines.values()]
    assert names == spec["facet"]["sort"]
    assert max(len(lines[name]) for name in names) > 1
    assert max(len(line) for name in names for line in lines[name]) * 8 <= spec["spec"]["width"]
