"""The metrics of a grid in JupyterLab: selection, reload, and their value in Python."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.test_grid import cell, open_grid

GRID = """\
sites = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]
grid = al.Crosstab(client, rows=sites, columns=[women, men, *ages],
                   metric="index", decimals=2)
grid
"""


def test_metrics_are_chosen_by_keyboard_and_kept_over_a_reload(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid-figures", GRID)
    keyboard = page.page.keyboard
    grid.get_by_role("button", name="Display", exact=True).focus()
    keyboard.press("Enter")
    menu = page.page.get_by_role("dialog", name="Metrics, heat map")
    menu.get_by_role("checkbox", name="z-score").focus()
    keyboard.press("Space")
    expect(menu.get_by_role("checkbox", name="z-score")).to_be_checked()
    menu.get_by_role("checkbox", name="Difference").focus()
    keyboard.press("Space")
    keyboard.press("Alt+ArrowUp")
    menu.get_by_label("Heat map").select_option("z")
    menu.get_by_label("Significance").select_option("letters")
    menu.get_by_label("Confidence level").select_option("0.99")
    menu.get_by_label("Density").select_option("compact")
    page.expect_python(
        "[grid.significance, grid.level, grid.density]", ["letters", 0.99, "compact"]
    )
    page.expect_python("list(grid.metrics)", ["index", "difference", "z"])
    page.expect_python("grid.heat", "z")
    assert page.violations() == []
    page.screenshot("grid-figures-menu")
    keyboard.press("Escape")
    expect(grid.get_by_role("button", name="Display", exact=True)).to_be_focused()
    assert page.violations() == []

    first = page.python(
        "[f'{grid.to_wide(m).iloc[0, 0]:.2f}' for m in ('index', 'difference')]"
        " + [f'{grid.to_wide(\"z\").iloc[0, 0]:.2f}']"
    )
    signed = [f"+{each}" if each[0] != "-" else each.replace("-", "−") for each in first[1:]]
    expected = [first[0], *signed]
    expect(cell(grid, 3, 4)).to_have_text("\n".join(expected), use_inner_text=True)
    expect(cell(grid, 1, 4)).to_have_accessible_name("A · Women")
    page.screenshot("grid-figures", of=grid)
    page.theme("dark")
    page.screenshot("grid-figures-dark", of=grid)

    page.command("docmanager:save")
    page.reload()
    again = page.cell_output(1).locator(".al-grid")
    expect(cell(again, 3, 4)).to_have_text("\n".join(expected), use_inner_text=True)
    page.python("setattr(grid, 'metrics', ['sample']) or 1")
    expect(cell(again, 1, 1)).to_have_text("Social apps: how often Count (n)")
