"""Answers and mistakes of lessons 4 to 7: significance, waves, honest charts and weighting."""

from __future__ import annotations

import math
from statistics import NormalDist

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.chart_answers import ChartAnswer
from audiencelab.course.reference import EVERYONE, LAST, RespondentGroup, Respondents, given

_MEN, _WOMEN = given("q2", "q2_1"), given("q2", "q2_2")
_CLOTHES = given("shop.b1", "b1_2")
_GOODS = tuple(given("shop.b1", f"b1_{number}") for number in range(1, 21))
_Z95 = NormalDist().inv_cdf(0.975)
_DAILY = given("media.m45", "m45_1", suffixes=["1", "2"])
_EVER = given("media.m45", "m45_1")
_HEAVY = given("media.m7", "m7_5", "m7_6", "m7_7")
_FIRST = "q1_2024"
_CHANNELS = tuple(given("shop.b5", f"b5_{number}") for number in range(1, 21))
_AGES = tuple(given("q4", f"q4_{number}") for number in range(1, 8))
_GERMANY = given("s2", "s2_49")
_AXIS = 40.0
"""The start of the axis in exercise 6.1, in percent."""


def _error(r: Respondents, group: RespondentGroup, *, design: bool) -> float:
    return r.standard_error(_CLOTHES, group, LAST, design=design)


def _z(r: Respondents, part: RespondentGroup = _CLOTHES, *, design: bool = True) -> float:
    """Women less men, over the pooled standard error of the difference."""
    return r.z(part, (_WOMEN, LAST), (_MEN, LAST), design=design)


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


def _change(r: Respondents, before: str) -> float:
    return r.share(_DAILY, waves=LAST) - r.share(_DAILY, waves=[before])


def _z_since(r: Respondents, before: str = "q3_2025") -> float:
    return r.z(_DAILY, (EVERYONE, LAST), (EVERYONE, [before]))


def _shares(r: Respondents) -> tuple[float, float]:
    return r.share(_CLOTHES, _WOMEN), r.share(_CLOTHES, _MEN)


def _ratios(r: Respondents) -> tuple[float, float]:
    """The ratio of the bars' lengths, and the ratio of their values, women to men."""
    women, men = _shares(r)
    return (women - _AXIS) / (men - _AXIS), women / men


def _lie_factor(r: Respondents) -> float:
    looks, true = _ratios(r)
    return (looks - 1) / (true - 1)


def _low(r: Respondents, within: RespondentGroup, *, weighted: bool = False) -> int:
    """The number of ages with fewer than 30 respondents, or with an effective base below 30."""
    counts = [
        (r.effective_base if weighted else r.sample)(age & within)
        for age in _AGES
        if r.sample(age & within)
    ]
    return sum(count < 30 for count in counts) + len(_AGES) - len(counts)


def _by_age_alone(r: Respondents) -> float:
    """The share of buyers of clothes, if respondents were weighted by age and nothing else."""
    shares = (r.share(age, waves=LAST) * r.unweighted_share(_CLOTHES, age, LAST) for age in _AGES)
    return sum(shares) / 100


def _effect_of_age(r: Respondents) -> float:
    """Kish's design effect of weights by age: Σ P² ÷ p of the shares of people and interviews."""
    return sum(
        r.share(age, waves=LAST) ** 2 / r.unweighted_share(age, waves=LAST) / 100 for age in _AGES
    )


def _margin_by_age(r: Respondents, effect: float) -> float:
    """The margin of error of 50%, in points."""
    return _Z95 * 50 * math.sqrt(effect / r.sample(EVERYONE, LAST))


