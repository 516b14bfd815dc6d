"""Trends: one metric over the waves, with a gap where a question was not asked or changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.method_note import percent_words
from audiencelab.analysis.moving_averages import (
    MovingAverageData,
    breaks_of_window,
    moving_average,
)
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.label_placement import spread_out
from audiencelab.charts.labels import check_choice, check_limit, check_pixels, metric_words
from audiencelab.charts.renderer import Spec
from audiencelab.charts.sources import Drawable, stats_labels, stats_source
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.charts.uncertainty import (
    Intervals,
    level_of,
    low_marks,
    respondents,
    whiskers,
)
from audiencelab.charts.vega_lite import (
    category_colors,
    field,
    layer,
    legend,
    reference,
    scale,
    tooltip,
)
from audiencelab.expressions.codes import WAVES
from audiencelab.render.colours import series_colours
from audiencelab.results.metric_names import own_name
from audiencelab.results.stats import STATS_FIGURES, StatsData
from audiencelab.results.to_pandas import stats_frame
from audiencelab.wording import plural

_LABEL_HEIGHT = 16
_FACET_COLUMNS, _FACET_GAP = 3, 20
_OF_WINDOWS = ("column_percentage", "size", "sample")
# Vega-Lite's name for lines and areas that break at invalid values.
_BREAK = "break-paths-show-path-domains"


def trend(
    result: Drawable | MovingAverageData,
    metric: str = "column",
    *,
    most: int = 8,
    intervals: Intervals | None = None,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    width: int = 560,
    height: int = 300,
) -> ChartSpecification:
    """A line for each datapoint, or for each audience of one datapoint; small multiples for both.

    result: of a stats query with `splitter="waves"`, or of the calculation of such a chart: then
        the lines are the chart's attributes; or a moving average, whose windows are at their last
        wave, with the waves themselves as faint points.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of the ten;
        with "index" a rule marks 100. A moving average has "column", "size" and "sample".
    most: datapoints drawn, the largest in the last wave (of any audience) first; the subtitle says
        if some are not.
    intervals: True draws a band over the confidence intervals of each percentage or index, at 95%
        or at the given level, such as 0.9. By default those of a moving average are drawn, at its
        own level, and no others.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". width, height: pixels of the plot.

    A wave without coverage is a gap, never a zero, in the band too, and a line is interrupted where
    the question changed. A point on fewer than 100 respondents is hollow. Raises `TypeError` for
    anything else, and `ValueError` for an unknown metric, for intervals of a metric that has none,
    and for a result not split by waves.

    >>> al.charts.trend(client.stats("Gender", splitter="waves"))
    <Chart: trend of column_percentage, q2 over 12 waves>
    """
    averages = result if isinstance(result, MovingAverageData) else None
    source = stats_source(result.table if isinstance(result, MovingAverageData) else result)
    stats = source.stats
    metric = own_name(stats, metric)
    check_choice("metric", metric, STATS_FIGURES if averages is None else _OF_WINDOWS)
    if stats.splitter != WAVES:
        raise ValueError(
            "A trend needs a result by waves: client.stats(…, splitter='waves'), or a chart with "
            "this splitter."
        )
    check_limit(most, "most (datapoints)")
    check_pixels(width=width, height=height)
    colours = look(theme)
    drawn = _of_waves(stats, metric, intervals) if averages is None else None
    drawn = drawn or _of_windows(cast(MovingAverageData, averages), metric, intervals)
    data, known, unknown = _data(stats, drawn, metric, most)
    data["line"] = [source.lines[row] for row in data.index]
    waves = list(stats_labels(stats)[1].values())
    by_audience, datapoints = len(stats.audiences) > 1, data["label"].nunique()
    data["series"] = data["audience"] if by_audience else data["label"]
    if drawn.single is not None:
        data["single"] = drawn.single[data.index]
    plot = _Plot(waves, metric, colours)
    if by_audience and datapoints > 1:
        spec = _multiples(data, plot, width, height)
    else:
        spec = {"data": data, **_lines(data, plot, width, height, direct=True)}
    said = [metric_words(stats, metric), *source.all_facts(), *drawn.facts]
    if by_audience and datapoints == 1:
        said.append(data["label"].iloc[0])
    if known > most:
        said.append(f"the {most} largest of {plural(known, 'datapoint')}")
    if unknown:
        said.append(f"{unknown:,} of {plural(known + unknown, 'datapoint')} without figures")
    sample = drawn.frame["column_sample"]
    smallest = sample[sample > 0].min() if (sample > 0).any() else None
    subtitle = [" · ".join(said), source.base_line(smallest)]
    if bool(data["low_base"].any()):
        subtitle.append("Hollow points: fewer than 100 respondents in the denominator")
    what = "trend" if averages is None else "moving average"
    summary = f"{what} of {metric}, {stats.question} over {plural(len(waves), 'wave')}"
    names = data["series"].astype(str).unique()
    captions = Captions(source.title, subtitle, summary, width, right=names).chosen(
        title, base=base
    )
    return finish(spec, colours, captions, of=result)


class _Drawn(NamedTuple):
    """The values of the lines, with `low` and `high`, in the order of the result's own frame.

    facts: what they are. single: values of single waves, for points behind the lines. across:
    whether lines go on where the question changed.
    """

    frame: pd.DataFrame
    facts: Sequence[str]
    single: NDArray[np.float64] | None = None
    across: bool = False


class _Plot(NamedTuple):
    """What the plots of small multiples have in common."""

    waves: list[str]
    metric: str
    colours: Look


def _of_waves(stats: StatsData, metric: str, intervals: Intervals | None) -> _Drawn:
    level = level_of(intervals or False, metric)
    frame, words = whiskers(stats, metric, level)
    return _Drawn(frame, () if level is None else (f"bands: {words}",))


def _of_windows(averages: MovingAverageData, metric: str, intervals: Intervals | None) -> _Drawn:
    facts = [f"average of {averages.waves} waves up to each, points: single waves"]
    facts += ["also across breaks"] if averages.across_breaks else []
    ends: dict[str, Any] = {"low": np.nan, "high": np.nan}
    if intervals is None:
        intervals = averages.level if metric == "column_percentage" else False
    if (level := level_of(intervals, metric)) is not None:
        if level != averages.level:
            given = averages.table, averages.waves, level
            averages = moving_average(
                MovingAverageData, *given, across_breaks=averages.across_breaks
            )
        ends = {end: averages.frame[f"{metric}_{end}"] for end in ends}
        facts.append(f"bands: {percent_words(level)} intervals")
    single = stats_frame(averages.table)[metric].to_numpy(np.float64)
    return _Drawn(averages.frame.assign(**ends), facts, single, averages.across_breaks)


def _data(stats: StatsData, drawn: _Drawn, metric: str, most: int) -> tuple[pd.DataFrame, int, int]:
    frame = drawn.frame
    datapoints, waves, audiences = stats_labels(stats)
    parts = _parts(stats)
    of = frame["audience"] if audiences else [None] * len(frame)
    data = pd.DataFrame(
        {
            "label": frame["datapoint"].map(datapoints),
            "audience": frame["audience"].map(audiences) if audiences else "",
            "wave": frame["segment"].map(waves),
            "value": frame[metric],
            "low": frame["low"],
            "high": frame["high"],
            "low_base": low_marks(metric, frame) != "",
            "n": respondents(metric, frame),
        }
    )
    if any(parts.values()) and not drawn.across:
        data["part"] = [parts[each] for each in zip(of, frame["segment"], strict=True)]
    lines = data.dropna(subset=["value"]).groupby(["label", "audience"], sort=False)
    last = lines["value"].last().groupby("label", sort=False).max()
    largest = last.sort_values(ascending=False, kind="stable").index[:most]
    shown = data[data["label"].isin(largest)].copy()
    return shown, len(last), data["label"].nunique() - len(last)


def _parts(stats: StatsData) -> dict[tuple[str | None, str], int]:
    """For each audience and wave, how many breaks there were since the first wave."""
    waves = stats.segments
    audiences: list[str | None] = [each.id for each in stats.audiences] or [None]
    return {
        (audience, wave): len(breaks_of_window(stats, audience, waves[0], wave))
        for audience in audiences
        for wave in waves
    }


def _lines(data: pd.DataFrame, plot: _Plot, width: int, height: int, *, direct: bool) -> Spec:
    """Lines with a point for each wave; direct: the names beside them, in place of a legend."""
    waves, metric, colours = plot
    series = list(dict.fromkeys(data["series"]))
    shades = series_colours(len(series), colours)
    key = None if direct else legend(series, symbolOpacity=1)
    colour = category_colors("series", series, shades, key)
    numbers = [data[name] for name in ("value", "low", "high", "single") if name in data]
    low, high = _domain(pd.concat(numbers), metric)
    axis = {"labelAngle": 0, "labelOverlap": "parity", "labelSeparation": 10}
    axis |= {"labelFontSize": 12, "grid": False}
    number: Spec = {"format": "~s" if metric.endswith("size") else ",.0f", "tickCount": 5}
    if metric.endswith("percentage"):
        number["labelExpr"] = "datum.label + '%'"
    encoding: dict[str, Any] = {
        "x": field("wave:O", sort=waves, scale={"domain": waves}, title=None, axis=axis),
        "y": field("value:Q", title=None, scale=scale(low, high), axis=number),
        "color": colour,
    }
    # Lines are joined within a part only.
    joined = encoding | ({"detail": "part:N"} if "part" in data else {})
    layers: list[Spec] = []
    if "single" in data:
        style: Spec = {"filled": True, "size": 16, "opacity": 0.4}
        layers.append(layer("point", encoding | {"y": field("single:Q", title=None)}, **style))
    if metric == "index":
        layers.append(reference("label", "y", color=colours.mark, strokeDash=[3, 3]))
    if bool(data["high"].notna().any()):
        band = joined | {"y": field("low:Q", title=None), "y2": "high"}
        layers.append(layer("area", band, opacity=0.16, invalid=_BREAK))
    # A point beside a gap would vanish without its dot; one on a low base is hollow.
    full: Spec = {"filled": True, "size": 26, "opacity": 1}
    hollow: Spec = {"fill": colours.ground, "size": 30, "strokeWidth": 1.5, "opacity": 1}
    pointed = encoding | {"tooltip": tooltip("series", "wave", "value")}
    layers += [
        layer("line", joined, strokeWidth=2, strokeJoin="round", invalid=_BREAK),
        layer("point", pointed, where="!datum.low_base", **full),
        layer("point", pointed, where="datum.low_base", **hollow),
    ]
    if direct:
        ends = _ends(data, waves, (low, high), height)
        x = field("last:O", sort=waves)
        names = {"x": x, "y": "at:Q", "text": "series:N", "color": colour}
        named: Spec = {"align": "left", "dx": 9, "baseline": "middle", "fontSize": 13}
        layers.append(layer("text", names, data=ends, **named))
    return {"layer": layers, "width": width, "height": height}


def _multiples(data: pd.DataFrame, plot: _Plot, width: int, height: int) -> Spec:
    labels = list(dict.fromkeys(data["label"]))
    columns = min(len(labels), _FACET_COLUMNS)
    # Together as wide as one plot, so that the title has enough space.
    each = max(180, (width - _FACET_GAP * (columns - 1)) // columns)
    small = _lines(data, plot, each, max(120, height // 2), direct=False)
    facet = field("label:N", sort=labels, title=None, header={"labelLimit": each})
    return {"data": data, "facet": facet, "columns": columns, "spacing": _FACET_GAP, "spec": small}


def _domain(values: pd.Series[float], metric: str) -> tuple[float, float]:
    """From zero for shares and counts; an index is read against 100."""
    known: list[float] = values.dropna().tolist()
    if metric != "index":
        high = max(known, default=0.0)
        return 0.0, high * 1.08 if high > 0 else 1.0
    low, high = min([*known, 100.0]), max([*known, 100.0])
    room = max(5.0, 0.08 * (high - low))
    return low - room, high + room


def _ends(
    data: pd.DataFrame, waves: list[str], domain: tuple[float, float], height: int
) -> pd.DataFrame:
    """The ends of the lines, with `at` for their names, moved apart where they would overlap."""
    ends = data.dropna(subset=["value"]).groupby("series", sort=False).tail(1).copy()
    # The height of a name in units of the axis.
    line = (domain[1] - domain[0]) * _LABEL_HEIGHT / height
    ends["at"] = spread_out(ends["value"].tolist(), [line] * len(ends), domain)
    # All names are in one column, at the last wave that a line reaches.
    ends["last"] = max(ends["wave"], key=waves.index, default="")
    return ends
