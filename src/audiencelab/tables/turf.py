"""The public result of TURF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from audiencelab.analysis.turf import greedy_frame, sets_frame
from audiencelab.results.turf import TurfData
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.markup import Card
    from audiencelab.render.table_layout import TableLayout


class TurfResult(TurfData, Exporting):
    """The sets of items that reach most people, for each number of items.

    `TurfData` documents the fields.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.reach()` by number of items, `.turf()` of the best sets.

        Charts combine with `|` and `&`.
        """
        return ResultCharts(self, ("reach", "turf"))

    def to_frame(self) -> pd.DataFrame:
        """A line for each set, by its number of items, the best first.

        `count` (of items), `rank`, `items` (a tuple of names, in the order of the items), `size`
        (weighted people in any of them), `sample` (respondents), `percentage` (of the base),
        `frequency` (in how many of the items those reached are on average), `added_size` and
        `added_percentage` (more than the best set of one item less; NaN where no such set was
        asked for). `attrs` hold provenance and notes.

        >>> best = client.turf("Pets", size=2, exclude="No pets", top=1)
        >>> best.to_frame()[["items", "sample"]].values.tolist()
        [[('Dog',), 2975], [('Dog', 'Cat'), 4427]]
        """
        return sets_frame(self)

    def greedy(self) -> pd.DataFrame:
        """A line for each item in the order in which each adds most people, to the last item.

        `count`, `item`, `size`, `sample`, `percentage` and `frequency` of all items so far;
        `added_size` and `added_percentage`. Items of `must` come first. The best set of a number
        of items may reach more people than so many steps.

        >>> client.turf("Pets", size=2, exclude="No pets").greedy()["item"].tolist()[:3]
        ['Dog', 'Cat', 'Fish']
        """
        return greedy_frame(self)

    def _card(self) -> Card:
        from audiencelab.render.turf import turf_card

        return turf_card(self)

    def _table_layout(self, metrics: Sequence[str] | None = None, **options: Any) -> TableLayout:
        if any(options.values()):
            raise ValueError(
                "TURF is printed as it is: leave comparison=, row_groups= and column_groups= out."
            )
        from audiencelab.render.turf import turf_layout

        return turf_layout(self, metrics)
