"""The question picker in JupyterLab: mouse, keyboard, and its value in Python."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.picking import OpenPicker

SET_UP = "import audiencelab as al\nclient = al.connect()"
SHOW = "picker = al.QuestionPicker(client)\npicker"


@pytest.fixture
def picker(lab: Lab) -> OpenPicker:
    page = lab.run("picker", [SET_UP, SHOW])
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


def test_a_search_without_matches_covers_nothing(picker: OpenPicker) -> None:
    # As whoever drags its corner makes it.
    picker.out.get_by_role("tree").evaluate("tree => { tree.style.height = '96px'; }")
    picker.box.fill("xylophone zebra")
    said = picker.out.get_by_text("Nothing matches")
    expect(said).to_be_visible()
    top = "element => element.getBoundingClientRect().top"
    picker.page.becomes(lambda: said.evaluate(top) > picker.box.evaluate(top) + 20, True)
    assert picker.page.violations() == []
    picker.out.get_by_role("button", name="Clear search").click()
    expect(picker.row("About you")).to_be_visible()


def test_typing_does_not_trigger_commands_of_the_notebook(picker: OpenPicker) -> None:
    picker.box.focus()
    picker.page.page.keyboard.type("b a dd x")
    expect(picker.box).to_have_value("b a dd x")
    expect(picker.page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


def test_suffixes_apply_to_picked_answers(picker: OpenPicker) -> None:
    picker.tick("social apps: how", "Social apps: how often")
    picker.out.get_by_role("button", name="Points of the scale of").click()
    choice = picker.out.get_by_role("dialog")
    expect(choice.get_by_role("checkbox").nth(0)).to_be_focused()
    picker.page.page.keyboard.press("Space")
    choice.get_by_role("checkbox").nth(1).check()
    picker.page.screenshot("picker-suffixes")
    picker.page.page.keyboard.press("Escape")
    expect(choice).to_have_count(0)
    expect(picker.out.get_by_role("button", name="Points of the scale of")).to_be_focused()
    picker.page.expect_python("list(picker.value[0].suffixes) if picker.value else []", ["1", "2"])


def test_details_describe_a_question_and_why_one_is_locked(picker: OpenPicker) -> None:
    picker.out.get_by_role("button", name="Details").click()
    picker.tick("gender", "Gender")
    details = picker.out.get_by_role("region", name="Details")
    expect(details).to_contain_text("core.q2")
    expect(details).to_contain_text("all 12 waves")
    picker.page.screenshot("picker-details")
    locked = picker.page.python(
        "[(q.canonical, q.name) for q in __import__('audiencelab.widgets.picker.catalogue',"
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


def test_shares_of_answers_equal_those_in_python(picker: OpenPicker) -> None:
    picker.out.get_by_role("button", name="Details").click()
    picker.tick("gender", "Gender")
    bars = picker.out.get_by_role("list", name="Shares of answers").get_by_role("listitem")
    shares = picker.page.python(
        "[f'{share:.1f}%' for share in client.stats(question='q2').to_frame()['column_percentage']]"
    )
    expect(bars).to_contain_text(shares)


def test_a_trend_is_filtered_by_waves_and_picked_completely(picker: OpenPicker) -> None:
    picker.out.get_by_role("button", name="Filter").click()
    panel = picker.out.get_by_role("dialog", name="Filter")
    panel.get_by_role("button", name="Choose waves").click()
    first = panel.get_by_role("checkbox", name="Q1 2023")
    first.check()
    expect(first).to_be_checked()
    panel.get_by_role("checkbox", name="numbers, with a mean").check()
    panel.get_by_role("checkbox", name="with suffixes", exact=False).first.check()
    picker.page.screenshot("picker-filter")
    picker.page.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(picker.out.get_by_role("button", name="Remove filter: Q1 2023")).to_be_visible()
    asked = (
        "sorted(q.code for q in client.catalogue if q.suffixes"
        " and any(s.midpoint for s in q.suffixes)"
        " and 'q1_2023' in client.stats(question=q.canonical).waves)"
    )
    picker.out.get_by_role("button", name="Pick all").click()
    expected = picker.page.python(asked)
    assert expected
    picker.page.expect_python("sorted(leaf.question for leaf in picker.value)", expected)
    picker.out.get_by_role("button", name="Undo").click()
    picker.expect_value([])
    picker.out.get_by_role("button", name="Clear filters").click()
    expect(picker.row("About you")).to_be_visible()


def test_picked_questions_can_be_reordered(picker: OpenPicker) -> None:
    for search, text in (("gender", "Gender"), ("age 25", "25 to 34"), ("age 18", "18 to 24")):
        picker.tick(search, text)
    picker.tick("social apps: how", "Social apps: how often")
    order = "[leaf.question for leaf in picker.value]"
    picker.page.expect_python(order, ["q2", "q4", "q20"])
    chips = picker.out.get_by_role("list", name="Picked").get_by_role("listitem")
    chips.nth(2).drag_to(chips.nth(0))
    picker.page.expect_python(order, ["q20", "q2", "q4"])
    chip = picker.out.get_by_role("button", name="Social apps: how often all 14 answers")
    chip.focus()
    picker.page.page.keyboard.press("Alt+ArrowRight")
    picker.page.expect_python(order, ["q2", "q20", "q4"])
    expect(chip).to_be_focused()
    picker.page.page.keyboard.press("Delete")
    picker.page.expect_python(order, ["q2", "q4"])
    picker.page.page.keyboard.press("Control+z")
    picker.page.expect_python(order, ["q2", "q20", "q4"])


def test_recent_questions_are_listed_first(picker: OpenPicker) -> None:
    picker.tick("gender", "Gender")
    picker.expect_value(["al.Q('q2').any('q2_1', 'q2_2', 'q2_3')"])
    picker.page.run_cell(1)
    again = OpenPicker(picker.page)
    expect(again.out.get_by_role("treeitem").nth(0)).to_contain_text("Recently used")
    expect(again.out.get_by_role("treeitem").nth(1)).to_contain_text("Gender")


def test_a_question_mark_opens_help_and_escape_closes_it(picker: OpenPicker) -> None:
    picker.box.focus()
    picker.page.page.keyboard.press("?")
    help_panel = picker.out.get_by_role("dialog", name="Keys")
    expect(help_panel).to_contain_text("Pick all matches")
    # Lab's own style of lists must not run keys and meanings together.
    expect(help_panel.get_by_role("listitem").first).to_have_css("display", "grid")
    picker.page.screenshot("picker-help")
    picker.page.page.keyboard.press("Escape")
    expect(help_panel).to_have_count(0)
    expect(picker.box).to_be_focused()
    expect(picker.box).to_have_value("")


def test_an_audience_is_picked_and_counted(lab: Lab) -> None:
    show = "picker = al.QuestionPicker(client, mode='audience')\npicker"
    page = lab.run("audience", [SET_UP, show])
    picker = OpenPicker(page)
    picker.tick("age 25", "25 to 34")
    picker.tick("gender", "Gender")
    page.expect_python("len(picker.selection)", 2)
    page.expect_python("picker.value.expression == picker.expression", True)
    size = page.python("round(client.crosstab(rows=[picker.value]).values('row_size')[0, 0])")
    expect(picker.out).to_contain_text(f"{size:,} people")
    page.screenshot("picker-audience", of=picker.out)


def test_python_and_all_views_show_the_same(lab: Lab) -> None:
    cells = [
        SET_UP,
        SHOW,
        "picker",
        "seen = []\npicker.observe(lambda change: seen.append(len(change.new)), 'selection')\n"
        "picker.value = [al.Q('q4').any('q4_2')]",
    ]
    page = lab.run("views", cells)
    first, second = OpenPicker(page, 1), OpenPicker(page, 2)
    for view in (first, second):
        expect(view.out).to_contain_text("18 to 24")
    first.tick("gender", "Gender")
    expect(second.out.get_by_role("button", name="Remove Gender")).to_be_visible()
    # A view's search is its own.
    expect(second.box).to_have_value("")
    page.expect_python("seen", [1, 2])


def test_picking_works_while_the_kernel_is_busy(lab: Lab) -> None:
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


def test_run_all_does_not_leave_an_empty_picker(lab: Lab) -> None:
    hold = lab.hold()
    page = lab.open(lab.write("at-once", [SET_UP, SHOW, hold.code]))
    hold.start()
    page.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    OpenPicker(page)
    expect(page.cell(2)).to_contain_text("[*]")
    hold.release()
    page.wait_idle()


def test_a_reloaded_page_shows_the_same_picker(picker: OpenPicker) -> None:
    picker.tick("gender", "Gender")
    expect(picker.out.get_by_role("button", name="Remove Gender")).to_be_visible()
    picker.page.command("docmanager:save")
    picker.page.reload()
    again = OpenPicker(picker.page)
    expect(again.out.get_by_role("button", name="Remove Gender")).to_be_visible()
    again.tick("age 25", "25 to 34")
    again.page.expect_python("len(picker.value)", 2)


def test_a_restarted_kernel_is_reported(picker: OpenPicker) -> None:
    picker.tick("gender", "Gender")
    picker.page.restart_kernel()
    expect(picker.out).to_contain_text("The kernel was restarted")
    expect(picker.row("Gender")).to_be_visible()
    picker.page.screenshot("picker-restarted", of=picker.out)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_in_both_themes(picker: OpenPicker, theme: str) -> None:
    picker.page.theme(theme)
    picker.page.screenshot(f"picker-start-{theme}")
    assert picker.page.violations() == []
    picker.out.get_by_role("button", name="Details").click()
    picker.tick("age 25", "25 to 34")
    picker.tick("social apps: how", "Social apps: how often")
    expect(picker.out.get_by_role("list", name="Distribution of each item")).to_be_visible()
    picker.page.screenshot(f"picker-shares-{theme}", of=picker.out)
    assert picker.page.violations() == []
    picker.box.fill("social")
    picker.page.page.keyboard.press("ArrowDown")
    picker.page.screenshot(f"picker-{theme}", of=picker.out)
    assert picker.page.violations() == []
    for panel in ("Filter", "Keys"):
        picker.out.get_by_role("button", name=panel, exact=True).click()
        expect(picker.out.get_by_role("dialog", name=panel)).to_be_visible()
        picker.page.screenshot(f"picker-{panel.lower()}-{theme}")
        assert picker.page.violations() == []
        picker.page.page.keyboard.press("Escape")
        expect(picker.out.get_by_role("dialog")).to_have_count(0)
    picker.box.fill("xylophone zebra")
    expect(picker.out).to_contain_text("Nothing matches")
    picker.page.screenshot(f"picker-nothing-{theme}", of=picker.out)
    assert picker.page.violations() == []
