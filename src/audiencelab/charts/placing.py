"""Where the names of points go: beside them, clear of each other, of points and of the edges.

A name stands beside its point where there is room, and otherwise near it, with a line. Points are
named one after the other, so the order decides who gets the room: a few orders are tried, and the
one that leaves fewest names out is kept. Nothing is random: the same points are named the same way.

Everything here is in pixels, from the top left of the plot.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from audiencelab.charts.geometry import (
    Floats,
    Mask,
    box_gaps,
    boxes_overlap,
    line_gaps,
    lines_cross,
    lines_meet,
)
from audiencelab.charts.theme import SMALL, Look
from audiencelab.charts.wording import shorten

__all__ = [
    "PALE",
    "Plane",
    "Spot",
    "names_beside",
    "short_names",
    "side_by_side",
    "text_width",
    "written",
]

_EM, _WIDE_EM = 0.55, 1.05
"""Width of a character as a part of the type size, generous; and of one as wide as it is high."""

_LINE = SMALL + 3
_LONGEST = 32
"""Characters of a name."""

_NEAR, _ALONE = 4.0, 8.0
"""Pixels from a point's rim to the name beside it, and to the names of others at the least."""

_STEP, _NEAREST, _FARTHEST = 8.0, 10.0, 150.0
"""Steps in which a name away from its point is looked for, and between which distances."""

_END = 0.3
"""The part of a name's length that is its end, to which a line may lead."""

_AT_ONCE = 128

PALE = 0.6
"""Opacity of a name that is to be read with care; paler ones could not be read."""

_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7))
"""Where beside a point a name may stand, across and down, in the order of preference."""

_Align = Literal["left", "center", "right"]
_ALIGNS: tuple[_Align, ...] = ("right", "center", "left")


