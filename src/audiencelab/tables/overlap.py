"""The public result of an overlap of audiences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from audiencelab.analysis.overlap import (
    combinations_frame,
    pairs_frame,
    reach_frame,
    sets_frame,
    turf_frame,
)
from audiencelab.results.overlap import OverlapData
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.markup import Card
    from audiencelab.render.table_layout import TableLayout


class OverlapResult(OverlapData, Exporting):
    """Everyone in the base, by which of the audiences they are in.

    `OverlapData` documents the fields.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.overlap()`.

        Charts combine with `|` and `&`.
        """
        return ResultCharts(self, ("overlap",))

    def to_frame(self) -> pd.DataFrame:
        """A line for each combination, fewest audiences first; "none of them" is the last.

        A boolean column for each audience, by its name; `combination` in words, `count` (of
        audiences), `size` (weighted people in exactly these), `sample` (respondents), `percentage`
        (of the base) and `union_percentage` (of everyone in any audience, NaN for none). `attrs`
        hold provenance and notes.

        >>> pets = client["Pets"].audiences("Dog", "Cat")
        >>> client.overlap(pets).to_frame()["sample"].tolist()
        [2092, 1452, 883, 3573]
        """
        return combinations_frame(self)

    def sets(self) -> pd.DataFrame:
        """A line for each audience: everyone in it, and those in no other.

        `size`, `sample`, `percentage` (of the base); `alone_size`, `alone_sample` and
        `alone_percentage` (of the audience).

        >>> pets = client["Pets"].audiences("Dog", "Cat")
        >>> client.overlap(pets).sets()["sample"].tolist()
        [2975, 2335]
        """
        return sets_frame(self)

    def pairs(self) -> pd.DataFrame:
        """A line for each two audiences, `first` and `second`, whatever else people belong to.

        `size`, `sample` and `percentage` (of the base) of those in both; `first_percentage` and
        `second_percentage`, the part of either audience that is in the other; `jaccard`, those in
        both over those in either, from 0 to 1; `index` = 100 × both × base ÷ (first × second).

        >>> pets = client["Pets"].audiences("Dog", "Cat")
        >>> client.overlap(pets).pairs()["sample"].tolist()
        [883]
        """
        return pairs_frame(self)

    def reach(self, *, sort: Literal["most", "asked"] = "most") -> pd.DataFrame:
        """How many people are reached as one audience after the other is added, each once.

        sort: "most" adds next the audience with most people who are not reached yet; "asked" keeps
            the order of the query.

        A line for each step: `audience`; `added_size`, `added_sample` and `added_percentage` (of
        the base); and of everyone reached so far `size`, `sample`, `percentage` (of the base) and
        `union_percentage`. Raises `ValueError` for another order.

        >>> pets = client["Pets"].audiences("Dog", "Cat")
        >>> client.overlap(pets).reach().shape
        (2, 8)
        """
        return reach_frame(self, sort)

    def turf(self, top: int = 1) -> pd.DataFrame:
        """The audiences that reach most people together, for each number of them (TURF).

        top: how many sets to list for each number, the best first.

        Every set is tried, so the best of three need not include the best of two, as in `reach`. A
        line for each set: `count`, `audiences` (a tuple of names), `size`, `sample`, `percentage`
        (of the base), `union_percentage`, and `frequency`, in how many of the audiences those
        reached are on average. Raises `ValueError` for a `top` under 1.

        >>> pets = client["Pets"].audiences("Dog", "Cat")
        >>> client.overlap(pets).turf().shape
        (2, 7)
        """
        return turf_frame(self, top)

    def _card(self) -> Card:
        from audiencelab.render.cards import overlap_card

        return overlap_card(self)

    def _table_layout(self, metrics: Sequence[str] | None = None, **options: Any) -> TableLayout:
        if any(options.values()):
            raise ValueError(
                "An overlap is printed as it is: leave comparison=, row_groups= and "
                "column_groups= out."
            )
        return super()._table_layout(metrics=metrics)
