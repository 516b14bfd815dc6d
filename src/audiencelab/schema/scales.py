"""The scale of a question, as its flags and amounts show it: read here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from audiencelab.schema.breaks import BREAK_FLAG
from audiencelab.schema.catalogue import Datapoint, Question, Suffix

TOP_FLAG = "top:"
"""Prefix of the flag for the end of a scale that has most of what the question names."""

UNKNOWN_TOP = "unknown"
"""What follows that prefix where amounts are codes of words, which do not show the top."""

OFF_SCALE_FLAG = "off_scale:"
"""Prefix of the flag for an answer off the scale: "off_scale:q5_8"; bare where none is."""

ENDS_FLAG = "ends:"
"""Prefix of the flag for what the ends of a scale are to each other: "ends:opposite"."""

FORM_FLAG = "form:"
"""Prefix of the flag for answers that are neither categories nor a scale: "form:rank"."""

_NAME_LENGTH = 40
"""Maximum length of an answer in the direction of a mean."""

UNIVERSE_FLAG = "universe:"
"""Prefix of the flag for who a question is about, in percent-encoded words."""

RECORD_FLAGS = (TOP_FLAG, ENDS_FLAG, OFF_SCALE_FLAG, FORM_FLAG, UNIVERSE_FLAG, BREAK_FLAG)
"""The prefixes of all of these, and of breaks: what a survey says of its questions."""

Top: TypeAlias = Literal["first", "last", "none"]

Ends: TypeAlias = Literal["opposite", "amount"]
"""From an attitude to its opposite, or from none to most."""

Form: TypeAlias = Literal["numeric", "rank", "sum"]
"""Numbers of respondents kept beside their bands, ranks of items, parts of a constant sum."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale that the answers of a question form.

    points: codes of its answers in order, without those that are off the scale. top: the end with
    most of what the question names; "none" where neither end has, None where it is not known.
    off: codes of the answers that are off the scale, such as "Don't know".
    ends: what the ends are to each other; None where it is not known.
    is_worded: whether the survey states the top or the ends, as it does of answers that are words;
    of numbers and bands it need not.
    """

    points: tuple[str, ...]
    top: Top | None
    off: frozenset[str]
    ends: Ends | None = None
    is_worded: bool = False

    @property
    def rising(self) -> tuple[str, ...] | None:
        """The points from the lowest to the highest; None where no end is known as the top."""
        if self.top in (None, "none"):
            return None
        return self.points if self.top == "last" else self.points[::-1]

    @property
    def is_ordered(self) -> bool:
        """Whether the answers have an order, which sorting by their figures would lose."""
        return self.top is not None or self.ends is not None

    @property
    def middle(self) -> str | None:
        """The point in the middle of opposite ends; None where there is none."""
        half, is_odd = divmod(len(self.points), 2)
        return self.points[half] if self.ends == "opposite" and is_odd else None


def scale_of(question: Question) -> Scale:
    """The scale of a question, or of the items of a grid.

    Without a flag the higher amounts are the top. An answer without an amount is off the scale
    where others have one and no flag says which answers are.
    """
    answers = question.suffixes or question.datapoints or []
    amounts = midpoints_of(answers)
    off = {flag.removeprefix(OFF_SCALE_FLAG) for flag in _with(OFF_SCALE_FLAG, question.flags)}
    if not off and amounts:
        off = {each.code for each in answers} - amounts.keys()
    # The flag may be bare, or name an answer that the catalogue does not list.
    off &= {each.code for each in answers}
    points = [each.code for each in answers if each.code not in off]
    top = next((flag.removeprefix(TOP_FLAG) for flag in _with(TOP_FLAG, question.flags)), None)
    ends = next((flag.removeprefix(ENDS_FLAG) for flag in _with(ENDS_FLAG, question.flags)), None)
    is_worded = top is not None or ends is not None
    if top not in ("first", "last", "none"):
        is_unknown = top == UNKNOWN_TOP
        top = None
        if points and amounts.keys() >= set(points) and not is_unknown:
            points, top = sorted(points, key=amounts.__getitem__), "last"
        elif not is_unknown:
            # Bands of respondents' own numbers are listed from the lowest.
            top = _top_of_bands(points, amounts) or ("last" if keeps_numbers(question) else None)
    known = ends if ends in ("opposite", "amount") else None
    return Scale(tuple(points), top, frozenset(off), known, is_worded)


def _top_of_bands(points: Sequence[str], amounts: Mapping[str, float]) -> Top | None:
    """The end of the higher amounts, where a few points such as "65 and over" have none."""
    known = [amounts[code] for code in points if code in amounts]
    # Two equal amounts do not show an order, nor do those of less than half of the points.
    if len({*known}) < max(2, len(known), len(points) / 2):
        return None
    if known == sorted(known):
        return "last"
    return "first" if known == sorted(known, reverse=True) else None


def direction_of(scale: Scale, names: Mapping[str, str], amounts: Mapping[str, float]) -> str:
    """What amounts of a scale of words run from and to: "1 Very satisfied … 5 Very dissatisfied".

    names, amounts: of answers, by code. "" where the answers are numbers or bands.
    """
    scored = [code for code in scale.points if code in amounts and code in names]
    if not scale.is_worded or len(scored) < 2:
        return ""
    ends = min(scored, key=amounts.__getitem__), max(scored, key=amounts.__getitem__)
    numbers = [f"{amounts[code]:g}" for code in ends]
    words = [
        name if len(name) <= _NAME_LENGTH else f"{name[:_NAME_LENGTH]}…"
        for name in map(names.__getitem__, ends)
    ]
    if numbers == words:
        return ""
    pairs = zip(numbers, words, strict=True)
    return " … ".join(
        name if name.startswith(number) else f"{number} {name}" for number, name in pairs
    )


def keeps_numbers(question: Question) -> bool:
    """Whether the survey keeps respondents' own numbers beside the bands of a question."""
    return f"{FORM_FLAG}numeric" in question.flags


def scores_of(question: Question) -> dict[str, float]:
    """The amounts that means are of, by code: answers off the scale have none."""
    off = scale_of(question).off
    amounts = midpoints_of(question.suffixes or question.datapoints or [])
    return {code: amount for code, amount in amounts.items() if code not in off}


def midpoints_of(answers: Iterable[Datapoint] | Iterable[Suffix]) -> dict[str, float]:
    """The amount that each answer represents, by code, for those that have one."""
    return {
        each.code: float(each.midpoint.value)
        for each in answers
        if each.midpoint is not None and getattr(each, "accessible", True)
    }


def _with(prefix: str, flags: Collection[str]) -> Sequence[str]:
    return [flag for flag in flags if flag.startswith(prefix)]
