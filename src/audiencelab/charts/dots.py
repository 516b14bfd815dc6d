"""Dot plots: several columns on one line for each row, to show the gaps between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd

from audiencelab.analysis.chart_plan import ChartPlan
from audiencelab.charts.arranging import arranged_result
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import chosen_metric, values_of
from audiencelab.charts.key import above
from audiencelab.charts.label_placement import spread_out
from audiencelab.charts.labels import check_width, metric_words, value_labels
from audiencelab.charts.layout import (
    NAMES,
    PADDING,
    ends_with_room,
    grid,
    pixels_at,
    side_by_side,
)
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.panels import DrawnPanel, Panels, in_order, panels_of, turned_rows
from audiencelab.charts.renderer import Spec
from audiencelab.charts.sources import Drawable
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import SIZE, SMALL, Look, Palette, Theme
from audiencelab.charts.uncertainty import Intervals, hollow_note, level_of
from audiencelab.charts.vega_lite import field, layer, scale, tooltip
from audiencelab.charts.wrapping import BOLD, text_width
from audiencelab.keywords import keywords
from audiencelab.results.arrangement import (
    AS_IT_IS,
    ArrangementOptions,
    TableArrangement,
)
from audiencelab.results.crosstab import CrosstabData
from audiencelab.wording import plural

MAX_ROWS, MAX_DOTS = 100, 600
"""Rows in one chart, and dots."""

_STEP, _LANE = 24.0, 9.0
"""Pixels of a row, and of each dot in it where lines of intervals keep them apart."""

_LABEL = 10.0
"""Pixels from a dot's middle to its value."""

_ABOVE, _BETWEEN = 19.0, 12.0
"""Pixels from the first row up to the names of its dots, and between these."""

_LEAST_PLOT = 130.0
"""Pixels of the plots of panels."""

_MANY = 12
"""Rows from which their names have at most two lines."""


