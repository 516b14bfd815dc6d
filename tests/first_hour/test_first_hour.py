"""What people type who have read the README alone works, or its error ends in a line that does.

The figure that each guess names is computed by pandas, and must be among those of the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.first_hour.grading import CRASH, GOOD, MISLEADING, PERSONAS, Graded, read_guesses
from tests.first_hour.setting import setting

LEAST_GOOD = 0.95
"""The share of guesses that work or end in a line that does; it only rises."""

LEAST_GUESSES = 150


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[Graded]]]:
    folder = tmp_path_factory.mktemp("first-hour")
    with pytest.MonkeyPatch.context() as patch, setting(folder) as grades:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield {persona: grades(persona) for persona in PERSONAS}


@pytest.mark.parametrize("persona", PERSONAS)
def test_guesses_work_or_end_in_a_line_that_does(
    graded: dict[str, list[Graded]], persona: str
) -> None:
    found = graded[persona]
    counts = Counter(each.grade for each in found)
    bad = [(each.guess.code, each.grade, each.message) for each in found if each.grade not in GOOD]
    assert sum(counts[each] for each in GOOD) / len(found) >= LEAST_GOOD, bad
    assert not [each for each in bad if each[1] in (MISLEADING, CRASH)]


def test_there_are_many_guesses_and_most_name_a_figure() -> None:
    guesses = [each for persona in PERSONAS for each in read_guesses(persona)]
    assert len(guesses) >= LEAST_GUESSES
    assert sum(bool(each.figure) for each in guesses) >= 0.6 * len(guesses)
