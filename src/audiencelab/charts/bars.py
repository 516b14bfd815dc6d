"""Bar charts: one metric for the answers of a question or a crosstab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.chart_plan import ChartPlan
from audiencelab.charts.arranging import arranged_result
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import chosen_metric, values_of
from audiencelab.charts.key import above
from audiencelab.charts.labels import check_width, metric_words, value_labels
from audiencelab.charts.layout import NAMES, PADDING, ends_with_room, grid, side_by_side
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.panels import DrawnPanel, Panels, panels_of, turned_rows
from audiencelab.charts.renderer import Spec
from audiencelab.charts.sources import Drawable
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import SIZE, SMALL, Look, Palette, Theme
from audiencelab.charts.uncertainty import Intervals, hatch, level_of, low_note
from audiencelab.charts.vega_lite import (
    field,
    layer,
    scale,
    tooltip,
    when,
)
from audiencelab.charts.wrapping import LINE, text_width
from audiencelab.keywords import keywords
from audiencelab.results.arrangement import (
    AS_IT_IS,
    ArrangementOptions,
    TableArrangement,
)
from audiencelab.results.crosstab import CrosstabData

MAX_BARS = 600
"""Bars in one chart; more are a table."""

BAR = 14.0
"""Pixels of a bar with the gap to the one beside it in its group; alone it is as thick."""

_SPACE = 9.0
"""Pixels between rows."""

_VALUE = 11
"""Font size of the values of several bars in a row."""

AFTER = 5.0
"""Pixels between a bar and its value, and between the value and a name."""

_LEAST_PLOT = 84.0
"""Pixels of the plots of panels."""

_NAMED = 0.3
"""The part of a plot that the names of two series may take at the ends of bars."""

_MANY = 12
"""Rows from which their names have at most two lines."""

_ROUNDING = 1e-6

_WITH_BASE = "column_percentage"
"""Shares that are compared with the one in the base."""


@keywords(ArrangementOptions, AS_IT_IS)
def bar(
    result: Drawable | CrosstabData,
    metric: str | None = None,
    *,
    intervals: Intervals = False,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    palette: Palette = "standard",
    labels: bool = True,
    width: int | None = None,
    **arrangement: Unpack[ArrangementOptions],
) -> ChartSpecification:
    """A bar for each row and column, in panels for the groups of a banner.

    Up to six columns of a group are bars side by side; more have a panel each.

    result: of a stats query; or of a chart's calculation: then the bars are the chart's
        attributes, and the subtitle says how many of them have no values; or a crosstab. One row
        of several columns is drawn as a bar for each column.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of
        the result's frame. With an index the bars start at a rule at 100; with "column" a tick
        shows the share in the base, where a row has one bar.
    intervals: True draws a line over the confidence interval of each percentage or index, at 95%
        or at the given level, such as 0.9.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: "standard", or shades of "blue", "green", "orange", "purple"
        or "grey". labels: whether the bars' values are written; an axis replaces them.
    width: pixels of the chart; by default 640, and 860 with panels.
    arrangement: `sort`, `top`, `rename`, `decimals`, `hide_under` and `stars`, as for tables
        (`ArrangementOptions`): `sort="descending"` puts the largest first.

    A bar that rests on fewer than 100 respondents is hatched and has a star, on fewer than 30 two.
    Raises `TypeError` for anything else, `ValueError` for an unknown metric, for intervals of a
    metric that has none, and for more bars than a chart can hold.

    >>> al.charts.bar(client.crosstab("Finding brands", "Gender"), "column")
    <Chart: bars of column_percentage, 60 of a crosstab>
    """
    how = TableArrangement(**arrangement)
    metric = chosen_metric(result, metric, "column")
    shown = arranged_result(result, metric, how)
    options = ChartOptions(title, base, theme, palette, labels, width, how)
    made = bars(shown.result, shown.plan("bar"), metric, options, intervals=intervals)
    return shown.drawn(made)


def bars(
    result: Drawable | CrosstabData,
    plan: ChartPlan,
    metric: str | None,
    options: ChartOptions,
    *,
    intervals: Intervals = False,
) -> ChartSpecification:
    """The bars of a plan of a result that is arranged; `bar` describes the options."""
    colours = options.look
    metric = chosen_metric(result, metric, "column")
    level = level_of(intervals, metric)
    limit = MAX_BARS, "bars", "Take fewer rows or columns, or charts.heatmap(…)."
    values = values_of(result, metric, level, limit, options.how, plan.marks)
    panels = panels_of(values, plan)
    data = panels.data
    order = turned_rows(panels, options.how) if plan.turned else panels.rows
    pixels = check_width(options.width, len(panels.panels))
    plot = _Plot(metric, order, colours, options.labels, pixels, options.how)
    tick = "tick: share of the base" if plot.has_ticks(panels) else ""
    said = [metric_words(result, metric), *values.facts, tick, values.intervals]
    subtitle = [" · ".join(filter(None, said)), *panels.notes, plan.note]
    subtitle = [*filter(None, subtitle), values.base_line, *low_note(data["mark"], options.how)]
    summary = f"bars of {metric}, {len(data):,} of {values.subject}"
    drawn = () if values.of_statistics else plan.rows
    captions = Captions(panels.title(values), subtitle, summary, pixels, whole=pixels, rows=drawn)
    return finish(
        _specification(panels, plot),
        colours,
        captions.by(options),
        of=result,
    )


class _Plot(NamedTuple):
    """What the panels of a chart have in common.

    order: keys of the rows. labels: whether values are written. width: pixels of the chart. how:
    has the decimals of values.
    """

    metric: str
    order: list[str]
    colours: Look
    labels: bool
    width: float
    how: TableArrangement

    @property
    def is_index(self) -> bool:
        return self.metric.endswith("index")

    def has_ticks(self, panels: Panels) -> bool:
        """Whether a tick on each bar shows the share of the base."""
        alone = all(len(panel.series) == 1 for panel in panels.panels)
        data = panels.data
        # Everyone in the base are not compared with themselves.
        differ = (data["base"] - data["value"]).abs() > _ROUNDING
        return self.metric == _WITH_BASE and alone and bool(differ.any())

    @property
    def origin(self) -> float:
        """Where bars begin."""
        return 100.0 if self.is_index else 0.0


def _specification(panels: Panels, plot: _Plot) -> Spec:
    several = max((len(panel.series) for panel in panels.panels), default=1)
    rows = len(plot.order)
    bars_high = _high(several)
    inner = plot.width - 2 * PADDING
    share = NAMES if len(panels.panels) < 2 else 0.8 * NAMES
    most = max(3 if rows <= _MANY else 2, int(bars_high // (SIZE * LINE)))
    names = panels.names(share * inner, SIZE, most)
    row = max(bars_high + _SPACE - (several < 2), names.height + 2)
    parts = grid(len(panels.panels), inner - names.pixels, _LEAST_PLOT)
    data = [_placed(panel.data, plot, several) for panel in panels.panels]
    named = plot.labels and all(_fit_behind_bars(each.series, parts.plot) for each in panels.panels)
    rooms = [
        _room(each, panel, plot, named=named)
        for each, panel in zip(data, panels.panels, strict=True)
    ]
    whole = pd.concat(data)
    before, after = (np.concatenate([each[side] for each in rooms]) for side in (0, 1))
    ends = ends_with_room(whole["left"], whole["right"], before, after, parts.plot)
    common = panels.common_series if len(data) > 1 and not named else []
    views: list[Spec] = []
    heads = 0.0
    for at, (each, panel) in enumerate(zip(data, panels.panels, strict=True)):
        axis = names.axis(row) if at % parts.columns == 0 else None
        shares = 1 - _high(len(panel.series)) / row
        place = {
            "y": field(
                "label:N",
                sort=plot.order,
                title=None,
                axis=axis,
                scale={"domain": plot.order, "paddingInner": shares, "paddingOuter": shares / 2},
            )
        }
        key = [] if named or common or len(panel.series) < 2 else panel.series
        layers = _layers(each, panel, plot, place, ends, has_ticks=plot.has_ticks(panels))
        if named:
            layers += _names_behind(each, panel, plot, place, ends)
        colour = panel.colour(plot.colours)
        # The only panel has the whole chart for its key, the others have their plots.
        only = len(data) == 1
        left = -names.pixels if only else 0.0
        top = above(panel.heading, key, colour, pixels=inner if only else parts.plot, left=left)
        heads = max(heads, top.height)
        columns = [name for name in _DATA if name in each]
        views.append(
            {
                "data": each[columns],
                "layer": [*layers, *top.layers],
                "width": round(parts.plot, 1),
                "height": round(rows * row, 1),
            }
        )
    if common:
        colour = panels.panels[0].colour(plot.colours)
        shared = above("", common, colour, pixels=inner, left=-names.pixels, over=heads)
        views[0]["layer"] += shared.layers
    return side_by_side(views, parts.columns, heads)


def _high(series: int) -> float:
    """Pixels of the bars of a row."""
    return BAR if series < 2 else series * (BAR - 1)


_DATA = ("label", "group", "value", "base", "low", "high", "mark", "n", "line", "text", "end")
"""Columns of the data of a specification."""


def _placed(data: pd.DataFrame, plot: _Plot, several: int) -> pd.DataFrame:
    """The data with the text of each value and the ends of all that is drawn for it."""
    ticks = several < 2 and plot.metric == _WITH_BASE
    beyond = data[["value", "low", "high", *(["base"] if ticks else [])]]
    left = beyond.min(axis=1).clip(upper=plot.origin).fillna(plot.origin)
    right = beyond.max(axis=1).clip(lower=plot.origin).fillna(plot.origin)
    under = data["value"] < plot.origin
    return data.assign(
        text=value_labels(plot.metric, data["value"], data["mark"], plot.how),
        left=left,
        right=right,
        end=left.where(under, right),
    )


def _room(
    data: pd.DataFrame, panel: DrawnPanel, plot: _Plot, *, named: bool
) -> NDArray[np.float64]:
    """Pixels of the texts before and after each bar, float64[2, bars]."""
    if not plot.labels:
        return np.zeros((2, len(data)))
    size = _VALUE if len(panel.series) > 1 else SMALL
    wide = np.array([AFTER + text_width(text, size) for text in data["text"]])
    if named:
        first = data["label"].eq(_first(plot.order, data))
        wide += first * np.array([AFTER + text_width(name, size) for name in data["group"]])
    under = (data["value"] < plot.origin).to_numpy()
    return np.stack([np.where(under, wide, 0.0), np.where(under, 0.0, wide)])


def _first(order: Sequence[str], data: pd.DataFrame) -> str:
    """The first row that has bars."""
    drawn = {*data["label"]}
    return next((key for key in order if key in drawn), "")


def _fit_behind_bars(series: Sequence[str], plot: float) -> bool:
    """Whether two series are named at the ends of the first bars, in place of a key."""
    wide = max((text_width(name, _VALUE) for name in series), default=0.0)
    return len(series) == 2 and wide <= _NAMED * plot


def _layers(
    data: pd.DataFrame,
    panel: DrawnPanel,
    plot: _Plot,
    place: Spec,
    ends: tuple[float, float],
    *,
    has_ticks: bool,
) -> list[Spec]:
    colours, several = plot.colours, len(panel.series) > 1
    if several:
        inner = {"domain": panel.series, "paddingInner": 1 / (BAR - 1)}
        place = {**place, "yOffset": field("group:N", sort=panel.series, scale=inner)}
    axis: Spec | None = None if plot.labels else {"tickCount": 4}
    span = scale(*ends, zero=False)

    def at(name: str) -> Spec:
        # Layers whose axes differ cannot be merged.
        return field(f"{name}:Q", title=None, axis=axis, scale=span)

    shape = {**place, "x": at("value")}
    if plot.is_index:
        shape["x2"] = {"datum": 100}
    colour = panel.colour(colours) if several else _alone(plot)
    shown = {"color": colour, "tooltip": tooltip("label", "group", "value")}
    layers = [layer("bar", {**shape, **shown}, cornerRadiusEnd=1.5)]
    # Over the bars and under all else: later layers are drawn on top.
    layers += hatch(shape, data["mark"], colours)
    if plot.is_index:
        hundred = pd.DataFrame({"at": [100]})
        layers.append(
            layer("rule", {"x": at("at")}, data=hundred, color=colours.mark, strokeWidth=1)
        )
    if has_ticks:
        layers += [
            layer("tick", {**place, "x": at("base")}, color=paint, thickness=thick, size=BAR + 4)
            for paint, thick in ((colours.ground, 4), (colours.mark, 2))
        ]
    if bool(data["high"].notna().any()):
        known = "isValid(datum.low) && isValid(datum.high)"
        line = {**place, "x": at("low"), "x2": "high"}
        # The outline in the background colour keeps the line visible on the bar too.
        layers += [
            layer("rule", line, where=known, color=paint, strokeWidth=thick, strokeCap="butt")
            for paint, thick in ((colours.ground, 4), (colours.mark, 1.4))
        ]
    if plot.labels:
        size = _VALUE if several else SMALL
        layers += end_texts({**place, "x": at("end")}, plot.origin, size)
    return layers


def end_texts(place: Mapping[str, Any], origin: float, size: float) -> list[Spec]:
    """The values of bars, at the ends to which these point."""
    sides = ("!(datum.value < {})", "left", AFTER), ("datum.value < {}", "right", -AFTER)
    return [
        layer(
            "text",
            {**place, "text": "text:N"},
            where=test.format(f"{origin:g}"),
            align=align,
            dx=dx,
            baseline="middle",
            fontSize=size,
        )
        for test, align, dx in sides
    ]


def _names_behind(
    data: pd.DataFrame, panel: DrawnPanel, plot: _Plot, place: Spec, ends: tuple[float, float]
) -> list[Spec]:
    """The names of the series behind the values of the first row, in their colours."""
    first = data[data["label"] == _first(plot.order, data)]
    offset = field("group:N", sort=panel.series, scale={"domain": panel.series})
    layers: list[Spec] = []
    for _, one in first.iterrows():
        under = one["value"] < plot.origin
        far = 2 * AFTER + text_width(str(one["text"]), _VALUE)
        encoding = {
            **place,
            "yOffset": offset,
            "x": "end:Q",
            "text": "key:N",
            "color": panel.colour(plot.colours, of_text=True),
        }
        style: Spec = {"align": "right" if under else "left", "dx": -far if under else far}
        style |= {"baseline": "middle", "fontSize": _VALUE, "fontWeight": 600}
        named = pd.DataFrame([one[["label", "group", "end"]]]).assign(key=one["group"])
        layers.append(layer("text", encoding, data=named, **style))
    return layers


def _alone(plot: _Plot) -> Spec:
    if plot.is_index:
        under, over = plot.colours.series[:2]
        return when("datum.value >= 100", over, under)
    return {"value": plot.colours.accent}
