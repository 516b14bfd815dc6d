"""A page of insights, as it came and as a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from audiencelab import schema as wire
from audiencelab.results.arrow import HasFrame
from audiencelab.schema import Insight

if TYPE_CHECKING:
    import pandas as pd

_FRAME = {"id": int, "name": str, "description": str, "thumb_path": str}
"""The columns of the frame and their types, which an empty page has too."""


class InsightsPage(wire.InsightsPage, HasFrame, frozen=True):
    """Insights from `offset` on, at most `limit` of them, out of `total`.

    insights: reports, infographics, presentations and charts, in the order `order_by`, `order`.
    """

    def __len__(self) -> int:
        return len(self.insights)

    def __iter__(self) -> Iterator[Insight]:
        return iter(self.insights)

    def to_frame(self) -> pd.DataFrame:
        """One line for each insight: id, name, description and the path of its main picture.

        >>> client.insights.filter(limit=2).to_frame().shape
        (2, 4)
        """
        import pandas as pd

        lines = [
            (insight.id, insight.name, insight.description, _thumbnail(insight))
            for insight in self.insights
        ]
        frame = pd.DataFrame(lines, columns=list(_FRAME)).astype(_FRAME)
        frame.attrs.update(offset=self.offset, limit=self.limit, total=self.total)
        return frame

    def __repr__(self) -> str:
        return f"<InsightsPage: {self._extent()}>"

    def _repr_html_(self) -> str:
        from audiencelab.markup import ROW_CAP, card, table

        listed = table(
            ["Id", "Insight", "Description"],
            [(str(each.id), each.name, each.description) for each in self.insights[:ROW_CAP]],
            hidden=max(0, len(self) - ROW_CAP),
            noun="insight",
        )
        return str(card("Insights", listed, subtitle=self._extent()))

    def _extent(self) -> str:
        if not self.insights:
            return f"none from {self.offset + 1:,} on, of {self.total:,}"
        last = self.offset + len(self)
        return f"{self.offset + 1:,} to {last:,} of {max(self.total, last):,}"


def _thumbnail(insight: Insight) -> str:
    images = sorted(insight.images, key=lambda image: not image.is_main)
    return images[0].thumb_path if images else ""