@keywords(ArrangementOptions, AS_IT_IS)
def dots(
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
    """A line for each row with a dot for each column, joined from the least to the most.

    The groups of a banner are panels; more than six columns of a group have a panel each.

    result: of a stats query (the dots are its audiences, or its segments, in a panel for each
        audience if it has both), of a chart's calculation, or a crosstab.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of
        the result's frame.
    intervals: True draws a line over the confidence interval of each percentage or index, at 95%
        or at the given level, such as 0.9; the dots of a row are then below each other.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: "standard", or shades of "blue", "green", "orange", "purple"
        or "grey". labels: whether the values at the ends of a row are written.
    width: pixels of the chart; by default 640, and 860 with panels.
    arrangement: `sort`, `top`, `rename`, `decimals`, `hide_under` and `stars`, as for tables
        (`ArrangementOptions`), or `sort="gap"` for the widest row first.

    The columns are named above the dots of the first row, or in a key where these are too close
    to each other. A dot that rests on fewer than 100 respondents is hollow. Raises `TypeError` for
    anything else, and `ValueError` for an unknown metric, for intervals of a metric that has none,
    and for more rows or dots than a chart can hold.

    >>> al.charts.dots(client.crosstab("Finding brands", "Gender"))
    <Chart: dots of column_percentage, 20 lines, 3 columns>
    """
    by_gap = arrangement.get("sort") == "gap"
    if by_gap:
        if arrangement.get("top") is not None:
            raise ValueError(
                'top= is not valid with sort="gap", which is about all rows. Leave it out, or sort '
                'by a column: chart.dots(sort="descending", top=5).'
            )
        arrangement["sort"] = False
    how = TableArrangement(**arrangement)
    metric = chosen_metric(result, metric, "column")
    shown = arranged_result(result, metric, how)
    options = ChartOptions(title, base, theme, palette, labels, width, how)
    made = dot_plot(
        shown.result, shown.plan("dots"), metric, options, by_gap=by_gap, intervals=intervals
    )
    return shown.drawn(made)


def dot_plot(
    result: Drawable | CrosstabData,
    plan: ChartPlan,
    metric: str | None,
    options: ChartOptions,
    *,
    by_gap: bool = False,
    intervals: Intervals = False,
) -> ChartSpecification:
    """The dots of a plan of a result that is arranged; `dots` describes the options.

    by_gap: whether the rows with the widest gaps are first.
    """
    colours = options.look
    metric = chosen_metric(result, metric, "column")
    level = level_of(intervals, metric)
    limit = MAX_DOTS, "dots", "Take fewer rows or columns, or charts.heatmap(…)."
    values = values_of(result, metric, level, limit, options.how, plan.marks)
    panels = panels_of(values, plan)
    _check_rows(panels)
    data = panels.data
    order = turned_rows(panels, options.how) if plan.turned else panels.rows
    if by_gap:
        order = in_order(panels, _by_gap(data))
    pixels = check_width(options.width, len(panels.panels))
    plot = _Plot(metric, order, colours, options.labels, pixels, options.how)
    said = [metric_words(result, metric), *values.facts, values.intervals]
    subtitle = [" · ".join(filter(None, said)), *panels.notes, plan.note]
    subtitle = [
        *filter(None, subtitle),
        values.base_line,
        *hollow_note("dots", data["mark"], options.how, stars=options.labels),
    ]
    columns = sum(len(panel.series) for panel in panels.panels)
    rows = len(order) - len(panels.headings)
    summary = f"dots of {metric}, {plural(rows, 'line')}, {plural(columns, 'column')}"
    drawn = () if values.of_statistics else plan.rows
    captions = Captions(panels.title(values), subtitle, summary, pixels, whole=pixels, rows=drawn)
    return finish(
        _specification(panels, plot),
        colours,
        captions.by(options),
        of=result,
    )


def _check_rows(panels: Panels) -> None:
    rows = len(panels.rows) - len(panels.headings)
    if rows > MAX_ROWS:
        raise ValueError(
            f"{rows:,} rows are too many for one chart (at most {MAX_ROWS}). Ask for fewer, or "
            "take charts.heatmap(…)."
        )


def _by_gap(data: pd.DataFrame) -> list[str]:
    """The labels of rows, those with the widest gap first."""
    values = data.groupby("label", sort=False)["value"]
    gaps = values.max() - values.min()
    return [str(label) for label in gaps.sort_values(ascending=False, kind="stable").index]


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


_DATA = ("label", "group", "value", "low", "high", "mark", "n", "line", "text", "end")
"""Columns of the data of a specification, and those of the ends of each row."""


def _specification(panels: Panels, plot: _Plot) -> Spec:
    inner = plot.width - 2 * PADDING
    several = max((len(panel.series) for panel in panels.panels), default=1)
    data = [_with_ends(panel.data, plot) for panel in panels.panels]
    whole = pd.concat(data)
    lanes = bool(whole["high"].notna().any())
    names = panels.names(
        (NAMES if len(data) < 2 else 0.8 * NAMES) * inner,
        SIZE,
        3 if len(plot.order) <= _MANY else 2,
    )
    row = max(_STEP, names.height + 2, several * _LANE + _LANE if lanes else 0.0)
    parts = grid(len(data), inner - names.pixels, _LEAST_PLOT)
    room = [_LABEL + text_width(text) if plot.labels else _LABEL for text in whole["text"]]
    ends = ends_with_room(whole["least"], whole["most"], room, room, parts.plot)
    named = [
        _names(each, panel, plot.order, ends, parts.plot)
        for each, panel in zip(data, panels.panels, strict=True)
    ]
    common = panels.common_series if len(data) > 1 and any(each is None for each in named) else []
    views: list[Spec] = []
    heads = 0.0
    for at, (each, panel) in enumerate(zip(data, panels.panels, strict=True)):
        shares = 0.2
        y = field(
            "label:N",
            sort=plot.order,
            title=None,
            axis=names.axis(row) if at % parts.columns == 0 else None,
            scale={"domain": plot.order, "paddingInner": shares, "paddingOuter": shares / 2},
        )
        layers = _layers(each, panel, plot, y, ends, lanes=lanes)
        here = None if common else named[at]
        key: Sequence[str] = panel.series if here is None and len(panel.series) > 1 else ()
        colour = panel.colour(plot.colours)
        if here is not None:
            place = {"y": y, "x": field("at:Q", scale=None), "text": "group:N", "color": colour}
            style: Spec = {"dy": -_ABOVE, "baseline": "middle", "fontWeight": 600}
            layers.append(layer("text", place, data=here, fontSize=SMALL, **style))
        top = above(
            panel.heading,
            () if common else key,
            colour,
            pixels=inner if len(data) == 1 else parts.plot,
            left=-names.pixels if len(data) == 1 else 0.0,
            over=0.0 if here is None else SMALL,
            symbol="circle",
        )
        heads = max(heads, top.height)
        size = {"width": round(parts.plot, 1), "height": round(row * max(len(plot.order), 1), 1)}
        drawn = each[[*_DATA, "least", "most"]]
        views.append({"data": drawn, "layer": [*layers, *top.layers], **size})
    if common:
        colour, left = panels.panels[0].colour(plot.colours), -names.pixels
        shared = above("", common, colour, pixels=inner, left=left, over=heads, symbol="circle")
        views[0]["layer"] += shared.layers
    return side_by_side(views, parts.columns, heads)


def _with_ends(data: pd.DataFrame, plot: _Plot) -> pd.DataFrame:
    """The dots with the ends of their rows, which alone are labelled."""
    texts = value_labels(plot.metric, data["value"], data["mark"], plot.how)
    data = data.assign(text=texts, end="between")
    by_row = data.groupby("label", sort=False)
    least, most = by_row["value"].transform("min"), by_row["value"].transform("max")
    data.loc[data["value"] == least, "end"] = "least"
    # Then the most, so that a row of one value has its label at the right.
    data.loc[data["value"] == most, "end"] = "most"
    # Where several share an end, one has the label.
    repeated = data.duplicated(["label", "end"]) | data["value"].isna()
    data.loc[repeated, "end"] = "between"
    # Lines of intervals are longer than the row of dots.
    lows, highs = by_row["low"].transform("min"), by_row["high"].transform("max")
    return data.assign(least=np.fmin(least, lows), most=np.fmax(most, highs))


def _layers(
    data: pd.DataFrame,
    panel: DrawnPanel,
    plot: _Plot,
    y: Spec,
    ends: tuple[float, float],
    *,
    lanes: bool,
) -> list[Spec]:
    colours = plot.colours
    place: Spec = {"y": y}
    if lanes and len(panel.series) > 1:
        place["yOffset"] = field("group:N", sort=panel.series, scale={"domain": panel.series})
    colour = panel.colour(colours)
    axis: Spec | None = None if plot.labels else {"tickCount": 4}
    span = scale(*ends, zero=False)

    def at(name: str) -> Spec:
        # Layers whose axes differ cannot be merged.
        return field(f"{name}:Q", title=None, axis=axis, scale=span)

    layers: list[Spec] = []
    if lanes:
        line = {**place, "x": at("low"), "x2": "high", "color": colour}
        known = "isValid(datum.low) && isValid(datum.high)"
        layers.append(layer("rule", line, where=known, strokeWidth=1.6))
    else:
        join = {"y": y, "x": at("least"), "x2": "most"}
        layers.append(layer("rule", join, strokeWidth=3, color=colours.line))
    if plot.metric.endswith("index"):
        hundred = pd.DataFrame({"at": [100]})
        style: Spec = {"color": colours.mark, "strokeDash": [3, 3], "strokeWidth": 1}
        layers.append(layer("rule", {"x": at("at")}, data=hundred, **style))
    tips = tooltip("label", "group", "value")
    size = 60 if lanes else 90
    full: Spec = {"filled": True, "size": size, "opacity": 1}
    hollow: Spec = {"fill": colours.ground, "size": size - 10, "strokeWidth": 2, "opacity": 1}
    pointed = {**place, "x": at("value"), "color": colour, "tooltip": tips}
    layers += [
        layer("point", pointed, where=test, **style)
        for test, style in (("datum.mark === ''", full), ("datum.mark !== ''", hollow))
    ]
    if plot.labels:
        layers += [
            layer(
                "text",
                {**place, "x": at(end), "text": "text:N"},
                where=f"datum.end === '{end}'",
                baseline="middle",
                align=align,
                dx=dx,
            )
            for end, align, dx in (("least", "right", -_LABEL), ("most", "left", _LABEL))
        ]
    return layers


def _names(
    data: pd.DataFrame, panel: DrawnPanel, order: list[str], ends: tuple[float, float], plot: float
) -> pd.DataFrame | None:
    """The names of the dots, in pixels above the first row; None where they do not fit there."""
    groups = panel.series
    if len(groups) < 2 or not order or order[0] not in {*data["label"]}:
        return None
    first = data[data["label"] == order[0]].set_index("group")["value"].reindex(groups)
    # A dot that the first row lacks would have no name there.
    if first.isna().any():
        return None
    positions = pixels_at(first, ends, plot).tolist()
    widths = [BOLD * text_width(name) + _BETWEEN for name in groups]
    middles = spread_out(positions, widths)
    # A name that is not above its dot could be read as that of the next dot.
    for dot, middle, wide in zip(positions, middles, widths, strict=True):
        beyond = max(wide / 2 - middle, middle + wide / 2 - plot)
        if abs(middle - dot) > wide / 2 or beyond > _BETWEEN / 2:
            return None
    return pd.DataFrame({"label": order[0], "group": groups, "at": middles})
