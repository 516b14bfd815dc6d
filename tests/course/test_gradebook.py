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
    rows = {row["id"]: row for row in csv.DictReader(streams.out.splitlines())}
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
    by_lesson = [rows["12"][f"{lesson} {title}"] for lesson, title in CHECKED.items()]
    assert by_lesson[:3] == ["1", "2", "0"]
    assert rows["12"]["out of"] == str(len(EXERCISES))


def test_csv_and_gradebook_are_two_files(desk: Path) -> None:
    course.start(desk, "ada")
    assert cli.main(["course", "report", str(desk), "--csv", "--gradebook"]) == 2
