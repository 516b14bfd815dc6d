"""Assignments of nbgrader and otter-grader, and worked solutions."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audiencelab import cli, course
from audiencelab.course.exercises import EXERCISES, Exercise
from audiencelab.course.exports import export
from audiencelab.course.lesson_cells import read_lesson, source_of
from audiencelab.course.students import respondents_of
from tests.messages import fails

LESSON = "lesson-2-percentages-and-bases.ipynb"
NUMBERS = [each.number for each in EXERCISES.values() if each.lesson == 2]


def right(exercise: Exercise, name: str) -> str:
    """Lines that answer an exercise."""
    return f"{exercise.steps}\n{name} = {exercise.way}"


def first_is_right(exercise: Exercise, name: str) -> str:
    """The first exercise right, a mistake, text, an error, and no answer."""
    respondents = respondents_of("grace")
    mistake = exercise.mistakes[0].value(respondents)
    lines = [repr(exercise.answer(respondents)), repr(mistake), "'none'", "1 / 0", "..."]
    return f"{name} = {lines[int(exercise.number[-1]) - 1]}"


def fill_in(
    assignment: Path, into: Path, student: str, how: Callable[[Exercise, str], str]
) -> None:
    """A student's work: the code of a name, and lines for the dots."""
    notebook = read_lesson(assignment)
    for cell in notebook["cells"]:
        text = source_of(cell).replace("student=...", f"student={student}")
        if found := re.search(r'^(answer\w*) = \.\.\.$[^#]*check\("([\d.]+)"', text, re.MULTILINE):
            lines = how(EXERCISES[found[2]], found[1])
            if found[1] != "answer":
                lines = lines.replace("\nanswer = ", f"\n{found[1]} = ")
            text = text.replace(f"{found[1]} = ...", lines)
        cell["source"] = text
    into.mkdir(parents=True)
    (into / assignment.name).write_text(json.dumps(notebook), "utf-8")


def code_of_tests(path: Path) -> dict[str, str]:
    """The code of each exercise's tests."""
    cells = [source_of(cell) for cell in read_lesson(path)["cells"] if cell["cell_type"] == "code"]
    found = [(re.search(r'check\("([\d.]+)"', cell), cell) for cell in cells if "assert" in cell]
    return {number[1]: cell for number, cell in found if number}


@pytest.mark.parametrize("to", ["nbgrader", "otter"])
def test_each_exercise_is_tested_once(to: str, tmp_path: Path) -> None:
    written = export(tmp_path / "out", to)
    numbers = [number for path in written for number in code_of_tests(path)]
    assert numbers == list(EXERCISES)
    with fails(course.CourseError):
        export(tmp_path / "out", to)


def test_no_student_of_nbgrader_gets_a_way_to_an_answer(tmp_path: Path) -> None:
    """Without the regions that nbgrader removes, the lesson is as it was."""
    for path in export(tmp_path, "nbgrader"):
        cells = read_lesson(path)["cells"]
        marked = [cell for cell in cells if "nbgrader" in cell["metadata"]]
        assert len({cell["metadata"]["nbgrader"]["grade_id"] for cell in marked}) == len(marked)
        for cell in cells:
            region = r"### BEGIN (HIDDEN TESTS|SOLUTION)\n.*### END \1"
            left = re.sub(region, "answer = ...", source_of(cell), flags=re.DOTALL)
            assert not any(f"answer = {each.way}" in left for each in EXERCISES.values())
            assert "BEGIN" not in left
        (sign_in,) = [cell for cell in cells if "sign-in" in cell["metadata"].get("tags", ())]
        assert "course.connect(student=...)" in source_of(sign_in)
    assert 'code_stub = {"python": "answer = ..."}' in (tmp_path / "nbgrader_config.py").read_text()


