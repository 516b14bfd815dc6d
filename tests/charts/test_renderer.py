"""altair's renderer `audiencelab`: the output that a notebook saves."""

import json
from collections.abc import Iterator
from typing import Any

import altair as alt
import nbformat
import pandas as pd
import pytest

from audiencelab.charts import renderer
from audiencelab.charts.renderer import MAX_LENGTH, at_least_as_wide, darkened
from audiencelab.charts.theme import DARK, LIGHT
from audiencelab.render.colours import legible
from tests.charts.samples import contrast

VEGA_LITE = "application/vnd.vegalite.v6+json"


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    with alt.renderers.enable("audiencelab"):
        yield


def bars(label: str = "one", lines: int = 2) -> alt.Chart:
    data = pd.DataFrame({"name": [f"{label} {i}" for i in range(lines)], "share": range(lines)})
    return alt.Chart(data).mark_bar().encode(x="share", y="name")


def bundle(chart: alt.Chart) -> dict[str, Any]:
    shown = chart._repr_mimebundle_()
    return shown[0] if isinstance(shown, tuple) else shown


def test_the_output_can_be_saved_in_a_notebook() -> None:
    output = nbformat.v4.new_output("display_data", bundle(bars()))
    cell = nbformat.v4.new_code_cell(outputs=[output])
    nbformat.validate(nbformat.v4.new_notebook(cells=[cell]))


def test_the_chart_has_an_image_for_other_front_ends() -> None:
    shown = bundle(bars("<b>hostile</b>"))
    assert shown[VEGA_LITE]["mark"]["type"] == "bar"
    assert shown["image/svg+xml"].startswith("<svg")
    assert "<b>" not in shown["image/svg+xml"]
    assert "text/plain" in shown


def test_the_image_can_be_omitted() -> None:
    with alt.renderers.enable("audiencelab", svg=False):
        assert set(bundle(bars())) == {VEGA_LITE, "text/plain"}


def test_in_a_browser_a_page_gets_null_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """As text: Pyodide would make it undefined, and the default title would be shown."""
    monkeypatch.setattr(renderer, "IN_BROWSER", True)
    untitled = bars().encode(x=alt.X("share", title=None))
    output = nbformat.v4.new_output("display_data", bundle(untitled))
    nbformat.validate(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[output])]))
    assert json.loads(output.data[VEGA_LITE])["encoding"]["x"]["title"] is None
    assert "image/svg+xml" not in output.data


def test_a_large_chart_is_not_saved_twice() -> None:
    assert "image/svg+xml" not in bundle(bars("a" * 200, lines=MAX_LENGTH // 200))


def test_displaying_a_chart_fetches_nothing() -> None:
    chart = alt.Chart("http://127.0.0.1:9/data.csv").mark_bar().encode(x="share:Q", y="name:N")
    assert set(bundle(chart)) == {VEGA_LITE, "text/plain"}


def test_embed_options_are_part_of_the_output() -> None:
    options = {"renderer": "canvas", "actions": False}
    with alt.renderers.enable("audiencelab", embed_options=options):
        _, metadata = bars()._repr_mimebundle_()
    assert metadata[VEGA_LITE] == {"embed_options": options}


def test_a_described_chart_says_what_it_shows() -> None:
    shown = bundle(bars().properties(description="two <bars>"))
    assert shown["text/plain"] == "<Chart: two <bars>>"
    assert '<svg role="img" aria-label="two &lt;bars&gt;" ' in shown["image/svg+xml"]


def test_names_in_the_colours_of_series_can_be_read_on_a_dark_page() -> None:
    light = [legible(each, LIGHT) for each in (*LIGHT.series, *LIGHT.steps)]
    dark = darkened({"values": light})["values"]
    assert min(contrast(each, DARK.ground) for each in dark) >= 4.5


def test_a_picture_is_made_wider_for_the_font_of_its_reader() -> None:
    drawn = '<svg width="60.5" height="40" viewBox="0 0 60.5 40"><rect width="60.5" height="40"/>'
    assert at_least_as_wide(drawn, 60) == drawn
    assert at_least_as_wide(drawn, 80) == drawn.replace("60.5", "80")
