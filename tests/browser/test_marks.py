"""Arrows and letters of a grid in JupyterLab are those of the tests in Python."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage
from tests.widgets.crosstab.designed import build

GRID = """\
import audiencelab as al
client = al.open({folder!r})
rows, columns = (
    [answer for at in some for answer in client.catalogue.audiences(f"Q{{at}}")]
    for some in ((0, *range(13, 32)), (1, 2))
)
grid = al.Crosstab(client, rows, columns)
grid
"""

# The marks of the cells that are drawn, by ARIA indices.
DRAWN = """(grid) => [...grid.querySelectorAll('[role="row"]')]
  .filter((row) => row.checkVisibility())
  .flatMap((row) => [...row.querySelectorAll(".al-grid-cell")]
    .filter((cell) => cell.checkVisibility())
    .map((cell) => [
      Number(row.getAttribute("aria-rowindex")),
      Number(cell.getAttribute("aria-colindex")),
      MARK,
    ]))"""
ARROW = """cell.matches(".is-higher") ? "▲" : cell.matches(".is-lower") ? "▼" : \"\""""
LETTERS = 'cell.dataset.letters ?? ""'


def test_marks_on_screen_are_those_of_the_tests(lab: Lab, tmp_path: Path) -> None:
    page = lab.run("marks", [GRID.format(folder=str(build(tmp_path / "designed")))])
    grid = page.cell_output(0).locator(".al-grid")
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false", timeout=120_000)
    expect(grid.locator(".al-grid-cell.is-higher").first).to_be_visible()
    same_as(page, grid, ARROW, "grid.result.test('rest', levels=0.95)")
    page.screenshot("marks", of=grid)
    page.theme("dark")
    page.screenshot("marks-dark", of=grid)
    # Far below, the cells are tested once scrolling pauses.
    grid.get_by_role("grid").evaluate("(table) => table.scrollTo(0, 1600)")
    expect(grid.locator('[role="row"][aria-rowindex="80"]')).to_be_visible()
    page.come_to_rest()
    same_as(page, grid, ARROW, "grid.result.test('rest', levels=0.95)")
    page.python("setattr(grid, 'significance', 'letters')")
    expect(grid.locator('.al-grid-cell[data-letters]:not([data-letters=""])').first).to_be_visible()
    same_as(page, grid, LETTERS, "grid.result.test()")


def same_as(page: NotebookPage, grid: Locator, mark: str, test: str) -> None:
    """Every visible cell has the mark of a test in Python."""
    whole = page.python(f"{test}.marks().tolist()")

    def others() -> list[list[object]]:
        # Cells that are not drawn yet are read again.
        shown = [each for each in grid.evaluate(DRAWN.replace("MARK", mark)) if each[0] > 2]
        assert len(shown) > 50
        # The first cell of the table is 3, 4.
        return [
            [row, at, drawn]
            for row, at, drawn in shown
            if drawn != whole[row - 3][at - 4].replace(" ", "")
        ]

    page.becomes(others, [])
