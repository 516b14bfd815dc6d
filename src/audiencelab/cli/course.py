"""The subcommand `audiencelab course`: hand out, mark, answers, and exports."""

from __future__ import annotations

import csv
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from audiencelab.cli.help import SETTINGS, Decorator, HeadedGroup
from audiencelab.cli.output import echo, echo_lines, examples, file_argument, one_of
from audiencelab.course.errors import CourseError

if TYPE_CHECKING:
    import pandas as pd


@click.group(cls=HeadedGroup, context_settings=SETTINGS)
def course() -> None:
    """Ten lessons on reading surveys, with a survey for each student."""


_STUDENT = click.option(
    "--student",
    "students",
    multiple=True,
    metavar="NAME",
    help="The student of the lessons; given several times, each gets a folder in FOLDER.",
)
_CLASS = click.option(
    "--class",
    "class_list",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A text file of students, one name a line; each gets a folder in FOLDER.",
)


def _salt(_: click.Context, __: click.Parameter, given: str | None) -> str:
    if given is not None and not given.strip():
        raise CourseError("The salt of an exam must have a letter or digit: --exam spring-2027")
    return (given or "").strip()


def _exam(text: str) -> Decorator:
    return click.option("--exam", metavar="SALT", callback=_salt, help=text)


@course.command(
    epilog=examples("course start lessons --student Ann", "course start class --class names.txt")
)
@file_argument("folder")
@_STUDENT
@_CLASS
@_exam("An exam: other surveys, and answers are kept until the report marks them.")
def start(folder: Path, students: tuple[str, ...], class_list: Path | None, exam: str) -> None:
    """Copy the lessons into a folder, for one student or many.

    Folders that were started for students before stay as they are.
    """
    from audiencelab.course.distribute import new_folders
    from audiencelab.course.distribute import start as copy_lessons

    one_of({"--student": students, "--class": class_list}, required=True)
    names = list(students) if class_list is None else _names(class_list)
    new, started = new_folders(folder, names, exam=exam)
    echo_lines(f"{target}: started before for {student}" for target, student in started.items())
    lessons: list[Path] = []
    for target, student in new.items():
        lessons = copy_lessons(target, student, exam=exam)
        echo(f"{target}: {len(lessons)} lessons for {student}")
    if lessons:
        echo(f"Open a lesson: audiencelab lab {shlex.quote(str(lessons[0]))}")


@course.command(epilog=examples("course report class"))
@file_argument("folder")
@click.option("--csv", "as_csv", is_flag=True, help="Every student and exercise, as CSV.")
@click.option("--gradebook", is_flag=True, help="Points of each student by lesson, as CSV.")
@_exam("The salt of the exam that the folders are of.")
def report(folder: Path, as_csv: bool, gradebook: bool, exam: str) -> None:
    """Report who solved what, of all lessons below a folder."""
    from audiencelab.course.instructor import report as mark

    one_of({"--csv": as_csv, "--gradebook": gradebook})
    found = mark(folder, exam=exam)
    if as_csv or gradebook:
        if gradebook:
            sys.stdout.write("\ufeff")  # spreadsheets then read the names as UTF-8
        _write_csv(found.gradebook() if gradebook else found.to_frame())
    else:
        lessons = found.to_frame().pivot_table(
            index=["student", "folder"],
            columns="lesson",
            values="solved",
            aggfunc="sum",
            margins=True,
            margins_name="all",
        )
        echo(lessons.to_string() if found.lines else "no students")
        echo_lines(f"{line.folder}: {line.note}" for line in found.lines if line.note)
        exercises = found.by_exercise().round(1)
        if not (tried := exercises[exercises["tried"] > 0]).empty:
            echo()
            echo(tried.to_string(index=False))
    echo_lines(map(str, found.unread), err=True)


@course.command(epilog=examples("course answers Ann"))
@click.argument("student", metavar="NAME")
@click.option("--csv", "as_csv", is_flag=True, help="With the code of each answer, as CSV.")
@_exam("The answers in an exam with this salt.")
def answers(student: str, as_csv: bool, exam: str) -> None:
    """List the right answers of a student."""
    from audiencelab.course.instructor import answers as right_answers

    found = right_answers(student, exam=exam)
    if as_csv:
        _write_csv(found)
    else:
        echo(found[["exercise", "title", "answer", "asks_for"]].to_string(index=False))


@course.command(
    epilog=examples("course solutions solutions", "course solutions marking --student Ann")
)
@file_argument("folder")
@_STUDENT
@_CLASS
def solutions(folder: Path, students: tuple[str, ...], class_list: Path | None) -> None:
    """Write worked solutions, with the answers of a student and known mistakes.

    Without a student, those of the lessons as they are published. Folders of a class that were
    written before stay as they are.
    """
    from audiencelab.course.distribute import folders
    from audiencelab.course.lesson_cells import TEACHER
    from audiencelab.course.solutions import solutions as write_solutions

    one_of({"--student": students, "--class": class_list})
    names = list(students or [TEACHER]) if class_list is None else _names(class_list)
    for target, student in folders(folder, names).items():
        if target != folder and target.is_dir():
            echo(f"{target}: written before for {student}")
        else:
            written = write_solutions(target, student)
            echo(f"{target}: solutions of {len(written)} lessons for {student}")


@course.command(
    epilog=examples("course export grading --to nbgrader", "course export grading --to otter")
)
@file_argument("folder")
@click.option("--to", type=click.Choice(["nbgrader", "otter"]), required=True)
def export(folder: Path, to: str) -> None:
    """Write the lessons as assignments of nbgrader or otter-grader."""
    from audiencelab.course.exports import export as write_assignments

    written = write_assignments(folder, to)
    echo(f"{folder}: {len(written)} assignments")
    if to == "nbgrader":
        echo(f"Go on: cd {shlex.quote(str(folder))} && nbgrader generate_assignment lesson-1")
    else:
        echo(f"Go on: otter assign {shlex.quote(str(written[0]))} dist/lesson-1")


def _names(file: Path) -> list[str]:
    try:
        # Spreadsheets and editors of Windows begin a file with a byte order mark.
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise CourseError(
            f"{file} is not a text file in UTF-8: save the list again as UTF-8."
        ) from None
    if not (names := [name for line in lines if (name := line.strip())]):
        raise CourseError(f"{file} names no student: write one name on each line.")
    return names


def _write_csv(frame: pd.DataFrame) -> None:
    """As CSV in which a spreadsheet takes no cell for a formula."""
    from audiencelab.csv_injection import defused_field

    writer = csv.writer(sys.stdout)
    writer.writerow(frame.columns)
    for row in cast("list[tuple[object, ...]]", list(frame.itertuples(index=False, name=None))):
        writer.writerow(
            [defused_field(value) if isinstance(value, str) else value for value in row]
        )
