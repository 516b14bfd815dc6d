"""From an empty JupyterLab to a table and its code by keyboard only.

Every stop is what somebody would do who cannot see where the next one is: press Tab until it is
there. Wherever the keyboard stops, a ring is drawn around it.
"""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.agency import Agency
from tests.browser.conftest import Lab
from tests.browser.page import KERNEL_IDLE, LOAD_MS, becomes

# More than Lab has from one end of its window to the other.
STOPS = 60
# Cells of the notebook that the launcher's first card makes.
PICKER, EDITOR, GRID = 3, 5, 7

RINGED = """(element) => {
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && !/, 0\\)$/.test(outlineColor);
}"""

ACTIVE_CELL = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"


class Keys:
    """A keyboard, and where it is."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.focused = page.locator(":focus")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def to(self, target: Locator, key: str = "Tab") -> None:
        """Press a key until the keyboard is there, where a ring must be seen."""
        expect(target).to_be_visible()
        for _ in range(STOPS):
            if target.evaluate("element => element === document.activeElement"):
                break
            self.press(key)
        expect(target).to_be_focused()
        becomes(self.page, lambda: target.evaluate(RINGED), True)

    def to_cell(self, index: int) -> None:
        """Walk the notebook's cells in command mode."""
        while (at := self.page.evaluate(ACTIVE_CELL)) != index:
            step = 1 if at < index else -1
            self.press("ArrowDown" if step > 0 else "ArrowUp")
            self.page.wait_for_function(f"at => ({ACTIVE_CELL})() === at", arg=at + step)

    def run_to(self, index: int) -> None:
        """Run from the cell that is marked to this one, which is marked afterwards."""
        while (at := self.page.evaluate(ACTIVE_CELL)) <= index:
            self.press("Shift+Enter")
            self.page.wait_for_function(f"at => ({ACTIVE_CELL})() !== at", arg=at)
        self.to_cell(index)


def test_from_the_launcher_to_the_code_of_a_table(lab: Lab) -> None:
    page = lab.open(lab.write("first", ["1"]))
    view = page.page
    keys = Keys(view)
    page.command("docmanager:save")
    # Where nothing is open, there is the launcher.
    keys.press("Alt+w")
    expect(view.locator(".jp-Notebook")).to_have_count(0)
    card = view.locator(".jp-LauncherCard").filter(has_text="Pick, build, compare")
    keys.to(card)
    keys.press("Enter")
    cells = view.locator(".jp-Notebook .jp-Cell")
    expect(cells).to_have_count(10)
    view.wait_for_function(KERNEL_IDLE, timeout=LOAD_MS)
    expect(page.cell(0)).to_be_focused()

    # Pick: a search, the question that is called so, and the first of its answers.
    keys.run_to(PICKER)
    picker = page.cell_output(PICKER)
    keys.to(picker.get_by_role("combobox"))
    view.keyboard.type("short video a day")
    active = picker.locator("[role=treeitem][data-active=true]")
    expect(picker.get_by_text("1 question")).to_be_visible()
    keys.press("Enter")
    expect(active).to_contain_text("Short video a day")
    expect(active).to_have_attribute("aria-expanded", "false")
    keys.press("ArrowRight")
    expect(active).to_have_attribute("aria-expanded", "true")
    keys.press("ArrowRight")
    expect(active).to_have_attribute("aria-level", "5")
    keys.press("Space")
    expect(active).to_have_attribute("aria-checked", "true")
    page.expect_python("len(picker.value)", 2)
    # Escape empties the search, and then gives the keyboard back to the notebook.
    keys.press("Escape", "Escape")
    expect(page.cell(PICKER)).to_be_focused()

    # Build: a condition under the root, by the key that the help names.
    keys.to_cell(EDITOR)
    keys.run_to(EDITOR)
    editor = page.cell_output(EDITOR)
    root = editor.get_by_role("row", name="everyone")
    keys.to(root)
    keys.press("+")
    dialog = editor.get_by_role("dialog")
    box = dialog.get_by_role("combobox")
    keys.to(box)
    view.keyboard.type("gender")
    expect(dialog.get_by_role("treeitem", name="Gender")).to_be_visible()
    keys.press("Enter", "ArrowRight", "ArrowDown", "ArrowDown")
    female = dialog.get_by_role("treeitem", name=re.compile("^Female"))
    expect(female).to_have_attribute("data-active", "true")
    keys.press("Space")
    expect(female).to_have_attribute("aria-checked", "true")
    keys.press("Control+Enter")
    expect(dialog).to_have_count(0)
    condition = editor.get_by_role("row", name="Gender is Female", level=2)
    keys.to(condition)
    page.expect_python("editor.to_code()", "al.Audience(client['Gender'].isin(['Female']))")
    keys.press("Escape")
    expect(page.cell(EDITOR)).to_be_focused()

    # Compare: into the table, to a cell, and that cell in full.
    keys.to_cell(GRID)
    keys.run_to(GRID)
    grid = page.cell_output(GRID)
    table = grid.get_by_role("grid")
    expect(table).to_have_attribute("aria-busy", "false")
    # A table is one stop; in it the arrows walk.
    keys.to(table.locator("[role=gridcell][tabindex='0']"))
    keys.press("ArrowDown", "ArrowRight")
    cell = table.locator(":focus")
    expect(cell).to_have_attribute("aria-colindex", "5")
    becomes(page.page, lambda: cell.evaluate(RINGED), True)
    keys.press("Enter")
    expect(grid.get_by_role("region")).to_be_visible()
    keys.press("Escape")
    expect(grid.get_by_role("region")).to_have_count(0)

    # Take: the table's code, into a cell below, from the menu before it.
    keys.to(grid.get_by_role("button", name="Send"), "Shift+Tab")
    keys.press("Enter")
    item = view.get_by_role("menuitem", name="Insert into the notebook")
    keys.to(item, "ArrowDown")
    keys.press("Enter")
    expect(cells).to_have_count(11)
    written = page.cell(GRID + 1)
    expect(written).to_contain_text("client.crosstab(")
    keys.to_cell(GRID + 1)
    keys.press("Shift+Enter")
    same = "table.values('sample').tolist() == grid.result.values('sample').tolist()"
    page.expect_python(same, True)


