"""The question picker in a real JupyterLab: clicked, typed in, read from Python."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage

SET_UP = "import audiencelab as al\nclient = al.connect()"
SHOW = "picker = al.QuestionPicker(client)\npicker"


class OpenPicker:
    """A picker in a notebook, by the names that people see."""

    def __init__(self, page: NotebookPage, cell: int = 1) -> None:
        self.page = page
        self.out = page.cell_output(cell)
        self.box = self.out.get_by_role("combobox")
        expect(self.out.get_by_role("treeitem").first).to_be_visible()

    def row(self, text: str) -> Locator:
        return self.out.get_by_role("treeitem").filter(has_text=text).first

    def tick(self, search: str, text: str) -> None:
        self.box.fill(search)
        self.row(text).click()

    def expect_value(self, code: list[str]) -> None:
        """Wait until Python has picked what this code says."""
        self.page.expect_python("[leaf.to_code() for leaf in picker.value]", code)


@pytest.fixture
def picker(lab: Lab) -> OpenPicker:
    page = lab.open(lab.write("picker", [SET_UP, SHOW]))
    page.run_all()
    return OpenPicker(page)


def test_answers_are_picked_with_the_mouse_and_read_from_python(picker: OpenPicker) -> None:
    picker.tick("age 25", "25 to 34")
    picker.tick("gender", "Gender")
    picker.expect_value(["al.Q('q4').any('q4_3')", "al.Q('q2').any('q2_1', 'q2_2', 'q2_3')"])
    expect(picker.row("Gender")).to_have_attribute("aria-checked", "true")
    picker.out.get_by_role("button", name="Remove Gender").click()
    picker.expect_value(["al.Q('q4').any('q4_3')"])


def test_the_keyboard_alone_is_enough(picker: OpenPicker) -> None:
    keys = picker.page.page.keyboard
    picker.box.focus()
    keys.type("social apps: how")
    for _ in range(4):
        keys.press("ArrowDown")
    expect(picker.row("Social apps: how often")).to_have_attribute("data-active", "true")
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("Space")
    keys.press("ArrowDown")
    keys.press("Enter")
    picker.expect_value(["al.Q('q20').any('q20_1', 'q20_2')"])
    expect(picker.row("Social apps: how often")).to_have_attribute("aria-checked", "mixed")
    keys.press("ArrowLeft")
    keys.press("ArrowLeft")
    expect(picker.row("Social apps: how often")).to_have_attribute("aria-expanded", "false")
    keys.press("Escape")
    expect(picker.box).to_have_value("")
    expect(picker.box).to_be_focused()
    keys.press("Escape")
    expect(picker.box).not_to_be_focused()
    # The notebook has the keyboard again: its own command for a new cell below works.
    keys.press("b")
    expect(picker.page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(3)


def test_what_is_typed_is_not_taken_for_commands_of_the_notebook(picker: OpenPicker) -> None:
    picker.box.focus()
    picker.page.page.keyboard.type("b a dd x")
    expect(picker.box).to_have_value("b a dd x")
    expect(picker.page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


def test_suffixes_are_a_choice_of_what_is_picked(picker: OpenPicker) -> None:
    picker.tick("social apps: how", "Social apps: how often")
    picker.out.get_by_role("button", name="Suffixes of").click()
    choice = picker.out.get_by_role("dialog")
    expect(choice.get_by_role("checkbox").nth(0)).to_be_focused()
    picker.page.page.keyboard.press("Space")
    choice.get_by_role("checkbox").nth(1).check()
    picker.page.screenshot("picker-suffixes")
    picker.page.page.keyboard.press("Escape")
    expect(choice).to_have_count(0)
    expect(picker.out.get_by_role("button", name="Suffixes of")).to_be_focused()
    picker.page.expect_python("list(picker.value[0].suffixes) if picker.value else []", ["1", "2"])


def test_details_tell_about_a_question_and_why_one_is_locked(picker: OpenPicker) -> None:
    picker.out.get_by_role("button", name="Details").click()
    picker.tick("gender", "Gender")
    details = picker.out.get_by_role("region", name="Details")
    expect(details).to_contain_text("core.q2")
    expect(details).to_contain_text("all 12 waves")
    picker.page.screenshot("picker-details")
    locked = picker.page.python(
        "[(q.canonical, q.name) for q in __import__('audiencelab.widgets.picker_catalogue',"
        " fromlist=['x']).load_questions(client) if not q.accessible]"
    )
    code, name = locked[0]
    picker.box.fill(code)
    # Playwright would wait until it is enabled; people click all the same.
    picker.row(name).click(force=True)
    expect(picker.row(name)).to_have_attribute("aria-disabled", "true")
    expect(details.locator(".al-warning")).to_be_visible()
    picker.page.screenshot("picker-locked", of=picker.out)
    picker.expect_value(["al.Q('q2').any('q2_1', 'q2_2', 'q2_3')"])


def test_python_and_every_view_show_the_same(lab: Lab) -> None:
    cells = [
        SET_UP,
        SHOW,
        "picker",
        "seen = []\npicker.observe(lambda change: seen.append(len(change.new)), 'selection')\n"
        "picker.value = [al.Q('q4').any('q4_2')]",
    ]
    page = lab.open(lab.write("views", cells))
    page.run_all()
    first, second = OpenPicker(page, 1), OpenPicker(page, 2)
    for view in (first, second):
        expect(view.out).to_contain_text("18 to 24")
    first.tick("gender", "Gender")
    expect(second.out.get_by_role("button", name="Remove Gender")).to_be_visible()
    # A view's search is its own.
    expect(second.box).to_have_value("")
    page.expect_python("seen", [1, 2])


def test_a_busy_kernel_stops_nobody(lab: Lab) -> None:
    hold = lab.hold()
    page = lab.open(lab.write("busy", [SET_UP, SHOW, hold.code]))
    hold.start()
    page.run_cell(0)
    page.run_cell(1)
    picker = OpenPicker(page)
    page.run_cell(2, wait=False)
    expect(page.cell(2)).to_contain_text("[*]")
    picker.out.get_by_role("button", name="Details").click()
    picker.tick("gender", "Gender")
    expect(picker.out.get_by_role("button", name="Remove Gender")).to_be_visible()
    # Requests go over a comm of their own, so that details come while the cell runs.
    expect(picker.out.get_by_role("region", name="Details")).to_contain_text("all 12 waves")
    expect(page.cell(2)).to_contain_text("[*]")
    hold.release()
    page.wait_idle()
    picker.expect_value(["al.Q('q2').any('q2_1', 'q2_2', 'q2_3')"])


def test_everything_run_at_once_does_not_leave_an_empty_picker(lab: Lab) -> None:
    hold = lab.hold()
    page = lab.open(lab.write("at-once", [SET_UP, SHOW, hold.code]))
    hold.start()
    page.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    OpenPicker(page)
    expect(page.cell(2)).to_contain_text("[*]")
    hold.release()
    page.wait_idle()


def test_a_reloaded_page_finds_the_picker_as_it_was(picker: OpenPicker) -> None:
    picker.tick("gender", "Gender")
    expect(picker.out.get_by_role("button", name="Remove Gender")).to_be_visible()
    picker.page.command("docmanager:save")
    picker.page.reload()
    again = OpenPicker(picker.page)
    expect(again.out.get_by_role("button", name="Remove Gender")).to_be_visible()
    again.tick("age 25", "25 to 34")
    again.page.expect_python("len(picker.value)", 2)


def test_a_restarted_kernel_is_said_quietly(picker: OpenPicker) -> None:
    picker.tick("gender", "Gender")
    picker.page.restart_kernel()
    expect(picker.out).to_contain_text("The kernel was restarted")
    expect(picker.row("Gender")).to_be_visible()
    picker.page.screenshot("picker-restarted", of=picker.out)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_looks_right_and_reads_right(picker: OpenPicker, theme: str) -> None:
    picker.page.theme(theme)
    picker.page.screenshot(f"picker-start-{theme}")
    assert picker.page.violations() == []
    picker.out.get_by_role("button", name="Details").click()
    picker.tick("age 25", "25 to 34")
    picker.tick("social apps: how", "Social apps: how often")
    picker.box.fill("social")
    picker.page.page.keyboard.press("ArrowDown")
    picker.page.screenshot(f"picker-{theme}", of=picker.out)
    assert picker.page.violations() == []
    picker.box.fill("no such thing anywhere")
    expect(picker.out).to_contain_text("Nothing matches")
    picker.page.screenshot(f"picker-nothing-{theme}", of=picker.out)
    assert picker.page.violations() == []
