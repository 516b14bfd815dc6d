"""A gradebook of work in the zip files of learning platforms."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest

from audiencelab import cli, course
from audiencelab.course.exercises import CHECKED, EXERCISES
from audiencelab.course.records import FILE
from audiencelab.course.students import respondents_of

NUMBERS = ("1.1", "2.1", "2.2")


def record(student: str, *, of: str = "") -> str:
    """A progress file with right answers; of: of another student."""
    entries = {
        number: {"attempts": 1, "answer": EXERCISES[number].answer(respondents_of(of or student))}
        for number in NUMBERS
    }
    return json.dumps({"format": 1, "students": {student: entries}})


MOODLE = {
    "Ada Lovelace_12_assignsubmission_file_/ada/course-progress.json": record("ada lovelace"),
    "Zoë O'Brien_34_assignsubmission_file_/course-progress.json": record("zoë o'brien"),
    "Copy Cat_56_assignsubmission_file_/ada/course-progress.json": record("ada lovelace"),
    "Eve Adams_78_assignsubmission_file_/course-progress.json": record("eve", of="ada lovelace"),
    "Emmy Noether_90_assignsubmission_file_/lesson.ipynb": "{}",
    "=Kim Lee_91_assignsubmission_file_/course-progress.json": record("=kim lee"),
}
CANVAS = {
    "lovelaceada_12_901_course-progress.json": record("ada lovelace"),
    "obrienzoë_LATE_34_902_course-progress-1.json": record("zoë o'brien"),
    "catcopy_56_903_course-progress.json": record("ada lovelace"),
    "adamseve_78_904_course-progress.json": record("eve", of="ada lovelace"),
    "noetheremmy_90_905_lesson.ipynb": "{}",
    "leekim_91_906_course-progress.json": record("=kim lee"),
}


@pytest.mark.parametrize("files", [MOODLE, CANVAS], ids=["moodle", "canvas"])
def test_a_gradebook_of_a_zip_file(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "submissions.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    assert cli.main(["course", "report", str(archive), "--gradebook"]) == 0
    streams = capsys.readouterr()
    assert f"was handed in without {FILE}" in streams.err
    rows = {
        row["id"]: row for row in csv.DictReader(streams.out.removeprefix("\ufeff").splitlines())
    }
    assert {number: int(row["points"]) for number, row in rows.items()} == {
        "12": 3,
        "34": 3,
        "56": 0,
        "78": 0,
        "91": 3,
    }
    assert "answers are of ada lovelace" in rows["56"]["note"]
    assert "answers are of ada lovelace" in rows["78"]["note"]
    assert not rows["12"]["note"]
    assert rows["91"]["student"] == "'=kim lee"  # a spreadsheet would run what begins with "="
    assert [rows["12"][f"{lesson} {CHECKED[lesson]} (of 5)"] for lesson in (1, 2)] == ["1", "2"]
    assert rows["12"]["out of"] == "10"  # of the lessons that were begun


def test_csv_and_gradebook_are_two_files(desk: Path) -> None:
    course.start(desk, "ada")
    assert cli.main(["course", "report", str(desk), "--csv", "--gradebook"]) == 2


def points(root: Path, files: dict[str, str]) -> dict[str, tuple[int, str]]:
    """Points and note of each user."""
    archive = root / "work.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    rows = course.report(archive).gradebook()
    return {row["folder"]: (row["points"], row["note"]) for _, row in rows.iterrows()}


def test_of_two_users_with_equal_work_neither_is_guessed(tmp_path: Path) -> None:
    """The names of the platform do not say whose the file is."""
    files = {
        "Alan Able_1_assignsubmission_file_/course-progress.json": record("s1234567"),
        "Zed Zimmer_2_assignsubmission_file_/course-progress.json": record("s1234567"),
    }
    assert points(tmp_path, files) == {
        "Alan Able": (0, "the same work as Zed Zimmer: ask whose it is"),
        "Zed Zimmer": (0, "the same work as Alan Able: ask whose it is"),
    }


def test_two_users_with_one_name_and_work_of_their_own(tmp_path: Path) -> None:
    other = json.loads(record("ada"))
    other["students"]["ada"]["1.1"]["attempts"] = 3
    files = {
        "Ada Byron_1_assignsubmission_file_/course-progress.json": record("ada"),
        "Ada Lovelace_2_assignsubmission_file_/course-progress.json": json.dumps(other),
    }
    assert points(tmp_path, files) == {
        "Ada Byron": (3, "Ada Lovelace signs in with the same name"),
        "Ada Lovelace": (3, "Ada Byron signs in with the same name"),
    }


def test_anonymous_users(tmp_path: Path) -> None:
    files = {
        "anon_Ab3x9_77_course-progress.json": record("ada"),
        "Participant_5_assignsubmission_file_/course-progress.json": record("grace"),
    }
    assert points(tmp_path, files) == {"anon Ab3x9": (3, ""), "Participant 5": (3, "")}
