"""The progress of a student, in one small file in the working folder.

It is not sent anywhere. Answers are stored too, as plain JSON, so that an instructor's report can
check them again. Grading is in `exercises`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from audiencelab.course.errors import CourseError
from audiencelab.files import put

FILE = "course-progress.json"
_FORMAT = 1
_MOST_BYTES = 5_000_000
"""Maximum size; files of students are far smaller."""


@dataclass(slots=True)
class ExerciseRecord:
    """One exercise of one student.

    attempts: number of answers until it was right; answer: the last of them, plain, or the right
    one. hints: number of hints shown. slips: the recognised mistakes, in order.
    """

    attempts: int = 0
    solved: bool = False
    answer: Any = None
    hints: int = 0
    slips: list[str] = field(default_factory=list[str])


Students = dict[str, dict[str, ExerciseRecord]]
"""The entries of each student, by the numbers of the exercises."""


class _File(msgspec.Struct):
    """The content of the file; files of versions before 3.0 have no seeds."""

    format: int
    students: Students
    seeds: dict[str, int] = {}


class ProgressFile:
    """The progress file of a folder.

    students: the entries of each. seeds: of their surveys, for those whom `start` made the folder
    for and those who checked an answer.
    """

    def __init__(self, path: Path, found: _File) -> None:
        self.path = path
        self.students = found.students
        self.seeds = found.seeds

    @classmethod
    def here(cls) -> ProgressFile:
        """The record of the working folder."""
        return cls.read(Path(FILE))

    @classmethod
    def read(cls, path: Path) -> ProgressFile:
        """The record in a file; an empty one where there is none.

        Raises `CourseError` for a file that is not a progress file, or cannot be read.
        """
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise CourseError(f"{path} is too large for a record of progress; move it away.")
            return cls.parse(path.read_bytes(), path)
        except FileNotFoundError:
            return cls(path, _File(_FORMAT, {}, {}))
        except OSError as error:
            raise CourseError(f"{path} cannot be read: {error.strerror}.") from None

    @classmethod
    def parse(cls, data: bytes, path: Path) -> ProgressFile:
        """The record in the content of a file; raises `CourseError` if it is not a record."""
        try:
            found = msgspec.json.decode(data, type=_File)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CourseError(
                f"{path} cannot be read as a record of progress ({error}). Move it away, and run "
                "your checks again: a new one is made."
            ) from None
        if found.format != _FORMAT:
            raise CourseError(f"{path} was written by another version of audiencelab; update it.")
        return cls(path, found)

    def entry(self, student: str, exercise: str) -> ExerciseRecord:
        """The entry of an exercise, created if it does not exist."""
        return self.students.setdefault(student, {}).setdefault(exercise, ExerciseRecord())

    def write(self) -> None:
        """Replace the file as a whole; raises `WriteError`."""
        found = _File(_FORMAT, self.students, self.seeds)
        text = json.dumps(msgspec.to_builtins(found), indent=1, ensure_ascii=False)
        put(self.path, (text + "\n").encode())
