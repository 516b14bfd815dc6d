"""Single cells of the grid's static form: figures in words, their marks, and the heat behind them.

The browser writes its own (`js/src/widgets/grid/format.ts`, `looks.ts`); a reader without a kernel
sees these.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from audiencelab.frames.crosstab import CrosstabResult
from audiencelab.frames.html import figure
from audiencelab.frames.markup import QUIET, Cell, Content, Html, joined
from audiencelab.widgets.grid.letters import LettersOf
from audiencelab.widgets.grid.looks import Looks
from audiencelab.widgets.grid.measures import denominator, plane

__all__ = ["HIDDEN", "CellWriter", "size_writer"]

HIDDEN = "·"
"""In the place of a figure that rests on too few."""

_BREAK = Html("<br>")

_SCALES = ((1e9, "B"), (1e6, "M"), (1e3, "K"))
_SHORT = 9_999.5

_HEAT_OPACITY = 7
"""How opaque the full colour is, in fifteenths."""

_REACH = {"index": (100.0, 60.0), "difference": (0.0, 15.0)}
"""Where colours begin, and how far from there they are full."""

_LIKELY, _SURE = 1.96, 2.58
_LIKELY_SHADE, _SURE_SHADE = 0.3, 0.6


class CellWriter:
    """Writes cells of one table: their figures below each other, marked, on their colour.

    letters: those of the table, where they are among the figures and known.
    """

    def __init__(self, result: CrosstabResult, looks: Looks, letters: LettersOf | None) -> None:
        self._arrived = result.arrived
        self._lines = [_line(result, name, looks, letters) for name in looks.metrics]
        self._heat = _heat(result, looks)

    def __call__(self, row: int, column: int) -> Content | Cell:
        if not self._arrived[row, column]:
            return Cell("…", QUIET)
        first, *others = (line(row, column) for line in self._lines)
        below = (part for other in others for part in (_BREAK, other))
        return Cell(joined(first, *below), self._heat(row, column))


def size_writer(looks: Looks) -> Callable[[float], str]:
    """How numbers of people are written."""
    decimals = 1 if looks.decimals is None else looks.decimals

    def write(value: float) -> str:
        if math.isnan(value):
            return figure(value)
        if looks.units == "full":
            return figure(value, 0)
        if looks.units == "thousands":
            return f"{figure(value / 1e3, decimals)}K"
        if value < _SHORT:
            return figure(value, 0)
        # Where rounding tips over: 999,950 is written 1.0M and not 1,000.0K.
        tip = 1 - 0.5e-3 / 10**decimals
        worth, unit = next(scale for scale in _SCALES if value >= tip * scale[0])
        return f"{figure(value / worth, decimals)}{unit}"

    return write


def _line(
    result: CrosstabResult, metric: str, looks: Looks, letters: LettersOf | None
) -> Callable[[int, int], str]:
    """How one metric of a cell is written, its mark in front, so that figures stay in line."""
    if metric == "letters":
        return lambda row, column: "" if letters is None else letters.marks[row, column]
    values, respondents = plane(result, metric), denominator(result, metric)
    write = _writer(metric, looks)

    def line(row: int, column: int) -> str:
        value = float(values[row, column])
        if math.isnan(value):
            return "–"
        few = math.inf if respondents is None else float(respondents[row, column])
        return HIDDEN if few < looks.blank_under else f"{_mark(few, looks)}{write(value)}"

    return line


def _writer(metric: str, looks: Looks) -> Callable[[float], str]:
    decimals = looks.decimals
    match metric:
        case "size":
            return size_writer(looks)
        case "sample":
            return lambda value: figure(value, 0)
        case "index":
            return lambda value: figure(value, 1 if decimals is None else decimals)
        case "difference" | "z":
            usual = 1 if metric == "difference" else 2
            return lambda value: _signed(value, usual if decimals is None else decimals)
        case _:
            return lambda value: f"{figure(value, 1 if decimals is None else decimals)}%"


def _signed(value: float, decimals: int) -> str:
    size = figure(abs(value), decimals)
    if not any(digit in size for digit in "123456789"):
        return size
    return f"{'+' if value > 0 else '−'}{size}"


def _mark(respondents: float, looks: Looks) -> str:
    low, very_low = looks.low_base
    return "**\u00a0" if respondents < very_low else "*\u00a0" if respondents < low else ""


def _heat(result: CrosstabResult, looks: Looks) -> Callable[[int, int], str]:
    """The colour behind a cell: orange above its base, blue below; paler the nearer."""
    if looks.heat == "none":
        return lambda row, column: ""
    values, respondents = plane(result, looks.heat), denominator(result, looks.heat)

    def style(row: int, column: int) -> str:
        few = math.inf if respondents is None else float(respondents[row, column])
        # What rests on too few must not shine through as a colour.
        shade = 0.0 if few < looks.blank_under else _shade(float(values[row, column]), looks.heat)
        opacity = round(abs(shade) * _HEAT_OPACITY)
        # One digit for each of red, green, blue and opacity: short, as every cell repeats it.
        return f"background:#{'e82' if shade > 0 else '27c'}{opacity:x}" if opacity else ""

    return style


def _shade(value: float, heat: str) -> float:
    """From -1 to 1; it reads on light and on dark paper."""
    if math.isnan(value):
        return 0.0
    if heat == "z":
        size = abs(value)
        return math.copysign(
            _SURE_SHADE if size >= _SURE else _LIKELY_SHADE if size >= _LIKELY else 0.0, value
        )
    middle, reach = _REACH[heat]
    return max(-1.0, min(1.0, (value - middle) / reach))
