"""Stacks: how the people of each audience, wave or segment divide over a question's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from audiencelab.analysis.disjointness import (
    OverlappingAnswers,
    answers_of,
    columns_of,
    require_disjoint,
)
from audiencelab.charts import wording
from audiencelab.charts.certainty import low_marks, low_note
from audiencelab.charts.drawing import Drawing, Words, finish, legend
from audiencelab.charts.figures import figures_of, group_labels
from audiencelab.charts.scales import read_scale, shades
from audiencelab.charts.theme import Look, Theme, look, readable_on
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import stats_frame

__all__ = ["stack"]

MOST_STACKS, MOST_ANSWERS = 60, 8
"""Stacks in one chart, and answers in one of them: there are no more colours."""

_STEP = 30
_ROOM = 40
"""Pixels that a figure needs inside its part."""

_TOTAL = 52
"""Pixels from the end of the stacks to the end of their totals."""


def stack(
    result: StatsData | GridData,
    *,
    disjoint: bool = False,
    theme: Theme = "light",
    width: int = 520,
) -> Drawing:
    """A stack of 100% for each audience, segment, wave or item, with a part for each answer.

    result: of a stats query about a question of one answer; or a grid, whose items are stacks and
        whose scale is their parts. What is missing to 100% gave none of the answers, and is left
        empty. Nets are left out: their answers are there already.
    disjoint: whether you know that nobody gives two of the answers, where figures cannot tell.
    theme: "light" or "dark". width: pixels of 100%.

    The points of a grid's scale, and answers that run from one attitude to its opposite (from agree
    to disagree, from better to worse), get the shades of a scale, and the two at its top are added
    up to the right of each stack. A stack on fewer than 100 respondents has a star, on fewer than
    30 two; a wave that was not asked has no parts.

    Raises `OverlappingAnswers`, a `ValueError`, where people gave several answers or where nothing
    tells that they could not; `TypeError` for anything but a stats result; and `ValueError` for
    more stacks or answers than a chart can hold.
    """
    given = result
    if isinstance(result, GridData):
        # On a scale there is one mark for each item.
        result, disjoint = by_item(result), True
    wording.check_result(result, StatsData, "give what client.stats(…) returned, no frame of it")
    wording.check_pixels(width=width)
    whole, result = result, _without_nets(result)
    asked = [column for column in columns_of(result) if column.waves]
    stacks, parts = len(columns_of(result)), len(result.datapoints)
    if parts > MOST_ANSWERS or stacks > MOST_STACKS:
        raise ValueError(
            f"{stacks:,} stacks of {parts:,} answers are too many "
            f"for one picture (at most {MOST_STACKS} of {MOST_ANSWERS}). Ask for fewer with "
            "datapoints=."
        )
    try:
        require_disjoint(result, asked, disjoint)
    except OverlappingAnswers as refused:
        raise OverlappingAnswers(f"{refused} charts.bar(…) draws them as they are.") from None
    colours, figures = look(theme), figures_of(result)
    answers = list(wording.distinct(result.datapoints, result.labels.datapoints).values())
    scale = read_scale(answers, known=isinstance(given, GridData))
    series = list(islice(cycle(colours.series), len(answers)))
    shading = dict(zip(answers, shades(scale, answers, colours) if scale else series, strict=True))
    data = _data(result, shading, colours, width)
    drawn = set(result.datapoints)
    placed = zip(_lines(given, whole), whole, strict=True)
    data["line"] = [line for line, row in placed if row.datapoint in drawn]
    order = list(dict.fromkeys(data["stack"]))
    top = scale.top if scale else ()
    smallest = min((column.sample for column in asked), default=None)
    said = [wording.METRIC_NAMES["audience_percentage"], wording.series_line(result)]
    if top:
        said.append(f"total: {' + '.join(top)}")
    subtitle = [" · ".join(filter(None, said)), figures.base_line(smallest)]
    subtitle += low_note(data["mark"])
    summary = f"stacks of {result.question}, {len(order):,} of {len(answers):,} answers"
    chart = _layers(data, order, shading, colours, width)
    if top:
        chart += _totals(data, top, order)
    words = Words(figures.title, subtitle, summary, width, left=order)
    return finish(chart, colours, words, of=given)


def _lines(given: StatsData | GridData, whole: StatsData) -> Sequence[int]:
    """Where each row stands in the frame of what was given."""
    if not isinstance(given, GridData):
        return range(len(whole))
    # There an item is the datapoint, and a point of the scale the segment.
    place: dict[tuple[str | None, ...], int] = {
        (row.segment, row.datapoint, row.audience): line for line, row in enumerate(given.table)
    }
    return [place[row.datapoint, row.segment, row.audience] for row in whole]


def _without_nets(result: StatsData) -> StatsData:
    answers = set(answers_of(result))
    return replace(result, rows=tuple(row for row in result.rows if row.datapoint in answers))


def _data(result: StatsData, shading: Mapping[str, str], colours: Look, width: int) -> pd.DataFrame:
    frame = stats_frame(result)
    answers = wording.distinct(result.datapoints, result.labels.datapoints)
    marks = low_marks("audience_percentage", frame)
    data = pd.DataFrame(
        {
            "answer": frame["datapoint"].map(answers),
            "share": frame["audience_percentage"],
            "mark": marks,
            "stack": group_labels(result),
        }
    )
    starred = data.groupby("stack", sort=False)["mark"].transform("max")
    data["stack"] = [
        f"{name} {mark}".rstrip() for name, mark in zip(data["stack"], starred, strict=True)
    ]
    ends = data["share"].fillna(0.0).groupby(data["stack"], sort=False).cumsum()
    data["start"], data["end"] = ends - data["share"], ends
    data["middle"] = (data["start"] + data["end"]) / 2
    fits = data["share"] * width / 100 >= _ROOM
    figures = [wording.format_value("audience_percentage", share) for share in data["share"]]
    data["text"] = np.where(fits, figures, "")
    data["ink"] = [readable_on(shading[answer], colours) for answer in data["answer"]]
    return data


def _layers(
    data: pd.DataFrame, order: list[str], shading: Mapping[str, str], colours: Look, width: int
) -> Any:
    answers = list(shading)
    colour = alt.Color(
        "answer:N",
        sort=answers,
        scale=alt.Scale(domain=answers, range=list(shading.values())),
        legend=legend(answers, columns=3),
    )
    lines = alt.Axis(labelFontSize=13)
    base = alt.Chart(data).encode(y=alt.Y("stack:N", sort=order, title=None, axis=lines))
    scale = alt.Scale(domain=[0, 100], nice=False)
    parts = base.mark_bar(stroke=colours.ground, strokeWidth=1).encode(
        x=alt.X("start:Q", title=None, scale=scale, axis=None), x2="end:Q", color=colour
    )
    # The colour of a figure is data already: it depends on the part that it stands on.
    figures = base.mark_text(baseline="middle").encode(
        x="middle:Q", text="text:N", color=alt.Color("ink:N", scale=None)
    )
    layered = alt.layer(parts, figures).resolve_scale(color="independent")
    return layered.properties(width=width, height=alt.Step(_STEP))


def _totals(data: pd.DataFrame, top: Sequence[str], order: list[str]) -> Any:
    """The share of the answers at the top of the scale, to the right of each stack."""
    parts = data[data["answer"].isin(top)].groupby("stack", sort=False)["share"]
    totals = parts.sum(min_count=len(top)).reset_index()
    shares = totals["share"]
    totals["text"] = [wording.format_value("audience_percentage", each) for each in shares]
    drawn = alt.Chart(totals).mark_text(
        align="right", baseline="middle", dx=_TOTAL, fontWeight="bold"
    )
    return drawn.encode(y=alt.Y("stack:N", sort=order), x=alt.datum(100), text="text:N")
