"""Answers and mistakes of lessons 1 to 3: samples, percentages and the index."""

from __future__ import annotations

from audiencelab.course.answer_types import (
    AudienceAnswer,
    ExpectedAnswer,
    FiguresByAnswer,
    Name,
    Number,
)
from audiencelab.course.reference import EVERYONE, LAST, RespondentGroup, Respondents, asked, given
from audiencelab.expressions import Q

_OLD = given("q4", "q4_7")
_BRAZIL = given("s2", "s2_55")
_BRITAIN = given("s2", "s2_44")
_YOUNG = given("q4", "q4_2")
_BY_VIDEO = given("shop.b5", "b5_11")
_ASKED = asked("media.m8")
_LAUGHS = given("media.m8", "m8_1")
_TICKED = given("media.m8")
_AGES = tuple(f"q4_{number}" for number in range(2, 8))
_BOTH = _YOUNG & _BY_VIDEO
_WATCHERS = ~given("media.m7", "m7_1")
_CHANNELS = {f"b5_{number}": given("shop.b5", f"b5_{number}") for number in range(1, 21)}


def _of_column(r: Respondents) -> float:
    return r.share(_BY_VIDEO, _YOUNG)


def _of_row(r: Respondents) -> float:
    return r.share(_YOUNG, _BY_VIDEO)


def _by_age(r: Respondents, whole: RespondentGroup) -> dict[str, float]:
    return {age: r.share(_LAUGHS, given("q4", age) & whole) for age in _AGES}


def _raw_index(r: Respondents) -> float:
    return 100 * r.unweighted_share(_BY_VIDEO, _YOUNG) / r.unweighted_share(_BY_VIDEO)


def _more_than_expected(r: Respondents) -> float:
    return (r.size(_BY_VIDEO & _YOUNG) - r.size(_YOUNG) * r.share(_BY_VIDEO) / 100) / 1e6


def _top_by_index(r: Respondents) -> str:
    return max(_CHANNELS, key=lambda code: r.index(_CHANNELS[code], _OLD))


