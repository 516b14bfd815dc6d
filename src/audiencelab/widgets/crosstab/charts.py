"""Charts of a grid's cells: which kind suits them, the drawing, and a chart widget that follows.

The charts are those of `audiencelab.charts`, drawn by the kernel without network. They are imported
with the first drawing, because the extra `charts` may not be installed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast, get_args

from audiencelab.errors import AudienceError
from audiencelab.markup import Form, card, image
from audiencelab.render.room import NOTEBOOK, SAVED, Room
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import of_statistics_alone
from audiencelab.results.metrics import transposed_metric
from audiencelab.tables import CrosstabResult
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.crosstab.chart_in_page import encoded, page_specification
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.metrics import part_of, transposed_table
from audiencelab.widgets.crosstab.protocol import (
    ChartArgs,
    ChartKind,
    ChartStyle,
    DrawnChart,
    LinkedCharts,
)
from audiencelab.widgets.crosstab.selection import GridSelection
from audiencelab.widgets.rpc_types import MESSAGE_LIMIT, AnswerWithBuffers, PageRequest
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.charts.chart import Chart
    from audiencelab.charts.specification import ChartSpecification
    from audiencelab.charts.theme import Theme

Positions = Sequence[int]

KINDS: tuple[str, ...] = get_args(ChartKind)
"""The kinds of chart, by the names of their functions in `audiencelab.charts`."""

MOST_CELLS = 6_000
"""Cells of a table that is drawn as a whole where none are selected."""

_FIRST_ROWS, _FIRST_COLUMNS = 24, 8
"""Rows and columns that are drawn of a larger table."""

_OTHER_FONT = 0.97
"""The part of a pane that a chart takes: texts in the page's font may be wider than measured."""

_LEAST_WIDTH = 280
"""Pixels of a chart in a narrow pane, which scrolls then."""

_COMPLETE_TIMEOUT = 5.0
"""Seconds to wait for the last cells; the page requests a chart when the table is complete."""

_STATIC_TIMEOUT = 1.0
"""Seconds to wait for the table of a static chart."""

_STATIC_BYTES = 17_000
"""Maximum size of a chart that is saved in a notebook."""

_NO_PICTURE = (
    "This chart follows the cells that are selected in the crosstab, and is drawn while the "
    "notebook runs: run this cell to see it. A chart that is saved with the notebook is made by "
    "chart() of the crosstab."
)


class ChartSource(Protocol):
    """The part of a `Crosstab` that charts use."""

    metrics: Any
    selection: Any
    transposed: Any
    value: Any

    @property
    def result(self) -> CrosstabResult: ...
    @property
    def looks(self) -> Looks: ...
    def wait(self, timeout: float | None = None) -> Any: ...
    def shown_positions(self) -> tuple[list[int], list[int]]: ...
    def observe(self, handler: Callable[[Any], None], names: Any) -> None: ...
    def unobserve(self, handler: Callable[[Any], None], names: Any) -> None: ...


class NoChart(AudienceError, ValueError):
    """These cells cannot be drawn: there are none, or too many."""


def draw(
    result: CrosstabResult,
    rows: Positions,
    columns: Positions,
    metric: str = "column_percentage",
    kind: ChartKind | None = None,
    theme: Theme = "light",
    style: ChartStyle | None = None,
    width: int | None = None,
    title: str = "",
    looks: Looks | None = None,
) -> ChartSpecification:
    """The chart of some cells.

    rows, columns: positions in the table, from 0, in the order to draw them. metric: a metric of
    the frame. kind: None is the one that suits them, as `audiencelab.charts.auto` chooses it.
    style: its order, colours and labels. width: pixels of the chart. title: "" for its own.
    looks: which values are hidden and marked.

    Raises `NoChart`, `ImportError` without the extra, and `ValueError` for another kind.
    """
    from audiencelab.charts.auto import auto
    from audiencelab.charts.bars import bar
    from audiencelab.charts.dots import dots
    from audiencelab.charts.heatmaps import heatmap

    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
    if metric not in FIGURES:
        raise NoChart(f"A chart shows one of {', '.join(FIGURES)}; got {metric!r}.")
    if not rows or not columns:
        raise NoChart("Nothing is selected: select the cells to draw.")
    table = part_of(result, rows, columns)
    if not len(table):
        raise NoChart("None of these cells has been counted yet.")
    options: dict[str, Any] = {"theme": theme} | ({} if looks is None else {**looks.arrangement})
    options |= {} if style is None else style_options(style)
    try:
        builder = auto if kind is None else {"bar": bar, "dots": dots, "heatmap": heatmap}[kind]
        drawn = None if of_statistics_alone(table) else metric
        return builder(table, drawn, width=width, title=title or None, **options)
    except ValueError as error:  # too many marks
        raise NoChart(str(error)) from None


