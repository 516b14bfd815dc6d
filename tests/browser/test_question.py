"""Editing the query of a grid in JupyterLab: additions, recount, undo, and reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import AT_REST, sort_by
from tests.browser.test_grid import cell, open_grid

CELL = """\
grid = al.Crosstab(client, rows={"Gender": [women, men]}, columns={"Age": ages})
grid
"""


def names(side: str) -> str:
    return f"[line.name for line in grid.{side} or ()]"


def pick(grid: Locator, words: str, answer: str) -> None:
    """Find an answer in the panel that is open, and tick it."""
    grid.get_by_role("combobox", name="Search questions and answers").fill(words)
    grid.get_by_role("treeitem", name=re.compile(f"^{answer}")).first.locator(
        ".al-picker-box"
    ).click()


def test_rows_are_added_nested_undone_and_kept_over_a_reload(lab: Lab) -> None:
    page, grid = open_grid(lab, "question", CELL)
    grid.get_by_role("button", name="Add rows").click()
    pick(grid, "pets dog", "Dog")
    grid.get_by_role("dialog").get_by_role("button", name="Add 1 row").click()
    expect(grid.get_by_role("dialog")).to_have_count(0)
    page.expect_python(f"len({names('rows')})", 3)
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    expect(grid.get_by_role("rowheader", name="Dog")).to_be_visible()

    grid.get_by_role("button", name=re.compile("^Waves: latest 4")).click()
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


def test_bases_are_side_by_side_in_the_dark_theme(lab: Lab) -> None:
    page, grid = open_grid(lab, "question-bases", CELL)
    page.theme("dark")
    for answer in ("Female", "Male"):
        grid.get_by_role("button", name=re.compile("^Base:")).click()
        pick(grid, f"gender {answer.lower()}", answer)
        grid.get_by_role("dialog").get_by_role("button", name="Add as another base").click()
        expect(grid.get_by_role("dialog")).to_have_count(0)
    page.expect_python("len(grid.bases)", 3)
    page.expect_python("grid.wait().result.shape[1] == 3 * len(ages)", True)
    # Of women, women are no more than women.
    page.expect_python("round(float(grid.result.values('index')[0, len(ages)]))", 100)
    grid.get_by_role("button", name=re.compile("^Base:")).click()
    page.screenshot("question-bases-dark")
    assert page.violations() == []
    assert page.overhang() == []


def test_rows_and_columns_are_edited_from_their_menu(lab: Lab) -> None:
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

    choose("Gender", "Net of 2 rows")
    page.expect_python(names("rows"), ["Ladies", "Men", "Ladies or Men"])
    page.expect_python("bool(grid.wait().result.values('sample')[2, 0] > 0)", True)
    page.screenshot("question-net")

    expect(grid.get_by_role("rowheader", name="Ladies or Men")).to_be_visible()
    choose("Ladies or Men", "Remove row")
    page.expect_python(names("rows"), ["Ladies", "Men"])


def drag_over(grid: Locator, first: tuple[int, int], last: tuple[int, int]) -> None:
    """Select cells by dragging from one to the other, both by their ARIA indices."""
    mouse = grid.page.mouse
    for place, then in ((first, mouse.down), (last, mouse.up)):
        # A table that has just changed is drawn in the next frame.
        expect(cell(grid, *place)).to_be_visible()
        grid.page.wait_for_function(AT_REST)
        box = cell(grid, *place).bounding_box()
        assert box is not None
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        then()


@pytest.mark.parametrize("is_sorted", [False, True])
def test_a_net_of_selected_rows_is_added_from_a_menu(lab: Lab, is_sorted: bool) -> None:
    page, grid = open_grid(
        lab,
        "question-net-selected",
        """\
