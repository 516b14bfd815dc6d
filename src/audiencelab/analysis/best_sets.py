"""The sets of items that reach most people: every set is decided, most without being counted.

Respondents are collapsed to patterns, the combinations of items that occur, with their summed
weight. The search adds item after item to a set and keeps the patterns that it does not reach. It
leaves out all larger sets of a branch where even the gains of their items, each counted as if it
shared no one with the others, do not come up to the best sets so far: gains only become smaller as
a set grows (Nemhauser, Wolsey and Fisher 1978). The last two items of all sets of a branch are
decided at once, by one matrix product. Sums of weights are exact in any order, so equal reach is
equal, and ties keep the order of the items.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from audiencelab.results.overlap import Flags, Floats

Words = NDArray[np.uint64]
Set = tuple[int, ...]

MOST_WORK = 30_000_000_000
"""Values that the searches of one call may look at: about half a minute."""

_STEP = 150_000
"""What a step of the search costs beside its values, in values."""


class TooManySets(Exception):
    """Searches that take longer than `MOST_WORK`."""


class Work:
    """The values that the searches of one call have looked at."""

    def __init__(self) -> None:
        self._done = 0

    def add(self, values: int) -> None:
        """Count further values; raises `TooManySets`."""
        self._done += values
        if self._done > MOST_WORK:
            raise TooManySets


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """People by the items that they chose.

    missed: float64[patterns, items], 0 where a pattern has the item, else 1. sizes: the weight of
    each pattern.
    """

    missed: Floats
    sizes: Floats

    @classmethod
    def of(cls, words: Words, sizes: Floats, items: int) -> Reach:
        """The patterns as bits: bit i of a word is item i."""
        bits = words[:, None] >> np.arange(items, dtype=np.uint64) & np.uint64(1)
        return cls((bits == 0).astype(np.float64), sizes)

    def without(self, chosen: Sequence[int]) -> Reach:
        """Those who chose none of these items."""
        kept = self.missed[:, list(chosen)].all(axis=1)
        return Reach(self.missed[kept], self.sizes[kept])

    @property
    def gains(self) -> Floats:
        """The people who chose each item."""
        return self.sizes.sum() - self.sizes @ self.missed


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Which sets are allowed.

    must: items of every set. free: those that may be added. together: bool[items, items], whether
    two may be in one set.
    """

    must: Set
    free: Set
    together: Flags

    def allowed(self, chosen: Sequence[int], items: Sequence[int]) -> list[int]:
        """Those of the items that may be added to a set."""
        return [each for each in items if self.together[each, list(chosen)].all()]


def best_sets(
    reach: Reach, count: int, rules: Rules, top: int, work: Work | None = None
) -> list[Set]:
    """The sets of `count` items that reach most people, the best first, at most `top`.

    work: what other searches have looked at, to which this one adds.

    Raises `TooManySets`.
    """
    free = rules.allowed(rules.must, rules.free)
    left = reach.without(rules.must)
    search = _Search(rules.together, float(reach.sizes.sum()), top, work or Work())
    gains = left.gains
    # Items with most people first: good sets are found early, and rule out the others.
    order = sorted(free, key=lambda each: -gains[each])
    branch = _Branch(left.missed[:, order], left.sizes, order, rules.must)
    search.extend(branch, count - len(rules.must))
    return [found for _, found in search.best]


def greedy_sets(reach: Reach, rules: Rules) -> list[int]:
    """The items in the order in which each adds most people, after those of every set."""
    order, left, free = [*rules.must], reach.without(rules.must), list(rules.free)
    while free := [each for each in rules.allowed(order, free) if each not in order]:
        gains = left.gains
        # max returns the first of equals, which keeps the order of the items.
        order.append(max(free, key=lambda each: float(gains[each])))
        left = left.without(order[-1:])
    return order


@dataclass(frozen=True, slots=True, eq=False)
class _Branch:
    """Sets that begin with the same items.

    missed, sizes: the patterns that `chosen` does not reach, and which of the `items` that may
    follow they lack.
    """

    missed: Floats
    sizes: Floats
    items: Sequence[int]
    chosen: Set

    def followed_by(self, at: int, together: Flags) -> _Branch:
        """The sets with one more of the items, and those behind it."""
        added = self.items[at]
        behind = [
            each for each in range(at + 1, len(self.items)) if together[added, self.items[each]]
        ]
        kept = np.flatnonzero(self.missed[:, at])
        return _Branch(
            self.missed[kept[:, None], behind],
            self.sizes[kept],
            [self.items[each] for each in behind],
            (*self.chosen, added),
        )


class _Search:
    """The best sets that were found so far: the people that each reaches, negated, and the set."""

    def __init__(self, together: Flags, everyone: float, top: int, work: Work) -> None:
        self.best: list[tuple[float, Set]] = []
        self._together, self._everyone, self._top = together, everyone, top
        self._work = work

    def extend(self, branch: _Branch, more: int) -> None:
        """Decide all sets of a branch with so many more items."""
        width, left = len(branch.items), branch.sizes.sum()
        self._work.add(branch.missed.size * (width if more == 2 else 1) + _STEP)
        if more == 0:
            self._keep([float(self._everyone - left)], [branch.chosen])
            return
        if more == 2:
            self._pairs(branch)
            return
        reached = self._everyone - branch.sizes @ branch.missed
        if more == 1:
            self._keep(reached, [(*branch.chosen, each) for each in branch.items])
            return
        gains = reached - (self._everyone - left)
        for at in range(width - more + 1):
            most = float(reached[at] + np.sort(gains[at + 1 :])[1 - more :].sum())
            if self._may_be_kept(most, branch, at, more):
                self.extend(branch.followed_by(at, self._together), more - 1)

    def _pairs(self, branch: _Branch) -> None:
        """Two more items at once: whom both miss, of every two."""
        missed = (branch.missed * branch.sizes[:, None]).T @ branch.missed
        one, other = np.nonzero(np.triu(self._together[np.ix_(branch.items, branch.items)], 1))
        reached = self._everyone - missed[one, other]
        if len(reached) > self._top:
            # Ties with the last that are kept are decided by the order of the items.
            least = max(self._least, np.partition(reached, -self._top)[-self._top])
        else:
            least = self._least
        kept = np.flatnonzero(reached >= least)
        pairs: Iterable[tuple[int, int]] = zip(
            one[kept].tolist(), other[kept].tolist(), strict=True
        )
        self._keep(
            reached[kept], [(*branch.chosen, branch.items[i], branch.items[j]) for i, j in pairs]
        )

    @property
    def _least(self) -> float:
        """The people that a set must reach to be kept."""
        return -self.best[-1][0] if len(self.best) == self._top else -inf

    def _may_be_kept(self, most: float, branch: _Branch, at: int, more: int) -> bool:
        """Whether sets that reach at most so many can be among the best, by their order too."""
        if most != self._least:
            return most > self._least
        behind = sorted(branch.items[at + 1 :])[: more - 1]
        return tuple(sorted((*branch.chosen, branch.items[at], *behind))) < self.best[-1][1]

    def _keep(self, reached: Sequence[float] | Floats, sets: Sequence[Set]) -> None:
        if not sets:
            return
        found = (
            (-float(size), tuple(sorted(each))) for size, each in zip(reached, sets, strict=True)
        )
        self.best = sorted([*self.best, *found])[: self._top]
