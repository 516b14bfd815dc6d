"""Worked solutions for those who mark: the way to each answer, the answer, and known mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from audiencelab.course.distribute import lesson_files
from audiencelab.course.exercises import Exercise
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
from audiencelab.course.reference import Respondents
from audiencelab.course.students import respondents_of, student_name


def solutions(folder: Path, student: str | int) -> list[Path]:
    """Write a notebook of worked solutions for each lesson that has exercises.

    Returns their paths. Raises `CourseError` where one of them exists, and `WriteError`; nothing is
    written then.
    """
    name = student_name(student)
    written = dict(_notebooks(folder, name))
    write_new(written)
    return list(written)


def _notebooks(folder: Path, student: str) -> Iterator[tuple[Path, str]]:
    respondents = respondents_of(student)
    for path in lesson_files():
        notebook = read_lesson(path)
        found = list(parts(notebook))
        if any(isinstance(part, ExerciseCells) for part in found):
            number = path.stem.split("-")[1]
            cells = [*_cells(found, student, respondents)]
            cells[0] = _text(
                "solutions", f"{source_of(cells[0]).splitlines()[0]}\n\n{_OF}{student}"
            )
            yield folder / f"lesson-{number}-solutions.ipynb", text_of(notebook, cells)


_OF = "Worked solutions. The values are those of the survey of: "


def _cells(
    found: list[Cell | ExerciseCells], student: str, respondents: Respondents
) -> Iterator[Cell]:
    """The title, the cell that signs in, and the exercises with the text before them."""
    name = json.dumps(student, ensure_ascii=False)
    is_exercises = False
    for index, part in enumerate(found):
        if isinstance(part, ExerciseCells):
            yield from part.text
            yield part.with_answer(part.solution)
            yield _text(f"answer-{part.exercise.number}", _told(part.exercise, respondents))
            continue
        if part["cell_type"] == "markdown" and source_of(part).startswith("## "):
            is_exercises = source_of(part).startswith("## Exercises")
        if index == 0 or is_exercises or "sign-in" in part["metadata"].get("tags", ()):
            yield signed_in(part, name)


def _told(exercise: Exercise, respondents: Respondents) -> str:
    """The answer and the mistakes, as Markdown."""
    kind = exercise.kind

    def shown(value: object) -> str:
        return kind.shown(value, respondents).replace("|", "\\|").replace("\n", " ")

    right = shown(exercise.answer(respondents))
    lines = [f"**Answer to {exercise.number}**, {kind.asks_for}: **{right}**"]
    if exercise.mistakes:
        lines += [
            "",
            "| another answer | what it is | what the student reads |",
            "| --- | --- | --- |",
        ]
        lines += [
            f"| {shown(each.value(respondents))} | {each.name} | {each.words} |"
            for each in exercise.mistakes
        ]
    return "\n".join(lines)


def _text(name: str, source: str) -> Cell:
    return {
        "cell_type": "markdown",
        "id": name.replace(".", "-"),
        "metadata": {},
        "source": source,
    }
