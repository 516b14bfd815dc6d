"""Answers and mistakes of lesson 5: waves."""

from __future__ import annotations

import math

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.reference import EVERYONE, LAST, Z95, Respondents, given

_DAILY = given("media.m45", "m45_1", suffixes=["1", "2"])
_EVER = given("media.m45", "m45_1")
_HEAVY = given("media.m7", "m7_5", "m7_6", "m7_7")
_FIRST = "q1_2024"


def _change(r: Respondents, before: str) -> float:
    return r.share(_DAILY, waves=LAST) - r.share(_DAILY, waves=[before])


_STEP = (EVERYONE, LAST), (EVERYONE, ("q3_2025",))
"""The last two waves."""


def _errors_of_step(r: Respondents) -> list[float]:
    """The standard errors of the last two waves, each by itself."""
    return [r.linearised_error(_DAILY, *wave) for wave in _STEP]


def _error_by_bases(r: Respondents, *, effective: bool) -> float:
    """The pooled standard error of the step from n alone, or from Kish's effective bases."""
    bases = [(r.effective_base if effective else r.sample)(*wave) for wave in _STEP]
    share = sum(r.share(_DAILY, *wave) * n for wave, n in zip(_STEP, bases, strict=True))
    share /= sum(bases)
    return math.sqrt(share * (100 - share) * sum(1 / n for n in bases))


FORMULAS: dict[str, ExpectedAnswer] = {
    "5.1": ExpectedAnswer(
        Number("per cent", 2),
        lambda r: r.share(_DAILY, waves=LAST),
        {
            "all waves for one": lambda r: r.share(_DAILY, waves=r.since(_FIRST)),
            "any answer for daily": lambda r: r.share(_EVER, waves=LAST),
            "unweighted for weighted": lambda r: r.unweighted_share(_DAILY, waves=LAST),
            "several times a day only": lambda r: r.share(
                given("media.m45", "m45_1", suffixes=["1"]), waves=LAST
            ),
        },
    ),
    "5.2": ExpectedAnswer(
        Number("millions", 2),
        lambda r: r.size(_DAILY, r.since(_FIRST)) / 1e6,
        {
            "not asked counted as no": lambda r: r.size(_DAILY, r.waves) / 1e6,
            "waves added up": lambda r: r.total(_DAILY, r.waves) / 1e6,
            "one wave for all": lambda r: r.size(_DAILY, LAST) / 1e6,
        },
    ),
    "5.3": ExpectedAnswer(
        Number("points", 2),
        lambda r: _change(r, "q4_2024"),
        {
            "per cent for points": lambda r: (
                100 * _change(r, "q4_2024") / r.share(_DAILY, waves=["q4_2024"])
            ),
            "quarter for year": lambda r: _change(r, "q3_2025"),
            "from the start": lambda r: _change(r, _FIRST),
        },
    ),
    "5.4": ExpectedAnswer(
        Number("points", 3),
        lambda r: r.tested_error(_DAILY, *_STEP),
        {
            "no design effect": lambda r: _error_by_bases(r, effective=False),
            "Kish for this question": lambda r: _error_by_bases(r, effective=True),
            "errors of one wave": lambda r: _errors_of_step(r)[0],
            "errors added up": lambda r: sum(_errors_of_step(r)),
            "margin for error": lambda r: Z95 * r.tested_error(_DAILY, *_STEP),
            "difference for its error": lambda r: _change(r, "q3_2025"),
            "z for its error": lambda r: _change(r, "q3_2025") / r.tested_error(_DAILY, *_STEP),
        },
    ),
    "5.5": ExpectedAnswer(
        Number("index points", 2),
        lambda r: r.index(_HEAVY, _DAILY, waves=r.since(_FIRST)),
        {
            "bases of different waves": lambda r: (
                100 * r.share(_HEAVY, _DAILY, r.since(_FIRST)) / r.share(_HEAVY, waves=r.waves)
            ),
            "one wave for all": lambda r: r.index(_HEAVY, _DAILY, waves=LAST),
            "a year for all waves": lambda r: r.index(_HEAVY, _DAILY),
            "row and column the same people": lambda r: 100.0,
            "percentage for index": lambda r: r.share(_HEAVY, _DAILY, r.since(_FIRST)),
        },
    ),
}