FORMULAS: dict[str, ExpectedAnswer] = {
    "4.1": ExpectedAnswer(
        Number("points", 0.006, 2),
        lambda r: _error(r, _WOMEN, design=False),
        {
            "margin for standard error": lambda r: _Z95 * _error(r, _WOMEN, design=False),
            "share for points": lambda r: _error(r, _WOMEN, design=False) / 100,
            "variance for error": lambda r: _error(r, _WOMEN, design=False) ** 2,
            "base of everyone": lambda r: (
                _error(r, _WOMEN, design=False)
                * math.sqrt(r.sample(_WOMEN, LAST) / r.sample(given("q4"), LAST))
            ),
            "people for respondents": lambda r: (
                _error(r, _WOMEN, design=False)
                * math.sqrt(r.sample(_WOMEN, LAST) / r.size(_WOMEN, LAST))
            ),
            "design effect not wanted yet": lambda r: _error(r, _WOMEN, design=True),
            "men for women": lambda r: _error(r, _MEN, design=False),
        },
    ),
    "4.2": ExpectedAnswer(
        Number("points", 0.015, 2),
        lambda r: _Z95 * _error(r, _WOMEN, design=True),
        {
            "no design effect": lambda r: _Z95 * _error(r, _WOMEN, design=False),
            "standard error for margin": lambda r: _error(r, _WOMEN, design=True),
            "design effect without its root": lambda r: (
                _Z95 * _error(r, _WOMEN, design=False) * r.kish(_WOMEN, LAST)
            ),
            "smaller with weights": lambda r: (
                _Z95 * _error(r, _WOMEN, design=False) / math.sqrt(r.kish(_WOMEN, LAST))
            ),
            "full width for half": lambda r: 2 * _Z95 * _error(r, _WOMEN, design=True),
        },
    ),
    "4.3": ExpectedAnswer(
        Number("standard errors", 0.012, 2),
        _z,
        {
            "test without design effect": lambda r: _z(r, design=False),
            "difference for z": lambda r: (
                r.share(_CLOTHES, _WOMEN, LAST) - r.share(_CLOTHES, _MEN, LAST)
            ),
            "p for z": lambda r: 2 * (1 - NormalDist().cdf(abs(_z(r)))),
            "errors added up": lambda r: (
                (r.share(_CLOTHES, _WOMEN, LAST) - r.share(_CLOTHES, _MEN, LAST))
                / (_error(r, _WOMEN, design=True) + _error(r, _MEN, design=True))
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
    "5.1": ExpectedAnswer(
        Number("per cent", 0.06),
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
        Number("millions", 0.06),
        lambda r: r.size(_DAILY, r.since(_FIRST)) / 1e6,
        {
            "not asked counted as no": lambda r: r.size(_DAILY, r.waves) / 1e6,
            "waves added up": lambda r: r.total(_DAILY, r.waves) / 1e6,
            "one wave for all": lambda r: r.size(_DAILY, LAST) / 1e6,
        },
    ),
    "5.3": ExpectedAnswer(
        Number("points", 0.06),
        lambda r: _change(r, "q4_2024"),
        {
            "per cent for points": lambda r: (
                100 * _change(r, "q4_2024") / r.share(_DAILY, waves=["q4_2024"])
            ),
            "ratio for difference": lambda r: (
                r.share(_DAILY, waves=LAST) / r.share(_DAILY, waves=["q4_2024"])
            ),
            "quarter for year": lambda r: _change(r, "q3_2025"),
            "from the start": lambda r: _change(r, _FIRST),
        },
    ),
    "5.4": ExpectedAnswer(
        Number("standard errors", 0.012, 2),
        _z_since,
        {
            "year for quarter": lambda r: _z_since(r, "q4_2024"),
            "difference for z": lambda r: _change(r, "q3_2025"),
            "errors of one wave": lambda r: (
                _change(r, "q3_2025") / r.standard_error(_DAILY, EVERYONE, LAST)
            ),
        },
    ),
    "5.5": ExpectedAnswer(
        Number("index points", 0.6),
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
    "6.1": ExpectedAnswer(
        Number("times", 0.12, 2),
        _lie_factor,
        {
            "ratio of bars for lie factor": lambda r: _ratios(r)[0],
            "ratio of ratios for lie factor": lambda r: _ratios(r)[0] / _ratios(r)[1],
            "upside down": lambda r: 1 / _lie_factor(r),
            "the other bar first": lambda r: (1 / _ratios(r)[0] - 1) / (1 / _ratios(r)[1] - 1),
        },
    ),
    "6.2": ExpectedAnswer(
        Number("per cent of people", 0.3),
        lambda r: sum(r.share(channel) for channel in _CHANNELS),
        {
            "average for sum": lambda r: sum(r.share(channel) for channel in _CHANNELS) / 100,
            "all waves for the year": lambda r: sum(
                r.share(channel, waves=r.waves) for channel in _CHANNELS
            ),
            "shares of answers": lambda r: 100.0,
            "unweighted for weighted": lambda r: sum(
                r.unweighted_share(channel) for channel in _CHANNELS
            ),
            "any of them": lambda r: r.share(given("shop.b5")),
        },
    ),
    "6.3": ExpectedAnswer(
        Number("bars", 0, 0),
        lambda r: _low(r, _GERMANY),
        {
            "every market": lambda r: _low(r, EVERYONE),
            "effective bases": lambda r: _low(r, _GERMANY, weighted=True),
            "the others": lambda r: len(_AGES) - _low(r, _GERMANY),
        },
    ),
    "6.4": ExpectedAnswer(
        ChartAnswer(0.06),
        lambda r: [r.share(_CLOTHES, age) for age in _AGES[1:]],
    ),
    "7.1": ExpectedAnswer(
        Number("weight", 0.006, 3),
        lambda r: r.share(_AGES[-1], waves=LAST) / r.unweighted_share(_AGES[-1], waves=LAST),
        {
            "upside down": lambda r: (
                r.unweighted_share(_AGES[-1], waves=LAST) / r.share(_AGES[-1], waves=LAST)
            ),
            "all waves for one": lambda r: (
                r.share(_AGES[-1], waves=r.waves) / r.unweighted_share(_AGES[-1], waves=r.waves)
            ),
            "the youngest": lambda r: (
                r.share(_AGES[0], waves=LAST) / r.unweighted_share(_AGES[0], waves=LAST)
            ),
        },
    ),
    "7.2": ExpectedAnswer(
        Number("per cent", 0.06),
        _by_age_alone,
        {
            "unweighted for weighted": lambda r: r.unweighted_share(_CLOTHES, waves=LAST),
            "all weights for age alone": lambda r: r.share(_CLOTHES, waves=LAST),
            "plain average of the ages": lambda r: (
                sum(r.unweighted_share(_CLOTHES, age, LAST) for age in _AGES) / len(_AGES)
            ),
        },
    ),
    "7.3": ExpectedAnswer(
        Number("design effect", 0.006, 3),
        _effect_of_age,
        {
            "all weights for age alone": lambda r: r.kish(EVERYONE, LAST),
            "effective base": lambda r: r.sample(EVERYONE, LAST) / _effect_of_age(r),
            "upside down": lambda r: 1 / _effect_of_age(r),
        },
    ),
    "7.4": ExpectedAnswer(
        Number("points", 0.006, 3),
        lambda r: _margin_by_age(r, _effect_of_age(r)),
        {
            "no design effect": lambda r: _margin_by_age(r, 1),
            "standard error for margin": lambda r: _margin_by_age(r, _effect_of_age(r)) / _Z95,
            "design effect without its root": lambda r: _margin_by_age(r, _effect_of_age(r) ** 2),
            "all weights for age alone": lambda r: _margin_by_age(r, r.kish(EVERYONE, LAST)),
        },
    ),
}
