"""Bar charts: one metric for the answers of a question or a crosstab, and ranked profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd

from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import (
    Drawable,
    adjusted_facts,
    base_line,
    by_value,
    chosen_metric,
    column_labels,
    column_source,
    lines_of,
    row_labels,
    values_of,
)
from audiencelab.charts.labels import (
    check_limit,
    check_order,
    check_pixels,
    format_value,
    metric_words,
    shorten_title,
    value_labels,
)
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Look, Palette, Theme, look
from audiencelab.charts.uncertainty import (
    Intervals,
    hatch,
    level_of,
    low_marks,
    low_note,
)
from audiencelab.charts.vega_lite import (
    category_colors,
    field,
    layer,
    legend,
    reference,
    scale,
    tooltip,
    when,
)
from audiencelab.render.colours import series_colours
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import METRICS
from audiencelab.results.profile import ProfileData
from audiencelab.wording import plural

MAX_BARS = 600
MAX_RANKED = 100
"""Bars in one chart, and on each side of 100 in a profile; more are a table."""

MAX_GROUPED = 6
"""Bars side by side for one answer; with more, each audience has a plot of its own."""

_LABELLED = 80
_STEP, _OFFSET, _FACET, _CHARACTER = 24, 18, 220, 8
_WITH_BASE = "column_percentage"
"""Shares that are compared with the one in the base."""

_GAP, _VALUE, _MARK = 6, 56, 14
"""Pixels between a bar and its value, of the column of values, and of a star after a value."""


def bar(
    result: Drawable | CrosstabData,
    metric: str | None = None,
    *,
    sort: str = "asked",
    intervals: Intervals = False,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    palette: Palette = "standard",
    labels: bool = True,
    width: int = 440,
) -> ChartSpecification:
    """A bar for each datapoint, grouped by audience or by segment, faceted with both.

    More than six audiences, segments or columns have a plot each instead of bars side by side.

    result: of a stats query; or of a chart's calculation: then the bars are the chart's
        attributes, and the subtitle says how many of them have no values; or a crosstab: rows
        down, a group for each column.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of
        the result's frame. With an index the bars start at a rule at 100; with "column" a tick
        shows the share in the base.
    sort: datapoints as "asked", or by "value" (of the first group), largest first.
    intervals: True draws a line over the confidence interval of each percentage or index, at 95%
        or at the given level, such as 0.9.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: "standard", or shades of "blue", "green", "orange", "purple"
        or "grey". labels: whether the bars' values are written; an axis replaces them.
    width: pixels of the plot.

    A bar that rests on fewer than 100 respondents is hatched and has a star, on fewer than 30 two.
    Raises `TypeError` for anything else, `ValueError` for an unknown metric, for intervals of a
    metric that has none, and for more bars than a chart can hold.

    >>> al.charts.bar(client.crosstab("Finding brands", "Gender"), "column")
    <Chart: bars of column_percentage, 60 of a crosstab>
    """
    colours = look(theme, palette)
    check_pixels(width=width)
    of_table = isinstance(result, CrosstabData)
    metric = chosen_metric(result, metric, "column")
    limit = MAX_BARS, "bars", "Take fewer rows or columns, or charts.heatmap(…)."
    level = level_of(intervals, metric)
    values = values_of(result, metric, level, limit)
    by_audience = len(values.audiences) > 1 or not values.segments
    groups = values.audiences if by_audience else values.segments
    data = values.data[["label", "value", "base", "low", "high", "mark", "n", "line"]].copy()
    data["group"] = values.data["audience" if by_audience else "segment"]
    data["facet"] = values.data["segment"] if by_audience else ""
    if len(groups) > MAX_GROUPED and data["facet"].nunique() == 1:
        # Too many bars side by side: each group gets a plot of its own.
        data["facet"], groups = data["group"], [""]
        data["group"] = ""
    data["text"] = value_labels(metric, data["value"], data["mark"])
    check_order(sort, "asked", "value")
    order = values.labels
    if sort == "value":
        order = by_value(data)
    facts = values.facts
    if of_table and len(values.audiences) == 1:
        facts = [f"Column: {values.audiences[0]}"]
    tick = "tick: share of the base" if _has_ticks(data, metric) else ""
    said = [metric_words(result, metric), *facts, tick, values.intervals]
    subtitle = [" · ".join(filter(None, said)), values.base_line, *low_note(data["mark"])]
    summary = f"bars of {metric}, {len(data):,} of {values.subject}"
    captions = Captions(values.title, subtitle, summary, width, left=order).chosen(title, base=base)
    return finish(
        _bar_spec(data, metric, order, groups, colours, width, labels=labels),
        colours,
        captions,
        of=result,
    )


def _has_ticks(data: pd.DataFrame, metric: str) -> bool:
    return metric == _WITH_BASE and bool(data["base"].notna().any())


def _bar_spec(
    data: pd.DataFrame,
    metric: str,
    order: Sequence[str],
    groups: Sequence[str],
    colours: Look,
    width: int,
    *,
    labels: bool,
) -> Spec:
    is_index = metric.endswith("index")
    grouped = len(groups) > 1
    facets = list(dict.fromkeys(data["facet"]))
    plot = min(width, _FACET) if len(facets) > 1 else width
    y = field("label:N", sort=list(order), title=None, axis={"labelFontSize": 13})
    place: Spec = {"y": y}
    if grouped:
        place["yOffset"] = field("group:N", sort=list(groups))
    labelled = labels and len(data) <= _LABELLED
    axis: Spec | None = None if labelled else {}
    ends = scale(*_domain(data, is_index, plot), zero=False)
    shape = {**place, "x": field("value:Q", title=None, scale=ends, axis=axis)}
    if is_index:
        shape["x2"] = {"datum": 100}
    colour = _colour(grouped, groups, is_index, colours, width)
    shown = {"color": colour, "tooltip": tooltip("label", "group", "value")}
    layers = [layer("bar", {**shape, **shown}, cornerRadiusEnd=2)]
    # Over the bars and under all else: later layers are drawn on top.
    layers += hatch(shape, data["mark"], colours)
    if is_index:
        layers.append(reference("facet", "x", color=colours.mark, strokeWidth=1))
    elif _has_ticks(data, metric):
        layers += _ticks(place, data, len(groups), colours)
    if bool(data["high"].notna().any()):
        known = "isValid(datum.low) && isValid(datum.high)"
        ends = {**place, "x": "low:Q", "x2": "high"}
        # The outline in the background colour keeps the line visible on the bar too.
        layers += [
            layer("rule", ends, where=known, color=paint, strokeWidth=thick, strokeCap="butt")
            for paint, thick in ((colours.ground, 4), (colours.mark, 1.4))
        ]
    if labelled:
        layers += _texts(place, data, is_index, plot)
    step = {"step": _OFFSET, "for": "offset"} if grouped else {"step": _STEP}
    inner = {"layer": layers, "width": plot, "height": step}
    if len(facets) > 1:
        lines = {each: wrap(each, plot // _CHARACTER) for each in facets}
        # Vega-Lite does not wrap a header, but draws a list of lines as lines.
        header = {"labelExpr": f"{json.dumps(lines)}[datum.value]", "labelLimit": plot}
        facet = field("facet:N", sort=facets, title=None, header=header)
        return {"data": data, "facet": facet, "columns": 3, "spec": inner}
    return {"data": data, **inner}


def _ticks(place: Spec, data: pd.DataFrame, groups: int, colours: Look) -> list[Spec]:
    """The share of the base: one tick across the bars of a datapoint that share it."""
    size = 16
    if groups > 1:
        # Equal up to the rounding of shares.
        together = data.groupby(["facet", "label"])["base"].agg(np.ptp).max() < 1e-6
        size = _OFFSET * groups - 4 if together else 12
        if together:
            # Across all bars of the answer instead of over one.
            place = {"y": place["y"]}
    return [
        layer("tick", {**place, "x": "base:Q"}, color=colour, thickness=thickness, size=size)
        for colour, thickness in ((colours.ground, 4), (colours.mark, 2.2))
    ]


def _domain(data: pd.DataFrame, is_index: bool, plot: int) -> tuple[float, float]:
    """From zero, or around 100 for an index, with space for the values beside the bars."""
    drawn = data[["value", "low", "high"] if is_index else ["value", "high", "base"]]
    known = drawn.to_numpy(dtype=np.float64)
    known = known[np.isfinite(known)]
    high = float(known.max(initial=0.0)) if known.size else 1.0
    if not is_index:
        room = _VALUE + (_MARK if any(data["mark"]) else 0)
        low = min(0.0, float(known.min(initial=0.0)))
        # The longest bar ends where the column of values begins.
        return 1.1 * low, (high or 1.0) * plot / max(plot - room, plot / 2)
    low = float(known.min()) if known.size else 99.0
    room = 0.12 * (max(high, 101.0) - min(low, 99.0))
    return min(low, 99.0) - room, max(high, 101.0) + room


def _texts(place: Spec, data: pd.DataFrame, is_index: bool, plot: int) -> list[Spec]:
    """Each bar's value: in one column at the right, or at the bar's end if it is an index."""
    if not is_index:
        encoding = {**place, "x": {"value": plot}, "text": "text:N"}
        return [layer("text", encoding, align="right", baseline="middle")]
    # The value is beyond the interval, on the side that the bar points to.
    over = data["value"] >= 100
    data["end"] = data["high"].where(over, data["low"]).fillna(data["value"])
    return _end_texts({**place, "x": "end:Q"}, baseline="middle")


def _end_texts(place: Mapping[str, Any], **style: Any) -> list[Spec]:
    return [
        layer("text", {**place, "text": "text:N"}, where=test, align=align, dx=dx, **style)
        for test, align, dx in (
            ("datum.value >= 100", "left", _GAP),
            ("datum.value < 100", "right", -_GAP),
        )
    ]


def _colour(
    grouped: bool, groups: Sequence[str], is_index: bool, colours: Look, width: int
) -> Spec:
    if grouped:
        shades = series_colours(len(groups), colours)
        return category_colors("group", groups, shades, legend(groups, width, columns=4))
    if is_index:
        under, over = colours.series[:2]
        return when("datum.value >= 100", over, under)
    return {"value": colours.accent}


# -- profiles -------------------------------------------------------------------------------------


def profile(
    table: CrosstabData | ProfileData,
    column: str | None = None,
    *,
    limit: int = 10,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    width: int = 440,
) -> ChartSpecification:
    """The rows that one column is most over and most under, as bars from an index of 100.

    table: a crosstab; or a profile, without answers that fewer than 30 respondents of the base
        gave and without the questions that the audience is defined by.
    column: the audience to draw, by name or id; optional if the table has one column.
    limit: rows drawn on each side of 100 at most; the subtitle says how many there are.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". width: pixels of the plot.

    The share of the column is shown beside each index. A column of fewer than 100 respondents has
    hatched bars with a star, of fewer than 30 with two. Rows without an index are left out. Raises
    `TypeError` for anything but these two, and `ValueError` for an unknown or ambiguous column,
    and for a limit under 1 or over 100.

    >>> al.charts.profile(client.profile(client["Age"] == "18 to 24", "Pets"), limit=3)
    <Chart: profile by index, 6 rows>
    """
    check_limit(limit, "limit (rows on each side)", MAX_RANKED)
    check_pixels(width=width)
    adjusted = adjusted_facts(table)
    table, place = column_source(table, column)
    colours, every = look(theme), _ranked(table, place)
    over, under = every[every["value"] >= 100], every[every["value"] < 100]
    data = pd.concat([over.head(limit), under.tail(limit)]).assign(facet="")
    order = [str(label) for label in data["label"]]
    shown = f"{len(data):,} of {len(every):,} rows" if len(data) < len(every) else ""
    said = [METRICS["index"].label_alone, "share of the column beside it", shown]
    subtitle = [" · ".join(filter(None, said)), *adjusted, base_line(table)]
    subtitle += low_note(data["mark"])
    summary = f"profile by index, {plural(len(data), 'row')}"
    own = shorten_title(column_labels(table)[place])
    captions = Captions(own, subtitle, summary, width, left=order).chosen(title, base=base)
    return finish(
        _profile_spec(data, order, colours, width),
        colours,
        captions,
        of=table,
    )


def _ranked(table: CrosstabData, place: int) -> pd.DataFrame:
    index, share = (table.values(name)[:, place] for name in ("index", "column_percentage"))
    data = pd.DataFrame({"label": row_labels(table), "value": index, "share": share})
    data["line"] = lines_of(table)[:, place]
    data["mark"] = low_marks("index", table)[:, place]
    shares = value_labels("column_percentage", share, data["mark"])
    data["text"] = [
        f"{format_value('index', value)} · {part}"
        for value, part in zip(index, shares, strict=True)
    ]
    ranked = data.dropna(subset=["value"]).sort_values("value", ascending=False, kind="stable")
    return ranked.reset_index(drop=True)


def _profile_spec(data: pd.DataFrame, order: list[str], colours: Look, width: int) -> Spec:
    # 100 is in the plot also where all indices are on one side of it.
    known = np.append(data["value"].to_numpy(dtype=np.float64), [99.0, 101.0])
    # The labels of both sides are equally long; a quarter of the plot holds them.
    room = 0.3 * float(np.ptp(known))
    ends = scale(float(known.min()) - room, float(known.max()) + room)
    y = field("label:N", sort=order, title=None, axis={"labelFontSize": 13})
    x = field("value:Q", title=None, axis=None, scale=ends)
    shape = {"y": y, "x": x, "x2": {"datum": 100}}
    layers = [
        layer(
            "bar", {**shape, "color": _colour(False, (), True, colours, width)}, cornerRadiusEnd=2
        ),
        *hatch(shape, data["mark"], colours),
        reference("facet", "x", color=colours.mark, strokeWidth=1),
        *_end_texts({"y": y, "x": "value:Q"}),
    ]
    return {"data": data, "layer": layers, "width": width, "height": {"step": _STEP}}
