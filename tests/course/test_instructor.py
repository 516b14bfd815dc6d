"""The report trusts nobody: every answer is worked out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audiencelab import course
from audiencelab.course.exercises import EXERCISES
from audiencelab.course.records import FILE
from audiencelab.course.students import respondents_of
from tests.messages import fails


def right(number: str, student: str):
    return EXERCISES[number].answer(respondents_of(student))


def hand_in(folder: Path, student: str, **answers) -> None:
    """A progress file that claims everything is solved."""
    folder.mkdir(parents=True)
    entries = {
        number.strip("n").replace("_", "."): {"attempts": 2, "solved": True, "answer": answer}
        for number, answer in answers.items()
    }
    (folder / FILE).write_text(json.dumps({"format": 1, "students": {student: entries}}), "utf-8")


def solved(report: course.Report, student: str) -> set[str]:
    frame = report.to_frame()
    return set(frame[frame["solved"] & (frame["student"] == student)]["exercise"])


def test_a_claim_is_worth_nothing(tmp_path: Path) -> None:
    ada = {"n1_1": right("1.1", "ada"), "n1_2": right("1.2", "ada")}
    hand_in(tmp_path / "ada", "Ada", **ada)
    hand_in(tmp_path / "grace", "grace", **ada)  # copied from her neighbour
    report = course.report(tmp_path)
    assert solved(report, "ada") == {"1.1", "1.2"}
    assert solved(report, "grace") == set()


@pytest.mark.parametrize(
    "answer",
    [
        *(None, "x", [], {}, {"q4_2": "x"}, True, 1e300, ["and"]),
        {"question": "core.q2", "options": ["q2_99"]},
        {"question": "core.nowhere"},
    ],
)
def test_an_answer_that_no_check_would_keep(answer, tmp_path: Path) -> None:
    folder = tmp_path / "eve"
    folder.mkdir()
    entries = {number: {"attempts": 1, "solved": True, "answer": answer} for number in EXERCISES}
    (folder / FILE).write_text(json.dumps({"format": 1, "students": {"eve": entries}}), "utf-8")
    assert solved(course.report(tmp_path), "eve") == set()


def test_what_cannot_be_read_is_told_and_the_rest_is_marked(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada", "ada", n1_1=right("1.1", "ada"))
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / FILE).write_text("{", "utf-8")
    (tmp_path / "deep").mkdir()
    deep = '{"format": 1, "students": {"eve": {"1.1": {"answer": ' + "[" * 100_000
    (tmp_path / "deep" / FILE).write_text(deep, "utf-8")
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    report = course.report(tmp_path)
    assert solved(report, "ada") == {"1.1"}
    assert len(report.unread) == 3
    assert "cannot be read: Is a directory" in " ".join(report.unread)


def test_the_usual_slip_and_the_attempts(desk: Path) -> None:
    for student in ("ada", "grace"):
        course.check("1.2", respondents_of(student).unweighted_share(_old()), student=student)
    course.check("1.2", right("1.2", "ada"), student="ada")
    line = course.report(desk).by_exercise().set_index("exercise").loc["1.2"]
    assert line["tried"] == 2
    assert line["solved"] == 1
    assert line["attempts"] == 1.5
    assert line["usual_slip"] == "unweighted for weighted"


def _old():
    from audiencelab.course.reference import given

    return given("q4", "q4_7")


def test_names_are_escaped(tmp_path: Path) -> None:
    hand_in(tmp_path / "eve", "<img src=x onerror=alert(1)>", n1_1=1)
    shown = course.report(tmp_path)._repr_html_()
    assert "<img" not in shown
    assert "1 student" in shown


def test_nothing_to_mark(tmp_path: Path) -> None:
    with fails(course.CourseError):
        course.report(tmp_path / "missing")
    with fails(course.CourseError):
        course.report(tmp_path)


def test_answers_are_for_the_instructor() -> None:
    frame = course.answers("ada")
    assert list(frame["exercise"]) == list(EXERCISES)
    assert frame.set_index("exercise").loc["1.1", "answer"] == "216"
