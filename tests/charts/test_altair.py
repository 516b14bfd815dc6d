"""Every kind of chart is one of altair: combined, changed, copied, and drawn with no network."""

from __future__ import annotations

import copy
import io
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from altair.utils.schemapi import SchemaValidationError

from audiencelab import charts, connect
from audiencelab.charts import renderer
from audiencelab.charts.captions import Captions, drawn
from audiencelab.charts.drawing import as_altair
from audiencelab.charts.theme import DARK, LIGHT
from audiencelab.charts.weights import weights_histogram
from audiencelab.render.svg_text import drawable
from tests.charts.samples import (
    CHARTS,
    HOSTILE,
    THREE,
    WAVES,
    texts,
    two_audiences,
    two_audiences_by_wave,
)
from tests.messages import fails
from tests.results.samples import by_wave, counted, crosstab, row, stats

TABLE = counted(("Tea", "Coffee", "Milk"), ("Young", "Old", "All"), np.eye(3) * 90 + 100)
KINDS: dict[str, Callable[[], charts.Chart]] = {
    "bar": lambda: charts.bar(two_audiences()),
    "bar in panels": lambda: charts.bar(two_audiences_by_wave()),
    "bubble": lambda: charts.bubble(TABLE, "Young"),
    "correspondence": lambda: charts.correspondence(TABLE),
    "dots": lambda: charts.dots(two_audiences()),
    "heatmap": lambda: charts.heatmap(crosstab()),
    "overlap": lambda: charts.overlap(THREE),
    "profile": lambda: charts.profile(TABLE, "Young"),
    "stack": lambda: charts.stack(stats(row()), disjoint=True),
    "trend": lambda: charts.trend(by_wave(WAVES, missing="q2_2024")),
    "trend in panels": lambda: charts.trend(two_audiences_by_wave()),
    "weights": lambda: as_altair(weights_histogram(np.array([0.5, 1, 1.5]), "Weights", ["n = 3"])),
    "nothing": lambda: charts.bar(stats()),
}


@pytest.fixture(scope="module")
def turf() -> Iterator[Any]:
    with connect() as client:
        yield client.turf("Pets", 2, waves="latest 1")


@pytest.fixture(scope="module", params=[*KINDS, "reach", "turf"])
def chart(request: pytest.FixtureRequest) -> charts.Chart:
    kind: str = request.param
    if kind in KINDS:
        return KINDS[kind]()
    return getattr(request.getfixturevalue("turf").chart, kind)()


def theirs() -> alt.Chart:
    data = alt.Data(values=[{"name": "Theirs", "value": 1}])
    return alt.Chart(data).mark_text().encode(text="name:N", x="value:Q")


def shown(chart: Any) -> list[str]:
    """The texts of a chart of ours or of altair, as it is drawn."""
    spec = chart.to_dict()
    return sorted(texts(renderer.svg(drawable(spec))))


def test_is_a_chart_of_altair_with_the_specification_that_was_drawn(chart: charts.Chart) -> None:
    assert isinstance(chart, charts.Chart)
    assert isinstance(chart, alt.TopLevelMixin)
    assert chart.to_dict() == chart.drawn.spec == json.loads(chart.to_json())
    assert chart.to_dict()["description"] == chart.summary
    assert repr(chart) == f"<Chart: {chart.summary}>"
    assert chart.to_dict(format="vega")["$schema"].endswith("/vega/v6.json")


def test_is_combined_by_altair(chart: charts.Chart) -> None:
    expected = sorted([*shown(chart), *shown(theirs())])
    ours = chart | theirs(), chart & theirs()
    others = theirs() | chart, alt.vconcat(chart, theirs())
    apart = {"color": "independent", "shape": "independent"}
    assert shown(ours[1]) == shown(others[0].resolve_scale(**apart)) == expected
    for made in (*others, alt.concat(chart, theirs(), columns=1)):
        # altair checks each against the schema of Vega-Lite.
        spec = made.to_dict()
        assert spec["datasets"].keys() >= chart.to_dict()["datasets"].keys()
    for made, kind in zip(ours, (alt.HConcatChart, alt.VConcatChart), strict=True):
        assert isinstance(made, charts.Chart)
        assert isinstance(made, kind)
        assert made.to_dict()["config"] == chart.to_dict()["config"]
        assert made.summary == f"{chart.summary}; a chart of altair"


