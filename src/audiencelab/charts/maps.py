"""Maps of labelled points: bubbles of share and index, and correspondence maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.correspondence import Correspondence, Scaling
from audiencelab.analysis.correspondence import correspondence as correspondence_of
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import (
    adjusted_facts,
    base_line,
    check_table,
    column_labels,
    column_source,
    column_title,
    lines_of,
    row_labels,
)
from audiencelab.charts.label_placement import (
    PALE,
    Plane,
    Spot,
    label_layers,
    place_labels,
    short_names,
)
from audiencelab.charts.labels import check_limit, check_pixels, check_width
from audiencelab.charts.layout import PADDING
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import SMALL, Look, Theme, look
from audiencelab.charts.uncertainty import low_marks, low_note
from audiencelab.charts.vega_lite import field, layer, legend, scale, when
from audiencelab.charts.wrapping import cut, folded, folded_note
from audiencelab.results.banner import table_title
from audiencelab.results.crosstab import CrosstabData, title_of
from audiencelab.results.metrics import METRICS
from audiencelab.results.profile import ProfileData
from audiencelab.wording import plural

Floats = NDArray[np.float64]

_LEAST_SIDE = 100
"""Pixels of a chart, so that some are left between the points at the edges of its plot."""

_AXIS = 55.0
"""Pixels of the axis at the left, with its title."""

_EXTENT: Spec = {"minExtent": 37, "maxExtent": 37}


def _checked(width: float | None) -> float:
    """The pixels of a chart, at least so many that its plot has some."""
    if width is not None:
        check_pixels(_LEAST_SIDE, width=width)
    return max(check_width(width, 1), _AXIS + 2 * PADDING + _LEAST_SIDE)


# -- bubbles --------------------------------------------------------------------------------------

MAX_BUBBLES = 300
"""Bubbles in one chart; of more, the largest would hide the rest."""

_LARGEST, _SMALLEST = 22.0, 3.0
_MANY = 12
"""Radii in pixels; with more bubbles than this the largest is smaller, so that all fill as much."""

_PALE, _FULL = 0.3, 0.6
_LEAST_REACH = math.log(1.25)
"""The index runs at least from 100 ÷ 1.25 to 100 × 1.25: little must not look like much."""

_TICKS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 125, 150, 200, 300, 400, 500, 700, 1000)


def bubble(
    table: CrosstabData | ProfileData,
    column: str | None = None,
    *,
    limit: int = 40,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    width: int | None = None,
    height: int = 440,
) -> ChartSpecification:
    """A bubble for each row of a crosstab: its share of a column, and its index there.

    table: a crosstab; or a profile, without answers that fewer than 30 respondents of the base
        gave and without the questions that the audience is defined by.
    column: the audience to draw, by name or id; optional if the table has one column.
    limit: rows drawn at most, those with the most people in both first; the subtitle says how
        many there are. A name without space is left out.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". width: pixels of the chart, by default 640. height: of the plot.

    Right is common, high is distinctive (on a logarithmic scale); the area is the people who are
    in row and column. Rows without an index, or without people in the column, are left out, and
    the subtitle counts them. A column of fewer than 100 respondents has pale bubbles with a star,
    of fewer than 30 with two. Raises `TypeError` for anything but these two, and `ValueError` for
    an unknown or ambiguous column, for a limit under 1 or over 300, and for fewer than 100 pixels.

    >>> al.charts.bubble(client.crosstab("Finding brands", "Gender"), "Female")
    <Chart: bubbles of share and index, 20 rows>
    """
    check_limit(limit, "limit (rows)", MAX_BUBBLES)
    check_pixels(_LEAST_SIDE, height=height)
    pixels = _checked(width)
    given, adjusted = table, adjusted_facts(table)
    table, place = column_source(table, column)
    own = column_title(given, table, place)
    shared, names = folded(row_labels(table))
    colours, every = look(theme), _bubbles(table, place, short_names(names))
    data = every.head(limit).copy()
    largest = _LARGEST * math.sqrt(min(1.0, _MANY / max(len(data), 1)))
    # The area, not the radius, is in proportion to people.
    radii = largest * np.sqrt(data["size"] / data["size"].max())
    data["radius"] = radii.clip(lower=_SMALLEST)
    shares, logs = (np.asarray(each, np.float64) for each in (data["share"], np.log(data["index"])))
    plane = _bubble_plane(shares, logs, pixels - _AXIS - 2 * PADDING, height)
    points, radii = plane.pixels(shares, logs), data["radius"].to_numpy(np.float64)
    spots = place_labels(plane, points, radii, data["name"].tolist(), range(len(data)))
    said = ["Area: people in both"]
    if len(data) < len(every):
        said.append(f"the {len(data):,} largest of {len(every):,} rows")
    if unnamed := spots.count(None):
        said.append(f"{unnamed:,} without space for a name")
    if len(every) < table.shape[0]:
        missing = table.shape[0] - len(every)
        said.append(f"{missing:,} of {table.shape[0]:,} rows without people omitted")
    subtitle = [" · ".join(said), *folded_note(shared, own), *adjusted]
    subtitle += [base_line(table), *low_note(data["mark"])]
    summary = f"bubbles of share and index, {plural(len(data), 'row')}"
    captions = Captions(own, subtitle, summary, pixels, whole=pixels).chosen(title, base=base)
    return finish(
        _bubble_spec(data, spots, plane, colours),
        colours,
        captions,
        of=table,
    )


def _bubbles(table: CrosstabData, place: int, names: Sequence[str]) -> pd.DataFrame:
    index, share, size = (
        table.values(name)[:, place] for name in ("index", "column_percentage", "size")
    )
    marks = low_marks("index", table)[:, place]
    data = pd.DataFrame(
        {
            "name": [f"{name} {mark}".rstrip() for name, mark in zip(names, marks, strict=True)],
            "index": index,
            "share": share,
            "size": size,
            "mark": marks,
            "line": lines_of(table)[:, place],
            "side": np.where(index >= 100, "over", "under"),
            "pale": marks != "",
        }
    )
    # Zero has no position on a logarithmic scale.
    known = data[(data["index"] > 0) & (data["size"] > 0)]
    return known.sort_values("size", ascending=False, kind="stable").reset_index(drop=True)


def _bubble_plane(shares: Floats, logs: Floats, width: float, height: float) -> Plane:
    """Shares to the right, logarithms of indices upwards; with space for whole bubbles."""
    middle = math.log(100)
    ends = np.append(logs, [middle - _LEAST_REACH, middle + _LEAST_REACH])
    high = float(shares.max(initial=0.0)) or 1.0
    low = float(shares.min(initial=high))
    # Where all shares are large and apart, the space under them is better used for names.
    start = low if low > high / 3 and high > 1.2 * low else 0.0
    x = _widened(start, high, width, _LARGEST)
    y = _widened(float(ends.min()), float(ends.max()), height, _LARGEST + SMALL)
    return Plane(width, height, x, y, across=(middle,))


def _widened(low: float, high: float, length: float, room: float) -> tuple[float, float]:
    """The same range with some pixels more at both ends of a plot of a given length."""
    pixel = (high - low) / (length - 2 * room)
    return low - room * pixel, high + room * pixel


def _bubble_spec(
    data: pd.DataFrame, spots: Sequence[Spot | None], plane: Plane, colours: Look
) -> Spec:
    under, over = colours.series[:2]
    shades = {"domain": ["over", "under"], "range": [over, under]}
    low, high = (math.exp(end) for end in plane.y)
    upwards = {"type": "log", **scale(low, high)}
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    numbers = {"labelColor": colours.quiet, "labelFontSize": SMALL}
    # Left of 0 there is only space for whole bubbles.
    percent = "datum.value < 0 ? '' : datum.label + '%'"
    encoding = {
        "x": field(
            "share:Q",
            title=METRICS["column_percentage"].label_alone,
            scale=scale(*plane.x, zero=False),
            axis={"grid": False, "tickCount": 6, "labelExpr": percent, **numbers},
        ),
        "y": field(
            "index:Q",
            title=f"{METRICS['index'].label_alone}, logarithmic scale",
            scale=upwards,
            axis={"values": ticks, "format": "d", "gridDash": [1, 3], **numbers, **_EXTENT},
        ),
        # A symbol's size is the area of the square around its circle.
        "size": field("area:Q", scale=None),
        "color": field("side:N", scale=shades, legend=None),
        "opacity": when("datum.pale", _PALE, _FULL),
    }
    area = {"calculate": "4 * datum.radius * datum.radius", "as": "area"}
    line = {"y": field("at:Q", scale=upwards)}
    hundred = pd.DataFrame({"at": [100]})
    layers = [
        layer("rule", line, data=hundred, color=colours.mark, strokeWidth=1),
        {**layer("point", encoding, filled=True, strokeWidth=1), "transform": [area]},
        *label_layers(data, spots, {"value": colours.ink}, colours),
    ]
    return {"data": data, "layer": layers, "width": plane.width, "height": plane.height}


# -- correspondence maps --------------------------------------------------------------------------

MAX_POINTS = 150
"""Rows and columns in one map; of more, few names could be read."""

_RADIUS, _SIZE = 5.0, 70
_ROOM = 30
"""Pixels around the points, for names above and below the outermost."""

_FLATTEST = 0.5
"""Height of the plot relative to its width, at the least."""

_GOOD = 0.5
"""The squared cosine below which a point is pale."""

_READING = {
    "symmetric": "Same direction from the middle: more of each other than on the whole.",
    "row-principal": "A row lies at the average of the columns, weighted by its shares of them.",
    "column-principal": "A column lies at the average of the rows, weighted by its shares of them.",
}
_KINDS = ["Rows", "Columns"]
_NAMED = 230.0
"""Pixels of a question in the key."""


def correspondence(
    table: CrosstabData,
    *,
    scaling: Scaling = "symmetric",
    supplementary: str | Sequence[str] = (),
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    width: int | None = None,
    height: int | None = None,
) -> ChartSpecification:
    """A map of a crosstab's rows and columns, by how their shares differ.

    Rows near each other have similar shares of the columns, and columns of the rows. A row and a
    column in the same direction go together more than by chance; the distance between them has no
    meaning in a symmetric map. What lies in the middle is like everyone. Each axis says how much
    of all differences (the inertia) it shows; both have one scale. The analysis is that of
    `CrosstabResult.correspondence()`.

    scaling: "symmetric"; or "row-principal" or "column-principal", in which that side lies at
        weighted averages of the other, so that the distance between them has a meaning.
    supplementary: names or ids of rows and columns that are placed, hollow, but make no
        dimension, such as audiences that hold others. Nets are, and the total.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". width: pixels of the chart, by default 640. height: of the plot, by
        default as high as the points need.

    A point is pale where the map shows less than half of its distance from the middle (its squared
    cosine, `quality` in `table.correspondence().to_frame()`). Raises `TypeError` for anything but
    a crosstab, and `ValueError` for what cannot be analysed, for a table of one dimension alone,
    for more than 150 rows and columns, and for fewer than 100 pixels.

    >>> al.charts.correspondence(client.crosstab("Finding brands", "Age"))
    <Chart: correspondence map, 20 rows and 7 columns>
    """
    check_table(table)
    if sum(table.shape) > MAX_POINTS:
        raise ValueError(
            f"{sum(table.shape):,} rows and columns are too many for one map (at most "
            f"{MAX_POINTS}). Ask for fewer, or take charts.heatmap(…)."
        )
    pixels = _checked(width)
    if height is not None:
        check_pixels(_LEAST_SIDE, height=height)
    colours, analysis = look(theme), correspondence_of(table, supplementary)
    if len(analysis.inertias) < 2:
        raise ValueError(
            "The rows of this table differ in one dimension alone, as those of two columns do: "
            "charts.dots(…, sort='gap') shows it whole."
        )
    data = _points(table, analysis, scaling)
    x, y = (data[axis].to_numpy(np.float64) for axis in ("x", "y"))
    plane = _map_plane(x, y, pixels - _AXIS - 2 * PADDING, height)
    # The outermost have the first choice: the middle is crowded.
    order = np.argsort(-(x**2 + y**2), kind="stable").tolist()
    radii = np.full(len(data), _RADIUS)
    spots = place_labels(plane, plane.pixels(x, y), radii, data["name"].tolist(), order)
    kinds = _questions(table)
    data["kind"] = data["kind"].map(dict(zip(_KINDS, kinds, strict=True)))
    subtitle = _map_subtitle(table, analysis, scaling, data, spots)
    summary = f"correspondence map, {plural(table.shape[0], 'row')} and {table.shape[1]} columns"
    own = f"{title_of(table)}: which belong together"
    captions = Captions(own, subtitle, summary, pixels, whole=pixels).chosen(title, base=base)
    return finish(
        _map_spec(data, kinds, spots, plane, analysis, colours),
        colours,
        captions,
        of=analysis,
    )


def _points(table: CrosstabData, analysis: Correspondence, scaling: Scaling) -> pd.DataFrame:
    frame = analysis.to_frame(2, scaling)
    data = pd.DataFrame(
        {
            "name": short_names([*row_labels(table), *column_labels(table)]),
            "kind": frame["side"].map({"row": _KINDS[0], "column": _KINDS[1]}),
            "x": frame["dimension_1"],
            "y": frame["dimension_2"],
            "supplementary": frame["supplementary"],
            # In the middle there is no distance of which a part could be missing.
            "pale": frame["quality"].fillna(1.0) < _GOOD,
            "line": frame.index,
        }
    )
    return data.dropna(subset=["x", "y"]).reset_index(drop=True)


def _map_plane(x: Floats, y: Floats, width: float, height: float | None) -> Plane:
    """The plot, with the middle of the map in it and one scale for both axes."""
    x, y = np.append(x, 0.0), np.append(y, 0.0)
    across, down = float(np.ptp(x)), float(np.ptp(y))
    pixel = across / (width - 2 * _ROOM)
    if height is None:
        height = round(min(max(down / pixel + 2 * _ROOM, _FLATTEST * width), width))
    # The coarser of both scales, so that the points fit in both directions.
    pixel = max(pixel, down / (height - 2 * _ROOM))

    def around(values: Floats, length: float) -> tuple[float, float]:
        middle = (float(values.min()) + float(values.max())) / 2
        return middle - length / 2, middle + length / 2

    ends = around(x, pixel * width), around(y, pixel * height)
    return Plane(width, height, *ends, across=(0.0,), upright=(0.0,))


def _questions(table: CrosstabData) -> list[str]:
    """What the rows and the columns are in the key: their questions, where these differ."""
    sides = zip(_KINDS, (table.row_groups, table.column_groups), strict=True)
    named = [
        cut(table_title(groups, ()), _NAMED) if any(groups) else kind for kind, groups in sides
    ]
    return named if named[0] != named[1] else list(_KINDS)


def _map_spec(
    data: pd.DataFrame,
    kinds: list[str],
    spots: Sequence[Spot | None],
    plane: Plane,
    analysis: Correspondence,
    colours: Look,
) -> Spec:
    key = legend(kinds, symbolSize=_SIZE, symbolOpacity=1, labelLimit=2 * _NAMED)
    shades = {"domain": kinds, "range": list(colours.series[: len(kinds)])}
    colour = field("kind:N", scale=shades, legend=key)
    shapes = {"domain": kinds, "range": ["circle", "diamond"]}
    axis = {"grid": False, "tickCount": 5, "labelColor": colours.quiet, "labelFontSize": SMALL}
    encoding: dict[str, Any] = {
        name: field(
            f"{name}:Q",
            title=f"Dimension {number} ({share:.1f}%)",
            scale=scale(*ends, zero=False),
            axis=axis | (_EXTENT if name == "y" else {}),
        )
        for name, number, share, ends in zip(
            "xy", (1, 2), analysis.percentages.tolist(), (plane.x, plane.y), strict=False
        )
    }
    encoding["color"] = colour
    encoding["shape"] = field("kind:N", scale=shapes, legend=key)
    encoding["opacity"] = when("datum.pale", PALE, 1)
    origin = pd.DataFrame({"at": [0.0]})
    hollow: Spec = {"fill": colours.ground, "size": _SIZE, "strokeWidth": 1.6}
    layers = [
        *(
            layer("rule", {axis: "at:Q"}, data=origin, color=colours.line, strokeWidth=1)
            for axis in "xy"
        ),
        layer("point", encoding, where="!datum.supplementary", filled=True, size=_SIZE),
        layer("point", encoding, where="datum.supplementary", **hollow),
        *label_layers(data, spots, colour, colours),
    ]
    return {"data": data, "layer": layers, "width": plane.width, "height": plane.height}


def _map_subtitle(
    table: CrosstabData,
    analysis: Correspondence,
    scaling: Scaling,
    data: pd.DataFrame,
    spots: Sequence[Spot | None],
) -> list[str]:
    shown = f"{analysis.percentages[:2].sum():.1f}% of the differences shown"
    said = [f"Correspondence map, {scaling} · {shown}", _READING[scaling], base_line(table)]
    notes: list[str] = []
    if bool(data["pale"].any()):
        notes.append("Pale: less than half of its distance is shown")
    if bool(data["supplementary"].any()):
        notes.append("hollow: without a part in the dimensions")
    if unnamed := list(spots).count(None):
        notes.append(f"{plural(unnamed, 'point')} without space for a name")
    if notes:
        text = " · ".join(notes)
        said.append(text[0].upper() + text[1:])
    if analysis.sharing:
        said.append("People may be in several rows or columns: masses count answers.")
    return said
