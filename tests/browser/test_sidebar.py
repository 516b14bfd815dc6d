"""The audiences sidebar in JupyterLab, with the real server extension."""

from __future__ import annotations

import secrets
import shlex

from playwright.sync_api import expect

import audiencelab
from audiencelab.client.transports.embedded import demo as demo_survey
from tests.browser.conftest import Lab
from tests.browser.hostile import LABELS, hostile_survey
from tests.browser.ports import free_port
from tests.browser.server import LabServer
from tests.browser.sidebar import OpenSidebar

CONNECT = "import audiencelab as al\nclient = al.connect()"
HARD = "hard <img src=x onerror=document.title='owned'>"

# All that a page leaves behind: what it stores, where it was, what it asked for.
KEPT = """async () => JSON.stringify([
  {...localStorage}, {...sessionStorage}, document.cookie, location.href, history.state,
  performance.getEntries().map((entry) => entry.name),
  await indexedDB.databases(), await caches.keys(),
])"""


def test_picked_questions_become_cells_that_run(lab: Lab) -> None:
    page = lab.open(lab.write("sidebar", ["first = 1"]))
    sidebar = OpenSidebar(page)
    expect(sidebar.box).to_be_focused()
    expect(sidebar.out).to_contain_text("Ready")
    assert page.violations(".audiencelab-sidebar") == []

    sidebar.tick("age", "Age")
    sidebar.button("Stats").click(modifiers=["Shift"])
    stats = sidebar.expect_cells(2)[1]
    assert stats.startswith(f"{CONNECT}\n\nclient.stats(")
    page.wait_idle()
    expect(page.cell_output(1)).to_contain_text("25 to 34")

    # The notebook is connected now: what comes below needs no line of its own. JupyterLab undoes
    # changes of the same half second as one step.
    page.page.wait_for_timeout(600)
    sidebar.button("Crosstab").click(modifiers=["Shift"])
    crosstab = sidebar.expect_cells(3)[2]
    assert crosstab.startswith("client.crosstab(")
    page.wait_idle()
    expect(page.cell_output(2)).to_contain_text("Q1 2025")

    # It is the notebook's own step, and a click alone runs nothing.
    page.command("notebook:undo-cell-action")
    sidebar.expect_cells(2)
    sidebar.button("Audience").click()
    sidebar.expect_cells(3)
    assert page.cell_output(2).inner_text().strip() == ""
    page.page.keyboard.press("Shift+Enter")
    page.wait_idle()
    expect(page.cell_output(2)).to_contain_text("100.0")
    page.screenshot("sidebar-inserted")
    assert page.overhang() == []


def test_snippets_are_dragged_between_cells(lab: Lab) -> None:
    page = lab.open(lab.write("dragged", ["first = 1", "last = 1"]))
    sidebar = OpenSidebar(page)
    sidebar.box.fill("gender")
    sidebar.drag(sidebar.row("Gender"), page.cell(1))
    sources = sidebar.expect_cells(3)
    expect(page.cell(1)).to_contain_text("client.stats(")
    assert [sources[0], sources[2]] == ["first = 1", "last = 1"]
    expect(page.page.locator(".jp-Cell.jp-mod-selected")).to_have_count(1)
    # What was dragged was not ticked as well.
    expect(sidebar.row("Gender")).to_have_attribute("aria-checked", "false")
    page.run_cell(1)
    expect(page.cell_output(1)).to_contain_text("Female")

    # Undone as one step, and brought back with all that was in it.
    page.command("notebook:undo-cell-action")
    sidebar.expect_cells(2)
    page.command("notebook:redo-cell-action")
    assert sidebar.expect_cells(3)[1].startswith(CONNECT)

    # An answer is an audience; with the connection above, its code is all there is.
    sidebar.box.fill("female")
    sidebar.drag(sidebar.row("q2_2"), page.cell(2))
    sidebar.expect_cells(4)
    expect(page.cell(2)).to_contain_text(").named(")
    assert sidebar.sources()[2].startswith("audience = ")

    # So is what is picked, by the button; let go outside of every notebook it is nothing.
    sidebar.tick("gender", "Gender")
    sidebar.drag(sidebar.button("Crosstab"), sidebar.box)
    sidebar.drag(sidebar.button("Crosstab"), page.cell(3))
    sidebar.expect_cells(5)
    page.run_cell(3)
    expect(page.cell_output(3)).to_contain_text("Q1 2025")

    listed = sidebar.section("Saved")
    sidebar.drag(listed.get_by_text("Daily Clipstream users"), page.cell(2))
    sidebar.expect_cells(6)
    page.run_cell(2)
    expect(page.cell_output(2)).to_contain_text("Daily Clipstream users")


