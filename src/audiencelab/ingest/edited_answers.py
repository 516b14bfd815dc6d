"""The answers of one question of a codebook while they are edited: joined, left out, in order."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import NamedTuple

from msgspec import structs

from audiencelab.ingest.answers import (
    Answer,
    answer_codes,
    answers_of,
    find_answer,
    find_answers,
    is_number_text,
    no_answer,
)
from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Scalar,
    canonical_value,
    meanings_of,
    number_of,
    suffix_codes,
)
from audiencelab.ingest.encode import midpoints_of
from audiencelab.ingest.meaning.words import is_off_scale
from audiencelab.survey.errors import SurveyError, listed

_LONGEST_CODE = 60


@dataclass
class EditedAnswers:
    """A question while it is edited: its answers by the codes that they keep."""

    question: CodedQuestion
    answers: dict[str, Answer] = field(init=False)

    def __post_init__(self) -> None:
        self._codes = answer_codes(self.question)
        self.answers = dict(zip(self._codes, answers_of(self.question), strict=True))

    def code(self, name: Scalar) -> str:
        """The code of an answer by its name before the edit; `SurveyError` for none."""
        return self._codes[find_answers(self.question, [name])[0]]

    def write_midpoints(self) -> None:
        """Write the numbers that answers have by their names, which may change."""
        # Numbers that follow from names would be lost with them.
        if self.question.kind == "single":
            for code, midpoint in zip(self._codes, midpoints_of(self.question), strict=True):
                self.answers[code] = structs.replace(self.answers[code], midpoint=midpoint)

    def rename(self, name: Scalar, new: str) -> tuple[str, str] | None:
        """Give an answer another name; returns the item of a grid that is meant, else None."""
        question = self.question
        items = {text.casefold() for p in question.points for text in (p.name, p.code or "")}
        is_item = question.kind == "grid" and str(name).casefold() in items - {""}
        # A point of the scale goes first where an item has the same name.
        if is_item and find_answer(question, name) is None:
            return str(name), new
        code = self.code(name)
        self.answers[code] = structs.replace(self.answers[code], name=new)
        return None

    def join(self, name: str, codes: Sequence[str], off: set[str] | None) -> set[str] | None:
        """Make one answer of several, in place of the first; returns what is off the scale."""
        if any(point.columns for point in self.question.datapoints):
            raise SurveyError(
                f"recode is not valid for {self.question.code} ({self.question.name}): each point "
                "of its scale has columns of its own. al.net joins them."
            )
        parts = [self.answers[code] for code in codes]
        new = _joined_code(self.question, codes, self.answers)
        joined = _joined(self.question, name, parts)
        self.answers = {
            new if code == codes[0] else code: joined if code == codes[0] else answer
            for code, answer in self.answers.items()
            if code not in codes[1:]
        }
        if off is None:
            return None
        return (off - {*codes}) | ({new} if off >= {*codes} else set[str]())

    def keys(self, off: set[str]) -> tuple[Scalar, ...]:
        """What a codebook calls some answers: their values, else their codes."""
        return tuple(
            next(iter(values_of(answer)), code)
            for code, answer in self.answers.items()
            if code in off
        )

    def finish(self) -> CodedQuestion:
        """The question with these answers; codes are written where they would change."""
        codes, answers = [*self.answers], [*self.answers.values()]
        made = with_answers(self.question, answers)
        for place, default in enumerate(answer_codes(made)):
            # Codes are what saved audiences and derived questions name, so an edit must not move
            # them.
            if default != codes[place]:
                answers[place] = structs.replace(answers[place], code=codes[place])
        return with_answers(self.question, answers)


def _joined_code(question: CodedQuestion, codes: Sequence[str], taken: Container[str]) -> str:
    """A code that no answer has: q5_4_5 of q5_4 and q5_5. An old one would change its meaning."""
    prefix = "" if question.kind == "grid" else f"{question.code}_"
    parts = "_".join(code.removeprefix(prefix) for code in codes)
    made = f"{prefix}{parts}"
    fits = len(made) <= _LONGEST_CODE and made not in taken
    return (
        made
        if fits
        else next(
            code for code in map(f"{prefix}joined_{{}}".format, count(1)) if code not in taken
        )
    )


def _joined(question: CodedQuestion, name: str, parts: Sequence[Answer]) -> Answer:
    """One answer of several; bands must follow one another."""
    values = [value for part in parts for value in values_of(part)]
    value = values[0] if len(values) == 1 else None
    several = () if value is not None else tuple(values)
    first = structs.replace(
        parts[0], name=name, code=None, value=value, values=several, midpoint=None
    )
    bands = [each for each in parts if isinstance(each, CodedDatapoint) and each.is_band]
    if not isinstance(first, CodedDatapoint) or not bands:
        return first
    bands.sort(key=lambda each: -math.inf if each.min is None else each.min)
    for low, high in pairwise(bands):
        end = low.max if low.below is None else low.below
        gap = math.inf if end is None or high.min is None else high.min - end
        # Bands with an upper end of their own, such as 18 to 24 and 25 to 34, are 1 apart.
        if not 0 <= gap <= (low.below is None):
            raise SurveyError(
                f"recode is not valid for {question.code} ({question.name}): {low.name!r} and "
                f"{high.name!r} do not follow one another. Join bands without a gap."
            )
    low, high = bands[0], bands[-1]
    return structs.replace(first, min=low.min, max=high.max, below=high.below)


def with_answers(question: CodedQuestion, answers: Sequence[Answer]) -> CodedQuestion:
    """The question with other answers, written in short where it was and they can be."""
    if question.kind == "grid":
        suffixes = tuple(each for each in answers if isinstance(each, CodedSuffix))
        codes = suffix_codes(suffixes)
        points = tuple(
            structs.replace(p, columns={c: p.columns[c] for c in codes if c in p.columns})
            for p in question.datapoints
        )
        return structs.replace(question, suffixes=suffixes, datapoints=points)
    points = tuple(each for each in answers if isinstance(each, CodedDatapoint))
    short = {canonical_value(each.value or ""): each.name for each in points}
    plain = (CodedDatapoint(name=name, value=value) for value, name in short.items())
    if question.labels and tuple(plain) == points:
        return structs.replace(question, labels=short)
    return structs.replace(question, labels={}, datapoints=points)


def in_order(question: CodedQuestion, names: Iterable[Scalar]) -> CodedQuestion:
    """The question with these answers first, in this order; the others follow as they were.

    Raises `SurveyError` for a name of no answer, and for an answer that is named twice.
    """
    places = find_answers(question, names)
    answers, edited = answers_of(question), EditedAnswers(question)
    if twice := next((answers[each].name for each in places if places.count(each) > 1), None):
        raise SurveyError(
            f"order is not valid for {question.code}: it names {twice!r} twice. Name each answer "
            "once."
        )
    rest = [place for place in range(len(answers)) if place not in places]
    codes = [*edited.answers]
    edited.answers = {codes[place]: answers[place] for place in [*places, *rest]}
    return _with_moved_ends(question, edited.finish())


def _with_moved_ends(old: CodedQuestion, new: CodedQuestion) -> CodedQuestion:
    """The top stays with its answer; an answer that is at no end of the points is not the top.

    What the ends are to each other is of all points in their order.
    """
    points = _points(old)
    moved = [code for code in answer_codes(new) if code in points]
    top, ends = old.top, old.ends
    if len(points) > 1 and top in ("first", "last"):
        answer = points[0] if top == "first" else points[-1]
        top = "first" if moved[0] == answer else "last" if moved[-1] == answer else None
    if moved not in (points, points[::-1]):
        ends = None
    return structs.replace(new, top=top, ends=ends)


def _points(question: CodedQuestion) -> list[str]:
    """The codes of the answers that are points of the scale, in order."""
    off = {canonical_value(each) for each in question.off_scale or ()}
    return [
        code
        for code, each in zip(answer_codes(question), answers_of(question), strict=True)
        if not (off.intersection([*meanings_of(each), code, each.name]) or is_off_scale(each.name))
    ]


class LeftOutAnswers(NamedTuple):
    """Answers that are left out, by their codes, and the values of the file that meant them."""

    codes: list[str]
    values: list[Scalar]


def left_out(made: EditedAnswers, names: Iterable[Scalar]) -> LeftOutAnswers:
    """What is left out by names of answers, and by numbers in bands.

    Raises `SurveyError` for a name of no answer, unless it is left out already.
    """
    question, found, absent = made.question, LeftOutAnswers([], []), list[Scalar]()
    is_known = False
    are_items = question.kind == "multiple" and not question.shares_values
    for name in names:
        value = canonical_value(name)
        place = None if are_items else find_answer(question, name)
        if place is not None:
            code = made.code(name)
            answer = made.answers[code]
            _check_whole(question, name, code, answer)
            found.codes.append(code)
            found.values.extend(values_of(answer))
        elif are_items or in_band(question, value):
            found.values.append(name)
        elif value in map(canonical_value, question.missing):
            is_known = True
        else:
            absent.append(name)
    # A list of codes often serves several questions; a code that is not there alone is a slip.
    for name in absent:
        if not is_number_text(canonical_value(name)) or not (
            is_known or found.codes or found.values
        ):
            raise SurveyError(no_answer(question, name))
    return found


def values_of(answer: Answer) -> tuple[Scalar, ...]:
    """The values that mean an answer, as they are written."""
    return (*(() if answer.value is None else (answer.value,)), *answer.values)


def in_band(question: CodedQuestion, value: str) -> bool:
    """Whether a value is a number in a band of the question."""
    number = number_of(value)
    return number is not None and any(
        point.is_band and point.holds(number) for point in question.points
    )


def _check_whole(question: CodedQuestion, name: Scalar, code: str, answer: Answer) -> None:
    """Raise `SurveyError` where a name means part of an answer, or an answer that is a band."""
    values = meanings_of(answer)
    if isinstance(answer, CodedDatapoint) and answer.is_band:
        raise SurveyError(
            f"{name!r} is not valid for {question.code} ({question.name}): it is a band. Name the "
            "numbers to leave out."
        )
    if len(values) > 1 and canonical_value(name) in values and name not in (code, answer.name):
        raise SurveyError(
            f"{name!r} is not valid for {question.code} ({question.name}): {listed(values)} are "
            f"one answer, {answer.name!r}. Name that."
        )


def check_once(question: CodedQuestion, codes: Sequence[str]) -> None:
    """Raise `SurveyError` for an answer that an edit leaves out or joins twice."""
    if twice := next((code for code in codes if codes.count(code) > 1), None):
        raise SurveyError(f"{twice!r} of {question.code} ({question.name}) is named twice.")


def off_scale_of(made: EditedAnswers, names: Sequence[Scalar] | None) -> set[str] | None:
    """The codes of answers off the scale; None where the codebook does not say."""
    if names is not None:
        return {made.code(name) for name in names}
    if made.question.off_scale is None:
        return None
    places = [find_answer(made.question, name) for name in made.question.off_scale]
    codes = [*made.answers]
    return {codes[place] for place in places if place is not None}


def united(known: Sequence[Scalar], new: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """The values of both, each once."""
    # The known ones last, so that a value stays written as it was.
    values = {canonical_value(each): each for each in (*new, *known)}
    order = dict.fromkeys(map(canonical_value, (*known, *new)))
    return tuple(values[each] for each in order)


def renamed(point: CodedDatapoint, items: Sequence[tuple[str, str] | None]) -> CodedDatapoint:
    """An item of a grid with its new name, if any."""
    own = {point.name.casefold(), (point.code or "").casefold()} - {""}
    new = [name for old, name in filter(None, items) if old.casefold() in own]
    return structs.replace(point, name=new[-1]) if new else point
