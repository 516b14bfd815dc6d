"""A workbench document in a JupyterLab tab: edited, saved and opened again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage, resize
from tests.browser.test_workbench import open_bench

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
        questions.get_by_role("treeitem", name=name, exact=False).first.click()
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
    filling = tab.box.evaluate("box => box.getBoundingClientRect().bottom")
    assert 840 < filling <= 900

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