def test_everything_works_by_keyboard(lab: Lab) -> None:
    page = lab.open(lab.write("keys", ["first = 1"]))
    sidebar = OpenSidebar(page)
    keyboard = page.page.keyboard
    focused = page.page.locator(":focus")

    # The survey, its tabs, the search box and its buttons: one walk, each with a name.
    expect(sidebar.out.get_by_role("treeitem").first).to_be_visible()
    expect(sidebar.out.get_by_text("Ready")).to_be_visible()
    sidebar.survey.focus()
    expect(sidebar.survey).to_be_focused()
    names = []
    for _ in range(6):
        names.append(focused.evaluate("e => e.getAttribute('aria-label') || e.textContent"))
        keyboard.press("Tab")
    assert names == [
        "Survey: Demo survey. Choose another",
        "Check the connection",
        "Questions",
        "Search questions and answers",
        "Filter",
        "Details",
    ]

    # A question alone, from the menu of its row.
    sidebar.box.fill("gender")
    keyboard.press("Enter")
    keyboard.press("Shift+F10")
    menu = sidebar.out.get_by_role("menu", name="Insert Gender into the notebook")
    expect(menu.get_by_role("menuitem", name="Insert as stats")).to_be_focused()
    keyboard.press("Escape")
    expect(sidebar.box).to_be_focused()
    keyboard.press("Shift+F10")
    expect(menu.get_by_role("menuitem", name="Insert as stats")).to_be_focused()
    keyboard.press("ArrowDown")
    expect(menu.get_by_role("menuitem", name="Insert as crosstab")).to_be_focused()
    keyboard.press("Enter")
    assert "client.crosstab(" in sidebar.expect_cells(2)[1]

    # The sections, and in them the lists.
    tab = sidebar.out.get_by_role("tab", name="Questions")
    tab.focus()
    keyboard.press("ArrowRight")
    expect(sidebar.out.get_by_role("tab", name="Saved")).to_be_focused()
    listed = sidebar.out.get_by_role("tabpanel", name="Saved")
    expect(listed.get_by_role("listitem")).to_have_count(6)
    keyboard.press("Tab")
    expect(listed.get_by_role("searchbox")).to_be_focused()
    keyboard.type("clipstream users")
    expect(listed.get_by_role("listitem")).to_have_count(1)
    keyboard.press("Escape")
    expect(listed.get_by_role("listitem")).to_have_count(6)
    keyboard.press("Tab")
    keyboard.press("ArrowDown")
    expect(listed.get_by_role("listitem").nth(1)).to_contain_text("respondents")
    keyboard.press("Enter")
    assert "Daily Clipstream users" in sidebar.expect_cells(3)[2]
    assert page.violations(".audiencelab-sidebar") == []


