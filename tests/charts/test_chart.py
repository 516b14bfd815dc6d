"""Charts render without altair, follow the page's theme, and escape labels."""

from __future__ import annotations

import base64
import inspect
import io
import json
import re
from typing import Any
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pytest
from PIL import Image

from audiencelab import charts, connect
from audiencelab.charts import renderer, theme
from audiencelab.charts.labels import distinct, format_value, shorten
from audiencelab.charts.renderer import adapt, name_after_content
from audiencelab.charts.specification import VEGA_LITE
from audiencelab.charts.theme import DARK, LIGHT
from audiencelab.charts.vega_lite import legend
from audiencelab.expressions import Audience
from audiencelab.render.colours import readable_on
from audiencelab.render.records import record_in
from audiencelab.render.svg_text import drawable
from audiencelab.results.cells import FIGURES
from audiencelab.results.record import record_of
from audiencelab.results.stats import STATS_FIGURES, StatsLabels
from audiencelab.tables import StatsResult
from tests.charts.samples import (
    CHARTS,
    HOSTILE,
    WAVES,
    contrast,
    drawn,
    overlap_of,
    texts,
    values_of,
)
from tests.messages import fails
from tests.results.samples import NOTHING, by_wave, counted, crosstab, metrics, row, stats


def bars(**options: Any) -> charts.Chart:
    return charts.bar(stats(row()), **options)


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_well_formed_svg_without_a_network(name: str, look: str) -> None:
    svg = drawn(name, look)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert not re.search(r"(href|url\()\s*=?\s*[\"']?https?:", svg.replace("http://www.w3.org", ""))
    assert ("#111111" in svg) is (look == "dark")


@pytest.mark.parametrize("metric", STATS_FIGURES)
def test_every_metric_of_a_query_can_be_charted(metric: str) -> None:
    empty = row("q1_2", NOTHING, segment="q1_2024", waves=[])
    result = stats(row(segment="q1_2024"), empty, splitter="waves")
    assert charts.bar(result, metric).svg()
    assert charts.trend(result, metric).svg()


@pytest.mark.parametrize("metric", FIGURES)
def test_every_metric_of_a_crosstab_can_be_charted(metric: str) -> None:
    small = crosstab(("Yes", "No"), ("Tea",))
    for draw in (charts.bar, charts.dots, charts.heatmap):
        assert draw(small, metric).svg().startswith("<svg")


@pytest.mark.parametrize("name", ["bar", "trend", "heat map"])
def test_a_chart_displays_itself_with_any_enabled_renderer(name: str) -> None:
    before = alt.renderers.active
    chart = CHARTS[name]("light")
    bundle, _ = chart._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "image/png", "text/plain"}
    # No header of a PNG is left out where the converter's is written again in fewer bytes.
    image = Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))
    image.verify()
    assert image.info["dpi"]
    assert bundle["text/plain"].split("\n")[0] == repr(chart)
    assert alt.renderers.active == before


def test_a_displayed_chart_says_what_it_is_of_beside_its_forms() -> None:
    result = crosstab()
    result.provenance |= {
        "survey": "a survey with a long name",
        "survey_version": "3a635e9d75",
        "audiencelab": "3.0.0",
        "asked_at": "2026-01-02T03:04:05+00:00",
    }
    chart = charts.bar(result).interactive()
    forms, metadata = chart._repr_mimebundle_()
    known = metadata["audiencelab"]
    assert known == record_of(result, title=chart.title["text"]).to_dict()
    # JSON is compared byte by byte, and has no date; what people see has one.
    spec = forms[VEGA_LITE]
    assert not re.search(r"counted|3\.0\.0", json.dumps(spec))
    assert " ".join(spec["title"]["subtitle"]).endswith("(version 3a635e9d)")
    assert "with audiencelab 3.0.0" in " ".join(texts(forms["image/svg+xml"]))
    assert record_in(base64.b64decode(forms["image/png"]))[0].to_dict() == known


def test_charts_are_methods_of_results() -> None:
    table = crosstab()
    assert table.chart.bar("index", sort="value").to_dict() == (
        charts.bar(table, "index", sort="value").to_dict()
    )
    for result in (crosstab(), stats(row()), by_wave(["q1_2024"])):
        for kind in dir(result.chart):
            assert callable(getattr(result.chart, kind))
    with fails(AttributeError):
        table.chart.turf()


# -- colours and ids ------------------------------------------------------------------------------


def displayed(chart: charts.Chart) -> str:
    return chart._repr_mimebundle_()[0]["image/svg+xml"]