FORMULAS: dict[str, ExpectedAnswer] = {
    "1.1": ExpectedAnswer(
        Number("respondents", 0, 0),
        lambda r: r.sample(_OLD),
        {
            "people for respondents": lambda r: r.size(_OLD),
            "one wave for the year": lambda r: r.sample(_OLD, LAST),
            "all waves for the year": lambda r: r.sample(_OLD, r.waves),
            "everyone": lambda r: r.sample(EVERYONE),
        },
    ),
    "1.2": ExpectedAnswer(
        Number("per cent", 0.06),
        lambda r: r.share(_OLD),
        {
            "unweighted for weighted": lambda r: r.unweighted_share(_OLD),
            "one wave for the year": lambda r: r.share(_OLD, waves=LAST),
        },
    ),
    "1.3": ExpectedAnswer(
        Number("millions", 0.06),
        lambda r: r.size(_OLD) / 1e6,
        {
            "waves added up": lambda r: r.total(_OLD) / 1e6,
            "one wave for the year": lambda r: r.size(_OLD, LAST) / 1e6,
            "respondents for people": lambda r: r.sample(_OLD),
        },
    ),
    "1.4": ExpectedAnswer(
        Number("people", 60, 0),
        lambda r: r.size(_BRAZIL, LAST) / r.sample(_BRAZIL, LAST),
        {
            "sample of several waves": lambda r: r.size(_BRAZIL) / r.sample(_BRAZIL),
            "every market": lambda r: r.size(EVERYONE, LAST) / r.sample(EVERYONE, LAST),
            "upside down": lambda r: r.sample(_BRAZIL, LAST) / r.size(_BRAZIL, LAST),
        },
    ),
    "1.5": ExpectedAnswer(
        Number("respondents", 0.6),
        lambda r: r.effective_base(_BRITAIN, LAST),
        {
            "no design effect": lambda r: r.sample(_BRITAIN, LAST),
            "multiplied by the design effect": lambda r: (
                r.sample(_BRITAIN, LAST) * r.kish(_BRITAIN, LAST)
            ),
            "every market": lambda r: r.effective_base(EVERYONE, LAST),
            "design effect itself": lambda r: r.kish(_BRITAIN, LAST),
        },
    ),
    "2.1": ExpectedAnswer(
        Number("per cent", 0.06),
        _of_column,
        {
            "row for column percentage": _of_row,
            "total for column percentage": lambda r: r.share(_BOTH),
            "unweighted for weighted": lambda r: r.unweighted_share(_BY_VIDEO, _YOUNG),
            "everyone": lambda r: r.share(_BY_VIDEO),
        },
    ),
    "2.2": ExpectedAnswer(
        Number("per cent", 0.06),
        _of_row,
        {
            "column for row percentage": _of_column,
            "total for row percentage": lambda r: r.share(_BOTH),
            "unweighted for weighted": lambda r: r.unweighted_share(_YOUNG, _BY_VIDEO),
            "everyone": lambda r: r.share(_YOUNG),
        },
    ),
    "2.3": ExpectedAnswer(
        Number("per cent", 0.06),
        lambda r: r.share(_LAUGHS, _ASKED),
        {
            "not asked counted as no": lambda r: r.share(_LAUGHS),
            "all waves for the year": lambda r: r.share(_LAUGHS, _ASKED, r.waves),
            "answered for asked": lambda r: r.share(_LAUGHS, _TICKED),
            "unweighted for weighted": lambda r: r.unweighted_share(_LAUGHS, _ASKED),
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
        FiguresByAnswer("q4", _AGES, 0.06),
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
    "3.1": ExpectedAnswer(
        Number("index points", 0.6),
        lambda r: r.index(_BY_VIDEO, _YOUNG),
        {
            "ratio for index": lambda r: r.index(_BY_VIDEO, _YOUNG) / 100,
            "upside down": lambda r: 1e4 / r.index(_BY_VIDEO, _YOUNG),
            "percentage for index": lambda r: r.share(_BY_VIDEO, _YOUNG),
            "difference for ratio": lambda r: r.share(_BY_VIDEO, _YOUNG) - r.share(_BY_VIDEO),
            "unweighted for weighted": _raw_index,
        },
    ),
    "3.2": ExpectedAnswer(
        Number("index points", 0.6),
        lambda r: r.index(_BY_VIDEO, _YOUNG, _WATCHERS),
        {
            "index on the wrong base": lambda r: r.index(_BY_VIDEO, _YOUNG),
            "ratio for index": lambda r: r.index(_BY_VIDEO, _YOUNG, _WATCHERS) / 100,
            "base compared with itself": lambda r: r.index(_BY_VIDEO, EVERYONE),
        },
    ),
    "3.3": ExpectedAnswer(
        Name("shop.b5", "channel"),
        _top_by_index,
        {
            "largest share for highest index": lambda r: max(
                _CHANNELS, key=lambda code: r.share(_CHANNELS[code], _OLD)
            ),
            "lowest for highest index": lambda r: min(
                _CHANNELS, key=lambda code: r.index(_CHANNELS[code], _OLD)
            ),
        },
    ),
    "3.4": ExpectedAnswer(
        Number("index points", 0.6),
        lambda r: 1e4 / r.share(_BY_VIDEO),
        {
            "ceiling of the wrong base": lambda r: 1e4 / r.share(_BY_VIDEO, _YOUNG),
            "ratio for index": lambda r: 100 / r.share(_BY_VIDEO),
            "unweighted for weighted": lambda r: 1e4 / r.unweighted_share(_BY_VIDEO),
            "percentage for index": lambda r: r.share(_BY_VIDEO),
        },
    ),
    "3.5": ExpectedAnswer(
        Number("millions", 0.06, 2),
        _more_than_expected,
        {
            "all of them": lambda r: r.size(_BY_VIDEO & _YOUNG) / 1e6,
            "the expected ones": lambda r: r.size(_YOUNG) * r.share(_BY_VIDEO) / 1e8,
            "points of everyone": lambda r: (
                r.size(EVERYONE) * (r.share(_BY_VIDEO, _YOUNG) - r.share(_BY_VIDEO)) / 1e8
            ),
        },
    ),
}
