"""A data file in JupyterLab: the tab that shows how it is opened."""

from __future__ import annotations

import pandas as pd
import pyreadstat
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.test_workbench_tab import EMPTY, customers


def test_a_data_file_shows_how_to_open_it(lab: Lab) -> None:
    folder = customers(lab.folder).parent
    pyreadstat.write_sav(pd.read_csv(folder / "kunden.csv"), folder / "kunden.sav")
    page = lab.open(lab.write("beside-file", [EMPTY]))
    page.command("docmanager:open", path="data/kunden.sav")
    tab = page.page.locator(".audiencelab-file:visible")
    expect(tab.locator("pre")).to_have_text(
        'import audiencelab as al\n\nclient = al.open("kunden.sav")'
    )
    for theme in ("light", "dark"):
        page.theme(theme)
        page.screenshot(f"data-file-{theme}")
    assert page.violations(".audiencelab-file") == []
    tab.get_by_role("button", name="Copy the code").click()
    expect(tab.get_by_role("button", name="Copied")).to_be_visible()
    tab.get_by_role("button", name="Open in a new notebook").click()
    expect(page.page.locator(".jp-Notebook:visible")).to_contain_text(
        'client = al.open("kunden.sav")'.replace('"', "'")
    )
    (notebook,) = folder.glob("*.ipynb")
    assert notebook.name == "Crosstab of a question.ipynb"


def test_a_table_of_text_stays_with_the_viewer_of_jupyterlab(lab: Lab) -> None:
    customers(lab.folder)
    page = lab.open(lab.write("beside-csv", [EMPTY]))
    page.command("docmanager:open", path="data/kunden.csv")
    expect(page.page.locator(".jp-CSVViewer:visible")).to_be_visible()
    page.command("docmanager:open", path="data/kunden.csv", factory="audiencelab-data-file")
    expect(page.page.locator(".audiencelab-file:visible")).to_contain_text("kunden.csv")