@pytest.mark.parametrize("draw", [charts.bar, charts.heatmap])
def test_a_displayed_chart_has_the_colours_of_both_themes(draw: Any) -> None:
    chart = draw(crosstab(), "index")
    svg = displayed(chart)
    assert f'[fill="{LIGHT.ground}"]{{fill:light-dark({LIGHT.ground},{DARK.ground})}}' in svg
    assert f"light-dark({LIGHT.ink},{DARK.ink})" in svg
    # Readers that know no themes see the light chart.
    plain = re.sub(r"<style>.*?</style>", "", re.sub(r'class="d[0-9a-f]{8} ', 'class="', svg))
    assert plain == chart.svg()
    dark = draw(crosstab(), "index", theme="dark")
    assert displayed(dark) == dark.svg()


@pytest.mark.parametrize("name", ["bar by both", "heat map", "overlap"])
def test_the_dark_colours_are_those_of_the_chart_drawn_dark(name: str) -> None:
    spec = drawable(CHARTS[name]("light").to_dict())
    light = renderer.svg(spec)
    assert renderer.adaptive(light, spec) == adapt(light, renderer.svg(renderer.darkened(spec)))


def test_only_colours_that_differ_have_a_rule() -> None:
    light = '<svg class="marks"><path fill="#ffffff" stroke="#123456"/></svg>'
    svg = adapt(light, light.replace("#ffffff", "#111111"))
    assert svg.count("light-dark(") == 1
    assert 'stroke="#123456"' in svg


def test_ids_depend_on_the_content_of_the_chart() -> None:
    def drawn(column_sample: float) -> str:
        return charts.bar(crosstab(column_sample=column_sample), "column_percentage").svg()

    def ids(svg: str) -> list[str]:
        return re.findall(r'\bid="([^"]*)"', svg)

    svg = drawn(29)
    assert ids(svg)
    assert drawn(29) == svg
    assert not set(ids(svg)) & set(ids(drawn(99)))
    used = set(re.findall(r'="url\(#([^)]*)\)"', svg))
    assert used
    assert used <= set(ids(svg))
    assert len(set(ids(svg))) == len(ids(svg))


def test_a_label_that_looks_like_an_id_is_kept() -> None:
    used = '<clipPath id="clip7"/><g clip-path="url(#clip7)"/>'
    settled = name_after_content(f"<svg>{used}<text>clip7, url(#clip7)</text></svg>")
    assert "<text>clip7, url(#clip7)</text>" in settled
    assert settled.count("clip7") == 2
    assert 'clip-path="url(#d' in settled


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
def test_text_and_lines_have_enough_contrast(colours: theme.Look) -> None:
    for text in (colours.ink, colours.quiet):
        assert contrast(text, colours.ground) >= 4.5
    for line in (*colours.series, *colours.steps, colours.accent, colours.mark):
        assert contrast(line, colours.ground) >= 3.0
    for cell in (colours.under, colours.middle, colours.over):
        assert contrast(colours.ink, cell) >= 4.5
    assert contrast(colours.on_accent, colours.accent) >= 4.5
    for fill in colours.series:
        assert contrast(readable_on(fill, colours), fill) >= 4.0


# -- labels ---------------------------------------------------------------------------------------

NAMES = StatsLabels(HOSTILE, {"q1_1": HOSTILE, "q1_2": HOSTILE}, {"q1_2024": HOSTILE})
MAP = np.array([[300.0, 100, 50], [100, 200, 100], [50, 100, 400], [150, 150, 160]])
HOSTILE_CHARTS = {
    "bar": lambda: charts.bar(stats(row(), labels=NAMES)),
    "code": lambda: charts.bar(StatsResult('q"><script>', (row(),))),
    "legend": lambda: charts.bar(
        stats(
            row(audience="a-1"),
            row(audience="a-2"),
            audiences=(Audience(HOSTILE, id="a-1"), Audience(f"{HOSTILE}!", id="a-2")),
            labels=NAMES,
        )
    ),
    "trend": lambda: charts.trend(stats(row(segment="q1_2024"), splitter="waves", labels=NAMES)),
    "stack": lambda: charts.stack(stats(row(), labels=NAMES), disjoint=True),
    "heatmap": lambda: charts.heatmap(crosstab((HOSTILE,), (HOSTILE,))),
    "dots": lambda: charts.dots(crosstab((HOSTILE,), (HOSTILE, "Tea"))),
    "profile": lambda: charts.profile(crosstab((HOSTILE,), (HOSTILE,))),
    "bubble": lambda: charts.bubble(counted((HOSTILE, "Tea"), (HOSTILE,), [[200.0], [300]])),
    "map": lambda: charts.correspondence(counted((HOSTILE, *"abc"), tuple("xyz"), MAP)),
    "overlap": lambda: charts.overlap(overlap_of(5, 6, 7, 8, names=[HOSTILE, "W" * 100])),
}