def test_from_a_file_to_a_deck(lab: Lab) -> None:
    Agency(600).write(lab.folder / "agency.sav")
    page = lab.open(lab.write("beside", ["1"]))
    view = page.page
    keys = Keys(view)
    page.command("filebrowser:refresh")
    page.command("filebrowser:activate")
    file = view.locator(".jp-DirListing-item").filter(has_text="agency.sav")
    # Its ring is JupyterLab's own.
    file.get_by_role("button").focus()
    keys.press("ArrowUp")
    expect(file).to_contain_class("jp-mod-selected")
    keys.press("Enter")
    tab = view.locator(".audiencelab-tab:visible")
    grid = tab.get_by_role("grid")
    expect(grid).to_have_attribute("aria-busy", "false")

    # The card: a weight, by the arrows of its choices.
    card = tab.get_by_role("region", name="About this survey")
    keys.to(card.get_by_role("radio", name=re.compile("^no weight")))
    keys.press("ArrowDown")
    expect(card).to_contain_text("weighted by weight")
    expect(grid).to_have_attribute("aria-busy", "false")

    assert page.violations(".audiencelab-tab") == []

    # Columns, the chart, and both into the deck.
    keys.to(tab.get_by_role("button", name="Add columns"))
    keys.press("Enter")
    panel = tab.get_by_role("dialog")
    keys.to(panel.get_by_role("combobox"))
    view.keyboard.type("bundesland")
    expect(panel.get_by_role("treeitem", name="Bundesland")).to_be_visible()
    keys.press("Enter", "Space", "Control+Enter")
    expect(panel).to_have_count(0)
    expect(grid).to_have_accessible_name(re.compile("and 20 columns"))
    add = tab.get_by_role("button", name="Add to deck")
    keys.to(add)
    keys.press("Enter")
    deck = tab.get_by_role("dialog", name="Deck")
    expect(deck.get_by_role("listitem")).to_have_count(1)
    keys.press("Escape")
    keys.to(tab.get_by_role("tab", name="Table"), "Shift+Tab")
    keys.press("ArrowRight")
    keys.to(add)
    keys.press("Enter")
    expect(deck.get_by_role("listitem")).to_have_count(2)
    save = deck.get_by_role("button", name="Save deck")
    keys.to(save)
    keys.press("Enter")
    expect(deck).to_contain_text("deck.pptx")
    assert (lab.folder / "deck.pptx").exists()
    assert page.violations(".al-deck-panel") == []
