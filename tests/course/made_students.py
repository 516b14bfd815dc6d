"""Thirty made students, whose marks are known before the report is.

Their answers are code in the place of an exercise's dots, with what `check` must say of each. The
marks follow from these lines alone; `made_class` hands out, solves, collects and compares.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from audiencelab.course.answer_types import AudienceAnswer, FiguresByAnswer, Number
from audiencelab.course.exercises import EXERCISES, Exercise
from audiencelab.course.students import respondents_of

__all__ = ["STUDENTS", "MadeStudent", "Tries", "Try"]


@dataclass(frozen=True, slots=True)
class Try:
    """Code that gives an answer, and the state of its check.

    slip: the name of the mistake that is recognised; None where any will do.
    """

    code: str
    state: str = "right"
    slip: str | None = None


Tries = dict[str, list[Try]]
Habit = Callable[[Exercise, str], list[Try]]


@dataclass(frozen=True, slots=True)
class MadeStudent:
    """A student.

    habit: the tries at an exercise. again: those in a second copy of the lessons, whose folder's
    name has `suffix`. copied: how the first student's work is handed in as this one's: "folder",
    "file", or "name" (the file, with this student's name in it).
    """

    name: str
    habit: Habit
    again: Habit | None = None
    suffix: str = ""
    copied: str = ""

    def tries(self, habit: Habit) -> Tries:
        """The tries at every exercise."""
        return {number: habit(each, self.name) for number, each in EXERCISES.items()}

    def solved(self) -> set[str]:
        """The exercises that count."""
        if self.copied:
            return set()
        habits = [habit for habit in (self.habit, self.again) if habit]
        return {
            number
            for habit in habits
            for number, tries in self.tries(habit).items()
            if any(each.state == "right" for each in tries)
        }


def nothing(exercise: Exercise, student: str) -> list[Try]:
    """Who did nothing."""
    return []


def by_the_client(exercise: Exercise, student: str) -> list[Try]:
    """Who answers with the code that an instructor sees."""
    return [Try(f"{exercise.steps}\nanswer = {exercise.way}")]


def in_lessons(first: int, last: int, exercise: Exercise, student: str) -> list[Try]:
    """Who solves some of the lessons."""
    return by_the_client(exercise, student) if first <= exercise.lesson <= last else []


def by_mistake(turn: int, exercise: Exercise, student: str) -> list[Try]:
    """Who makes a listed mistake, another in each turn, and then mends every second one."""
    if not exercise.mistakes:
        return by_the_client(exercise, student)
    mistake = exercise.mistakes[turn % len(exercise.mistakes)]
    wrong = Try(given(exercise, mistake.value(respondents_of(student))), "nearly", mistake.name)
    mends = list(EXERCISES).index(exercise.number) % 2
    return [wrong, *(by_the_client(exercise, student) if mends else [])]


def in_texts(exercise: Exercise, student: str) -> list[Try]:
    """Who types what the screen shows: quotation marks, per cent signs, commas."""
    if not isinstance(kind := exercise.kind, Number):
        return [Try('answer = "the one above"', "not yet")]
    shown = f"{value(exercise, student):.{kind.digits}f}"
    forms = [shown, f" {shown} "]
    if kind.unit.startswith("per cent"):
        forms = [f"{shown} %", f"{shown}%"]
    elif kind.digits in (1, 2):
        forms.append(shown.replace(".", ","))
    return [Try(f"answer = {turn(exercise, forms)!r}")]


NONSENSE = (
    '"about half"', 'float("nan")', 'float("inf")', "10 ** 400", "-(10 ** 400)", "True", "object()",
    "[1, 2]", "1j", "print", "{}", '""', "mine", "[]", '"9" * 5000', 'b"1"', "[[1]] * 3", "...,",
    "{1: {2: 3}}", 'course.check("1.1")', "range(3)", '"<b>5</b>"', "pandas.NaT", "pandas.NA",
    "numpy.array([])", "numpy.array(None)", '"12 of 40"', "pandas.Series([1, 2])", "al", "al.Q",
)  # fmt: skip
"""What students put into the place of the dots, that is no answer to any exercise."""


def in_nonsense(exercise: Exercise, student: str) -> list[Try]:
    """Who gives things that are no answers."""
    return [Try(f"import numpy, pandas\nanswer = {turn(exercise, NONSENSE)}", "not yet")]


def in_parts(exercise: Exercise, student: str) -> list[Try]:
    """Who gives too few figures, or a whole table for one."""
    if isinstance(exercise.kind, FiguresByAnswer):
        figures = dict(list(value(exercise, student).items())[:2])
        return [Try(given(exercise, each), "not yet") for each in (figures, dict.fromkeys(figures))]
    return [Try('answer = mine.stats("Gender").to_frame()', "not yet")]


def in_other_forms(exercise: Exercise, student: str) -> list[Try]:
    """Who gives the right figure as something else than a float."""
    right = value(exercise, student)
    if isinstance(exercise.kind, Number):
        forms = (
            f"decimal.Decimal('{right!r}')", f"numpy.float64({right!r})", f"[{right!r}]",
            f"pandas.Series([{right!r}])", f"pandas.DataFrame({{'x': [{right!r}]}})",
            f"numpy.array({right!r})", f"numpy.array([[{right!r}]])", f"({right!r},)",
            f"fractions.Fraction({right!r})",
        )  # fmt: skip
        code = f"import decimal, fractions, numpy, pandas\nanswer = {turn(exercise, forms)}"
        return [Try(code)]
    if isinstance(exercise.kind, FiguresByAnswer):
        return [Try(f"import pandas\nanswer = pandas.Series({right!r}).rename('share').to_frame()")]
    if isinstance(exercise.kind, AudienceAnswer):
        return [Try(f"answer = al.Audience('Mine', {exercise.way})")]
    return by_the_client(exercise, student)


def in_rounded_figures(exercise: Exercise, student: str) -> list[Try]:
    """Who rounds, or gives a share of 1, and then gives all digits."""
    kind, right = exercise.kind, value(exercise, student)
    tries: list[Try] = []
    if isinstance(kind, Number) and kind.digits:
        fewer = round(right, kind.digits - 1)
        tries.append(
            Try(f"answer = {fewer!r}", "right" if near(exercise, fewer, right) else "nearly")
        )
    if isinstance(kind, Number) and kind.unit == "per cent":
        tries.append(Try(f"answer = {right / 100!r}", "nearly"))
    return [*tries, Try(given(exercise, right))] if tries else by_the_client(exercise, student)


def of_a_neighbour(neighbour: str, exercise: Exercise, student: str) -> list[Try]:
    """Who types a neighbour's figures into a notebook of their own."""
    theirs, mine = value(exercise, neighbour), value(exercise, student)
    if not isinstance(exercise.kind, Number | FiguresByAnswer):
        return []
    return [Try(given(exercise, theirs), "right" if near(exercise, theirs, mine) else "wrong")]


def first_after(tries: int, exercise: Exercise, student: str) -> list[Try]:
    """Who is right after some tries."""
    wrong = Try("answer = -12345.5", "wrong")
    return [*itertools.repeat(wrong, tries), *by_the_client(exercise, student)]


def never_in(tries: int, exercise: Exercise, student: str) -> list[Try]:
    """Who is wrong as often as they try."""
    return first_after(tries, exercise, student)[:-1]


def value(exercise: Exercise, student: str) -> Any:
    """The right answer, worked out from the respondents."""
    return exercise.answer(respondents_of(student))


def given(exercise: Exercise, plain: Any) -> str:
    """Code that gives a plain answer."""
    if isinstance(exercise.kind, AudienceAnswer):
        return f"from audiencelab import expressions as e\nanswer = e.parse_expression({plain!r})"
    return f"answer = {plain!r}"


def near(exercise: Exercise, one: Any, other: Any) -> bool:
    """Whether two figures are equal in the digits that are asked for."""
    if isinstance(one, dict):
        return all(near(exercise, one[code], other[code]) for code in one)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=exercise.kind.tolerance)


