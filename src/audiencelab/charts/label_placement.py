"""Positions for the labels of points: beside them, without overlap of labels, points and edges.

A label is beside its point where there is space, and otherwise near it, with a line. Points are
labelled one after the other, so the result depends on the order: a few orders are tried, and the
one with the fewest omitted labels is used. Nothing is random. All coordinates are pixels from the
top left of the plot: boxes float64[n, 4] (left, top, right, bottom), lines float64[n, 2, 2] (both
ends), discs as centres float64[n, 2] and radii float64[n].
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.charts.labels import shorten
from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import SMALL, Look
from audiencelab.charts.vega_lite import field, layer, when
from audiencelab.charts.wrapping import text_width

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

PALE = 0.6
"""Opacity of a pale name; paler ones could not be read."""

_LINE = SMALL + 3
_LONGEST = 32
"""Characters of a name."""

_NEAR, _ALONE = 4.0, 8.0
"""Pixels from a point's rim to the name beside it, and to the names of others at the least."""

_STEP, _NEAREST, _FARTHEST = 8.0, 10.0, 150.0
"""Step of the search for a position away from the point, and its least and largest distance."""

_END = 0.3
"""The part of a name's length that is its end, to which a line may lead."""

# Positions that are tested together in the search away from a point.
_AT_ONCE = 128

_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7))
"""Positions beside a point, across and down, in the order of preference."""

_Align = Literal["left", "center", "right"]
_ALIGNS: tuple[_Align, ...] = ("right", "center", "left")


