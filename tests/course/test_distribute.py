"""The lessons as files: what a student gets, and that it holds together."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from audiencelab import cli, course
from audiencelab.course import distribute
from audiencelab.course.distribute import folder_name, lesson_files
from audiencelab.course.exercises import EXERCISES, LESSONS
from audiencelab.course.records import FILE
from audiencelab.course.students import respondents_of
from tests.course.solving import STUDENTS, solve
from tests.messages import fails

FILES = lesson_files()
BUDGET_BYTES = 250_000
"""Of four charts, each as SVG and as PNG for programs that show no SVG, most of it."""


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in document["cells"] if cell["cell_type"] == kind]


def text(path: Path, kind: str) -> str:
    return "\n\n".join("".join(cell["source"]) for cell in cells(path, kind))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
class TestLesson:
    """Each lesson as it is published."""

    def test_has_its_form(self, path: Path) -> None:
        heads = re.findall(r"^(#+ .*)$", text(path, "markdown"), re.MULTILINE)
        number = FILES.index(path) + 1
        mine = [each for each in EXERCISES.values() if each.lesson == number]
        assert heads[0].startswith(f"# Lesson {number}: ")
        assert LESSONS[number - 1].lower() in heads[0].lower()
        assert heads[1] == "## What you will learn"
        assert heads[2].startswith("## A puzzle")
        asked = [f"### {each.number} {each.title}" for each in mine]
        assert heads[-len(asked) - 2 :] == ["## Exercises", *asked, "## What to remember"]
        checked = re.findall(r'course\.check\("([\d.]+)", answer\)', text(path, "code"))
        assert checked == [each.number for each in mine]

    def test_was_run_and_shows_no_error(self, path: Path) -> None:
        code = cells(path, "code")
        assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
        outputs = [output for cell in code for output in cell["outputs"]]
        assert [each for each in outputs if each["output_type"] == "error"] == []

    def test_is_small_and_names_no_folder(self, path: Path) -> None:
        written = path.read_text(encoding="utf-8")
        assert len(written.encode()) < BUDGET_BYTES
        assert not [word for word in ("/home/", "/root/", "/Users/", "/tmp/") if word in written]

    def test_holds_no_answer(self, path: Path) -> None:
        """No way to an answer, and none of the figures of the student it was run for."""
        written = re.sub(r"\s", "", text(path, "code"))
        respondents = respondents_of("demo")
        for each in EXERCISES.values():
            assert re.sub(r"\s", "", f"answer={each.way}") not in written
            right = each.answer(respondents)
            if isinstance(right, float) and abs(right) > 10:
                assert f"{right:.4f}" not in path.read_text(encoding="utf-8")


def test_a_student_gets_lessons_of_their_own(tmp_path: Path) -> None:
    made = course.start(tmp_path / "ada", "Ada")
    assert [path.name for path in made] == [path.name for path in FILES]
    for path in made:
        assert 'course.connect(student="ada")' in text(path, "code")
        assert "demo" not in re.findall(r"student=.*", text(path, "code"))[0]
        assert all(not cell["outputs"] for cell in cells(path, "code"))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    course.start(tmp_path, "ada")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with fails(course.CourseError):
        course.start(tmp_path, "grace")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ['o"hara', "o'hara\\", "zoë {x}", "数学"])
def test_any_name_stays_text(name: str, tmp_path: Path) -> None:
    first = course.start(tmp_path, name)[0]
    source = "".join(cells(first, "code")[0]["source"])
    told: list[str] = []
    line = next(line for line in source.splitlines() if "connect(" in line)
    exec(line, {"course": type("Course", (), {"connect": lambda student: told.append(student)})})
    assert told == [name]


def test_an_installation_that_lost_its_lessons_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distribute, "files", lambda _: tmp_path / "audiencelab" / "course")
    with fails(course.CourseError):
        course.start(tmp_path / "ada", "ada")


def test_names_of_folders() -> None:
    assert folder_name("Ada Lovelace") == "ada-lovelace"
    assert folder_name("../../etc") == "etc"
    with fails(course.CourseError):
        folder_name("..")


def test_a_class_comes_from_a_list_and_whoever_comes_later_joins_it(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("\ufeffAda\r\n\n  Grace Hopper \n", encoding="utf-8")
    room = tmp_path / "room"
    assert cli.main(["course", "start", str(room), "--class", str(names)]) == 0
    assert cli.main(["course", "start", str(room), "--student", "Emmy"]) == 0
    assert {path.name for path in room.iterdir()} == {"ada", "grace-hopper", "emmy"}


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        (b"Ada\nada\n", "'Ada' and 'ada' are one name"),
        (b"Ada L\nAda-L\n", "'Ada L' and 'Ada-L' would share the folder"),
        (b"Grace\nOther\n", "is there already, and nothing was written"),
        (b"\n \n", "names no student: write one name on each line"),
        (b"\xff\xfeA", "is not a text file in UTF-8"),
    ],
)
def test_a_class_is_handed_out_whole_or_not_at_all(
    listed: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names, room = tmp_path / "names.txt", tmp_path / "room"
    names.write_bytes(listed)
    course.start(room / "other", "emmy")
    assert cli.main(["course", "start", str(room), "--class", str(names)]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in room.iterdir()] == ["other"]


def test_a_class_with_one_more_name_gets_one_more_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names, room = tmp_path / "names.txt", tmp_path / "room"
    command = ["course", "start", str(room), "--class", str(names)]
    names.write_text("Ada\nGrace\n", "utf-8")
    assert cli.main(command) == 0
    (room / "ada" / "lesson-2-percentages-and-bases.ipynb").write_text("worked in", "utf-8")
    before = {path: path.read_bytes() for path in room.rglob("*.*")}
    names.write_text("Ada\nGrace\nEmmy\n", "utf-8")
    capsys.readouterr()
    assert cli.main(command) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [
        f"{room / name.lower()}: started before for {name}" for name in ("Ada", "Grace")
    ]
    assert said[2].endswith("lessons for Emmy")
    assert cli.main(command) == 0
    after = {path: path.read_bytes() for path in room.rglob("*.*")}
    assert before.items() <= after.items()
    assert {path.parent.name for path in after.keys() - before.keys()} == {"emmy"}


def test_the_command_hands_out_and_marks(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["course", "start", "out", "--student", "ada", "--student", "=Grace"]) == 0
    assert f"{len(FILES)} lessons for ada" in capsys.readouterr().out
    monkeypatch.chdir(desk / "out" / "grace")
    course.check("1.1", 12, student="=grace")
    monkeypatch.chdir(desk)
    assert cli.main(["course", "report", "out"]) == 0
    assert "ada" in capsys.readouterr().out
    assert cli.main(["course", "report", "out", "--csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "student,folder,note,lesson,exercise,solved,attempts,hints,slips"
    # A spreadsheet would run what begins with "=".
    assert "'=grace,grace,,1,1.1,False,1,0," in lines
    assert cli.main(["course", "answers", "ada"]) == 0
    assert "7.4" in capsys.readouterr().out
    assert cli.main(["course", "answers", "ada", "--csv"]) == 0
    (first, *_) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert (first["exercise"], first["answer"]) == ("1.1", "216")
    (desk / "out" / "broken").mkdir()
    (desk / "out" / "broken" / FILE).write_text("[1]", encoding="utf-8")
    assert cli.main(["course", "report", "out"]) == 0
    assert "cannot be read as a record" in capsys.readouterr().err
    assert cli.main(["course", "start", "out/ada", "--student", "ada"]) == 2
    assert "nothing was written" in capsys.readouterr().err


def test_a_whole_class_takes_the_course(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three students run every cell of every lesson, with right answers for the dots."""
    for student in STUDENTS:
        for path in course.start(desk / student, student):
            monkeypatch.chdir(desk / student)
            take(path)
            monkeypatch.chdir(desk)
    report = course.report(desk)
    assert report.to_frame()["solved"].all()
    assert [line.student for line in report.lines] == sorted(STUDENTS)


def take(path: Path) -> None:
    """Run a lesson's code, cell by cell, as a student who knows everything."""
    names: dict[str, Any] = {"print": lambda *_: None, "display": lambda *_: None}
    for cell in cells(path, "code"):
        source = "".join(cell["source"])
        found = re.search(r'check\("([\d.]+)", answer\)', source)
        if found:
            names["right"] = solve(EXERCISES[found[1]], names["mine"])
            source = source.replace("answer = ...", "answer = right")
        exec(compile(source, str(path), "exec"), names)
