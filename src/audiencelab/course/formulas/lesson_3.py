"""Answers and mistakes of lesson 3: index."""

from __future__ import annotations

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.formulas.groups import BY_VIDEO, OLD, YOUNG
from audiencelab.course.reference import EVERYONE, RespondentGroup, Respondents, given

_WATCHERS = ~given("media.m7", "m7_1")


def _raw_index(r: Respondents, column: RespondentGroup = YOUNG) -> float:
    return 100 * r.unweighted_share(BY_VIDEO, column) / r.unweighted_share(BY_VIDEO)


def _more_than_expected(r: Respondents) -> float:
    return (r.size(BY_VIDEO & YOUNG) - r.size(YOUNG) * r.share(BY_VIDEO) / 100) / 1e6


FORMULAS: dict[str, ExpectedAnswer] = {
    "3.1": ExpectedAnswer(
        Number("index points", 2),
        lambda r: r.index(BY_VIDEO, YOUNG),
        {
            "ratio for index": lambda r: r.index(BY_VIDEO, YOUNG) / 100,
            "upside down": lambda r: 1e4 / r.index(BY_VIDEO, YOUNG),
            "percentage for index": lambda r: r.share(BY_VIDEO, YOUNG),
            "difference for ratio": lambda r: r.share(BY_VIDEO, YOUNG) - r.share(BY_VIDEO),
            "unweighted for weighted": _raw_index,
        },
    ),
    "3.2": ExpectedAnswer(
        Number("index points", 2),
        lambda r: r.index(BY_VIDEO, YOUNG, _WATCHERS),
        {
            "index on the wrong base": lambda r: r.index(BY_VIDEO, YOUNG),
            "ratio for index": lambda r: r.index(BY_VIDEO, YOUNG, _WATCHERS) / 100,
            "base compared with itself": lambda r: r.index(BY_VIDEO, EVERYONE),
        },
    ),
    "3.3": ExpectedAnswer(
        Number("per cent less", 2),
        lambda r: 100 - r.index(BY_VIDEO, OLD),
        {
            "index for per cent less": lambda r: r.index(BY_VIDEO, OLD),
            "points for per cent": lambda r: r.share(BY_VIDEO) - r.share(BY_VIDEO, OLD),
            "percentage for index": lambda r: r.share(BY_VIDEO, OLD),
            "upside down": lambda r: 1e4 / r.index(BY_VIDEO, OLD) - 100,
            "unweighted for weighted": lambda r: 100 - _raw_index(r, OLD),
            "the young for the old": lambda r: r.index(BY_VIDEO, YOUNG) - 100,
        },
    ),
    "3.4": ExpectedAnswer(
        Number("index points", 2),
        lambda r: 1e4 / r.share(BY_VIDEO),
        {
            "ceiling of the wrong base": lambda r: 1e4 / r.share(BY_VIDEO, YOUNG),
            "ratio for index": lambda r: 100 / r.share(BY_VIDEO),
            "unweighted for weighted": lambda r: 1e4 / r.unweighted_share(BY_VIDEO),
            "percentage for index": lambda r: r.share(BY_VIDEO),
        },
    ),
    "3.5": ExpectedAnswer(
        Number("millions", 2),
        _more_than_expected,
        {
            "all of them": lambda r: r.size(BY_VIDEO & YOUNG) / 1e6,
            "the expected ones": lambda r: r.size(YOUNG) * r.share(BY_VIDEO) / 1e8,
            "points of everyone": lambda r: (
                r.size(EVERYONE) * (r.share(BY_VIDEO, YOUNG) - r.share(BY_VIDEO)) / 1e8
            ),
        },
    ),
}