def draw_selected(
    grid: ChartSource,
    kind: ChartKind | None,
    selection: GridSelection | None,
    metric: str | None,
    theme: Theme,
) -> ChartSpecification:
    """The chart of a grid's cells, transposed if the table is shown so; waits for the table.

    selection: None is that of the screen. metric: None is that of the cells.
    """
    chosen = selection or cast("GridSelection | None", grid.selection)
    cells = None if chosen is None else (chosen.row_positions, chosen.column_positions)
    result, metric = grid.result, metric or drawn_metric(grid.metrics)
    rows, columns = chart_positions(cells, result.shape)
    if grid.transposed:
        result, metric = transposed_table(result), transposed_metric(metric)
        rows, columns = columns, rows
    return draw(result, rows, columns, metric, kind, theme, looks=grid.looks)


def style_options(style: ChartStyle) -> dict[str, Any]:
    """The options of a chart's function that are not its defaults."""
    chosen = {name: getattr(style, name) for name in ("sort", "palette", "labels")}
    defaults = ChartStyle()
    return {name: value for name, value in chosen.items() if value != getattr(defaults, name)}


def chart_positions(
    selected: tuple[Positions, Positions] | None, shape: tuple[int, int]
) -> tuple[Positions, Positions]:
    """The cells to draw: the selected rows and columns, or all cells without a selection.

    A single cell cannot be drawn: it means its column, or its row if there is one column.
    """
    rows, columns = selected or (range(shape[0]), range(shape[1]))
    if selected and len(rows) == len(columns) == 1:
        return (range(shape[0]), columns) if shape[0] > 1 else (rows, range(shape[1]))
    return rows, columns


# -- beside the workbench's table ---------------------------------------------------------------


def drawn_metric(metrics: Sequence[str]) -> str:
    """The first of the cells' metrics that a chart can show, or the column percentage."""
    return next((metric for metric in metrics if metric in FIGURES), "column_percentage")


def answer_chart(grid: ChartSource, args: ChartArgs) -> AnswerWithBuffers[DrawnChart]:
    """The chart that the workbench's page requests; raises `NoChart`, and the table's own error."""
    about, image = picture(grid, args)
    return AnswerWithBuffers(about, [image])


def picture(grid: ChartSource, args: ChartArgs) -> tuple[DrawnChart, bytes]:
    """The chart of a grid's cells as an image or a specification; raises as `answer_chart`."""
    result = grid.wait(_COMPLETE_TIMEOUT).result
    parts, metric = _parts(args, grid, result.shape), drawn_metric(grid.metrics)
    if grid.transposed:
        result, metric = transposed_table(result), transposed_metric(metric)
        parts = [_Part(each.columns, each.rows, each.note) for each in parts]
    theme: Theme = "dark" if args.dark else "light"
    pixels = args.width * (_OTHER_FONT if args.format == "vega" else 1)
    width = max(_LEAST_WIDTH, int(pixels)) if args.width else None

    def drawn(part: _Part, title: str = "") -> ChartSpecification:
        kind = args.kind or None
        cells = result, part.rows, part.columns, metric
        return draw(*cells, kind, theme, args, width, title, grid.looks)

    usual, part = _first_drawn(parts, drawn)
    drawing = drawn(part, args.title) if args.title else usual
    shown = (part.columns, part.rows) if grid.transposed else (part.rows, part.columns)
    about = DrawnChart(
        *(drawing.summary, part.note, usual.title),
        *(map(tuple, shown) if part.note else ()),
    )
    if args.format == "vega":
        return about, encoded(page_specification(drawing, width))
    return about, drawing.png() if args.format == "png" else drawing.svg().encode()


class _Part(NamedTuple):
    """Cells of a table, by position, and what of it they leave out."""

    rows: Positions
    columns: Positions
    note: str = ""


def _parts(args: ChartArgs, grid: ChartSource, shape: tuple[int, int]) -> list[_Part]:
    """The cells to draw, and a part of them to draw if they are too many."""
    axes = zip((args.rows, args.columns), shape, strict=True)
    # Positions in a table that was replaced meanwhile may be outside this one.
    rows, columns = ([at for at in axis if 0 <= at < count] for axis, count in axes)
    if rows and columns:
        return [_Part(*chart_positions((rows, columns), shape))]
    rows, columns = grid.shown_positions()
    whole = [_Part(rows, columns)] if len(rows) * len(columns) <= MOST_CELLS else []
    cut = [
        f"{most} of {plural(len(positions), noun)}"
        for positions, most, noun in (
            (rows, _FIRST_ROWS, "row"),
            (columns, _FIRST_COLUMNS, "column"),
        )
        if most < len(positions)
    ]
    if not cut:
        return whole
    note = f"The first {' and '.join(cut)}; select cells to draw others"
    return [*whole, _Part(rows[:_FIRST_ROWS], columns[:_FIRST_COLUMNS], note)]


