"""Students from hand-out to report, in the cells of their notebooks; `made_class` has thirty."""

from __future__ import annotations

from pathlib import Path

import pytest

from audiencelab.course import students
from audiencelab.course.exercises import EXERCISES
from tests.course.made_class import taught
from tests.course.made_students import STUDENTS

FEW = {"Ada Lovelace", "Nan Sense", "Fay File", "Nick Name", "Two Machines", "Idle Ike"}


def test_no_mark_is_false(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(students, "_signed_in", [])
    assert taught(tmp_path, [each for each in STUDENTS if each.name in FEW]).wrong == []


def test_every_listed_mistake_is_made() -> None:
    tries = [each for student in STUDENTS for each in student.tries(student.habit).items()]
    made = {(number, each.slip) for number, tried in tries for each in tried if each.slip}
    listed = {
        (each.number, mistake.name) for each in EXERCISES.values() for mistake in each.mistakes
    }
    assert made == listed