def test_the_tests_of_nbgrader_mark_the_student_who_handed_in(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = code_of_tests(desk / "source" / "lesson-2" / LESSON) if export(desk, "nbgrader") else {}
    names: dict[str, Any] = {"course": course}
    answer = EXERCISES["2.1"].answer(respondents_of("ada"))
    course.connect("Ada")
    exec(tests["2.1"], names | {"answer": answer})
    with pytest.raises(AssertionError, match=r"ada: ✗ 2\.1"):
        exec(tests["2.1"], names | {"answer": 0})
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    for folder, is_hers in (("ada", True), ("ada-l", True), ("eve", False), ("adalbert", False)):
        work = desk / "autograded" / folder / "lesson-2"
        work.mkdir(parents=True)
        monkeypatch.chdir(work)
        if is_hers:
            exec(tests["2.1"], names | {"answer": answer})
        else:
            with pytest.raises(AssertionError, match=f"{folder}: "):
                exec(tests["2.1"], names | {"answer": answer})


def test_nbgrader_gives_the_marks_of_the_report(tmp_path: Path) -> None:
    if (nbgrader := shutil.which("nbgrader")) is None:
        pytest.skip("nbgrader is not installed")
    export(tmp_path, "nbgrader")
    run([nbgrader, "generate_assignment", "lesson-2"], tmp_path)
    released = tmp_path / "release" / "lesson-2" / LESSON
    assert "BEGIN" not in released.read_text("utf-8")
    for folder, student, how in (
        ("ada", '"ada"', right),
        ("grace", '"Grace"', first_is_right),
        ("eve", '"ada"', right),
        ("kim", "...", right),
    ):
        fill_in(released, tmp_path / "submitted" / folder / "lesson-2", student, how)
    run([nbgrader, "autograde", "lesson-2"], tmp_path)
    run([nbgrader, "export"], tmp_path)
    with (tmp_path / "grades.csv").open(encoding="utf-8") as file:
        marks = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    # 2.4, an audience, is the same for everyone.
    assert marks == {"ada": 5, "grace": 1, "eve": 1, "kim": 0}
    report = course.report(tmp_path / "autograded").to_frame()
    assert report.groupby("student")["solved"].sum()[["ada", "grace"]].tolist() == [5, 1]


def test_otter_gives_the_marks_of_the_report(tmp_path: Path) -> None:
    if (otter := shutil.which("otter")) is None:
        pytest.skip("otter-grader is not installed")
    export(tmp_path, "otter")
    run([otter, "assign", LESSON, "dist"], tmp_path)
    given = tmp_path / "dist" / "student" / LESSON
    assert not any(EXERCISES[number].way in given.read_text("utf-8") for number in NUMBERS)
    (archive,) = (tmp_path / "dist" / "autograder").glob("*.zip")
    for student, how, points in (("ada", right, 5), ("grace", first_is_right, 1)):
        work = tmp_path / "work" / student
        fill_in(given, work, json.dumps(student), how)
        run([otter, "run", "-a", str(archive), LESSON], work)
        results = json.loads((work / "results.json").read_text("utf-8"))
        assert sum(each.get("score", 0) for each in results["tests"]) == points


def run(command: list[str], folder: Path) -> None:
    """Run a program of another environment, whose Python finds the package."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["PATH"] = os.pathsep.join((str(Path(command[0]).parent), env["PATH"]))
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2_000:]


def test_worked_solutions_run_and_are_right(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["course", "solutions", "out", "--student", "Ada"]) == 0
    assert "lessons for Ada" in capsys.readouterr().out
    for path in sorted((desk / "out").glob("lesson-[246]-solutions.ipynb")):
        names: dict[str, Any] = {"display": print}
        for cell in read_lesson(path)["cells"]:
            if cell["cell_type"] == "code":
                exec(compile(source_of(cell), str(path), "exec"), names)
    frame = course.report(desk).to_frame()
    assert frame[frame["lesson"].isin([2, 4, 6])]["solved"].all()
    text = (desk / "out" / "lesson-2-solutions.ipynb").read_text("utf-8")
    row = course.answers("ada").set_index("exercise").loc["2.1"]
    assert f"{row['asks_for']}: **{row['answer']}**" in text
    assert "You divided by those who find brands by short videos" in text
    assert cli.main(["course", "solutions", "out", "--student", "Ada"]) == 2
    assert "nothing was written" in capsys.readouterr().err


def test_solutions_of_a_class_are_written_for_one_more_name(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("names.txt").write_text("Ada\nGrace\n", encoding="utf-8")
    assert cli.main(["course", "solutions", "out", "--class", "names.txt"]) == 0
    Path("names.txt").write_text("Ada\nGrace\nEmmy\n", encoding="utf-8")
    assert cli.main(["course", "solutions", "out", "--class", "names.txt"]) == 0
    assert "written before for Grace" in capsys.readouterr().out
    assert {path.name for path in (desk / "out").iterdir()} == {"ada", "grace", "emmy"}


def test_the_command_exports(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["course", "export", "grading", "--to", "otter"]) == 0
    assert "otter assign grading/lesson-1" in capsys.readouterr().out
    assert cli.main(["course", "export", "marks", "--to", "nbgrader"]) == 0
    assert "cd marks && nbgrader generate_assignment lesson-1" in capsys.readouterr().out
