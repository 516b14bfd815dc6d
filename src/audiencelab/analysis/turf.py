"""TURF: the best sets of items from patterns of respondents, and the result as frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.best_sets import Reach, Rules, TooManySets, Work, best_sets, greedy_sets
from audiencelab.results.dtypes import as_counts
from audiencelab.results.overlap import Floats
from audiencelab.results.turf import ItemSet, TurfData

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class ItemPatterns:
    """Respondents by which items they are in: bit i of a word is item i.

    weights, samples: weight and respondents in exactly this combination. divisor: what a sum of
    weights is divided by for a size. items: their number.
    """

    words: NDArray[np.uint64]
    weights: Floats
    samples: NDArray[np.int64]
    divisor: int
    items: int

    @property
    def everyone(self) -> tuple[float, float]:
        """Weighted people and respondents in all of them."""
        return float(self.weights.sum()) / self.divisor, float(self.samples.sum())

    def item_set(self, positions: Sequence[int]) -> ItemSet:
        """Who is in any of these items."""
        size, *single = (
            self._size(each) for each in (positions, *([position] for position in positions))
        )
        sample = float(self.samples[self._in_any(positions)].sum())
        return ItemSet(tuple(positions), size, sample, sum(single))

    def alone(self) -> tuple[int, ...]:
        """Items whose respondents are in no other item, where other items share respondents."""
        bits = np.bitwise_count(self.words)
        shared = np.bitwise_or.reduce(self.words[bits > 1], initial=np.uint64(0))
        return tuple(
            each
            for each in range(self.items)
            if int(shared).bit_count() > 1 and not int(shared) >> each & 1
        )

    def _size(self, positions: Sequence[int]) -> float:
        # Exact before it is divided: sums of weights are, in any order.
        return float(self.weights[self._in_any(positions)].sum()) / self.divisor

    def _in_any(self, positions: Sequence[int]) -> NDArray[np.bool_]:
        return (self.words & np.uint64(sum(1 << each for each in positions))) != 0


def turf_sets(
    patterns: ItemPatterns,
    counts: Sequence[int],
    rules: Rules,
    top: int,
    *,
    all_counts: bool = True,
) -> tuple[dict[int, tuple[ItemSet, ...]], tuple[ItemSet, ...]]:
    """The best sets of each number of items, and those that adding one item at a time makes.

    all_counts: whether a number of items of which no set is allowed raises `ValueError`; otherwise
    it is left out. A search that takes too long raises it as well.
    """
    reach = Reach.of(patterns.words, patterns.weights, patterns.items)
    best: dict[int, tuple[ItemSet, ...]] = {}
    work = Work()
    for count in counts:
        try:
            found = best_sets(reach, count, rules, top, work)
        except TooManySets:
            raise ValueError(_too_many(counts, count, [*best], len(rules.free))) from None
        if not found and best and not all_counts:
            break
        if not found:
            raise ValueError(
                f"size={count} is not valid: exclude= allows no set of {count} items. Take a "
                "smaller size, or fewer pairs in exclude=."
            )
        best[count] = tuple(map(patterns.item_set, found))
    order = greedy_sets(reach, rules)
    steps = [list(each) for each in accumulate([each] for each in order)]
    return best, tuple(map(patterns.item_set, steps))


def _too_many(counts: Sequence[int], count: int, decided: Sequence[int], items: int) -> str:
    smaller = max(decided, default=count - 1)
    return (
        f"size={max(counts)} is not valid: the best sets of {count} of {items} items would take "
        f"too long to find. Write size={smaller}, whose .greedy() adds items up to the last one, "
        "or take fewer items."
    )


def sets_frame(result: TurfData) -> pd.DataFrame:
    """See `TurfResult.to_frame`."""
    lines: list[dict[str, Any]] = []
    for count, sets in result.best.items():
        before = result.previous(count)
        for rank, each in enumerate(sets, start=1):
            line = {"count": count, "rank": rank, **_line(result, each)}
            lines.append(line | _added(result, each.size - before))
    return _frame(result, lines)


def greedy_frame(result: TurfData) -> pd.DataFrame:
    """See `TurfResult.greedy`."""
    lines: list[dict[str, Any]] = []
    before = 0.0
    for count, each in enumerate(result.greedy_sets, start=1):
        added = result.names[each.positions[-1]]
        line = {"count": count, "item": added, **_line(result, each)}
        lines.append(line | _added(result, each.size - before))
        before = each.size
    return _frame(result, lines).drop(columns="items")


def _line(result: TurfData, each: ItemSet) -> dict[str, Any]:
    return {
        "items": tuple(result.names[position] for position in each.positions),
        "size": each.size,
        "sample": each.sample,
        "percentage": result.percentage(each.size),
        "frequency": each.frequency,
    }


def _added(result: TurfData, size: float) -> dict[str, float]:
    return {"added_size": size, "added_percentage": result.percentage(size)}


def _frame(result: TurfData, lines: Sequence[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(lines)
    frame["sample"] = as_counts(frame["sample"].to_numpy())
    frame.attrs.update(result.provenance, notes=list(result.notes))
    return frame


def apart_pairs(groups: Sequence[Sequence[int]], items: int) -> NDArray[np.bool_]:
    """Which two items may be in one set, bool[items, items]; of each group at most one is."""
    together = np.ones((items, items), np.bool_)
    for group in groups:
        for one, other in combinations(group, 2):
            together[one, other] = together[other, one] = False
    return together
