"""Exams: surveys of a salt, answers that are kept without a judgement, and marks afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audiencelab import cli, course
from audiencelab.course import students
from audiencelab.course.exercises import EXERCISES
from audiencelab.course.records import FILE
from audiencelab.course.students import respondents_with, seed_of
from tests.course.solving import solve
from tests.messages import fails

SALT = "spring 2027"


def sit_down(folder: Path, student: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder, as nobody."""
    monkeypatch.setattr(students, "_signed_in", [])
    monkeypatch.chdir(folder)
    course.connect(student)


def notes(folder: Path, **salt: str) -> dict[str, tuple[int, str]]:
    """By folder: the exercises solved, and the note."""
    lines = course.report(folder, **salt).lines
    return {
        line.folder: (sum(each.solved for each in line.entries.values()), line.note)
        for line in lines
    }


@pytest.fixture
def room(desk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ada and Grace have sat an exam: an answer of Ada's is right, one was not an answer."""
    room = desk / "room"
    names = desk / "names.txt"
    names.write_text("Ada\nGrace\n", "utf-8")
    assert cli.main(["course", "start", str(room), "--class", str(names), "--exam", SALT]) == 0
    for student in ("ada", "grace"):
        sit_down(room / student, student, monkeypatch)
    sit_down(room / "ada", "ada", monkeypatch)
    right = solve(EXERCISES["1.2"], course.connect())
    assert course.check("1.2", 1.0).state == "kept"
    found = course.check("1.2", right)
    assert (found.state, found.slip, found.right) == ("kept", "", False)
    assert repr(found).startswith("✎ 1.2")
    assert "marked when it is collected" in found._repr_html_()
    unread = course.check("1.2", "about a third")
    assert (unread.state, "asks for a number" in unread.words) == ("not yet", True)
    monkeypatch.chdir(desk)
    return room


def test_an_exam_says_nothing_until_it_is_marked(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SALT not in (room / "ada" / FILE).read_text("utf-8")
    assert notes(room, exam=SALT) == {"ada": (1, ""), "grace": (0, "")}
    assert course.report(room, exam=SALT).unread == ()
    sit_down(room / "ada", "ada", monkeypatch)
    assert repr(course.hint("1.2")) == "There are no hints in an exam."
    assert repr(course.progress()).startswith(f"ada: 1 of {len(EXERCISES)} exercises answered")
    assert "1.2✎" in repr(course.progress())
    assert course.progress().solved == 0
    # Under another name there would be marks and hints, of another survey.
    for ask in (lambda: course.connect("Ada L."), lambda: course.hint("1.2", student="grace")):
        with fails(course.CourseError):
            ask()


def test_answers_are_of_the_salt(room: Path) -> None:
    respondents = respondents_with(seed_of("ada", exam=SALT))
    shown = course.answers("ada", exam=SALT).set_index("exercise").loc["1.2", "answer"]
    assert shown == f"{EXERCISES['1.2'].answer(respondents):,.2f}"
    assert shown != course.answers("ada").set_index("exercise").loc["1.2", "answer"]


def test_work_that_is_not_of_the_exam_is_named(room: Path) -> None:
    other = "the seed of this folder is not that of the name"
    salt = "for an exam, give the salt that it was started with"
    assert notes(room)["ada"] == (0, f"{other}: {salt}")
    with fails(course.CourseError):
        course.report(room, exam="winter")
    path = room / "ada" / FILE
    record = json.loads(path.read_text("utf-8"))
    record["seeds"]["ada"] = seed_of("grace", exam=SALT)
    path.write_text(json.dumps(record), "utf-8")
    assert notes(room, exam=SALT)["ada"] == (0, other)
    # Exercises that were solved before the exam do not count in it.
    record["students"]["ada"]["1.2"]["solved"] = True
    for seeds in ({}, {"ada": seed_of("ada")}):
        path.write_text(json.dumps(record | {"seeds": seeds}), "utf-8")
        assert notes(room, exam=SALT)["ada"] == (0, "this is not work of an exam")


def test_the_salt_and_the_folders_are_checked(room: Path, desk: Path) -> None:
    assert cli.main(["course", "report", str(room), "--exam", " "]) == 2
    with fails(course.CourseError):
        cli.course._salt(None, None, " ")
    names = desk / "names.txt"
    for salt in ([], ["--exam", "winter"]):
        assert cli.main(["course", "start", str(room), "--class", str(names), *salt]) == 2


def test_the_seed_of_a_folder_stays(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where another version has other exercises, and would give a name another survey."""
    course.start(desk / "ada", "ada")
    path = desk / "ada" / FILE
    record = json.loads(path.read_text("utf-8"))
    other = next(seed for seed in students.tried("audiencelab course: ada")[::-1])
    record["seeds"]["ada"] = other
    path.write_text(json.dumps(record), "utf-8")
    sit_down(desk / "ada", "ada", monkeypatch)
    answer = EXERCISES["1.2"].answer(respondents_with(other))
    assert course.check("1.2", answer).right
    assert notes(desk) == {"ada": (1, "")}
