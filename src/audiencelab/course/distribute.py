"""Copies of the lessons with a student's name in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from audiencelab.course.errors import CourseError
from audiencelab.course.lesson_cells import read_lesson, signed_in, text_of
from audiencelab.course.records import FILE, ProgressFile
from audiencelab.course.students import in_exam, is_seed_of, seed_of, student_name
from audiencelab.files import all_or_none, make_folder, put_new


def lesson_files() -> list[Path]:
    """The notebooks of the lessons, in order: in the package, or in a checkout beside it.

    Raises `CourseError` if the installation lacks them.
    """
    package = Path(str(files("audiencelab.course")))
    checkout = package.parents[2] / "notebooks" / "course"
    for folder in (package / "lessons", checkout):
        if found := [*folder.glob("lesson-*.ipynb")]:
            return sorted(found, key=lambda path: int(path.stem.split("-")[1]))
    raise CourseError("The lessons are missing from this installation: install audiencelab again.")


def start(folder: str | Path, student: str | int, *, exam: str = "") -> list[Path]:
    """Copy the lessons into a folder for a student, without outputs, with the student's name.

    exam: a salt that only the instructor knows, for an exam: the student gets another survey, and
    answers are kept without a judgement until `report` marks them with the same salt.

    Returns the paths of the notebooks. Raises `CourseError` where one of them exists, since a
    student may have worked in it, and `WriteError`; nothing is written then.

    >>> from audiencelab import course
    >>> course.start(folder / "ada", "Ada")[0].name
    'lesson-1-samples-and-weights.ipynb'
    """
    name, target = student_name(student), Path(folder)
    _check_free(target)
    lessons = {target / path.name: _for(name, path) for path in lesson_files()}
    make_folder(target)
    record = ProgressFile.read(target / FILE)
    record.students[name] = {}
    record.seeds[name] = seed_of(name, exam=exam)
    with all_or_none(*lessons, record.path):
        for path, text in lessons.items():
            put_new(path, text.encode())
        record.write()
    return list(lessons)


def folders(folder: Path, students: Sequence[str]) -> dict[Path, str]:
    """The target folder of each student: the folder itself for one, subfolders for several.

    If the folder has subfolders of students already, a later student gets one too. Raises
    `CourseError` for two students with one folder, and where lessons exist; nothing is written.
    """
    placed = _placed(folder, students)
    for target in placed:
        _check_free(target)
    return placed


def new_folders(
    folder: Path, students: Sequence[str], *, exam: str = ""
) -> tuple[dict[Path, str], dict[Path, str]]:
    """As `folders`, and the subfolders that were started for their students before.

    Raises `CourseError` for a folder that was started for an exam and is not to be one, too.
    """
    placed = _placed(folder, students)
    started = {
        target: student
        for target, student in placed.items()
        if target != folder and _is_started(target, student, exam)
    }
    new = {target: student for target, student in placed.items() if target not in started}
    for target in new:
        _check_free(target)
    return new, started


def _placed(folder: Path, students: Sequence[str]) -> dict[Path, str]:
    alone = len(students) == 1 and not any(folder.glob(f"*/{FILE}"))
    placed: dict[Path, str] = {}
    for student in students:
        target = folder if alone else folder / folder_name(student)
        if (other := placed.get(target)) is not None:
            same = student_name(other) == student_name(student)
            share = "are one name" if same else f"would share the folder {target}"
            raise CourseError(
                f"{other!r} and {student!r} {share}, and nothing was written: write one of them "
                "otherwise, or take it from the list."
            )
        placed[target] = student
    return placed


def _is_started(folder: Path, student: str, exam: str) -> bool:
    record, name = ProgressFile.read(folder / FILE), student_name(student)
    if name not in record.students:
        return False
    seed = record.seeds.get(name)
    of_this = is_seed_of(seed, name, exam=exam) if seed is not None else not exam
    if not of_this:
        other = "another exam" if in_exam(seed, name) else "the course"
        raise CourseError(
            f"{folder} was started for {other}, and nothing was written: name another folder."
        )
    return True


def _check_free(folder: Path) -> None:
    names = [*(path.name for path in lesson_files()), FILE]
    if taken := [folder / name for name in names if (folder / name).exists()]:
        raise CourseError(
            f"{taken[0]} is there already, and nothing was written: name another folder."
        )


def folder_name(student: str | int) -> str:
    """A student's name as the name of a folder: letters, digits and hyphens."""
    words = "".join(sign if sign.isalnum() else " " for sign in student_name(student)).split()
    if not words:
        raise CourseError(f"The name {student!r} has no letter or digit to call a folder by.")
    return "-".join(words)


def _for(student: str, lesson: Path) -> str:
    """A lesson with the student's name, and without outputs of other students."""
    notebook = read_lesson(lesson)
    # A JSON string is a valid Python literal, whatever quotation marks are in it.
    name = json.dumps(student, ensure_ascii=False)
    return text_of(notebook, [signed_in(cell, name) for cell in notebook["cells"]])
