"""Stacked bars: how each audience, wave or segment divides over a question's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from audiencelab.analysis.disjointness import (
    OverlappingAnswers,
    answers_of,
    columns_of,
    require_disjoint,
)
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.labels import check_pixels, check_result, format_value, metric_words
from audiencelab.charts.renderer import Spec
from audiencelab.charts.sources import group_labels, stats_labels, stats_source
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.charts.uncertainty import low_marks, low_note, respondents
from audiencelab.charts.vega_lite import category_colors, field, layer, legend, scale, tooltip
from audiencelab.render.colours import readable_on, scale_colours, series_colours
from audiencelab.render.table_layout import with_base
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import stats_frame
from audiencelab.schema.scales import Scale
from audiencelab.wording import plural

MAX_STACKS, MAX_ANSWERS = 60, 8
"""Stacks in one chart, and answers in each: there are no more colours."""

_STEP = 30
_ROOM = 40
"""Pixels that a value needs inside its part."""

_TOTAL = 52
"""Pixels from the end of the stacks to the end of their totals."""

_SHARE = "column_percentage"


def stack(
    result: StatsData | GridData,
    *,
    disjoint: bool = False,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    width: int = 520,
) -> ChartSpecification:
    """A stack of 100% for each audience, segment, wave or item, with a part for each answer.

    result: of a stats query about a question of one answer; or a grid, whose items are stacks and
        whose scale is their parts. What is missing to 100% gave none of the answers, and is left
        empty. Nets are left out: their answers are there already.
    disjoint: whether you know that respondents give one answer at most, where figures cannot tell.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". width: pixels of 100%.

    The points of a grid's scale, and answers whose ends the survey states (`ends` in the codebook:
    from an attitude to its opposite, or from none to most), get the shades of a scale, and its top
    two, where its top is known, are added up to the right of each stack. A stack on fewer than 100
    respondents has a star, on fewer than 30 two; a wave that was not asked has no parts.

    Raises `OverlappingAnswers`, a `ValueError`, where respondents gave several answers or might
    have; `TypeError` for anything but a stats result; and `ValueError` for more stacks or answers
    than a chart can hold.

    >>> al.charts.stack(client.grid("Trust in sources"))
    <Chart: media.m21, 10 stacks of 5 answers>
    """
    given = result
    if isinstance(result, GridData):
        # Each respondent gives one point of the scale for an item.
        result, disjoint = by_item(result), True
    check_result(result, StatsData, "give what client.stats(…) returned, no frame of it")
    check_pixels(width=width)
    whole, result = result, _without_nets(result)
    columns = columns_of(result)
    asked = [column for column in columns if column.waves]
    _check_size(len(columns), len(result.datapoints))
    try:
        require_disjoint(result, asked, disjoint)
    except OverlappingAnswers as error:
        raise OverlappingAnswers(f"{error} charts.bar(…) draws them as they are.") from None
    colours, source = look(theme), stats_source(result)
    names = stats_labels(result)[0]
    steps = scale_in_shades(result, is_grid=isinstance(given, GridData))
    series = series_colours(len(names), colours)
    colors = scale_colours(steps, list(names), colours) if steps else series
    shading = dict(zip(names.values(), colors, strict=True))
    data = _data(result, shading, colours, width)
    drawn = set(result.datapoints)
    rows = zip(_lines(given, whole), whole, strict=True)
    data["line"] = [line for line, row in rows if row.datapoint in drawn]
    order = list(dict.fromkeys(data["stack"]))
    top = [names[each] for each in top_of(steps, list(names))] if steps else []
    smallest = min((column.sample for column in asked), default=None)
    said = [metric_words(source.stats, _SHARE), *source.all_facts()]
    if top:
        said.append(f"total: {' + '.join(top)}")
    subtitle = [" · ".join(said), source.base_line(smallest), *low_note(data["mark"])]
    parts = f"{plural(len(order), 'stack')} of {plural(len(names), 'answer')}"
    summary = f"{result.question}, {parts}"
    captions = Captions(source.title, subtitle, summary, width, left=order).chosen(title, base=base)
    return finish(
        _spec(data, order, shading, top, colours, width),
        colours,
        captions,
        of=given,
    )


def _check_size(stacks: int, parts: int) -> None:
    if parts > MAX_ANSWERS or stacks > MAX_STACKS:
        raise ValueError(
            f"{stacks:,} stacks of {parts:,} answers are too many for one chart (at most "
            f"{MAX_STACKS} of {MAX_ANSWERS}). Ask for fewer with datapoints=."
        )


def _lines(given: StatsData | GridData, whole: StatsData) -> Sequence[int]:
    if not isinstance(given, GridData):
        return range(len(whole))
    # There an item is the datapoint, and a point of the scale the segment.
    numbers: dict[tuple[str | None, ...], int] = {
        (row.segment, row.datapoint, row.audience): line for line, row in enumerate(given.table)
    }
    return [numbers[row.datapoint, row.segment, row.audience] for row in whole]


def _without_nets(result: StatsData) -> StatsData:
    answers = set(answers_of(result))
    return replace(result, rows=tuple(row for row in result.rows if row.datapoint in answers))


def _data(result: StatsData, shading: Mapping[str, str], colours: Look, width: int) -> pd.DataFrame:
    frame = stats_frame(result)
    data = pd.DataFrame(
        {
            "answer": frame["datapoint"].map(stats_labels(result)[0]),
            "share": frame[_SHARE],
            "mark": low_marks(_SHARE, frame),
            "n": respondents(_SHARE, frame),
            "stack": group_labels(result),
        }
    )
    if result.who.valid and data.groupby("stack", sort=False)["n"].first().nunique() > 1:
        data["stack"] = list(map(with_base, data["stack"], data["n"]))
    # Text in order is "", "*", "**": the last is the worst.
    starred = data.groupby("stack", sort=False)["mark"].transform("max")
    data["stack"] = [
        f"{name} {mark}".rstrip() for name, mark in zip(data["stack"], starred, strict=True)
    ]
    # A missing part takes no space, and NaN would end the sum.
    ends = data["share"].fillna(0.0).groupby(data["stack"], sort=False).cumsum()
    data["start"], data["end"] = ends - data["share"], ends
    data["middle"] = (data["start"] + data["end"]) / 2
    fits = data["share"] * width / 100 >= _ROOM
    data["text"] = np.where(fits, [format_value(_SHARE, each) for each in data["share"]], "")
    data["ink"] = [readable_on(shading[answer], colours) for answer in data["answer"]]
    return data


def _spec(
    data: pd.DataFrame,
    order: list[str],
    shading: Mapping[str, str],
    top: Sequence[str],
    colours: Look,
    width: int,
) -> Spec:
    answers = list(shading)
    key = legend(answers, columns=3)
    colour = category_colors("answer", answers, list(shading.values()), key)
    y = field("stack:N", sort=order, title=None, axis={"labelFontSize": 13})
    x = field("start:Q", title=None, scale=scale(0, 100), axis=None)
    parts = {"y": y, "x": x, "x2": "end", "color": colour}
    tips = {"tooltip": tooltip("answer", "stack", "share")}
    # The colour of a value is data: it depends on the part behind it.
    values = {"y": y, "x": "middle:Q", "text": "text:N", "color": field("ink:N", scale=None)}
    layers = [
        layer("bar", {**parts, **tips}, stroke=colours.ground, strokeWidth=1),
        layer("text", values, baseline="middle"),
    ]
    if top:
        end = {"y": field("stack:N", sort=order), "x": {"datum": 100}, "text": "text:N"}
        style: Spec = {"align": "right", "baseline": "middle", "dx": _TOTAL, "fontWeight": "bold"}
        layers.append(layer("text", end, data=_totals(data, top), **style))
    # Parts have colours by answer, and values a colour that is data.
    independent = {"scale": {"color": "independent"}}
    size = {"width": width, "height": {"step": _STEP}}
    return {"data": data, "layer": layers, "resolve": independent, **size}


def _totals(data: pd.DataFrame, top: Sequence[str]) -> pd.DataFrame:
    parts = data[data["answer"].isin(top)].groupby("stack", sort=False)["share"]
    # No total where one of its parts is missing.
    totals = parts.sum(min_count=len(top)).reset_index()
    totals["text"] = [format_value(_SHARE, each) for each in totals["share"]]
    return totals


# -- ordered scales -------------------------------------------------------------------------------

_FEWEST = 3
"""Points from which an order is visible."""

_FEWEST_OF_TOTALS = 4
"""Points from which the top two are informative: of three they are nearly everyone."""


def scale_in_shades(result: StatsData, *, is_grid: bool) -> Scale | None:
    """The scale whose points are shaded in order; None where the answers are categories.

    is_grid: whether the answers are the points of a grid's scale, which has an order in any case.
    """
    found = result.labels.scale
    if found is None:
        found = Scale(result.datapoints, None, frozenset()) if is_grid else None
    if found is None or len(found.points) < _FEWEST or not (is_grid or found.ends):
        return None
    return None if found.off.union(found.points).isdisjoint(result.datapoints) else found


def top_of(scale: Scale, answers: Sequence[str]) -> list[str]:
    """The codes of the top two points, in the order of `answers`; none where no top is known."""
    if scale.rising is None or len(scale.points) < _FEWEST_OF_TOTALS:
        return []
    top = scale.rising[-2:]
    return [each for each in answers if each in top] if set(top) <= set(answers) else []