ways = client.catalogue.audiences("Finding brands")
grid = al.Crosstab(client, rows={"Finding brands": ways}, columns={"Age": ages})
grid
""",
    )
    if is_sorted:
        sort_by(cell(grid, 2, 4))
        page.expect_python("len(grid.arrangement.rows.sort)", 1)
    count = page.python("len(ways)")
    # Groups over rows and columns have rows of their own: the first row of cells is the fifth.
    drag_over(grid, (6, 5), (8, 5))
    name = cell(grid, 7, 1).inner_text()
    cell(grid, 7, 1).click(button="right")
    expect(grid.get_by_role("menuitem", name="Remove 3 rows")).to_be_visible()
    grid.get_by_role("menuitem", name="Net of 3 rows").click()
    page.expect_python(f"len({names('rows')})", count + 1)
    expect(grid.get_by_role("alert")).to_have_count(0)
    net = page.python(f"next(name for name in {names('rows')} if ' or ' in name)")
    assert net.count(" or ") == 2
    assert name in net

    # The net is named at once, where it is: below all rows that are sorted, so the first are not
    # in view.
    expect(grid.get_by_role("textbox", name="New name")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(grid.get_by_role("rowheader", name=net)).to_be_focused()
    page.page.keyboard.press("Control+Home")
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    drag_over(grid, (6, 5), (8, 5))
    cell(grid, 8, 1).click(button="right")
    grid.get_by_role("menuitem", name="Remove 3 rows").click()
    page.expect_python(f"len({names('rows')})", count - 2)

    # Another row's menu is about that row alone.
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    drag_over(grid, (6, 5), (7, 5))
    cell(grid, 9, 1).click(button="right")
    expect(grid.get_by_role("menuitem", name="Remove row")).to_be_visible()
    expect(grid.get_by_role("menuitem", name=re.compile("^Net of"))).to_have_count(0)


def test_rows_are_filtered_while_the_cursor_is_on_a_late_name(lab: Lab) -> None:
    page, grid = open_grid(
        lab,
        "question-filtered",
        """\
ways = client.catalogue.audiences("Finding brands")
grid = al.Crosstab(client, rows={"Finding brands": ways}, columns={"Age": ages})
grid
""",
    )
    highest = "grid.to_wide('index').max(axis=1).to_numpy()"
    late = page.python(f"[way.name for way, most in zip(ways, {highest}) if most < 160][-1]")
    header = grid.get_by_role("rowheader", name=late, exact=True)
    grid.get_by_role("gridcell").nth(20).click()
    page.page.keyboard.press("Control+End")
    header.click(button="right")
    page.page.keyboard.press("Escape")
    grid.get_by_role("button", name="Rows & columns", exact=True).click()
    panel = grid.get_by_role("dialog")
    panel.get_by_role("spinbutton", name="Value").fill("160")
    panel.get_by_role("button", name="Add filter", exact=True).click()
    page.expect_python("0 < len(grid.to_wide(arranged=True)) < len(ways) / 2", True)
    page.page.keyboard.press("Escape")
    expect(header).to_have_count(0)
    expect(grid.get_by_role("alert")).to_have_count(0)
    expect(grid.get_by_role("group", name="Cell details")).not_to_be_empty()


def test_neighbouring_bins_are_joined_and_dragged_questions_become_rows(lab: Lab) -> None:
    page, grid = open_grid(
        lab,
        "question-bins",
        """\
grid = al.Workbench(client, rows={"Gender": [women, men]}, columns={"Age": ages})
grid
""",
    )
    header = grid.get_by_role("columnheader")
    header.filter(has_text="18 to 24").click()
    header.filter(has_text="25 to 34").click(modifiers=["Shift"])
    grid.get_by_role("button", name="Join into 18 to 34").click()
    page.expect_python(f"'18 to 34' in {names('grid.columns')}", True)
    page.expect_python("'18 to 34' in grid.grid.to_code()", True)

    bench = page.cell_output(1).locator(".al-workbench")
    bench.get_by_role("tab", name="Questions").click()
    bench.get_by_role("combobox", name="Search questions and answers").fill("dog")
    dog = bench.get_by_role("treeitem", name=re.compile("^Dog")).first
    dog.drag_to(grid.get_by_role("button", name=re.compile("^Rows:")))
    page.expect_python(f"len({names('grid.rows')})", 3)
    page.screenshot("question-dragged")
