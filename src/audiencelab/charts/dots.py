"""Dots: several audiences on one line for each datapoint, to see how far they lie apart."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from audiencelab.charts import wording
from audiencelab.charts.certainty import low_marks
from audiencelab.charts.drawing import Drawing, Words, finish, legend, reference
from audiencelab.charts.figures import Drawable, figures_of
from audiencelab.charts.placing import side_by_side, text_width
from audiencelab.charts.tables import column_labels, lines_of, row_labels, title_of, whom
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.results.crosstab import FIGURES, CrosstabData
from audiencelab.results.to_pandas import stats_frame
from audiencelab.schema import METRICS
from audiencelab.wording import plural

__all__ = ["dots"]

MOST_LINES, MOST_DOTS = 100, 8
"""Lines in one picture, and dots on one of them: there are no more colours."""

_STEP = 26
_LABEL = 12

_ABOVE, _BETWEEN, _BEYOND = 20, 12, 30
"""Pixels from the first line up to the names of its dots, between these, and over the edges."""

_BOLD = 1.2
"""How much wider the names' strong letters are than usual ones, in the widest common font."""


def dots(
    result: Drawable | CrosstabData,
    metric: str | None = None,
    *,
    sort: str = "asked",
    theme: Theme = "light",
    width: int = 440,
) -> Drawing:
    """A line for each datapoint with a dot for each audience, joined from the least to the most.

    result: of a stats query (its audiences, or its segments where it has one audience or none, are
        the dots), of a chart's calculation, or a crosstab: rows down, a dot for each column.
    metric: one of the nine, "audience_percentage" unless told; of a crosstab one of
        `audiencelab.tables.FIGURES`, "column_percentage" unless told.
    sort: lines as "asked", or by "gap", those that lie furthest apart first.
    theme: "light" or "dark". width: pixels of the plot.

    The audiences are named above the dots of the first line, or in a legend where these lie too
    near to each other. A dot that rests on fewer than 100 respondents is hollow. Raises `TypeError`
    for anything else, and `ValueError` for an unknown metric, for audiences and segments at once,
    and for more lines or dots than a picture can hold.
    """
    of_table = isinstance(result, CrosstabData)
    metric = metric or ("column_percentage" if of_table else "audience_percentage")
    colours = look(theme)
    wording.check_pixels(width=width)
    if isinstance(result, CrosstabData):
        data, heading = _of_table(result, metric), (title_of(result), [whom(result)])
    else:
        data, heading = _of_stats(result, metric)
    order, groups = list(dict.fromkeys(data["label"])), list(dict.fromkeys(data["group"]))
    if len(order) > MOST_LINES or len(groups) > MOST_DOTS:
        raise ValueError(
            f"{len(order):,} lines with {len(groups):,} dots are too many for one picture (at most "
            f"{MOST_LINES} with {MOST_DOTS}). Ask for fewer, or take charts.heatmap(…)."
        )
    if sort == "gap":
        spread = (data["most"] - data["least"]).groupby(data["label"], sort=False).first()
        order = [str(label) for label in spread.sort_values(ascending=False, kind="stable").index]
    elif sort != "asked":
        raise ValueError(f"No order {sort!r}. Choose 'asked' or 'gap'.")
    title, about = heading
    subtitle = [wording.METRIC_NAMES[metric], *about]
    if bool(data["low_base"].any()):
        subtitle.append("Hollow dots: fewer than 100 respondents in the denominator")
    chart = _layers(data, metric, order, groups, colours, width)
    summary = f"dots of {metric}, {plural(len(order), 'line')}, {plural(len(groups), 'audience')}"
    words = Words(title, subtitle, summary, width, left=order)
    return finish(chart, colours, words, of=result)


def _of_stats(result: Drawable, metric: str) -> tuple[pd.DataFrame, tuple[str, list[str]]]:
    figures = figures_of(result, draws_tables=True)
    stats = figures.stats
    wording.check_choice("metric", metric, METRICS)
    if len(stats.audiences) > 1 and len(stats.segments) > 1:
        raise ValueError(
            "Dots are either audiences or segments: ask for one audience, or without a splitter."
        )
    frame = stats_frame(stats)
    labels = wording.distinct(stats.datapoints, stats.labels.datapoints)
    if len(stats.segments) > 1:
        group = frame["segment"].map(wording.distinct(stats.segments, stats.labels.segments))
    else:
        names = {audience.id or "": audience.name for audience in stats.audiences}
        group = frame["audience"].map(wording.distinct(names, names)) if names else "Everyone"
    data = _data(
        frame["datapoint"].map(labels), group, frame[metric], low_marks(metric, frame), metric
    )
    smallest = frame["audience_sample"].min() if len(frame) else None
    data["line"] = figures.lines
    told = " · ".join(filter(None, [wording.series_line(stats), *figures.facts]))
    return data, (figures.title, [*filter(None, [told]), figures.base_line(smallest)])


