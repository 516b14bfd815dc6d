"""Answers and mistakes of lesson 1: samples and weights."""

from __future__ import annotations

from audiencelab.course.answer_types import ExpectedAnswer, Number, WholeNumber
from audiencelab.course.formulas.groups import OLD, YOUNG
from audiencelab.course.reference import EVERYONE, LAST, given

_BRITAIN = given("s2", "s2_44")

FORMULAS: dict[str, ExpectedAnswer] = {
    "1.1": ExpectedAnswer(
        WholeNumber("respondents"),
        lambda r: r.sample(OLD),
        {
            "people for respondents": lambda r: r.size(OLD),
            "one wave for the year": lambda r: r.sample(OLD, LAST),
            "all waves for the year": lambda r: r.sample(OLD, r.waves),
            "everyone": lambda r: r.sample(EVERYONE),
        },
    ),
    "1.2": ExpectedAnswer(
        Number("per cent", 2),
        lambda r: r.share(OLD),
        {
            "unweighted for weighted": lambda r: r.unweighted_share(OLD),
            "compared with themselves": lambda r: 100.0,
        },
    ),
    "1.3": ExpectedAnswer(
        Number("millions", 2),
        lambda r: r.size(OLD) / 1e6,
        {
            "waves added up": lambda r: r.total(OLD) / 1e6,
            "one wave for the year": lambda r: r.size(OLD, LAST) / 1e6,
            "respondents for people": lambda r: r.sample(OLD),
        },
    ),
    "1.4": ExpectedAnswer(
        Number("thousand people", 1),
        lambda r: r.size(YOUNG, LAST) / r.sample(YOUNG, LAST) / 1000,
        {
            "sample of several waves": lambda r: r.size(YOUNG) / r.sample(YOUNG) / 1000,
            "every age": lambda r: r.size(EVERYONE, LAST) / r.sample(EVERYONE, LAST) / 1000,
            "upside down": lambda r: 1000 * r.sample(YOUNG, LAST) / r.size(YOUNG, LAST),
            "people for thousands": lambda r: r.size(YOUNG, LAST) / r.sample(YOUNG, LAST),
        },
    ),
    "1.5": ExpectedAnswer(
        Number("respondents", 1),
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
}