def test_is_changed_by_altair_and_stays_ours(chart: charts.Chart) -> None:
    before = copy.deepcopy(chart.to_dict())
    made = chart.properties(title="Mine").configure_title(fontSize=31).configure_title(color="red")
    made = made.resolve_scale(color="independent").transform_filter("true")
    spec = made.to_dict()
    assert isinstance(made, charts.Chart)
    assert spec["title"] == before["title"] | {"text": "Mine"}
    assert spec["config"] == before["config"] | {
        "title": before["config"]["title"] | {"color": "red"}
    }
    assert "Mine" in texts(made.svg())
    assert chart.to_dict() == before


def test_copies_are_the_same_chart(chart: charts.Chart) -> None:
    for made in (copy.copy(chart), copy.deepcopy(chart), pickle.loads(pickle.dumps(chart))):
        assert made.to_dict() == chart.to_dict()
        assert (type(made), repr(made)) == (type(chart), repr(chart))


def test_layers_channels_and_panels_are_those_of_altair(chart: charts.Chart) -> None:
    if not isinstance(chart, alt.LayerChart):
        for refused in (lambda: chart + theirs(), lambda: theirs() + chart):
            with pytest.raises(TypeError, match="charts cannot be layered"):
                refused()
        assert not hasattr(chart, "encode")
        return
    for made in (chart + theirs(), alt.layer(theirs(), chart), chart.encode(opacity=alt.value(1))):
        made.to_dict()
    assert isinstance(chart + theirs(), charts.Chart)
    assert "Theirs" in texts((chart + theirs()).svg())
    if chart.data is alt.Undefined:
        # Its layers have data of their own.
        return
    panels = chart.facet("line:N", columns=2, spacing=3)
    assert isinstance(panels, charts.Chart)
    assert isinstance(panels, alt.FacetChart)
    assert panels.to_dict()["title"] == chart.to_dict()["title"]


@pytest.mark.parametrize("kind", ["bar", "trend"])
def test_a_chart_that_moves_is_drawn_by_the_page_too(kind: str) -> None:
    usual = {"image/svg+xml", "image/png", "text/plain"}
    assert set(KINDS[kind]()._repr_mimebundle_()[0]) == usual
    moving, _ = KINDS[kind]().interactive()._repr_mimebundle_()
    assert set(moving) == usual | {"application/vnd.vegalite.v6+json"}


@pytest.mark.parametrize("name", ["bar", "bar by both", "trend of both", "heat map", "overlap"])
def test_in_a_combined_chart_the_style_is_on_marks_axes_and_titles(name: str) -> None:
    chart = CHARTS[name]("light")
    spec = alt.hconcat(chart).to_dict()
    kept = {each: chart.to_dict()["config"][each] for each in ("aria", "background", "padding")}
    [part] = spec["hconcat"]
    whole = {"datasets": spec["datasets"], "config": {"view": {}} | kept}
    alone = {"data": spec["data"]} if "data" in spec else {}
    # One in a row is the chart, but for the frame of the row.
    found = re.sub(r' role="img" aria-label="[^"]*"', "", chart.svg(), count=1)
    found = re.sub(r"<title>.*</metadata>", "", found, count=1)
    width = float(found.partition(' width="')[2].partition('"')[0])
    assert found == renderer.at_least_as_wide(renderer.svg(drawable(alone | part | whole)), width)


def test_three_charts_are_one_row() -> None:
    one, other = KINDS["bar in panels"](), KINDS["overlap"]()
    row = one | other | theirs()
    assert len(row.to_dict()["hconcat"]) == 3
    assert len((row & one & one).to_dict()["vconcat"]) == 3
    # An overlap is a grid of plots in altair, and still one chart of a row.
    assert len((other | one).to_dict()["hconcat"]) == 2
    assert row.summary == f"{one.summary}; {other.summary}; a chart of altair"
    assert row.configure_axis(labelFontSize=23).properties(title="All").to_dict()["title"] == "All"
    dark = charts.bar(two_audiences(), theme="dark")
    assert (dark | one).to_dict()["config"]["background"] == DARK.ground
    assert (one | dark).to_dict()["config"]["background"] == LIGHT.ground
    with pytest.raises(TypeError):
        _ = one | 3


