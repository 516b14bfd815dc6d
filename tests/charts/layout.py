"""Where the texts of a chart are once it is drawn, and which of them cannot be read.

Vega lays a chart out as a scenegraph: nested groups of marks, each placed in its group. The width
of a text is asked of Vega too, so that a box here is as wide as on the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import vl_convert
from numpy.typing import NDArray

Item = dict[str, Any]
Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]

GAP = 2.0
"""Pixels between two texts of one line, from which they are read as two."""

_SLACK = 0.75
"""Pixels that two boxes share before glyphs can touch: a box is rather larger than its glyphs."""

_BASELINES = {"top": 0.79, "middle": 0.30, "bottom": -0.21}
"""Vega's offsets from a baseline to the alphabetic one, in font sizes."""

_FONT = {"fontSize": 11, "fontWeight": "normal", "fontStyle": "normal", "font": "sans-serif"}

_Line = tuple[Any, ...]
"""A line of text, and the values of `_FONT` that it is written in."""

_KNOWN: dict[_Line, float] = {}
"""Widths of lines in pixels: charts of one result have most of them in common."""

_VEGA = "https://vega.github.io/schema/vega/v6.json"


class Text(NamedTuple):
    """A text as it is drawn.

    corners: float64[4, 2], pixels of the picture. seen: the box beyond which it is hidden.
    cut: whether it is longer than its limit. marked: whether it labels a mark.
    """

    text: str
    corners: Floats
    seen: Box
    cut: bool
    marked: bool


class Layout(NamedTuple):
    """A chart: its size in pixels, its texts and marks.

    bars: float64[bars, 4], left, top, right and bottom of bars and cells. points: float64[points,
    2], the middles of dots and symbols, and of each pixel of lines.
    """

    width: float
    height: float
    texts: list[Text]
    bars: Floats
    points: Floats


def faults(spec: dict[str, Any]) -> list[str]:
    """What of the texts of a chart cannot be read: overlapping, cut, or beyond the picture."""
    laid = layout(spec)
    found: list[str] = []
    for each in laid.texts:
        if each.cut:
            found.append(f"{each.text!r} is cut at its limit")
        if _outside(each.corners, each.seen):
            found.append(f"{each.text!r} is beyond what is seen")
        if each.marked and _juts(each.corners, laid.bars):
            found.append(f"{each.text!r} is wider than its bar")
        if _holds(each.corners, laid.points):
            found.append(f"{each.text!r} is on a point or a line")
    for one, other in _near(laid.texts):
        if _overlap(one.corners, other.corners):
            found.append(f"{one.text!r} is on {other.text!r}")
    return found


def _near(texts: Sequence[Text]) -> Iterator[tuple[Text, Text]]:
    """Pairs whose upright boxes touch: most pairs of a large chart need no closer look."""
    corners = np.array([each.corners for each in texts]).reshape(-1, 4, 2)
    low, high = corners.min(axis=1) - GAP, corners.max(axis=1) + GAP
    touch = (low[:, None] < high[None]).all(axis=-1)
    for one, other in np.argwhere(np.triu(touch & touch.T, 1)).tolist():
        yield texts[one], texts[other]


class _Drawn(NamedTuple):
    """An item: its kind and its role, where its group begins, and what is seen of that.

    line: which line it is a value of; 0 for none.
    """

    kind: str
    role: str
    item: Item
    at: tuple[float, float]
    seen: Box
    line: int

    @property
    def is_mark(self) -> bool:
        return self.role == "mark" and bool(self.item.get("opacity", 1))


def layout(spec: dict[str, Any]) -> Layout:
    """The texts and bars of a Vega-Lite chart, as they are drawn."""
    drawn = vl_convert.vegalite_to_scenegraph(spec, allowed_base_urls=[])
    width, height = drawn["width"], drawn["height"]
    items = list(_items(drawn["scenegraph"], drawn["origin"], (0, 0, width, height)))
    marks = [each for each in items if each.is_mark]
    bars = [_box(each.item, each.at) for each in marks if each.kind == "rect"]
    points = [_at(each.item, each.at) for each in marks if each.kind == "symbol"]
    return Layout(
        width,
        height,
        _texts([each for each in items if each.kind == "text" and _is_written(each.item)]),
        np.array(bars, dtype=np.float64).reshape(-1, 4),
        np.concatenate([np.array(points, dtype=np.float64).reshape(-1, 2), *_courses(marks)]),
    )


def _courses(marks: Sequence[_Drawn]) -> Iterator[Floats]:
    """The points of each line, at every pixel between its values."""
    for number, line in groupby(marks, key=lambda each: each.line):
        if number:
            ends = np.array([_at(each.item, each.at) for each in line])
            along = np.append(0, np.hypot(*np.diff(ends, axis=0).T).cumsum())
            steps = np.arange(0, along[-1])
            yield np.column_stack([np.interp(steps, along, ends[:, axis]) for axis in (0, 1)])


def _items(
    mark: Item, at: tuple[float, float], seen: Box, group: Box | None = None
) -> Iterator[_Drawn]:
    """All that is drawn of a mark; group: the box of the group that it is in."""
    inside = group if mark.get("clip") and group else seen
    for item in mark.get("items", ()):
        if mark["marktype"] == "group":
            box = _box(item, at)
            within = box if item.get("clip") else inside
            for each in item.get("items", ()):
                yield from _items(each, box[:2], within, box)
        elif item.get("defined", True):
            line = id(mark) if mark["marktype"] == "line" else 0
            yield _Drawn(mark["marktype"], mark.get("role", ""), item, at, inside, line)


