"""Calls that other programs have for the members of an audience: `young.mean()`, `len(young)`.

An audience knows no client, so that each ends in the line of the client that answers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from audiencelab.lines import CallCode, PlainCode, code_of, write_instead

_SIZES = (
    *("count", "sum", "size", "n", "mean", "share", "proportion", "prop", "percent", "percentage"),
    *("value_counts", "describe", "median", "std", "base", "summary"),
)
"""Words for how many people are in an audience."""

_OF_A_BASE = ("crosstab", "frequencies", "grid", "stats", "summary_table", "tab_book", "trend")
"""Calls of a client among the people of an audience."""

_OF_AN_AUDIENCE = ("profile", "respondents", "turf", "overlap", "coverage")
"""Calls of a client about an audience."""


def phrase(audience: Any, name: str) -> Callable[[], Any] | None:
    """What reads a word of an audience; None for another name."""
    if name in _SIZES:
        return partial(_sized, audience, name)
    if name in _OF_AN_AUDIENCE:
        return partial(_refuse, audience, name)
    return partial(_among, audience, name) if name in _OF_A_BASE else None


def refuse_length(audience: Any) -> NoReturn:
    """Raise the error of `len(audience)`."""
    write_instead(_KNOWS_NONE, str(_call(audience, "size")))


_KNOWS_NONE = "An audience is a condition, whose people a client counts."


def _refuse(audience: Any, method: str) -> Callable[..., NoReturn]:
    def call(*_: object, **__: object) -> NoReturn:
        write_instead(_KNOWS_NONE, str(_call(audience, method)))

    return call


def _sized(audience: Any, name: str) -> Callable[..., NoReturn]:
    def call(*given: object, **named: object) -> NoReturn:
        method = "standard_deviation" if name == "std" else "total" if name == "sum" else name
        _among(audience, method)(*given) if any(isinstance(each, str) for each in given) else None
        _refuse(audience, "size")(*given, **named)

    return call


def _call(audience: Any, method: str) -> CallCode:
    # Of those with a valid answer, none gave no answer.
    unanswered = getattr(audience, "negated", False) and not getattr(audience, "datapoints", True)
    everyone = {"base_of": "everyone"} if unanswered and method == "size" else {}
    return CallCode("client", method, (PlainCode(code_of(audience)),), everyone)


def _among(audience: Any, method: str) -> Callable[..., NoReturn]:
    def call(*given: object, **named: object) -> NoReturn:
        base = {"base_audience": PlainCode(code_of(audience))}
        write_instead(_KNOWS_NONE, str(CallCode("client", method, given, {**named, **base})))

    return call
