"""Functions for instructors: `answers` of a student, and the `report` of a class.

A report does not trust stored results: it checks every answer again, against the survey of the
student with that name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audiencelab.course.errors import CourseError
from audiencelab.course.exercises import CHECKED, EXERCISES, NO_ANSWER, Exercise, grade
from audiencelab.course.records import FILE, ExerciseRecord, ProgressFile
from audiencelab.course.students import respondents_of, student_name
from audiencelab.markup import card, table
from audiencelab.results.arrow import HasFrame
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd


def answers(student: str | int) -> pd.DataFrame:
    """The right answers of a student, for the instructor.

    One row for each exercise: exercise, title, answer (as text), `asks_for` (its type and unit),
    and `way`, the code that computes it, with `mine` for the student's client.

    >>> from audiencelab import course
    >>> course.answers("ada")[["exercise", "answer", "asks_for"]].iloc[0].tolist()
    ['1.1', '216', 'a number (respondents)']
    """
    import pandas as pd

    respondents = respondents_of(student_name(student))
    return pd.DataFrame(
        [
            {
                "exercise": each.number,
                "title": each.title,
                "answer": each.kind.shown(each.answer(respondents), respondents),
                "asks_for": each.kind.asks_for,
                "way": "\n".join(filter(None, (each.steps, each.way))),
            }
            for each in EXERCISES.values()
        ]
    )


@dataclass(frozen=True, slots=True)
class Report(HasFrame):
    """The results of a class: the entries of each student, checked again.

    unread: the files that could not be read, with reasons.
    """

    students: dict[str, dict[str, ExerciseRecord]]
    unread: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row for each student and exercise: state, attempts, hints, and recognised slips.

        >>> from audiencelab import course
        >>> notebooks = course.start(folder / "ada", "Ada")
        >>> course.report(folder).to_frame()["student"].unique().tolist()
        ['ada']
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "student": student,
                    "lesson": exercise.lesson,
                    "exercise": exercise.number,
                    "solved": (entry := entries.get(exercise.number, ExerciseRecord())).solved,
                    "attempts": entry.attempts,
                    "hints": entry.hints,
                    "slips": "; ".join(entry.slips),
                }
                for student, entries in self.students.items()
                for exercise in EXERCISES.values()
            ],
            columns=pd.Index(
                ["student", "lesson", "exercise", "solved", "attempts", "hints", "slips"]
            ),
        )

    def by_exercise(self) -> pd.DataFrame:
        """One row for each exercise: who tried and solved it, attempts, most common mistake.

        `attempts` is the average of the students who tried.

        >>> from audiencelab import course
        >>> notebooks = course.start(folder / "ada", "Ada")
        >>> course.report(folder).by_exercise().columns.tolist()
        ['exercise', 'title', 'tried', 'solved', 'attempts', 'usual_slip']
        """
        import pandas as pd

        return pd.DataFrame([self._line(exercise) for exercise in EXERCISES.values()])

    def _line(self, exercise: Exercise) -> dict[str, Any]:
        tried = [
            entry
            for entries in self.students.values()
            if (entry := entries.get(exercise.number)) is not None and entry.attempts
        ]
        slips = Counter(slip for entry in tried for slip in set(entry.slips))
        usual = slips.most_common(1)
        return {
            "exercise": exercise.number,
            "title": exercise.title,
            "tried": len(tried),
            "solved": sum(entry.solved for entry in tried),
            "attempts": sum(entry.attempts for entry in tried) / len(tried) if tried else 0.0,
            "usual_slip": usual[0][0] if usual else "",
        }

    def __repr__(self) -> str:
        solved = sum(entry.solved for each in self.students.values() for entry in each.values())
        most = len(self.students) * len(EXERCISES)
        return f"<Report: {plural(len(self.students), 'student')}, {solved} of {most} solved>"

    def _repr_html_(self) -> str:
        heads = ["student", *(f"{place} {title}" for place, title in CHECKED.items())]
        rows = [
            [
                student,
                *(self._solved(entries, lesson) for lesson in CHECKED),
                _sum(entries),
            ]
            for student, entries in self.students.items()
        ]
        listed = table(
            [*heads, "all"], rows, numeric=range(1, len(CHECKED) + 2), most=None, noun="student"
        )
        return str(card(repr(self).strip("<>"), listed, *self.unread))

    @staticmethod
    def _solved(entries: dict[str, ExerciseRecord], lesson: int) -> str:
        numbers = [each.number for each in EXERCISES.values() if each.lesson == lesson]
        solved = sum(number in entries and entries[number].solved for number in numbers)
        return f"{solved}/{len(numbers)}"


def _sum(entries: dict[str, ExerciseRecord]) -> str:
    return f"{sum(entry.solved for entry in entries.values())}/{len(EXERCISES)}"


def report(folder: str | Path) -> Report:
    """Read the work of students, anywhere below a folder, and check it again.

    Answers are in the progress files, not in the notebooks. Raises `CourseError` for a folder that
    does not exist, or contains no work of the course.

    >>> from audiencelab import course
    >>> notebooks = course.start(folder / "ada", "Ada")
    >>> course.report(folder)
    <Report: 1 student, 0 of 32 solved>
    """
    root = Path(folder)
    if not root.is_dir():
        raise CourseError(f"There is no folder {root}. Put what students handed in into one.")
    found: dict[str, dict[str, ExerciseRecord]] = {}
    unread = list(_read_records(root, found))
    if not found and not unread:
        raise CourseError(
            f"Nothing below {root} was checked yet: it has no {FILE}, the file beside the lessons."
        )
    students = {name: _checked(name, found[name]) for name in sorted(found)}
    return Report(students, tuple(unread))


def _read_records(root: Path, found: dict[str, dict[str, ExerciseRecord]]) -> Iterator[str]:
    """Add all progress files; yields those that could not be read."""
    for path in sorted(root.rglob(FILE)):
        try:
            for student, entries in ProgressFile.read(path).students.items():
                _entries(found, student)  # students without an answer are listed too
                for number, entry in entries.items():
                    _take(found, student, number, entry)
        except CourseError as error:
            yield str(error)


def _take(
    found: dict[str, dict[str, ExerciseRecord]], student: Any, number: str, entry: ExerciseRecord
) -> None:
    """Add an entry, unless one with more attempts exists."""
    entries = _entries(found, student)
    known = entries.get(number)
    if number in EXERCISES and (known is None or entry.attempts > known.attempts):
        entries[number] = entry


def _entries(
    found: dict[str, dict[str, ExerciseRecord]], student: Any
) -> dict[str, ExerciseRecord]:
    """The entries of a student; an unused dict for an invalid name."""
    try:
        return found.setdefault(student_name(student), {})
    except CourseError:
        return {}


def _checked(student: str, entries: dict[str, ExerciseRecord]) -> dict[str, ExerciseRecord]:
    respondents = respondents_of(student) if any(e.attempts for e in entries.values()) else None
    for number, entry in entries.items():
        entry.solved = False
        if respondents is not None and entry.attempts:
            try:
                found = grade(EXERCISES[number], entry.answer, respondents)
            except NO_ANSWER:
                continue  # the file was edited: `check` does not write this
            entry.solved = found.state == "right"
    return entries
