"""The weight of a table, selected in its query bar in JupyterLab."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Lab

SETUP = """\
import numpy as np, pandas as pd, audiencelab as al
rng = np.random.default_rng(1)
frame = pd.DataFrame({
    "Gender": rng.choice(["Women", "Men"], 900),
    "Drink": rng.choice(["Tea", "Coffee", "Water", "Juice"], 900),
    "wgt_population": rng.uniform(0.3, 3, 900).round(4),
    "wgt_panel": rng.uniform(0.3, 3, 900).round(4),
})
client = al.open(frame, weight=["wgt_population", "wgt_panel"], quiet=True)
"""
BENCH = "bench = al.Workbench(client, 'Drink', 'Gender')\nbench"


def test_a_weight_is_chosen_in_the_bar_of_a_workbench(lab: Lab) -> None:
    page = lab.run("weight", [SETUP, BENCH])
    grid = page.cell_output(1).locator(".al-grid")
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    weight = grid.get_by_role("combobox", name="Weight", exact=True)
    expect(weight).to_have_value("wgt_population")

    weight.select_option("wgt_panel")
    page.expect_python("bench.grid.weight", "wgt_panel")
    table = "bench.grid.wait(60).result.to_frame()"
    by_weight = "client.crosstab('Drink', 'Gender', weight='wgt_panel').to_frame()"
    page.expect_python(f"bool({table}.equals({by_weight}))", True)
    expect(grid).to_contain_text("weight: wgt_panel")
    page.screenshot("weight-light")
    page.theme("dark")
    page.screenshot("weight-dark")
    assert page.violations() == []
    assert page.overhang() == []

    weight.focus()
    page.page.keyboard.press("ArrowDown")
    page.expect_python("bench.grid.weight", None)
    page.page.keyboard.press("Control+z")
    page.expect_python("bench.grid.weight", "wgt_panel")
    expect(weight).to_have_value("wgt_panel")
