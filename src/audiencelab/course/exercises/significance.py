"""Lesson 4: significance. Women and men, and what they bought, in the last wave."""

from __future__ import annotations

import math
from statistics import NormalDist

from audiencelab.course.exercises.exercise import Exercise, Mistake
from audiencelab.course.kinds import Number
from audiencelab.course.respondents import LAST, Group, Respondents, given

__all__ = ["EXERCISES"]

_MEN, _WOMEN = given("q2", "q2_1"), given("q2", "q2_2")
_CLOTHES = given("shop.b1", "b1_2")
_GOODS = tuple(given("shop.b1", f"b1_{number}") for number in range(1, 21))
_Z95 = NormalDist().inv_cdf(0.975)

_TABLE = (
    'goods = mine.catalogue.audiences("Bought lately")\n'
    'women, men = mine.catalogue["Gender"]["Female"], mine.catalogue["Gender"]["Male"]\n'
    'table = mine.crosstab(rows=goods, columns=[women, men], waves=["q4_2025"])\n'
    'effects = mine.design_effects(table, method="kish")'
)
_CLOTHES_LINE = '[lambda frame: frame["row"] == "Clothes"].iloc[0]'


def _error(r: Respondents, group: Group, *, design: bool) -> float:
    return r.standard_error(_CLOTHES, group, LAST, design=design)


def _z(r: Respondents, part: Group = _CLOTHES, *, design: bool = True) -> float:
    """Women less men, over the pooled standard error of the difference."""
    return r.z(part, (_WOMEN, LAST), (_MEN, LAST), design=design)


def _p_values(r: Respondents, *, design: bool) -> list[float]:
    zs = (_z(r, part, design=design) for part in _GOODS)
    return sorted(2 * (1 - NormalDist().cdf(abs(z))) for z in zs)


def _held(r: Respondents, *, design: bool = True, holm: bool = True) -> int:
    """How many of the goods differ at 95 %, with Holm's correction over all or with none."""
    held = 0
    ordered = _p_values(r, design=design)
    for place, p in enumerate(ordered):
        # Holm goes from the smallest up, and stops at the first that does not hold.
        if p * (len(ordered) - place if holm else 1) >= 0.05:
            break
        held += 1
    return held


