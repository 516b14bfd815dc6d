"""The JupyterLab extension: inserting code into cells, charts without network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Lab, notebook_7
from tests.browser.page import NotebookPage, resize
from tests.browser.picking import OpenPicker

SET_UP = "import audiencelab as al\nclient = al.connect()"
PICKER = "picker = al.QuestionPicker(client)\npicker"

SOURCES = """() => {
  const { model, activeCellIndex } = window.jupyterapp.shell.currentWidget.content;
  const cells = [...Array(model.cells.length).keys()].map((i) => model.cells.get(i));
  return {
    active: activeCellIndex,
    sources: cells.map((cell) => cell.sharedModel.getSource()),
    ran: cells.map((cell) => cell.executionCount ?? 0),
  };
}"""

INSERT = "Insert into a cell below (with Shift: run it)"


def cells(page: NotebookPage) -> dict:
    return page.page.evaluate(SOURCES)


def open_picker(lab: Lab, *below: str) -> OpenPicker:
    page = lab.run("extension", [SET_UP, PICKER, *below])
    return OpenPicker(page)


def test_a_picked_question_is_inserted_as_a_cell_below(lab: Lab) -> None:
    picker = open_picker(lab, "last = True")
    page = picker.page
    expect(picker.out.get_by_role("button", name=INSERT)).to_have_count(0)
    picker.tick("age 25", "25 to 34")
    picker.out.get_by_role("button", name=INSERT).click()
    page.page.wait_for_function("jupyterapp.shell.currentWidget.content.model.cells.length === 4")
    now = cells(page)
    assert now["sources"][3] == "last = True"
    assert now["active"] == 2
    assert now["ran"][2] == 0
    # The new cell has the keyboard: the notebook's own key runs it.
    page.page.keyboard.press("Shift+Enter")
    page.wait_idle()
    page.expect_python("picked == picker.value", True)
    page.screenshot("extension-inserted")


def test_with_shift_the_new_cell_runs_at_once(lab: Lab) -> None:
    picker = open_picker(lab)
    picker.tick("age 25", "25 to 34")
    picker.out.get_by_role("button", name=INSERT).click(modifiers=["Shift"])
    picker.page.expect_python("'picked' in globals() and picked == picker.value", True)


def test_an_audience_is_inserted_from_the_editor(lab: Lab) -> None:
    code = (
        "young = al.Q('q4').any('q4_2', 'q4_3') & ~al.Q('q2').any('q2_1')\n"
        "editor = al.AudienceEditor(client, value=young)\n"
        "editor"
    )
    page = lab.run("extension", [SET_UP, code])
    insert = page.cell_output(1).get_by_role("button", name=INSERT)
    insert.focus()
    page.page.keyboard.press("Shift+Enter")
    page.expect_python("'audience' in globals() and audience == editor.value", True)


def test_the_query_of_a_grid_is_inserted(lab: Lab) -> None:
    code = (
        "ages, genders = (client.catalogue.audiences(code) for code in ('q4', 'q2'))\n"
        "grid = al.Crosstab(client, rows={'Age': ages}, columns=genders)\n"
        "grid"
    )
    page = lab.run("extension", [SET_UP, code])
    page.cell_output(1).get_by_role("button", name="Send").click()
    into = page.cell_output(1).get_by_role("menuitem", name="Insert into the notebook")
    into.click(modifiers=["Shift"])
    page.page.wait_for_function("jupyterapp.shell.currentWidget.content.model.cells.length === 3")
    page.wait_idle()
    page.expect_python("table.to_frame().equals(grid.to_frame())", True)


def test_inserting_is_one_step_of_the_notebooks_undo(lab: Lab) -> None:
    picker = open_picker(lab)
    picker.tick("age 25", "25 to 34")
    picker.out.get_by_role("button", name=INSERT).click()
    expect(picker.page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(3)
    picker.page.command("notebook:undo-cell-action")
    expect(picker.page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


ALTAIR = """import altair as alt
import pandas as pd
alt.renderers.enable("audiencelab")
label = "<img src=x onerror=\\"document.title='owned'\\">"
data = pd.DataFrame({"name": ["one", "two", label], "share": [30, 50, 20]})
bars = alt.Chart(data, title="Shares").mark_bar().encode(
    x="share", y=alt.Y("name").sort(None), tooltip=["name", "share"]
)"""

# What compiles text to code from here on; a chart must get by without.
WATCH_EVALUATION = """() => {
  window.compiled = [];
  window.Function = new Proxy(Function, {
    apply: (target, self, given) => (window.compiled.push(given), target(...given)),
    construct: (target, given) => (window.compiled.push(given), new target(...given)),
  });
}"""


def chart(page: NotebookPage, cell: int) -> Locator:
    """The drawing in a cell's output, once it is there."""
    drawn = page.cell_output(cell).locator(".audiencelab-chart-plot")
    expect(drawn.locator("svg.marks, canvas.marks")).to_be_visible()
    return drawn


def expect_ground(drawn: Locator, colour: str) -> None:
    expect(drawn.locator("svg.marks")).to_have_css("background-color", colour)


