"""One audience, built by the mouse alone, by the keyboard alone, and by pasting its code.

People of 18 to 34 who use Loopa or Clipstream at least several times a week, and own no tablet.
"""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.editing import SET_UP, OpenEditor

EDITORS = "\n".join(
    [
        "by_mouse = al.AudienceEditor(client)",
        "by_keys = al.AudienceEditor(client)",
        "by_pasting = al.AudienceEditor(client)",
    ]
)
AGE = "al.Q('q4').any('q4_2', 'q4_3')"
LOOPA = "al.Q('q20', suffixes=[1, 2, 3]).any('q20_1')"
CLIPSTREAM = "al.Q('q20', suffixes=[1, 2, 3]).any('q20_2')"
TABLET = "al.Q('media.m1').any('m1_3')"
EXPRESSION = f"al.all_of({AGE} & ({LOOPA} | {CLIPSTREAM}), ~{TABLET})"
AUDIENCE = f"al.Audience(name='', expression={EXPRESSION})"
OFTEN = ("Several times a day", "About once a day", "Several times a week")


def test_one_audience_three_ways(lab: Lab) -> None:
    page = lab.run("three-ways", [SET_UP, EDITORS, "by_mouse", "by_keys", "by_pasting"])
    mouse, keys, pasting = (OpenEditor(page, cell) for cell in (2, 3, 4))

    build_by_mouse(mouse)
    build_by_keys(keys)
    paste(pasting, f"al.Audience('Young, no tablet', {EXPRESSION})")

    names = ("by_mouse", "by_keys", "by_pasting")
    for name, editor in zip(names, (mouse, keys, pasting), strict=True):
        editor.becomes(f"{name}.expression.to_code()", EXPRESSION)
        editor.becomes(f"{name}.is_valid", True)
    assert page.python("by_mouse.value == by_keys.value == " + AUDIENCE)
    # The one that was pasted as an audience brought its name along.
    assert page.python(f"by_pasting.value == al.Audience('Young, no tablet', {EXPRESSION})")

    for name, editor in zip(names, (mouse, keys, pasting), strict=True):
        shows_the_numbers_of_python(editor, name)
        goes_all_the_way_back_and_forth(editor, name)
        editor.settled()
        shows_the_numbers_of_python(editor, name)
    page.screenshot("editor-three-ways", of=mouse.out)


# ---- three ways ----


def build_by_mouse(editor: OpenEditor) -> None:
    """Nothing is typed: not even the search."""
    editor.button("Add group").click()
    group = editor.row(1)
    group.get_by_role("button", name="AND", exact=True).click()
    open_adding(editor, group)
    pick_by_mouse(editor, ["About you", "Who you are"], "Age", ["18 to 24", "25 to 34"])
    choose_in_menu(editor, group, "Add group")
    either = editor.row(3)
    for answer in ("Loopa", "Clipstream"):
        open_adding(editor, either)
        pick_by_mouse(editor, ["Media", "Social", "Apps"], "Social apps: how often", [answer])
        condition = editor.named(answer)
        condition.get_by_role("button", name="Choose answers of Social apps").click()
        dialog = editor.out.get_by_role("dialog")
        for often in OFTEN:
            dialog.get_by_role("checkbox", name=often, exact=True).click()
        dialog.get_by_role("button", name="Done").click()
    editor.button("Add condition").click()
    pick_by_mouse(editor, ["Media", "Devices and time"], "Devices at home", ["Tablet"])
    tablet = editor.named("Tablet")
    tablet.hover()
    tablet.get_by_role("button", name="not", exact=True).click()


def open_adding(editor: OpenEditor, group: Locator) -> None:
    group.hover()
    group.get_by_role("button", name="Add a condition to this group").click()


def choose_in_menu(editor: OpenEditor, row: Locator, item: str) -> None:
    row.hover()
    row.get_by_role("button", name="Actions for").click()
    editor.out.get_by_role("menuitem", name=item).click()


def pick_by_mouse(editor: OpenEditor, path: list[str], question: str, answers: list[str]) -> None:
    """Open what leads to a question, tick answers, and add them."""
    dialog = editor.out.get_by_role("dialog")
    for step in [*path, question]:
        row = scrolled_to(editor, dialog, step)
        if row.get_attribute("aria-expanded") == "false":
            row.locator(".al-twist").click()
    for answer in answers:
        scrolled_to(editor, dialog, answer).click()
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog).to_have_count(0)


