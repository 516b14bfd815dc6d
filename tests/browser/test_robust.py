"""The widgets under difficult conditions: malicious labels, narrow width, a lost kernel."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.hostile import LABELS, hostile_survey
from tests.browser.page import NotebookPage, resize

EDITOR = (
    "editor = al.AudienceEditor(client, value=al.Q('hard').any('a0', 'a3')"
    " & ~al.Q('long').any('a2', 'a5', 'a7'))\neditor"
)
GRID = (
    "grid = al.Crosstab(client, rows=client.catalogue.audiences('hard'),\n"
    "    columns=client.catalogue.audiences('long'))\ngrid"
)
STATIC = """\
from IPython.display import HTML
HTML("".join(w._repr_mimebundle_()[0]["text/html"] for w in (picker, editor, grid)))
"""


@pytest.fixture
def hostile(lab: Lab, tmp_path: Path) -> NotebookPage:
    """All three widgets, and their static forms, on a survey with labels at their worst."""
    survey = hostile_survey(tmp_path / "survey")
    setup = f"import audiencelab as al\nclient = al.connect(survey={str(survey.path)!r})"
    cells = [setup, "picker = al.QuestionPicker(client)\npicker", EDITOR, GRID, STATIC]
    page = lab.run("hostile", cells)
    expect(grid_of(page, 3)).to_have_attribute("aria-busy", "false")
    return page


def grid_of(page: NotebookPage, cell: int) -> Locator:
    return page.cell_output(cell).get_by_role("grid")


def test_malicious_labels_are_text_and_do_not_break_the_layout(hostile: NotebookPage) -> None:
    page = hostile
    grid = grid_of(page, 3)
    grid.get_by_role("gridcell").filter(has_text=re.compile(r"\d\.\d")).nth(20).click()
    expect(page.cell_output(1).get_by_role("treeitem").first).to_be_visible()
    expect(page.cell_output(2).locator("pre")).to_contain_text("client[")
    page.screenshot("hostile-labels", of=page.cell_output(3))
    for cell in (2, 3, 4):
        expect(page.cell_output(cell)).to_contain_text(LABELS[0])
        assert page.cell_output(cell).locator("img, script").count() == 0
    assert "owned" not in page.page.title()
    assert page.overhang() == []
    # A sentence of thirty kilobytes is scrolled, not paged through.
    height = page.cell_output(2).evaluate("output => output.offsetHeight")
    assert height < 1200
    assert page.violations() == []


def test_any_width_works(lab: Lab) -> None:
    setup = (
        "import audiencelab as al\nclient = al.connect()\nages = client.catalogue.audiences('q4')\n"
        "apps = [client['q20'].any(e.code).named(e.name) for e in client['q20'].datapoints]"
    )
    editor = "al.AudienceEditor(client, value=al.Q('q2').any('q2_1') & ~al.Q('q4').any('q4_2'))"
    grid = "al.Crosstab(client, rows=apps, columns=ages)"
    page = lab.run("narrow", [setup, "al.QuestionPicker(client)", editor, grid])
    page.command("application:toggle-left-area")
    expect(page.cell_output(2).locator("pre")).to_contain_text("client['Gender']")
    for width in (1800, 400):
        resize(page.page, width, 900)
        first = first_cell(page, 3)
        first.focus()
        page.page.keyboard.press("ArrowRight")
        page.page.keyboard.press("ArrowLeft")
        expect(first).to_be_focused()
        page.screenshot(f"width-{width}")
        assert page.overhang() == []
        expect(first).to_be_focused()
        # The cell is seen whole: right of the names that stay, and left of the edge.
        page.becomes(partial(seen_whole, first, grid_of(page, 3)), [True, True])


def seen_whole(cell: Locator, grid: Locator) -> list[bool]:
    """Whether a cell of the first row begins after the names and ends before the edge."""
    start, end = edges(cell)
    row = grid.locator('[role="row"][aria-rowindex="3"]')
    names_end = edges(row.locator('[aria-colindex="1"]'))[1]
    return [names_end <= start + 1, end <= edges(grid)[1] + 1]


def edges(of: Locator) -> tuple[float, float]:
    """Where an element begins and ends, from left to right, in pixels."""
    box = of.bounding_box()
    assert box is not None
    return box["x"], box["x"] + box["width"]


SMALL = (
    "import audiencelab as al\nclient = al.connect()\n"
    "apps = [client['q20'].any(e.code).named(e.name) for e in client['q20'].datapoints]\n"
    "grid = al.Crosstab(client, rows=apps,\n"
    "    columns=client.catalogue.audiences('q4'))\ngrid"
)


def first_cell(page: NotebookPage, cell: int = 0) -> Locator:
    row = grid_of(page, cell).locator('[role="row"][aria-rowindex="3"]')
    return row.locator('[aria-colindex="4"]')


def test_a_grid_survives_a_reload_and_reports_a_lost_kernel(lab: Lab) -> None:
    notebook = lab.write("grid-again", [SMALL])
    page = lab.open(notebook)
    page.run_all()
    expect(first_cell(page)).to_have_text(re.compile(r"\d"))
    shown = first_cell(page).inner_text()
    page.command("docmanager:save")

    # A second page on the same notebook, and this one loaded anew: both are live.
    page.reload()
    other = lab.open(notebook)
    for view in (page, other):
        expect(first_cell(view)).to_have_text(shown)
    grid = page.cell_output(0)
    grid.get_by_role("radio", name="Count (n)", exact=True).click()
    page.expect_python("grid.metric", "sample")
    sample = format(page.python("int(grid.result.values('sample')[0, 0])"), ",")
    for view in (page, other):
        expect(first_cell(view)).to_contain_text(sample)
    other.page.close()

    page.restart_kernel()
    expect(grid).to_contain_text("The kernel was restarted")
    expect(grid.get_by_role("alert")).to_have_count(0)
    grid.get_by_role("radio", name="Column %", exact=True).click()
    expect(first_cell(page)).to_have_text(shown)
    page.command("docmanager:save")

    # Once reloaded, JupyterLab finds no model. What it saved has the table for other readers.
    [cell] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert shown in "".join(cell["outputs"][0]["data"]["text/html"])


def test_a_grid_in_a_hidden_tab(lab: Lab) -> None:
    page = lab.run("grid-hidden", [SMALL])
    expect(first_cell(page)).to_have_text(re.compile(r"\d"))
    page.command("launcher:create")
    expect(grid_of(page, 0)).not_to_be_visible()
    resize(page.page, 1000, 700)
    page.command("application:activate-next-tab")
    expect(first_cell(page)).to_have_text(re.compile(r"\d"))
    page.come_to_rest()
    (start, end), (cell, _) = edges(grid_of(page, 0)), edges(first_cell(page))
    assert start < cell < end < 1000
