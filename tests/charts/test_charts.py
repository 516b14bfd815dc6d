"""Charts draw by themselves, say whom they show, and treat labels as data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pytest

from audiencelab import charts
from audiencelab.charts import heatmaps, theme
from audiencelab.charts.chart import legend
from audiencelab.charts.labels import distinct, format_value, shorten
from audiencelab.expressions import Audience
from audiencelab.schema import METRICS, CalcAttribute, CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult, StatsLabels, StatsResult
from tests.results.samples import NOTHING, by_wave, crosstab, metrics, row, stats

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">'
WAVES = ["q1_2024", "q2_2024", "q3_2024", "q4_2024"]
YOUNG, OLD = Audience("Young", id="a-1"), Audience("Old", id="a-2")


def two_audiences(**more: Any) -> StatsResult:
    rows = [
        row(code, metrics(100.0 * number), audience=audience)
        for code in ("q1_1", "q1_2")
        for number, audience in enumerate(("a-1", "a-2"), 1)
    ]
    return stats(*rows, audiences=(YOUNG, OLD), **more)


def two_audiences_by_wave() -> StatsResult:
    rows = [
        row(code, metrics(100.0 * number), audience=audience, segment=wave)
        for code in ("q1_1", "q1_2")
        for wave in WAVES
        for number, audience in enumerate(("a-1", "a-2"), 1)
    ]
    return stats(*rows, audiences=(YOUNG, OLD), splitter="waves")


def answer(name: str, question: str = "Drinks", suffix: str = "") -> CalcAttribute:
    return CalcAttribute(
        question_code=question.lower(),
        question_label=question,
        datapoint_code=f"{question.lower()}_{name.lower()}",
        datapoint_label=name,
        suffix_label=suffix,
    )


def calculation(*shown: CalcAttribute | str, **more: Any) -> ChartCalculationResult:
    """A chart of these attributes; a text is the error of one that failed."""
    segments = more.pop("by", [None])
    data = [
        CalcData(metrics(100.0 * number), audience, segment, [segment or "q1_2024"])
        for number, audience in enumerate(("a-1", "a-2"), 1)
        for segment in segments
    ]
    groups = (
        StatsGroup(place, 404, [answer("Gone")], error=each)
        if isinstance(each, str)
        else StatsGroup(place, 200, [each], data)
        for place, each in enumerate(shown)
    )
    names = {"audiences": {"a-1": "Young", "a-2": "Old"}, "name": "Habits"}
    return ChartCalculationResult("c-1", tuple(groups), **names | more)


DRAWINGS = {
    "bar": lambda look: charts.bar(stats(row(), row("q1_2", metrics(500))), theme=look),
    "bar by audience": lambda look: charts.bar(two_audiences(), theme=look),
    "bar by both": lambda look: charts.bar(two_audiences_by_wave(), theme=look),
    "bar of indices": lambda look: charts.bar(two_audiences(), "audience_index", theme=look),
    "bar of indices by both": lambda look: charts.bar(
        two_audiences_by_wave(), "audience_index", theme=look
    ),
    "bar of a saved chart": lambda look: charts.bar(
        calculation(answer("Tea"), answer("Bus", "Travel"), "Unknown datapoint."), theme=look
    ),
    "trend of a saved chart": lambda look: charts.trend(
        calculation(answer("Tea"), answer("Bus", "Travel"), by=WAVES), theme=look
    ),
    "a saved chart that failed": lambda look: charts.bar(calculation("No."), theme=look),
    "trend": lambda look: charts.trend(by_wave(WAVES, missing="q2_2024"), theme=look),
    "trend of both": lambda look: charts.trend(two_audiences_by_wave(), theme=look),
    "trend of indices": lambda look: charts.trend(by_wave(WAVES), "audience_index", theme=look),
    "heat map": lambda look: charts.heatmap(
        crosstab(index=np.array([[50.0, 100, 150], [90, 110, np.nan]])), theme=look
    ),
    "heat map of shares": lambda look: charts.heatmap(crosstab(), "column_percentage", theme=look),
    "nothing in bars": lambda look: charts.bar(stats(), theme=look),
    "nothing in a trend": lambda look: charts.trend(stats(splitter="waves"), theme=look),
    "nothing in a heat map": lambda look: charts.heatmap(crosstab(fill=False), theme=look),
    "a trend never asked": lambda look: charts.trend(
        by_wave(["q1_2024"], missing="q1_2024"), theme=look
    ),
}


def texts(svg: str) -> list[str]:
    return [
        "".join(each.itertext())
        for each in ElementTree.fromstring(svg).iter()
        if each.tag.endswith("text")
    ]


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("name", DRAWINGS)
def test_every_chart_draws_as_well_formed_svg_without_a_network(name: str, look: str) -> None:
    svg = DRAWINGS[name](look).svg()
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert not re.search(r"(href|url\()\s*=?\s*[\"']?https?:", svg.replace("http://www.w3.org", ""))
    assert ("#111111" in svg) is (look == "dark")


@pytest.mark.parametrize("name", ["bar", "trend", "heat map"])
def test_a_drawing_shows_itself_whatever_renderer_is_enabled(name: str) -> None:
    before = alt.renderers.active
    drawing = DRAWINGS[name]("light")
    bundle = drawing._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    words, advice = bundle["text/plain"].split("\n")
    assert words == repr(DRAWINGS[name]("light"))
    assert "to see the chart" in advice
    assert alt.renderers.active == before


def test_the_altair_chart_is_there_to_change() -> None:
    chart = charts.bar(stats(row())).altair
    assert isinstance(chart, alt.TopLevelMixin)
    assert chart.to_dict()["title"]["text"] == "Drinks"


def test_it_is_saved_by_the_ending_of_its_name(tmp_path: Path) -> None:
    drawing = charts.bar(stats(row()))
    for name, start in (("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.json", b"{")):
        drawing.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert json.loads((tmp_path / "a.json").read_text())["config"]["background"] == "#ffffff"
    with pytest.raises(ValueError, match=r"\.svg, \.png or \.json"):
        drawing.save(tmp_path / "a.gif")


@pytest.mark.parametrize("kind", ["bar", "trend", "heatmap", "legend"])
def test_hostile_labels_are_text(kind: str) -> None:
    names = StatsLabels(HOSTILE, {"q1_1": HOSTILE, "q1_2": HOSTILE}, {"q1_2024": HOSTILE})
    hostile = (Audience(HOSTILE, id="a-1"), Audience(f"{HOSTILE}!", id="a-2"))
    rows = [row(audience=audience.id) for audience in hostile]
    drawing = {
        "bar": lambda: charts.bar(stats(row(), labels=names)),
        "legend": lambda: charts.bar(stats(*rows, audiences=hostile, labels=names)),
        "trend": lambda: charts.trend(
            stats(row(segment="q1_2024"), splitter="waves", labels=names)
        ),
        "heatmap": lambda: charts.heatmap(crosstab(rows=(HOSTILE,), columns=(HOSTILE,))),
    }[kind]()
    svg = drawing.svg()
    assert "<script" not in svg
    assert "<img" not in svg
    assert any("<script>alert(1)</script>" in text for text in texts(svg))


def test_a_hostile_question_code_stays_out_of_the_markup() -> None:
    result = StatsResult('q"><script>', (row(),))
    assert "<script" not in charts.bar(result).svg()


def values_of(drawing: charts.Chart) -> list[dict[str, Any]]:
    spec = drawing.to_dict()
    return next(iter(spec["datasets"].values()))


def test_bars_show_the_figures_and_a_tick_for_the_base() -> None:
    drawing = charts.bar(two_audiences())
    shown = {(each["label"], each["group"]): each for each in values_of(drawing)}
    assert shown["Tea", "Young"]["value"] == 10.0
    # index 50 with 10 % means 20 % in the base; index 100 with 20 % means the same.
    assert {each["base"] for each in shown.values()} == {20.0}
    assert "10.0%" in texts(drawing.svg())


def test_bars_in_order_of_value_when_asked() -> None:
    result = stats(row("q1_1", metrics(100)), row("q1_2", metrics(300)))
    asked, sorted_ = charts.bar(result).svg(), charts.bar(result, sort="value").svg()
    order = [[text for text in texts(svg) if text in ("Tea", "Coffee")] for svg in (asked, sorted_)]
    assert order == [["Tea", "Coffee"], ["Coffee", "Tea"]]
    with pytest.raises(ValueError, match="'asked' or 'value'"):
        charts.bar(result, sort="name")


def test_without_an_audience_there_is_no_tick_to_compare_with() -> None:
    drawing = charts.bar(stats(row()))
    assert '"type": "tick"' not in json.dumps(drawing.to_dict())


def test_bars_of_a_saved_chart_are_its_attributes() -> None:
    of_one = calculation(answer("Tea"), answer("Tea", suffix="Daily"), answer("Coffee"))
    shown = texts(charts.bar(of_one).svg())
    assert {"Habits", "Tea", "Tea (Daily)", "Coffee", "Young", "Old"} < set(shown)
    assert shown[-1].startswith("% of audience · Drinks · tick: share of the base")
    assert "Base: " not in shown[-1], "a calculation does not tell it"

    of_several = calculation(answer("Tea"), answer("Bus", "Travel"), name="")
    shown = texts(charts.bar(of_several).svg())
    assert {"Chart c-1", "Drinks – Tea", "Travel – Bus"} < set(shown)


def test_what_failed_in_a_saved_chart_is_left_out_and_said() -> None:
    part = calculation(answer("Tea"), "Unknown datapoint.", "Not accessible.")
    shown = texts(charts.bar(part).svg())
    assert "% of audience · Drinks · 2 of 3 without figures · tick" in shown[-1]
    assert "Gone" not in shown


def test_an_attribute_that_a_chart_shows_twice_has_two_bars() -> None:
    shown = texts(charts.bar(calculation(answer("Tea"), answer("Tea"))).svg())
    assert [each for each in shown if each.startswith("Tea")] == [
        "Tea (drinks drinks_tea)",
        "Tea (drinks drinks_tea #1)",
    ]


def test_a_saved_chart_by_waves_is_a_trend_and_one_by_other_segments_is_none() -> None:
    by_waves = calculation(answer("Tea"), by=WAVES, segments={"q1_2024": "Q1 2024"})
    assert "Q1 2024" in texts(charts.trend(by_waves).svg())
    data = [CalcData(metrics(), segment=segment, waves=WAVES) for segment in ("q2_1", "q2_2")]
    by_gender = ChartCalculationResult("c-1", (StatsGroup(0, 200, [answer("Tea")], data),))
    with pytest.raises(ValueError, match="or a chart with this splitter"):
        charts.trend(by_gender)


def test_the_subtitle_says_metric_audience_base_and_waves() -> None:
    base = Audience("Everyone asked")
    drawing = charts.bar(stats(row(audience="a-1"), audiences=(YOUNG,), base_audience=base))
    first, second = drawing.to_dict()["title"]["subtitle"]
    assert first == "% of audience · Audience: Young · tick: share of the base"
    assert second == "Base: Everyone asked · 2 waves, q1_2024 to q2_2024 · smallest sample 100"


def test_a_trend_has_a_gap_where_the_question_was_not_asked() -> None:
    drawing = charts.trend(by_wave(WAVES, missing="q3_2024"))
    by_place = {(each["label"], each["wave"]): each["value"] for each in values_of(drawing)}
    assert by_place["Tea", "q3_2024"] is None
    paths = re.findall(r'<path[^>]* d="([^"]+)"[^>]*stroke-width="2"', drawing.svg())
    lines = [path for path in paths if path.count("M") == 2]
    assert len(lines) == 2, "each line breaks once"
    assert "q3_2024" in texts(drawing.svg()), "the wave keeps its place on the axis"


def test_a_trend_shows_the_largest_and_says_that_there_are_more() -> None:
    drawing = charts.trend(by_wave(WAVES, datapoints=6), most=2)
    assert {each["label"] for each in values_of(drawing)} == {"q1_6", "q1_5"}
    assert "the 2 largest of 6 datapoints" in drawing.to_dict()["title"]["subtitle"][0]
    with pytest.raises(ValueError, match="at least 1"):
        charts.trend(by_wave(WAVES, datapoints=6), most=0)


def test_a_trend_counts_datapoints_without_figures_apart_from_those_that_are_too_many() -> None:
    rows = by_wave(WAVES, datapoints=3).rows
    never = [row("q1_9", NOTHING, segment=wave, waves=[]) for wave in WAVES]
    result = stats(*rows, *never, splitter="waves")
    for most, told in ((2, " · the 2 largest of 3 datapoints"), (8, "")):
        first, second = charts.trend(result, most=most).to_dict()["title"]["subtitle"]
        assert first == f"% of audience{told} · 1 of 4 datapoints without figures"
        assert second.endswith("smallest sample 100")


@pytest.mark.parametrize("metric", ["audience_percentage", "audience_index"])
def test_a_trend_that_was_never_asked_says_so_in_numbers_that_are_some(metric: str) -> None:
    drawing = charts.trend(by_wave(["q1_2024"], missing="q1_2024"), metric)
    first, second = drawing.to_dict()["title"]["subtitle"]
    assert first.endswith("2 of 2 datapoints without figures")
    assert second == "Base: all respondents"
    assert drawing.summary.endswith("over 1 wave")
    assert "NaN" not in drawing.altair.to_json()


def test_a_trend_of_audiences_shows_what_is_largest_for_any_of_them() -> None:
    shares = {"q1_1": (90.0, 1.0), "q1_2": (20.0, 20.0), "q1_3": (10.0, 10.0)}
    rows = [
        row(code, metrics(10 * share), segment="q1_2024", waves=["q1_2024"], audience=audience.id)
        for code, pair in shares.items()
        for audience, share in zip((YOUNG, OLD), pair, strict=True)
    ]
    drawing = charts.trend(stats(*rows, splitter="waves", audiences=(YOUNG, OLD)), most=2)
    assert {each["label"] for each in values_of(drawing)} == {"Tea", "Coffee"}


def test_small_plots_are_together_as_wide_as_one_and_cut_their_names() -> None:
    names = ("Tea", "A name that is longer than a small plot is wide, and longer still")
    rows = [
        row(code, segment="q1_2024", waves=["q1_2024"], audience=audience.id)
        for code in ("q1_1", "q1_2")
        for audience in (YOUNG, OLD)
    ]
    labels = StatsLabels("Drinks", dict(zip(("q1_1", "q1_2"), names, strict=True)))
    result = stats(*rows, splitter="waves", audiences=(YOUNG, OLD), labels=labels)
    spec = charts.trend(result, width=560).to_dict()
    assert (spec["columns"], spec["spec"]["width"]) == (2, 270)
    assert spec["facet"]["header"]["labelLimit"] == 270


def test_a_trend_needs_waves() -> None:
    with pytest.raises(ValueError, match="splitter='waves'"):
        charts.trend(stats(row()))


def test_line_names_do_not_overlap_and_stay_near_their_lines() -> None:
    near = [row(f"q1_{n}", metrics(100 + n), segment="q1_2024") for n in range(1, 5)]
    far = row("q1_9", metrics(900), segment="q1_2024")
    spec = charts.trend(stats(*near, far, splitter="waves"), height=300).to_dict()
    named = [each for data in spec["datasets"].values() for each in data if "at" in each]
    [top] = {
        layer["encoding"]["y"]["scale"]["domain"][1]
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("y", {})
    }
    pixel = top / 300
    at = sorted(each["at"] for each in named)
    assert min(np.diff(at)) >= 15.9 * pixel
    assert 0 <= at[0] < at[-1] <= top
    assert {each["at"] for each in named if each["series"] == "q1_9"} == {90.0}, "it had room"
    assert abs(np.mean(at[:4]) - 10.25) < 40 * pixel


def test_heat_diverges_around_100_and_is_clipped() -> None:
    values = np.concatenate([np.linspace(60, 140, 99), [5_000.0]]).reshape(10, 10)
    heat = heatmaps.heat(values, "index")
    assert heat.max() == 1.0
    assert heat.min() == -1.0
    assert np.sign(heat).tolist() == np.sign(values - 100).tolist()
    # The one odd cell must not bleach the others: 130 is still strongly coloured.
    assert heat.ravel()[np.abs(values.ravel() - 130).argmin()] > 0.6


def test_small_noise_stays_pale() -> None:
    assert np.abs(heatmaps.heat(np.array([[99.0, 101.0]]), "index")).max() == pytest.approx(0.1)


def test_cells_without_a_value_are_a_dash() -> None:
    table = crosstab(
        index=np.array([[100.0, 120, 80], [90, 110, 100]]), column_size=[[1, 1, 0], [1, 1, 0]]
    )
    assert texts(charts.heatmap(table).svg()).count("–") == 2


def test_a_heat_map_labels_its_scale_with_the_clipped_ends() -> None:
    table = crosstab(index=np.array([[50.0, 100, 150], [90, 110, 100]]))
    shown = texts(charts.heatmap(table).svg())
    assert "100" in shown
    assert {"54", "146"} <= set(shown), "2nd and 98th percentile"


@pytest.mark.parametrize("draw", [charts.bar, charts.trend, charts.heatmap])
def test_an_unknown_metric_or_theme_names_the_choices(draw: Any) -> None:
    result = crosstab() if draw is charts.heatmap else by_wave(WAVES)
    with pytest.raises(ValueError, match="Choose one of"):
        draw(result, "loudness")
    with pytest.raises(ValueError, match="'light' or 'dark'"):
        draw(result, theme="sepia")


@pytest.mark.parametrize("draw", [charts.bar, charts.trend, charts.heatmap])
def test_a_result_of_another_kind_is_refused_with_advice(draw: Any) -> None:
    frames = [crosstab().to_frame(), by_wave(WAVES).to_frame()]
    for given in [*frames, crosstab()] if draw is charts.trend else frames:
        with pytest.raises(TypeError, match=r"client\.stats\(…\) .*returned") as told:
            draw(given)
        assert ("client.crosstab(…)" in str(told.value)) == (draw is not charts.trend)


def test_more_marks_than_a_picture_can_hold_are_refused_with_advice() -> None:
    with pytest.raises(ValueError, match="datapoints="):
        charts.bar(stats(*(row(f"q1_{n}") for n in range(601))))
    wide = tuple(str(n) for n in range(70))
    with pytest.raises(ValueError, match="CrosstabGrid"):
        charts.heatmap(crosstab(wide, wide, fill=False))


TABLE = crosstab()


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: charts.profile(TABLE, "Tea", limit="3"), "at least 1 and at most 100; got '3'"),
        (lambda: charts.bubble(TABLE, "Tea", limit=2.5), "at most 300; got 2.5"),
        (lambda: charts.trend(by_wave(WAVES), most="3"), "must be an int, at least 1; got '3'"),
        (lambda: charts.bar(TABLE, width="container"), "width must be.* pixels.*'container'"),
        (lambda: charts.dots(TABLE, width=0), "width must be a number of pixels"),
        (lambda: charts.stack(stats(row()), width=None, disjoint=True), "pixels.* got None"),
        (lambda: charts.trend(by_wave(WAVES), height="300"), "height must be a number of pixels"),
        (lambda: charts.profile(TABLE, "Tea", width=True), "width must be a number of pixels"),
        (lambda: charts.bubble(TABLE, "Tea", width=40), "at least 100; got 40"),
        (lambda: charts.correspondence(TABLE, height=50), "height .* at least 100; got 50"),
    ],
)
def test_a_size_or_a_limit_that_is_none_is_told(draw: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw()


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_can_be_drawn(metric: str) -> None:
    empty = row("q1_2", NOTHING, segment="q1_2024", waves=[])
    result = stats(row(segment="q1_2024"), empty, splitter="waves")
    assert charts.bar(result, metric).svg()
    assert charts.trend(result, metric).svg()


def test_labels_are_distinct_short_and_on_one_line() -> None:
    assert distinct(["a", "b", "c"], {"a": "Other", "b": "Other", "c": "Tea"}) == {
        "a": "Other (a)",
        "b": "Other (b)",
        "c": "Tea",
    }
    assert shorten("two\nlines") == "two lines"
    assert len(shorten("x" * 500)) == 60


def test_wide_fonts_have_room_at_the_edges() -> None:
    """A browser without the measured font may need a fifth more for each label."""
    names = StatsLabels("Drinks", {"q1_1": "W" * 60, "q1_2": "Tea"})
    spec = charts.bar(stats(row(), row("q1_2"), labels=names)).to_dict()
    short = charts.bar(stats(row("q1_2"), labels=names)).to_dict()
    assert spec["config"]["padding"]["left"] >= 60 + short["config"]["padding"]["left"]


def test_wide_fonts_have_room_in_a_legend() -> None:
    """Where a browser's font is a fifth wider, a name must not run into the next one's mark."""
    brief, long = legend(["Tea", "Ale"]), legend(["Tea", "W" * 30], columns=3)
    assert long["columnPadding"] >= 30 + brief["columnPadding"]
    assert long["columns"] == 3


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("audience_percentage", 57.157, "57.2%"),
        ("audience_index", 104.7, "105"),
        ("positive_size", 117_655_215.0, "117.7M"),
        ("positive_size", 812.0, "812"),
        ("index", float("nan"), ""),
    ],
)
def test_figures_as_labels(metric: str, value: float, text: str) -> None:
    assert format_value(metric, value) == text


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
def test_text_and_lines_stand_out_from_the_ground(colours: theme.Look) -> None:
    for text in (colours.ink, colours.quiet):
        assert contrast(text, colours.ground) >= 4.5
    for line in (*colours.series, colours.accent, colours.mark):
        assert contrast(line, colours.ground) >= 3.0
    for cell in (colours.under, colours.middle, colours.over):
        assert contrast(colours.ink, cell) >= 4.5
    assert contrast(colours.on_accent, colours.accent) >= 4.5


def test_completion_offers_the_public_names_alone() -> None:
    assert dir(charts) == sorted(charts.__all__)
