"""Bars: one metric for the datapoints of a question, or the rows of a crosstab, beside the base.

Their margins, and the stars of low bases, come from `certainty`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from audiencelab.analysis.interval_frames import IntervalOptions, crosstab_intervals
from audiencelab.charts import wording
from audiencelab.charts.certainty import (
    Intervals,
    frame_of,
    hatch,
    level_of,
    low_marks,
    low_note,
    said_of,
)
from audiencelab.charts.drawing import Drawing, Words, finish, legend, reference
from audiencelab.charts.figures import Drawable, figures_of
from audiencelab.charts.tables import column_labels, lines_of, row_labels, title_of, whom
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.results.crosstab import FIGURES, CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.schema import METRICS

__all__ = ["bar"]

MOST_BARS = 600
"""Bars in one picture; more are a table, not a picture."""

_LABELLED = 80
_SERIES = 8
_STEP, _OFFSET = 24, 18
_FACET = 220


_TICKED = ("audience_percentage", "column_percentage")
"""Shares that have one in the base to stand beside."""

_GAP, _FIGURE, _MARK = 6, 56, 14
"""Pixels between a bar and its figure, of the column of figures, and of a star behind a figure."""


@dataclass(frozen=True, slots=True)
class _Bars:
    """What is drawn: a line for each bar, in which order and groups, and what is said of it."""

    data: pd.DataFrame
    order: list[str]
    groups: list[str]
    title: str
    said: list[str]
    base_line: str
    subject: str


def bar(
    result: Drawable | CrosstabData,
    metric: str | None = None,
    *,
    sort: str = "asked",
    intervals: Intervals = False,
    theme: Theme = "light",
    width: int = 440,
) -> Drawing:
    """A bar for each datapoint, grouped by audience or by segment, faceted when there are both.

    result: of a stats query; or of a chart's calculation: then the bars are the chart's
        attributes, and the subtitle says how many of them have no figures; or a crosstab: rows
        down, a group for each column.
    metric: one of the nine, "audience_percentage" unless told; of a crosstab one of
        `audiencelab.tables.FIGURES`, "column_percentage" unless told. With an index the bars start
        at a rule at 100; with these two a tick shows the share in the base.
    sort: datapoints as "asked", or by "value" (of the first group), largest first.
    intervals: True draws a line over the interval of each percentage or index, at 95 % unless a
        level is given, such as 0.9.
    theme: "light" or "dark". width: pixels of the plot.

    A bar that rests on fewer than 100 respondents is hatched and has a star, on fewer than 30 two.
    Raises `TypeError` for anything else, `ValueError` for an unknown metric, for intervals of a
    metric that has none, and for more bars than a picture can hold.
    """
    colours = look(theme)
    wording.check_pixels(width=width)
    if isinstance(result, CrosstabData):
        metric = metric or "column_percentage"
        bars = _of_table(result, metric, level_of(intervals, metric))
    else:
        metric = metric or "audience_percentage"
        bars = _of_stats(result, metric, intervals)
    data, order = bars.data, bars.order
    if sort == "value":
        order = _by_value(data)
    elif sort != "asked":
        raise ValueError(f"No order {sort!r}. Choose 'asked' or 'value'.")
    chart = _layers(data, metric, order, bars.groups, colours, width)
    said = [wording.METRIC_NAMES[metric], *bars.said]
    if metric in _TICKED and bool(data["base"].notna().any()):
        said.append("tick: share of the base")
    said.append(said_of(level_of(intervals, metric)))
    subtitle = [" · ".join(filter(None, said)), bars.base_line, *low_note(data["mark"])]
    summary = f"bars of {metric}, {len(data):,} of {bars.subject}"
    words = Words(bars.title, subtitle, summary, width, left=order)
    return finish(chart, colours, words, of=result)


def _of_stats(result: Drawable, metric: str, intervals: Intervals) -> _Bars:
    figures = figures_of(result, draws_tables=True)
    stats = figures.stats
    wording.check_choice("metric", metric, METRICS)
    _check_number(len(stats), "Limit the query with datapoints= or segments=, or use to_wide().")
    data, order, groups = _data(stats, metric, level_of(intervals, metric))
    data["line"] = figures.lines
    smallest = data["sample"].min() if len(data) else None
    said = [wording.series_line(stats), *figures.facts]
    line = figures.base_line(smallest)
    return _Bars(data, order, groups, figures.title, said, line, stats.question)


def _of_table(table: CrosstabData, metric: str, level: float | None) -> _Bars:
    wording.check_choice("figure", metric, FIGURES)
    _check_number(table.expected, "Take fewer rows or columns, or charts.heatmap(…).")
    rows, columns = row_labels(table), column_labels(table)
    values = table.values(metric).ravel()
    share = table.values("row_base_percentage").ravel()
    data = pd.DataFrame(
        {
            "label": np.repeat(np.array(rows, dtype=object), len(columns)),
            "group": np.tile(np.array(columns, dtype=object), len(rows)),
            "facet": "",
            "value": values,
            "base": share if metric in _TICKED else np.nan,
            "low": np.nan,
            "high": np.nan,
            "mark": low_marks(metric, table).ravel(),
            "line": lines_of(table).ravel(),
        }
    )
    if level is not None:
        frame = crosstab_intervals(table, IntervalOptions.of(level, "wilson", None), None)
        arrived = data["line"].notna().to_numpy()
        for end in ("low", "high"):
            data.loc[arrived, end] = frame[f"{metric}_{end}"].to_numpy()
    data["text"] = _words(metric, data)
    said = [f"Column: {columns[0]}"] if len(columns) == 1 else []
    return _Bars(data, rows, columns, title_of(table), said, whom(table), "a crosstab")


def _check_number(bars: int, advice: str) -> None:
    if bars > MOST_BARS:
        raise ValueError(
            f"{bars:,} bars are too many for one picture (at most {MOST_BARS:,}). {advice}"
        )


def _words(metric: str, data: pd.DataFrame) -> list[str]:
    """Each bar's figure and its mark."""
    return [
        f"{wording.format_value(metric, value)} {mark}".rstrip()
        for value, mark in zip(data["value"], data["mark"], strict=True)
    ]


