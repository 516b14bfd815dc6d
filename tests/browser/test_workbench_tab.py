"""A workbench document in a JupyterLab tab: edited, saved and opened again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

import audiencelab as al
from audiencelab.cli import main
from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage, resize
from tests.browser.sidebar import OpenSidebar
from tests.browser.test_workbench import OpenBench, open_bench

EMPTY = "import audiencelab as al"

HOLDS = """(field) => {
  const text = window.jupyterapp.shell.currentWidget.context.model.toString();
  return text !== "" && JSON.parse(text).question[field] !== undefined;
}"""
"""Whether the document of the tab in front has this field of a question."""

RESTART = """() => {
  const { sessionContext } = window.jupyterapp.shell.currentWidget.context;
  return sessionContext.session.kernel.restart();
}"""


class Tab:
    """The workbench in the tab in front."""

    def __init__(self, page: NotebookPage) -> None:
        self.page = page
        self.out = page.page.locator(".audiencelab-tab:visible")
        self.box = self.out.locator(".al-workbench")
        self.grid = self.out.get_by_role("grid")

    def pick_rows(self, words: str, name: str) -> None:
        """Add a question to the rows."""
        questions = self.box.locator(".al-pane-questions")
        questions.locator("input[role=combobox]").fill(words)
        questions.get_by_role("treeitem", name=name, exact=False).first.locator(
            ".al-picker-box"
        ).click()
        self.box.get_by_role("button", name="Add to rows").click()
        expect(self.grid).to_contain_text(name)
        self.page.page.wait_for_function(HOLDS, arg="rows")


def document_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def test_a_new_workbench_is_used_saved_and_reopened(lab: Lab) -> None:
    page = lab.open(lab.write("beside", [EMPTY]))
    resize(page.page, 1_440, 900)
    page.command("audiencelab:new-workbench")
    tab = Tab(page)
    tab.pick_rows("gender", "Gender")
    expect(tab.grid).to_contain_text("Female")
    dirty = page.page.locator(".lm-TabBar-tab.jp-mod-dirty").filter(has_text="audiencelab.json")
    expect(dirty).to_have_count(1)
    below = "box => box.getBoundingClientRect().bottom"
    page.becomes(lambda: 840 < tab.box.evaluate(below) <= 900, True)

    file = lab.folder / "untitled.audiencelab.json"
    tab.box.locator("input[role=combobox]").first.press("Control+s")
    expect(dirty).to_have_count(0)
    assert [row["name"] for row in document_of(file)["question"]["rows"]][:2] == ["Male", "Female"]
    assert page.violations(".audiencelab-tab") == []
    page.screenshot("workbench-tab")

    page.page.reload()
    page.page.wait_for_function("() => window.jupyterapp !== undefined")
    page.page.evaluate("async () => { await window.jupyterapp.restored; }")
    page.command("docmanager:open", path="untitled.audiencelab.json")
    expect(tab.grid).to_contain_text("Female")
    expect(dirty).to_have_count(0)


def test_after_a_kernel_restart_the_same_workbench_opens(lab: Lab) -> None:
    page = lab.open(lab.write("restarted", [EMPTY]))
    page.command("audiencelab:new-workbench")
    tab = Tab(page)
    tab.pick_rows("gender", "Gender")
    tab.box.evaluate("box => box.setAttribute('data-first-kernel', '')")
    page.page.evaluate(RESTART)
    expect(tab.out.locator("[data-first-kernel]")).to_have_count(0)
    expect(tab.grid).to_contain_text("Female")


def test_a_widget_in_a_cell_opens_in_a_tab(lab: Lab) -> None:
    bench = open_bench(lab, "bench-to-tab")
    bench.button("Save and open in a tab").click()
    tab = Tab(bench.page)
    expect(tab.grid).to_contain_text("Hearthside")
    (file,) = lab.folder.glob("*.audiencelab.json")
    assert document_of(file)["connect"] == "al.connect()"


def test_an_invalid_file_is_reported(lab: Lab) -> None:
    (lab.folder / "broken.audiencelab.json").write_text('{"format": "other"}')
    page = lab.open(lab.write("broken", [EMPTY]))
    page.command("docmanager:open", path="broken.audiencelab.json")
    expect(Tab(page).out).to_contain_text("This is not a workbench document")
    (lab.folder / "strange.audiencelab.json").write_text(
        '{"format": "audiencelab.workbench", "version": 1, "connect": "exit()", "audience": {}}'
    )
    page.command("docmanager:open", path="strange.audiencelab.json")
    expect(Tab(page).out).to_contain_text("made with exit()")
    expect(Tab(page).out.get_by_role("button", name="Demo survey")).to_be_visible()


CUSTOMERS = "Geschlecht,Tee,wgt\n" + "Frau,ja,0.8\nMann,nein,1.2\nFrau,nein,1\n" * 20
OPEN = 'import audiencelab as al\nclient = al.open("data/kunden.csv", weight="wgt")'


def customers(folder: Path) -> Path:
    path = folder / "data" / "kunden.csv"
    path.parent.mkdir()
    path.write_text(CUSTOMERS)
    return path


def test_a_new_workbench_is_on_the_survey_of_the_sidebar(lab: Lab) -> None:
    assert main(["import", str(customers(lab.folder)), "-q"]) == 0
    page = lab.open(lab.write("beside-kunden", [EMPTY]))
    sidebar = OpenSidebar(page)
    sidebar.section("Surveys").get_by_title("Open kunden in a tab").click()
    expect(sidebar.survey).to_contain_text("kunden")
    page.command("audiencelab:new-workbench")
    tab = Tab(page)
    tab.pick_rows("Tee", "Tee")
    expect(tab.grid).to_contain_text("nein")
    for theme in ("dark", "light"):
        page.theme(theme)
        page.screenshot(f"workbench-tab-of-sidebar-{theme}")
    tab.box.locator("input[role=combobox]").first.press("Control+s")
    dirty = page.page.locator(".lm-TabBar-tab.jp-mod-dirty").filter(has_text="audiencelab.json")
    expect(dirty).to_have_count(0)
    document = document_of(lab.folder / "untitled.audiencelab.json")
    assert document["connect"] == "al.connect(survey='data/kunden')"
    # Also where the sidebar is elsewhere by then, and where both were moved.
    (lab.folder / "moved").mkdir()
    for name in ("data", "untitled.audiencelab.json"):
        (lab.folder / name).rename(lab.folder / "moved" / name)
    page.command("docmanager:open", path="moved/untitled.audiencelab.json")
    expect(Tab(page).grid).to_contain_text("nein")


def test_a_workbench_of_a_file_opens_in_a_tab_and_again(lab: Lab) -> None:
    file = customers(lab.folder)
    page = lab.run("kunden", [OPEN, 'al.Workbench(client, "Tee", "Geschlecht")'])
    bench = OpenBench(page)
    bench.button("Save and open in a tab").click()
    tab = Tab(page)
    expect(tab.grid).to_contain_text("nein")
    (saved,) = lab.folder.glob("*.audiencelab.json")
    assert document_of(saved)["connect"] == "al.open('data/kunden.csv', weight='wgt')"
    # A file that is gone is named, with what to do; then it opens again.
    gone = file.rename(file.with_name("gone.csv"))
    page.page.evaluate(RESTART)
    expect(tab.out).to_contain_text("data/kunden.csv: there is no such file.")
    expect(tab.out).to_contain_text("Put the file back")
    expect(tab.out.get_by_role("button", name="Demo survey")).to_be_visible()
    for theme in ("light", "dark"):
        page.theme(theme)
        page.screenshot(f"workbench-file-gone-{theme}")
    gone.rename(file)
    tab.out.get_by_role("button", name="Try again").click()
    expect(tab.grid).to_contain_text("nein")


def test_a_file_elsewhere_is_opened_on_request(lab: Lab, tmp_path: Path) -> None:
    connect = f"al.open({str(customers(tmp_path))!r})"
    document = al.Workbench(al.connect()).to_document() | {"connect": connect}
    (lab.folder / "elsewhere.audiencelab.json").write_text(json.dumps(document))
    page = lab.open(lab.write("elsewhere", [EMPTY]))
    page.command("docmanager:open", path="elsewhere.audiencelab.json")
    tab = Tab(page)
    expect(tab.out).to_contain_text("which is not below the folder of this document")
    for theme in ("light", "dark"):
        page.theme(theme)
        page.screenshot(f"workbench-file-elsewhere-{theme}")
    tab.out.get_by_role("button", name="Open that file").click()
    tab.pick_rows("Tee", "Tee")
