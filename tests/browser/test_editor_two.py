"""Two editors in one notebook, with several views, a reload and a busy kernel."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.editing import SET_UP, OpenEditor
from tests.browser.page import resize

FIRST = (
    "young, gender = al.Q('q4').any('q4_2', 'q4_3'), al.Q('q2').any('q2_1')\n"
    "first = al.AudienceEditor(client, value=al.Audience('First', young & ~gender))\nfirst"
)
SECOND = (
    "second = al.AudienceEditor(\n"
    "    client, value=al.Audience('Second', al.Q('s2').any('s2_1', 's2_44')))\nsecond"
)
YOUNG, GENDER, MARKET = (
    "al.Q('q4').any('q4_2', 'q4_3')",
    "al.Q('q2').any('q2_1')",
    "al.Q('s2').any('s2_1', 's2_44')",
)


@pytest.fixture
def two(lab: Lab) -> tuple[OpenEditor, OpenEditor]:
    page = lab.run("two-editors", [SET_UP, FIRST, SECOND])
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    resize(page.page, 1400, 1400)
    return OpenEditor(page, 1), OpenEditor(page, 2)


def test_conditions_are_pasted_into_the_other_editor(two: tuple[OpenEditor, OpenEditor]) -> None:
    first, second = two
    first.row("Age").focus()
    first.press("Space", "Shift+ArrowDown", "Control+c")
    expect(first.out.get_by_text("2 conditions copied")).to_be_attached()
    second.row("Market").focus()
    second.press("Control+v")
    expect(second.rows).to_have_count(4)
    both = f"{MARKET} & {YOUNG} & ~{GENDER}"
    second.becomes("second.expression.to_code()", both)
    # Its own name stays, and so does what was copied from.
    second.becomes("second.value.name", "Second")
    first.becomes("first.expression.to_code()", f"{YOUNG} & ~{GENDER}")
    second.settled()
    second.shows_samples_of("second")
    # One step, and cutting takes away where it came from.
    second.press("Control+z")
    second.becomes("second.expression.to_code()", MARKET)
    first.row("Gender").focus()
    first.press("Escape", "Control+x")
    expect(first.rows).to_have_count(2)
    second.row(0).focus()
    second.press("Control+v")
    second.becomes("second.expression.to_code()", f"{MARKET} & ~{GENDER}")
    first.becomes("first.expression.to_code()", YOUNG)


def test_a_condition_dragged_to_another_editor_is_copied(
    two: tuple[OpenEditor, OpenEditor],
) -> None:
    first, second = two
    first.settled()
    second.settled()
    box = second.row("Market").bounding_box()
    assert box is not None
    first.row("Age").hover()
    first.row("Age").locator(".al-editor-grip").hover()
    mouse = first.page.page.mouse
    mouse.down()
    for step in (0, 4):
        second.row("Market").hover(position={"x": 200 + step, "y": box["height"] / 2})
    first.page.screenshot("editor-dragged-over")
    mouse.up()
    # Onto a condition: the two become a group of their own.
    second.becomes("second.expression.to_code()", f"{MARKET} | {YOUNG}")
    first.becomes("first.expression.to_code()", f"{YOUNG} & ~{GENDER}")
    second.button("Undo: paste").click()
    second.becomes("second.expression.to_code()", MARKET)


def test_muted_and_selected_nodes_survive_reload_and_second_view(lab: Lab) -> None:
    hold = lab.hold()
    notebook = lab.write("editor-kept", [SET_UP, FIRST, "first", hold.code])
    page = lab.open(notebook)
    for cell in range(3):
        page.run_cell(cell)
    one, other = OpenEditor(page, 1), OpenEditor(page, 2)
    one.settled()
    # A second view shows what is left out; what is selected is a view's own.
    one.row("Gender").focus()
    one.press("m", "Space")
    expect(other.row("Gender")).to_have_attribute("data-silent", "true")
    expect(one.row("Gender")).to_have_attribute("aria-selected", "true")
    expect(other.row("Gender")).to_have_attribute("aria-selected", "false")
    # A busy kernel stops no edit of several rows, and learns of it afterwards.
    hold.start()
    page.run_cell(3, wait=False)
    expect(page.cell(3)).to_contain_text("[*]")
    one.row("Gender").focus()
    one.press("Shift+ArrowUp", "n")
    for word in ("Age", "Gender"):
        expect(one.row(word).get_by_role("button", name="not", exact=True)).to_be_attached()
    expect(one.row("Age").get_by_role("button", name="not", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.cell(3)).to_contain_text("[*]")
    hold.release()
    page.wait_idle()
    one.becomes("first.expression.to_code()", f"~{YOUNG}")
    # Each view takes the steps of the other back.
    other.row(0).focus()
    other.press("Control+z", "Control+z")
    one.becomes("first.expression.to_code()", f"{YOUNG} & ~{GENDER}")
    other.press("Control+Shift+z", "Control+Shift+z")
    one.becomes("first.expression.to_code()", f"~{YOUNG}")
    # A reloaded page finds the tree as it was; its history ended with the page.
    page.command("docmanager:save")
    page.reload()
    again = OpenEditor(page, 1)
    expect(again.row("Gender")).to_have_attribute("data-silent", "true")
    expect(again.button("Nothing to undo")).to_be_visible()


def test_an_editor_in_a_hidden_tab_is_correct_when_shown(lab: Lab) -> None:
    page = lab.run("editor-hidden", [SET_UP, FIRST])
    editor = OpenEditor(page, 1)
    editor.settled()
    page.command("launcher:create")
    expect(editor.rows.first).not_to_be_visible()
    resize(page.page, 900, 700)
    page.command("application:activate-next-tab")
    expect(editor.rows.first).to_be_visible()
    editor.row("Gender").hover()
    editor.row("Gender").get_by_role("button", name="not", exact=True).click()
    editor.becomes("first.expression.to_code()", f"{YOUNG} & {GENDER}")
    editor.settled()
    editor.shows_samples_of("first")


YOUNGEST = "al.Q('q4').any('q4_2')"
KEPT = f"kept = client.service.save_audience(al.Audience('Shared', {YOUNGEST}))"


def test_what_someone_else_saved_is_loaded_or_written_over(lab: Lab) -> None:
    show = "{0} = al.AudienceEditor(client, value=kept)\n{0}"
    cells = [f"{SET_UP}\n{KEPT}", show.format("mine"), show.format("theirs")]
    page = lab.run("saved-meanwhile", cells)
    resize(page.page, 1400, 1400)
    mine, theirs = OpenEditor(page, 1), OpenEditor(page, 2)
    saved = "client.service.saved_audience(kept.id)"
    theirs.row(0).focus()
    theirs.press("n")
    theirs.button("Save changes of Shared").click()
    mine.becomes(f"{saved}.to_audience().expression.to_code()", f"~al.all_of({YOUNGEST})")
    name = mine.out.get_by_role("textbox", name="Audience name")
    name.fill("Mine")
    name.press("Enter")
    mine.button("Save changes of Shared").click()
    notice = mine.out.get_by_role("alert")
    expect(notice).to_contain_text("Someone else saved this in the meantime.")
    for theme in ("light", "dark"):
        page.theme(theme)
        assert page.violations(".al-editor-problem") == []
        page.screenshot(f"saved-meanwhile-{theme}", of=page.cell_output(1))
    mine.button("Load theirs").focus()
    mine.press("Enter")
    expect(notice).to_have_count(0)
    expect(name).to_have_value("Shared")
    mine.becomes("mine.expression.to_code()", f"~al.all_of({YOUNGEST})")
    # What was loaded is a step; what comes before it may be saved now, since theirs was seen.
    mine.button("Undo: open a saved audience").click()
    expect(name).to_have_value("Mine")
    mine.button("Save changes of Shared").click()
    mine.becomes(f"{saved}.name", "Mine")
    # The other one has not seen that.
    theirs.row(0).focus()
    theirs.press("n")
    theirs.button("Save changes of Shared").click()
    theirs.button("Save mine anyway").press("Enter")
    # What was not changed here, the name, stays theirs.
    theirs.button("Save changes of Mine").and_(
        theirs.out.locator("[aria-disabled=true]")
    ).wait_for()
    assert page.python(f"{saved}.to_audience().expression.to_code()") == YOUNGEST
