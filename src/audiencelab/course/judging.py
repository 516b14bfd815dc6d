"""What an answer is worth: right, nearly, or not yet, and which slip it looks like.

The right answer is worked out from the respondents; what a student is told never holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from audiencelab.course.exercises import Exercise
from audiencelab.course.respondents import Respondents
from audiencelab.course.students import survey

__all__ = ["Judgement", "State", "judge", "respondents_of"]

State = Literal["right", "nearly", "not yet"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found. slip: the name of the mistake that was recognised, or nothing."""

    state: State
    words: str
    slip: str = ""


@lru_cache(maxsize=4)
def respondents_of(student: str) -> Respondents:
    """The respondents of a student's survey, the last few students' kept."""
    return Respondents(survey(student))


def judge(exercise: Exercise, answer: Any, respondents: Respondents) -> Judgement:
    """Judge an answer that was read into plain form."""
    kind = exercise.kind
    wanted = exercise.answer(respondents)
    if kind.same(answer, wanted, respondents):
        return Judgement("right", "Right.")
    for mistake in exercise.mistakes:
        if kind.same(answer, mistake.value(respondents), respondents):
            return Judgement("nearly", mistake.words, mistake.name)
    if (remark := kind.remark(answer, wanted, respondents)) is not None:
        slip, words = remark
        return Judgement("nearly", words, slip)
    return Judgement("not yet", f'Not what I get. For a step: course.hint("{exercise.number}")')