def _data(
    stats: StatsData, metric: str, level: float | None
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """What is drawn, the order of the datapoints, and the groups that get a colour each."""
    frame = frame_of(stats, metric, level)
    labels = wording.distinct(stats.datapoints, stats.labels.datapoints)
    segments = wording.distinct(stats.segments, stats.labels.segments)
    names = {audience.id or "": audience.name for audience in stats.audiences}
    audiences = wording.distinct(names, names)
    by_audience = len(audiences) > 1 or not segments
    groups = list(audiences.values()) if by_audience else list(segments.values())
    if by_audience:
        group = frame["audience"].map(audiences) if audiences else ""
        facet = frame["segment"].map(segments) if segments else ""
    else:
        group, facet = frame["segment"].map(segments), ""
    data = pd.DataFrame(
        {
            "label": frame["datapoint"].map(labels),
            "group": group,
            "facet": facet,
            "value": frame[metric],
            "base": _base_share(frame) if stats.audiences or segments else np.nan,
            "sample": frame["audience_sample"],
            "low": frame["low"],
            "high": frame["high"],
            "mark": low_marks(metric, frame),
        }
    )
    data["text"] = _words(metric, data)
    return data, [labels[code] for code in stats.datapoints], groups


def _by_value(data: pd.DataFrame) -> list[str]:
    """The datapoints by the first group's value (its first segment's), largest first."""
    first = data.drop_duplicates("label")
    return [str(label) for label in first.sort_values("value", ascending=False)["label"]]


def _base_share(frame: pd.DataFrame) -> Any:
    """The datapoint's share of the base, in percent: what an index of 100 would be.

    index = 100 × audience % ÷ base %, so base % = 100 × audience % ÷ index. Where nobody in the
    audience gave the answer both are zero and the quotient is unknown.
    """
    index = frame["audience_index"].where(frame["audience_index"] > 0)
    return 100 * frame["audience_percentage"] / index


def _layers(
    data: pd.DataFrame,
    metric: str,
    order: list[str],
    groups: list[str],
    colours: Look,
    width: int,
) -> Any:
    is_index = metric.endswith("index")
    grouped = len(groups) > 1
    y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelFontSize=13))
    offset: dict[str, Any] = {"yOffset": alt.YOffset("group:N", sort=groups)} if grouped else {}
    base = alt.Chart(data).encode(y=y, **offset)
    is_faceted = data["facet"].nunique() > 1
    plot = min(width, _FACET) if is_faceted else width
    domain = _domain(data, is_index, plot)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    x = alt.X(
        "value:Q", title=None, scale=scale, axis=None if len(data) <= _LABELLED else alt.Axis()
    )
    shape: dict[str, Any] = {"x": x}
    if is_index:
        shape["x2"] = alt.datum(100)
    bars = base.mark_bar(cornerRadiusEnd=2).encode(
        **shape, color=_colour(grouped, groups, is_index, colours)
    )
    layers: list[Any] = [bars]
    if any(data["mark"]):
        layers.append(hatch(base.encode(**shape), colours))
    if is_index:
        layers.append(reference(data, "facet", "x", color=colours.mark, strokeWidth=1))
    elif metric in _TICKED and bool(data["base"].notna().any()):
        layers += _ticks(base, y, data, groups, colours)
    if bool(data["high"].notna().any()):
        layers += _margins(base, colours)
    if len(data) <= _LABELLED:
        layers += _texts(base, data, is_index, plot)
    step = alt.Step(_OFFSET, **{"for": "offset"}) if grouped else alt.Step(_STEP)
    chart: Any = alt.layer(*layers).properties(width=plot, height=step)
    if is_faceted:
        facets = list(dict.fromkeys(data["facet"]))
        across = alt.Facet("facet:N", sort=facets, title=None)
        return chart.facet(facet=across, columns=3)
    return chart