def test_another_survey_is_selected_and_its_labels_are_text(lab: Lab) -> None:
    # The folder's name is the survey's, and stands in notifications too.
    hostile_survey(lab.folder / "surveys" / HARD)
    page = lab.run("survey", [CONNECT])
    sidebar = OpenSidebar(page)
    sidebar.choose("surveys/hard")
    expect(sidebar.survey).to_contain_text("hard")
    expect(sidebar.out).to_contain_text("1 wave")
    expect(sidebar.out.get_by_role("tab", name="Questions")).to_have_attribute(
        "aria-selected", "true"
    )
    expect(sidebar.row(LABELS[0])).to_be_visible()
    page.command("audiencelab:check-connection")
    expect(page.page.locator(".jp-toast-message")).to_contain_text(HARD)
    assert page.page.title() != "owned"

    # The notebook asks the demo survey; a cell about this survey connects to this survey.
    sidebar.row(LABELS[0]).locator(".al-picker-box").click()
    sidebar.button("Stats").click(modifiers=["Shift"])
    source = sidebar.expect_cells(2)[1]
    assert source.startswith("client = al.connect(survey=")
    page.wait_idle()
    expect(page.cell_output(1)).to_contain_text("onerror")
    sidebar.drag(sidebar.row(LABELS[2][:20]), page.cell(1))
    sidebar.expect_cells(3)
    assert page.page.title() != "owned"
    page.screenshot("sidebar-hostile")
    assert page.overhang() == []
    assert page.violations(".audiencelab-sidebar") == []

    # It is remembered, and what was picked is still there after a look at another.
    sidebar.choose("Demo survey")
    expect(sidebar.row("About you")).to_be_visible()
    sidebar.choose("hard")
    expect(sidebar.row(LABELS[0])).to_have_attribute("aria-checked", "true")
    page.reload()
    expect(OpenSidebar(page).survey).to_contain_text("hard")


def test_a_remote_service_is_added_and_checked(lab: Lab, lab_server: LabServer) -> None:
    token, port = secrets.token_hex(12), free_port()
    address = f"http://127.0.0.1:{port}"
    tokens = lab_server.home / "tokens.toml"
    page = lab.open(lab.write("deployment", ["1"]))
    sidebar = OpenSidebar(page)
    sidebar.survey.click()
    panel = sidebar.out.get_by_role("dialog", name="Choose a survey")
    panel.get_by_role("button", name="Add a remote service").click()
    copy = panel.get_by_role("button", name="Copy the command")
    expect(copy).to_be_disabled()
    panel.get_by_label("Name").fill("team")
    panel.get_by_label("Address").fill("http://research.example")
    expect(panel).to_contain_text("starts with https://")
    panel.get_by_label("Address").fill(address)
    expect(copy).to_be_enabled()
    command = f"audiencelab connections add team {address}"
    expect(panel.locator("code")).to_have_text(command)
    page.screenshot("sidebar-add")
    assert page.violations(".audiencelab-sidebar") == []

    try:
        lab_server.run(*shlex.split(command)[1:])
        panel.get_by_role("button", name="Refresh").click()
        panel.get_by_role("button", name="team").click()
        expect(sidebar.status).to_contain_text("No credential")
        expect(sidebar.status).to_contain_text(str(tokens))

        tokens.write_text(f'"{address}" = "{token}"\n', encoding="utf-8")
        tokens.chmod(0o600)
        check = sidebar.button("Check the connection")
        check.click()
        expect(sidebar.status).to_contain_text("Unreachable")
        with audiencelab.serve(demo_survey(), port=port, token="another-" + token):
            check.click()
            expect(sidebar.status).to_contain_text("Refused")
        with audiencelab.serve(demo_survey(), port=port, token=token):
            check.click()
            expect(sidebar.status).to_contain_text("Ready")
            sidebar.tick("gender", "Gender")
            sidebar.button("Stats").click()
            assert f"client = al.connect('{address}')" in sidebar.expect_cells(2)[1]
            # A deployment lists no saved audiences; that is no failure to try again.
            saved = sidebar.section("Saved")
            expect(saved).to_contain_text("cannot list saved audiences")
            expect(saved.get_by_role("button", name="Try again")).to_have_count(0)
        assert token not in page.page.content()
        assert token not in page.page.evaluate(KEPT)
    finally:
        lab_server.run("connections", "remove", "team")
        tokens.unlink(missing_ok=True)
