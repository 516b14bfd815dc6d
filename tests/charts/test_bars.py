"""Bar charts of queries, saved charts and crosstabs; intervals, low bases; ranked profiles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab import charts, connect
from audiencelab.charts.key import above
from audiencelab.charts.wrapping import text_width
from audiencelab.client import Client
from audiencelab.render.colours import LIGHT
from tests.charts.layout import faults, layout
from tests.charts.samples import (
    LOW,
    SHARES,
    YOUNG,
    answer,
    calculation,
    datasets,
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
    assert shown[-1].startswith("% of audience · Drinks")
    assert "Base: " not in shown[-1], "a calculation does not have it"
    of_several = calculation(answer("Tea"), answer("Bus", "Travel"), name="")
    shown = texts(charts.bar(of_several).svg())
    assert {"Chart c-1", "Drinks – Tea", "Travel – Bus"} < set(shown)
    twice = texts(charts.bar(calculation(answer("Tea"), answer("Tea"))).svg())
    assert {"Tea (drinks drinks_tea)", "Tea (drinks drinks_tea #1)"} < set(twice)


def test_failed_attributes_of_a_saved_chart_are_omitted_and_counted() -> None:
    part = calculation(answer("Tea"), "Unknown datapoint.", "Not accessible.")
    shown = texts(charts.bar(part).svg())
    assert "% of audience · Drinks · 2 of 3 without figures" in shown[-1]
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
    assert "tick" not in subtitle(charts.bar(table)), "bars side by side have each other"


def test_a_tick_shows_the_share_of_the_base_where_a_row_has_one_bar() -> None:
    table = crosstab(columns=("Tea",), column_percentage=SHARES[:, :1])
    assert "tick: share of the base" in subtitle(charts.bar(table))
    assert "tick" not in subtitle(charts.bar(table, "row_percentage"))
    everyone = crosstab(
        columns=("Tea",), column_percentage=SHARES[:, :1], row_base_percentage=SHARES[:, :1]
    )
    assert "tick" not in subtitle(charts.bar(everyone))


@pytest.mark.parametrize("width", [320, 640])
def test_values_are_at_the_ends_of_all_that_is_drawn_for_a_bar(width: int) -> None:
    shares = np.array([[10.0, 20, 15], [40, 5, 1]])
    chart = charts.bar(crosstab(column_percentage=shares), intervals=True, width=width)
    assert faults(chart.to_dict()) == []
    for each in values_of(chart):
        assert each["end"] == max(each["value"], each["high"])
    plot = chart.to_dict()
    least, most = plot["layer"][0]["encoding"]["x"]["scale"]["domain"]
    farthest = max(each["end"] for each in values_of(chart))
    assert least == 0
    assert plot["width"] * (1 - farthest / most) >= text_width("40.0%", 11)


def test_a_chart_is_as_wide_as_it_was_asked_for() -> None:
    table = crosstab(column_percentage=SHARES)
    for width in (320, 480, 1200):
        drawn = layout(charts.bar(table, width=width).to_dict())
        assert drawn.width == pytest.approx(width, abs=1)


def test_twenty_rows_of_three_columns_fit_a_page_and_name_both_questions() -> None:
    with connect() as client:
        chart = charts.bar(client.crosstab("Finding brands", "Gender")).to_dict()
    assert layout(chart).height <= 1_100
    assert chart["title"]["text"] == "Finding brands by Gender"


def test_two_series_are_named_at_their_first_bars() -> None:
    written = texts(charts.bar(two_audiences()).svg())
    assert sorted(written).count("Young") == sorted(written).count("Old") == 1
    assert not any(
        "start" in each for rows in datasets(charts.bar(two_audiences())) for each in rows
    )


# -- panels ---------------------------------------------------------------------------------------


def panels(chart: charts.Chart) -> dict[str, set[str]]:
    """The series of each panel by its heading."""
    spec = chart.to_dict()
    data = spec["datasets"]
    found: dict[str, set[str]] = {}
    for view in spec["concat"]:
        of_view = [data[each["data"]["name"]] for each in view["layer"] if "data" in each]
        [heading] = [rows[0]["heading"] for rows in of_view if "heading" in rows[0]]
        found[heading] = {each["group"] for each in data[view["data"]["name"]]}
    return found


def test_the_groups_of_a_banner_are_panels_and_many_columns_have_one_each() -> None:
    with connect() as client:
        banner = client.crosstab("Pets", ["Gender", "Kind of place"]).chart.bar()
        ages = client.crosstab("Pets", "Age")
        nested = client.crosstab(client["Pets"].audiences()[:2], al.nest("Gender", "Kind of place"))
        apart, together = ages.chart.bar(), nested.chart.bar()
    assert set(panels(banner)) == {"Gender", "Kind of place"}
    assert [{each} for each in panels(apart)] == list(panels(apart).values())
    assert list(panels(apart)) == [each.name for each in ages.columns]
    [series] = {frozenset(each) for each in panels(together).values()}
    assert not any("Male" in each for each in series), "the heading has that"


def test_a_click_on_a_bar_of_a_panel_finds_its_row_of_the_frame() -> None:
    with connect() as client:
        table = client.crosstab("Pets", ["Gender", "Age"])
    frame, bars = table.to_frame(), 0
    for rows in datasets(table.chart.bar()):
        for each in rows:
            if "line" in each:
                row = frame.iloc[int(each["line"])]
                assert each["group"].endswith(row["column"])
                assert each["label"].endswith(row["row"])
                assert each["value"] == pytest.approx(row["column_percentage"])
                bars += 1
    assert bars == len(frame)


def test_one_row_of_many_columns_is_a_bar_for_each() -> None:
    with connect() as client:
        table = client.crosstab(client["Pets"].audiences()[:1], ["Gender", "Age"])
    chart = table.chart.bar()
    assert {each["label"].rpartition(" › ")[2] for each in values_of(chart)} == {
        each.name for each in table.columns
    }
    assert {"Gender", "Age"} <= set(texts(chart.svg())), "headings over their answers"


def test_words_that_all_rows_begin_with_are_written_once() -> None:
    names = ("When I buy a new brand of tea", "When I buy a new brand of coffee")
    shown = texts(charts.bar(crosstab(names)).svg())
    assert {"tea", "coffee"} <= set(shown)
    assert "All rows begin with “When I buy a new brand of …”" in subtitle(
        charts.bar(crosstab(names))
    )


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
    assert charts.profile(profile()).to_dict()["title"]["text"] == "Fans: Drinks, Pets, Never asked"


def test_series_that_have_an_order_are_steps_of_one_ramp(agency: Client) -> None:
    for draw in (charts.bar, charts.dots):
        drawn = draw(agency.crosstab(["b1_1", "b1_2"], "altersgruppe")).to_json()
        assert set(LIGHT.steps) <= set(re.findall("#[0-9a-f]{6}", drawn))


@pytest.mark.parametrize("draw", [charts.dots, charts.bar, charts.heatmap])
def test_rows_name_the_respondents_under_their_values_alone(draw: Any) -> None:
    def drawn(columns: tuple[str, ...], under: list[list[float]]) -> str:
        bases = np.array([[500.0], [900.0]]).repeat(len(columns), axis=1)
        counts = np.array(under)
        table = crosstab(
            ("Tea", "Mate"), columns, column_sample=counts, base_sample=bases, base_size=bases
        )
        return " ".join(texts(draw(table, "column").svg()))

    one = drawn(("Men",), [[240.0], [430.0]])
    assert {"Tea (n = 240)", "Mate (n = 430)"} == {*re.findall(r"\w+ \(n = \d+\)", one)}
    assert "(n = " not in drawn(("Men", "Women"), [[240.0, 260.0], [430.0, 470.0]])


def test_panels_of_a_nested_banner_are_told_apart_by_their_innermost_names() -> None:
    groups = ("25 to 44 years", "Are you a man or a woman?")
    names = ("A man", "A woman")
    made = [above(" › ".join((*groups, each)), (), None, pixels=90) for each in names]
    lines = [each.layers[0]["encoding"]["text"]["value"] for each in made]
    assert [" ".join(each) for each in lines] == [f"{groups[0]} › … › {each}" for each in names]
