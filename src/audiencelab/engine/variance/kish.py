"""What weights alone cost: Kish's design effect, n · Σw² ÷ (Σw)², with n whose weight is not 0.

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
    """Respondents, weight and squared weight of some sets, in arrays of one shape that add up.

    count: all respondents. weighing: those whose weight is not 0.
    """

    count: Floats
    weighing: Floats
    weight: Floats
    squares: Floats

    @classmethod
    def of(cls, masks: Masks, nodes: Sequence[Node], base: Node, places: Sequence[int]) -> Weighing:
        """Of each node within the base, by wave: float64[nodes, waves]."""
        found = np.zeros((4, len(nodes), len(places)))
        for at, place in enumerate(places):
            frame = masks.frame(place)
            everyone, squares = masks.of(base, place), frame.weights**2
            for start in range(0, len(nodes), _AT_A_TIME):
                some = slice(start, start + _AT_A_TIME)
                members = np.stack([masks.of(node, place) for node in nodes[some]])
                counts, sums = pair_tables(everyone[None], members, frame.weights)
                weighing, squared = pair_tables((everyone & frame.weighing)[None], members, squares)
                found[:, some, at] = counts[0], weighing[0], sums[0], squared[0]
        return cls(*found)

    def map(self, change: Callable[[Floats], Floats]) -> Weighing:
        """The same change of all three: a sum over some of what they tell of."""
        return Weighing(
            change(self.count), change(self.weighing), change(self.weight), change(self.squares)
        )

    def __sub__(self, part: Weighing) -> Weighing:
        """Of those who are not in a part."""
        return Weighing(
            self.count - part.count,
            self.weighing - part.weighing,
            self.weight - part.weight,
            self.squares - part.squares,
        )

    @property
    def effect(self) -> Floats:
        """Kish's design effect; NaN for nobody, and where nobody weighs anything."""
        with np.errstate(divide="ignore", invalid="ignore"):
            effect = self.weighing * self.squares / self.weight**2
        # Squares of a whole and its part are each rounded: less than 1 can only be a hair less.
        return np.where(self.weight > 0, np.maximum(effect, 1.0), np.nan)
