"""The cells of a lesson: the one that signs in, and those of its exercises; and new notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from audiencelab.course.errors import CourseError
from audiencelab.course.exercises import EXERCISES, Exercise
from audiencelab.files import all_or_none, make_folder, put_new

Cell = dict[str, Any]

TEACHER = "demo"
"""The student's name in the published lessons."""

_CHECK = re.compile(r'course\.check\("(\d+\.\d+)", answer\)')
_DOTS = re.compile(r"^answer = \.\.\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ExerciseCells:
    """An exercise in a lesson: the cells of its text, and the one of its answer."""

    exercise: Exercise
    text: list[Cell]
    code: Cell

    @property
    def solution(self) -> str:
        """The lines that compute the answer, without those that the cell begins with."""
        given = _DOTS.split(source_of(self.code))[0].strip("\n")
        steps = self.exercise.steps.strip("\n")
        if given and f"{steps}\n".startswith(f"{given}\n"):
            steps = steps.removeprefix(given).strip("\n")
        return "\n".join(filter(None, (steps, f"answer = {self.exercise.way}")))

    def with_answer(self, lines: str) -> Cell:
        """The code, with lines instead of the dots."""
        return self.code | {"source": _DOTS.sub(lambda _: lines, source_of(self.code))}


def read_lesson(path: Path) -> dict[str, Any]:
    """The notebook of a lesson, without outputs."""
    notebook = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    for cell in cast("list[Cell]", notebook["cells"]):
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return notebook


def parts(notebook: dict[str, Any]) -> Iterator[Cell | ExerciseCells]:
    """The cells of a lesson in order, those of each exercise together."""
    text: list[Cell] = []
    for cell in cast("list[Cell]", notebook["cells"]):
        found = _CHECK.search(source_of(cell)) if cell["cell_type"] == "code" else None
        if found is not None and _DOTS.search(source_of(cell)):
            # The exercise begins with its heading.
            while text and not source_of(text[0]).startswith(f"### {found[1]} "):
                yield text.pop(0)
            yield ExerciseCells(EXERCISES[found[1]], text, cell)
            text = []
        else:
            text.append(cell)
    yield from text


def signed_in(cell: Cell, name: str) -> Cell:
    """A cell, with another name where it signs in; name: the code of it."""
    if "sign-in" not in cell["metadata"].get("tags", ()):
        return cell
    lines = source_of(cell).replace(json.dumps(TEACHER), name).splitlines(keepends=True)
    return cell | {"source": lines}


def source_of(cell: Cell) -> str:
    """The source of a cell."""
    return "".join(cell["source"])


def text_of(notebook: dict[str, Any], cells: list[Cell]) -> str:
    """A notebook with these cells, as it is written."""
    return json.dumps(notebook | {"cells": cells}, indent=1, ensure_ascii=False) + "\n"


def write_new(files: dict[Path, str]) -> None:
    """Write all files, or none.

    Raises `CourseError` where one of them exists, and `WriteError`.
    """
    if taken := [path for path in files if path.exists()]:
        raise CourseError(
            f"{taken[0]} is there already, and nothing was written: name another folder."
        )
    for path in files:
        make_folder(path.parent)
    with all_or_none(*files):
        for path, text in files.items():
            put_new(path, text.encode())
