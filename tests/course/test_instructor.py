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


def hand_in(folder: Path, student: str, attempts: int = 2, **answers) -> None:
    """A progress file that claims everything is solved; one of a student is added to it."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = {
        number.strip("n").replace("_", "."): {
            "attempts": attempts,
            "solved": True,
            "answer": answer,
        }
        for number, answer in answers.items()
    }
    path = folder / FILE
    kept = json.loads(path.read_text("utf-8"))["students"] if path.exists() else {}
    path.write_text(json.dumps({"format": 1, "students": kept | {student: entries}}), "utf-8")


def lines(root: Path, **salt: str) -> dict[str, tuple[str, int, str]]:
    """By student and folder: how many are solved, and the note."""
    return {
        f"{line.student} in {line.folder}": (
            " ".join(sorted(number for number, entry in line.entries.items() if entry.solved)),
            sum(entry.attempts for entry in line.entries.values()),
            line.note,
        )
        for line in course.report(root, **salt).lines
    }


def solved(report: course.Report, student: str) -> set[str]:
    frame = report.to_frame()
    return set(frame[frame["solved"] & (frame["student"] == student)]["exercise"])


def test_a_claim_is_worth_nothing(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada", "Ada", **ada())
    hand_in(tmp_path / "grace", "grace", attempts=3, **ada())  # typed from her neighbour's screen
    assert lines(tmp_path) == {"ada in ada": ("1.1 1.2", 4, ""), "grace in grace": ("", 6, "")}


def ada() -> dict:
    return {"n1_1": right("1.1", "ada"), "n1_2": right("1.2", "ada")}


def test_each_folder_has_a_line_and_copied_work_is_named(tmp_path: Path) -> None:
    hand_in(tmp_path / "class" / "ada", "Ada", **ada())
    hand_in(tmp_path / "class" / "copycat", "Ada", **ada())  # her whole folder
    hand_in(tmp_path / "class" / "eve" / "ada", "Ada", **ada())  # her folder, put into the own one
    hand_in(tmp_path / "class" / "fay", "fay", n1_1=right("1.1", "fay"))
    hand_in(tmp_path / "class" / "fay", "Ada", **ada())  # her record beside the own one
    hand_in(tmp_path / "class" / "grace", "grace", n2_4=right("2.4", "ada"), **ada())
    hand_in(tmp_path / "class" / "ada-home", "Ada", n2_4=right("2.4", "ada"), **ada())  # renamed
    copied = ("", 0, "answers are of ada")
    assert lines(tmp_path) == {
        "ada in ada": ("1.1 1.2 2.4", 6, "read from 2 folders: ada, ada-home"),
        "copycat in copycat": copied,
        "eve in eve/ada": copied,
        "fay in fay": ("1.1", 2, "fay: answers are of ada"),
        "grace in grace": copied,
    }


def test_classes_in_folders_of_their_own(tmp_path: Path) -> None:
    hand_in(tmp_path / "first" / "ada", "ada", **ada())
    hand_in(tmp_path / "first" / "ada lovelace", "ada", **ada())  # Ada Lovelace has copied
    hand_in(tmp_path / "first" / "copycat", "ada", **ada())
    hand_in(tmp_path / "second" / "eve" / "ada", "ada", **ada())
    hand_in(tmp_path / "second" / "fay", "fay")
    copied = ("", 0, "answers are of ada")
    note = "read from 2 folders: first/ada, first/ada lovelace"
    assert lines(tmp_path) == {
        "ada in first/ada": ("1.1 1.2", 4, note),
        "copycat in first/copycat": copied,
        "eve in second/eve/ada": copied,
        "fay in second/fay": ("", 0, ""),
    }


def test_work_that_is_right_for_two_students_is_of_both(tmp_path: Path) -> None:
    for name in ("ada", "grace"):
        hand_in(tmp_path / name, name, n2_4=right("2.4", name), n1_3=12345.5)
    assert [line[0] for line in lines(tmp_path).values()] == ["2.4", "2.4"]


def test_the_right_answer_in_any_copy_counts(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada", "ada", attempts=1, n1_1=right("1.1", "ada"), n1_2=1)
    hand_in(tmp_path / "ada (1)", "ada", attempts=5, n1_1=1, n1_3=right("1.3", "ada"))
    note = "read from 2 folders: ada, ada (1)"
    assert lines(tmp_path) == {"ada in ada": ("1.1 1.3", 11, note)}


def test_folders_without_names(tmp_path: Path) -> None:
    """The first of two is taken to be the student's; one computer may be of two students."""
    hand_in(tmp_path / "a", "ada", **ada())
    hand_in(tmp_path / "b", "ada", **ada())
    hand_in(tmp_path / "b", "grace")
    assert lines(tmp_path) == {
        "ada in a": ("1.1 1.2", 4, ""),
        "grace in b": ("", 0, "b: answers are of ada"),
    }


def test_two_people_of_a_learning_platform_are_two_lines(tmp_path: Path) -> None:
    hand_in(tmp_path / "Ada_12_assignsubmission_file_", "ada", **ada())
    hand_in(tmp_path / "Ada King_13_assignsubmission_file_", "ada", **ada())
    assert lines(tmp_path) == {
        "ada in Ada": ("1.1 1.2", 4, ""),
        "Ada King in Ada King": ("", 0, "answers are of ada"),
    }


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


def test_of_equally_common_slips_a_mistake_is_named(desk: Path) -> None:
    course.check("1.2", "many", student="ada")
    course.check("1.2", 100, student="grace")
    line = course.report(desk).by_exercise().set_index("exercise").loc["1.2"]
    assert line["usual_slip"] == "compared with themselves"


def _old():
    from audiencelab.course.reference import given

    return given("q4", "q4_7")


def test_names_are_escaped(tmp_path: Path) -> None:
    hand_in(tmp_path / "eve", "<img src=x onerror=alert(1)>", n1_1=1)
    shown = course.report(tmp_path)._repr_html_()
    assert "<img" not in shown
    assert "1 folder" in shown


def test_nothing_to_mark(tmp_path: Path) -> None:
    with fails(course.CourseError):
        course.report(tmp_path / "missing")
    with fails(course.CourseError):
        course.report(tmp_path)


def test_answers_are_for_the_instructor() -> None:
    frame = course.answers("ada")
    assert list(frame["exercise"]) == list(EXERCISES)
    assert frame.set_index("exercise").loc["1.1", "answer"] == "216"
