"""The result of a grid: items asked about on one scale, with the scale beside each item.

A stats query merges the points of a scale ("any of them"). A grid has a query for each point, and
keeps them apart: items are rows, the scale is columns, and every figure is the service's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.expressions import Audience
from audiencelab.results.export import Exporting
from audiencelab.results.stats import StatsLabels, StatsResult
from audiencelab.wording import harmless, plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.analysis.significance import (
        AverageComparison,
        Base,
        Correction,
        DesignEffect,
        Family,
    )
    from audiencelab.render.table_layout import Comparison, Tabulation
    from audiencelab.results.crosstab import CrosstabResult

__all__ = ["SCALE", "GridResult", "by_item", "grid_of"]

SCALE = "scale"
"""What the columns of a grid are, where those of a stats result are waves or another question."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GridResult(Exporting):
    """One row for each item × point of the scale × audience, in the order asked for.

    table: the service's rows, with the item as datapoint and the point of the scale as segment.
    """

    table: StatsResult

    @property
    def question(self) -> str:
        """The question's code."""
        return self.table.question

    @property
    def items(self) -> tuple[str, ...]:
        """Datapoint codes of what was asked about."""
        return self.table.datapoints

    @property
    def scale(self) -> tuple[str, ...]:
        """Suffix codes of the points of the scale."""
        return self.table.segments

    @property
    def audiences(self) -> tuple[Audience, ...]:
        """The audiences as sent, each with its id."""
        return self.table.audiences

    @property
    def base_audience(self) -> Audience | None:
        """The base audience as sent, or None for all respondents."""
        return self.table.base_audience

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the figures come from."""
        return self.table.provenance

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line for each item × point × audience, with the nine metrics.

        The columns of a stats frame, with `suffix` and `suffix_label` for the point of the scale.
        A percentage is of everyone in the audience, those who were not asked among them.
        """
        named = {"segment": "suffix", "segment_label": "suffix_label"}
        return self.table.to_frame().drop(columns="suffixes").rename(columns=named)

    def to_wide(
        self, metric: str | Sequence[str] = "audience_percentage", *, labels: bool = True
    ) -> pd.DataFrame:
        """Items as rows, the scale as columns (and audiences below it), of one metric or several.

        metric: one of the nine (`audiencelab.schema.METRICS`), or several as a last level.
        labels: names in the margins (True) or codes (False). Raises `ValueError` for other metrics.
        """
        wide = self.table.to_wide(metric, labels=labels)
        wide.columns.names = [SCALE, *wide.columns.names[1:]]
        return wide.rename_axis(index="item")

    def averages(
        self, midpoints: Mapping[str, float], *, design_effect: float = 1.0
    ) -> pd.DataFrame:
        """Mean, median and standard deviation of each item on its scale.

        midpoints: what each point stands for, by code or name: `{"1": 5, "Strongly agree": 5}`.
        design_effect: by how much the survey's design widens the standard error's square.

        One line for each item × audience; see `StatsResult.averages` for figures and formulas.
        """
        frame = by_item(self).averages(midpoints, design_effect=design_effect, disjoint=True)
        named = {"segment": "datapoint", "segment_label": "datapoint_label"}
        return frame.rename(columns=named)

    def compare_averages(
        self,
        midpoints: Mapping[str, float],
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        family: Family = "row",
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = False,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
        overlap: CrosstabResult | None = None,
    ) -> AverageComparison:
        """Test every pair of audiences within each item: do their means on the scale differ?

        midpoints: as for `averages`, whose means these are.
        family: the tests that a correction is for: those of an item ("row"), or all ("table").
        The other arguments are those of `StatsResult.compare_averages`.

        Items are not compared with each other, for the same people marked them. Raises
        `ValueError` for what cannot be chosen and for fewer than two audiences, and `ImportError`
        without scipy.
        """
        from audiencelab.analysis.compare_averages import compare_item_averages

        return compare_item_averages(
            self,
            midpoints,
            overlap,
            levels=levels,
            correction=correction,
            family=family,
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
            zero_or_full="test",
        )

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        parts = [plural(len(self.items), "item"), f"scale of {len(self.scale)}"]
        if self.audiences:
            parts.append(plural(len(self.audiences), "audience"))
        return harmless(f"<GridResult {self.question}: {' × '.join(parts)}>")

    def _repr_html_(self) -> str:
        from audiencelab.render.html import percent
        from audiencelab.render.markup import card, table
        from audiencelab.results.provenance import waves_fact

        wide = self.to_wide()
        heads = wide.columns.get_level_values(0)
        several = self.audiences if len(self.audiences) > 1 else ()
        names = wide.columns.get_level_values(1) if several else heads
        points = len(several) or 1
        listed = table(
            ["", *names],
            [
                [item, *map(percent, line)]
                for item, line in zip(wide.index, wide.to_numpy(), strict=True)
            ],
            above=[[("", 1), *((point, points) for point in heads[::points])]] if several else (),
            numeric=range(1, len(names) + 1),
        )
        said = " · ".join(filter(None, [self._said(), waves_fact(self.provenance)]))
        return str(card(self.table.labels.question or self.question, listed, subtitle=said))

    def _said(self) -> str:
        """Whose percentages these are."""
        told = ["% of everyone in the base"]
        if len(self.audiences) == 1:
            told = [f"% of {self.audiences[0].name}"]
        elif self.audiences:
            told = ["% of each audience"]
        if self.base_audience:
            told.append(f"base: {self.base_audience.name}")
        sample = min((row.metrics.audience_sample for row in self.table), default=0)
        return " · ".join([*told, f"smallest sample {sample:,.0f}"])

    def _tabulation(
        self,
        metrics: Sequence[str] | None,
        comparison: Comparison | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
    ) -> Tabulation:
        return self.table._tabulation(metrics, comparison, row_groups, column_groups)  # pyright: ignore[reportPrivateUsage] -- of the same mixin


def grid_of(parts: Mapping[str, StatsResult], names: Mapping[str, str]) -> GridResult:
    """The grid of one stats result for each point of a scale.

    parts: by the suffix's code, in the order of the scale; at least one. names: of the points.
    """
    first = next(iter(parts.values()))
    place = {code: number for number, code in enumerate(first.datapoints)}
    rows = [
        msgspec.structs.replace(row, segment=point)
        for point, result in parts.items()
        for row in result.rows
    ]
    # Points and audiences stay in their order, for sorting keeps what is equal as it was.
    rows.sort(key=lambda row: place[row.datapoint])
    labels = replace(first.labels, segments=dict(names), splitter="Scale")
    told = {**first.provenance, "operation": "grid", "scale": list(parts)}
    return GridResult(
        replace(first, rows=tuple(rows), splitter=SCALE, labels=labels, provenance=told)
    )


def by_item(grid: GridResult) -> StatsResult:
    """The other way round: the points are the answers, and each item is a segment.

    For adding up and drawing what the answers to one item are; its codes are no datapoints, so
    nothing may be asked of a service with them.
    """
    table = grid.table
    order = {point: place for place, point in enumerate(grid.scale)}
    rows = [
        msgspec.structs.replace(row, datapoint=row.segment or "", segment=row.datapoint)
        for row in sorted(table.rows, key=lambda row: order[row.segment or ""])
    ]
    labels = StatsLabels(
        table.labels.question, table.labels.segments, table.labels.datapoints, "Item"
    )
    return replace(table, rows=tuple(rows), splitter="item", labels=labels, kind=None)
