"""What is written above a plot: its heading, and the key of its colours in rows that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import pandas as pd

from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import SIZE, SMALL
from audiencelab.charts.vega_lite import field, layer
from audiencelab.charts.wrapping import BOLD, LINE, broken, broken_apart, text_width
from audiencelab.results.banner import WITHIN

Symbol = Literal["square", "circle", "stroke"]

_SYMBOL, _AFTER_SYMBOL, _BETWEEN, _ROW = 10.0, 5.0, 16.0, 19.0
"""Pixels: of a symbol, between it and its name, between two entries, of a row of them."""

_BELOW = 10.0
"""Pixels between the key, or a heading, and the plot."""


class Above(NamedTuple):
    """Layers above a plot, and how many pixels they take."""

    layers: list[Spec]
    height: float


def above(
    heading: str,
    names: Sequence[str],
    colour: Spec | None,
    *,
    pixels: float,
    left: float = 0.0,
    over: float = 0.0,
    symbol: Symbol = "square",
    most: int = 3,
) -> Above:
    """A heading and below it a key, both above a plot.

    heading: "" for none. names: of the key; () for none. colour: the
    encoding of a field "group" by which the marks have their colours. pixels: that both may be
    wide. left: where they begin, relative to the plot. over: pixels that are taken below them.
    most: lines of a heading.
    """
    layers: list[Spec] = []
    height = over
    if names:
        entries = _entries(names, pixels, left)
        height += _BELOW + float(entries["row"].max()) * _ROW + _ROW / 2
        entries["y"] = entries["row"] * _ROW - height
        layers += _key(entries, colour or {}, symbol)
        height += _ROW / 2
    if heading:
        size = SIZE
        lines = broken(heading, pixels / BOLD, size, most)
        parts = heading.split(WITHIN)
        if len(parts) > 2 and len(broken(heading, pixels / BOLD, size, most + 1)) > most:
            # The innermost tells panels apart, as men and women of an age.
            lines = broken(WITHIN.join((parts[0], "…", parts[-1])), pixels / BOLD, size, most)
        height += len(lines) * size * LINE + (4 if names else _BELOW)
        place = {"x": {"value": left}, "y": {"value": -height}, "text": {"value": lines}}
        style: Spec = {"align": "left", "baseline": "top", "fontSize": size, "fontWeight": 600}
        one = pd.DataFrame({"heading": [heading]})
        layers.append(layer("text", place, data=one, lineHeight=size * LINE, **style))
    return Above(layers, height)


def _entries(names: Sequence[str], pixels: float, left: float) -> pd.DataFrame:
    """Each name with its row from the top, and where its symbol and text begin."""
    rows: list[dict[str, Any]] = []
    at, row = 0.0, 0
    texts = broken_apart(names, pixels - _SYMBOL - _AFTER_SYMBOL, SMALL, 1)
    for name, [text] in zip(names, texts, strict=True):
        wide = _SYMBOL + _AFTER_SYMBOL + text_width(text)
        if at and at + wide > pixels:
            at, row = 0.0, row + 1
        symbol = left + at + _SYMBOL / 2
        start = left + at + _SYMBOL + _AFTER_SYMBOL
        rows.append({"group": name, "key": text, "x": symbol, "start": start, "row": row})
        at += wide + _BETWEEN
    return pd.DataFrame(rows)


def _key(entries: pd.DataFrame, colour: Spec, symbol: Symbol) -> list[Spec]:
    def at(x: str) -> Spec:
        return {"x": field(f"{x}:Q", scale=None), "y": field("y:Q", scale=None)}

    style: Spec = {"shape": symbol, "size": _SYMBOL**2, "opacity": 1}
    style |= {"filled": True} if symbol != "stroke" else {"strokeWidth": 2.5}
    text: Spec = {"align": "left", "baseline": "middle", "fontSize": SMALL}
    return [
        layer("point", {**at("x"), "color": colour}, data=entries, **style),
        layer("text", {**at("start"), "text": "key:N"}, data=entries, **text),
    ]
