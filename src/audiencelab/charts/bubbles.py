"""Bubbles: what is both large and distinctive in an audience, at one glance.

Across, the share of the audience; upwards, its index on a logarithmic scale, on which twice as
likely lies as far above 100 as half as likely below; the area is people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.charts import wording
from audiencelab.charts.certainty import low_marks, low_note
from audiencelab.charts.drawing import Drawing, Words, finish
from audiencelab.charts.placing import Plane, Spot, names_beside, short_names, written
from audiencelab.charts.tables import (
    column_labels,
    column_place,
    lines_of,
    row_labels,
    table_of,
    whom,
)
from audiencelab.charts.theme import SMALL, Look, Theme, look
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.profile import ProfileData
from audiencelab.wording import plural

__all__ = ["bubble"]

Floats = NDArray[np.float64]

MOST_BUBBLES = 300
"""Bubbles in one picture; of more, the largest would hide the rest."""

_LARGEST, _SMALLEST = 22.0, 3.0
_MANY = 12
"""Radii in pixels; of more bubbles than this the largest is smaller, so that all fill as much."""

_LEAST_SIDE = 100
"""Pixels of the plot; of fewer there would be none left between the bubbles at its edges."""

_PALE, _FULL = 0.3, 0.6
_LEAST_REACH = 1.25
"""The index runs at least from 100 ÷ this to 100 × this: a little must not look like much."""

_TICKS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 125, 150, 200, 300, 400, 500, 700, 1000)


def bubble(
    table: CrosstabData | ProfileData,
    column: str | None = None,
    *,
    limit: int = 40,
    theme: Theme = "light",
    width: int = 620,
    height: int = 440,
) -> Drawing:
    """A bubble for each row of a crosstab: its share of a column, and its index there.

    table: a crosstab, or a profile, of which answers are left out that fewer than 30 respondents
        of the base gave, and the questions that the audience is defined by.
    column: the audience to draw, by name or id; may be left out where the table has one column.
    limit: rows drawn at most, those with the most people in both first; the subtitle says how
        many there are. What has no room for its name has none.
    theme: "light" or "dark". width, height: pixels of the plot.

    Right is common, high is distinctive; the area is the people who are in row and column. Rows
    without an index, or of nobody in the column, are left out, and the subtitle counts them. A
    column of fewer than 100 respondents makes pale bubbles with a star, of fewer than 30 with two.
    Raises `TypeError` for anything but these two, and `ValueError` for a column that is not there,
    or is not named where there are several, for a limit under 1 or over 300, and for fewer than 100
    pixels.
    """
    table = table_of(table)
    if not (wording.is_whole(limit) and 1 <= limit <= MOST_BUBBLES):
        raise ValueError(
            f"The limit is how many rows to draw, at least 1 and at most {MOST_BUBBLES}, not "
            f"{limit!r}."
        )
    wording.check_pixels(_LEAST_SIDE, width=width, height=height)
    place = column_place(table, column)
    colours, every = look(theme), _data(table, place)
    data = _drawn(every, limit)
    name = column_labels(table)[place]
    plane = _plane(data, width, height)
    spots = _spots(data, plane)
    subtitle = [
        " · ".join(_said(spots, len(every), table.shape[0])),
        whom(table),
        *low_note(data["mark"]),
    ]
    chart = _layers(data, spots, plane, colours)
    summary = f"bubbles of share and index, {plural(len(data), 'row')}"
    words = Words(wording.shorten_title(name), subtitle, summary, width)
    return finish(chart, colours, words, of=table)


def _data(table: CrosstabData, place: int) -> pd.DataFrame:
    """The rows that can be drawn, those with the most people first."""
    index, share, size = (
        table.values(figure)[:, place] for figure in ("index", "column_percentage", "size")
    )
    marks = low_marks("index", table)[:, place]
    labels = short_names(row_labels(table))
    data = pd.DataFrame(
        {
            "name": [f"{label} {mark}".rstrip() for label, mark in zip(labels, marks, strict=True)],
            "index": index,
            "share": share,
            "size": size,
            "mark": marks,
            "line": lines_of(table)[:, place],
        }
    )
    data["side"] = np.where(data["index"] >= 100, "over", "under")
    data["pale"] = data["mark"] != ""
    # A logarithmic scale has no place for nobody.
    known = data[(data["index"] > 0) & (data["size"] > 0)]
    return known.sort_values("size", ascending=False, kind="stable").reset_index(drop=True)


def _drawn(ranked: pd.DataFrame, limit: int) -> pd.DataFrame:
    """The largest rows, with the radii of their bubbles."""
    data = ranked.head(limit).copy()
    largest = _LARGEST * math.sqrt(min(1.0, _MANY / max(len(data), 1)))
    radii = largest * np.sqrt(data["size"] / data["size"].max())
    return data.assign(radius=radii.clip(lower=_SMALLEST))


def _said(spots: Sequence[Spot | None], known: int, rows: int) -> list[str]:
    said = ["Area: people in both"]
    if len(spots) < known:
        said.append(f"the {len(spots):,} largest of {known:,} rows")
    if unnamed := spots.count(None):
        said.append(f"{unnamed:,} without room for a name")
    if known < rows:
        said.append(f"{rows - known:,} of {rows:,} rows with nobody left out")
    return said


def _plane(data: pd.DataFrame, width: int, height: int) -> Plane:
    """Shares to the right, logarithms of indices upwards; with room for whole bubbles."""
    shares, logs = data["share"].to_numpy(np.float64), np.log(data["index"].to_numpy(np.float64))
    reach = math.log(_LEAST_REACH)
    ends = np.append(logs, [math.log(100) - reach, math.log(100) + reach])
    high = float(shares.max(initial=0.0)) or 1.0
    low = float(shares.min(initial=high))
    # Where all shares are large and apart, the space under them is better used for names.
    start = low if low > high / 3 and high > 1.2 * low else 0.0
    return Plane(
        width,
        height,
        _widened((start, high), width, _LARGEST),
        _widened((float(ends.min()), float(ends.max())), height, _LARGEST + SMALL),
        across=(math.log(100),),
    )


def _widened(ends: tuple[float, float], length: float, room: float) -> tuple[float, float]:
    """The same range with `room` pixels more at both ends of a plot of some length."""
    pixel = (ends[1] - ends[0]) / (length - 2 * room)
    return ends[0] - room * pixel, ends[1] + room * pixel


def _spots(data: pd.DataFrame, plane: Plane) -> list[Spot | None]:
    points = plane.pixels(
        data["share"].to_numpy(np.float64), np.log(data["index"].to_numpy(np.float64))
    )
    radii = data["radius"].to_numpy(np.float64)
    return names_beside(plane, points, radii, data["name"].tolist(), range(len(data)))


def _layers(data: pd.DataFrame, spots: Sequence[Spot | None], plane: Plane, colours: Look) -> Any:
    under, over = colours.series[:2]
    colour = alt.Color(
        "side:N", scale=alt.Scale(domain=["over", "under"], range=[over, under]), legend=None
    )
    low, high = (math.exp(end) for end in plane.y)
    upwards = alt.Scale(type="log", domain=[low, high], nice=False)
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    numbers: dict[str, Any] = {"labelColor": colours.quiet, "labelFontSize": SMALL}
    y = alt.Y(
        "index:Q",
        title=f"{wording.METRIC_NAMES['index']}, logarithmic scale",
        scale=upwards,
        axis=alt.Axis(values=ticks, format="d", gridDash=[1, 3], **numbers),
    )
    x = alt.X(
        "share:Q",
        title=wording.METRIC_NAMES["column_percentage"],
        scale=alt.Scale(domain=list(plane.x), nice=False, zero=False),
        axis=alt.Axis(
            grid=False,
            tickCount=6,
            labelExpr="datum.value < 0 ? '' : datum.label + '%'",
            **numbers,
        ),
    )
    base = alt.Chart(data)
    bubbles = base.mark_point(filled=True, strokeWidth=1).encode(
        x=x,
        y=y,
        # A symbol's size is the area of the square around its circle.
        size=alt.Size("area:Q", scale=None),
        color=colour,
        opacity=alt.condition("datum.pale", alt.value(_PALE), alt.value(_FULL)),
    )
    areas = bubbles.transform_calculate(area="4 * datum.radius * datum.radius")
    line = (
        alt.Chart(pd.DataFrame({"at": [100]}))
        .mark_rule(color=colours.mark, strokeWidth=1)
        .encode(y=alt.Y("at:Q", scale=upwards))
    )
    names = written(data, spots, alt.value(colours.ink), colours)
    return alt.layer(line, areas, *names).properties(width=plane.width, height=plane.height)