@dataclass(frozen=True, slots=True)
class Plane:
    """A plot: its size in pixels, and from where to where its axes run.

    across, upright: where on the axes lines run through the whole plot, which no name may cover.
    """

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    across: tuple[float, ...] = ()
    upright: tuple[float, ...] = ()

    def pixels(self, x: Floats, y: Floats) -> Floats:
        """Where points lie, float64[points, 2], from the top left."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        down = (self.y[1] - y) / (self.y[1] - self.y[0])
        return np.column_stack([self.width * across, self.height * down])

    def rules(self) -> Floats:
        """The lines through the plot, float64[lines, 2, 2]."""
        lines = [[(self.x[0], y), (self.x[1], y)] for y in self.across]
        lines += [[(x, self.y[0]), (x, self.y[1])] for x in self.upright]
        ends = np.array(lines, dtype=np.float64).reshape(-1, 2)
        return self.pixels(ends[:, 0], ends[:, 1]).reshape(-1, 2, 2)


class Spot(NamedTuple):
    """A name's place: the end, or the middle, that it is aligned to; and its line to the point.

    tip, rim: the ends of the line, at the name and at the point; NaN where there is none.
    """

    x: float
    y: float
    align: _Align
    tip_x: float = float("nan")
    tip_y: float = float("nan")
    rim_x: float = float("nan")
    rim_y: float = float("nan")


def text_width(text: str, size: float = SMALL) -> float:
    """About how many pixels a text is wide, rather more than less, in the common fonts."""
    return size * sum(map(_ems, text))


def short_names(labels: Sequence[str]) -> list[str]:
    """Labels cut to what can be placed, but for those that would then be like another."""
    cut = [shorten(label, _LONGEST) for label in labels]
    many = Counter(cut)
    return [name if many[name] == 1 else label for name, label in zip(cut, labels, strict=True)]


def names_beside(
    plane: Plane, points: Floats, radii: Floats, names: Sequence[str], order: Sequence[int]
) -> list[Spot | None]:
    """A place for each name, or None where there is no room; none leaves the plane.

    points: float64[points, 2], pixels; radii: float64[points], of the marks. order: which points
    to name, the most important first.
    """
    widths = [text_width(name) for name in names]
    rightwards = sorted(order, key=lambda place: (points[place, 0], points[place, 1]))
    best: list[Spot | None] = []
    for each in (order, rightwards, rightwards[::-1], order[::-1]):
        tried = _named(_Ground(plane, points, radii), widths, each)
        best = min(best or tried, tried, key=_cost)
        if None not in best:
            break
    return best


def _named(ground: _Ground, widths: Sequence[float], order: Sequence[int]) -> list[Spot | None]:
    """Names in one order: first those that fit beside their points, which a line would be in."""
    spots: list[Spot | None] = [None] * len(widths)
    for place in order:
        spots[place] = ground.beside(place, widths[place])
    for place in order:
        spots[place] = spots[place] or ground.away(place, widths[place])
    return spots


def _cost(spots: Sequence[Spot | None]) -> tuple[int, float]:
    """How many names are left out, and how long the lines are, rounded to be compared."""
    lines = sum(
        math.hypot(spot.tip_x - spot.rim_x, spot.tip_y - spot.rim_y)
        for spot in spots
        if spot is not None and not math.isnan(spot.tip_x)
    )
    return sum(spot is None for spot in spots), round(lines, 3)


def side_by_side(
    middles: Sequence[float],
    widths: Sequence[float],
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> list[float]:
    """The same middles, moved as little as need be for texts of these widths not to overlap.

    Those that would overlap are laid side by side around the middle of where they want to be:
    the least squares solution, found by pooling neighbours (isotonic regression).
    ends: between which all middles stay if there is room, and from the first on if there is none.
    """
    order = np.argsort(middles, kind="stable")
    ordered = np.asarray(widths, dtype=np.float64)[order]
    # Without the widths between them, no two may change places: that is all.
    offsets = np.cumsum(np.append(0.0, (ordered[1:] + ordered[:-1]) / 2))[: len(ordered)]
    pools: list[tuple[float, int]] = []
    for wanted in np.asarray(middles, dtype=np.float64)[order] - offsets:
        mean, count = float(wanted), 1
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean, count = (mean * count + before * many) / (count + many), count + many
        pools.append((mean, count))
    moved = np.repeat([mean for mean, _ in pools], [count for _, count in pools])
    last = ends[1] - offsets[-1] if len(offsets) else ends[1]
    placed = np.empty(len(ordered))
    placed[order] = np.maximum(np.minimum(moved, last), ends[0]) + offsets
    return placed.tolist()


def written(
    data: pd.DataFrame, spots: Sequence[Spot | None], colour: Any, colours: Look
) -> list[Any]:
    """The layers that write the names of `data`, its column `name`, at their spots.

    colour: their altair colour. Where the column `pale` is true they are pale, and so are lines.
    """
    there = [spot is not None for spot in spots]
    places = pd.DataFrame([spot for spot in spots if spot is not None], columns=list(Spot._fields))
    placed = data[there].reset_index(drop=True).join(places.add_prefix("spot_"))
    base = alt.Chart(placed).encode(
        # Raw pixels, whatever the scales of the points are.
        x=alt.X("spot_x:Q", scale=None),
        y=alt.Y("spot_y:Q", scale=None),
        opacity=alt.condition("datum.pale", alt.value(PALE), alt.value(1)),
    )
    lines = base.transform_filter("isValid(datum.spot_rim_x)").mark_rule(
        color=colours.quiet, strokeWidth=0.7
    )
    lines = lines.encode(
        x=alt.X("spot_tip_x:Q", scale=None),
        y=alt.Y("spot_tip_y:Q", scale=None),
        x2="spot_rim_x:Q",
        y2="spot_rim_y:Q",
    )
    layers: list[Any] = [lines]
    for align in _ALIGNS:
        of_side = base.transform_filter(f"datum.spot_align === '{align}'")
        text: Any = of_side.mark_text(align=align, baseline="middle", fontSize=SMALL)
        layers.append(text.encode(text="name:N", color=colour))
    return layers


class _Ground:
    """A plot with its marks and rules, and the names and lines that have been put on it so far."""

    def __init__(self, plane: Plane, points: Floats, radii: Floats) -> None:
        self._plane, self._points, self._radii = plane, points, radii
        self._names: Floats = np.empty((0, 4))
        self._lines: Floats = np.empty((0, 2, 2))

    def beside(self, place: int, width: float) -> Spot | None:
        """The best free spot next to a point, taken."""
        far = self._radii[place] + _NEAR
        across, down = np.array(_SIDES).T * far
        sides = np.sign(across)
        # Above and below, half a line lies between the name's edge and its middle.
        lift = np.where(sides == 0, np.sign(down) * _LINE / 2, 0)
        shift = np.column_stack([across + sides * width / 2, down + lift])
        boxes = _boxes(self._points[place] + shift, width)
        others = np.arange(len(self._points)) != place
        gaps = box_gaps(boxes, self._points, self._radii)
        free = self._free(boxes) & (gaps >= np.where(others, _ALONE, 0)).all(axis=1)
        if not free.any():
            return None
        choice = int(free.argmax())
        self._names = np.vstack([self._names, boxes[choice]])
        return _spot(boxes[choice], int(sides[choice]))

    def away(self, place: int, width: float) -> Spot | None:
        """The nearest free spot to which a free line leads, both taken."""
        boxes, lines = self._around(place, width)
        others = np.arange(len(self._points)) != place
        free = self._free(boxes)
        free[free] = (box_gaps(boxes[free], self._points, self._radii) >= _NEAR).all(axis=1)
        boxes, lines = boxes[free], lines[free]
        # Nearly always one of the nearest will do.
        for some in range(0, len(boxes), _AT_ONCE):
            box, line = boxes[some : some + _AT_ONCE], lines[some : some + _AT_ONCE]
            leads = (
                (line_gaps(line, self._points[others], self._radii[others]) > 1).all(axis=1)
                & ~lines_meet(line, self._names).any(axis=1)
                & ~lines_cross(line, self._lines).any(axis=1)
            )
            if leads.any():
                choice = int(leads.argmax())
                self._names = np.vstack([self._names, box[choice]])
                self._lines = np.vstack([self._lines, line[[choice]]])
                rim, tip = line[choice]
                part = (tip[0] - box[choice, 0]) / width
                side = int(part < _END) - int(part > 1 - _END)
                return _spot(box[choice], side, tip, rim)
        return None

    def _around(self, place: int, width: float) -> tuple[Floats, Floats]:
        """Boxes around a point in which its name could stand, and their lines, nearest first."""
        point, radius = self._points[place], float(self._radii[place])
        reach = _FARTHEST + radius
        across = np.arange(-reach - width / 2, reach + width / 2, _STEP)
        down = np.arange(-reach, reach, _STEP)
        boxes = _boxes(point + np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2), width)
        tips = np.clip(point, boxes[:, :2], boxes[:, 2:])
        far: Floats = np.hypot(tips[:, 0] - point[0], tips[:, 1] - point[1])
        fit = np.flatnonzero((far >= radius + _NEAREST) & (far <= reach))
        # Rounded, for what is equally far must not be told apart by a hair.
        nearest = fit[np.argsort(np.round(far[fit], 3), kind="stable")]
        tip, length = tips[nearest], far[nearest, None]
        rim = point + (tip - point) * radius / length
        return boxes[nearest], np.stack([rim, tip], axis=1)

    def _free(self, boxes: Floats) -> Mask:
        """Which boxes are in the plot and touch no name, no line and no rule."""
        ends = np.array([self._plane.width, self._plane.height])
        within = np.hstack([boxes[:, :2] >= 0, boxes[:, 2:] <= ends])
        free = np.asarray(within.all(axis=1))
        free[free] = ~boxes_overlap(boxes[free], self._names).any(axis=1)
        lines = np.concatenate([self._lines, self._plane.rules()])
        free[free] = ~lines_meet(lines, boxes[free]).any(axis=0)
        return free


def _ems(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    return _WIDE_EM if unicodedata.east_asian_width(character) in "WF" else _EM


def _boxes(centres: Floats, width: float) -> Floats:
    half = np.array([width, _LINE]) / 2
    return np.hstack([centres - half, centres + half])


def _spot(box: Floats, side: int, *ends: Floats) -> Spot:
    """A spot in a box; side: 1 where the text begins at its point, −1 where it ends there.

    ends: of its line. Text is narrower than it was taken to be, so it is aligned to the end that
    is near the point.
    """
    left, top, right, bottom = box.tolist()
    x = {1: left, 0: (left + right) / 2, -1: right}[side]
    return Spot(x, (top + bottom) / 2, _ALIGNS[side + 1], *np.ravel(ends).tolist())
