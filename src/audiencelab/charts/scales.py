"""Ordered scales: which answers have an order, the shades that show it, and their top two."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from audiencelab.charts.theme import Look

__all__ = ["Scale", "read_scale", "shades"]

_OPPOSITES = (
    ("agree", "disagree"),
    ("better", "worse"),
    ("comfortable", "uncomfortable"),
    ("confident", "unconfident"),
    ("easy", "difficult"),
    ("favourable", "unfavourable"),
    ("favorable", "unfavorable"),
    ("good", "bad"),
    ("good", "poor"),
    ("happy", "unhappy"),
    ("higher", "lower"),
    ("hopeful", "worried"),
    ("important", "unimportant"),
    ("like", "dislike"),
    ("likely", "unlikely"),
    ("positive", "negative"),
    ("safe", "unsafe"),
    ("satisfied", "dissatisfied"),
    ("support", "oppose"),
    ("trust", "distrust"),
)
"""Words of the two ends of an attitude scale, the favourable one first."""

_LEAST = re.compile(r"\b(never|none|not at all|nothing|least|do not|don't|would not)\b")
_NO_ANSWER = re.compile(
    r"\b(don'?t know|do not know|no answer|no opinion|not sure|unsure|refused|not applicable|"
    r"prefer not|rather not|not stated)\b"
)
_FEWEST = 4
"""Answers from which a total of the top two says something: of three it is nearly everybody."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Answers in an order.

    steps: the answers of the scale, as they were asked. ends: whether it runs from one attitude to
        its opposite. falls: whether the first step is the most favourable, or the most frequent.
    """

    steps: tuple[str, ...]
    ends: bool
    falls: bool

    @property
    def top(self) -> tuple[str, ...]:
        """The two most favourable (or most frequent) answers; none of a short scale."""
        if len(self.steps) < _FEWEST:
            return ()
        return self.steps[:2] if self.falls else self.steps[-2:]


def read_scale(answers: Sequence[str], *, known: bool) -> Scale | None:
    """The scale that a question's answers make, by their names; None where they make none.

    known: whether the answers are the points of a grid's scale, which has an order in any case.
    """
    steps = tuple(each for each in answers if not _NO_ANSWER.search(each.lower()))
    if len(steps) < 3:
        return None
    first, last = (set(re.findall(r"[\w']+", each.lower())) for each in (steps[0], steps[-1]))
    for good, bad in _OPPOSITES:
        if (good in first and bad in last) or (bad in first and good in last):
            return Scale(steps, ends=True, falls=good in first)
    if not known:
        return None
    return Scale(steps, ends=False, falls=not _LEAST.search(steps[0].lower()))


def shades(scale: Scale, answers: Sequence[str], colours: Look) -> list[str]:
    """A colour for each answer: strongest at the top (or at both ends), grey outside the scale."""
    steps = scale.steps if scale.falls else scale.steps[::-1]
    ramp = _two_ends(len(steps), colours) if scale.ends else _spread(colours.scale, len(steps))
    found = dict(zip(steps, ramp, strict=True))
    return [found.get(each, colours.outside) for each in answers]


def _two_ends(number: int, colours: Look) -> list[str]:
    half = number // 2
    # The weakest shades are for long scales: beside the middle they are hard to tell from it.
    good, bad = (ramp[: half + 1] for ramp in (colours.favourable, colours.unfavourable))
    middle = [colours.neutral] if number % 2 else []
    return [*_spread(good, half), *middle, *_spread(bad, half)[::-1]]


def _spread(ramp: Sequence[str], number: int) -> list[str]:
    """So many shades of a ramp, from its first on, as far apart as they can be."""
    last = len(ramp) - 1
    return [ramp[round(each * last / max(number - 1, 1))] for each in range(number)]
