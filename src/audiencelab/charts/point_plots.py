"""Means, medians and scores as points with their intervals, each on an axis of its own unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd

from audiencelab.analysis.chart_plan import ChartPlan
from audiencelab.charts.arranging import arranged_result
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import Side, Values, statistic_values, with_marks
from audiencelab.charts.key import above
from audiencelab.charts.labels import check_result, check_width, value_labels
from audiencelab.charts.layout import NAMES, PADDING, ends_with_room, grid, side_by_side
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.panels import Panels, told_apart, with_rows
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import SIZE, SMALL, Look, Theme
from audiencelab.charts.ticks import Ticks, ticks_between
from audiencelab.charts.uncertainty import Intervals, hollow_note, level_of
from audiencelab.charts.vega_lite import category_colors, field, layer, scale, tooltip
from audiencelab.charts.wrapping import text_width
from audiencelab.keywords import keywords
from audiencelab.render.colours import series_colours
from audiencelab.results.arrangement import (
    AS_IT_IS,
    ArrangementOptions,
    TableArrangement,
)
from audiencelab.results.banner import table_title
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import TESTED, Statistic
from audiencelab.wording import plural

_ROW, _LANE = 26.0, 15.0
"""Pixels of a row, and of each point in it."""

_AFTER = 8.0
"""Pixels from the end of an interval to its value."""

_LEAST_PLOT = 150.0
"""Pixels of a plot of several side by side."""

_BELOW = 22.0
"""Pixels that the labels of an axis take below a plot."""

MAX_POINTS = 300

_NPS = (-100.0, 100.0)

_MANY_POINTS = 11
"""Points of a scale from which not each has a tick."""

_LEAST_SPAN = 0.25
"""How long an axis is at least relative to its middle, so that small differences look small."""

_EXAMPLE = 'client.crosstab([client["Age"].mean()], "Gender")'


@keywords(ArrangementOptions, AS_IT_IS)
def points(
    result: CrosstabData,
    *,
    intervals: Intervals = True,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    labels: bool = True,
    width: int | None = None,
    **arrangement: Unpack[ArrangementOptions],
) -> ChartSpecification:
    """A point for each mean, median, score or sum of a table, with a line over its interval.

    Statistics of one unit, such as the items of a grid, share an axis, with a point for each
    column; others have a plot each, with a row for each column. A net promoter score is between
    -100 and 100, and the mean of a scale of words between its ends; other axes need not begin at
    zero.

    result: a crosstab with rows of statistics; its shares are left out.
    intervals: False for none, or the confidence level, such as 0.9, by default 0.95; they account
        for the survey's design as the table's do. Standard deviations have none.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". labels: whether values are written. width: pixels of the chart, by
        default 640, and 860 with four plots or more.
    arrangement: `sort`, `top`, `rename`, `decimals`, `hide_under` and `stars`, as for tables
        (`ArrangementOptions`).

    A point that rests on fewer than 100 respondents is hollow. Raises `TypeError` for anything
    else, and `ValueError` for a table without statistics.

    >>> al.charts.points(client.crosstab([client["Age"].mean()], "Gender"))
    <Chart: points of 1 statistic, 3 columns>
    """
    check_result(result, CrosstabData, "give what client.crosstab(…) returned, no frame of it")
    if result.statistics is None:
        raise ValueError(
            "The table is not valid for this chart: it has shares and no statistics. Take "
            f"table.chart.dots(), or ask for statistics: {_EXAMPLE}."
        )
    how = TableArrangement(**arrangement)
    drawn = arranged_result(result, TESTED[0], how)
    options = ChartOptions(title, base, theme, labels=labels, width=width, how=how)
    made = point_plot(drawn.result, drawn.plan("points"), options, intervals=intervals)
    return drawn.drawn(made)


def point_plot(
    result: CrosstabData,
    plan: ChartPlan,
    options: ChartOptions,
    *,
    intervals: Intervals = True,
) -> ChartSpecification:
    """The points of a plan; `points` describes the options."""
    assert result.statistics is not None
    colours = options.look
    level = level_of(intervals, TESTED[0])
    values = with_marks(statistic_values(result, level), TESTED[0], options.how)
    data = values.data.assign(text=_texts(values) if options.labels else "")
    drawn = [_Drawn(*each) for each in _drawn(values, data, plan)]
    _check_size(sum(len(each.data) for each in drawn))
    pixels = check_width(options.width, len(drawn))
    kinds = dict.fromkeys(values.kinds)
    directions = {each.direction for each in result.statistics.rows}
    said = [" and ".join(map(_word, kinds)), *values.facts]
    said += directions if len(directions) == 1 and all(directions) else []
    if bool(data["high"].notna().any()):
        said.append(f"lines: {values.intervals}")
    subtitle = [" · ".join(said), plan.note]
    subtitle = [*filter(None, subtitle), values.base_line]
    subtitle += hollow_note("points", data["mark"], options.how)
    statistics = result.statistics.rows
    summary = (
        f"points of {plural(len(statistics), 'statistic')}, {plural(len(result.columns), 'column')}"
    )
    captions = Captions(_title(result, values), subtitle, summary, pixels, whole=pixels, rows=())
    spec = _specification(drawn, statistics, colours, pixels)
    return finish(spec, colours, captions.by(options), of=result)


def _title(result: CrosstabData, values: Values) -> str:
    """The question of statistics that are all of one, or what the statistics are of."""
    assert result.statistics is not None
    questions = {row.question for row in result.statistics.rows}
    names = [result.who.name(code) for code in questions] if len(questions) == 1 else []
    rows = [(name,) for name in names or _without_kind(values)]
    return table_title(rows, values.columns.groups)


def _word(kind: str) -> str:
    return "NPS" if kind == "nps" else kind.capitalize()


def _texts(values: Values) -> list[str]:
    kinds = values.data["row"].map(dict(enumerate(values.kinds)))
    rows = zip(kinds, values.data["value"], values.data["mark"], strict=True)
    return [value_labels(kind, [value], [mark], values.how)[0] for kind, value, mark in rows]


def _check_size(points: int) -> None:
    if points > MAX_POINTS:
        raise ValueError(
            f"{points:,} points are too many for one chart (at most {MAX_POINTS}). Ask for fewer "
            "rows or columns."
        )


# -- plots ----------------------------------------------------------------------------------------


class _Drawn(NamedTuple):
    """One plot: its heading, its points with `label` and `group`, series, rows and statistics.

    in_order: whether the series are points of a scale.
    """

    heading: str
    data: pd.DataFrame
    series: list[str]
    rows: Panels
    statistics: list[int]
    in_order: bool


def _drawn(values: Values, data: pd.DataFrame, plan: ChartPlan) -> list[_Drawn]:
    """The plots of a plan: columns as rows where it is turned, else statistics."""
    found: list[_Drawn] = []
    for panel in plan.panels:
        columns = panel.columns or tuple(range(len(values.columns.labels)))
        inside = data[data["row"].isin(panel.rows) & data["column"].isin(columns)]
        if plan.turned:
            rows = with_rows([], values.columns, columns)
            label = inside["column"].map(dict(enumerate(values.columns.labels)))
            inside = inside.assign(label=label, group="")
            series = [""]
        else:
            names = _without_kind(values)
            rows = with_rows([], Side(values.rows.labels, names, [()] * len(names)), panel.rows)
            named = dict(zip(columns, told_apart(values.columns, columns), strict=True))
            inside = inside.assign(group=inside["column"].map(named))
            series = [*named.values()]
        heading = panel.name if len(plan.panels) > 1 else ""
        if plan.turned and heading:
            heading = _without_kind(values)[panel.rows[0]]
        found.append(_Drawn(heading, inside, series, rows, [*panel.rows], panel.in_order))
    return found


def _without_kind(values: Values) -> list[str]:
    """The names of the statistics, without their kind where all are of one."""
    parts = [name.rpartition(": ") for name in values.rows.names]
    is_said = len({*values.kinds}) == 1 and len({last for *_, last in parts}) == 1
    return [first for first, *_ in parts] if is_said and all(parts[0]) else values.rows.names


def _specification(
    drawn: Sequence[_Drawn], statistics: Sequence[Statistic], colours: Look, pixels: float
) -> Spec:
    inner = pixels - 2 * PADDING
    several = max(len(each.series) for each in drawn)
    share = NAMES if len(drawn) < 2 else 0.8 * NAMES
    names = drawn[0].rows.names(share * inner, SIZE, 3)
    row = max(_ROW, names.height + 4, several * _LANE + (several > 1) * _LANE)
    gap = _LANE / row if several > 1 else 0.0
    parts = grid(len(drawn), inner - names.pixels, _LEAST_PLOT)
    # Plots of the same statistics have one axis.
    units = [each.statistics for each in drawn]
    axes = [
        _axis(
            pd.concat([other.data for other in drawn if other.statistics == unit]),
            [statistics[at] for at in unit],
            parts.plot,
        )
        for unit in units
    ]
    first = drawn[0].series
    common = (
        first if len(drawn) > 1 < several and len({tuple(e.series) for e in drawn}) == 1 else []
    )
    views: list[Spec] = []
    heads = 0.0
    for at, (each, axis) in enumerate(zip(drawn, axes, strict=True)):
        order = each.rows.rows
        y = field(
            "label:N",
            sort=order,
            title=None,
            axis=names.axis(row) if at % parts.columns == 0 else None,
            scale={"domain": order, "paddingInner": gap, "paddingOuter": gap / 2},
        )
        colour = _colour(each, colours)
        alone = len(drawn) == 1
        key = [] if common or len(each.series) < 2 else each.series
        top = above(
            each.heading,
            key,
            colour,
            pixels=inner if alone else parts.plot,
            left=-names.pixels if alone else 0.0,
            symbol="circle",
        )
        heads = max(heads, top.height)
        layers = _layers(each, axis, y, colour, colours)
        size = {"width": round(parts.plot, 1), "height": round(row * len(order), 1)}
        data = _with_ends(each.data, axis)[_DATA]
        views.append({"data": data, "layer": [*layers, *top.layers], **size})
    if common:
        colour, left = _colour(drawn[0], colours), -names.pixels
        shared = above("", common, colour, pixels=inner, left=left, over=heads, symbol="circle")
        views[0]["layer"] += shared.layers
    spec = side_by_side(views, parts.columns, heads)
    if len(views) > 1:
        spec["spacing"]["row"] += _BELOW
    return spec


_DATA = ["label", "group", "value", "low", "high", "mark", "n", "line", "text", "under", "end"]


def _with_ends(data: pd.DataFrame, axis: _Axis) -> pd.DataFrame:
    """The points with the ends of their intervals, where values are written.

    Below a rule that is at the left one, so that no value is on the rule.
    """
    low, high = (data[name].fillna(data["value"]) for name in ("low", "high"))
    under = data["value"] < (axis.ends[0] if axis.rule is None else axis.rule)
    return data.assign(under=under, end=low.where(under, high))


def _colour(drawn: _Drawn, colours: Look) -> Spec:
    series = drawn.series
    shades = series_colours(len(series), colours, in_order=drawn.in_order and len(series) > 1)
    return category_colors("group", series, shades, None)


class _Axis(NamedTuple):
    """The ends of an axis in its unit, its ticks, and where a rule is; None for none."""

    ends: tuple[float, float]
    ticks: Ticks
    rule: float | None


def _axis(data: pd.DataFrame, statistics: Sequence[Statistic], plot: float) -> _Axis:
    """An axis that is long enough for the values at the ends of intervals.

    It has the ends of a net promoter score, or of a scale of words, where these are known.
    """
    low, high = (data[name].fillna(data["value"]) for name in ("low", "high"))
    kind = statistics[0].kind
    wide = np.array([_AFTER + text_width(text, SMALL) for text in data["text"]])
    under = ((data["value"] < 0) & (kind == "nps")).to_numpy()
    before, after = np.where(under, wide, SMALL / 2), np.where(under, SMALL / 2, wide)
    ends = ends_with_room(low, high, before, after, plot)
    fixed = _fixed(statistics)
    if fixed is not None:
        ends = min(ends[0], fixed[0]), max(ends[1], fixed[1])
    elif (short := _LEAST_SPAN * abs(sum(ends)) / 2 - (ends[1] - ends[0])) > 0:
        ends = ends[0] - short / 2, ends[1] + short / 2
    most = max(4, min(6, int(plot // 70)))
    of_words = fixed is not None and kind != "nps"
    amounts = sorted({amount for each in statistics for _, amount in each.amounts})
    if of_words and len(amounts) <= _MANY_POINTS:
        ticks = Ticks(amounts, [f"{each:g}" for each in amounts])
    else:
        ticks = ticks_between(*(fixed or ends), kind, most)
    return _Axis(ends, ticks, 0.0 if kind == "nps" else None)


def _fixed(statistics: Sequence[Statistic]) -> tuple[float, float] | None:
    """The ends that values of these statistics have at most, where these are known."""
    if all(each.kind == "nps" for each in statistics):
        return _NPS
    of_words = all(each.direction and each.kind in ("mean", "percentile") for each in statistics)
    amounts = [amount for each in statistics for _, amount in each.amounts]
    return (min(amounts), max(amounts)) if of_words and amounts else None


def _layers(drawn: _Drawn, axis: _Axis, y: Spec, colour: Spec, colours: Look) -> list[Spec]:
    place: Spec = {"y": y}
    if len(drawn.series) > 1:
        place["yOffset"] = field("group:N", sort=drawn.series, scale={"domain": drawn.series})
    lines: Spec = {
        **axis.ticks.axis(),
        "labelFontSize": SMALL,
        "labelColor": colours.quiet,
        "grid": True,
        "labelFlush": True,
    }

    def at(name: str) -> Spec:
        return field(f"{name}:Q", title=None, axis=lines, scale=scale(*axis.ends, zero=False))

    layers: list[Spec] = []
    if axis.rule is not None:
        rule = pd.DataFrame({"at": [axis.rule]})
        layers.append(layer("rule", {"x": at("at")}, data=rule, color=colours.mark, strokeWidth=1))
    known = "isValid(datum.low) && isValid(datum.high)"
    span = {**place, "x": at("low"), "x2": "high", "color": colour}
    layers.append(layer("rule", span, where=known, strokeWidth=1.8))
    pointed = {**place, "x": at("value"), "color": colour}
    pointed["tooltip"] = tooltip("label", "group", "value")
    full: Spec = {"filled": True, "size": 64, "opacity": 1}
    hollow: Spec = {"fill": colours.ground, "size": 54, "strokeWidth": 2, "opacity": 1}
    layers += [
        layer("point", pointed, where=test, **style)
        for test, style in (("datum.mark === ''", full), ("datum.mark !== ''", hollow))
    ]
    written = {**place, "x": at("end"), "text": "text:N"}
    text: Spec = {"baseline": "middle", "fontSize": SMALL}
    layers += [
        layer("text", written, where=test, align=align, dx=dx, **text)
        for test, align, dx in (("!datum.under", "left", _AFTER), ("datum.under", "right", -_AFTER))
    ]
    return layers
