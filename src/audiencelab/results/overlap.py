"""The result of an overlap: how many people are in exactly which of several audiences.

Everything else is a sum over these combinations: an audience, a pair, the union. So all of it
rests on the same people in the same waves, and adds up.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_words
from audiencelab.results.stats import Provenance
from audiencelab.results.who import EVERYONE, WhoCounts

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_AUDIENCES = 8
"""Audiences of one overlap: they make 256 combinations, and nobody reads more."""

# Columns of the frame; an audience of such a name gets its id behind it.
_FIGURES = frozenset(
    ("combination", "count", "size", "sample", "percentage", "union_percentage"),
)


class People(NamedTuple):
    """Weighted people, respondents, and the people as a percentage of the base."""

    size: float
    sample: float
    percentage: float


def distinct_names(audiences: Sequence[Audience], taken: Collection[str] = ()) -> tuple[str, ...]:
    """A name for each audience; of equal names, and of those that are taken, with its id."""
    names = [audience.name for audience in audiences]
    return tuple(
        f"{name} ({audience.id})" if names.count(name) > 1 or name in taken else name
        for name, audience in zip(names, audiences, strict=True)
    )


def in_any(members: Flags, audiences: Sequence[int] | None = None) -> Flags:
    """The combinations with any of these audiences (places from 0), or with any at all."""
    chosen = members if audiences is None else members[:, list(audiences)]
    return np.logical_or.reduce(chosen, axis=1)


@hide_members("made", "members", "names", "people")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OverlapData:
    """Everyone in the base, by which of the audiences they are in.

    audiences: as sent, each with its id.
    sizes, samples: people and respondents in exactly one combination, float64[2 ** audiences];
        bit i of a place says whether they are in `audiences[i]`, so place 0 is none of them.
    base_size, base_sample: everyone in the base, in the waves that are counted.
    provenance: where the figures come from; `waves` are those that are counted.
    notes: what a reader has to know, such as waves in which not all of it was asked.
    who: who of the base counts: everyone, or those who could be in all of the audiences.
    made: how the overlap was made, for `to_code`.
    """

    audiences: tuple[Audience, ...]
    sizes: Floats
    samples: Floats
    base_size: float
    base_sample: float
    base_audience: Audience | None = None
    provenance: Provenance = field(default_factory=dict[str, Any])
    notes: tuple[str, ...] = ()
    who: WhoCounts = EVERYONE
    made: Made = None

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each audience, its own even where two are called the same."""
        return distinct_names(self.audiences, _FIGURES)

    @property
    def members(self) -> NDArray[np.bool_]:
        """Which audiences make each combination, bool[2 ** audiences, audiences]."""
        places = np.arange(len(self.sizes))[:, None]
        return (places >> np.arange(len(self.audiences)) & 1).astype(bool)

    @property
    def union(self) -> People:
        """The people in any of the audiences: size, sample, and the percentage of the base."""
        return self.people(in_any(self.members))

    def people(self, combinations: NDArray[np.bool_]) -> People:
        """The people of some combinations, bool[2 ** audiences], together.

        >>> overlap = client.overlap(client["Gender"] == "Male", client["Age"] == "18 to 24")
        >>> overlap.people(overlap.members[:, 0] & overlap.members[:, 1]).sample
        540.0
        """
        size, sample = (float(each[combinations].sum()) for each in (self.sizes, self.samples))
        percentage = 100 * size / self.base_size if self.base_size else float("nan")
        return People(size, sample, percentage)

    def __repr__(self) -> str:
        union = self.union
        found = (
            "some combinations are not reported by the service"
            if isnan(union.size)
            else f"{union.size:,.0f} people in any of them "
            f"({union.percentage:.1f}% of the base, {union.sample:,.0f} sample)"
        )
        waves = waves_words(self.provenance)
        return f"<{type(self).__name__} of {len(self.audiences)} audiences: {found}{waves}>"
