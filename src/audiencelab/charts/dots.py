"""Dot plots: several audiences on one line for each datapoint, to show the gap between them."""

from __future__ import annotations

import pandas as pd

from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import Drawable, Values, by_value, chosen_metric, values_of
from audiencelab.charts.label_placement import spread_out, text_width
from audiencelab.charts.labels import check_order, check_pixels, format_value, metric_words
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Look, Palette, Theme, look
from audiencelab.charts.vega_lite import (
    category_colors,
    field,
    layer,
    legend,
    reference,
    scale,
    tooltip,
)
from audiencelab.render.colours import series_colours
from audiencelab.results.crosstab import CrosstabData
from audiencelab.wording import plural

MAX_ROWS, MAX_DOTS = 100, 8
"""Rows in one chart, and dots in each: there are no more colours."""

_STEP = 26
_LABEL = 12
_ABOVE, _BETWEEN, _BEYOND = 20, 12, 30
"""Pixels from the first row up to the names of its dots, between these, and over the edges."""

_BOLD = 1.2
"""Width of bold letters relative to regular ones, in the widest common font."""


def dots(
    result: Drawable | CrosstabData,
    metric: str | None = None,
    *,
    sort: str = "asked",
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    palette: Palette = "standard",
    labels: bool = True,
    width: int = 440,
) -> ChartSpecification:
    """A row for each datapoint with a dot for each audience, joined from the least to the most.

    result: of a stats query (the dots are its audiences, or its segments if it has one audience or
        none), of a chart's calculation, or a crosstab: rows down, a dot for each column.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of
        the result's frame.
    sort: rows as "asked", by "value" (of the first audience), largest first, or by "gap", the
        widest first.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: "standard", or shades of "blue", "green", "orange", "purple"
        or "grey". labels: whether the values at the ends of a row are written.
    width: pixels of the plot.

    The audiences are named above the dots of the first row, or in a legend where these are too
    close to each other. A dot that rests on fewer than 100 respondents is hollow. Raises
    `TypeError` for anything else, and `ValueError` for an unknown metric, for audiences and
    segments at once, and for more rows or dots than a chart can hold.

    >>> al.charts.dots(client.crosstab("Finding brands", "Gender"))
    <Chart: dots of column_percentage, 20 lines, 3 audiences>
    """
    colours = look(theme, palette)
    check_pixels(width=width)
    metric = chosen_metric(result, metric, "column")
    values = values_of(result, metric)
    data = _with_ends(values, metric)
    order, groups = list(dict.fromkeys(data["label"])), list(dict.fromkeys(data["group"]))
    if len(order) > MAX_ROWS or len(groups) > MAX_DOTS:
        raise ValueError(
            f"{len(order):,} rows with {len(groups):,} dots are too many for one chart (at most "
            f"{MAX_ROWS} with {MAX_DOTS}). Ask for fewer, or take charts.heatmap(…)."
        )
    check_order(sort, "asked", "value", "gap")
    if sort == "value":
        order = by_value(data)
    if sort == "gap":
        gaps = (data["most"] - data["least"]).groupby(data["label"], sort=False).first()
        order = [str(label) for label in gaps.sort_values(ascending=False, kind="stable").index]
    facts = [" · ".join(values.facts)] if values.facts else []
    subtitle = [metric_words(result, metric), *facts, values.base_line]
    if bool(data["low_base"].any()):
        subtitle.append("Hollow dots: fewer than 100 respondents in the denominator")
    summary = f"dots of {metric}, {plural(len(order), 'line')}, {plural(len(groups), 'audience')}"
    captions = Captions(values.title, subtitle, summary, width, left=order).chosen(title, base=base)
    spec = _spec(data, metric, order, groups, colours, width, labels=labels)
    return finish(spec, colours, captions, of=result)


