"""Trends: one metric over the waves, with a gap where a question was not asked."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from audiencelab.charts import wording
from audiencelab.charts.certainty import (
    Intervals,
    frame_of,
    level_of,
    low_marks,
    said_of,
)
from audiencelab.charts.drawing import Drawing, Words, finish, legend, reference
from audiencelab.charts.figures import Drawable, figures_of
from audiencelab.charts.placing import side_by_side
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.expressions.codes import WAVES
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import stats_frame
from audiencelab.schema import METRICS
from audiencelab.wording import plural

__all__ = ["trend"]

_FEW = "fewer than 100 respondents in the denominator"

_LABEL_HEIGHT = 16
_FACET_COLUMNS = 3
_FACET_GAP = 20


def trend(
    result: Drawable,
    metric: str = "audience_percentage",
    *,
    most: int = 8,
    intervals: Intervals = False,
    theme: Theme = "light",
    width: int = 560,
    height: int = 300,
) -> Drawing:
    """A line for each datapoint, or for each audience of one datapoint; small multiples for both.

    result: of a stats query with `splitter="waves"`, or of the calculation of such a chart: then
        the lines are the chart's attributes.
    metric: one of the nine; with `audience_index` a rule marks 100.
    most: datapoints drawn, the largest in the last wave (of any audience) first; the subtitle says
        if some are not.
    intervals: True draws a band over the intervals of each percentage or index, at 95 % unless a
        level is given, such as 0.9.
    theme: "light" or "dark". width, height: pixels of the plot.

    A wave without coverage leaves a gap, never a zero, in the band too. A point on fewer than 100
    respondents is hollow. Raises `TypeError` for anything else, and `ValueError` for an unknown
    metric, for intervals of a metric that has none, and for a result not split by waves.
    """
    figures = figures_of(result)
    stats = figures.stats
    wording.check_choice("metric", metric, METRICS)
    if stats.splitter != WAVES:
        raise ValueError(
            "A trend needs a result by waves: client.stats(…, splitter='waves'), or a chart with "
            "this splitter."
        )
    if not (wording.is_whole(most) and most >= 1):
        raise ValueError(f"At least one datapoint has to be drawn, not {most!r}.")
    wording.check_pixels(width=width, height=height)
    colours, level = look(theme), level_of(intervals, metric)
    data, known, unknown = _data(stats, metric, most, level)
    data["line"] = [figures.lines[row] for row in data.index]
    waves = list(wording.distinct(stats.segments, stats.labels.segments).values())
    by_audience = len(stats.audiences) > 1
    if by_audience and data["label"].nunique() > 1:
        chart = _multiples(data, waves, metric, colours, width, height)
    else:
        data["series"] = data["audience"] if by_audience else data["label"]
        chart = _lines(data, waves, metric, colours, width, height, direct=True)
    said = [wording.METRIC_NAMES[metric], wording.series_line(stats), *figures.facts]
    if by_audience and data["label"].nunique() == 1:
        said.append(data["label"].iloc[0])
    if known > most:
        said.append(f"the {most} largest of {plural(known, 'datapoint')}")
    if unknown:
        said.append(f"{unknown:,} of {plural(known + unknown, 'datapoint')} without figures")
    if level is not None:
        said.append(f"bands: {said_of(level)}")
    sample = stats_frame(stats)["audience_sample"]
    smallest = sample[sample > 0].min() if (sample > 0).any() else None
    subtitle = [" · ".join(filter(None, said)), figures.base_line(smallest)]
    if bool(data["low_base"].any()):
        subtitle.append(f"Hollow points: {_FEW}")
    summary = f"trend of {metric}, {stats.question} over {plural(len(waves), 'wave')}"
    names = [] if "series" not in data else [str(name) for name in data["series"].unique()]
    words = Words(figures.title, subtitle, summary, width, right=names)
    return finish(chart, colours, words, of=result)


def _data(
    stats: StatsData, metric: str, most: int, level: float | None
) -> tuple[pd.DataFrame, int, int]:
    """What is drawn; and of how many datapoints there are figures, and of how many there are none.

    Those without any, in no wave, have no line, nor a name at the end of one.
    """
    frame = frame_of(stats, metric, level)
    labels = wording.distinct(stats.datapoints, stats.labels.datapoints)
    waves = wording.distinct(stats.segments, stats.labels.segments)
    names = {audience.id or "": audience.name for audience in stats.audiences}
    audiences = wording.distinct(names, names)
    data = pd.DataFrame(
        {
            "label": frame["datapoint"].map(labels),
            "audience": frame["audience"].map(audiences) if audiences else "",
            "wave": frame["segment"].map(waves),
            "value": frame[metric],
            "low": frame["low"],
            "high": frame["high"],
            "low_base": low_marks(metric, frame) != "",
        }
    )
    lines = data.dropna(subset=["value"]).groupby(["label", "audience"], sort=False)
    last = lines["value"].last().groupby("label", sort=False).max()
    kept = last.sort_values(ascending=False, kind="stable").index[:most]
    shown = data[data["label"].isin(kept)].copy()
    return shown, len(last), data["label"].nunique() - len(last)


def _lines(
    data: pd.DataFrame,
    waves: list[str],
    metric: str,
    colours: Look,
    width: int,
    height: int,
    *,
    direct: bool,
) -> Any:
    series = list(dict.fromkeys(data["series"]))
    shades = [colours.series[place % len(colours.series)] for place in range(len(series))]
    colour = alt.Color(
        "series:N",
        sort=series,
        scale=alt.Scale(domain=series, range=shades),
        legend=None if direct else legend(series, symbolOpacity=1),
    )
    domain = _domain(pd.concat([data["value"], data["low"], data["high"]]), metric)
    axis = alt.Axis(
        labelAngle=0, labelOverlap="parity", labelSeparation=10, labelFontSize=12, grid=False
    )
    number = alt.Axis(
        format="~s" if metric.endswith("size") else ",.0f",
        tickCount=5,
        labelExpr="datum.label + '%'" if metric.endswith("percentage") else alt.Undefined,
    )
    base = alt.Chart(data).encode(
        x=alt.X("wave:O", sort=waves, scale=alt.Scale(domain=waves), title=None, axis=axis),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=domain, nice=False), axis=number),
        color=colour,
    )
    # A missing wave breaks the line; a point beside a gap would vanish without its dot.
    line = base.mark_line(
        strokeWidth=2, strokeJoin="round", invalid="break-paths-show-path-domains"
    )
    layers: list[Any] = [line, *_points(base, colours)]
    if bool(data["high"].notna().any()):
        layers.insert(0, _bands(base))
    if metric == "audience_index":
        layers.insert(0, reference(data, "label", "y", color=colours.mark, strokeDash=[3, 3]))
    if direct:
        layers.append(_names(data, waves, domain, colour, height))
    return alt.layer(*layers).properties(width=width, height=height)


def _points(base: Any, colours: Look) -> list[Any]:
    """A dot for each wave; one on a low base is hollow."""
    full = base.transform_filter("!datum.low_base").mark_point(filled=True, size=26, opacity=1)
    hollow = base.transform_filter("datum.low_base").mark_point(
        fill=colours.ground, size=30, strokeWidth=1.5, opacity=1
    )
    return [full, hollow]


def _bands(base: Any) -> Any:
    """What lies between the ends of the intervals, broken where a wave has none."""
    return base.mark_area(opacity=0.16, invalid="break-paths-show-path-domains").encode(
        y=alt.Y("low:Q", title=None), y2="high:Q"
    )


def _multiples(
    data: pd.DataFrame, waves: list[str], metric: str, colours: Look, width: int, height: int
) -> Any:
    """A small plot for each datapoint, a line in it for each audience."""
    data["series"] = data["audience"]
    labels = list(dict.fromkeys(data["label"]))
    columns = min(len(labels), _FACET_COLUMNS)
    # As wide together as one plot, so that the words above have their room.
    each = max(180, (width - _FACET_GAP * (columns - 1)) // columns)
    chart = _lines(data, waves, metric, colours, each, max(120, height // 2), direct=False)
    heads = alt.Header(labelLimit=each)
    facet = alt.Facet("label:N", sort=labels, title=None, header=heads)
    return chart.facet(facet=facet, columns=columns, spacing=_FACET_GAP)


def _domain(values: pd.Series[float], metric: str) -> list[float]:
    """From zero for shares and counts; an index is read against 100."""
    known: list[float] = values.dropna().tolist()
    if metric != "audience_index":
        high = max(known, default=0.0)
        return [0.0, high * 1.08 if high > 0 else 1.0]
    low, high = min([*known, 100.0]), max([*known, 100.0])
    room = max(5.0, 0.08 * (high - low))
    return [low - room, high + room]


def _names(
    data: pd.DataFrame, waves: list[str], domain: list[float], colour: Any, height: int
) -> Any:
    """The series' names beside the ends of their lines, pushed apart where they would overlap."""
    place = {wave: number for number, wave in enumerate(waves)}
    ends = data.dropna(subset=["value"]).groupby("series", sort=False).tail(1).copy()
    line = (domain[1] - domain[0]) * _LABEL_HEIGHT / height
    low, high = domain
    ends["at"] = side_by_side(ends["value"].tolist(), [line] * len(ends), (low, high))
    ends["last"] = waves[max(place[wave] for wave in ends["wave"])] if len(ends) else ""
    return (
        alt.Chart(ends)
        .mark_text(align="left", dx=9, baseline="middle", fontSize=13)
        .encode(x=alt.X("last:O", sort=waves), y="at:Q", text="series:N", color=colour)
    )
