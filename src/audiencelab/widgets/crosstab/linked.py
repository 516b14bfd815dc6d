"""A chart that stands beside a grid and is drawn anew whenever other cells are selected there.

The kernel draws it and the page shows it as an image: nothing is fetched, and what people named
cannot run. It is asked for by the page, so a chart that nobody looks at is never drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from audiencelab.errors import AudienceError
from audiencelab.render.markup import Html, card
from audiencelab.widgets.channel import MESSAGE_LIMIT, Request
from audiencelab.widgets.crosstab.chart import KINDS, ChartKind, NoChart
from audiencelab.widgets.lab_widget import LabWidget
from audiencelab.widgets.libraries import traitlets

if TYPE_CHECKING:
    from audiencelab.charts import Drawing
    from audiencelab.charts.theme import Theme
    from audiencelab.widgets.crosstab.widget import CrosstabGrid

__all__ = ["LinkedChart"]

_FOLLOWED = ("selection", "metrics", "transposed")
"""Traits of the grid that change the picture."""

_SETTLED = 1.0
"""Seconds that a picture for readers without a kernel may wait for its table."""

_SAVED_BYTES = 17_000
"""A saved picture may have; a notebook keeps it."""


class LinkedChart(LabWidget):
    """The chart of a grid's selected cells, live.

    kind: "bar", "dots" or "heatmap"; None is what suits the selection.
    metric: a figure of the frame; None is what the grid's cells show.
    drawing: the chart as it is now, for `.altair` and `.save(path)`; waits for the table.

    Made by `CrosstabGrid.linked_chart`. Both settings are traits; closing the grid leaves the chart
    as it is.
    """

    kind = traitlets.Unicode("chart", read_only=True).tag(sync=True)
    chart_kind = traitlets.Enum(KINDS, None, allow_none=True)
    metric = traitlets.Unicode(None, allow_none=True)
    _version = traitlets.Int(0).tag(sync=True)

    def __init__(
        self, grid: CrosstabGrid, kind: ChartKind | None = None, metric: str | None = None
    ) -> None:
        self._grid = grid
        super().__init__(chart_kind=kind, metric=metric)
        self.channel.on("chart", self._answer_chart)
        grid.observe(self._redraw, _FOLLOWED)
        grid.observe(self._redraw_when_done, "_progress")
        self.observe(self._redraw, ("chart_kind", "metric"))

    @property
    def drawing(self) -> Drawing:
        """The chart of what is selected now."""
        return self._draw("light")

    def close(self) -> None:
        """Follow the grid no more and close the chart; harmless when repeated."""
        grid: CrosstabGrid | None = getattr(self, "_grid", None)
        if grid is not None and self.comm is not None:
            grid.unobserve(self._redraw, _FOLLOWED)
            grid.unobserve(self._redraw_when_done, "_progress")
        super().close()

    def _redraw(self, _: object = None) -> None:
        self._version += 1

    def _redraw_when_done(self, change: dict[str, Any]) -> None:
        if change["new"].get("phase") == "done":
            self._redraw()

    def _draw(self, theme: Theme) -> Drawing:
        kind = cast("ChartKind | None", self.chart_kind)
        return self._grid.chart(kind, None, self.metric, theme=theme)

    def _answer_chart(self, request: Request) -> object:
        drawing = self._draw("dark" if request.args.get("dark") else "light")
        svg = drawing.svg()
        request.check()
        if len(svg.encode()) > MESSAGE_LIMIT // 2:
            raise NoChart("This picture is too large to send: select fewer cells.")
        return {"svg": svg, "alt": f"Chart of the selected cells: {drawing.summary}"}

    def _describe(self) -> str:
        return f"LinkedChart(of {self._grid!r})"

    def _static_html(self) -> Html:
        return card("Chart of the selected cells", subtitle=repr(self._grid))

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live chart where there is a kernel, and its picture for everybody else."""
        data, metadata = super()._repr_mimebundle_()
        try:
            self._grid.wait(_SETTLED)
            svg = self.drawing.svg()
        except (AudienceError, ImportError, RuntimeError):
            # The live view says what is wrong; a client that is closed says so by the last of them.
            return data, metadata
        if len(svg.encode()) <= _SAVED_BYTES:
            # The richest form that a reader without a kernel knows is shown: not words beside it.
            data = {name: each for name, each in data.items() if name != "text/html"}
            data["image/svg+xml"] = svg
        return data, metadata