def _of_table(table: CrosstabData, metric: str) -> pd.DataFrame:
    wording.check_choice("figure", metric, FIGURES)
    rows, columns = row_labels(table), column_labels(table)
    data = _data(
        [row for row in rows for _ in columns],
        columns * len(rows),
        table.values(metric).ravel(),
        low_marks(metric, table).ravel(),
        metric,
    )
    return data.assign(line=lines_of(table).ravel())


def _data(label: Any, group: Any, value: Any, marks: Any, metric: str) -> pd.DataFrame:
    data = pd.DataFrame({"label": label, "group": group, "value": value})
    data["low_base"] = marks != ""
    data["text"] = [wording.format_value(metric, each) for each in data["value"]]
    # Only the ends of a line are labelled: figures between them would run into each other.
    by_line = data.groupby("label", sort=False)["value"]
    data["most"], data["least"] = by_line.transform("max"), by_line.transform("min")
    data["end"] = "between"
    data.loc[data["value"] == data["least"], "end"] = "least"
    data.loc[data["value"] == data["most"], "end"] = "most"
    # Where several share an end, one label tells it.
    repeated = data.duplicated(["label", "end"]) | data["value"].isna()
    data.loc[repeated, "end"] = "between"
    return data


def _layers(
    data: pd.DataFrame,
    metric: str,
    order: list[str],
    groups: list[str],
    colours: Look,
    width: int,
) -> Any:
    domain, shades = _domain(data), list(colours.series[: len(groups)])
    heads = _heads(data, order, groups, domain, width)
    colour = alt.Color(
        "group:N",
        sort=groups,
        scale=alt.Scale(domain=groups, range=shades),
        legend=legend(groups, columns=4, symbolType="circle") if heads is None else None,
    )
    lines = alt.Axis(labelFontSize=13, grid=False)
    y = alt.Y("label:N", sort=order, title=None, axis=lines)
    base = alt.Chart(data).encode(y=y)
    x = alt.X("value:Q", scale=alt.Scale(domain=domain, nice=False, zero=False))
    join = base.mark_rule(strokeWidth=3, color=colours.line).encode(
        x=alt.X("least:Q", title=None, axis=None), x2="most:Q"
    )
    full = base.transform_filter("!datum.low_base").mark_point(filled=True, size=90, opacity=1)
    hollow = base.transform_filter("datum.low_base").mark_point(
        fill=colours.ground, size=80, strokeWidth=2, opacity=1
    )
    layers: list[Any] = [join, *(each.encode(x=x, color=colour) for each in (full, hollow))]
    if metric.endswith("index"):
        layers.insert(1, reference(data, "group", "x", color=colours.mark, strokeDash=[3, 3]))
    ends: dict[str, dict[str, Any]] = {
        "least": {"align": "right", "dx": -_LABEL},
        "most": {"align": "left", "dx": _LABEL},
    }
    for end, style in ends.items():
        at_end = base.transform_filter(f"datum.end === '{end}'")
        layers.append(at_end.mark_text(baseline="middle", **style).encode(x=x, text="text:N"))
    if heads is not None:
        names = alt.Chart(heads).mark_text(dy=-_ABOVE, baseline="middle", fontWeight=600)
        layers.append(names.encode(x=alt.X("at:Q", scale=None), y=y, text="group:N", color=colour))
    return alt.layer(*layers).properties(width=width, height=alt.Step(_STEP))


def _heads(
    data: pd.DataFrame, order: list[str], groups: list[str], domain: list[float], width: int
) -> pd.DataFrame | None:
    """The names of the dots, in pixels above the first line; None where they do not fit there."""
    if not order:
        return None
    first = data[data["label"] == order[0]].set_index("group")["value"].reindex(groups)
    if first.isna().any():
        return None
    dots = (width * (first - domain[0]) / (domain[1] - domain[0])).tolist()
    widths = [_BOLD * text_width(name) + _BETWEEN for name in groups]
    places = side_by_side(dots, widths)
    # A name that is not above its dot at all would be taken for the next one's.
    for dot, place, wide in zip(dots, places, widths, strict=True):
        beyond = max(wide / 2 - place, place + wide / 2 - width)
        if abs(place - dot) > wide / 2 or beyond > _BEYOND:
            return None
    return pd.DataFrame({"label": order[0], "group": groups, "at": places})


def _domain(data: pd.DataFrame) -> list[float]:
    """From the least to the most, with room for the figures at both ends."""
    known = data["value"].dropna()
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = 0.16 * ((high - low) or high or 1.0)
    return [low - room, high + room]