def test_what_the_methods_change_is_drawn() -> None:
    chart = KINDS["heatmap"]()
    assert 'font-size="31px"' in chart.configure_title(fontSize=31).svg()
    wide = chart.properties(width=900, height=700).to_dict()
    assert (wide["width"], wide["height"]) == (900, 700)
    panels = chart.facet("row:N").properties(width=90).to_dict()
    assert panels["spec"]["width"] == 90
    chart.title = 3
    with pytest.raises(SchemaValidationError):
        chart.svg()


def test_a_theme_that_altair_enables_leaves_our_charts_as_they_are() -> None:
    before = KINDS["bar"]().to_dict()
    with alt.theme.enable("dark"):
        assert KINDS["bar"]().to_dict()["config"] == before["config"]
    assert alt.theme.active == "default"


def test_data_of_many_rows_are_drawn() -> None:
    data = pd.DataFrame({"x": range(5_001), "line": range(5_001)})
    part = {"mark": {"type": "tick"}, "encoding": {"x": {"field": "x", "type": "quantitative"}}}
    captions = Captions("Many", ["n = 5,001"], "ticks", 300)
    made = as_altair(drawn({"data": data, "layer": [part]}, LIGHT, captions))
    for each in (made, theirs() | made, made + theirs(), copy.deepcopy(made)):
        assert max(map(len, each.to_dict()["datasets"].values())) == 5_001


# -- files ----------------------------------------------------------------------------------------


def test_the_suffix_of_the_file_selects_the_format(tmp_path: Path) -> None:
    starts = {"svg": b"<svg", "png": b"\x89PNG", "json": b"{", "pdf": b"%PDF", "html": b"<!DOCTYPE"}
    made = KINDS["bar"]() | theirs()
    for suffix, start in starts.items():
        made.save(tmp_path / f"a.{suffix}")
        assert (tmp_path / f"a.{suffix}").read_bytes().startswith(start)
        file = io.BytesIO()
        made.save(file, suffix)
        assert file.getvalue().startswith(start)
    text = io.StringIO()
    made.save(text, "svg")
    assert text.getvalue() == made.svg()
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == made.to_dict()
    for unknown in ("a.gif", "a.pptx", "a"):
        with fails(ValueError):
            made.save(tmp_path / unknown)
    with fails(ValueError):
        made.save(io.BytesIO())


def test_a_page_needs_no_network_and_runs_no_label() -> None:
    page = charts.heatmap(crosstab((HOSTILE, "</script>"), (HOSTILE,))).to_html()
    # The scripts are the data, the libraries and the call; no label begins or ends one.
    before, record, data, libraries, call = re.split(r"<script[^>]*>", page)
    assert [part.count("</script>") for part in (record, data, libraries, call)] == [1, 1, 1, 1]
    assert not re.search(r"<(link|img|iframe)\b|<(?!svg)[^>]*\b(src|href)=", before)
    assert "</script>" not in before
    assert json.loads(data.partition("</script>")[0])["spec"]["title"]["text"]
    assert "alert(1)" in data
    assert not re.search(r"https?:", call)


# -- altair is loaded for charts alone ------------------------------------------------------------

WITHOUT_ALTAIR = """
import io, sys
import audiencelab as al

client = al.connect()
table = client.crosstab("Gender", "Age", waves="latest 1")
table._repr_mimebundle_() if hasattr(table, "_repr_mimebundle_") else table._repr_html_()
al.charts.bar, table.chart.bar
table.to_pptx(io.BytesIO(), chart="bar")
table.to_excel(io.BytesIO())
grid = al.Crosstab(client, "Gender", "Age", waves="latest 1")
grid.wait(60)
from audiencelab.widgets.crosstab.charts import draw
drawn = draw(grid.result, [0, 1], [0, 1, 2])
drawn.svg(), drawn.png()
from audiencelab.widgets.crosstab.chart_in_page import page_specification
page_specification(drawn)
import audiencelab.cli
"""


def test_widgets_slides_exports_and_the_command_line_load_no_altair() -> None:
    pytest.importorskip("pptx")
    code = f"{WITHOUT_ALTAIR}\nsys.exit('altair' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_word_of_older_versions_says_that_the_chart_is_one_of_altair() -> None:
    with fails(AttributeError):
        _ = KINDS["bar"]().altair  # pyright: ignore[reportAttributeAccessIssue]
    assert not hasattr(KINDS["bar"](), "_repr_png_")