def _texts(written: Sequence[_Drawn]) -> list[Text]:
    """Each text once: one may be drawn twice at its place, first as a halo."""
    widths = _widths([each.item for each in written])
    found: dict[tuple[str, Box], Text] = {}
    for each, width in zip(written, widths, strict=True):
        corners = _corners(each.item, each.at, width)
        cut = width > (each.item.get("limit") or math.inf)
        text = Text("\n".join(_lines(each.item)), corners, each.seen, cut, each.is_mark)
        found[text.text, tuple(corners[[0, 2]].ravel().round(1).tolist())] = text
    return list(found.values())


def _at(item: Item, at: tuple[float, float]) -> tuple[float, float]:
    return item.get("x", 0) + at[0], item.get("y", 0) + at[1]


def _box(item: Item, at: tuple[float, float]) -> Box:
    x, y = _at(item, at)
    return x, y, x + item.get("width", 0), y + item.get("height", 0)


def _lines(item: Item) -> list[str]:
    text = item.get("text", "")
    if isinstance(text, str) and item.get("lineBreak"):
        text = text.split(item["lineBreak"])
    return [str(each) for each in (text if isinstance(text, list) else [text])]


def _is_written(item: Item) -> bool:
    hidden = 0 in (item.get("opacity", 1), item.get("fillOpacity", 1))
    return bool("".join(_lines(item)).strip()) and not hidden


def _widths(items: Sequence[Item]) -> list[float]:
    """How wide each text is, its widest line."""
    lines = [[_styled(line, item) for line in _lines(item)] for item in items]
    _measure({line for each in lines for line in each} - _KNOWN.keys())
    return [max(_KNOWN[line] for line in each) for each in lines]


def _styled(line: str, item: Item) -> _Line:
    return line, *(item.get(name, usual) for name, usual in _FONT.items())


def _measure(lines: set[_Line]) -> None:
    """Measure lines, as Vega bounds them: boxes drawn by the bounds of texts are as wide."""
    names = ("text", *_FONT)
    values = [dict(zip(names, line, strict=True)) for line in lines]
    text = {"enter": {name: {"field": name} for name in names}}
    box = {"update": {"x": {"field": "bounds.x1"}, "x2": {"field": "bounds.x2"}}}
    marks = [
        {"type": "text", "name": "line", "from": {"data": "lines"}, "encode": text},
        {"type": "rect", "from": {"data": "line"}, "encode": box},
    ]
    spec = {"$schema": _VEGA, "data": [{"name": "lines", "values": values}], "marks": marks}
    drawn = vl_convert.vega_to_scenegraph(spec, allowed_base_urls=[])
    boxes = drawn["scenegraph"]["items"][0]["items"][1]["items"]
    _KNOWN.update(zip(lines, (each.get("width", 0.0) for each in boxes), strict=True))


def _corners(item: Item, at: tuple[float, float], width: float) -> Floats:
    """The corners of a text, clockwise, as Vega bounds it."""
    size = item.get("fontSize", _FONT["fontSize"])
    wide = min(width, item.get("limit") or math.inf)
    high = size + (len(_lines(item)) - 1) * item.get("lineHeight", size + 2)
    left = item.get("dx", 0) - wide * {"center": 0.5, "right": 1}.get(item.get("align", ""), 0)
    top = item.get("dy", 0) + size * _BASELINES.get(item.get("baseline", ""), 0) - round(0.8 * size)
    box = np.array([left, top]) + np.array([[0, 0], [wide, 0], [wide, high], [0, high]])
    turn = math.radians(item.get("angle", 0))
    turned = box @ [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
    return turned + np.array([item.get("x", 0) + at[0], item.get("y", 0) + at[1]])


def _holds(corners: Floats, points: Floats) -> bool:
    """Whether a point is in a box, and not only at its rim."""
    origin, across, down = corners[0], corners[1] - corners[0], corners[3] - corners[0]
    moved = points - origin
    along = np.column_stack([moved @ across / np.hypot(*across), moved @ down / np.hypot(*down)])
    ends = np.array([np.hypot(*across), np.hypot(*down)])
    return bool(((along > 2 * _SLACK) & (along < ends - 2 * _SLACK)).all(axis=1).any())


def _outside(corners: Floats, box: Box) -> bool:
    low, high = corners.min(axis=0), corners.max(axis=0)
    return bool(
        (low < np.array(box[:2]) - _SLACK).any() or (high > np.array(box[2:]) + _SLACK).any()
    )


def _juts(corners: Floats, bars: Floats) -> bool:
    """Whether a text is partly on a bar of its height and partly beside it."""
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    level = (bars[:, 1] <= top + 3 * _SLACK) & (bars[:, 3] >= bottom - 3 * _SLACK)
    shared = np.minimum(right, bars[:, 2]) - np.maximum(left, bars[:, 0])
    partly = (shared > _SLACK) & (shared < right - left - _SLACK)
    return bool((level & partly).any())


def _overlap(one: Floats, other: Floats) -> bool:
    """Whether two boxes share more than an edge, by the axes that could separate them."""
    for box in (one, other):
        for place, (start, end) in enumerate(((0, 1), (1, 2))):
            axis = box[end] - box[start]
            axis /= np.hypot(*axis) or 1.0
            first, second = one @ axis, other @ axis
            shared = min(first.max(), second.max()) - max(first.min(), second.min())
            if shared <= (_SLACK if place else -GAP):
                return False
    return True
