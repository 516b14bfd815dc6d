"""Seeds of surveys in which no mistake of an exercise looks like its right answer or another one.

Whether an answer is right, and which mistake it shows, then says the same of every student's work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice

from audiencelab.course.exercises import EXERCISES, Exercise
from audiencelab.course.reference import Respondents
from audiencelab.survey.demo.drawn import DrawnSurvey

RESPONDENTS = 6_000
"""Over all twelve waves: few enough for visible random variation, and generated in under a
second."""

_MOST = 100
"""Seeds that are tried; every second or third will do."""


def seeds(text: str) -> Iterator[int]:
    """Integers below 2³² that depend only on a text: its SHA-256 in parts, then that of it."""
    digest = text.encode()
    while True:
        digest = hashlib.sha256(digest).digest()
        yield from (int.from_bytes(digest[at : at + 4]) for at in range(0, len(digest), 4))


@lru_cache(maxsize=1_000)
def first_distinct(text: str) -> int:
    """The first of the seeds of a text in whose survey all exercises are distinct.

    The first of all if none of many is.
    """
    return next((seed for seed in tried(text) if is_distinct(seed)), tried(text)[0])


def tried(text: str) -> list[int]:
    """The seeds that are tried for a text, in order."""
    return list(islice(seeds(text), _MOST))


def is_distinct(seed: int) -> bool:
    """Whether all exercises are distinct in the survey of a seed, which is drawn in memory."""
    respondents = Respondents(DrawnSurvey(RESPONDENTS, seed))
    return all(next(confusions(each, respondents), None) is None for each in EXERCISES.values())


def confusions(exercise: Exercise, respondents: Respondents) -> Iterator[tuple[str, str]]:
    """Pairs of mistakes whose answers are too near each other; "" is the right answer."""
    answers = {"": exercise.answer(respondents)}
    for mistake in exercise.mistakes:
        try:
            answers[mistake.name] = mistake.value(respondents)
        except ZeroDivisionError:
            yield "", mistake.name  # a group is empty
    for one, other in combinations(answers, 2):
        if not exercise.kind.distinct(answers[one], answers[other], respondents):
            yield one, other
