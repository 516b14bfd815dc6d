"""The public result of an overlap of audiences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from audiencelab.results.overlap import OverlapData
from audiencelab.tables.base import Exporting

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.render.table_layout import Comparison, TableLayout


class OverlapResult(OverlapData, Exporting):
    """Everyone in the base, by which of the audiences they are in.

    `OverlapData` documents the fields.
    """

    __slots__ = ()

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

    def _repr_html_(self) -> str:
        from audiencelab.render.cards import overlap_html

        return overlap_html(self)

    # Excel and HTML are made of this, as those of every other result.
    def _table_layout(
        self,
        metrics: Sequence[str] | None,
        comparison: Comparison | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
    ) -> TableLayout:
        from audiencelab.render.layout import table_layout

        if comparison is not None or row_groups or column_groups:
            raise ValueError(
                "An overlap is printed as it is: leave comparison=, row_groups= and "
                "column_groups= out."
            )
        return table_layout(self, metrics=metrics)
