"""Scales by the words of their answers: their order, which end is the top, and what is off them.

"Agree" is above "Disagree", and "Don't know" is off the scale. Flags of a question keep both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias
from urllib.parse import quote

from msgspec.structs import replace

from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Scalar,
    canonical_value,
    meanings_of,
    number_of,
)
from audiencelab.ingest.meaning.words import is_negated, is_off_scale
from audiencelab.schema.scales import (
    ENDS_FLAG,
    FORM_FLAG,
    OFF_SCALE_FLAG,
    TOP_FLAG,
    UNIVERSE_FLAG,
    UNKNOWN_TOP,
)

_Answer: TypeAlias = CodedDatapoint | CodedSuffix

_SCALES = (
    "strongly disagree, completely disagree, totally disagree | disagree | tend to disagree, "
    "somewhat disagree, slightly disagree | neither agree nor disagree, neither, neutral, undecided"
    " | somewhat agree, slightly agree, tend to agree | agree | strongly agree, completely agree, "
    "totally agree",
    "extremely dissatisfied, completely dissatisfied | very dissatisfied | dissatisfied | "
    "fairly dissatisfied, rather dissatisfied, somewhat dissatisfied, slightly dissatisfied | "
    "neither satisfied nor dissatisfied, neither, neutral | "
    "fairly satisfied, rather satisfied, somewhat satisfied, slightly satisfied | satisfied | "
    "very satisfied | extremely satisfied, completely satisfied",
    "extremely unlikely | very unlikely | unlikely | fairly unlikely, somewhat unlikely | "
    "neither likely nor unlikely, neither, neutral | fairly likely, somewhat likely | likely | "
    "very likely | extremely likely",
    "not at all important, unimportant | not very important | slightly important | "
    "fairly important, somewhat important, moderately important | important | very important | "
    "extremely important",
    "never | hardly ever, almost never | rarely, seldom | occasionally | sometimes | "
    "often, frequently, regularly | usually | very often, most of the time | always",
    "never | yearly, annually | quarterly | monthly | weekly | daily",
    "very poor, very bad | poor, bad | fair, average | good | very good | excellent",
    "very low | low | medium, moderate | high | very high",
    "not at all | a little, slightly | somewhat, moderately | quite a bit | a lot, very much | "
    "a great deal, extremely",
)
"""Scales from the lowest step to the highest; words of the same step are between commas."""

_RANKS = [
    {word.strip(): rank for rank, words in enumerate(scale.split("|")) for word in words.split(",")}
    for scale in _SCALES
]
_FEWEST = 3
_NUMBER = re.compile(r"\d|\b(one|two|three|once|twice)\b", re.I)


def known_order(values: Iterable[str]) -> list[str]:
    """The values from the lowest step to the highest; [] where they are not a scale known here.

    Values such as "Don't know" are not among them.
    """
    steps = {value: _folded(value) for value in values if not is_off_scale(value)}
    ranks = _ranks_of(steps.values())
    return sorted(steps, key=lambda value: ranks[steps[value]]) if ranks else []


def top_end(labels: Sequence[str]) -> Literal["first", "last"] | None:
    """Which end of a listed scale has most of what it measures; None where words do not show it.

    Points between labelled ends may be numbers: "Strongly agree", "2", "3", "Strongly disagree".
    """
    steps = [_folded(label) for label in labels if not is_off_scale(label)]
    worded = [step for step in steps if number_of(step) is None]
    ends_alone = len(worded) == 2 and worded == [*steps[:1], *steps[-1:]] != steps
    ranks = _ranks_of(worded, fewest=2 if ends_alone else _FEWEST)
    listed = [ranks[word] for word in worded] if ranks else []
    if len(set(listed)) < 2 or (len(worded) < len(steps) and not ends_alone):
        return None
    if listed == sorted(listed):
        return "last"
    return "first" if listed == sorted(listed, reverse=True) else None


def _folded(label: str) -> str:
    return label.strip().casefold()


def _ranks_of(words: Collection[str], fewest: int = _FEWEST) -> Mapping[str, int]:
    """The steps of the scale that has all of these words; {} where none has."""
    if len(words) < fewest:
        return {}
    none: Mapping[str, int] = {}
    return next((ranks for ranks in _RANKS if ranks.keys() >= set(words)), none)


# ---- the questions of a codebook ----


def with_scale(question: CodedQuestion) -> CodedQuestion:
    """A question of a codebook with the keys `top` and `off_scale` that its words show."""
    answers = _answers_of(question)
    off = tuple(_key(answer) for answer in _off_answers(answers))
    return replace(question, top=_top_of(answers), off_scale=off or None)


def top_reason(question: CodedQuestion) -> str:
    """What a draft says of a scale whose first answer is the top; "" of any other."""
    if question.top != "first":
        return ""
    off = set(question.off_scale or ())
    points = [each for each in _answers_of(question) if _key(each) not in off]
    return f"; {points[0].name!r} is the top"


def scale_flags(
    question: CodedQuestion, answers: Sequence[_Answer], codes: Sequence[str]
) -> tuple[str, ...]:
    """The flags of a question's scale, by its keys, otherwise by the words of its answers.

    answers: the datapoints of a single question, the suffixes of a grid. codes: theirs.
    """
    if question.kind == "multiple":
        return ()
    top = question.top or _top_of(answers) or (UNKNOWN_TOP if _number_words(answers) else None)
    if question.off_scale is None:
        off = _off_answers(answers)
    else:
        keys = {canonical_value(key) for key in question.off_scale}
        off = [each for each in answers if keys.intersection(_keys(each))]
    flags = [f"{FORM_FLAG}{question.form}"] if question.form else []
    flags += [f"{TOP_FLAG}{top}"] if top else []
    flags += [f"{ENDS_FLAG}{question.ends}"] if question.ends else []
    flags += [f"{UNIVERSE_FLAG}{quote(question.universe, safe='')}"] if question.universe else []
    flags += [
        f"{OFF_SCALE_FLAG}{code}"
        for code, answer in zip(codes, answers, strict=True)
        if any(answer is each for each in off)
    ]
    return tuple(flags)


def unknown_off_scale(question: CodedQuestion) -> list[Scalar]:
    """The keys of `off_scale` that mean no answer of the question."""
    known = {key for answer in _answers_of(question) for key in _keys(answer)}
    return [each for each in question.off_scale or () if canonical_value(each) not in known]


def _answers_of(question: CodedQuestion) -> Sequence[_Answer]:
    if question.kind == "multiple":
        return ()
    return question.suffixes if question.kind == "grid" else question.points


def _top_of(answers: Sequence[_Answer]) -> Literal["first", "last"] | None:
    """The top by known words; of other answers with amounts, the end opposite a negated one."""
    if top := top_end([answer.name for answer in answers]):
        return top
    points = [answer for answer in answers if not is_off_scale(answer.name)]
    if len(points) < _FEWEST or any(answer.midpoint is None for answer in points):
        return None
    first, last = (is_negated(points[end].name) for end in (0, -1))
    if first == last:
        return None
    return "last" if first else "first"


def _number_words(answers: Sequence[_Answer]) -> bool:
    """Whether midpoints are codes alone: 1 "Very happy", 2 "Pretty happy", 3 "Unhappy"."""
    points = [answer for answer in answers if not is_off_scale(answer.name)]
    numbers = [answer.midpoint for answer in points if answer.midpoint is not None]
    if len(numbers) < max(2, len(points)) or numbers[0] not in (0, 1):
        return False
    is_row = numbers == [numbers[0] + step for step in range(len(numbers))]
    return is_row and not any(_NUMBER.search(each.name) for each in points)


def _off_answers(answers: Sequence[_Answer]) -> list[_Answer]:
    """Answers off the scale by their words; beside such ones, also those without a midpoint."""
    off = [answer for answer in answers if is_off_scale(answer.name)]
    if not off or len(off) == len(answers) or all(each.midpoint is None for each in answers):
        return off if len(off) < len(answers) else []
    return [each for each in answers if each in off or each.midpoint is None]


def _key(answer: _Answer) -> Scalar:
    """What a codebook calls an answer: its value, else its code or name."""
    own = next(iter((*(() if answer.value is None else (answer.value,)), *answer.values)), None)
    return own if own is not None else answer.code or answer.name


def _keys(answer: _Answer) -> set[str]:
    return {*meanings_of(answer), answer.code or "", answer.name} - {""}
