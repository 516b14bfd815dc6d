"""The result of TURF: the sets of items that reach most people, each person once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.results.made import Made
from audiencelab.results.overlap import distinct_names
from audiencelab.results.provenance import waves_words
from audiencelab.results.stats import Provenance
from audiencelab.results.who import EVERYONE, WhoCounts


class ItemSet(NamedTuple):
    """Some items, and who is in any of them.

    positions: of the items, from 0. size: weighted people; sample: respondents. belonging: the sum
    of the weighted people in each of the items.
    """

    positions: tuple[int, ...]
    size: float
    sample: float
    belonging: float

    @property
    def frequency(self) -> float:
        """In how many of the items those who are reached are, on average."""
        return self.belonging / self.size if self.size else float("nan")


@hide_members("base_line", "greedy_sets", "made", "names", "percentage", "previous", "singles")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TurfData:
    """The sets of items that reach most people, for each number of items.

    items: those that sets were made of, each with its id.
    best: for each number of items the best sets, the best first.
    singles: each item by itself.
    greedy_sets: the first item, the first two …: each adds the item that reaches most more people.
    must: positions of the items of every set. apart: positions of items that are not in one set.
    base_size, base_sample: those who count: of the base, those who could be in every item.
    everyone_sample: respondents in the base.
    provenance, notes, who, made: as of `OverlapData`.
    """

    items: tuple[Audience, ...]
    singles: tuple[ItemSet, ...]
    best: dict[int, tuple[ItemSet, ...]]
    greedy_sets: tuple[ItemSet, ...]
    must: tuple[int, ...]
    apart: tuple[tuple[int, ...], ...]
    base_size: float
    base_sample: float
    everyone_sample: float
    base_audience: Audience | None = None
    provenance: Provenance = field(default_factory=dict[str, Any])
    notes: tuple[str, ...] = ()
    who: WhoCounts = EVERYONE
    made: Made = None

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each item, its own even where two are called the same."""
        return distinct_names(self.items)

    def percentage(self, size: float) -> float:
        """A size as a percentage of the base.

        >>> client.turf("Pets", size=2, exclude="No pets").percentage(0)
        0.0
        """
        return 100 * size / self.base_size if self.base_size else float("nan")

    def previous(self, count: int) -> float:
        """The people that the best set of one item less reaches; NaN where there is none.

        >>> client.turf("Pets", size=2, exclude="No pets").previous(1)
        0.0
        """
        if count == 1:
            return 0.0
        smaller = self.best.get(count - 1)
        return smaller[0].size if smaller else float("nan")

    def __repr__(self) -> str:
        count = max(self.best)
        reached = self.best[count][0]
        waves = waves_words(self.provenance)
        return (
            f"<{type(self).__name__} of {len(self.items)} items: the best {count} reach "
            f"{self.percentage(reached.size):.1f}% of the base, "
            f"n = {self.base_sample:,.0f}{waves}>"
        )
