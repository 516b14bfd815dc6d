"""The audience editor in JupyterLab: mouse, keyboard, and its value in Python."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.editing import OpenEditor, open_editor

EMPTY = "editor = al.AudienceEditor(client)\neditor"
NESTED = """\
young = al.Q("q4").any("q4_2", "q4_3")
often = al.Q("q20", suffixes=[1, 2]).at_least(2, "q20_1", "q20_2", "q20_3")
nested = young & (often | ~al.Q("q2").any("q2_1")) & al.Q("s2").any("s2_1", "s2_44")
editor = al.AudienceEditor(client, value=al.Audience("Young and connected", nested))
editor"""
# What is built by hand below, as Python.
EXPRESSION = (
    "al.Q('q4').any('q4_2', 'q4_3')"
    " & (al.Q('q20').any('q20_1') | al.Q('q20').any('q20_2')) & ~al.Q('q2').any('q2_1')"
)
BUILT_CODE = (
    "(client['Age'].isin(['18 to 24', '25 to 34'])"
    " & (client['Social apps: how often'].isin(['Loopa'])"
    " | client['Social apps: how often'].isin(['Clipstream']))"
    " & ~client['Gender'].isin(['Male'])).named('Young')"
)
BUILT = f"al.Audience(name='Young', expression={EXPRESSION})"


@pytest.fixture
def empty(lab: Lab) -> OpenEditor:
    return open_editor(lab, "editor", EMPTY)


@pytest.fixture
def nested(lab: Lab) -> OpenEditor:
    return open_editor(lab, "editor-nested", NESTED)


def test_an_audience_is_built_by_clicking(empty: OpenEditor) -> None:
    empty.out.get_by_role("textbox", name="Audience name").fill("Young")
    empty.button("Add condition").click()
    empty.add("q4_2", "q4_3")
    empty.button("Add group").click()
    empty.page.screenshot("editor-unfinished", of=empty.out)
    empty.becomes("editor.is_valid", False)
    for app in ("q20_1", "q20_2"):
        group = empty.row(2)
        group.hover()
        group.get_by_role("button", name="Add a condition to this group").click()
        empty.add(app)
    empty.button("Add condition").click()
    empty.add("q2_1")
    gender = empty.row("Gender")
    gender.hover()
    gender.get_by_role("button", name="not", exact=True).click()
    empty.settled()

    empty.becomes("editor.to_code()", BUILT_CODE)
    assert empty.python(f"editor.value == {BUILT}")
    shown = empty.out.locator("pre")
    expect(shown).to_contain_text("~client['Gender'].isin(['Male'])")
    names = "{'al': al, 'client': client}"
    ran = f"(lambda names: exec({shown.text_content()!r}, names) or names)({names})"
    assert empty.python(f"{ran}['audience'] == editor.value")
    empty.shows_samples_of("editor")
    assert empty.samples()[0] == empty.python(
        "int(client.crosstab(rows=[editor.value]).values('sample')[0, 0])"
    )
    sentence = empty.python("editor.describe()")
    expect(empty.out.get_by_text(sentence, exact=True)).to_be_visible()
    empty.page.screenshot("editor-built", of=empty.out)


def test_everything_can_be_undone_and_redone(empty: OpenEditor) -> None:
    test_an_audience_is_built_by_clicking(empty)
    steps = empty.undo_all()
    expect(empty.rows).to_have_count(1)
    empty.becomes("editor.to_code()", "al.Audience()")
    empty.row(0).focus()
    for _ in range(steps):
        empty.keys.press("Control+Shift+Z")
    expect(empty.button("Nothing to redo")).to_be_visible()
    empty.becomes("editor.to_code()", BUILT_CODE)


def test_the_keyboard_alone_is_enough(empty: OpenEditor) -> None:
    keys = empty.keys
    empty.row(0).focus()
    expect(empty.row(0)).to_be_focused()
    keys.press("+")
    dialog = empty.out.get_by_role("dialog")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    keys.type("age 25")
    keys.press("ArrowDown")
    keys.press("Enter")
    keys.press("Control+Enter")
    expect(empty.row("Age")).to_be_focused()
    empty.becomes("editor.expression.to_code()", "al.Q('q4').any('q4_3')")
    # One more answer, negated, in a group of its own with a copy of itself.
    keys.press("Enter")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    keys.type("18 to")
    keys.press("Enter")
    keys.press("Control+Enter")
    expect(empty.row("Age")).to_be_focused()
    keys.press("n")
    keys.press("Control+g")
    expect(empty.row(1)).to_be_focused()
    keys.press("ArrowDown")
    keys.press("Control+d")
    expect(empty.rows).to_have_count(4)
    twice = "~al.Q('q4').any('q4_2', 'q4_3') | ~al.Q('q4').any('q4_2', 'q4_3')"
    empty.becomes("editor.expression.to_code()", twice)
    keys.press("Alt+ArrowLeft")
    expect(empty.row(3)).to_be_focused()
    expect(empty.row(3)).to_have_attribute("aria-level", "2")
    keys.press("Alt+ArrowUp")
    expect(empty.row(1)).to_be_focused()
    keys.press("Delete")
    expect(empty.rows).to_have_count(3)
    keys.press("Control+z")
    expect(empty.rows).to_have_count(4)
    # Lab has not taken any of these letters for a command of its own.
    expect(empty.page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


def test_pasted_code_becomes_the_tree(empty: OpenEditor) -> None:
    page = empty.page.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(text) => navigator.clipboard.writeText(text)", BUILT)
    empty.row(0).focus()
    empty.keys.press("Control+v")
    expect(empty.rows).to_have_count(6)
    empty.becomes("editor.expression.to_code()", EXPRESSION)
    # Copied from here it is JSON, and the same again.
    empty.row(1).focus()
    empty.keys.press("Control+c")
    expect(empty.out.get_by_text("1 condition copied")).to_be_attached()
    empty.keys.press("Control+v")
    expect(empty.rows).to_have_count(7)
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert json.loads(copied) == {"question": "q4", "datapoints": ["q4_2", "q4_3"]}
    empty.keys.press("Control+z")
    empty.becomes("editor.expression.to_code()", EXPRESSION)
    page.evaluate("() => navigator.clipboard.writeText('print(1)')")
    empty.keys.press("Control+v")
    expect(empty.out.get_by_role("alert")).to_contain_text("not part of the audience language")
    empty.becomes("editor.expression.to_code()", EXPRESSION)


def test_conditions_are_dragged_to_other_positions(nested: OpenEditor) -> None:
    nested.settled()
    before = nested.python("editor.expression.to_code()")

    def drag(grip: Locator, onto: Locator, height: float) -> None:
        box = onto.bounding_box()
        assert box is not None
        grip.hover()
        nested.page.page.mouse.down()
        onto.hover(position={"x": 200, "y": box["height"] * height})
        # The second move is the one that a drag is seen by.
        onto.hover(position={"x": 204, "y": box["height"] * height})
        nested.page.screenshot("editor-dragging", of=nested.out)
        nested.page.page.mouse.up()

    # Onto a condition: both become a group.
    age, market = nested.row("Age"), nested.row("Market")
    drag(market.locator(".al-editor-grip"), age, 0.5)
    expect(nested.rows).to_have_count(7)
    expect(nested.row("Market")).to_have_attribute("aria-level", "3")
    nested.button("Undo: move").click()
    nested.becomes("editor.expression.to_code()", before)
    # To another place among its siblings.
    drag(nested.row("Market").locator(".al-editor-grip"), nested.row("Age"), 0.1)
    expect(nested.rows.nth(1)).to_contain_text("Market")
    expect(nested.rows).to_have_count(6)


def test_a_saved_audience_is_opened_changed_and_saved_back(empty: OpenEditor) -> None:
    name = empty.python("client.service.saved_audiences()[0].name")
    saved = "client.service.saved_audiences()[0].to_audience()"
    empty.button("Saved audiences").click()
    choice = empty.out.get_by_role("dialog").get_by_role("button", name=name, exact=True)
    expect(choice).to_be_visible()
    for theme in ("light", "dark"):
        empty.page.theme(theme)
        empty.page.screenshot(f"editor-saved-{theme}", of=empty.out)
        assert empty.page.violations() == []
    choice.click()
    expect(empty.out.get_by_role("textbox", name="Audience name")).to_have_value(name)
    empty.becomes(f"editor.value == {saved}", True)
    button = empty.button(f"Save changes of {name}")
    expect(button).to_have_attribute("aria-disabled", "true")
    empty.out.get_by_role("textbox", name="Audience name").fill("Renamed")
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()
    expect(empty.button("Save changes of Renamed")).to_have_attribute("aria-disabled", "true")
    empty.becomes(f"{saved}.name", "Renamed")


def test_two_audiences_are_compared_side_by_side(nested: OpenEditor) -> None:
    other = "client.service.saved_audiences()[0]"
    name = nested.python(f"{other}.name")
    nested.button("Saved audiences").click()
    nested.button(f"Compare with {name}").click()
    beside = nested.out.get_by_role("region", name="Comparison with another audience")
    both = nested.python(f"int(editor.compare({other}).pairs()['sample'][0])")
    expect(beside.get_by_role("row").nth(1)).to_contain_text(f"n = {both:,}")
    for theme in ("light", "dark"):
        nested.page.theme(theme)
        nested.page.screenshot(f"editor-compared-{theme}", of=nested.out)
        assert nested.page.violations() == []
    # It follows what is edited.
    nested.row("Age").focus()
    nested.keys.press("n")
    nested.becomes("editor.expression.children[0].negated", True)
    both = nested.python(f"int(editor.compare({other}).pairs()['sample'][0])")
    expect(beside.get_by_role("row").nth(1)).to_contain_text(f"n = {both:,}")


def test_muted_conditions_stay_visible_and_out_of_the_audience(nested: OpenEditor) -> None:
    nested.settled()
    whole = nested.samples()[0]
    market = nested.row("Market")
    market.hover()
    market.get_by_role("button", name="mute", exact=True).click()
    expect(market).to_have_attribute("data-silent", "true")
    nested.becomes("len(editor.expression.children)", 2)
    expect(nested.row(0).locator("[role=gridcell]").nth(2)).not_to_have_text(f"{whole:,}")
    nested.settled()
    for theme in ("light", "dark"):
        nested.page.theme(theme)
        nested.page.screenshot(f"editor-muted-{theme}", of=nested.out)
        assert nested.page.violations() == []
    market.focus()
    nested.keys.press("m")
    expect(nested.row(0).locator("[role=gridcell]").nth(2)).to_have_text(f"{whole:,}")


def test_rows_are_selected_with_the_mouse(nested: OpenEditor) -> None:
    nested.settled()

    def press(row: int, *modifiers: Literal["Shift", "Control"]) -> None:
        nested.row(row).get_by_role("gridcell").nth(1).click(modifiers=modifiers)

    picked = nested.rows.and_(nested.out.locator("[aria-selected=true]"))
    press(1)
    press(3, "Shift")
    expect(picked).to_have_count(3)
    expect(nested.row(3)).to_be_focused()
    assert nested.page.page.evaluate("String(getSelection())") == ""
    press(2, "Control")
    expect(picked).to_have_count(2)
    press(1)
    expect(picked).to_have_count(0)


def test_an_incomplete_tree_loses_nothing(nested: OpenEditor) -> None:
    before = nested.python("editor.to_code()")
    nested.settled()
    samples = nested.samples()
    nested.button("Add group").click()
    expect(nested.row(-1)).to_contain_text("This group is empty")
    expect(nested.out).to_contain_text("Incomplete")
    nested.becomes("editor.is_valid", False)
    assert nested.python("editor.to_code()") == before
    # Everything else keeps its numbers.
    expect(nested.row("Age").locator("[role=gridcell]").nth(2)).to_have_text(f"{samples[1]:,}")
    expect(nested.row("Age").locator(".al-stale")).to_have_count(0)


def test_editing_does_not_wait_for_a_busy_kernel(lab: Lab) -> None:
    hold = lab.hold()
    editor = open_editor(lab, "editor-busy", NESTED, hold.code)
    editor.settled()
    hold.start()
    editor.page.run_cell(2, wait=False)
    for word in ("Market", "Age"):
        row = editor.row(word)
        row.hover()
        row.get_by_role("button", name="not", exact=True).click()
        expect(row.get_by_role("button", name="not", exact=True)).to_have_attribute(
            "aria-pressed", "true"
        )
    expect(editor.page.cell(2)).to_contain_text("[*]")
    hold.release()
    editor.page.wait_idle()
    editor.settled()
    editor.becomes("[c.negated for c in editor.expression.children]", [True, False, True])
    editor.shows_samples_of("editor")


def test_python_and_all_views_show_the_same(lab: Lab) -> None:
    first = open_editor(lab, "editor-views", NESTED, "editor")
    second = OpenEditor(first.page, 2)
    second.settled()
    second.row(0).get_by_role("button", name="OR", exact=True).click()
    pressed = first.row(0).get_by_role("button", name="OR", exact=True)
    expect(pressed).to_have_attribute("aria-pressed", "true")
    first.row(0).focus()
    first.keys.press("Control+z")
    expect(second.row(0).get_by_role("button", name="AND", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    first.python("setattr(editor, 'value', al.Audience('From Python', al.Q('q2').any('q2_1')))")
    for view in (first, second):
        expect(view.out.get_by_role("textbox", name="Audience name")).to_have_value("From Python")
        expect(view.rows).to_have_count(2)
    first.out.get_by_role("button", name="Undo: set from Python").click()
    expect(second.rows).to_have_count(6)


def test_looks(nested: OpenEditor) -> None:
    nested.settled()
    for theme in ("light", "dark"):
        nested.page.theme(theme)
        nested.page.screenshot(f"editor-{theme}", of=nested.out)
        assert nested.page.violations() == []
        nested.row("Age").click(button="right")
        expect(nested.out.get_by_role("menuitem").first).to_be_focused()
        nested.page.screenshot(f"editor-menu-{theme}")
        assert nested.page.violations() == []
        nested.keys.press("Escape")
        nested.row("Social").get_by_role("button", name="Choose answers of").click()
        expect(nested.out.get_by_role("listbox").get_by_role("option").first).to_be_visible()
        nested.page.screenshot(f"editor-answers-{theme}")
        assert nested.page.violations() == []
        nested.keys.press("Escape")
        nested.button("Add condition").click()
        expect(nested.out.get_by_role("treeitem").first).to_be_visible()
        nested.page.screenshot(f"editor-add-{theme}")
        assert nested.page.violations() == []
        nested.keys.press("Escape")
        nested.button("Keys of the audience editor").click()
        expect(nested.out.get_by_role("dialog")).to_contain_text("Go from row to row")
        nested.page.screenshot(f"editor-keys-{theme}")
        assert nested.page.violations() == []
        nested.keys.press("Escape")
        nested.button("Add group").click()
        expect(nested.row(-1)).to_contain_text("This group is empty")
        nested.page.screenshot(f"editor-unfinished-{theme}", of=nested.out)
        assert nested.page.violations() == []
        nested.keys.press("Control+z")


def test_a_reloaded_page_shows_the_same_tree(nested: OpenEditor) -> None:
    nested.row(0).get_by_role("button", name="OR", exact=True).click()
    nested.becomes("type(editor.expression).__name__", "Or")
    nested.settled()
    nested.page.command("docmanager:save")
    nested.page.reload()
    again = OpenEditor(nested.page)
    expect(again.rows).to_have_count(6)
    again.row(0).get_by_role("button", name="AND", exact=True).click()
    again.becomes("type(editor.expression).__name__", "And")
    again.button("Undo: switch AND/OR").click()
    again.becomes("type(editor.expression).__name__", "Or")
    again.settled()
    again.shows_samples_of("editor")


def test_a_restarted_kernel_leaves_the_tree_to_be_read_and_run_again(nested: OpenEditor) -> None:
    nested.settled()
    nested.row(0).get_by_role("button", name="OR", exact=True).click()
    nested.becomes("type(editor.expression).__name__", "Or")
    nested.page.restart_kernel()
    expect(nested.out).to_contain_text("The kernel was restarted.")
    expect(nested.rows).to_have_count(6)
    expect(nested.button("Add condition").first).to_be_disabled()
    for theme in ("dark", "light"):
        nested.page.theme(theme)
        nested.page.screenshot(f"editor-restarted-{theme}", of=nested.out)
    nested.row(0).focus()
    nested.press("Delete")
    expect(nested.rows).to_have_count(6)
    # The cells above it make its client, and what was changed is not lost.
    nested.button("Run again").click()
    expect(nested.out).to_contain_text("You changed this before the kernel was restarted.")
    again = OpenEditor(nested.page)
    again.becomes("type(editor.expression).__name__", "And")
    again.page.screenshot("editor-run-again", of=again.out)
    again.button("Apply mine").click()
    again.becomes("type(editor.expression).__name__", "Or")


def test_low_samples_are_marked_beside_the_node(lab: Lab) -> None:
    narrow = (
        "everybody = al.Q('q4').any()\n"
        "nobody = al.Q('q2').any('q2_1') & ~al.Q('q2').any('q2_1')\n"
        "apart = al.Q('waves').any('q1_2025') & al.Q('waves').any('q2_2025')\n"
        "few = al.Q('q4').any('q4_1') & al.Q('s2').any('s2_49') & al.Q('waves').any('q1_2025')\n"
        "editor = al.AudienceEditor(client, value=everybody | nobody | apart | few)\neditor"
    )
    editor = open_editor(lab, "editor-warnings", narrow)
    editor.settled()
    editor.page.screenshot("editor-warnings", of=editor.out)
    expect(editor.out).to_contain_text("All respondents in the base match.")
    expect(editor.out).to_contain_text("No respondents match.")
    expect(editor.out).to_contain_text("No wave asked all of its questions")
    expect(editor.out).to_contain_text("too few to report")