def test_a_chart_renders_without_network_in_the_colours_of_the_page(lab: Lab) -> None:
    page = lab.open(lab.write("chart", [ALTAIR, "bars"]))
    fetched: list[str] = []
    page.page.on("request", lambda request: fetched.append(request.url))
    page.run_cell(0)
    assert not any("/static/draw." in address for address in fetched)
    page.page.evaluate(WATCH_EVALUATION)
    page.run_cell(1)
    drawn = chart(page, 1)
    expect(drawn.locator("[role=graphics-document]")).to_have_accessible_name("Shares")
    assert page.violations(".audiencelab-chart") == []
    assert any("/static/draw." in address for address in fetched)
    assert page.page.evaluate("window.compiled") == []
    expect_ground(drawn, "rgb(255, 255, 255)")
    page.screenshot("chart-light", of=drawn)
    page.theme("dark")
    expect_ground(chart(page, 1), "rgb(17, 17, 17)")
    expect(page.cell_output(1).locator(".audiencelab-chart-plot")).to_have_count(1)
    page.screenshot("chart-dark", of=chart(page, 1))


def test_labels_are_text_in_the_chart_and_in_its_tooltip(lab: Lab) -> None:
    page = lab.run("chart", [ALTAIR, "bars"])
    drawn = chart(page, 1)
    expect(drawn.locator("svg.marks")).to_contain_text("<img src=x")
    drawn.locator(".mark-rect path").nth(2).hover()
    tooltip = page.page.locator(".audiencelab-chart-tooltip")
    expect(tooltip.locator("td").first).to_have_text(page.python("label"))
    expect(tooltip.locator("img")).to_have_count(0)
    assert page.page.title() != "owned"
    page.screenshot("chart-tooltip")
    page.page.mouse.move(5, 5)
    expect(tooltip).to_have_count(0)


def test_a_chart_is_saved_by_keyboard(lab: Lab) -> None:
    page = lab.run("chart", [ALTAIR, "bars"])
    opener = chart(page, 1).get_by_label("Save this chart")
    opener.focus()
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Tab")
    with page.page.expect_download() as downloading:
        page.page.keyboard.press("Enter")
    assert downloading.value.suggested_filename == "Shares.svg"
    assert "<img" not in downloading.value.path().read_text(encoding="utf-8")
    expect(opener).to_be_focused()


def test_a_saved_chart_renders_again_without_a_kernel(lab: Lab) -> None:
    path = lab.write("chart", [ALTAIR, "bars"])
    page = lab.open(path)
    page.run_all()
    chart(page, 1)
    page.command("docmanager:save")
    nbformat.validate(nbformat.read(path, as_version=4))
    page.command("notebook:shutdown-kernel")
    again = lab.open(path)
    chart(again, 1)


def test_a_chart_reads_data_beside_the_notebook(lab: Lab) -> None:
    (lab.folder / "shares.csv").write_text("name,share\nhere,3\nthere,5\n", encoding="utf-8")
    beside = 'alt.Chart("shares.csv").mark_bar().encode(x="share:Q", y="name:N")'
    missing = 'alt.Chart("nowhere.csv").mark_bar().encode(x="share:Q", y="name:N")'
    page = lab.run("chart", [ALTAIR, beside, missing])
    expect(chart(page, 1).locator("svg.marks")).to_contain_text("there")
    expect(page.cell_output(2)).to_contain_text("Loading failed nowhere.csv")


def test_an_untrusted_chart_loads_nothing(lab: Lab) -> None:
    """It was saved by somebody else; it could read a file and tell it by a picture's address."""
    (lab.folder / "shares.csv").write_text("name,share\nhere,3\n", encoding="utf-8")
    spec = {
        "data": {"url": "shares.csv"},
        "mark": "bar",
        "encoding": {"x": {"field": "share", "type": "quantitative"}},
    }
    data = {"application/vnd.vegalite.v6+json": spec}
    path = lab.write("untrusted", ["1"])
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", data=data)]
    nbformat.write(notebook, path)
    page = lab.open(path)
    asked: list[str] = []
    page.page.on("request", lambda request: asked.append(request.url))
    expect(page.cell_output(0)).to_contain_text("only charts of a trusted notebook")
    assert not [url for url in asked if "shares.csv" in url]


def test_charts_of_altairs_own_renderer_are_rendered_too(lab: Lab) -> None:
    mimetype = 'alt.renderers.enable("mimetype")\nbars'
    canvas = 'alt.renderers.enable("audiencelab", embed_options={"renderer": "canvas"})\nbars'
    page = lab.run("chart", [ALTAIR, mimetype, canvas])
    expect(chart(page, 1).locator("svg.marks")).to_contain_text("one")
    expect(chart(page, 2).locator("canvas.marks")).to_be_visible()


def test_a_chart_that_fills_its_container_follows_its_width(lab: Lab) -> None:
    page = lab.run("chart", [ALTAIR, 'bars.properties(width="container")'])
    drawn = chart(page, 1).locator("svg.marks")
    wide = int(drawn.get_attribute("width") or 0)
    resize(page.page, 1000, 900)
    # The older drawing stays until the new one is there.
    page.becomes(lambda: 200 < int(drawn.get_attribute("width") or 0) < wide - 200, True)


@pytest.fixture
def classic(browser: Browser, tmp_path: Path) -> Iterator[NotebookPage]:
    """Notebook 7, open on a picker and a chart, and watched as JupyterLab is."""
    with notebook_7(browser, tmp_path, [SET_UP, PICKER, ALTAIR, "bars"]) as page:
        yield page


def test_it_works_in_notebook_7(classic: NotebookPage) -> None:
    classic.run_all()
    expect(chart(classic, 3).locator("svg.marks")).to_contain_text("two")
    picker = OpenPicker(classic)
    picker.tick("age 25", "25 to 34")
    picker.out.get_by_role("button", name=INSERT).click(modifiers=["Shift"])
    classic.expect_python("'picked' in globals() and picked == picker.value", True)
    classic.screenshot("extension-notebook7")
