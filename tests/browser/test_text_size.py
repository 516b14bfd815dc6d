"""Text of every size that JupyterLab offers, changed while the widgets are on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage
from tests.browser.sidebar import OpenSidebar
from tests.browser.test_contrast import EDITOR, GRID, PICKER, SET_UP

WORKBENCH = "bench = al.Workbench(client)\nbench"
STATISTICS = (
    "means = al.Crosstab(client, rows=al.nest('q2', 'q20'), columns=al.nest('q4', 'q2'),\n"
    "    metrics=['column_percentage', 'sample', 'letters'])\nmeans"
)
TABLE = "bench = al.Workbench(client, 'Social apps: how often', 'Age')\nbench"
# More rows than are wrapped, whose names begin alike.
MANY = (
    "apps = client['q20']\n"
    "both = [apps.any(e.code).named(f'{apps.name} and what else is asked beside it: {e.name}')\n"
    "    for e in apps.datapoints]\n"
    "many = al.Crosstab(client, rows={f'Group {n}': both for n in range(80)},\n"
    "    columns=client.catalogue.audiences('q4'))\nmany"
)

# As View › Increase UI Font Size does.
RESIZE = "(size) => document.body.style.setProperty('--jp-ui-font-size1', size)"

# Text that what contains it cuts off: lines in height, figures in width too. Of a name that ends in
# an ellipsis, its tooltip has the rest.
CUT = r"""() => {
  const found = [];
  for (const element of document.querySelectorAll(".audiencelab *:not(.al-sr-only, .al-ruler)")) {
    const texts = [...element.childNodes].filter((node) => node.nodeType === 3);
    if (!texts.some((node) => node.data.trim())) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest("select, option")) continue;
    const isFigure = element.matches(".al-number, .al-grid-cell, .al-grid-margin, .al-grid-line");
    const size = Number.parseFloat(getComputedStyle(element).fontSize);
    const lines = texts.flatMap((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()];
    });
    for (let box = element; !box.matches(".audiencelab"); box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box);
      if (overflowY === "auto" || overflowY === "scroll") break;
      if (overflowX === "visible") continue;
      const room = box.getBoundingClientRect();
      for (const line of lines) {
        const middle = (line.top + line.bottom) / 2;
        const isLow = middle + size / 2 > room.bottom + 1 || middle - size / 2 < room.top - 1;
        const isWide = isFigure && (line.right > room.right + 1 || line.left < room.left - 1);
        if (isLow || isWide) found.push(`${element.className}: ${element.textContent}`);
      }
    }
  }
  return [...new Set(found)];
}"""

# Rows of the grid and of lists that lie over one another.
OVERLAPS = """() => {
  const tall = (lines) => lines.filter((line) => line.checkVisibility())
    .map((line) => line.getBoundingClientRect()).sort((a, b) => a.top - b.top);
  const groups = [...document.querySelectorAll(".al-grid-canvas, .al-list-space, .al-editor-tree")];
  return groups.flatMap((group) => {
    const rows = tall([...group.querySelectorAll(":scope > .al-grid-line-row, .al-list-row")]);
    return rows.slice(1).filter((row, i) => row.top < rows[i].bottom - 1).map((row) => row.top);
  });
}"""

# Rows of figures that are whole between the heads and the lower edge of their table.
WHOLE = """(grid) => {
  const top = grid.querySelector(".al-grid-base").getBoundingClientRect().bottom;
  const bottom = grid.getBoundingClientRect().top + grid.clientTop + grid.clientHeight;
  return [...grid.querySelectorAll(".al-grid-line-row:has(> .al-grid-cell)")]
    .filter((row) => row.checkVisibility()).map((row) => row.getBoundingClientRect())
    .filter((row) => row.top >= top - 1 && row.bottom <= bottom + 1).map((row) => row.top);
}"""


@pytest.fixture
def page(lab: Lab) -> NotebookPage:
    page = lab.run("sizes", [SET_UP, PICKER, EDITOR, GRID, STATISTICS, WORKBENCH])
    for cell in (3, 4, 5):
        grid = page.cell_output(cell).get_by_role("grid")
        expect(grid).to_have_attribute("aria-busy", "false")
    return page


def test_every_figure_and_header_is_whole_in_text_of_any_size(page: NotebookPage) -> None:
    sidebar = OpenSidebar(page)
    expect(sidebar.row("About you")).to_be_visible()
    row = page.cell_output(3).locator(".al-grid-line-row [role=gridcell]").first
    heights: list[float] = []
    for size in (13, 11, 16, 20):
        page.page.evaluate(RESIZE, f"{size}px")
        page.becomes(lambda: page.page.evaluate(CUT), [], seconds=4)
        page.becomes(lambda: page.page.evaluate(OVERLAPS), [])
        box = row.bounding_box()
        assert box is not None
        heights.append(box["height"])
    page.page.evaluate(RESIZE, "")
    page.becomes(lambda: row.bounding_box()["height"], heights[0])  # pyright: ignore
    usual, small, large, largest = heights
    assert small < usual < large < largest


def test_large_text_leaves_rows_in_a_workbench_and_ends_of_names(lab: Lab) -> None:
    page = lab.run("large", [SET_UP, TABLE, MANY])
    for cell in (1, 2):
        grid = page.cell_output(cell).get_by_role("grid")
        expect(grid).to_have_attribute("aria-busy", "false")
        expect(grid.locator(".al-grid-line-row .al-grid-cell").first).to_be_attached()
    page.page.evaluate(RESIZE, "20px")
    page.becomes(lambda: len(page.cell_output(1).get_by_role("grid").evaluate(WHOLE)) >= 3, True)
    names = page.cell_output(2).get_by_role("grid").locator(".al-grid-line-row .al-grid-name")
    expect(names.first).to_contain_text("…")
    cut = set(names.evaluate_all("(names) => names.map((name) => name.textContent)"))
    assert len(cut) == len(
        set(names.evaluate_all("(names) => names.map((name) => name.ariaLabel)"))
    )
    assert page.page.evaluate(CUT) == []