def turn(exercise: Exercise, forms: Any) -> Any:
    """Another form for each exercise."""
    return forms[list(EXERCISES).index(exercise.number) % len(forms)]


RIGHT = (
    "Ada Lovelace", "Grace Hopper", "Émilie du Châtelet", "王 小明", "Sean O'Hara", "Zoë {x}",
    "Maria-José García", "Søren Ærø", "Nguyễn Thị Minh", "1815",
)  # fmt: skip
SLIPPED = ("Ben", "Cleo", "Dan", "Eve", "Finn", "Gia", "Hal", "Ida")

STUDENTS = (
    *(MadeStudent(name, by_the_client) for name in RIGHT),
    *(MadeStudent(name, partial(by_mistake, place)) for place, name in enumerate(SLIPPED)),
    MadeStudent("Tess Text", in_texts),
    MadeStudent("Nan Sense", in_nonsense),
    MadeStudent("Pat Part", in_parts),
    MadeStudent("Fred Forms", in_other_forms),
    MadeStudent("Rory Round", in_rounded_figures),
    MadeStudent("Ned Neighbour", partial(of_a_neighbour, RIGHT[0])),
    MadeStudent("Cora Folder", nothing, copied="folder"),
    MadeStudent("Fay File", nothing, copied="file"),
    MadeStudent("Nick Name", nothing, copied="name"),
    MadeStudent("Dora Double", partial(first_after, 0), partial(never_in, 5), " (1)"),
    MadeStudent("Two Machines", partial(in_lessons, 1, 3), partial(in_lessons, 3, 9), "-laptop"),
    MadeStudent("Idle Ike", nothing),
)
"""Ten right, eight with mistakes, six odd, three copied, two with several copies, and one idle."""