@pytest.mark.parametrize("kind", HOSTILE_CHARTS)
def test_malicious_labels_are_text(kind: str) -> None:
    svg = HOSTILE_CHARTS[kind]().svg()
    assert "<script" not in svg
    assert "<img" not in svg
    assert any("<script>" in text for text in texts(svg)) or kind == "code"


EMOJI = "\N{GRINNING FACE}" * 40


@pytest.mark.parametrize("draw", [charts.bar, charts.heatmap, charts.dots])
def test_long_emoji_names_are_rendered(draw: Any) -> None:
    """Vega cuts a label between the two halves of such a character, which cannot be drawn."""
    for name in (EMOJI, f"A{EMOJI}", f"{EMOJI[:20]} and so on, and so on, and so on {EMOJI}"):
        svg = draw(crosstab(("Tea", name), (name, f"{name}!"))).svg()
        assert "\N{GRINNING FACE}" in svg


def test_different_emoji_names_are_rendered_differently() -> None:
    svg = charts.heatmap(crosstab(("Tea",), (EMOJI, f"{EMOJI}!", f"{EMOJI}?"))).svg()
    labels = {each for each in re.findall(">([^<]*)<", svg) if "\N{GRINNING FACE}" in each}
    assert len(labels) == 3


@pytest.mark.parametrize("draw", [charts.bar, charts.heatmap, charts.dots, charts.stack])
def test_an_empty_base_is_stated_instead_of_an_empty_plot(draw: Any) -> None:
    if draw is not charts.stack:
        empty = crosstab(base_size=0, base_sample=0, column_size=0, column_sample=0, row_size=0)
        assert "No figures: empty base" in draw(empty).svg()
    nobody = stats(row(figures=NOTHING), row("q1_2", figures=NOTHING))
    assert "No figures: empty base" in draw(nobody).svg()
    assert "No figures" not in charts.bar(stats(row(), row("q1_2", figures=NOTHING))).svg()


def test_labels_are_distinct_short_and_on_one_line() -> None:
    assert distinct(["a", "b", "c"], {"a": "Other", "b": "Other", "c": "Tea"}) == {
        "a": "Other (a)",
        "b": "Other (b)",
        "c": "Tea",
    }
    assert shorten("two\nlines") == "two lines"
    assert len(shorten("x" * 500)) == 60


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("column_percentage", 57.157, "57.2%"),
        ("index", 104.7, "105"),
        ("size", 117_655_215.0, "117.7M"),
        ("size", 812.0, "812"),
        ("index", float("nan"), ""),
    ],
)
def test_values_as_labels(metric: str, value: float, text: str) -> None:
    assert format_value(metric, value) == text


def test_wide_fonts_have_space_at_the_edges_and_in_a_legend() -> None:
    """A browser without the measured font may need a fifth more for each label."""
    names = StatsLabels("Drinks", {"q1_1": "W" * 20, "q1_2": "Tea"})
    axis = charts.bar(stats(row(), labels=names)).to_dict()["layer"][0]["encoding"]["y"]["axis"]
    assert axis["labelLimit"] >= 20 * 13 * 0.9
    wide = legend(["Tea", "W" * 30])["columnPadding"]
    assert wide >= 30 + legend(["Tea", "Ale"])["columnPadding"]


def test_the_source_is_the_last_line() -> None:
    result = stats(row())
    assert not any("Source" in text for text in texts(charts.bar(result).svg()))
    result.provenance.update(survey="Households 2025", asked_at="2026-01-02T03:04:05+00:00")
    assert texts(charts.bar(result).svg())[-1].endswith(
        "Source: Households 2025, counted 2026-01-02"
    )


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [charts.bar, charts.trend, charts.heatmap, charts.dots])
def test_an_unknown_metric_or_theme_error_lists_the_choices(draw: Any) -> None:
    result = by_wave(WAVES)
    with fails(ValueError):
        draw(result, "colour")
    with fails(ValueError):
        draw(result, theme="sepia")


@pytest.mark.parametrize(
    "draw",
    [getattr(charts, name) for name in charts.__all__ if name != "Chart"],
)
def test_a_result_of_another_type_is_rejected_with_advice(draw: Any) -> None:
    of_tables = draw in (charts.bubble, charts.correspondence, charts.profile)
    for given in (crosstab().to_frame(), stats() if of_tables else 3):
        with fails(TypeError):
            draw(given)