EXERCISES = (
    Exercise(
        "4.1",
        "A standard error",
        Number("points", 0.006, 2),
        lambda r: _error(r, _WOMEN, design=False),
        (
            Mistake(
                "margin for standard error",
                "That is the margin at 95 %: 1.96 standard errors. One is wanted.",
                lambda r: _Z95 * _error(r, _WOMEN, design=False),
            ),
            Mistake(
                "share for points",
                "That is the error of a share of 1. In points it is 100 times that.",
                lambda r: _error(r, _WOMEN, design=False) / 100,
            ),
            Mistake(
                "variance for error",
                "You left out the square root.",
                lambda r: _error(r, _WOMEN, design=False) ** 2,
            ),
            Mistake(
                "base of everyone",
                "You divided by all respondents of the wave. Whose percentage is it?",
                lambda r: (
                    _error(r, _WOMEN, design=False)
                    * math.sqrt(r.sample(_WOMEN, LAST) / r.sample(given("q4"), LAST))
                ),
            ),
            Mistake(
                "people for respondents",
                "Hardly any error at all: you divided by people. Only respondents were asked.",
                lambda r: (
                    _error(r, _WOMEN, design=False)
                    * math.sqrt(r.sample(_WOMEN, LAST) / r.size(_WOMEN, LAST))
                ),
            ),
            Mistake(
                "design effect not wanted yet",
                "That has the weights in it. Here every respondent counts as one; 4.2 goes on.",
                lambda r: _error(r, _WOMEN, design=True),
            ),
            Mistake(
                "men for women",
                "That is the standard error of the men's percentage.",
                lambda r: _error(r, _MEN, design=False),
            ),
        ),
        (
            "√(p × (100 − p) ÷ n), with p the percentage of women who bought clothes.",
            "n is the sample of the women, in this wave: column_sample.",
        ),
        '(p * (100 - p) / cell["column_sample"]) ** 0.5',
        steps=f"{_TABLE}\ncell = table.to_frame().loc{_CLOTHES_LINE}\n"
        'p = cell["column_percentage"]',
    ),
    Exercise(
        "4.2",
        "A margin that knows of weights",
        Number("points", 0.015, 2),
        lambda r: _Z95 * _error(r, _WOMEN, design=True),
        (
            Mistake(
                "no design effect",
                "That is the margin if all weights were equal. What is the design effect?",
                lambda r: _Z95 * _error(r, _WOMEN, design=False),
            ),
            Mistake(
                "standard error for margin",
                "That is one standard error. A margin at 95 % has 1.96 of them.",
                lambda r: _error(r, _WOMEN, design=True),
            ),
            Mistake(
                "design effect without its root",
                "You multiplied the error by the design effect. It belongs under the square root.",
                lambda r: _Z95 * _error(r, _WOMEN, design=False) * r.kish(_WOMEN, LAST),
            ),
            Mistake(
                "smaller with weights",
                "Smaller than without weights? Weights that differ make a figure less sure.",
                lambda r: _Z95 * _error(r, _WOMEN, design=False) / math.sqrt(r.kish(_WOMEN, LAST)),
            ),
            Mistake(
                "full width for half",
                "That is the whole interval. The margin is what stands after ±: half of it.",
                lambda r: 2 * _Z95 * _error(r, _WOMEN, design=True),
            ),
        ),
        (
            "The same formula, with the effective base in the place of the sample.",
            'The frame of mine.design_effects(table, method="kish") has the column base.',
            "1.96 times the standard error is the margin at 95 %.",
        ),
        '1.96 * (p * (100 - p) / line["base"]) ** 0.5',
        steps=f'{_TABLE}\nline = effects.to_frame().loc{_CLOTHES_LINE}\np = line["percentage"]',
    ),
    Exercise(
        "4.3",
        "Do women buy clothes more often than men?",
        Number("standard errors", 0.012, 2),
        _z,
        (
            Mistake(
                "test without design effect",
                "That test takes every respondent as worth one. It finds too much.",
                lambda r: _z(r, design=False),
            ),
            Mistake(
                "difference for z",
                "That is the difference in points. How many of its standard errors is that?",
                lambda r: r.share(_CLOTHES, _WOMEN, LAST) - r.share(_CLOTHES, _MEN, LAST),
            ),
            Mistake(
                "p for z",
                "That is the p-value. The exercise asks for z.",
                lambda r: 2 * (1 - NormalDist().cdf(abs(_z(r)))),
            ),
            Mistake(
                "errors added up",
                "You added the two standard errors. Their squares add up.",
                lambda r: (
                    (r.share(_CLOTHES, _WOMEN, LAST) - r.share(_CLOTHES, _MEN, LAST))
                    / (_error(r, _WOMEN, design=True) + _error(r, _MEN, design=True))
                ),
            ),
        ),
        (
            "z is the difference, women less men, divided by its standard error.",
            "Squares of standard errors add up: √(se₁² + se₂²), each with its effective base.",
            "table.compare_columns(design_effect=effects).to_frame() has a column z.",
        ),
        "tests.loc" + _CLOTHES_LINE + '["z"]',
        steps=f"{_TABLE}\ntests = table.compare_columns(design_effect=effects).to_frame()",
    ),
    Exercise(
        "4.4",
        "Twenty tests at once",
        Number("goods", 0, 0),
        _held,
        (
            Mistake(
                "no correction",
                "So many hold one by one. With twenty tests, one is expected by chance: correct.",
                lambda r: _held(r, holm=False),
            ),
            Mistake(
                "test without design effect",
                "Those tests take every respondent as worth one.",
                lambda r: _held(r, design=False),
            ),
            Mistake(
                "neither correction nor design effect",
                "Neither the number of tests nor the weights are in it.",
                lambda r: _held(r, design=False, holm=False),
            ),
        ),
        (
            'compare_columns takes a correction, "holm", and a family, "table".',
            "Count the lines whose p_adjusted is below 0.05.",
        ),
        'int((tests["p_adjusted"] < 0.05).sum())',
        steps=f"{_TABLE}\n"
        'tests = table.compare_columns(0.95, "holm", family="table", design_effect=effects)'
        ".to_frame()",
    ),
)
