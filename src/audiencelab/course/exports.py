"""The lessons as assignments of nbgrader and otter-grader, with a cell of tests for each exercise.

The tests call `check`, so no notebook contains an answer of a student. The way to an answer is in
the instructor's notebooks only: both programs leave it out of what students get.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from audiencelab.course.distribute import lesson_files
from audiencelab.course.lesson_cells import (
    Cell,
    ExerciseCells,
    parts,
    read_lesson,
    signed_in,
    source_of,
    text_of,
    write_new,
)
from audiencelab.course.students import who
from audiencelab.course.submissions import named

_NBGRADER_CONFIG = """\
# nbgrader reads this file in the folder in which it is started.
c = get_config()  # noqa: F821
c.ClearSolutions.code_stub = {"python": "answer = ..."}
"""

_OTTER_CONFIG = """\
# ASSIGNMENT CONFIG
name: {name}
requirements: [audiencelab]
tests: {{ok_format: false}}
export_cell: {{pdf: false, files: [course-progress.json]}}
strip_solutions_from_all_cells: true
"""


def export(folder: Path, to: str) -> list[Path]:
    """Write the lessons that have exercises as assignments for "nbgrader" or "otter".

    Returns the paths of the notebooks. Raises `CourseError` where one of them exists, and
    `WriteError`; nothing is written then.
    """
    files = dict(_FORMATS[to](folder))
    write_new(files)
    return [path for path in files if path.suffix == ".ipynb"]


def submitter() -> str | None:
    """The student whose work nbgrader marks; None while it does not.

    The working folder is `autograded/ID/ASSIGNMENT` then. A notebook that is signed in as another
    student is checked against the survey of the id, so another student's answers are not right.
    """
    if os.environ.get("NBGRADER_EXECUTION") != "autograde":
        return None
    folder, name = Path.cwd().parent.name, who()
    return name if named([folder], name) == 2 else folder


def _lessons() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in lesson_files():
        notebook = read_lesson(path)
        if any(isinstance(part, ExerciseCells) for part in parts(notebook)):
            yield path, notebook


def _for_nbgrader(folder: Path) -> Iterator[tuple[Path, str]]:
    yield folder / "nbgrader_config.py", _NBGRADER_CONFIG
    for path, notebook in _lessons():
        assignment = "-".join(path.stem.split("-")[:2])
        cells: list[Cell] = []
        for part in parts(notebook):
            if isinstance(part, ExerciseCells):
                cells += [*part.text, *_nbgrader_cells(part)]
            else:
                cells += _sign_in(part, "user name", lambda _, open_line: [open_line])
        yield folder / "source" / assignment / path.name, text_of(notebook, cells)


def _nbgrader_cells(task: ExerciseCells) -> Iterator[Cell]:
    number = task.exercise.number
    answer = task.with_answer(f"### BEGIN SOLUTION\n{task.solution}\n### END SOLUTION")
    yield _marked_up(answer, f"answer-{number}", solution=True)
    tests = (
        f"# Exercise {number}, 1 point: nbgrader puts its tests here. Leave this cell as it is.\n"
        "### BEGIN HIDDEN TESTS\n"
        "from audiencelab.course.exports import submitter\n"
        "\n"
        f'checked = course.check("{number}", answer, student=submitter())\n'
        'assert checked.right, f"{checked.student}: {checked}"\n'
        "### END HIDDEN TESTS"
    )
    yield _marked_up(_code(f"test-{number}", tests), f"test-{number}", grade=True, locked=True)


def _marked_up(
    cell: Cell, name: str, *, solution: bool = False, grade: bool = False, locked: bool = False
) -> Cell:
    """A cell with what nbgrader needs to know of it."""
    found: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": name.replace(".", "-"),
        "cell_type": "code",
        "solution": solution,
        "grade": grade,
        "locked": locked,
        "task": False,
    }
    if grade:
        found["points"] = 1
    return cell | {"metadata": cell["metadata"] | {"nbgrader": found}}


def _for_otter(folder: Path) -> Iterator[tuple[Path, str]]:
    for path, notebook in _lessons():
        cells = [_raw("config", _OTTER_CONFIG.format(name=path.stem))]
        for part in parts(notebook):
            if isinstance(part, ExerciseCells):
                cells += _otter_cells(part)
            else:
                cells += _sign_in(part, "name", _otter_solution)
        yield folder / path.name, text_of(notebook, cells)


def _sign_in(cell: Cell, name: str, lines: Callable[[str, str], list[str]]) -> list[Cell]:
    """A cell, in which students have dots for their names if it signs in.

    lines: what is written for a line and the same line with dots.
    """
    dotted = signed_in(cell, "...")
    if dotted == cell:
        return [cell]
    source: list[str] = []
    for line, open_line in zip(_lines(cell), _lines(dotted), strict=True):
        source += [line] if line == open_line else lines(line, open_line)
    asked = f"**Replace the dots by your {name}**, in quotation marks, and run the cell."
    request: Cell = {"cell_type": "markdown", "id": "sign-in", "metadata": {}, "source": asked}
    return [request, cell | {"source": "\n".join(source)}]


def _otter_cells(task: ExerciseCells) -> list[Cell]:
    number = task.exercise.number
    name = number.replace(".", "_")
    # Otter tests an answer at the end where a student deleted the cell that checks it, so each
    # answer has its own name.
    own = f"answer_{name}"
    answer = task.with_answer("\n".join(_otter_solution(task.solution, "answer = ...")))
    answer["source"] = (
        answer["source"].replace("answer = ", f"{own} = ").replace(", answer)", f", {own})")
    )
    tests = (
        f"def test_{name}({own}):\n"
        "    from audiencelab import course\n"
        "\n"
        f'    checked = course.check("{number}", {own})\n'
        '    assert checked.right, f"{checked.student}: {checked}"'
    )
    return [
        _raw(f"begin-{name}", f"# BEGIN QUESTION\nname: q{name}\npoints: 1"),
        *task.text,
        _raw(f"begin-solution-{name}", "# BEGIN SOLUTION"),
        answer,
        _raw(f"end-solution-{name}", "# END SOLUTION"),
        _raw(f"begin-tests-{name}", "# BEGIN TESTS"),
        _code(f"test-{name}", tests),
        _raw(f"end-tests-{name}", "# END TESTS"),
        _raw(f"end-{name}", "# END QUESTION"),
    ]


def _otter_solution(solution: str, prompt: str) -> list[str]:
    """Lines of the solution, and the one that students get."""
    return [
        "# BEGIN SOLUTION NO PROMPT",
        solution,
        "# END SOLUTION",
        '""" # BEGIN PROMPT',
        prompt,
        '""" # END PROMPT',
    ]


def _lines(cell: Cell) -> list[str]:
    return source_of(cell).splitlines()


def _code(name: str, source: str) -> Cell:
    return _raw(name, source) | {"cell_type": "code", "outputs": [], "execution_count": None}


def _raw(name: str, source: str) -> Cell:
    return {"cell_type": "raw", "id": name.replace(".", "-"), "metadata": {}, "source": source}


_FORMATS: dict[str, Callable[[Path], Iterator[tuple[Path, str]]]] = {
    "nbgrader": _for_nbgrader,
    "otter": _for_otter,
}
