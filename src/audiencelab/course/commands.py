"""The subcommand `audiencelab course`: `start`, `report` and `answers`."""

from __future__ import annotations

import argparse
import csv
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from audiencelab.course.errors import CourseError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["add_course_arguments", "run_course"]


def add_course_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab course`."""
    parser.description = "Six lessons on reading surveys, with a panel for each student."
    ways = parser.add_subparsers(dest="way", required=True, metavar="ACTION")

    start = ways.add_parser("start", help="copy the lessons into a folder, for one student or many")
    start.add_argument("folder", type=Path, metavar="FOLDER", help="where the lessons go")
    whose = start.add_mutually_exclusive_group(required=True)
    whose.add_argument(
        "--student",
        action="append",
        metavar="NAME",
        help="whose figures the lessons show; given several times, each gets a folder in FOLDER",
    )
    whose.add_argument(
        "--class",
        dest="class_list",
        type=Path,
        metavar="FILE",
        help="a text file of students, one name on each line; each gets a folder in FOLDER",
    )

    report = ways.add_parser("report", help="say who solved what, of all that lies below a folder")
    report.add_argument(
        "folder", type=Path, metavar="FOLDER", help="what students handed in, however deep"
    )
    report.add_argument("--csv", action="store_true", help="every student and exercise, as CSV")

    answers = ways.add_parser("answers", help="list the right answers of a student")
    answers.add_argument("student", metavar="NAME", help="the name that the lessons were made for")
    answers.add_argument("--csv", action="store_true", help="with the code that gets there, as CSV")


def run_course(arguments: argparse.Namespace) -> int:
    """Do what was asked and say what came of it; raises `CourseError`."""
    if arguments.way == "start":
        _start(arguments.folder, arguments.student or _names(arguments.class_list))
    elif arguments.way == "report":
        _report(arguments.folder, as_csv=arguments.csv)
    else:
        _answers(arguments.student, as_csv=arguments.csv)
    return 0


def _names(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise CourseError(
            f"{file} is no text file in UTF-8: save the list as plain text."
        ) from None
    if not (names := [name for line in lines if (name := line.strip())]):
        raise CourseError(f"{file} names nobody: write one name on each line.")
    return names


def _start(folder: Path, students: list[str]) -> None:
    from audiencelab.course.handing_out import folders, start

    lessons: list[Path] = []
    for target, student in folders(folder, students).items():
        lessons = start(target, student)
        print(f"{target}: {len(lessons)} lessons for {student}")
    print(f"Open a lesson: audiencelab lab {shlex.quote(str(lessons[0]))}")


def _report(folder: Path, *, as_csv: bool) -> None:
    from audiencelab.course.marking import report

    found = report(folder)
    if as_csv:
        _write_csv(found.to_frame())
    else:
        lessons = found.to_frame().pivot_table(
            index="student",
            columns="lesson",
            values="solved",
            aggfunc="sum",
            margins=True,
            margins_name="all",
        )
        print(lessons.to_string() if found.students else "nobody")
        print()
        print(found.by_exercise().round(1).to_string(index=False))
    for each in found.unread:
        print(each, file=sys.stderr)


def _answers(student: str, *, as_csv: bool) -> None:
    from audiencelab.course.marking import answers

    found = answers(student)
    if as_csv:
        _write_csv(found)
    else:
        print(found[["exercise", "title", "answer", "asks_for"]].to_string(index=False))


def _write_csv(frame: pd.DataFrame) -> None:
    """As CSV in which no cell is taken for a formula by a spreadsheet."""
    from audiencelab.frames.formulas import defused_field

    writer = csv.writer(sys.stdout)
    writer.writerow(frame.columns)
    for row in cast("list[tuple[object, ...]]", list(frame.itertuples(index=False, name=None))):
        writer.writerow(
            [defused_field(value) if isinstance(value, str) else value for value in row]
        )
