"""The result of a grid: items asked about on one scale, with the scale beside each item.

A stats query merges the points of a scale ("any of them"). A grid has a query for each point, and
keeps them apart: items are rows, the scale is columns, and every figure is the service's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import msgspec

from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_words
from audiencelab.results.stats import StatsData, StatsLabels
from audiencelab.wording import plural, without_controls

Stats = TypeVar("Stats", bound=StatsData)

ITEM = "item"
"""The splitter of a grid whose items are segments, see `by_item`."""

SCALE = "scale"
"""What the columns of a grid are, where those of a stats result are waves or another question."""


@hide_members("audiences", "items", "made", "question", "scale")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GridData:
    """One row for each item × point of the scale × audience, in the order asked for.

    table: the service's rows, with the item as datapoint and the point of the scale as segment.
    made: how the grid was made, for `to_code`.
    """

    table: StatsData
    made: Made = None

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

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        parts = [plural(len(self.items), "item"), f"scale of {len(self.scale)}"]
        if self.audiences:
            parts.append(plural(len(self.audiences), "audience"))
        size = f"{' × '.join(parts)}{waves_words(self.provenance)}"
        return without_controls(f"<{type(self).__name__} {self.question}: {size}>")


def grid_table(parts: Mapping[str, Stats], names: Mapping[str, str]) -> Stats:
    """The table of a grid, from one stats result for each point of a scale.

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
    return replace(first, rows=tuple(rows), splitter=SCALE, labels=labels, provenance=told)


def by_item(grid: GridData) -> StatsData:
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
        table.labels.question,
        table.labels.segments,
        table.labels.datapoints,
        "Item",
        scale=table.labels.scale,
    )
    # The kind is the grid's; here the answers are the points of one item.
    return replace(table, rows=tuple(rows), splitter=ITEM, labels=labels, kind=None)
