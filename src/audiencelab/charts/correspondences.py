"""Correspondence maps: a crosstab's rows and columns in one plane, near what they have more of.

The analysis is the result's own (`CrosstabResult.correspondence()`); here its first two dimensions
are drawn, to one scale, for a map that is stretched tells of distances that are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.correspondence import Correspondence, Scaling
from audiencelab.analysis.correspondence import correspondence as correspondence_of
from audiencelab.charts import wording
from audiencelab.charts.drawing import Drawing, Words, finish, legend
from audiencelab.charts.placing import PALE, Plane, Spot, names_beside, short_names, written
from audiencelab.charts.tables import check_table, column_labels, row_labels, whom
from audiencelab.charts.theme import SMALL, Look, Theme, look
from audiencelab.results.crosstab import CrosstabData
from audiencelab.wording import plural

__all__ = ["correspondence"]

Floats = NDArray[np.float64]

MOST_POINTS = 150
"""Rows and columns in one map; of more, few names could be read."""

_RADIUS, _SIZE = 5.0, 70
_ROOM = 30
"""Pixels around the points, for names above and below the outermost."""

_LEAST_SIDE = 100
"""Pixels of the plot, that some are left between these."""

_FLATTEST = 0.5
"""Height of the plot as a part of its width, at the least."""

_GOOD = 0.5
"""The part of its distance from the middle that a map has to show for a point to be no pale one."""

_READING = {
    "symmetric": "Same direction from the middle: more of each other than on the whole.",
    "row-principal": "A row lies at the average of the columns, weighted by its shares of them.",
    "column-principal": "A column lies at the average of the rows, weighted by its shares of them.",
}
_KINDS = ("Rows", "Columns")


def correspondence(
    table: CrosstabData,
    *,
    scaling: Scaling = "symmetric",
    supplementary: str | Sequence[str] = (),
    theme: Theme = "light",
    width: int = 620,
    height: int | None = None,
) -> Drawing:
    """A map of a crosstab's rows and columns, by how their shares differ.

    Rows near each other have similar shares of the columns, and columns of the rows. A row and a
    column that lie in the same direction go together more than by chance; how near they are to
    each other says nothing in a symmetric map. What lies in the middle is like everyone. Each axis
    says how much of all differences (the inertia) it shows.

    scaling: "symmetric"; or "row-principal" or "column-principal", in which that side lies at
        weighted averages of the other, so that the distance between them has a meaning.
    supplementary: names or ids of rows and columns that are placed, hollow, but make no
        dimension, such as audiences that hold others. Nets are, and whoever is everyone.
    theme: "light" or "dark". width, height: pixels of the plot; as high as the points need,
        unless told.

    A point is pale where the map shows less than half of its distance from the middle (its squared
    cosine, `quality` in `table.correspondence().to_frame()`). Raises `TypeError` for anything but
    a crosstab, and `ValueError` for what cannot be analysed, for a table of one dimension alone,
    for more rows and columns than a map has room for, and for fewer than 100 pixels.
    """
    check_table(table)
    if sum(table.shape) > MOST_POINTS:
        raise ValueError(
            f"{sum(table.shape):,} rows and columns are too many for one map (at most "
            f"{MOST_POINTS}). Ask for fewer, or take charts.heatmap(…)."
        )
    sides = {"width": width} | ({} if height is None else {"height": height})
    wording.check_pixels(_LEAST_SIDE, **sides)
    colours, analysis = look(theme), correspondence_of(table, supplementary)
    if len(analysis.inertias) < 2:
        raise ValueError(
            "The rows of this table differ in one dimension alone, as those of two columns do: "
            "charts.dots(…, sort='gap') shows it whole."
        )
    data = _points(table, analysis, scaling)
    plane = _plane(data, width, height)
    spots = _spots(data, plane)
    chart = _layers(data, spots, plane, analysis, colours)
    subtitle = _subtitle(table, analysis, scaling, data, spots)
    summary = f"correspondence map, {plural(table.shape[0], 'row')} and {table.shape[1]} columns"
    words = Words("Correspondence map", subtitle, summary, width)
    return finish(chart, colours, words, of=analysis)


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


def _plane(data: pd.DataFrame, width: int, height: int | None) -> Plane:
    """The plot, with the middle of the map in it and one scale for both axes."""
    spans = [np.append(data[axis].to_numpy(dtype=np.float64), 0.0) for axis in ("x", "y")]
    across, down = (float(np.ptp(span)) for span in spans)
    pixel = across / (width - 2 * _ROOM)
    if height is None:
        height = round(min(max(down / pixel + 2 * _ROOM, _FLATTEST * width), width))
    pixel = max(pixel, down / (height - 2 * _ROOM))
    x, y = _around(spans[0], pixel * width), _around(spans[1], pixel * height)
    return Plane(width, height, x, y, across=(0.0,), upright=(0.0,))


def _around(span: Floats, length: float) -> tuple[float, float]:
    middle = (float(span.min()) + float(span.max())) / 2
    return middle - length / 2, middle + length / 2


def _spots(data: pd.DataFrame, plane: Plane) -> list[Spot | None]:
    """Where the names go; what lies furthest out has the first choice, the middle is crowded."""
    x, y = (data[axis].to_numpy(dtype=np.float64) for axis in ("x", "y"))
    order = np.argsort(-(x**2 + y**2), kind="stable").tolist()
    radii = np.full(len(data), _RADIUS)
    return names_beside(plane, plane.pixels(x, y), radii, data["name"].tolist(), order)


def _layers(
    data: pd.DataFrame,
    spots: list[Spot | None],
    plane: Plane,
    analysis: Correspondence,
    colours: Look,
) -> Any:
    shades = list(colours.series[: len(_KINDS)])
    colour = alt.Color("kind:N", scale=alt.Scale(domain=_KINDS, range=shades), legend=_legend())
    shape = alt.Shape(
        "kind:N", scale=alt.Scale(domain=_KINDS, range=["circle", "diamond"]), legend=_legend()
    )
    axis = alt.Axis(grid=False, tickCount=5, labelColor=colours.quiet, labelFontSize=SMALL)
    titles = [
        f"Dimension {place} ({share:.1f} %)"
        for place, share in enumerate(analysis.percentages[:2].tolist(), 1)
    ]
    x = alt.X("x:Q", title=titles[0], scale=_linear(plane.x), axis=axis)
    y = alt.Y("y:Q", title=titles[1], scale=_linear(plane.y), axis=axis)
    base = alt.Chart(data)
    middle = [
        alt.Chart(pd.DataFrame({"at": [0.0]}))
        .mark_rule(color=colours.line, strokeWidth=1)
        .encode(**{channel: "at:Q"})
        for channel in ("x", "y")
    ]
    strength: Any = alt.condition("datum.pale", alt.value(PALE), alt.value(1))
    full = base.transform_filter("!datum.supplementary").mark_point(filled=True, size=_SIZE)
    hollow = base.transform_filter("datum.supplementary").mark_point(
        fill=colours.ground, size=_SIZE, strokeWidth=1.6
    )
    points = [
        each.encode(x=x, y=y, color=colour, shape=shape, opacity=strength)
        for each in (full, hollow)
    ]
    names = written(data, spots, colour, colours)
    return alt.layer(*middle, *points, *names).properties(width=plane.width, height=plane.height)


def _linear(ends: tuple[float, float]) -> alt.Scale:
    return alt.Scale(domain=list(ends), nice=False, zero=False)


def _legend() -> alt.Legend:
    return legend(_KINDS, symbolSize=_SIZE, symbolOpacity=1)


def _subtitle(
    table: CrosstabData,
    analysis: Correspondence,
    scaling: Scaling,
    data: pd.DataFrame,
    spots: Sequence[Spot | None],
) -> list[str]:
    shown = f"{analysis.percentages[:2].sum():.1f} % of the differences shown"
    said = [f"{scaling.capitalize()} map · {shown}", _READING[scaling], whom(table)]
    notes: list[str] = []
    if bool(data["pale"].any()):
        notes.append("Pale: less than half of its distance is shown")
    if bool(data["supplementary"].any()):
        notes.append("hollow: without a part in the dimensions")
    if unnamed := sum(spot is None for spot in spots):
        notes.append(f"{plural(unnamed, 'point')} without room for a name")
    if notes:
        told = " · ".join(notes)
        said.append(told[0].upper() + told[1:])
    if analysis.sharing:
        said.append("People may be in several rows or columns: masses count answers.")
    return said
