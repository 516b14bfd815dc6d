"""Whether two audiences can share a respondent, by what they ask and the kinds of the questions."""

from __future__ import annotations

from collections.abc import Mapping

from audiencelab.expressions import And, Expression, Leaf, Or
from audiencelab.expressions.codes import WAVES

__all__ = ["of_one_question", "separate"]

Kinds = Mapping[str, str]
"""Whether respondents give one answer ("single") or several, by question, where it is known."""


def separate(one: Expression, other: Expression, kinds: Kinds) -> bool:
    """Whether nobody can be in both; False where it does not follow."""
    for first, second in ((one, other), (other, one)):
        if isinstance(first, Or):
            return all(separate(child, second, kinds) for child in first.children)
        if isinstance(first, And):
            return any(separate(child, second, kinds) for child in first.children)
    return isinstance(one, Leaf) and isinstance(other, Leaf) and _apart(one, other, kinds)


def of_one_question(one: Expression, other: Expression, kinds: Kinds) -> bool:
    """Whether both are answers to one question of which respondents give several."""
    if not (isinstance(one, Leaf) and isinstance(other, Leaf)):
        return False
    several = kinds.get(one.question, "single") != "single"
    return one.question == other.question and several and not (one.negated or other.negated)


def _apart(one: Leaf, other: Leaf, kinds: Kinds) -> bool:
    if one.question != other.question or not (one.datapoints and other.datapoints):
        return False
    first, second = set(one.datapoints), set(other.datapoints)
    if one.negated and other.negated:
        return False
    if one.negated or other.negated:
        none, some = (first, second) if one.negated else (second, first)
        denied = one if one.negated else other
        return denied.min_count == 1 and not denied.suffixes and some <= none
    single = one.question == WAVES or kinds.get(one.question) == "single"
    return single and not first & second
