"""Two pages of one kernel: each edit is taken, or its page gets the present value back."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import audiencelab as al
from audiencelab.widgets.editor.document import with_condition
from tests.widgets.conftest import TIMEOUT, Wire

AGE, MALE, FEMALE = al.Q("q4").any("q4_2"), al.Q("q2").any("q2_1"), al.Q("q2").any("q2_2")
FIRST, SECOND = 2**40, 2**41
"""Numbers of the edits of two pages."""


@pytest.fixture
def editor(wire: Wire, small_client: al.Client) -> al.AudienceEditor:
    return al.AudienceEditor(small_client, AGE)


def edit(number: int, value: object, *after: int) -> dict[str, Any]:
    return {"number": number, "value": value, "after": list(after)}


def sent(widget: Any, name: str = "document") -> dict[str, Any]:
    """The trait with its number, as a page gets it."""
    return widget.get_state(name)[name]


def test_an_edit_of_an_older_value_is_refused(wire: Wire, editor: al.AudienceEditor) -> None:
    document, number = editor.document, sent(editor)["number"]
    male, female = (with_condition(document, each) for each in (MALE, FEMALE))
    wire.set_state(editor, document=edit(FIRST, male, number))
    assert editor.expression == AGE & MALE
    assert sent(editor) == {"number": FIRST, "value": male, "answers": FIRST, "taken": True}
    wire.messages.clear()
    wire.set_state(editor, document=edit(SECOND, female, number))
    assert editor.expression == AGE & MALE
    # The page that edited an older value, and every other one, has what Python has.
    assert wire.updates(editor, "document") == [male]
    assert sent(editor) == {"number": FIRST, "value": male, "answers": SECOND}
    # What it makes of both comes after the present value.
    both = with_condition(male, FEMALE)
    wire.set_state(editor, document=edit(SECOND + 1, both, FIRST))
    assert editor.expression == al.all_of(AGE, MALE, FEMALE)


def test_a_page_may_be_ahead_of_what_python_has_seen(wire: Wire, editor: al.AudienceEditor) -> None:
    document, number = editor.document, sent(editor)["number"]
    male = with_condition(document, MALE)
    # Jupyter sends only the last of several changes while a message is on its way.
    wire.set_state(editor, document=edit(FIRST + 2, male, number, FIRST, FIRST + 1))
    assert editor.expression == AGE & MALE
    wire.set_state(editor, document=edit(FIRST + 2, male, number, FIRST, FIRST + 1))
    assert (sent(editor)["number"], sent(editor)["taken"]) == (FIRST + 2, True)


def test_python_has_the_last_word(wire: Wire, editor: al.AudienceEditor) -> None:
    number = sent(editor)["number"]
    male = with_condition(editor.document, MALE)
    editor.value = FEMALE
    assert number < sent(editor)["number"] < FIRST
    wire.set_state(editor, document=edit(FIRST, male, number))
    assert editor.expression == FEMALE
    assert sent(editor)["answers"] == FIRST
    assert "taken" not in sent(editor)


def test_a_value_without_a_number_is_taken(wire: Wire, editor: al.AudienceEditor) -> None:
    male = with_condition(editor.document, MALE)
    wire.set_state(editor, document=male)
    assert editor.expression == AGE & MALE
    assert wire.state(editor)["document"] == male


def test_an_edit_that_is_not_valid_is_answered(wire: Wire, small_client: al.Client) -> None:
    grid = al.Crosstab(small_client, [AGE], [MALE])
    number = sent(grid, "metrics")["number"]
    wire.set_state(grid, metrics=edit(FIRST + 1, ["size", "sample"], number))
    wire.set_state(grid, metrics=edit(FIRST + 2, ["mood"], FIRST + 1), bars=True)
    assert grid.metrics == ("size", "sample")
    assert grid.bars
    last: Any = sent(grid, "metrics")
    assert (last["number"], last["answers"], "taken" in last) == (FIRST + 1, FIRST + 2, False)
    # Python drops what does not fit the table, and says what is left.
    number, value = (sent(grid, "_arrangement")[name] for name in ("number", "value"))
    hidden = {"rows": {"hidden": [0, 99]}, "generation": value["generation"]}
    wire.set_state(grid, _arrangement=edit(FIRST, hidden, number))
    last = sent(grid, "_arrangement")
    assert last["value"] == {"rows": {"hidden": [0]}, "generation": value["generation"]}
    assert (last["answers"], last["taken"]) == (FIRST, True)
    assert last["number"] != FIRST


def test_pages_on_threads_of_their_own_lose_no_edit(wire: Wire, small_client: al.Client) -> None:
    """Each page edits 20 times what Python had last; as in JupyterLab, on its own thread."""
    picker = al.QuestionPicker(small_client)
    entries: list[dict[str, Any]] = [
        {"question": f"q{at}", "datapoints": [], "suffixes": []} for at in range(40)
    ]

    def page(mine: list[dict[str, Any]], first: int) -> None:
        for at, entry in enumerate(mine):
            for attempt in range(1_000):
                now, number = sent(picker, "selection"), first + 1_000 * at + attempt
                value = [*now["value"], entry]
                wire.set_state(picker, selection=edit(number, value, now["number"]))
                if entry in picker.selection:
                    break

    threads = [
        threading.Thread(target=page, args=(entries[at::2], number))
        for at, number in enumerate((FIRST, SECOND))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert len(picker.selection) == 40
