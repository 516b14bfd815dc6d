"""Single cells of the grid's static form: figures in words, their marks, and the heat behind them.

The browser writes its own (`js/src/widgets/grid/format.ts`, `looks.ts`); a reader without a kernel
sees these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from audiencelab.render.color_scale import HEAT_STEPS, heat_step
from audiencelab.render.html import at_least, figure, people, percent
from audiencelab.render.markup import QUIET, Cell, Content, Html, joined
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.widgets.crosstab.letters import LettersOf
from audiencelab.widgets.crosstab.looks import Looks
from audiencelab.widgets.crosstab.measures import denominator, plane

__all__ = ["HIDDEN", "CellWriter", "metric_writer", "size_writer"]

HIDDEN = "·"
"""In the place of a figure that rests on too few."""

HeatScales = Mapping[str, Mapping[str, float]] | None

_BREAK = Html("<br>")

_HEAT_OPACITY = 7
"""How opaque the full colour is, in fifteenths: it reads on light and on dark paper."""


class CellWriter:
    """Writes cells of one table: their figures below each other, marked, on their colour.

    letters: those of the table, where they are among the figures and known.
    scales: where the colours end, of the whole table if `result` is a part of it.
    """

    def __init__(
        self,
        result: CrosstabResult,
        looks: Looks,
        letters: LettersOf | None,
        scales: HeatScales,
    ) -> None:
        self._arrived = result.arrived
        self._lines = [_line(result, name, looks, letters) for name in looks.metrics]
        self._heat = _heat(result, looks, scales)

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
            return at_least(value / 1e3, decimals, "K")
        return people(value, decimals)

    return write


def _line(
    result: CrosstabResult, metric: str, looks: Looks, letters: LettersOf | None
) -> Callable[[int, int], str]:
    """How one metric of a cell is written, its mark in front, so that figures stay in line."""
    if metric == "letters":
        return lambda row, column: "" if letters is None else letters.marks[row, column]
    values, respondents = plane(result, metric), denominator(result, metric)
    write = metric_writer(metric, looks)

    def line(row: int, column: int) -> str:
        value = float(values[row, column])
        if math.isnan(value):
            return "–"
        few = math.inf if respondents is None else float(respondents[row, column])
        return HIDDEN if few < looks.blank_under else f"{_mark(few, looks)}{write(value)}"

    return line


def metric_writer(metric: str, looks: Looks) -> Callable[[float], str]:
    """How the figures of one metric are written."""
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
            return lambda value: percent(value, 1 if decimals is None else decimals)


def _signed(value: float, decimals: int) -> str:
    size = figure(abs(value), decimals)
    if not any(digit in size for digit in "123456789"):
        return size
    return f"{'+' if value > 0 else '−'}{size}"


def _mark(respondents: float, looks: Looks) -> str:
    low, very_low = looks.low_base
    return "**\u00a0" if respondents < very_low else "*\u00a0" if respondents < low else ""


def _heat(result: CrosstabResult, looks: Looks, scales: HeatScales) -> Callable[[int, int], str]:
    """The colour behind a cell: orange above its base, blue below; paler the nearer."""
    if looks.heat == "none":
        return lambda row, column: ""
    values, respondents = plane(result, looks.heat), denominator(result, looks.heat)

    def style(row: int, column: int) -> str:
        few = math.inf if respondents is None else float(respondents[row, column])
        # What rests on too few must not shine through as a colour.
        hidden = few < looks.blank_under
        step = 0 if hidden else heat_step(float(values[row, column]), looks.heat, scales)
        opacity = math.floor(abs(step) * _HEAT_OPACITY / HEAT_STEPS + 0.5)
        # One digit for each of red, green, blue and opacity: short, as every cell repeats it.
        return f"background:#{'e82' if step > 0 else '27c'}{opacity:x}" if opacity else ""

    return style
