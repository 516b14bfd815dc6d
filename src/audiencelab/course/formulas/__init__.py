"""Answers and mistakes of the exercises, one module for each lesson."""

from __future__ import annotations

from audiencelab.course.answer_types import ExpectedAnswer
from audiencelab.course.formulas import (
    lesson_1,
    lesson_2,
    lesson_3,
    lesson_4,
    lesson_5,
    lesson_6,
    lesson_7,
    lesson_8,
    lesson_9,
)

_LESSONS = (
    lesson_1,
    lesson_2,
    lesson_3,
    lesson_4,
    lesson_5,
    lesson_6,
    lesson_7,
    lesson_8,
    lesson_9,
)

FORMULAS: dict[str, ExpectedAnswer] = {
    number: formula for lesson in _LESSONS for number, formula in lesson.FORMULAS.items()
}
"""All of them, by the number of the exercise."""
