"""Heat maps: the values of a crosstab, or of any result, in colour and in numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import Drawable, by_value, chosen_metric, values_of
from audiencelab.charts.labels import check_order, check_pixels, format_value, metric_words
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Look, Palette, Theme, look
from audiencelab.charts.uncertainty import low_note
from audiencelab.charts.vega_lite import field, layer, tooltip, when
from audiencelab.results.crosstab import CrosstabData
from audiencelab.wording import plural

MAX_CELLS = 4_000
"""Cells in one chart; larger tables belong in the crosstab widget."""

_CLIP = (2, 98)
_LEAST_REACH = 10.0
_WIDE, _HIGH, _NARROW = 74, 26, 48
_PLOT = 640
"""Pixels that columns share before they get narrower: what fits beside the names in a cell."""
_LONGEST = 200
"""Pixels of a column's name, which is rotated where it is long."""


def heatmap(
    result: CrosstabData | Drawable,
    metric: str | None = None,
    *,
    sort: str = "asked",
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    palette: Palette = "standard",
    labels: bool = True,
    width: int | None = None,
) -> ChartSpecification:
    """A cell for each row and column, coloured by one metric and labelled with its value.

    result: a crosstab; or of a stats query or of a saved chart's calculation: then the rows are
        its datapoints, or attributes, and the columns its audiences, segments or both.
    metric: of a crosstab one of `audiencelab.tables.FIGURES`, by default "index"; otherwise one of
        the ten, by default "index". Indices diverge around 100, blue under and orange
        over it; other metrics run from the background to the accent. Colours are clipped at the
        2nd and 98th percentile, so that one outlier does not bleach the rest.
    sort: rows as "asked", or by "value" (in the first column), largest first.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: "standard", or "blue", "green", "orange", "purple" or "grey"
        for metrics other than an index. labels: whether the cells' values are written.
    width: pixels of the plot, of which a column has at least 48; by default it has up to 74.

    Cells without a value are empty. A value that rests on fewer than 100 respondents has a star,
    on fewer than 30 two, and no colour. Raises `TypeError` for anything else, and `ValueError` for
    an unknown metric and for more cells than a chart can hold.

    >>> al.charts.heatmap(client.crosstab("Finding brands", "Gender"))
    <Chart: heat map of index, 20 rows × 3 columns>
    """
    metric = chosen_metric(result, metric, "index")
    limit = MAX_CELLS, "cells", "Show the Crosstab instead, or fewer rows and columns."
    values = values_of(result, metric, limit=limit)
    names = {"label": "row", "group": "column"}
    data = values.data[["label", "group", "value", "mark", "n", "line"]].rename(columns=names)
    # A low base is outside of the colour scale: it would show noise.
    sound = data["value"].where(data["mark"] == "")
    # A low base has 0, the neutral shade; a missing value has NaN, and an empty cell.
    data["heat"] = np.where(
        data["value"].isna(), np.nan, np.nan_to_num(heat(sound.to_numpy(dtype=np.float64), metric))
    )
    data["text"] = [
        f"{format_value(metric, value) or '–'} {mark}".rstrip()
        for value, mark in zip(data["value"], data["mark"], strict=True)
    ]
    check_order(sort, "asked", "value")
    rows = values.labels if sort == "asked" else by_value(values.data)
    columns = list(dict.fromkeys(data["column"]))
    said = " · ".join([metric_words(result, metric), *values.facts])
    subtitle = [said, values.base_line, *low_note(data["mark"])]
    step = min(_WIDE, max(_NARROW, _PLOT / max(1, len(columns))))
    if width is not None:
        check_pixels(width=width)
        step = max(_NARROW, width / max(1, len(columns)))
    shape = f"{plural(len(rows), 'row')} × {plural(len(columns), 'column')}"
    summary = f"heat map of {metric}, {shape}"
    captions = Captions(values.title, subtitle, summary, step * len(columns), left=rows).chosen(
        title, base=base
    )
    colours = look(theme, palette)
    spec = _spec(data, rows, columns, metric, colours, step)
    if not labels:
        spec["layer"] = spec["layer"][:1]
    return finish(spec, colours, captions, of=result)


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


def _spec(
    data: pd.DataFrame,
    rows: list[str],
    columns: list[str],
    metric: str,
    colours: Look,
    step: float,
) -> Spec:
    diverging = metric.endswith("index")
    places = [-1, 0, 1] if diverging else [0, 1]
    shades = [colours.under, colours.middle, colours.over]
    if not diverging:
        shades = [colours.middle, colours.accent]
    is_long = max(map(len, columns), default=0) > 11
    axis = {"orient": "top", "labelLimit": _LONGEST}
    axis |= {"labelAngle": -35 if is_long else 0, "labelAlign": "left" if is_long else "center"}
    place = {
        "x": field("column:N", sort=columns, title=None, axis=axis),
        "y": field("row:N", sort=rows, title=None),
    }
    key = _legend(data["value"][data["mark"] == ""].dropna(), metric, places)
    colour = field("heat:Q", scale={"domain": places, "range": shades}, legend=key)
    # Text at both ends of the diverging scale has the theme's own colour; on the accent it needs
    # the other.
    strong = colours.ink if diverging else colours.on_accent
    ink = when(f"datum.heat > {colours.on_accent_from}", strong, colours.ink)
    cells = {**place, "color": colour, "tooltip": tooltip("row", "column", "value")}
    layers = [
        layer("rect", cells, stroke=colours.ground, strokeWidth=1.5),
        layer("text", {**place, "text": "text:N", "color": ink}, fontSize=12),
    ]
    return {"data": data, "layer": layers, "width": {"step": step}, "height": {"step": _HIGH}}


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
    return {"title": None, "values": places, "labelExpr": f"{pairs} : ''", "gradientLength": 120}
