"""The editor without a kernel: text always, and sizes where available."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import audiencelab as al
from audiencelab import background
from audiencelab.client import Client
from audiencelab.schema.scope import Scope
from audiencelab.widgets.audience_size import SizeCounter
from audiencelab.widgets.editor import static_html
from audiencelab.widgets.editor.static_html import editor_html
from tests.messages import fails

YOUNG = al.Audience("Young", al.Q("q4").any("q4_2"))
WORDS = "Age is 18 to 24"


def test_a_condition_has_its_sizes(small_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_html, "_TIMEOUT", 60.0)  # however slow the machine is
    written = str(editor_html(YOUNG, SizeCounter(small_client), small_client.catalogue, None))
    (row,) = small_client.crosstab(rows=[YOUNG]).to_frame().to_dict("records")
    assert WORDS in written
    figures = (f"{row['row_size']:,.0f}", f"{row['row_sample']:,.0f}")
    assert numbers(written)[:2] == list(figures)


def test_without_sizes_the_text_is_shown(small_client: Client) -> None:
    counter = SizeCounter(small_client, Scope(waves=("q9_2099",)))
    with fails(al.AudienceError):
        counter.count([YOUNG.expression])
    written = str(editor_html(YOUNG, counter, small_client.catalogue, None))
    assert WORDS in written
    assert numbers(written) == ["", "", ""]


def test_a_closed_client_leaves_the_text_and_no_traceback(small_client: Client) -> None:
    with al.connect(survey=small_client.service.survey) as client:
        counter = SizeCounter(client)
    with fails(RuntimeError):
        counter.count([YOUNG.expression])
    written = str(editor_html(YOUNG, counter, small_client.catalogue, None))
    assert WORDS in written
    assert numbers(written) == ["", "", ""]


def test_counting_ends_with_the_process(
    small_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ending(
        work: Callable[[], None], *, name: str, cancel: Callable[[], object]
    ) -> background.Task[None]:
        cancel()
        return run(work, name=name, cancel=cancel)

    run = background.run
    monkeypatch.setattr(background, "run", ending)
    counter = SizeCounter(small_client)
    written = str(editor_html(YOUNG, counter, small_client.catalogue, None))
    assert WORDS in written
    assert numbers(written) == ["", "", ""]
    assert counter.known([YOUNG.expression]) == [None]


def numbers(written: str) -> list[str]:
    """What stands in the columns of the only line."""
    return re.findall("<td>(.*?)</td>", written)
