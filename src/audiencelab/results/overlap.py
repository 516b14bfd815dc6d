"""The result of an overlap: how many people are in exactly which of several audiences.

Everything else is a sum over these combinations: an audience, a pair, the union. So all of it
rests on the same people in the same waves, and adds up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.reach import People, in_any
from audiencelab.expressions import Audience
from audiencelab.results.export import Exporting
from audiencelab.results.stats import Provenance

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.render.table_layout import Comparison, Tabulation

__all__ = ["MOST_AUDIENCES", "Floats", "OverlapResult"]

Floats = NDArray[np.float64]

MOST_AUDIENCES = 8
"""Audiences of one overlap: they make 256 combinations, and nobody reads more."""

_FIGURES = frozenset(
    ("combination", "count", "size", "sample", "percentage", "union_percentage"),
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OverlapResult(Exporting):
    """Everyone in the base, by which of the audiences they are in.

    audiences: as sent, each with its id.
    sizes, samples: people and respondents in exactly one combination, float64[2 ** audiences];
        bit i of a place says whether they are in `audiences[i]`, so place 0 is none of them.
    base_size, base_sample: everyone in the base, in the waves that are counted.
    provenance: where the figures come from; `waves` are those that are counted.
    notes: what a reader has to know, such as waves in which not all of it was asked.
    """

    audiences: tuple[Audience, ...]
    sizes: Floats
    samples: Floats
    base_size: float
    base_sample: float
    base_audience: Audience | None = None
    provenance: Provenance = field(default_factory=dict[str, Any])
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each audience, its own even where two are called the same."""
        names = [audience.name for audience in self.audiences]
        return tuple(
            f"{name} ({audience.id})" if names.count(name) > 1 or name in _FIGURES else name
            for name, audience in zip(names, self.audiences, strict=True)
        )

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
        """The people of some combinations, bool[2 ** audiences], together."""
        size, sample = (float(each[combinations].sum()) for each in (self.sizes, self.samples))
        percentage = 100 * size / self.base_size if self.base_size else float("nan")
        return People(size, sample, percentage)

    def to_frame(self) -> pd.DataFrame:
        """A line for each combination, fewest audiences first; "none of them" is the last.

        A column of true and false for each audience, by its name; then `combination` in words,
        `count` (of audiences), `size` (weighted people in exactly these), `sample` (respondents),
        `percentage` (of the base) and `union_percentage` (of everyone in any of the audiences,
        NaN for those who are in none). `attrs` hold provenance and notes.
        """
        from audiencelab.analysis.overlap import combinations_frame

        return combinations_frame(self)

    def sets(self) -> pd.DataFrame:
        """A line for each audience: everyone in it, and those in no other.

        `size`, `sample`, `percentage` (of the base); `alone_size`, `alone_sample` and
        `alone_percentage` (of the audience): what only this audience brings.
        """
        from audiencelab.analysis.overlap import sets_frame

        return sets_frame(self)

    def pairs(self) -> pd.DataFrame:
        """A line for each two audiences, `first` and `second`, whoever else people belong to.

        `size`, `sample` and `percentage` (of the base) of those in both; `first_percentage` and
        `second_percentage`, the share of either audience that is in the other; `jaccard`, those
        in both over those in either, from 0 to 1; `index`, 100 where being in one says nothing
        about being in the other: 100 × both × base ÷ (first × second).
        """
        from audiencelab.analysis.overlap import pairs_frame

        return pairs_frame(self)

    def reach(self, *, sort: Literal["most", "asked"] = "most") -> pd.DataFrame:
        """How many people are reached as one audience after the other is added, nobody twice.

        sort: "most" adds next whoever brings most people who are not reached yet, starting with
            the largest audience; "asked" keeps the order that was asked for.

        A line for each step: `audience`; `added_size`, `added_sample` and `added_percentage` (of
        the base), whom it adds; `size`, `sample`, `percentage` (of the base) and
        `union_percentage`, everyone reached so far. Raises `ValueError` for another order.
        """
        from audiencelab.analysis.overlap import reach_frame

        return reach_frame(self, sort)

    def turf(self, top: int = 1) -> pd.DataFrame:
        """The audiences that reach most people together, for each number of them.

        top: how many sets to list for each number, the best first.

        Total unduplicated reach and frequency: every set is tried, so the best of three need not
        hold the best of two, as it must in `reach`. A line for each set: `count`, `audiences` (a
        tuple of names), `size`, `sample`, `percentage` (of the base), `union_percentage`, and
        `frequency`, in how many of the set's audiences those reached are on average. Raises
        `ValueError` for a `top` under 1.
        """
        from audiencelab.analysis.overlap import turf_frame

        return turf_frame(self, top)

    def __repr__(self) -> str:
        union = self.union
        return (
            f"<OverlapResult of {len(self.audiences)} audiences: {union.size:,.0f} people in any "
            f"of them ({union.percentage:.1f} % of the base, {union.sample:,.0f} sample)>"
        )

    def _repr_html_(self) -> str:
        from audiencelab.render.overlap import overlap_html

        return overlap_html(self)

    # Excel and HTML are made of this, as those of every other result.
    def _tabulation(
        self,
        metrics: Sequence[str] | None,
        comparison: Comparison | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
    ) -> Tabulation:
        from audiencelab.render.overlap import overlap_tabulation

        if comparison is not None or row_groups or column_groups:
            raise ValueError(
                "An overlap is printed as it is: leave comparison=, row_groups= and "
                "column_groups= out."
            )
        return overlap_tabulation(self, metrics)
