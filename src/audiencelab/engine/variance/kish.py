"""What weights alone cost: Kish's design effect, n · Σw² ÷ (Σw)².

It knows nothing of answers, strata and clusters, and takes one pass a column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.kernel import pair_tables
from audiencelab.engine.masks import Masks

__all__ = ["Weighing"]

Floats = NDArray[np.float64]

_AT_A_TIME = 128
"""Masks that stand in memory together."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """Respondents, weight and squared weight of some sets, in arrays of one shape that add up."""

    count: Floats
    weight: Floats
    squares: Floats

    @classmethod
    def of(cls, masks: Masks, nodes: Sequence[Node], base: Node, places: Sequence[int]) -> Weighing:
        """Of each node within the base, by wave: float64[nodes, waves]."""
        found = np.zeros((3, len(nodes), len(places)))
        for at, place in enumerate(places):
            weights = masks.frame(place).weights
            squares, everyone = weights**2, masks.of(base, place)[None]
            for start in range(0, len(nodes), _AT_A_TIME):
                some = slice(start, start + _AT_A_TIME)
                members = np.stack([masks.of(node, place) for node in nodes[some]])
                found[:2, some, at] = [each[0] for each in pair_tables(everyone, members, weights)]
                found[2, some, at] = pair_tables(everyone, members, squares)[1][0]
        return cls(*found)

    def map(self, change: Callable[[Floats], Floats]) -> Weighing:
        """The same change of all three: a sum over some of what they tell of."""
        return Weighing(change(self.count), change(self.weight), change(self.squares))

    def __sub__(self, part: Weighing) -> Weighing:
        """Of those who are not in a part."""
        return Weighing(
            self.count - part.count, self.weight - part.weight, self.squares - part.squares
        )

    @property
    def effect(self) -> Floats:
        """Kish's design effect; NaN for nobody, and where nobody weighs anything."""
        with np.errstate(divide="ignore", invalid="ignore"):
            effect = self.count * self.squares / self.weight**2
        # Squares of a whole and its part are each rounded: less than 1 can only be a hair less.
        return np.where(self.weight > 0, np.maximum(effect, 1.0), np.nan)
