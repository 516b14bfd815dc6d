"""The respondents of a survey one by one, as the reference reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from audiencelab.expressions import Leaf
from audiencelab.expressions.codes import ASKED

LOCATION = "where"
"""The question of the locations: everybody counts in it."""


@dataclass(frozen=True)
class Person:
    """One respondent.

    gave: by question, the point given to each item or answer ("" where there are no points).
    asked: by question, the items that this person was asked.
    """

    wave: str
    weight: float
    gave: Mapping[str, Mapping[str, str]]
    asked: Mapping[str, frozenset[str]]

    def has(self, what: Literal["gave", "asked"], question: str) -> Iterable[str]:
        """The items of a question that this person gave, or was asked."""
        return getattr(self, what).get(question, ())

    def gives(self, leaf: Leaf) -> int:
        """How many of the answers that a leaf counts this person gave."""
        if leaf.datapoints == (ASKED,):
            return int(leaf.question in self.asked)
        points = self.gave.get(leaf.question, {})
        return sum(
            points[each] in (leaf.suffixes or (points[each],))
            for each in leaf.datapoints or points
            if each in points
        )


@dataclass(frozen=True, eq=False)
class Records:
    """A survey.

    kinds: single, multiple or grid, by question. items: the items or answers of each question.
    offered: by question, what each wave offered; a wave that did not ask it is left out.
    """

    waves: tuple[str, ...]
    kinds: Mapping[str, str]
    items: Mapping[str, tuple[str, ...]]
    offered: Mapping[str, Mapping[str, frozenset[str]]]
    people: tuple[Person, ...]
