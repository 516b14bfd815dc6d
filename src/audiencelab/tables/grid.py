"""The public result of a grid question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from audiencelab.analysis.averages import averages
from audiencelab.analysis.compare_averages import compare_item_averages
from audiencelab.analysis.options import DEFAULTS, TestOptions
from audiencelab.analysis.rebase import rebased_grid
from audiencelab.figures import figure, percent
from audiencelab.keywords import keywords
from audiencelab.markup import Card, card, note, table
from audiencelab.results.grid import SCALE, GridData, by_item
from audiencelab.results.metric_names import ShortName, own_name, own_names
from audiencelab.results.provenance import waves_fact, weight_fact
from audiencelab.results.table_code import note_call, of_call
from audiencelab.results.who_counts import base_line
from audiencelab.tables.base import Exporting
from audiencelab.tables.charting import ResultCharts
from audiencelab.tables.comparison import Comparison, public

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.render.table_layout import TableLayout


class GridResult(GridData, Exporting):
    """One row for each item × point of the scale × audience, in the order requested.

    `GridData` documents the fields.
    """

    __slots__ = ()

    @property
    def chart(self) -> ResultCharts:
        """The result as a chart: `.stack()`.

        Charts combine with `|` and `&`.
        """
        return ResultCharts(self, ("auto", "stack"))

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line for each item × point × audience, with its metrics.

        The columns of a stats frame, with `suffix` and `suffix_label` for the point of the scale.
        A percentage is of those in the audience who count: with `base_of="everyone"` all of them,
        with `"valid"` those with a valid answer to the item.

        >>> client.grid("Trust in sources").to_frame()[["suffix_label", "sample"]].iloc[0].tolist()
        ['Trust completely', np.int64(2345)]
        """
        from audiencelab.results.to_pandas import grid_frame

        return grid_frame(self)

    def to_wide(
        self, metric: str | Sequence[str] = "column", *, labels: bool = True
    ) -> pd.DataFrame:
        """Items as rows, the scale as columns (and audiences below it), of one metric or several.

        metric: as of `StatsResult.to_wide`, or several as a last level.
        labels: names in the margins (True) or codes (False). Raises `ValueError` for other metrics.

        >>> client.grid("Trust in sources").to_wide().shape
        (10, 5)
        """
        from audiencelab.results.to_pandas import stats_wide

        one = isinstance(metric, str)
        metric = own_name(self, metric) if one else own_names(self, metric)
        wide = stats_wide(self.table, metric, labels=labels, hide_under=0)
        wide.columns.names = [SCALE, *wide.columns.names[1:]]
        return wide.rename_axis(index="item")

    @overload
    def __getitem__(self, metric: ShortName | list[str]) -> pd.DataFrame: ...
    @overload
    def __getitem__(self, metric: str) -> Any: ...
    def __getitem__(self, metric: str | list[str]) -> Any:
        """The wide frame of one metric: `grid["column"]`; or a point or an item by its label."""
        from audiencelab.tables.phrases import metric_or_label

        return metric_or_label(self, metric)

    def averages(
        self,
        midpoints: Mapping[str, float],
        *,
        design: float | Literal["auto"] = "auto",
        level: float = 0.95,
    ) -> pd.DataFrame:
        """Mean, median and standard deviation of each item on its scale.

        midpoints: what each point stands for, by code or name: `{"1": 5, "Strongly agree": 5}`.
        design, level: of standard errors and intervals; see `StatsResult.averages`.

        One line for each item × audience; see `StatsResult.averages` for figures and formulas.

        >>> scale = client["Trust in sources"].suffixes
        >>> amounts = {each.code: each.midpoint.value for each in scale if each.midpoint}
        >>> client.grid("Trust in sources").averages(amounts)["mean"].round(1).tolist()[:2]
        [3.7, 3.2]
        """
        frame = averages(by_item(self), midpoints, design=design, level=level, disjoint=True)
        named = {"segment": "datapoint", "segment_label": "datapoint_label"}
        return frame.rename(columns=named)

    @keywords(TestOptions, DEFAULTS, note=note_call)
    def test(self, midpoints: Mapping[str, float], **options: Unpack[TestOptions]) -> Comparison:
        """Test every pair of audiences within each item: do their means on the scale differ?

        midpoints: as for `averages`, whose means these are.
        options: `levels`, `correction`, `design` and others; `TestOptions` documents them.

        Items, which the same people marked, are compared with each other by
        `client.crosstab(question.mean(), audiences).test(vs="rows")`. Raises `ValueError` for
        options that are not valid and for fewer than two audiences.

        >>> scale = client["Trust in sources"].suffixes
        >>> amounts = {each.code: each.midpoint.value for each in scale if each.midpoint}
        >>> client.grid("Trust in sources", audiences="Gender").test(amounts).to_wide().shape
        (10, 3)
        """
        return public(compare_item_averages(self, midpoints, options))

    @of_call
    def rebased_to_answered(self) -> Self:
        """The same grid with a base for each item: those who answered the item.

        Each item's points then add up to 100%; an index compares with the same base. Respondents
        who were not asked about an item, or said nothing, are not in its base: `column_sample`
        has the respondents that are.

        Raises `ValueError` for a result without some points of the scale, and
        `OverlappingAnswers` where respondents gave several answers to an item.

        >>> answered = client.grid("Trust in sources").rebased_to_answered()
        >>> answered["column"].sum(axis=1).round(6).unique().tolist()
        [100.0]
        """
        return replace(self, table=rebased_grid(self))

    def _card(self) -> Card:
        wide = self.to_wide()
        headers = wide.columns.get_level_values(0)
        several = self.audiences if len(self.audiences) > 1 else ()
        names = wide.columns.get_level_values(1) if several else headers
        points = len(several) or 1
        layout = self._table_layout(metrics=["column_percentage"])
        own = layout.beside[-1:]
        bases = zip(*(bases for *_, bases in own), strict=True) if own else ((),) * len(wide)
        listed = table(
            ["", *(label for label, *_ in own), *names],
            [
                [item, *(figure(each, 0) for each in base), *map(percent, line)]
                for item, base, line in zip(wide.index, bases, wide.to_numpy(), strict=True)
            ],
            above=[[("", 1 + len(own)), *((point, points) for point in headers[::points])]]
            if several
            else (),
            numeric=range(1, len(own) + len(names) + 1),
        )
        whole = "each audience" if self.audiences else "the base"
        rebased = self.provenance.get("rebased")
        samples = [row.metrics.audience_sample for row in self.table]
        # 0 is an item that was not asked, which has no base.
        sample = min(filter(None, samples), default=0)
        facts = [
            f"% of {self.audiences[0].name if len(self.audiences) == 1 else whole}"
            + (" who answered the item" if rebased else ""),
            base_line(self),
            "" if own else f"smallest base n = {sample:,.0f}",
            waves_fact(self.provenance),
            weight_fact(self.provenance),
        ]
        subtitle = " · ".join(filter(None, facts))
        title = self.table.labels.question or self.question
        said = filter(None, (*layout.notes, *layout.gaps, layout.source))
        return card(title, listed, *map(note, said), subtitle=subtitle)

    def _table_layout(self, **options: Any) -> TableLayout:
        from audiencelab.render.layout import table_layout

        return table_layout(self.table, **options)