TABLE = crosstab()
WIDE = tuple(map(str, range(80)))


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: charts.bar(stats(*(row(f"q1_{n}") for n in range(601)))), "datapoints="),
        (lambda: charts.heatmap(crosstab(WIDE, WIDE, fill=False)), "6,400 cells .*Crosstab"),
        (lambda: charts.dots(crosstab(WIDE, WIDE, fill=False)), r"too many .* charts\.heatmap"),
        (lambda: charts.stack(stats(*(row(f"q1_{n}") for n in range(9)))), r"table\.chart\.bar"),
        (
            lambda: charts.correspondence(counted(WIDE, WIDE, np.eye(80) + 1)),
            r"160 rows and columns .*charts\.heatmap",
        ),
        (lambda: charts.profile(TABLE, "Tea", limit=0), "at least 1 and at most 100; got 0"),
        (lambda: charts.profile(TABLE, "Tea", limit="3"), "at most 100; got '3'"),
        (lambda: charts.bubble(TABLE, "Tea", limit=301), "at most 300; got 301"),
        (lambda: charts.bubble(TABLE, "Tea", limit=2.5), "at most 300; got 2.5"),
        (lambda: charts.overlap(overlap_of(1, 2, 3, 4), limit=0), "at most 60; got 0"),
        (lambda: charts.trend(by_wave(WAVES), most="3"), "must be an int, at least 1; got '3'"),
        (lambda: charts.bar(TABLE, width="container"), "width must be a .* pixels.*'container'"),
        (lambda: charts.dots(TABLE, width=0), "width must be a number of pixels"),
        (lambda: charts.stack(stats(row()), width=[], disjoint=True), r"pixels.* got \[\]"),
        (lambda: charts.trend(by_wave(WAVES), height="300"), "height must be a number of pixels"),
        (lambda: charts.profile(TABLE, "Tea", width=True), "width must be a number of pixels"),
        (lambda: charts.correspondence(TABLE, height=50), "height .* at least 100; got 50"),
        (lambda: charts.bar(TABLE, sort="name"), "no column is called 'name'"),
        (lambda: charts.dots(TABLE, sort="name"), "no column is called 'name'"),
        (lambda: charts.overlap(overlap_of(1, 2, 3, 4), sort="size"), "'value' or 'asked'"),
        (lambda: charts.overlap(overlap_of(1, 2, 3, 4), "index"), "size, sample, percentage"),
        (lambda: charts.trend(stats(row())), "splitter='waves'"),
        (lambda: charts.trend(TABLE), "columns='waves'"),
        (lambda: charts.points(TABLE), r"table\.chart\.dots"),
        (lambda: charts.bar(TABLE, "size", intervals=True), r"'size' has no intervals.*column_p"),
        (lambda: charts.bar(stats(row()), "size", intervals=True), "has no intervals"),
        (lambda: charts.bar(stats(row()), intervals=195), r"between 0\.5 and 1"),
        (lambda: charts.profile(TABLE), r"Which column.*'Tea', 'Coffee', 'Water'"),
        (lambda: charts.bubble(TABLE, "Milk"), "No one column 'Milk'"),
    ],
)
def test_results_that_cannot_be_charted_are_rejected_with_advice(draw: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw()


def test_completion_lists_public_names_only() -> None:
    assert dir(charts) == sorted(charts.__all__)


def test_the_subtitle_has_metric_audience_base_and_waves() -> None:
    given = (Audience("Young", id="a-1"),)
    base = Audience("Everyone asked")
    chart = charts.bar(stats(row(audience="a-1"), audiences=given, base_audience=base))
    first, second = chart.to_dict()["title"]["subtitle"]
    assert first == "% of audience · Audience: Young · tick: share of the base"
    assert second == "Base: Everyone asked · 2 waves, Q1 2024 to Q2 2024 · smallest base n = 100"
    assert values_of(chart)[0]["base"] == pytest.approx(metrics().audience_percentage / 1.25)


def test_help_on_a_chart_of_a_result_shows_the_options_of_the_function() -> None:
    with connect() as client:
        draw = client.crosstab("Gender", "Age").chart.bar
    assert next(iter(inspect.signature(draw).parameters)) == "metric"
    assert draw.__doc__ == charts.bar.__doc__


def test_every_chart_accepts_a_title_and_can_omit_its_base() -> None:
    with connect() as client:
        table = client.crosstab("Finding brands", ["Gender", "Age"])
        pets = client["Pets"].audiences("Dog", "Cat")
        owners = client.profile(pets[0], "Age")
        made = [
            *((table, kind) for kind in ("bar", "heatmap", "correspondence")),
            (client.crosstab("Finding brands", "Gender"), "dots"),
            *((owners, kind) for kind in ("profile", "bubble")),
            (client.grid("Trust in sources"), "stack"),
            (client.trend("Gender"), "trend"),
            (client.overlap(pets), "overlap"),
        ]
        for result, kind in made:
            usual = result.chart(kind).to_dict()["title"]
            chosen = result.chart(kind, title="Mine", base=False).to_dict()["title"]
            [base] = set(usual["subtitle"]) - set(chosen["subtitle"])
            assert re.match(r"Base: |\d+ waves, ", base)
            assert chosen["text"] == "Mine" != usual["text"]
