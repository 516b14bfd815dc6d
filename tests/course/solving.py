"""A student who knows everything: answers by the client, as `answers` tells instructors."""

from __future__ import annotations

from typing import Any

import audiencelab as al
from audiencelab.client import Client
from audiencelab.course.exercises import Exercise

__all__ = ["STUDENTS", "solve"]

STUDENTS = ("demo", "ada", "grace")


def solve(exercise: Exercise, mine: Client) -> Any:
    """The answer by the code that the exercise names, which asks the service."""
    names: dict[str, Any] = {"al": al, "mine": mine}
    exec(exercise.steps, names)
    return eval(exercise.way, names)
