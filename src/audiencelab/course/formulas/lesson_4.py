"""Answers and mistakes of lesson 4: significance."""

from __future__ import annotations

import math
from statistics import NormalDist

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.formulas.groups import CLOTHES, MEN, WOMEN, Z95
from audiencelab.course.reference import LAST, RespondentGroup, Respondents, given

_GOODS = tuple(given("shop.b1", f"b1_{number}") for number in range(1, 21))


def _error(r: Respondents, group: RespondentGroup, *, design: bool) -> float:
    return r.standard_error(CLOTHES, group, LAST, design=design)


def _z(r: Respondents, part: RespondentGroup = CLOTHES, *, design: bool = True) -> float:
    """Women less men, over the pooled standard error of the difference."""
    return r.z(part, (WOMEN, LAST), (MEN, LAST), design=design)


def _p_values(r: Respondents, *, design: bool) -> list[float]:
    zs = (_z(r, part, design=design) for part in _GOODS)
    return sorted(2 * (1 - NormalDist().cdf(abs(z))) for z in zs)


def _held(r: Respondents, *, design: bool = True, holm: bool = True) -> int:
    """The number of goods that differ at 95%, with or without Holm's correction over all goods."""
    held = 0
    ordered = _p_values(r, design=design)
    for place, p in enumerate(ordered):
        # Holm's procedure starts at the smallest p and stops at the first that is not significant.
        if p * (len(ordered) - place if holm else 1) >= 0.05:
            break
        held += 1
    return held


FORMULAS: dict[str, ExpectedAnswer] = {
    "4.1": ExpectedAnswer(
        Number("points", 0.006, 2),
        lambda r: _error(r, WOMEN, design=False),
        {
            "margin for standard error": lambda r: Z95 * _error(r, WOMEN, design=False),
            "share for points": lambda r: _error(r, WOMEN, design=False) / 100,
            "variance for error": lambda r: _error(r, WOMEN, design=False) ** 2,
            "base of everyone": lambda r: (
                _error(r, WOMEN, design=False)
                * math.sqrt(r.sample(WOMEN, LAST) / r.sample(given("q4"), LAST))
            ),
            "people for respondents": lambda r: (
                _error(r, WOMEN, design=False)
                * math.sqrt(r.sample(WOMEN, LAST) / r.size(WOMEN, LAST))
            ),
            "design effect not wanted yet": lambda r: _error(r, WOMEN, design=True),
            "men for women": lambda r: _error(r, MEN, design=False),
        },
    ),
    "4.2": ExpectedAnswer(
        Number("points", 0.015, 2),
        lambda r: Z95 * _error(r, WOMEN, design=True),
        {
            "no design effect": lambda r: Z95 * _error(r, WOMEN, design=False),
            "standard error for margin": lambda r: _error(r, WOMEN, design=True),
            "design effect without its root": lambda r: (
                Z95 * _error(r, WOMEN, design=False) * r.kish(WOMEN, LAST)
            ),
            "smaller with weights": lambda r: (
                Z95 * _error(r, WOMEN, design=False) / math.sqrt(r.kish(WOMEN, LAST))
            ),
            "full width for half": lambda r: 2 * Z95 * _error(r, WOMEN, design=True),
        },
    ),
    "4.3": ExpectedAnswer(
        Number("standard errors", 0.012, 2),
        _z,
        {
            "test without design effect": lambda r: _z(r, design=False),
            "difference for z": lambda r: (
                r.share(CLOTHES, WOMEN, LAST) - r.share(CLOTHES, MEN, LAST)
            ),
            "p for z": lambda r: 2 * (1 - NormalDist().cdf(abs(_z(r)))),
            "errors added up": lambda r: (
                (r.share(CLOTHES, WOMEN, LAST) - r.share(CLOTHES, MEN, LAST))
                / (_error(r, WOMEN, design=True) + _error(r, MEN, design=True))
            ),
        },
    ),
    "4.4": ExpectedAnswer(
        Number("goods", 0, 0),
        _held,
        {
            "no correction": lambda r: _held(r, holm=False),
            "test without design effect": lambda r: _held(r, design=False),
            "neither correction nor design effect": lambda r: _held(r, design=False, holm=False),
        },
    ),
}