def _first_drawn(
    parts: Sequence[_Part], drawn: Callable[[_Part], ChartSpecification]
) -> tuple[ChartSpecification, _Part]:
    """The chart of the first part that can be drawn; raises `NoChart` of the last one."""
    for part in parts[:-1]:
        with suppress(NoChart):
            return drawn(part), part
    return drawn(parts[-1]), parts[-1]


# -- as a widget --------------------------------------------------------------------------------


class LinkedChart(LabWidget):
    """The chart of a grid's selected cells, redrawn when the selection changes.

    kind: "bar", "dots" or "heatmap"; None is the one that suits the selection.
    metric: a metric of the frame; None is the one that the grid's cells show.
    drawing: the current chart, with `.save(path)`; waits for the table.

    Created by `Crosstab.linked_chart`. Both settings are traits; closing the grid leaves the
    chart unchanged. The page requests the image, so a chart that is not visible is never drawn.
    """

    kind = traitlets.Unicode("chart", read_only=True).tag(sync=True)
    chart_kind = traitlets.Enum(KINDS, None, allow_none=True)
    metric = traitlets.Unicode(None, allow_none=True)
    _version = traitlets.Int(0).tag(sync=True)

    _FOLLOWED = ("selection", "metrics", "transposed", "_progress")

    def __init__(
        self, grid: ChartSource, kind: ChartKind | None = None, metric: str | None = None
    ) -> None:
        self._grid = grid
        self._drawn: tuple[int, tuple[str, dict[str, Any]]] = (-1, ("", {}))
        super().__init__(chart_kind=kind, metric=metric)
        self.channel.on(LinkedCharts.chart, self._answer_chart)
        grid.observe(self._follow_grid, self._FOLLOWED)
        self.observe(self._redraw, ("chart_kind", "metric"))

    @property
    def drawing(self) -> Chart:
        """The chart of the current selection."""
        from audiencelab.charts.drawing import as_altair

        return as_altair(self._draw("light"))

    def close(self) -> None:
        """Stop following the grid and close the chart; harmless when repeated."""
        grid: ChartSource | None = getattr(self, "_grid", None)
        if grid is not None and self.comm is not None:
            grid.unobserve(self._follow_grid, self._FOLLOWED)
        super().close()

    def _redraw(self, _: object = None) -> None:
        self._version += 1

    def _follow_grid(self, change: dict[str, Any]) -> None:
        # Reports of progress matter only when the table is complete.
        if change["name"] != "_progress" or change["new"].phase == "done":
            self._redraw()

    def _draw(self, theme: Theme) -> ChartSpecification:
        kind = cast("ChartKind | None", self.chart_kind)
        return draw_selected(self._grid, kind, None, self.metric, theme)

    def _answer_chart(self, request: PageRequest[ChartArgs]) -> AnswerWithBuffers[DrawnChart]:
        drawing = self._draw("dark" if request.args.dark else "light")
        if request.args.format == "vega":
            image = encoded(page_specification(drawing))
        else:
            image = drawing.svg().encode()
        if len(image) > MESSAGE_LIMIT // 2:
            raise NoChart("This chart is too large to send: select fewer cells.")
        return AnswerWithBuffers(
            DrawnChart(f"Chart of the selected cells: {drawing.summary}"), [image]
        )

    def _describe(self) -> str:
        return f"LinkedChart(of {self._grid!r})"

    def _static_html(self, room: Room = NOTEBOOK) -> Form:
        svg = self._svg() if room is SAVED else ""
        shown = [image(svg, f"Chart of the selected cells of {self._grid!r}")] if svg else []
        rows, columns = self._grid.value.shape
        of = f"of a crosstab of {plural(rows, 'row')} × {plural(columns, 'column')}"
        return card("Chart of the selected cells", *(shown or [_NO_PICTURE]), subtitle=of)

    def _svg(self) -> str:
        """The chart as SVG, drawn once; "" where it cannot be drawn."""
        return self._shown()[0]

    def _recorded(self, title: str) -> dict[str, Any]:
        return self._shown()[1]

    def _shown(self) -> tuple[str, dict[str, Any]]:
        """The SVG, and the metadata that say what it is of."""
        version, shown = self._drawn
        if version == self._version:
            return shown
        version = self._version
        try:
            self._grid.wait(_STATIC_TIMEOUT)
            drawn = self._draw("light")
            shown = drawn.svg(), drawn.metadata()
        except (AudienceError, ImportError, RuntimeError):
            # The live view shows the error; a closed client raises RuntimeError.
            return "", {}
        self._drawn = version, shown
        return shown

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live chart where there is a kernel, and an SVG for all other readers."""
        data, metadata = super()._repr_mimebundle_()
        svg = self._svg()
        if 0 < len(svg.encode()) <= _STATIC_BYTES:
            # A reader without a kernel shows the richest form it knows: not the text as well.
            data = {name: each for name, each in data.items() if name != "text/html"}
            data["image/svg+xml"] = svg
        return data, metadata