def scrolled_to(editor: OpenEditor, dialog: Locator, name: str) -> Locator:
    """The row of this name; the wheel turns until it is there."""
    rows = dialog.get_by_role("treeitem")
    row = rows.filter(has=editor.page.page.get_by_text(name, exact=True)).first
    dialog.get_by_role("tree").hover()
    for _ in range(60):
        if row.count():
            break
        editor.page.page.mouse.wheel(0, 120)
        # The wheel is ahead of the page: what it has not drawn would be passed by.
        editor.page.come_to_rest()
    return row


def build_by_keys(editor: OpenEditor) -> None:
    """From the tree's first row on, only keys."""
    editor.row(0).focus()
    editor.press("+")
    pick_by_keys(editor, "18 to 24", "25 to 34")
    expect(editor.named("Age")).to_be_focused()
    editor.press("+")
    pick_by_keys(editor, "Loopa")
    expect(editor.named("Loopa")).to_be_focused()
    # How it was given: the boxes below the answers.
    editor.press("Enter")
    choose = editor.out.get_by_role("dialog").get_by_role("combobox")
    expect(choose).to_be_focused()
    boxes = editor.out.get_by_role("dialog").get_by_role("checkbox")
    expect(boxes.filter(visible=True).nth(len(OFTEN))).to_be_visible()
    for often in OFTEN:
        box = editor.out.get_by_role("dialog").get_by_role("checkbox", name=often, exact=True)
        editor.press("Tab")
        expect(box).to_be_focused()
        editor.press("Space")
        expect(box).to_be_checked()
    editor.press("Escape")
    expect(editor.named("Loopa")).to_be_focused()
    editor.press("Control+d")
    expect(editor.row(3)).to_be_focused()
    editor.press("Enter")
    for answer in ("Clipstream", "Loopa"):
        expect(choose).to_be_focused()
        editor.press("Control+a")
        editor.keys.type(answer)
        editor.press("Enter")
    editor.press("Escape")
    expect(editor.named("Clipstream")).to_be_focused()
    # Both uses in a group, and that with the age in another.
    editor.press("Shift+ArrowUp", "Control+g")
    expect(editor.row(2)).to_be_focused()
    editor.press("Shift+ArrowUp", "Control+g")
    expect(editor.row(1)).to_be_focused()
    # On a group, Enter switches between OR and AND.
    editor.press("Enter", "Home", "+")
    pick_by_keys(editor, "Tablet")
    expect(editor.named("Tablet")).to_be_focused()
    editor.press("n")


def pick_by_keys(editor: OpenEditor, *answers: str) -> None:
    """Search for answers in the open picker, tick them, and add them."""
    box = editor.out.get_by_role("dialog").get_by_role("combobox")
    for answer in answers:
        expect(box).to_be_focused()
        # Escape empties the search, and would close the picker when it is empty.
        if box.input_value():
            editor.press("Escape")
        editor.keys.type(answer)
        editor.press("Enter", "Space")
    editor.press("Control+Enter")


def paste(editor: OpenEditor, code: str) -> None:
    page = editor.page.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(text) => navigator.clipboard.writeText(text)", code)
    editor.row(0).focus()
    editor.press("Control+v")
    expect(editor.rows).to_have_count(7)


# ---- what must hold for each ----


def shows_the_numbers_of_python(editor: OpenEditor, name: str) -> None:
    """Every node's sample, and the whole's as a table counts it."""
    editor.settled()
    editor.shows_samples_of(name)
    assert editor.samples()[0] == editor.python(
        f"int(client.crosstab(rows=[{name}.value]).values('sample')[0, 0])"
    )


def goes_all_the_way_back_and_forth(editor: OpenEditor, name: str) -> None:
    """Undo until nothing is left, then redo until all of it is there again."""
    steps = editor.undo_all()
    assert steps > 0
    editor.becomes(f"{name}.value == al.Audience()", True)
    redo = editor.out.get_by_role("button", name=re.compile("^Redo:"))
    for _ in range(steps):
        redo.click()
    expect(editor.button("Nothing to redo")).to_be_visible()
    editor.becomes(f"{name}.expression.to_code()", EXPRESSION)