@dataclass(frozen=True, slots=True)
class Plane:
    """A plot: its size in pixels, and the ends of its axes.

    across, upright: values on the axes where lines run through the plot, which no name may cover.
    """

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    across: tuple[float, ...] = ()
    upright: tuple[float, ...] = ()

    def pixels(self, x: Floats, y: Floats) -> Floats:
        """Positions of points, float64[points, 2]."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        down = (self.y[1] - y) / (self.y[1] - self.y[0])
        return np.column_stack([self.width * across, self.height * down])

    def rules(self) -> Floats:
        """The lines through the plot."""
        lines = [[(self.x[0], y), (self.x[1], y)] for y in self.across]
        lines += [[(x, self.y[0]), (x, self.y[1])] for x in self.upright]
        ends = np.array(lines, dtype=np.float64).reshape(-1, 2)
        return self.pixels(ends[:, 0], ends[:, 1]).reshape(-1, 2, 2)


class Spot(NamedTuple):
    """A label's position: the end, or the middle, that it is aligned to; and its line to the point.

    tip, rim: the ends of the line, at the name and at the point; NaN where there is none.
    """

    x: float
    y: float
    align: _Align
    tip_x: float = math.nan
    tip_y: float = math.nan
    rim_x: float = math.nan
    rim_y: float = math.nan


def short_names(labels: Sequence[str]) -> list[str]:
    """Labels cut to what can be placed, except those that would then equal another."""
    cut = [shorten(label, _LONGEST) for label in labels]
    many = Counter(cut)
    return [name if many[name] == 1 else label for name, label in zip(cut, labels, strict=True)]


def place_labels(
    plane: Plane, points: Floats, radii: Floats, names: Sequence[str], order: Sequence[int]
) -> list[Spot | None]:
    """A position for each label, or None where there is no space; all are within the plane.

    points: float64[points, 2], pixels; radii: float64[points], of the marks. order: which points
    to name, the most important first.
    """
    widths = [text_width(name) for name in names]
    rightwards = sorted(order, key=lambda place: (points[place, 0], points[place, 1]))
    best: list[Spot | None] = []
    for each in (order, rightwards, rightwards[::-1], order[::-1]):
        ground = _Ground(plane, points, radii)
        spots: list[Spot | None] = [None] * len(widths)
        for place in each:
            spots[place] = ground.beside(place, widths[place])
        # Lines come after, so that they avoid the names beside their points.
        for place in each:
            spots[place] = spots[place] or ground.away(place, widths[place])
        best = min(best or spots, spots, key=_cost)
        if None not in best:
            break
    return best


def _cost(spots: Sequence[Spot | None]) -> tuple[int, float]:
    """How many names are left out, and how long the lines are, rounded to be compared."""
    lines = sum(
        math.hypot(spot.tip_x - spot.rim_x, spot.tip_y - spot.rim_y)
        for spot in spots
        if spot is not None and not math.isnan(spot.tip_x)
    )
    return spots.count(None), round(lines, 3)


def spread_out(
    middles: Sequence[float],
    widths: Sequence[float],
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> list[float]:
    """The same middles, moved as little as necessary for texts of these widths not to overlap.

    The least squares solution, found by pooling neighbours (isotonic regression).
    ends: limits of the middles; without enough space, only the first applies.
    """
    order = np.argsort(middles, kind="stable")
    ordered = np.asarray(widths, dtype=np.float64)[order]
    # Without the widths between them, the only condition is that their order is kept.
    offsets = np.cumsum(np.append(0.0, (ordered[1:] + ordered[:-1]) / 2))[: len(ordered)]
    pools: list[tuple[float, int]] = []
    for wanted in np.asarray(middles, dtype=np.float64)[order] - offsets:
        mean, count = float(wanted), 1
        # Pool adjacent violators: neighbours in the wrong order share their mean.
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean, count = (mean * count + before * many) / (count + many), count + many
        pools.append((mean, count))
    moved = np.repeat([mean for mean, _ in pools], [count for _, count in pools])
    last = ends[1] - offsets[-1] if len(offsets) else ends[1]
    placed = np.empty(len(ordered))
    placed[order] = np.maximum(np.minimum(moved, last), ends[0]) + offsets
    return placed.tolist()


def label_layers(
    data: pd.DataFrame, spots: Sequence[Spot | None], colour: Spec, colours: Look
) -> list[Spec]:
    """The layers that write the names of `data`, its column `name`, at their spots.

    colour: their encoding. Where the column `pale` is true names and lines are pale.
    """
    known = [spot is not None for spot in spots]
    places = pd.DataFrame([spot for spot in spots if spot is not None], columns=list(Spot._fields))
    placed = data[known].reset_index(drop=True).join(places.add_prefix("spot_"))

    def at(end: str) -> Spec:
        # Raw pixels, whatever the scales of the points are.
        place = {axis: field(f"spot_{end}{axis}:Q", scale=None) for axis in "xy"}
        return {**place, "opacity": when("datum.pale", PALE, 1)}

    line = {**at("tip_"), "x2": "spot_rim_x", "y2": "spot_rim_y"}
    style = {"color": colours.quiet, "strokeWidth": 0.7}
    layers = [layer("rule", line, where="isValid(datum.spot_rim_x)", data=placed, **style)]
    for align in _ALIGNS:
        name = {**at(""), "text": "name:N", "color": colour}
        where = f"datum.spot_align === '{align}'"
        style = {"align": align, "baseline": "middle", "fontSize": SMALL}
        layers.append(layer("text", name, where=where, data=placed, **style))
    return layers


class _Ground:
    """A plot with its marks and rules, and the names and lines placed so far."""

    def __init__(self, plane: Plane, points: Floats, radii: Floats) -> None:
        self._plane, self._points, self._radii = plane, points, radii
        self._names: Floats = np.empty((0, 4))
        self._lines: Floats = np.empty((0, 2, 2))

    def beside(self, place: int, width: float) -> Spot | None:
        """The best free spot next to a point, taken."""
        across, down = np.array(_SIDES).T * (self._radii[place] + _NEAR)
        sides = np.sign(across)
        # Above and below, half a line lies between the name's edge and its middle.
        lift = np.where(sides == 0, np.sign(down) * _LINE / 2, 0)
        shift = np.column_stack([across + sides * width / 2, down + lift])
        boxes = _boxes(self._points[place] + shift, width)
        others = np.arange(len(self._points)) != place
        gaps = box_gaps(boxes, self._points, self._radii)
        # Farther from other points than from its own, so that a name is not read as theirs.
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
                # Where along the name its line ends: the text is aligned to that end.
                part = (tip[0] - box[choice, 0]) / width
                side = int(part < _END) - int(part > 1 - _END)
                return _spot(box[choice], side, tip, rim)
        return None

    def _around(self, place: int, width: float) -> tuple[Floats, Floats]:
        point, radius = self._points[place], float(self._radii[place])
        reach = _FARTHEST + radius
        across = np.arange(-reach - width / 2, reach + width / 2, _STEP)
        down = np.arange(-reach, reach, _STEP)
        boxes = _boxes(point + np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2), width)
        tips = np.clip(point, boxes[:, :2], boxes[:, 2:])
        far: Floats = np.hypot(*(tips - point).T)
        fit = np.flatnonzero((far >= radius + _NEAREST) & (far <= reach))
        # Rounded, so that equal distances stay equal.
        nearest = fit[np.argsort(np.round(far[fit], 3), kind="stable")]
        tip, length = tips[nearest], far[nearest, None]
        rim = point + (tip - point) * radius / length
        return boxes[nearest], np.stack([rim, tip], axis=1)

    def _free(self, boxes: Floats) -> Mask:
        ends = np.array([self._plane.width, self._plane.height])
        within = np.hstack([boxes[:, :2] >= 0, boxes[:, 2:] <= ends])
        free = np.asarray(within.all(axis=1))
        free[free] = ~boxes_overlap(boxes[free], self._names).any(axis=1)
        lines = np.concatenate([self._lines, self._plane.rules()])
        free[free] = ~lines_meet(lines, boxes[free]).any(axis=0)
        return free


def _boxes(centres: Floats, width: float) -> Floats:
    half = np.array([width, _LINE]) / 2
    return np.hstack([centres - half, centres + half])


def _spot(box: Floats, side: int, *ends: Floats) -> Spot:
    """A spot in a box; side: 1 where the text begins at its point, −1 where it ends there.

    ends: of its line. Text is narrower than estimated, so it is aligned to the end near the point.
    """
    left, top, right, bottom = box.tolist()
    x = {1: left, 0: (left + right) / 2, -1: right}[side]
    return Spot(x, (top + bottom) / 2, _ALIGNS[side + 1], *np.ravel(ends).tolist())


# -- geometry -------------------------------------------------------------------------------------


def boxes_overlap(boxes: Floats, others: Floats) -> Mask:
    """bool[boxes, others], true where two share more than an edge."""
    one, other = boxes[:, None], others[None]
    apart = (one[..., :2] >= other[..., 2:]) | (other[..., :2] >= one[..., 2:])
    return np.asarray(~apart.any(axis=-1))


def lines_meet(lines: Floats, boxes: Floats) -> Mask:
    """bool[lines, boxes], true where a line runs through the inside of a box.

    Each pair of opposite edges leaves a stretch of the line between them; the line is inside where
    both stretches are (Liang and Barsky's clipping).
    """
    start, run = lines[:, None, 0], lines[:, None, 1] - lines[:, None, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (boxes[None, :, :2] - start) / run, (boxes[None, :, 2:] - start) / run
    # A line along an axis is between the edges all the way, or nowhere.
    between = (boxes[None, :, :2] < start) & (start < boxes[None, :, 2:])
    still = np.broadcast_to(run == 0, first.shape)
    enters = np.where(still, np.where(between, -np.inf, np.inf), np.minimum(first, second))
    leaves = np.where(still, np.where(between, np.inf, -np.inf), np.maximum(first, second))
    enter = np.maximum(enters.max(axis=-1), 0)
    return enter < np.minimum(leaves.min(axis=-1), 1)


def lines_cross(lines: Floats, others: Floats) -> Mask:
    """bool[lines, others], true where two cross at a point that is not an end of either."""
    one, other = lines[:, None], others[None]
    return _separated(one, other) & _separated(other, one)


def _separated(lines: Floats, others: Floats) -> Mask:
    """Whether the ends of the others lie on different sides of the lines."""
    start, run = lines[..., 0, :], lines[..., 1, :] - lines[..., 0, :]
    to_start, to_end = others[..., 0, :] - start, others[..., 1, :] - start
    # Cross products: their signs are the sides.
    turns = [run[..., 0] * to[..., 1] - run[..., 1] * to[..., 0] for to in (to_start, to_end)]
    return np.asarray(turns[0] * turns[1] < 0)


def box_gaps(boxes: Floats, centres: Floats, radii: Floats) -> Floats:
    """float64[boxes, discs], how far a box is from a disc's rim; below 0 they overlap."""
    nearest = np.clip(centres[None], boxes[:, None, :2], boxes[:, None, 2:])
    return np.hypot(*np.moveaxis(nearest - centres, -1, 0)) - radii


def line_gaps(lines: Floats, centres: Floats, radii: Floats) -> Floats:
    """float64[lines, discs], how far a line is from a disc's rim; below 0 it runs through it."""
    start, run = lines[:, None, 0], lines[:, None, 1] - lines[:, None, 0]
    # Each centre projected on the line: 0 at its start, 1 at its end.
    along = ((centres[None] - start) * run).sum(axis=-1) / (run**2).sum(axis=-1)
    nearest = start + np.clip(along, 0, 1)[..., None] * run
    return np.hypot(*np.moveaxis(nearest - centres, -1, 0)) - radii
