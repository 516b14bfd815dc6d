"""Functions for students: `check`, `hint` and `progress`, and their displays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audiencelab.course.answer_types import is_waiting
from audiencelab.course.exercises import (
    CHECKED,
    EXERCISES,
    Exercise,
    Grade,
    State,
    find,
    grade_given,
)
from audiencelab.course.records import FILE, ExerciseRecord, ProgressFile
from audiencelab.course.students import in_exam, respondents_with, seed_of, who
from audiencelab.markup import Section, card, element, joined, muted, table
from audiencelab.results.arrow import HasFrame
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

_SIGNS = {"right": "✓", "nearly": "≈", "not yet": "✗", "waiting": "…", "kept": "✎"}


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check, which displays itself as the last value of a cell.

    state: "right", "nearly" (a recognised mistake), "not yet", "waiting" for an answer, or "kept"
    in an exam.
    """

    number: str
    title: str
    student: str
    state: State | str
    words: str
    answer: Any = None
    slip: str = ""

    @property
    def right(self) -> bool:
        """Whether the answer is right."""
        return self.state == "right"

    def __repr__(self) -> str:
        return f"{_SIGNS[self.state]} {self.number} {self.title}: {self.words}"

    def _repr_html_(self) -> str:
        sign = element("span", f"{_SIGNS[self.state]} ", role="img", **{"aria-label": self.state})
        head = joined(sign, f"{self.number} {self.title}")
        return str(card(head, element("div", self.words)))


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints shown so far; the last one is new."""

    number: str
    steps: tuple[str, ...]
    more: int

    def __repr__(self) -> str:
        lines = [f"{place}. {step}" for place, step in enumerate(self.steps, 1)]
        return "\n".join([*lines, self._rest()])

    def _repr_html_(self) -> str:
        steps = joined(*(element("li", step) for step in self.steps))
        return str(card(f"Hints to {self.number}", element("ol", steps), muted(self._rest())))

    def _rest(self) -> str:
        if not self.steps:
            return "There are no hints in an exam."
        if not self.more:
            return "That was the last hint. Ask your neighbour, then your teacher."
        return f"There {'is' if self.more == 1 else 'are'} {plural(self.more, 'more hint')}."


@dataclass(frozen=True, slots=True)
class CourseProgress(HasFrame):
    """The exercises that a student has solved, or answered in an exam."""

    student: str
    entries: dict[str, ExerciseRecord]
    exam: bool = False

    @property
    def solved(self) -> int:
        """The number of solved exercises."""
        return sum(entry.solved for entry in self.entries.values())

    def to_frame(self) -> pd.DataFrame:
        """One row for each exercise: lesson, exercise, title, state, attempts, hints.

        >>> from audiencelab import course
        >>> found = course.check("1.1", 216, student="Ada")
        >>> frame = course.progress(student="Ada").to_frame()
        >>> frame[["exercise", "title", "state"]].iloc[0].tolist()
        ['1.1', 'Interviews with people of 65 and over', 'solved']
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "lesson": exercise.lesson,
                    "exercise": exercise.number,
                    "title": exercise.title,
                    "state": self._state(exercise),
                    "attempts": self._entry(exercise).attempts,
                    "hints": self._entry(exercise).hints,
                }
                for exercise in EXERCISES.values()
            ]
        )

    def __repr__(self) -> str:
        lines = [f"{self.student}: {self._done()}"]
        for lesson, title in CHECKED.items():
            mine = [each for each in EXERCISES.values() if each.lesson == lesson]
            marks = " ".join(f"{each.number}{_SIGNS[self._mark(each)]}" for each in mine)
            lines.append(f"  {lesson} {title}: {marks}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows: list[Section | tuple[str, str, str, str]] = []
        for exercise in EXERCISES.values():
            if exercise.number.endswith(".1"):
                rows.append(Section(f"{exercise.lesson} {CHECKED[exercise.lesson]}"))
            entry = self._entry(exercise)
            rows.append(
                (
                    f"{exercise.number} {exercise.title}",
                    f"{_SIGNS[self._mark(exercise)]} {self._state(exercise)}",
                    str(entry.attempts or ""),
                    str(entry.hints or ""),
                )
            )
        heads = ("exercise", "", "attempts", "hints")
        listed = table(heads, rows, numeric=(2, 3), most=None)
        return str(card(f"Progress of {self.student}", listed, subtitle=self._done()))

    def _done(self) -> str:
        count, done = self.solved, "solved"
        if self.exam:
            count, done = sum(entry.attempts > 0 for entry in self.entries.values()), "answered"
        return f"{count} of {len(EXERCISES)} exercises {done}"

    def _entry(self, exercise: Exercise) -> ExerciseRecord:
        return self.entries.get(exercise.number, ExerciseRecord())

    def _state(self, exercise: Exercise) -> str:
        entry = self._entry(exercise)
        if entry.solved:
            return "solved"
        if self.exam and entry.attempts:
            return "answered"
        return "begun" if entry.attempts or entry.hints else "open"

    def _mark(self, exercise: Exercise) -> str:
        marks = {"solved": "right", "answered": "kept", "begun": "not yet", "open": "waiting"}
        return marks[self._state(exercise)]


def check(number: str, answer: Any = ..., *, student: str | int | None = None) -> Check:
    """Check an answer to an exercise against the student's own survey.

    number: the exercise, such as `"1.2"`. answer: a number, a name, a frame or an audience, as the
    exercise asks; `...` is not checked yet. student: by default the one who signed in.

    The result is stored in `course-progress.json` beside the notebook. Something that is not an
    answer is "not yet", and counts as an attempt. Raises `CourseError` for an exercise that does
    not exist.

    >>> from audiencelab import course
    >>> course.check("1.1", 5, student="Ada").state
    'not yet'
    """
    exercise, name = find(number), who(student)
    if is_waiting(answer):
        words = f"Waiting for {exercise.kind.asks_for}: put it in the place of the dots."
        return Check(exercise.number, exercise.title, name, "waiting", words)
    record = ProgressFile.here()
    seed = record.seeds[name] = record.seeds.get(name) or seed_of(name)
    plain, found = grade_given(exercise, answer, respondents_with(seed))
    if in_exam(seed, name) and plain is not None:
        found = Grade("kept", "Kept. It is marked when it is collected.")
    _enter(record.entry(name, exercise.number), plain, found)
    if not _written(record):
        words = f"It could not be kept: {Path(FILE).absolute().parent} cannot be written to."
        if found.state == "kept":
            found = Grade("not yet", words)
        else:
            found = replace(found, words=f"{found.words} ({words})")
    return Check(exercise.number, exercise.title, name, found.state, found.words, plain, found.slip)


def _enter(entry: ExerciseRecord, plain: Any, found: Grade) -> None:
    """Count an attempt, until one is right."""
    if entry.solved:
        return
    entry.attempts += 1
    entry.solved = found.state == "right"
    if plain is not None:
        entry.answer = plain
    if found.slip:
        entry.slips.append(found.slip)


def hint(number: str, *, student: str | int | None = None) -> Hints:
    """The hints to an exercise, one more with each call; none in an exam.

    Raises `CourseError` for an exercise that does not exist.
    >>> from audiencelab import course
    >>> course.hint("1.1", student="Ada")
    1. Interviews are counted, not weighted: look for the word sample.
    There are 2 more hints.
    """
    exercise, name = find(number), who(student)
    record = ProgressFile.here()
    if in_exam(record.seeds.get(name), name):
        return Hints(exercise.number, (), 0)
    entry = record.entry(name, exercise.number)
    entry.hints = min(entry.hints + 1, len(exercise.hints))
    _written(record)
    return Hints(exercise.number, exercise.hints[: entry.hints], len(exercise.hints) - entry.hints)


def progress(*, student: str | int | None = None) -> CourseProgress:
    """Which exercises the student has solved, from the file beside the notebook.

    >>> from audiencelab import course
    >>> course.progress(student="Ada").solved
    0
    """
    name = who(student)
    record = ProgressFile.here()
    entries = record.students.get(name, {})
    return CourseProgress(name, entries, in_exam(record.seeds.get(name), name))


def _written(record: ProgressFile) -> bool:
    try:
        record.write()
    except OSError:
        return False
    return True
