"""Charts with a selection in JupyterLab, without network except loopback."""

from __future__ import annotations

import json
import re

import nbformat
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage

SETUP = """\
import audiencelab as al
client = al.connect()
young = al.Audience("18 to 34", al.Q("q4").any("q4_2", "q4_3"))
result = client.stats("q17", audiences=[young])
told = []
"""
BARS = """\
picker = al.charts.bar(result).selectable()
picker.on_select(lambda lines: told.append(lines["datapoint"].tolist()))
picker
"""
CODES = "picker.selected['datapoint'].tolist()"


def open_chart(lab: Lab, name: str, *cells: str) -> tuple[NotebookPage, Locator]:
    """A notebook, run, whose second cell shows a chart to select in; the picture once drawn."""
    page = lab.run(name, [SETUP, *cells])
    drawn = page.cell_output(1).locator(".vega-embed svg.marks")
    expect(drawn).to_be_visible(timeout=120_000)
    return page, drawn


def marks(drawn: Locator) -> Locator:
    """The marks of the first layer that selects, in the order of the data."""
    return drawn.locator("g.picked_in_0_marks path")


def test_clicks_select_rows_of_the_result_s_frame(lab: Lab) -> None:
    page, drawn = open_chart(lab, "chart-selection", BARS)
    bars = marks(drawn)
    answers = page.python("result.to_frame()['datapoint'].tolist()")
    expect(bars).to_have_count(len(answers))
    assert page.python(CODES) == []

    bars.nth(1).click()
    page.expect_python(CODES, [answers[1]])
    expect(bars.nth(0)).to_have_css("opacity", "0.25")
    expect(bars.nth(1)).to_have_css("opacity", "1")
    page.screenshot("selection-bar")
    bars.nth(3).click()
    page.expect_python(CODES, [answers[3]])
    bars.nth(0).click(modifiers=["Shift"])
    page.expect_python(CODES, [answers[0], answers[3]])
    bars.nth(3).click(modifiers=["Shift"])
    page.expect_python(CODES, [answers[0]])

    drawn.dblclick(position={"x": 5, "y": 5})
    page.expect_python(CODES, [])
    expect(bars.nth(3)).to_have_css("opacity", "1")
    page.expect_python(
        "told", [[answers[1]], [answers[3]], [answers[0], answers[3]], [answers[0]], []]
    )


FED = """\
from IPython.display import display

def over_time(answers):
    stats = client.stats("q17", datapoints=answers, splitter="waves", audiences=[young])
    return al.charts.trend(stats)

shown = display(over_time(["q17_1"]), display_id=True)
picker.on_select(lambda lines: shown.update(over_time(lines["datapoint"].tolist() or ["q17_1"])))
"""


def test_a_selection_feeds_another_chart_and_vega_is_not_saved(lab: Lab) -> None:
    page, drawn = open_chart(lab, "chart-selection", BARS, FED)
    # JupyterLab shows SVG as an image, whose address holds the text of it.
    below = page.cell_output(2).locator("img")
    name = re.compile(page.python("str(result.to_frame()['datapoint_label'][2])"))
    expect(below).not_to_have_attribute("src", name)
    marks(drawn).nth(2).click()
    expect(below).to_have_attribute("src", name)
    page.screenshot("selection-feeds")

    page.command("docmanager:save")
    saved = nbformat.read(lab.folder / "chart-selection.ipynb", as_version=4)
    outputs = [output for cell in saved.cells for output in cell.outputs if "data" in output]
    assert outputs[0].data["image/svg+xml"].startswith("<svg")
    for output in outputs:
        assert len(output.data.pop("image/png", "")) < 60_000
    assert "widgets" not in saved.metadata, "Vega would be saved with every chart"
    assert len(json.dumps(saved)) < 60_000
