"""Contrast of all elements in both themes, in every coloured state."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.contrast import too_pale
from tests.browser.editing import OpenEditor
from tests.browser.hosts import HOSTS, put_on, take_off
from tests.browser.page import NotebookPage
from tests.browser.picking import OpenPicker
from tests.browser.sidebar import OpenSidebar

SET_UP = "import audiencelab as al\nclient = al.connect()"
PICKER = "picker = al.QuestionPicker(client, [al.Q('q4').any('q4_2')])\npicker"
EDITOR = (
    "few = al.Q('q4').any('q4_1') & al.Q('s2').any('s2_49') & ~al.Q('q20').any('q20_1')\n"
    "editor = al.AudienceEditor(client, al.Audience('Few', few))\neditor"
)
GRID = (
    "apps = [client['q20'].any(e.code).named(e.name) for e in client['q20'].datapoints]\n"
    "grid = al.Crosstab(client, rows=apps,\n"
    "    columns=client.catalogue.audiences('q4'), metrics=['index', 'column_percentage'])\n"
    "grid"
)
SHADES = [f"is-{side}-{step}" for side in ("hot", "cold") for step in range(1, 13)]
MARKS = ("is-over", "is-under", "is-higher", "is-lower", "is-low is-selected", "lettered")

PAINTED = 36
"""Cells that are painted at once; fewer than the grid draws."""

# Every shade of the heat under everything that a cell may carry, a cell for each.
PAINT = """(looks) => {
  const cells = document.querySelectorAll(".al-grid-line-row [role=gridcell].al-grid-cell");
  looks.forEach((look, at) => {
    cells[at].className = `al-grid-cell ${look}`;
    cells[at].dataset.marks = look.endsWith("lettered") ? "aB" : "";
  });
}"""


@pytest.fixture
def page(lab: Lab) -> NotebookPage:
    """The three widgets below one another."""
    page = lab.run("contrast", [SET_UP, PICKER, EDITOR, GRID])
    expect(page.cell_output(3).get_by_role("grid")).to_have_attribute("aria-busy", "false")
    # Its figures are there; they are drawn a frame later.
    cells = page.cell_output(3).locator(".al-grid-line-row [role=gridcell].al-grid-cell")
    expect(cells.nth(PAINTED)).to_be_attached()
    return page


def test_everything_has_enough_contrast_with_its_background(page: NotebookPage) -> None:
    picker, editor = OpenPicker(page, 1), OpenEditor(page, 2)
    editor.settled()
    picker.box.fill("short video")
    picker.out.get_by_role("button", name="Details").click()
    picker.box.press("Enter")
    sidebar = OpenSidebar(page)
    expect(sidebar.row("About you")).to_be_visible()
    editor.row(2).click(modifiers=["Control"])
    for theme in ("light", "dark"):
        page.theme(theme)
        page.becomes(lambda: too_pale(page.page), [])
        # A row that is pointed at shows its commands.
        editor.row(1).hover()
        page.becomes(lambda: too_pale(page.page, ".al-editor"), [])

    page.theme("light")
    try:
        for host in HOSTS.values():
            put_on(page.page, host)
            editor.row(1).hover()
            page.becomes(page.violations, [])
    finally:
        take_off(page.page)


def test_whoever_asks_for_more_contrast_has_it(page: NotebookPage) -> None:
    page.page.emulate_media(contrast="more")
    for theme in ("light", "dark"):
        page.theme(theme)
        page.becomes(lambda: too_pale(page.page), [])
        page.becomes(lambda: too_pale(page.page, ".al-picker, .al-editor", read=7), [])


# The edges under tabs, and what they stand on.
TABS = """(tabs) => {
  const ground = document.createElement("div");
  ground.style.background = "Canvas";
  document.body.append(ground);
  const canvas = getComputedStyle(ground).backgroundColor;
  ground.remove();
  return tabs.map((tab) => getComputedStyle(tab).borderBottomColor !== canvas);
}"""


def test_everything_is_visible_in_forced_colours(page: NotebookPage) -> None:
    """High contrast as Windows has it: the page's own colours are gone."""
    tabs = OpenSidebar(page).out.get_by_role("tab")
    expect(tabs).to_have_count(3)
    for scheme in ("light", "dark"):
        page.page.emulate_media(forced_colors="active", color_scheme=scheme)
        page.becomes(lambda: too_pale(page.page), [])
        page.becomes(lambda: tabs.evaluate_all(TABS), [True, False, False])


def test_selections_are_visible_without_shadows_and_backgrounds(page: NotebookPage) -> None:
    grid = page.cell_output(3)
    cells = grid.locator(".al-grid-line-row > [role=gridcell]:not(.al-grid-frozen)")
    cells.first.click()
    page.page.keyboard.press("Shift+ArrowRight")
    expect(grid.locator(".is-selected")).to_have_count(1)
    page.page.emulate_media(forced_colors="active")
    for chosen in (".is-selected", ".is-current"):
        expect(grid.locator(chosen)).to_have_css("outline-style", "solid")
    page.page.keyboard.press("Control+f")
    grid.get_by_role("combobox", name="Find a row or column").fill("25")
    found = grid.get_by_role("listbox").get_by_role("option", selected=True)
    expect(found).to_have_css("outline-style", "solid")


def test_values_and_marks_are_legible_on_every_shade(page: NotebookPage) -> None:
    looks = [f"{shade} {marks}" for shade in SHADES for marks in MARKS]
    for theme in ("light", "dark"):
        page.theme(theme)
        for start in range(0, len(looks), PAINTED):
            page.page.evaluate(PAINT, looks[start : start + PAINTED])
            page.becomes(lambda: too_pale(page.page, ".al-grid-scroller"), [])