def _ticks(base: Any, y: Any, data: pd.DataFrame, groups: list[str], colours: Look) -> list[Any]:
    """The share of the base: one tick across the bars of a datapoint that share it."""
    size = 16
    if len(groups) > 1:
        # Of one base, up to the rounding of shares.
        together = data.groupby(["facet", "label"])["base"].agg(np.ptp).max() < 1e-6
        size = _OFFSET * len(groups) - 4 if together else 12
        if together:
            base = alt.Chart(data).encode(y=y)
    # A rim in the ground's colour keeps the tick visible on the bar and beside it.
    return [
        base.mark_tick(color=colour, thickness=thickness, size=size).encode(x="base:Q")
        for colour, thickness in ((colours.ground, 4), (colours.mark, 2.2))
    ]


def _margins(base: Any, colours: Look) -> list[Any]:
    """A line from end to end of each interval; its rim keeps it visible on the bar too."""
    known = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    lines = [
        known.mark_rule(color=colour, strokeWidth=thickness, strokeCap="butt")
        for colour, thickness in ((colours.ground, 4), (colours.mark, 1.4))
    ]
    return [each.encode(x="low:Q", x2="high:Q") for each in lines]


def _domain(data: pd.DataFrame, is_index: bool, plot: int) -> list[float]:
    """From zero, or around 100 for an index, with room for the figures beside the bars."""
    drawn = data[["value", "low", "high"] if is_index else ["value", "high", "base"]]
    known = drawn.to_numpy(dtype=np.float64)
    known = known[np.isfinite(known)]
    high = float(known.max(initial=0.0)) if known.size else 1.0
    if not is_index:
        room = _FIGURE + (_MARK if any(data["mark"]) else 0)
        return [0.0, (high or 1.0) * plot / max(plot - room, plot / 2)]
    low = float(known.min()) if known.size else 99.0
    room = 0.12 * (max(high, 101.0) - min(low, 99.0))
    return [min(low, 99.0) - room, max(high, 101.0) + room]


def _texts(base: Any, data: pd.DataFrame, is_index: bool, plot: int) -> list[Any]:
    """Each bar's figure: in one column at the right, or at the bar's end if it is an index."""
    if not is_index:
        column = base.mark_text(align="right", baseline="middle")
        return [column.encode(x=alt.value(plot), text="text:N")]
    over = data["value"] >= 100
    data["end"] = data["high"].where(over, data["low"]).fillna(data["value"])
    return [
        base.transform_filter(f"datum.value {compared} 100")
        .mark_text(baseline="middle", align=align, dx=apart)
        .encode(x="end:Q", text="text:N")
        for compared, align, apart in ((">=", "left", _GAP), ("<", "right", -_GAP))
    ]


def _colour(grouped: bool, groups: list[str], is_index: bool, colours: Look) -> Any:
    if grouped:
        shades = [colours.series[place % _SERIES] for place in range(len(groups))]
        return alt.Color(
            "group:N",
            sort=groups,
            scale=alt.Scale(domain=groups, range=shades),
            legend=legend(groups, columns=4),
        )
    if is_index:
        under, over = colours.series[:2]
        return alt.condition("datum.value >= 100", alt.value(over), alt.value(under))
    return alt.value(colours.accent)
