"""A data file in JupyterLab: opened by mouse, stopped, refused, saved, and opened again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pyreadstat
from playwright.sync_api import Locator, expect

from audiencelab.survey import demo_survey
from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage
from tests.browser.test_workbench_tab import CUSTOMERS, EMPTY, RESTART, Tab, customers

SLOW = """
import time
from audiencelab.ingest import opening
from audiencelab.ingest.columns import watching

def slow(*_, made=opening.import_survey, **options):
    opening.import_survey = made
    progress = watching()
    progress.rows = 1_000_000
    progress.start("kunden.sav", 100)
    time.sleep(0.2)
    progress.at(25)
    time.sleep(60)

opening.import_survey = slow
"""
"""The first import stays at a quarter of a million rows."""

BEGIN = """async (code) => {
  const started = { path: "data/kunden.sav", name: "kunden.sav", type: "file" };
  const { sessions } = window.jupyterapp.serviceManager;
  const session = await sessions.startNew({ ...started, kernel: { name: "python3" } });
  await session.kernel.requestExecute({ code }).done;
  session.dispose();
}"""
"""Starts the kernel that the tab of a file finds, and runs code in it."""

DROP = """async ([place, name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const target = document.querySelector(place);
  for (const type of ["dragenter", "dragover", "drop"])
    target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
}"""
"""Drops a file of the desktop."""


def files(lab: Lab) -> Path:
    folder = customers(lab.folder).parent
    pyreadstat.write_sav(pd.read_csv(folder / "kunden.csv"), folder / "kunden.sav")
    return folder


def begin(lab: Lab, name: str) -> NotebookPage:
    page = lab.open(lab.write(name, [EMPTY]))
    page.page.evaluate("window.jupyterapp.shell.expandLeft()")
    page.command("filebrowser:open-path", path="data")
    return page


def item(page: NotebookPage, name: str) -> Locator:
    return page.page.locator(".jp-DirListing-item").filter(has_text=name)


def grid(page: NotebookPage) -> Locator:
    return page.page.locator(".audiencelab-tab:visible").get_by_role("grid")


def test_a_double_click_shows_a_first_table_and_saving_goes_on_in_a_document(lab: Lab) -> None:
    folder = files(lab)
    page = begin(lab, "double-click")
    item(page, "kunden.sav").dblclick()
    expect(grid(page)).to_contain_text("Frau")
    assert [each.name for each in folder.glob("*.json")] == []
    Tab(page).box.evaluate("box => box.setAttribute('data-first-kernel', '')")
    page.page.keyboard.press("Control+s")
    title = page.page.locator(".lm-TabBar-tab.lm-mod-current .lm-TabBar-tabLabel")
    tab = page.page.locator(".audiencelab-tab:visible")
    expect(tab.locator("[data-first-kernel]")).to_have_count(0)
    expect(title.filter(has_text="kunden.audiencelab.json")).to_be_visible()
    expect(grid(page)).to_contain_text("Frau")
    expect(page.page.get_by_title("Path: data/kunden.sav")).to_have_count(0)
    document = json.loads((folder / "kunden.audiencelab.json").read_text())
    assert document["connect"] == "al.open('kunden.sav')"
    # The same kernel; the document opens again where both were moved to.
    page.page.evaluate(RESTART)
    expect(grid(page)).to_contain_text("Frau")
    page.command("filebrowser:open-path", path="/")
    folder.rename(lab.folder / "moved")
    page.command("docmanager:open", path="moved/kunden.audiencelab.json")
    expect(grid(page)).to_contain_text("Frau")
    # The file itself offers to continue, and never writes over what was saved.
    page.command("audiencelab:open-survey", path="moved/kunden.sav")
    page.page.get_by_role("button", name="Continue kunden.audiencelab.json").click()
    expect(title.filter(has_text="kunden.sav")).to_have_count(0)


def test_an_import_shows_its_progress_and_can_be_stopped(lab: Lab) -> None:
    files(lab)
    page = begin(lab, "stopped")
    page.page.evaluate(BEGIN, SLOW)
    item(page, "kunden.sav").dblclick()
    tab = page.page.locator(".audiencelab-tab:visible")
    expect(tab).to_contain_text("kunden.sav: 250,000 of 1,000,000 rows")
    assert page.violations(".audiencelab-tab") == []
    for theme in ("dark", "light"):
        page.theme(theme)
        page.screenshot(f"open-file-progress-{theme}")
    tab.get_by_role("button", name="Stop").click()
    expect(tab).to_contain_text("kunden.sav was not opened: you stopped it. Nothing was kept.")
    tab.get_by_role("button", name="Try again").click()
    expect(grid(page)).to_contain_text("Frau")


def test_an_error_offers_the_argument_that_opens_the_file(lab: Lab) -> None:
    folder = files(lab)
    (folder / "leer.sav").write_bytes(b"")
    page = begin(lab, "refused")
    page.command("audiencelab:open-survey", path="data/leer.sav")
    tab = page.page.locator(".audiencelab-tab:visible")
    expect(tab).to_contain_text("the file is empty. Export it or copy it again.")
    assert page.violations(".audiencelab-tab") == []


def test_a_survey_folder_and_a_dropped_file_open_in_tabs(lab: Lab) -> None:
    (lab.folder / "data").mkdir()
    shutil.copytree(demo_survey(2_400).path, lab.folder / "data" / "demo")
    page = begin(lab, "folder")
    item(page, "demo").click(button="right")
    page.page.locator(".lm-Menu-item", has_text="Open as survey").click()
    expect(grid(page)).to_be_visible()
    name = page.page.locator(".lm-TabBar-tab.lm-mod-current .lm-TabBar-tabLabel", has_text="demo")
    expect(name).to_have_text("demo")
    page.command("audiencelab:show-sidebar")
    page.page.evaluate(DROP, [".audiencelab-sidebar", "kunden.csv", CUSTOMERS])
    expect(page.page.locator(".audiencelab-tab:visible")).to_contain_text("Frau")
    assert (lab.folder / "data" / "kunden.csv").read_text() == CUSTOMERS
