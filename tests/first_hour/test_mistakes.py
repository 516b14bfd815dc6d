"""Mistakes of a first hour: each message says where, why, and what to write instead.

`mistakes.txt` has them in two parts; the messages are in `tests/data/messages.json`.
"""

from __future__ import annotations

import pytest

from tests.first_hour.grading import CRASH, HERE, LINE, WORKS, Graded
from tests.first_hour.setting import setting
from tests.messages import MESSAGES

PARTS = (HERE / "mistakes.txt").read_text("utf-8").strip().split("\n\n")
WITH_A_LINE, OTHERS = (part.splitlines()[1:] for part in PARTS)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> list[Graded]:
    with pytest.MonkeyPatch.context() as patch, setting(tmp_path_factory.mktemp("mistakes")) as of:
        patch.chdir(tmp_path_factory.mktemp("here"))
        return of("mistakes")


def test_messages_of_mistakes_end_in_a_line_that_works(graded: list[Graded]) -> None:
    found = {each.guess.code: each.grade for each in graded}
    assert [code for code in WITH_A_LINE if found[code] != LINE] == []
    # Neither an accident of the code below, nor taken in silence.
    assert [code for code in OTHERS if found[code] in (CRASH, WORKS)] == []


def test_messages_of_mistakes_are_known_word_for_word(graded: list[Graded]) -> None:
    for each in graded:
        MESSAGES.check(Exception(f"{each.guess.code}\n{each.message}"))
