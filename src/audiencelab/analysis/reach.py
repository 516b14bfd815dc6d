"""Unduplicated reach: whom several audiences hold together, and which of them add most.

Pure sums over combinations; an array `members` says which audiences make each of them
(bool[combinations, audiences]).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["People", "best_sets", "greedy_order", "in_any"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class People(NamedTuple):
    """Weighted people, respondents, and the people as a percentage of the base."""

    size: float
    sample: float
    percentage: float


def in_any(members: Flags, audiences: Sequence[int] | None = None) -> Flags:
    """The combinations with any of these audiences (places from 0), or with any at all."""
    chosen = members if audiences is None else members[:, list(audiences)]
    return np.logical_or.reduce(chosen, axis=1)


def greedy_order(members: Flags, sizes: Floats) -> list[int]:
    """The audiences in the order in which each adds most people to those before it.

    Of two that add as many, the one asked for first comes first.
    """
    order: list[int] = []
    left = list(range(members.shape[1]))
    while left:
        new = ~in_any(members, order)
        order.append(max(left, key=lambda each: float(sizes[members[:, each] & new].sum())))
        left.remove(order[-1])
    return order


def best_sets(members: Flags, sizes: Floats, count: int, top: int) -> list[tuple[int, ...]]:
    """The sets of `count` audiences that reach most people, the best first, `top` at most."""
    sets = combinations(range(members.shape[1]), count)
    reached = {each: float(sizes[in_any(members, each)].sum()) for each in sets}
    return sorted(reached, key=lambda each: -reached[each])[:top]
