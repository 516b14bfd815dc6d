"""Answers and mistakes of lesson 3: index."""

from __future__ import annotations

from audiencelab.course.answer_types import ExpectedAnswer, Name, Number
from audiencelab.course.formulas.groups import BY_VIDEO, OLD, YOUNG
from audiencelab.course.reference import EVERYONE, Respondents, given

_WATCHERS = ~given("media.m7", "m7_1")
_CHANNELS = {f"b5_{number}": given("shop.b5", f"b5_{number}") for number in range(1, 21)}


def _raw_index(r: Respondents) -> float:
    return 100 * r.unweighted_share(BY_VIDEO, YOUNG) / r.unweighted_share(BY_VIDEO)


def _more_than_expected(r: Respondents) -> float:
    return (r.size(BY_VIDEO & YOUNG) - r.size(YOUNG) * r.share(BY_VIDEO) / 100) / 1e6


def _top_by_index(r: Respondents) -> str:
    return max(_CHANNELS, key=lambda code: r.index(_CHANNELS[code], OLD))


FORMULAS: dict[str, ExpectedAnswer] = {
    "3.1": ExpectedAnswer(
        Number("index points", 0.6),
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
        Number("index points", 0.6),
        lambda r: r.index(BY_VIDEO, YOUNG, _WATCHERS),
        {
            "index on the wrong base": lambda r: r.index(BY_VIDEO, YOUNG),
            "ratio for index": lambda r: r.index(BY_VIDEO, YOUNG, _WATCHERS) / 100,
            "base compared with itself": lambda r: r.index(BY_VIDEO, EVERYONE),
        },
    ),
    "3.3": ExpectedAnswer(
        Name("shop.b5", "channel"),
        _top_by_index,
        {
            "largest share for highest index": lambda r: max(
                _CHANNELS, key=lambda code: r.share(_CHANNELS[code], OLD)
            ),
            "lowest for highest index": lambda r: min(
                _CHANNELS, key=lambda code: r.index(_CHANNELS[code], OLD)
            ),
        },
    ),
    "3.4": ExpectedAnswer(
        Number("index points", 0.6),
        lambda r: 1e4 / r.share(BY_VIDEO),
        {
            "ceiling of the wrong base": lambda r: 1e4 / r.share(BY_VIDEO, YOUNG),
            "ratio for index": lambda r: 100 / r.share(BY_VIDEO),
            "unweighted for weighted": lambda r: 1e4 / r.unweighted_share(BY_VIDEO),
            "percentage for index": lambda r: r.share(BY_VIDEO),
        },
    ),
    "3.5": ExpectedAnswer(
        Number("millions", 0.06, 2),
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
