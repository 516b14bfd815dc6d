"""Heat maps: the values of a crosstab, or of any result, in colour and in numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.chart_plan import ChartPlan, Panel
from audiencelab.charts.arranging import arranged_result
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.column_heads import heads_of
from audiencelab.charts.data import chosen_metric, values_of
from audiencelab.charts.labels import check_width, format_value, metric_words, value_labels
from audiencelab.charts.layout import NAMES, PADDING
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.panels import Panels, panels_of
from audiencelab.charts.renderer import Spec
from audiencelab.charts.sources import Drawable
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import SIZE, SMALL, Look, Palette, Theme
from audiencelab.charts.uncertainty import low_note
from audiencelab.charts.vega_lite import field, layer, tooltip, when
from audiencelab.charts.wrapping import text_width
from audiencelab.keywords import keywords
from audiencelab.results.arrangement import (
    AS_IT_IS,
    ArrangementOptions,
    TableArrangement,
)
from audiencelab.results.crosstab import CrosstabData
from audiencelab.wording import plural

MAX_CELLS = 4_000
"""Cells in one chart; larger tables belong in the crosstab widget."""

_CLIP = (2, 98)
_LEAST_REACH = 10.0
_WIDE, _HIGH = 86.0, 25.0
"""Pixels of a column at most, and of a row at least."""

_AROUND = 9.0
"""Pixels around the value of a cell."""

_MANY = 6
"""Columns from which a heat map is wide."""


@keywords(ArrangementOptions, AS_IT_IS)
def heatmap(
    result: CrosstabData | Drawable,
    metric: str | None = None,
    *,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    palette: Palette = "standard",
    labels: bool = True,
    width: int | None = None,
    **arrangement: Unpack[ArrangementOptions],
) -> ChartSpecification:
    """A cell for each row and column, coloured by one metric and labelled with its value.

    result: a crosstab; or of a stats query or of a saved chart's calculation: then the rows are
        its datapoints, or attributes, and the columns its audiences, segments or both.
    metric: of a crosstab one of those of `to_frame`, by default "index"; otherwise one of
        the ten, by default "index". Indices diverge around 100, blue under and orange
        over it; other metrics run from the background to the accent. Colours are clipped at the
        2nd and 98th percentile, so that one outlier does not bleach the rest.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: "standard", or "blue", "green", "orange", "purple" or "grey"
        for metrics other than an index. labels: whether the cells' values are written.
    width: pixels of the chart, by default 640, and 860 with six columns or more; it is wider where
        the values of the columns need more.
    arrangement: `sort`, `top`, `rename`, `decimals`, `hide_under` and `stars`, as for tables
        (`ArrangementOptions`).

    Cells without a value are empty. A value that rests on fewer than 100 respondents has a star,
    on fewer than 30 two, and no colour. Raises `TypeError` for anything else, and `ValueError` for
    an unknown metric and for more cells than a chart can hold.

    >>> al.charts.heatmap(client.crosstab("Finding brands", "Gender"))
    <Chart: heat map of index, 20 rows × 3 columns>
    """
    how = TableArrangement(**arrangement)
    metric = chosen_metric(result, metric, "index")
    shown = arranged_result(result, metric, how, draws_nets=True)
    options = ChartOptions(title, base, theme, palette, labels, width, how)
    made = heat_map(shown.result, ChartPlan("heatmap", (), note=shown.note), metric, options)
    return shown.drawn(made)


def heat_map(
    result: CrosstabData | Drawable,
    plan: ChartPlan,
    metric: str | None,
    options: ChartOptions,
) -> ChartSpecification:
    """The cells of a plan of a result that is arranged; `heatmap` describes the options.

    plan: without panels for all cells.
    """
    metric = chosen_metric(result, metric, "index")
    limit = MAX_CELLS, "cells", "Show the Crosstab instead, or fewer rows and columns."
    values = values_of(result, metric, limit=limit, how=options.how, marks=plan.marks)
    if not plan.panels:
        down, across = (range(len(side.labels)) for side in (values.rows, values.columns))
        plan = replace(plan, panels=(Panel("", tuple(down), tuple(across)),))
    panels = panels_of(values, plan)
    [panel] = panels.panels
    data, rows = _with_heat(panel.data, metric, options.how), panels.rows
    columns: list[int] = list(dict.fromkeys(data["column"].tolist()))
    said = " · ".join([metric_words(result, metric), *values.facts])
    subtitle = [*filter(None, [said, *panels.notes, plan.note]), values.base_line]
    subtitle += low_note(data["mark"], options.how)
    shape = f"{plural(len(rows) - len(panels.headings), 'row')} × {plural(len(columns), 'column')}"
    summary = f"heat map of {metric}, {shape}"
    colours = options.look
    pixels = check_width(options.width, len(columns) // (_MANY - 1))
    plot = _Plot(metric, rows, colours, options.labels, pixels)
    heads = [(values.columns.groups[at], values.columns.names[at]) for at in columns]
    spec, pixels = _specification(data, panels, heads, plot)
    drawn = () if values.of_statistics else plan.rows
    captions = Captions(panels.title(values), subtitle, summary, pixels, whole=pixels, rows=drawn)
    return finish(spec, colours, captions.by(options), of=result)


class _Plot(NamedTuple):
    """How the cells are drawn; order: keys of the rows. width: pixels of the chart."""

    metric: str
    order: list[str]
    colours: Look
    labels: bool
    width: float


def _with_heat(data: pd.DataFrame, metric: str, how: TableArrangement) -> pd.DataFrame:
    # A low base is outside of the colour scale: it would show noise.
    sound = data["value"].where(data["mark"] == "").to_numpy(dtype=np.float64)
    # A low base has 0, the neutral shade; a missing value has NaN, and an empty cell.
    shades = np.where(data["value"].isna(), np.nan, np.nan_to_num(heat(sound, metric)))
    return data.assign(heat=shades, text=value_labels(metric, data["value"], data["mark"], how))


def heat(values: NDArray[np.float64], metric: str) -> Any:
    """How strongly each value is coloured: −1 to 1 around an index of 100, 0 to 1 for the rest."""
    known = values[np.isfinite(values)]
    if not known.size:
        return np.full(values.shape, np.nan)
    low, high = np.percentile(known, _CLIP)
    if not metric.endswith("index"):
        return np.clip((values - low) / max(high - low, np.finfo(float).tiny), 0, 1)
    # At least 10 points on either side, so that noise in a flat table is pale.
    over, under = max(_LEAST_REACH, high - 100), max(_LEAST_REACH, 100 - low)
    away = values - 100
    return np.clip(np.where(away >= 0, away / over, away / under), -1, 1)


def _specification(
    data: pd.DataFrame, panels: Panels, columns: list[tuple[tuple[str, ...], str]], plot: _Plot
) -> tuple[Spec, float]:
    """The cells below the names of their columns; and the pixels that the chart needs."""
    inner, count = plot.width - 2 * PADDING, max(len(columns), 1)
    names = panels.names(NAMES * inner, SIZE, 2)
    widest = max((text_width(each, SMALL) for each in data["text"]), default=0.0)
    least = _AROUND + (widest if plot.labels else SMALL)
    step = min(_WIDE, max(least, (inner - names.pixels) / count))
    heads = heads_of(columns, step)
    if heads.beyond:
        step = min(step, max(least, (inner - names.pixels - heads.beyond) / count))
        heads = heads_of(columns, step)
    row = max(_HIGH, names.height + 3)
    diverging = plot.metric.endswith("index")
    shades = [plot.colours.under, plot.colours.middle, plot.colours.over]
    positions = [-1, 0, 1] if diverging else [0, 1]
    if not diverging:
        shades = [plot.colours.middle, plot.colours.accent]
    bands = {"domain": plot.order, "paddingInner": 0, "paddingOuter": 0}
    order = list(dict.fromkeys(data["group"]))
    cell = {
        "x": field("group:N", sort=order, title=None, axis=None, scale={"padding": 0}),
        "y": field("label:N", sort=plot.order, title=None, axis=names.axis(row), scale=bands),
    }
    key = _legend(data["value"][data["mark"] == ""].dropna(), plot.metric, positions)
    colour = field("heat:Q", scale={"domain": positions, "range": shades}, legend=key)
    # Text at both ends of the diverging scale has the theme's own colour; on the accent it needs
    # the other.
    strong = plot.colours.ink if diverging else plot.colours.on_accent
    ink = when(f"datum.heat > {plot.colours.on_accent_from}", strong, plot.colours.ink)
    cells = {**cell, "color": colour, "tooltip": tooltip("label", "group", "value")}
    layers = [layer("rect", cells, stroke=plot.colours.ground, strokeWidth=1.5)]
    if plot.labels:
        text = {**cell, "text": "text:N", "color": ink}
        layers.append(layer("text", text, fontSize=SMALL))
    layers += heads.layers(plot.colours)
    high = row * max(len(plot.order), 1)
    size = {"width": round(step * count, 1), "height": round(high, 1)}
    drawn = data[["label", "group", "value", "mark", "n", "line", "heat", "text"]]
    needed = names.pixels + step * count + heads.beyond + 2 * PADDING
    return {"data": drawn, "layer": layers, **size}, max(plot.width, needed)


def _legend(known: pd.Series[float], metric: str, places: list[int]) -> Spec | None:
    """Three numbers beside the scale: both ends as clipped, and the middle."""
    if known.empty:
        return None
    low, high = (float(end) for end in np.percentile(known, _CLIP))
    ends = [low, high]
    if len(places) == 3:
        ends = [min(low, 100 - _LEAST_REACH), 100.0, max(high, 100 + _LEAST_REACH)]
    texts = [format_value(metric, end) for end in ends]
    # The values of the scale are not those of the metric, so labels are chosen by an expression.
    pairs = " : ".join(f"datum.value == {p} ? {t!r}" for p, t in zip(places, texts, strict=True))
    # Below the cells, whose names are above them.
    side = {"orient": "bottom", "direction": "horizontal", "gradientLength": 160}
    return {"title": None, "values": places, "labelExpr": f"{pairs} : ''", **side}
