"""What every chart of a result takes, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from audiencelab.charts.theme import Look, Palette, Theme, look
from audiencelab.results.arrangement import UNARRANGED, TableArrangement


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """The options of a chart whose result is arranged.

    title: instead of the chart's own. base: whether a line says what the base is. labels: whether
    values are written. width: pixels of the whole chart. how: the arrangement, of which the chart
    reads what is hidden, decimals and stars.
    """

    title: str | None = None
    base: bool = True
    theme: Theme = "light"
    palette: Palette = "standard"
    labels: bool = True
    width: int | None = None
    how: TableArrangement = UNARRANGED

    @property
    def look(self) -> Look:
        """Its colours."""
        return look(self.theme, self.palette)
