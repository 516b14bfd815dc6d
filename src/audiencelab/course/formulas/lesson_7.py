"""Answers and mistakes of lesson 7: weighting."""

from __future__ import annotations

import math

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.formulas.groups import AGES
from audiencelab.course.reference import EVERYONE, LAST, Z95, Respondents, given

_CLIPSTREAM = given("q20", "q20_2")


def _by_age_alone(r: Respondents) -> float:
    """The share of users of Clipstream, if respondents were weighted by age and nothing else."""
    shares = (r.share(age, waves=LAST) * r.unweighted_share(_CLIPSTREAM, age, LAST) for age in AGES)
    return sum(shares) / 100


def _effect_of_age(r: Respondents) -> float:
    """Kish's design effect of weights by age: Σ P² ÷ p of the shares of people and interviews."""
    return sum(
        r.share(age, waves=LAST) ** 2 / r.unweighted_share(age, waves=LAST) / 100 for age in AGES
    )


def _margin_by_age(r: Respondents, effect: float) -> float:
    """The margin of error of 50%, in points."""
    return Z95 * 50 * math.sqrt(effect / r.sample(EVERYONE, LAST))


FORMULAS: dict[str, ExpectedAnswer] = {
    "7.1": ExpectedAnswer(
        Number("weight", 3),
        lambda r: r.share(AGES[-1], waves=LAST) / r.unweighted_share(AGES[-1], waves=LAST),
        {
            "upside down": lambda r: (
                r.unweighted_share(AGES[-1], waves=LAST) / r.share(AGES[-1], waves=LAST)
            ),
            "people for weight": lambda r: r.size(AGES[-1], LAST) / r.sample(AGES[-1], LAST),
        },
    ),
    "7.2": ExpectedAnswer(
        Number("per cent", 2),
        _by_age_alone,
        {
            "unweighted for weighted": lambda r: r.unweighted_share(_CLIPSTREAM, waves=LAST),
            "all weights for age alone": lambda r: r.share(_CLIPSTREAM, waves=LAST),
            "plain average of the ages": lambda r: (
                sum(r.unweighted_share(_CLIPSTREAM, age, LAST) for age in AGES) / len(AGES)
            ),
        },
    ),
    "7.3": ExpectedAnswer(
        Number("design effect", 3),
        _effect_of_age,
        {
            "all weights for age alone": lambda r: r.kish(EVERYONE, LAST),
            "effective base": lambda r: r.sample(EVERYONE, LAST) / _effect_of_age(r),
            "upside down": lambda r: 1 / _effect_of_age(r),
            "no effect": lambda r: 1.0,
        },
    ),
    "7.4": ExpectedAnswer(
        Number("points", 3),
        lambda r: _margin_by_age(r, _effect_of_age(r)),
        {
            "no design effect": lambda r: _margin_by_age(r, 1),
            "standard error for margin": lambda r: _margin_by_age(r, _effect_of_age(r)) / Z95,
            "design effect without its root": lambda r: _margin_by_age(r, _effect_of_age(r) ** 2),
            "all weights for age alone": lambda r: _margin_by_age(r, r.kish(EVERYONE, LAST)),
        },
    ),
}
