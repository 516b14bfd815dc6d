"""Answers and mistakes of lesson 2: percentages and bases."""

from __future__ import annotations

from audiencelab.course.answer_types import AudienceAnswer, ExpectedAnswer, FiguresByAnswer, Number
from audiencelab.course.formulas.groups import BY_VIDEO, YOUNG
from audiencelab.course.reference import EVERYONE, RespondentGroup, Respondents, asked, given
from audiencelab.expressions import Q

_ASKED = asked("media.m8")
_LAUGHS = given("media.m8", "m8_1")
_TICKED = given("media.m8")
_AGES = tuple(f"q4_{number}" for number in range(2, 8))
_BOTH = YOUNG & BY_VIDEO


def _of_column(r: Respondents) -> float:
    return r.share(BY_VIDEO, YOUNG)


def _of_row(r: Respondents) -> float:
    return r.share(YOUNG, BY_VIDEO)


def _by_age(r: Respondents, whole: RespondentGroup) -> dict[str, float]:
    return {age: r.share(_LAUGHS, given("q4", age) & whole) for age in _AGES}


FORMULAS: dict[str, ExpectedAnswer] = {
    "2.1": ExpectedAnswer(
        Number("per cent", 2),
        _of_column,
        {
            "row for column percentage": _of_row,
            "total for column percentage": lambda r: r.share(_BOTH),
            "unweighted for weighted": lambda r: r.unweighted_share(BY_VIDEO, YOUNG),
            "everyone": lambda r: r.share(BY_VIDEO),
        },
    ),
    "2.2": ExpectedAnswer(
        Number("per cent", 2),
        _of_row,
        {
            "column for row percentage": _of_column,
            "total for row percentage": lambda r: r.share(_BOTH),
            "unweighted for weighted": lambda r: r.unweighted_share(YOUNG, BY_VIDEO),
            "everyone": lambda r: r.share(YOUNG),
        },
    ),
    "2.3": ExpectedAnswer(
        Number("per cent", 2),
        lambda r: r.share(_LAUGHS, _ASKED),
        {
            "not asked counted as no": lambda r: r.share(_LAUGHS),
            "all waves for the year": lambda r: r.share(_LAUGHS, _ASKED, r.waves),
            "answered for asked": lambda r: r.share(_LAUGHS, _TICKED),
        },
    ),
    "2.4": ExpectedAnswer(
        AudienceAnswer(),
        lambda r: (~Q("media.m7").any("m7_1")).to_wire("saved"),
        {
            "answered for asked": lambda r: Q("media.m8").any().to_wire("saved"),
            "the others": lambda r: Q("media.m7").any("m7_1").to_wire("saved"),
            "everyone": lambda r: Q("media.m7").any().to_wire("saved"),
        },
    ),
    "2.5": ExpectedAnswer(
        FiguresByAnswer("q4", _AGES, 2),
        lambda r: _by_age(r, _ASKED),
        {
            "not asked counted as no": lambda r: _by_age(r, EVERYONE),
            "answered for asked": lambda r: _by_age(r, _TICKED),
            "row for column percentage": lambda r: {
                age: r.share(given("q4", age) & _ASKED, _LAUGHS) for age in _AGES
            },
            "unweighted for weighted": lambda r: {
                age: r.unweighted_share(_LAUGHS, given("q4", age) & _ASKED) for age in _AGES
            },
        },
    ),
}
