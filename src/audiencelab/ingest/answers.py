"""Find the answers of a question of a codebook as people name them: by label, code or value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TypeAlias

from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Scalar,
    canonical_value,
    datapoint_codes,
    meanings_of,
    suffix_codes,
)
from audiencelab.survey.errors import SurveyError, listed

Answer: TypeAlias = CodedDatapoint | CodedSuffix

_GUESSES = 3
_SHOWN = 8


def answers_of(question: CodedQuestion) -> Sequence[Answer]:
    """What respondents choose among: the points of a grid's scale, else the datapoints."""
    return question.suffixes if question.kind == "grid" else question.points


def answer_codes(question: CodedQuestion) -> list[str]:
    """Their codes in the catalogue, in the same order."""
    if question.kind == "grid":
        return suffix_codes(question.suffixes)
    return datapoint_codes(question, question.points)


def find_answer(question: CodedQuestion, name: Scalar) -> int | None:
    """The position of the answer with a label, a code or a value of the file; None for no answer.

    A number is a value first, text a label first. Case counts only where two labels differ in it.
    Raises `SurveyError` for a name of two answers.

    >>> from audiencelab.ingest.codebook import CodedQuestion
    >>> question = CodedQuestion("q5", "Tea", labels={"1": "Yes", "2": "No", "9": "Unsure"})
    >>> find_answer(question, 9), find_answer(question, "unsure"), find_answer(question, "q5_9")
    (2, 2, 2)
    """
    text = canonical_value(name)
    answers, codes = answers_of(question), answer_codes(question)
    labels = [canonical_value(each.name) for each in answers]
    by_label = [place for place, label in enumerate(labels) if label == text]
    by_code = [place for place, code in enumerate(codes) if code == text]
    by_value = [place for place, each in enumerate(answers) if text in meanings_of(each)]
    by_case = [place for place, label in enumerate(labels) if label.casefold() == text.casefold()]
    is_text = isinstance(name, str)
    ranked = [by_label, by_code, by_value, by_case] if is_text else [by_value, by_label, by_code]
    none: list[int] = []
    found = next(filter(None, ranked), none)
    # "2" may be a label and the value of another answer: neither may win in silence.
    if is_text and by_label and by_value and by_label != by_value:
        found = list(dict.fromkeys([*by_label, *by_value]))
    if len(found) > 1:
        written = [f"{codes[place]} ({answers[place].name})" for place in found]
        raise SurveyError(
            f"{name!r} is not valid for {question.code}: it names {listed(written)}. "
            "Write the code of the answer."
        )
    return found[0] if found else None


def find_answers(question: CodedQuestion, names: Iterable[Scalar]) -> list[int]:
    """The positions of several answers, in the order named; raises `SurveyError` for no answer."""
    places: list[int] = []
    for name in names:
        place = find_answer(question, name)
        if place is None:
            raise SurveyError(no_answer(question, name))
        places.append(place)
    return places


def is_number_text(text: str) -> bool:
    """Whether a value, or what a command line has for one, is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def no_answer(question: CodedQuestion, name: Scalar) -> str:
    """The message about a name that no answer of a question has, with the nearest answers."""
    answers = answers_of(question)
    known = {
        text.casefold(): answer.name
        for answer, code in zip(answers, answer_codes(question), strict=True)
        for text in (answer.name, code, *meanings_of(answer))
    }
    word = canonical_value(name).casefold()
    # 9 is not a slip for 99.
    near = [] if word.isdecimal() else get_close_matches(word, known, n=_GUESSES, cutoff=0.6)
    names = list(dict.fromkeys(known[each] for each in near))
    if names:
        advice = f"Did you mean {' or '.join(map(repr, names))}?"
    else:
        shown = [_shown(answer) for answer in answers[:_SHOWN]]
        more = f" and {len(answers) - _SHOWN:,} more" if len(answers) > _SHOWN else ""
        advice = f"Its answers are {', '.join(shown)}{more}."
    return f"{name!r} is not valid for {question.code} ({question.name}): no answer. {advice}"


def _shown(answer: Answer) -> str:
    values = [value for value in meanings_of(answer) if value != canonical_value(answer.name)]
    return f"{answer.name!r} ({', '.join(values)})" if values else repr(answer.name)
