"""Slides of lines over waves: names and latest values at the ends of the lines, a panel a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from audiencelab.figures import figure
from audiencelab.render.cell_text import value_text
from audiencelab.render.colours import evenly
from audiencelab.render.excel.styles import cell_text
from audiencelab.render.pptx.figures import (
    Cell,
    drawn_metric,
    format_of,
    key_runs,
    mark_at,
    value_at,
)
from audiencelab.render.pptx.native_charts import NativeChart, Plot, Series, names_of
from audiencelab.render.pptx.pages import Page, parts
from audiencelab.render.pptx.shapes import LINE, Rect, Run, TextBox, fitted, lines_of, text_width
from audiencelab.render.pptx.theme import Theme, part_colours
from audiencelab.render.table_layout import TableLayout

_NAME, _VALUE, _AXIS = 10.5, 10.0, 9.0

_ENDS = 0.3
"""The largest part of the width for the names at the ends of lines."""

_LEFT = 40.0
"""The width of the names of values."""

_FOOT = 18.0
"""The height of the names of waves."""

_HEAD = 18.0


@dataclass(frozen=True, slots=True)
class Lines:
    """One panel: its waves, and for each line a name and its cells."""

    head: str
    waves: tuple[str, ...]
    lines: tuple[tuple[str, tuple[Cell, ...]], ...]


class _Axis(NamedTuple):
    low: float
    high: float
    step: float


def line_pages(
    layout: TableLayout,
    panels: Sequence[Lines],
    theme: Theme,
    words: str,
    area: tuple[float, float],
) -> list[Page]:
    """The slides of lines in a free area."""
    width, height = area
    if len(panels) == 1:
        return [_whole(layout, panels[0], theme, words, width, height)]
    same = len({tuple(name for name, _ in each.lines) for each in panels}) == 1
    most = 6
    return [
        _several(layout, [panels[at] for at in part], theme, words, area, same=same)
        for part in parts(len(panels), most)
    ]


def _whole(
    layout: TableLayout, lines: Lines, theme: Theme, words: str, width: float, height: float
) -> Page:
    """One panel with names at the ends of its lines."""
    if len(lines.lines) == 1:
        # Its name is in the title.
        lines = replace(lines, lines=(("", lines.lines[0][1]),))
    texts = [_end_text(layout, name, cells) for name, cells in lines.lines]
    longest = max((text_width(text, _NAME) for text in texts), default=0)
    room = min(_ENDS * width, longest + 12) if len(lines.lines) > 1 else 60
    axis = _axis(layout, [lines])
    box = Rect(0, 6, width - room, height - 6)
    chart = _chart(layout, lines, theme, axis, words, box)
    ends = _ends(layout, lines, theme, axis, chart, box, room)
    return _page([(box, chart)], [*_wave_names(lines, box), *ends], [lines])


def _several(
    layout: TableLayout,
    panels: Sequence[Lines],
    theme: Theme,
    words: str,
    area: tuple[float, float],
    *,
    same: bool,
) -> Page:
    """Small panels on one scale, with one key if their lines are the same."""
    width, height = area
    across = 2 if len(panels) in (2, 4) else min(3, len(panels))
    down = -(-len(panels) // across)
    key: list[TextBox] = []
    top = 0.0
    if same and len(panels[0].lines) > 1:
        names = [name for name, _ in panels[0].lines]
        pairs = list(zip(names, _colours(layout, panels[0], theme), strict=True))
        count = lines_of("".join(f"■ {name}      " for name in names), width, 10)
        top = count * LINE * 10 + 8
        key = [TextBox(Rect(0, 0, width, top), (key_runs(pairs),), 10, name="Key")]
    wide, long = (width - 18 * (across - 1)) / across, (height - top) / down
    of_one = _axis(layout, panels)
    charts: list[tuple[Rect, NativeChart]] = []
    texts = list(key)
    for at, panel in enumerate(panels):
        left, above = (at % across) * (wide + 18), top + (at // across) * long
        head = Run(fitted(panel.head, wide, _NAME, 1), bold=True)
        texts.append(TextBox(Rect(left, above, wide, _HEAD), ((head,),), _NAME, name="Head"))
        shown = panel if not same else replace(panel, lines=tuple(("", c) for _, c in panel.lines))
        ends = [_end_text(layout, name, cells) for name, cells in shown.lines]
        room = min(0.45 * wide, max(text_width(each, _NAME) for each in ends) + 12)
        box = Rect(left, above + _HEAD, wide - room, long - _HEAD - 6)
        # Statistics have units of their own.
        axis = of_one if same else _axis(layout, [panel])
        chart = _chart(layout, panel, theme, axis, words, box)
        charts.append((box, chart))
        texts += _wave_names(panel, box)
        texts += _ends(layout, shown, theme, axis, chart, box, room)
    return _page(charts, texts, panels)


def _page(
    charts: Sequence[tuple[Rect, NativeChart]], texts: Sequence[TextBox], panels: Sequence[Lines]
) -> Page:
    cells = [cell for panel in panels for _, cells in panel.lines for cell in cells]
    rows, columns = (frozenset(each) for each in zip(*cells, strict=True))
    return Page(tuple(charts), tuple(texts), rows=rows, columns=columns)


def _colours(layout: TableLayout, lines: Lines, theme: Theme) -> list[str]:
    """A colour for each line; answers in order have shades of one."""
    count = len(lines.lines)
    if count > 2 and all(layout.stub[cells[0][0]].ordered for _, cells in lines.lines):
        return evenly(theme.look.steps, count)
    return part_colours(count)


def _chart(
    layout: TableLayout, lines: Lines, theme: Theme, axis: _Axis, words: str, box: Rect
) -> NativeChart:
    width, height = box.width, box.height
    return NativeChart(
        "line",
        names_of(lines.waves),
        tuple(
            Series(
                cell_text(name),
                tuple(value_at(layout, cell) for cell in cells),
                colour,
                tuple(mark_at(layout, cell) for cell in cells),
            )
            for (name, cells), colour in zip(
                lines.lines, _colours(layout, lines, theme), strict=True
            )
        ),
        format_of(layout, lines.lines[0][1][0][0]),
        axis.low,
        axis.high,
        words=words,
        step=axis.step,
        plot=Plot(_LEFT / width, 0.02, 1 - _LEFT / width, 0.98 - _FOOT / height),
        shows_values=False,
        name_size=_AXIS,
        value_size=_AXIS,
        shows_names=_skipped(lines, box) == 1,
    )


def _skipped(lines: Lines, box: Rect) -> int:
    """Of how many waves one is named, so that names do not overlap."""
    each = (box.width - _LEFT) / max(len(lines.waves), 1)
    longest = max(text_width(wave, _AXIS) for wave in lines.waves) + 6
    return max(1, math.ceil(longest / each))


def _wave_names(lines: Lines, box: Rect) -> list[TextBox]:
    """The names of some waves, where those of all would overlap."""
    skipped = _skipped(lines, box)
    if skipped == 1:
        return []
    each = (box.width - _LEFT) / len(lines.waves)
    wide = each * skipped
    # From the latest on, whose values are written.
    places = range(len(lines.waves) - 1, -1, -skipped)
    return [
        TextBox(
            Rect(box.left + _LEFT + each * (at + 0.5) - wide / 2, box.bottom - _FOOT + 3, wide, 12),
            ((Run(fitted(lines.waves[at], wide, _AXIS, 1)),),),
            *(_AXIS, "ctr"),
            name="Wave",
        )
        for at in places
    ]


def _axis(layout: TableLayout, panels: Sequence[Lines]) -> _Axis:
    """Round ends of a scale; shares begin at 0."""
    cells = [cell for panel in panels for _, cells in panel.lines for cell in cells]
    values = [value for cell in cells if (value := value_at(layout, cell)) is not None] or [0.0]
    low, high = min(values), max(values)
    of_shares = layout.stub[cells[0][0]].decimals is None
    if of_shares and drawn_metric(layout).kind != "index":
        low = min(low, 0.0)
    elif high > low:
        low, high = low - (high - low) * 0.3, high + (high - low) * 0.3
    rough = (high - low or abs(high) or 1.0) / 4
    size = 10 ** math.floor(math.log10(rough))
    step = next(each * size for each in (1, 2, 2.5, 5, 10) if each * size >= rough)
    return _Axis(math.floor(low / step) * step, math.ceil(high / step) * step, step)


# -- the ends of lines ----------------------------------------------------------------------------


def _end_text(layout: TableLayout, name: str, cells: Sequence[Cell]) -> str:
    """The latest value of a line, and its name."""
    last = _last(layout, cells)
    if last is None:
        return name
    metric, decimals = drawn_metric(layout), layout.stub[last[0]].decimals
    value = float(metric.values[last])
    written = (
        figure(value, decimals)
        if decimals is not None
        else value_text(metric.name, value, metric.decimals)
    )
    return f"{written}{mark_at(layout, last)}\u2002{name}".rstrip()


def _last(layout: TableLayout, cells: Sequence[Cell]) -> Cell | None:
    return next((cell for cell in reversed(cells) if value_at(layout, cell) is not None), None)


def _ends(
    layout: TableLayout,
    lines: Lines,
    theme: Theme,
    axis: _Axis,
    chart: NativeChart,
    box: Rect,
    room: float,
) -> list[TextBox]:
    """Texts at the heights of the last values, moved apart where they would overlap."""
    top, long = box.top + chart.plot.top * box.height, chart.plot.height * box.height
    made: list[tuple[float, float, str, str]] = []
    for (name, cells), colour in zip(lines.lines, _colours(layout, lines, theme), strict=True):
        last = _last(layout, cells)
        if last is None:
            continue
        text = fitted(_end_text(layout, name, cells), room - 8, _NAME, 2)
        high = lines_of(text, room - 8, _NAME) * LINE * _NAME
        value = float(drawn_metric(layout).values[last])
        at = top + long * (axis.high - value) / (axis.high - axis.low)
        made.append((at - high / 2, high, text, colour))
    made.sort()
    tops = _apart([each[0] for each in made], [each[1] for each in made], box.top, box.bottom)
    return [
        TextBox(
            Rect(box.left + box.width + 6, at, room - 8, high),
            ((Run(text, colour),),),
            _NAME,
            anchor="ctr",
            name="End",
        )
        for at, (_, high, text, colour) in zip(tops, made, strict=True)
    ]


def _apart(tops: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """The upper edges of texts in their order, moved as little as possible so that none overlap."""
    made = list(tops)
    for at in range(1, len(made)):
        made[at] = max(made[at], made[at - 1] + heights[at - 1])
    if made:
        made[-1] = min(made[-1], high - heights[-1])
    for at in range(len(made) - 2, -1, -1):
        made[at] = min(made[at], made[at + 1] - heights[at])
    return [max(each, low) for each in made]
