"""Who counts in a table, chosen in its Base panel in JupyterLab."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Lab

SETUP = """\
import pandas as pd, audiencelab as al
frame = pd.DataFrame({
    "Gender": ["Women", "Men"] * 200,
    "Sector": (["Public", "Private", "Private", None] * 100),
    "Drink": ["Tea", "Coffee", "Coffee", "Water"] * 100,
})
client = al.open(frame, quiet=True)
"""
BENCH = "bench = al.Workbench(client, ['Sector', 'Drink'], 'Gender', base_of='everyone')\nbench"


def test_who_counts_is_chosen_by_keyboard_and_said_beside_the_table(lab: Lab) -> None:
    page = lab.run("who-counts", [SETUP, BENCH])
    grid = page.cell_output(1).locator(".al-grid")
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    expect(grid.locator(".al-grid-notes").first).to_contain_text("Base: all respondents")

    grid.get_by_role("button", name="Base: All respondents. Change").press("Enter")
    panel = grid.get_by_role("dialog", name="Base")
    choice = panel.get_by_role("button", name="Those who answered")
    expect(choice).to_have_attribute("aria-pressed", "false")
    choice.press("Enter")
    page.expect_python("bench.grid.base_of", "valid")
    expect(panel).to_contain_text("with an answer to the questions of its row and its column")
    page.screenshot("who-counts-light")
    page.page.keyboard.press("Escape")

    expect(grid.locator(".al-grid-notes").first).to_contain_text("those who answered, by question")
    expect(grid.get_by_role("gridcell", name="100 of 300", exact=True)).to_be_visible()
    expect(grid.get_by_role("button", name="Base: Those who answered. Change")).to_be_visible()
    table = "bench.grid.wait(60).result.to_frame()"
    counted = "client.crosstab(['Sector', 'Drink'], 'Gender', base_of='valid').to_frame()"
    page.expect_python(f"bool({table}.equals({counted}))", True)
    page.theme("dark")
    page.screenshot("who-counts-dark")
    assert page.violations() == []
    assert page.overhang() == []

    grid.get_by_role("button", name="Undo: base").click()
    page.expect_python("bench.grid.base_of", "everyone")
    expect(grid.locator(".al-grid-notes").first).to_contain_text("Base: all respondents")
