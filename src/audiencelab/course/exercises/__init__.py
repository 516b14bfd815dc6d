"""The exercises of the six lessons: a module for each lesson, and where they are looked up.

Rooms: `exercise` what an exercise is; `samples`, `percentages`, `indices`, `significance`, `trends`
and `pictures` the lessons in their order.
"""

from __future__ import annotations

from difflib import get_close_matches

from audiencelab.course.errors import CourseError
from audiencelab.course.exercises import (
    indices,
    percentages,
    pictures,
    samples,
    significance,
    trends,
)
from audiencelab.course.exercises.exercise import Exercise, Mistake

__all__ = ["EXERCISES", "LESSONS", "Exercise", "Mistake", "find"]

LESSONS = (
    "Samples and weights",
    "Percentages and bases",
    "Index",
    "Significance",
    "Waves",
    "Honest charts",
)
"""The titles, in order."""

EXERCISES: dict[str, Exercise] = {
    exercise.number: exercise
    for module in (samples, percentages, indices, significance, trends, pictures)
    for exercise in module.EXERCISES
}
"""All exercises by number."""


def find(number: str) -> Exercise:
    """The exercise of a number such as "1.2"; raises `CourseError` where there is none."""
    found = EXERCISES.get(str(number).strip())
    if found is None:
        near = get_close_matches(str(number), EXERCISES, 1, 0.3)
        hint = f' Did you mean "{near[0]}"?' if near else ""
        raise CourseError(
            f'There is no exercise {number!r}: they are numbered as text, "1.1" to "6.4".{hint}'
        )
    return found
