"""The commands of the extension: palette, launcher, menus and settings, and Notebook 7."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Lab, notebook_7
from tests.browser.page import NotebookPage
from tests.browser.sidebar import OpenSidebar

COMMANDS = (
    "New audience notebook",
    "New workbench",
    "Show audiences sidebar",
    "Insert stats of the picked questions",
    "Insert a crosstab of the picked questions",
    "Insert an audience of the picked questions",
    "Check the connection",
    "Help: audiencelab",
)

# As the settings' own page does when somebody changes one.
SET_SETTING = """async ([name, value]) => {
  const plugins = window.jupyterapp.pluginRegistry._plugins;
  const registry = plugins.get("@jupyterlab/apputils-extension:settings").service;
  await registry.set("audiencelab:plugin", name, value);
}"""


def run_from_palette(page: Page, label: str) -> None:
    """As people do: Ctrl+Shift+C, a few words, Enter."""
    page.keyboard.press("Control+Shift+C")
    palette = page.locator(".jp-ModalCommandPalette")
    palette.locator("input").fill(label)
    expect(palette.locator(".lm-CommandPalette-itemLabel").first).to_have_text(label)
    page.keyboard.press("Enter")


def test_a_launcher_card_creates_a_notebook_that_runs(lab: Lab) -> None:
    (lab.folder / "work").mkdir()
    page = lab.open(lab.write("commands", ["1"]))
    page.command("filebrowser:go-to-path", path="work")
    page.command("launcher:create")
    launcher = page.page.locator(".jp-Launcher").last
    section = launcher.locator(".jp-Launcher-section").filter(has_text="Audience research")
    cards = section.locator(".jp-LauncherCard")
    expect(cards.first).to_be_visible()
    page.screenshot("commands-launcher")
    cards.filter(has_text="Pick, build, compare").click()
    expect(page.page.locator(".jp-Notebook:visible")).to_be_visible()
    page.wait_idle()
    made = page.page.evaluate("jupyterapp.shell.currentWidget.context.path")
    assert Path(made).parent == Path("work")
    page.run_all()
    assert "al.connect()" in page.page.evaluate(
        "jupyterapp.shell.currentWidget.content.model.cells.get(1).sharedModel.getSource()"
    )
    # Another one takes nothing away.
    page.command("audiencelab:new-notebook")
    page.page.wait_for_function(
        "before => jupyterapp.shell.currentWidget?.context?.path !== before", arg=made
    )
    assert len(list((lab.folder / "work").glob("*.ipynb"))) == 2


def test_every_command_is_in_the_palette_and_works(lab: Lab) -> None:
    page = lab.open(lab.write("commands", ["1"]))
    view = page.page
    view.keyboard.press("Control+Shift+C")
    palette = view.locator(".jp-ModalCommandPalette")
    palette.locator("input").fill("Audience research")
    for label in COMMANDS:
        expect(palette.get_by_text(label, exact=True)).to_be_visible()
    page.screenshot("commands-palette")
    view.keyboard.press("Escape")

    run_from_palette(view, "Check the connection")
    expect(view.locator(".jp-toastContainer, .Toastify").first).to_contain_text("Ready")
    run_from_palette(view, "Insert a crosstab of the picked questions")
    expect(view.locator(".jp-toastContainer, .Toastify").first).to_contain_text("Tick questions")
    run_from_palette(view, "Help: audiencelab")
    dialog = view.locator(".jp-Dialog")
    expect(dialog).to_contain_text("audiencelab in JupyterLab")
    page.screenshot("commands-help")
    view.keyboard.press("Escape")
    run_from_palette(view, "Show audiences sidebar")
    sidebar = OpenSidebar(page)
    expect(sidebar.box).to_be_focused()
    sidebar.tick("gender", "Gender")
    run_from_palette(view, "Insert a crosstab of the picked questions")
    assert "client.crosstab(" in sidebar.expect_cells(2)[1]

    # The menus have them where people look for such things.
    view.get_by_role("menuitem", name="File", exact=True).click()
    labels = view.locator(".lm-Menu-itemLabel")
    labels.get_by_text("New", exact=True).hover()
    expect(labels.get_by_text("New audience notebook", exact=True)).to_be_visible()


def test_settings_apply_at_once(lab: Lab) -> None:
    page = lab.open(lab.write("settings", ["first = 1", "last = 1"]))
    sidebar = OpenSidebar(page)
    sidebar.tick("gender", "Gender")
    page.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex = 0")
    for name, value in (("insertAt", "end"), ("runInserted", True)):
        page.page.evaluate(SET_SETTING, [name, value])
    sidebar.button("Stats").click()
    assert "client.stats(" in sidebar.expect_cells(3)[2]
    page.wait_idle()
    expect(page.cell_output(2)).to_contain_text("Female")
    # The settings have a page of their own.
    page.command("settingeditor:open", query="Audience research")
    editor = page.page.locator(".jp-SettingsPanel")
    expect(editor).to_contain_text("Where cells are inserted")
    page.screenshot("commands-settings")


@pytest.fixture
def classic(browser: Browser, tmp_path: Path) -> Iterator[NotebookPage]:
    """Notebook 7, open on an empty notebook, and watched as JupyterLab is."""
    with notebook_7(browser, tmp_path, ["first = 1"]) as page:
        yield page


def test_the_sidebar_and_its_commands_in_notebook_7(classic: NotebookPage) -> None:
    sidebar = OpenSidebar(classic)
    expect(sidebar.box).to_be_visible()
    sidebar.tick("gender", "Gender")
    sidebar.button("Stats").click(modifiers=["Shift"])
    sidebar.expect_cells(2)
    classic.wait_idle()
    expect(classic.cell_output(1)).to_contain_text("Female")
    sidebar.box.fill("age")
    sidebar.drag(sidebar.row("Age"), classic.cell(0))
    sidebar.expect_cells(3)
    classic.screenshot("sidebar-notebook7")
    run_from_palette(classic.page, "Check the connection")
    expect(classic.page.locator(".jp-toastContainer, .Toastify").first).to_contain_text("Ready")
    with classic.page.context.expect_page() as opening:
        run_from_palette(classic.page, "New audience notebook")
    expect(opening.value.locator(".jp-Notebook")).to_be_visible()
