"""Two browser pages on one kernel: what both edit before they see each other's edits."""

from __future__ import annotations

from textwrap import indent

from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.editing import SET_UP, OpenEditor

SHOW = "editor = al.AudienceEditor(client, al.Q('q4').any('q4_2'))\neditor"
AGE, MALE, FEMALE = "al.Q('q4').any('q4_2')", "al.Q('q2').any('q2_1')", "al.Q('q2').any('q2_2')"
NOT_TAKEN = "Another page changed this first, so this is its version."


def paste(editor: OpenEditor, answer: str) -> None:
    condition = f'{{"question": "q2", "datapoints": ["{answer}"]}}'
    editor.page.page.bring_to_front()
    editor.page.page.evaluate("text => navigator.clipboard.writeText(text)", condition)
    editor.row(0).focus()
    editor.press("Control+v")
    expect(editor.named("Gender")).to_be_visible()


def test_no_edit_is_lost(lab: Lab) -> None:
    hold = lab.hold()
    # Messages of pages may be read on other threads than that of a cell that runs.
    busy = f"with editor._numbers.lock:\n{indent(hold.code, '    ')}"
    notebook = lab.write("two-pages", [SET_UP, SHOW, f"import pathlib, time\n{busy}"])
    first = lab.open(notebook)
    first.run_cell(0)
    first.run_cell(1)
    first.command("docmanager:save")
    first.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    one, two = OpenEditor(first), OpenEditor(lab.open(notebook))
    expect(two.rows).to_have_count(2)

    # Both add another condition while the kernel is busy, and each sees its own.
    hold.start()
    first.page.bring_to_front()
    first.run_cell(2, wait=False)
    expect(first.cell(2)).to_contain_text("[*]")
    paste(one, "q2_1")
    paste(two, "q2_2")
    expect(one.named("Male")).to_be_visible()
    expect(two.named("Male")).to_have_count(0)
    hold.release()
    for editor in (one, two):
        expect(editor.rows).to_have_count(4)
        expect(editor.out.get_by_text(NOT_TAKEN)).to_have_count(0)
    two.becomes("editor.expression.to_code()", f"{AGE} & {MALE} & {FEMALE}")
    # Each page takes back what it did itself.
    two.button("Undo: paste").click()
    one.becomes("editor.expression.to_code()", f"{AGE} & {MALE}")
    expect(one.rows).to_have_count(3)

    # One removes what the other changes: it says so, and can do it all the same.
    hold.start()
    first.page.bring_to_front()
    first.run_cell(2, wait=False)
    expect(first.cell(2)).to_contain_text("[*]")
    one.named("Gender").focus()
    one.press("Delete")
    two.page.page.bring_to_front()
    two.named("Gender").focus()
    two.press("n")
    hold.release()
    expect(two.out.get_by_text(NOT_TAKEN)).to_be_visible()
    expect(two.rows).to_have_count(2)
    expect(one.out.get_by_text(NOT_TAKEN)).to_have_count(0)
    two.page.screenshot("two-pages-not-taken", of=two.out)
    two.button("Apply mine").click()
    expect(one.rows).to_have_count(3)
    one.becomes("editor.expression.to_code()", f"{AGE} & ~{MALE}")
