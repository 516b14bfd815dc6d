"""The names over the columns of a plot: in lines or slanted, under the names of their groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import pandas as pd

from audiencelab.analysis.chart_plan import short_names
from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import SMALL, Look
from audiencelab.charts.vega_lite import field, layer
from audiencelab.charts.wrapping import BOLD, LINE, broken, broken_apart, text_width
from audiencelab.render.text_width import words_of
from audiencelab.results.banner import Groups, joined

_LINES = 3
"""Lines of a name that is not slanted, and of that of a group."""

_SLANT = 40
"""Degrees of slanted names."""

_LONGEST = 190.0
"""Pixels of a slanted name."""

_GAP, _INSET = 6.0, 6.0
"""Pixels between names and cells, and between the names of two columns."""


@dataclass(frozen=True, slots=True)
class ColumnHeads:
    """The names of columns, with their positions in pixels from the top left of a plot.

    names: one for each column. groups: one for each group of columns, from `start` to `end`.
    slanted: whether the names rise to the right. beyond: pixels that they are beyond the plot.
    """

    names: pd.DataFrame
    groups: pd.DataFrame
    slanted: bool
    beyond: float

    def layers(self, colours: Look) -> list[Spec]:
        """The layers that write them."""

        def at(x: str, y: str = "y") -> Spec:
            return {"x": field(f"{x}:Q", scale=None), "y": field(f"{y}:Q", scale=None)}

        style: Spec = {"fontSize": SMALL, "lineHeight": SMALL * LINE}
        turned: Spec = {"align": "center", "baseline": "top"}
        if self.slanted:
            turned = {"align": "left", "baseline": "middle", "angle": 360 - _SLANT}
        layers = [layer("text", {**at("x"), "text": "lines:N"}, data=self.names, **style, **turned)]
        if len(self.groups):
            bold: Spec = {"align": "left", "baseline": "top", "fontWeight": 600}
            line = {**at("start", "rule"), "x2": "end"}
            layers += [
                layer("rule", line, data=self.groups, color=colours.quiet, strokeWidth=1),
                layer(
                    "text", {**at("start"), "text": "lines:N"}, data=self.groups, **style, **bold
                ),
            ]
        return layers


def heads_of(columns: Sequence[tuple[Groups, str]], step: float) -> ColumnHeads:
    """The names over columns of so many pixels.

    columns: groups and name of each. Names that do not fit in three lines are slanted.
    """
    groups = [group for group, _ in columns]
    runs = [(group, len(list(each))) for group, each in groupby(groups)]
    grouped = len(runs) > 1 and any(group for group, _ in runs)
    names = [name for _, name in columns]
    if not grouped:
        names = short_names(groups, names)
    lines = [broken(name, step - _INSET, SMALL, 99) for name in names]
    words = max(
        (text_width(word.rstrip()) for name in names for word in words_of(name)), default=0.0
    )
    slanted = words > step - _INSET or max(map(len, lines), default=0) > _LINES
    if slanted:
        lines = broken_apart(names, _LONGEST, SMALL, 1)
    turn = math.radians(_SLANT)
    longest = [max(map(text_width, each), default=0.0) for each in lines]
    high = max(longest, default=0.0) * math.sin(turn) + SMALL if slanted else _high(lines)
    places = [step * (at + (0.35 if slanted else 0.5)) for at in range(len(columns))]
    starts = [-_GAP - (SMALL / 2 if slanted else len(each) * SMALL * LINE) for each in lines]
    rows = pd.DataFrame({"x": places, "y": starts, "lines": lines})
    beyond = 0.0
    if slanted:
        ends = [at + wide * math.cos(turn) for at, wide in zip(places, longest, strict=True)]
        beyond = max(0.0, max(ends, default=0.0) - step * len(columns) + _INSET)
    over = _groups(runs, step, high + 2 * _GAP) if grouped else pd.DataFrame()
    return ColumnHeads(rows, over, slanted, beyond)


def _high(lines: Sequence[Sequence[str]]) -> float:
    return max(map(len, lines), default=0) * SMALL * LINE


def _groups(runs: Sequence[tuple[Groups, int]], step: float, over: float) -> pd.DataFrame:
    """The names of groups, over what is so many pixels high."""
    rows: list[dict[str, object]] = []
    start = 0
    for group, count in runs:
        wide = count * step - _INSET
        lines = broken(joined(group), wide / BOLD, SMALL, _LINES)
        rows.append(
            {
                "start": start * step + _INSET / 2,
                "end": start * step + _INSET / 2 + wide,
                "y": -over - len(lines) * SMALL * LINE - 4,
                "rule": -over,
                "lines": lines,
            }
        )
        start += count
    return pd.DataFrame([row for row in rows if row["lines"] != [""]])
