"""The marks of low bases in JupyterLab: beside the figures, and inside of their cells."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.page import resize
from tests.browser.test_grid import open_grid

FEW = """\
few = [
    al.Audience(f"{age.name}, other", age.expression & al.Q("q2").any("q2_3"))
    for age in ages[-2:]
]
grid = al.Crosstab(client, rows=few, columns=[women, *few], density=DENSITY)
grid
"""

# Right edge of the figure, left and right edge of its mark, and right edge of the cell.
EDGES = """(grid) => {
  const context = document.createElement("canvas").getContext("2d");
  const marked = [...grid.querySelectorAll(".is-low, .is-verylow")];
  return marked.filter((cell) => cell.checkVisibility()).map((cell) => {
    const figure = document.createRange();
    figure.selectNodeContents(cell);
    const style = getComputedStyle(cell, "::after");
    context.font = `${style.fontSize} ${style.fontFamily}`;
    context.letterSpacing = style.letterSpacing;
    const { right } = cell.getBoundingClientRect();
    const left = right - parseFloat(style.width);
    const mark = left + context.measureText(JSON.parse(style.content)).width;
    return [figure.getBoundingClientRect().right, left, mark, right];
  });
}"""

CUT = """(grid) => [...grid.querySelectorAll(".al-grid-margin")]
  .filter((cell) => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth)
  .map((cell) => cell.textContent)"""


def test_marks_of_low_bases_cover_no_digit_and_are_not_cut(lab: Lab) -> None:
    for density in ("comfortable", "compact"):
        page, grid = open_grid(lab, "grid-marks", FEW.replace("DENSITY", repr(density)))
        # Of another width, the table is measured again.
        for width in (1_300, 1_400):
            resize(page.page, width, 900)
            page.come_to_rest()
            table = grid.get_by_role("grid")
            expect(table.locator(".al-grid-sample.is-verylow").first).to_be_visible()
            edges = table.evaluate(EDGES)
            assert len(edges) >= 4
            for figure, left, mark, right in edges:
                assert figure <= left + 0.5
                assert mark <= right + 0.5
            assert table.evaluate(CUT) == []
        page.screenshot(f"grid-marks-{density}", of=grid)
