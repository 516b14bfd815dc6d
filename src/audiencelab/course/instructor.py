"""Functions for instructors: `answers` of a student, and the `report` of a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audiencelab.course.collected import ReportLine, collect
from audiencelab.course.errors import CourseError
from audiencelab.course.exercises import CHECKED, EXERCISES, REFUSED, Exercise
from audiencelab.course.records import FILE, ExerciseRecord
from audiencelab.course.students import respondents_with, seed_of
from audiencelab.markup import card, table
from audiencelab.results.arrow import HasFrame
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd


def answers(student: str | int, *, exam: str = "") -> pd.DataFrame:
    """The right answers of a student, for the instructor.

    exam: the salt of an exam.

    One row for each exercise: exercise, title, answer (as text), `asks_for` (its type and unit),
    and `way`, the code that computes it, with `mine` for the student's client.

    >>> from audiencelab import course
    >>> course.answers("ada")[["exercise", "answer", "asks_for"]].iloc[0].tolist()
    ['1.1', '216', 'a number (respondents)']
    """
    import pandas as pd

    respondents = respondents_with(seed_of(student, exam=exam))
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
    """The results of a class: the entries in each folder, checked again.

    unread: the files that could not be read, with reasons.
    """

    lines: tuple[ReportLine, ...]
    unread: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row for each folder and exercise: state, attempts, hints, and recognised slips.

        `note` says whose answers they are where they are of another student, and names folders
        that were read together.

        >>> from audiencelab import course
        >>> notebooks = course.start(folder / "ada", "Ada")
        >>> course.report(folder).to_frame()["student"].unique().tolist()
        ['ada']
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "student": line.student,
                    "folder": line.folder,
                    "note": line.note,
                    "lesson": exercise.lesson,
                    "exercise": exercise.number,
                    "solved": (entry := line.entries.get(exercise.number, _NONE)).solved,
                    "attempts": entry.attempts,
                    "hints": entry.hints,
                    "slips": "; ".join(entry.slips),
                }
                for line in self.lines
                for exercise in EXERCISES.values()
            ],
            columns=pd.Index(_COLUMNS),
        )

    def gradebook(self) -> pd.DataFrame:
        """One row for each folder: a point for each solved exercise, by lesson and in all.

        Lessons that no student has begun are left out. `id` is the number of the user in the files
        of Moodle and Canvas, "" for other folders.

        >>> from audiencelab import course
        >>> notebooks = course.start(folder / "ada", "Ada")
        >>> course.report(folder).gradebook().columns.tolist()
        ['student', 'id', 'folder', 'points', 'out of', 'note']
        """
        import pandas as pd

        begun = {
            EXERCISES[number].lesson
            for line in self.lines
            for number, entry in line.entries.items()
            if entry.attempts
        }
        most = Counter(each.lesson for each in EXERCISES.values() if each.lesson in begun)
        titles = {lesson: f"{lesson} {CHECKED[lesson]} (of {most[lesson]})" for lesson in most}
        heads = ["student", "id", "folder", *titles.values(), "points", "out of", "note"]
        rows = [self._points(line, titles) | {"out of": most.total()} for line in self.lines]
        return pd.DataFrame(rows, columns=pd.Index(heads))

    @staticmethod
    def _points(line: ReportLine, titles: dict[int, str]) -> dict[str, Any]:
        solved = Counter(
            each.lesson
            for each in EXERCISES.values()
            if line.entries.get(each.number, _NONE).solved
        )
        return {
            "student": line.student,
            "id": line.person.rpartition(" ")[2],
            "folder": line.folder,
            **{title: solved[lesson] for lesson, title in titles.items()},
            "points": solved.total(),
            "note": line.note,
        }

    def by_exercise(self) -> pd.DataFrame:
        """One row for each exercise: who tried and solved it, attempts, most common mistake.

        `attempts` is the average of the students who tried.

        >>> from audiencelab import course
        >>> notebooks = course.start(folder / "ada", "Ada")
        >>> course.report(folder).by_exercise().columns.tolist()
        ['exercise', 'title', 'tried', 'solved', 'attempts', 'usual_slip']
        """
        import pandas as pd

        return pd.DataFrame([self._row(exercise) for exercise in EXERCISES.values()])

    def _row(self, exercise: Exercise) -> dict[str, Any]:
        tried = [
            entry
            for line in self.lines
            if (entry := line.entries.get(exercise.number)) is not None and entry.attempts
        ]
        slips = Counter(slip for entry in tried for slip in set(entry.slips))
        # Of slips that are equally common, a mistake says more than an answer of another type.
        usual = max(slips, key=lambda slip: (slips[slip], slip != REFUSED), default="")
        return {
            "exercise": exercise.number,
            "title": exercise.title,
            "tried": len(tried),
            "solved": sum(entry.solved for entry in tried),
            "attempts": sum(entry.attempts for entry in tried) / len(tried) if tried else 0.0,
            "usual_slip": usual,
        }

    def __repr__(self) -> str:
        solved = sum(entry.solved for line in self.lines for entry in line.entries.values())
        most = len(self.lines) * len(EXERCISES)
        return f"<Report: {plural(len(self.lines), 'folder')}, {solved} of {most} solved>"

    def _repr_html_(self) -> str:
        lessons = [[e for e in EXERCISES.values() if e.lesson == number] for number in CHECKED]
        heads = ["student", "folder", *map(str, CHECKED), "all", "note"]
        rows = [
            [
                line.student,
                line.folder,
                *(_solved(line, exercises) for exercises in lessons),
                _solved(line, list(EXERCISES.values())),
                line.note,
            ]
            for line in self.lines
        ]
        numeric = range(2, len(CHECKED) + 3)
        listed = table(heads, rows, numeric=numeric, most=None, noun="folder")
        return str(card(repr(self).strip("<>"), listed, *self.unread))


_NONE = ExerciseRecord()
_COLUMNS = (
    "student",
    "folder",
    "note",
    "lesson",
    "exercise",
    "solved",
    "attempts",
    "hints",
    "slips",
)


def _solved(line: ReportLine, exercises: Sequence[Exercise]) -> str:
    solved = sum(line.entries.get(each.number, _NONE).solved for each in exercises)
    return f"{solved}/{len(exercises)}"


def report(folder: str | Path, *, exam: str = "") -> Report:
    """Read the work of students, anywhere below a folder or in a zip file, and check it again.

    Answers are in the progress files, not in the notebooks. Each folder has a line; copies in
    folders with a student's name are one line, in which an answer that is right in any copy
    counts. Work of another student does not count, and the note says whose it is. exam: the salt
    of an exam. Raises `CourseError` for a folder that does not exist, or contains no work of the
    course.

    >>> from audiencelab import course
    >>> notebooks = course.start(folder / "ada", "Ada")
    >>> len(course.report(folder).lines)
    1
    """
    root = Path(folder)
    if not root.exists():
        raise CourseError(f"There is no folder {root}. Put what students handed in into one.")
    lines, unread = collect(root, exam)
    if not lines and not unread:
        raise CourseError(
            f"Nothing below {root} was checked yet: it has no {FILE}, the file beside the lessons."
        )
    return Report(tuple(lines), tuple(unread))