def _with_ends(values: Values, metric: str) -> pd.DataFrame:
    """The dots with the ends of their rows, which alone are labelled."""
    by_segment = len(values.segments) > 1
    if by_segment and len(values.audiences) > 1:
        raise ValueError(
            "Dots are either audiences or segments: ask for one audience, or without a splitter."
        )
    data = values.data[["label", "value", "n", "line"]].copy()
    groups = values.data["segment" if by_segment else "audience"]
    data["group"] = groups.where(groups != "", "Everyone")
    data["low_base"] = values.data["mark"] != ""
    data["text"] = [format_value(metric, each) for each in data["value"]]
    by_row = data.groupby("label", sort=False)["value"]
    data["most"], data["least"] = by_row.transform("max"), by_row.transform("min")
    data["end"] = "between"
    # Then the most, so that a row of one value has its label at the right.
    data.loc[data["value"] == data["least"], "end"] = "least"
    data.loc[data["value"] == data["most"], "end"] = "most"
    # Where several share an end, one has the label.
    repeated = data.duplicated(["label", "end"]) | data["value"].isna()
    data.loc[repeated, "end"] = "between"
    return data


def _spec(
    data: pd.DataFrame,
    metric: str,
    order: list[str],
    groups: list[str],
    colours: Look,
    width: int,
    *,
    labels: bool,
) -> Spec:
    low, high = _domain(data)
    names = _names(data, order, groups, (low, high), width)
    key = None
    if names is None:
        key = legend(groups, width, columns=4, symbolType="circle")
    colour = category_colors("group", groups, series_colours(len(groups), colours), key)
    y = field("label:N", sort=order, title=None, axis={"labelFontSize": 13, "grid": False})
    x = field("value:Q", scale=scale(low, high, zero=False))
    join = {"y": y, "x": field("least:Q", title=None, axis=None), "x2": "most"}
    layers = [layer("rule", join, strokeWidth=3, color=colours.line)]
    if metric.endswith("index"):
        layers.append(reference("group", "x", color=colours.mark, strokeDash=[3, 3]))
    tips = tooltip("label", "group", "value")
    full: Spec = {"filled": True, "size": 90, "opacity": 1}
    hollow: Spec = {"fill": colours.ground, "size": 80, "strokeWidth": 2, "opacity": 1}
    layers += [
        layer("point", {"y": y, "x": x, "color": colour, "tooltip": tips}, where=test, **style)
        for test, style in (("!datum.low_base", full), ("datum.low_base", hollow))
    ]
    layers += [
        layer(
            "text",
            {"y": y, "x": x, "text": "text:N"},
            where=f"datum.end === '{end}'",
            baseline="middle",
            align=align,
            dx=dx,
        )
        for end, align, dx in (("least", "right", -_LABEL), ("most", "left", _LABEL))
        if labels
    ]
    if names is not None:
        at = {"y": y, "x": field("at:Q", scale=None), "text": "group:N", "color": colour}
        style: Spec = {"dy": -_ABOVE, "baseline": "middle", "fontWeight": 600}
        layers.append(layer("text", at, data=names, **style))
    return {"data": data, "layer": layers, "width": width, "height": {"step": _STEP}}


def _names(
    data: pd.DataFrame, order: list[str], groups: list[str], ends: tuple[float, float], width: int
) -> pd.DataFrame | None:
    """The names of the dots, in pixels above the first row; None where they do not fit there."""
    if not order:
        return None
    first = data[data["label"] == order[0]].set_index("group")["value"].reindex(groups)
    # A dot that the first row lacks would have no name there.
    if first.isna().any():
        return None
    positions = (width * (first - ends[0]) / (ends[1] - ends[0])).tolist()
    widths = [_BOLD * text_width(name) + _BETWEEN for name in groups]
    middles = spread_out(positions, widths)
    # A name that is not above its dot could be read as that of the next dot.
    for dot, middle, wide in zip(positions, middles, widths, strict=True):
        beyond = max(wide / 2 - middle, middle + wide / 2 - width)
        if abs(middle - dot) > wide / 2 or beyond > _BEYOND:
            return None
    return pd.DataFrame({"label": order[0], "group": groups, "at": middles})


def _domain(data: pd.DataFrame) -> tuple[float, float]:
    """From the least to the most, with space for the labels at both ends."""
    known = data["value"].dropna()
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    # A single value has no range; a range of 0 would have no scale.
    room = 0.16 * ((high - low) or high or 1.0)
    return low - room, high + room
