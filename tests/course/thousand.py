"""How many surveys of students tell every mistake from the right answer, over many names.

`python -m tests.course.thousand` takes 1,000 names, or as many as it is given: how often each pair
of answers is too near in a survey at the first try, how many seeds a student takes, and how often
two students share an answer.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from audiencelab.course.answer_types import AudienceAnswer
from audiencelab.course.chart_answers import ChartAnswer
from audiencelab.course.exercises import EXERCISES
from audiencelab.course.reference import Respondents
from audiencelab.course.screening import RESPONDENTS, confusions, seeds
from audiencelab.course.students import seed_of, student_name
from audiencelab.survey.demo.drawn import DrawnSurvey

__all__ = ["drawn", "names", "shared", "tries"]

MOST_SHARED = 2.0
"""Percent of pairs of students who may share an answer."""

MOST_COMPARED = 200
"""Students whose answers are compared with each other's."""


def names(count: int) -> list[str]:
    """Names of a class and of larger ones: "student 0" and so on."""
    return [f"student {number}" for number in range(count)]


def drawn(seed: int) -> Respondents:
    """The respondents of a seed."""
    return Respondents(DrawnSurvey(RESPONDENTS, seed))


def tries(name: str) -> Iterator[tuple[int, set[tuple[str, str, str]]]]:
    """The seeds of a name up to its own, each with its exercises and pairs that are too near."""
    for seed in seeds(f"audiencelab course: {student_name(name)}"):
        respondents = drawn(seed)
        yield (
            seed,
            {
                (each.number, *pair)
                for each in EXERCISES.values()
                for pair in confusions(each, respondents)
            },
        )
        if seed == seed_of(name):
            return


def shared(number: str, surveys: list[Respondents], answers: list[Any]) -> float:
    """The percentage of pairs of students, of whom one's right answer is right for the other."""
    kind = EXERCISES[number].kind
    kind = kind.figures if isinstance(kind, ChartAnswer) else kind
    pairs = list(combinations(zip(surveys, answers, strict=True), 2))
    same = sum(kind.same(theirs, mine, survey) for (survey, mine), (_, theirs) in pairs)
    return 100 * same / len(pairs)


def print_near(count: int, near: Counter[tuple[str, str, str]], alone: Counter[str]) -> None:
    """How often answers are too near at the first try."""
    print("Too near at the first try, in % of names:")
    for number, times in sorted(alone.items()):
        print(f"  {number} {100 * times / count:.1f}")
        for (other, *pair), often in near.most_common():
            if other == number:
                print(f"      {100 * often / count:4.1f}  {pair[0] or 'right'} / {pair[1]}")


def print_shared(surveys: list[Respondents]) -> bool:
    """How often answers are right for two students; whether none is often."""
    print("Answers that are right for another student too, in % of pairs:")
    percent = {
        each.number: shared(each.number, surveys, [each.answer(r) for r in surveys])
        for each in EXERCISES.values()
        if not isinstance(each.kind, AudienceAnswer)  # the same for all
    }
    print(*(f"  {number} {each:.2f}" for number, each in percent.items()), sep="\n")
    return max(percent.values()) <= MOST_SHARED


def main(count: int) -> bool:
    """Print the figures; whether every survey will do and no answer is lent often."""
    begun, good, needed = time.perf_counter(), 0, Counter[int]()
    first, alone = Counter[tuple[str, str, str]](), Counter[str]()
    surveys: list[Respondents] = []
    for name in names(count):
        found = list(tries(name))
        seed, near = found[-1]
        good += not near
        needed[len(found)] += 1
        first.update(found[0][1])
        alone.update({number for number, _, _ in found[0][1]})
        if len(surveys) < MOST_COMPARED:
            surveys.append(drawn(seed))
    print(f"{count} names: {good} have a survey in which all exercises are distinct")
    print("Seeds tried:", ", ".join(f"{tried}: {times}" for tried, times in sorted(needed.items())))
    print_near(count, first, alone)
    personal = print_shared(surveys)
    print(f"{time.perf_counter() - begun:.0f} s")
    return good == count and personal


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000))
