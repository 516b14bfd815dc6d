"""The exercises: their texts (texts/lesson_N.toml) with their formulas, and the grading of answers.

The right answer is computed from the respondents; feedback to a student never contains it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Literal

from audiencelab.course.answer_types import AnswerType, ExpectedAnswer, Value
from audiencelab.course.errors import CourseError
from audiencelab.course.formulas import FORMULAS
from audiencelab.course.reference import Respondents
from audiencelab.errors import AudienceError

LESSONS = (
    "Samples and weights",
    "Percentages and bases",
    "Index",
    "Significance",
    "Waves",
    "Honest charts",
    "Weighting",
    "Scales",
    "Errors that no n mends",
    "Your own survey",
)
"""The titles, in order."""

State = Literal["right", "nearly", "not yet", "kept"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A common mistake.

    name: as an instructor's report shows it. words: the feedback to a student, without the answer.
    value: the answer that this mistake leads to.
    """

    name: str
    words: str
    value: Value


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise.

    number: lesson and position, such as "1.2". kind: the type of its answer. answer: computed from
    the respondents, not by the client. hints: steps towards it, the smallest first. way: the code
    that computes it with the client, as an expression over the names
    `al` and `mine`, after the lines of `steps`.
    """

    number: str
    title: str
    kind: AnswerType
    answer: Value
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, ...]
    way: str
    steps: str = ""

    @property
    def lesson(self) -> int:
        """The lesson it belongs to, from 1."""
        return int(self.number.partition(".")[0])


def _exercise(number: str, formula: ExpectedAnswer, texts: dict[str, Any]) -> Exercise:
    return Exercise(
        number,
        texts["title"],
        formula.kind,
        formula.answer,
        tuple(
            Mistake(name, texts["mistakes"][name], value)
            for name, value in formula.mistakes.items()
        ),
        tuple(texts["hints"]),
        texts["way"],
        texts.get("steps", ""),
    )


def texts(lesson: int) -> dict[str, Any]:
    """The texts of a lesson, by the numbers of its exercises."""
    file = files("audiencelab.course").joinpath("texts", f"lesson_{lesson}.toml")
    return tomllib.loads(file.read_text("utf-8"))


_TEXTS = {
    number: each
    for lesson in range(1, len(LESSONS) + 1)
    for number, each in texts(lesson).items()
    if number in FORMULAS
}

EXERCISES: dict[str, Exercise] = {
    number: _exercise(number, formula, _TEXTS[number]) for number, formula in FORMULAS.items()
}
"""All exercises by number."""

CHECKED = {
    lesson: title
    for lesson, title in enumerate(LESSONS, 1)
    if any(each.lesson == lesson for each in EXERCISES.values())
}
"""The titles of the lessons with exercises, by number: the last lesson has a rubric instead."""


def find(number: str) -> Exercise:
    """The exercise of a number such as "1.2"; raises `CourseError` where there is none."""
    found = EXERCISES.get(str(number).strip())
    if found is None:
        near, last = get_close_matches(str(number), EXERCISES, 1, 0.3), [*EXERCISES][-1]
        hint = f' Did you mean "{near[0]}"?' if near else ""
        raise CourseError(
            f'There is no exercise {number!r}: they are numbered as text, "1.1" to "{last}".{hint}'
        )
    return found


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of an answer. slip: the name of the recognised mistake; "" for none."""

    state: State
    words: str
    slip: str = ""


NO_ANSWER = (
    ArithmeticError,
    AttributeError,
    AudienceError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Errors of reading or grading something that is not an answer to the exercise."""

REFUSED = "not an answer"
"""The slip of an answer that cannot be read."""


def grade_given(exercise: Exercise, given: Any, respondents: Respondents) -> tuple[Any, Grade]:
    """Read and grade what a student gives; anything that is not an answer is stored as None."""
    try:
        plain = exercise.kind.read(given, respondents)
        return plain, grade(exercise, plain, respondents)
    except AudienceError as error:
        return None, Grade("not yet", str(error), REFUSED)
    except NO_ANSWER:
        words = f"This exercise asks for {exercise.kind.asks_for}; you gave something else"
        return None, Grade("not yet", f"{words}, a {type(given).__name__}.", REFUSED)


def grade(exercise: Exercise, answer: Any, respondents: Respondents) -> Grade:
    """Grade a plain answer; raises one of `NO_ANSWER` for one of another type."""
    kind = exercise.kind
    wanted = exercise.answer(respondents)
    if kind.same(answer, wanted, respondents):
        return Grade("right", "Right.")
    for mistake in exercise.mistakes:
        if kind.same(answer, mistake.value(respondents), respondents):
            return Grade("nearly", mistake.words, mistake.name)
    if (remark := kind.remark(answer, wanted, respondents)) is not None:
        slip, words = remark
        return Grade("nearly", words, slip)
    hint = f'For a step: course.hint("{exercise.number}")'
    words = ("Not what I get.", kind.advice(answer), hint)
    return Grade("not yet", " ".join(filter(None, words)))
