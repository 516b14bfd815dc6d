"""The question of a grid in a real JupyterLab: added to, counted anew, taken back, and kept."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.test_grid import open_grid

CELL = """\
grid = al.CrosstabGrid(client, rows={"Gender": [women, men]}, columns={"Age": ages})
grid
"""


def names(side: str) -> str:
    return f"[line.name for line in grid.{side} or ()]"


def pick(grid: Locator, words: str, answer: str) -> None:
    """Find an answer in the panel that is open, and tick it."""
    grid.get_by_role("combobox", name="Search questions and answers").fill(words)
    grid.get_by_role("treeitem", name=re.compile(f"^{answer}")).first.click()


def test_rows_are_added_nested_taken_back_and_kept_over_a_reload(lab: Lab) -> None:
    page, grid = open_grid(lab, "question", CELL)
    grid.get_by_role("button", name="Add rows").click()
    pick(grid, "loopa", "Loopa")
    grid.get_by_role("dialog").get_by_role("button", name="Add 1 row").click()
    expect(grid.get_by_role("dialog")).to_have_count(0)
    page.expect_python(f"len({names('rows')})", 3)
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    expect(grid.get_by_role("rowheader", name="Loopa")).to_be_visible()

    grid.get_by_role("button", name=re.compile("^Waves: last four")).click()
    dialog = grid.get_by_role("dialog")
    page.screenshot("question-waves")
    dialog.get_by_role("button", name="All").click()
    dialog.get_by_role("button", name="Apply").click()
    page.expect_python("len(grid.waves) == len(client.waves())", True)

    grid.get_by_role("button", name=re.compile("^Undo")).focus()
    page.page.keyboard.press("Control+z")
    page.expect_python("grid.waves", None)
    page.page.keyboard.press("Control+z")
    page.expect_python(names("rows"), ["Women", "Men"])
    expect(grid.get_by_role("button", name="Nothing to undo")).to_be_visible()

    page.command("docmanager:save")
    page.reload()
    grid = page.cell_output(1).locator(".al-grid")
    grid.get_by_role("button", name=re.compile("^Redo: rows")).click()
    page.expect_python(f"len({names('rows')})", 3)


def test_bases_stand_side_by_side_in_the_dark(lab: Lab) -> None:
    page, grid = open_grid(lab, "question-bases", CELL)
    page.theme("dark")
    for answer in ("Female", "Male"):
        grid.get_by_role("button", name=re.compile("^Base:")).click()
        pick(grid, f"gender {answer.lower()}", answer)
        grid.get_by_role("dialog").get_by_role("button", name="Add beside").click()
        expect(grid.get_by_role("dialog")).to_have_count(0)
    page.expect_python("len(grid.bases)", 3)
    page.expect_python("grid.wait().result.shape[1] == 3 * len(ages)", True)
    # Of women, women are no more than women.
    page.expect_python("round(float(grid.result.values('index')[0, len(ages)]))", 100)
    grid.get_by_role("button", name=re.compile("^Base:")).click()
    page.screenshot("question-bases-dark")
    assert page.violations() == []
    assert page.overhang() == []


def test_lines_are_edited_from_their_menu(lab: Lab) -> None:
    page, grid = open_grid(lab, "question-lines", CELL)
    keyboard = page.page.keyboard

    def choose(header: str, command: str) -> None:
        """Open the menu of a row's header, and walk to a command."""
        grid.get_by_role("rowheader", name=header).first.click(button="right")
        item = grid.get_by_role("menuitem", name=command)
        expect(item).to_be_visible()
        while not item.evaluate("(element) => element.matches(':focus')"):
            keyboard.press("ArrowDown")
        keyboard.press("Enter")

    choose("Women", "Rename")
    expect(grid.get_by_role("textbox", name="New name")).to_be_focused()
    keyboard.type("Ladies")
    keyboard.press("Enter")
    page.expect_python(names("rows"), ["Ladies", "Men"])
    expect(grid.get_by_role("rowheader", name="Ladies")).to_be_visible()
    expect(grid.locator(":focus")).to_have_count(1)

    choose("Gender", "Net of 2 lines")
    page.expect_python(names("rows"), ["Ladies", "Men", "Ladies or Men"])
    page.expect_python("bool(grid.wait().result.values('sample')[2, 0] > 0)", True)
    page.screenshot("question-net")

    expect(grid.get_by_role("rowheader", name="Ladies or Men")).to_be_visible()
    choose("Ladies or Men", "Remove from the question")
    page.expect_python(names("rows"), ["Ladies", "Men"])
