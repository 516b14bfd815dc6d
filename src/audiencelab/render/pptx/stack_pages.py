"""Slides of stacks: 100% within each column or item, with totals of both ends beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from audiencelab.analysis.chart_plan import ChartPlan
from audiencelab.figures import figure
from audiencelab.render.cell_text import metric_text, value_text
from audiencelab.render.colours import scale_colours
from audiencelab.render.excel.styles import cell_text
from audiencelab.render.pptx.bar_pages import NAME_SIZES
from audiencelab.render.pptx.figures import (
    Cell,
    drawn_metric,
    format_of,
    key_runs,
    mark_at,
    value_at,
)
from audiencelab.render.pptx.native_charts import NativeChart, Series, names_of
from audiencelab.render.pptx.native_tables import NativeTable, TableRow, text_cell
from audiencelab.render.pptx.pages import Page, joined_pages, parts
from audiencelab.render.pptx.shapes import (
    LINE,
    QUIET,
    Rect,
    Run,
    TextBox,
    fitted,
    lines_of,
    text_width,
)
from audiencelab.render.pptx.theme import Theme, part_colours
from audiencelab.render.table_layout import TableLayout

_PITCH = (19.0, 34.0)
"""The least and the largest distance between stacks."""

_FEW = 4
"""Stacks that may be higher."""

_BAR = 0.7
"""The part of it that a stack takes."""

_NAMES = 0.38
"""The largest part of the width for names."""

_END, _OTHER = 84.0, 50.0
"""The widths of a total, and of another column of text."""

_VALUE, _SMALL = 9.0, 8.5

_LEAST = 26.0
"""Points of width that a value needs inside its part."""

_HEAD, _APART = 18.0, 6.0
"""The height of a heading above stacks, and what is between groups of stacks."""

_LINES = 3
"""Lines of a name."""


@dataclass(frozen=True, slots=True)
class Stacks:
    """Stacks in line: each a name with its cells, one for each answer.

    answers: name and point of the scale of each part.
    statistics: rows whose values are beside the stacks; of each the row of the layout by stack.
    """

    head: str
    names: tuple[str, ...]
    bases: tuple[float, ...]
    cells: tuple[tuple[Cell, ...], ...]
    answers: tuple[tuple[str, str], ...]
    statistics: tuple[tuple[str, tuple[Cell, ...]], ...] = ()


class _End(NamedTuple):
    """A column of text beside stacks: its head, its texts, its width."""

    head: str
    texts: list[str]
    width: float
    bold: bool = False


def stack_pages(
    layout: TableLayout,
    plan: ChartPlan,
    stacks: Sequence[Stacks],
    theme: Theme,
    words: str,
    area: tuple[float, float],
) -> list[Page]:
    """The slides of stacks in a free area."""
    width, height = area
    key = _key(plan, stacks[0], theme, width)
    head = _head_height(layout, plan, stacks[0])
    room = height - key.box.height - head
    sizes = {size: _slides(stacks, width, room, size) for size in NAME_SIZES}
    size = min(NAME_SIZES, key=lambda each: (sizes[each], -each))
    made = _Drawn(layout, plan, theme, words, width, _names_width(stacks, width, size), size)
    pages: list[Page] = []
    for each in stacks:
        pitch = _pitch(stacks, width, room, size)
        headed = _HEAD if each.head else 0.0
        most = max(1, int((room - headed) // _least_pitch(each, width, size)))
        pages += [
            _page(made, _part(each, part), pitch, room) for part in parts(len(each.names), most)
        ]
    heads = _ends_heads(made, stacks[0], head)
    top = key.box.height
    return [_with_heads(page, key, heads, top, head) for page in joined_pages(pages, room, _APART)]


class _Drawn(NamedTuple):
    """What all slides of a table have in common; names: the width of the names of stacks."""

    layout: TableLayout
    plan: ChartPlan
    theme: Theme
    words: str
    width: float
    names: float
    size: float


def _slides(stacks: Sequence[Stacks], width: float, room: float, size: float) -> float:
    """About how many slides stacks take with names of a size."""
    heights = [
        (_HEAD + _APART if each.head else 0) + len(each.names) * _least_pitch(each, width, size)
        for each in stacks
    ]
    return math.ceil(sum(heights) / room)


def _pitch(stacks: Sequence[Stacks], width: float, room: float, size: float) -> float:
    """The distance between stacks: as large as fits where all are on one slide."""
    least = max(_least_pitch(each, width, size) for each in stacks)
    count = sum(len(each.names) for each in stacks)
    heads = sum(_HEAD + _APART for each in stacks if each.head)
    spread = (room - heads) / count
    if spread < least:
        # On each of several slides as many as can be.
        slides = math.ceil((count * least + heads) / room)
        longest = math.ceil(count / slides)
        largest = max(len(each.names) for each in stacks)
        alone = 2 * (largest * least + _HEAD) > room
        spread = (
            room / longest if len(stacks) == 1 else (room - _HEAD) / largest if alone else least
        )
    return max(least, min(spread, _PITCH[1] if count > _FEW else 1.6 * _PITCH[1]))


def _part(stacks: Stacks, part: Sequence[int]) -> Stacks:
    return replace(
        stacks,
        names=tuple(stacks.names[at] for at in part),
        bases=tuple(stacks.bases[at] for at in part),
        cells=tuple(stacks.cells[at] for at in part),
        statistics=tuple(
            (name, tuple(cells[at] for at in part)) for name, cells in stacks.statistics
        ),
    )


def _least_pitch(stacks: Stacks, width: float, size: float) -> float:
    room = _names_width([stacks], width, size) - 8
    lines = max((min(lines_of(name, room, size), _LINES) for name in stacks.names), default=1)
    return max(_PITCH[0], lines * LINE * size + 1)


def _names_width(stacks: Sequence[Stacks], width: float, size: float) -> float:
    names = (name for each in stacks for name in each.names)
    return min(_NAMES * width, 1.1 * max(text_width(name, size) for name in names) + 12)


def _key(plan: ChartPlan, stacks: Stacks, theme: Theme, width: float) -> TextBox:
    names = list(
        zip((name for name, _ in stacks.answers), _colours(plan, stacks, theme), strict=True)
    )
    lines = lines_of("".join(f"■ {name}      " for name, _ in names), width, 10)
    return TextBox(Rect(0, 0, width, lines * LINE * 10 + 6), (key_runs(names),), 10, name="Key")


def _colours(plan: ChartPlan, stacks: Stacks, theme: Theme) -> list[str]:
    points = [point for _, point in stacks.answers]
    return (
        scale_colours(plan.scale, points, theme.look) if plan.scale else part_colours(len(points))
    )


# -- what is beside the stacks --------------------------------------------------------------------


def _net_text(layout: TableLayout, stacks: Stacks, at: int, points: Sequence[str]) -> str:
    """The sum of a stack's parts at some points of its scale; "" where one has no value."""
    metric = drawn_metric(layout)
    chosen = [
        cell
        for cell, (_, point) in zip(stacks.cells[at], stacks.answers, strict=True)
        if point in points
    ]
    shares = [value_at(layout, cell) for cell in chosen]
    if not shares or any(each is None for each in shares):
        return ""
    mark = max((mark_at(layout, cell) for cell in chosen), default="")
    return value_text(metric.name, math.fsum(filter(None, shares)), metric.decimals) + mark


def _answers_at(stacks: Stacks, points: Sequence[str]) -> str:
    return " + ".join(name for name, point in stacks.answers if point in points)


def _left(layout: TableLayout, plan: ChartPlan, stacks: Stacks) -> list[_End]:
    if not plan.low:
        return []
    texts = [_net_text(layout, stacks, at, plan.low) for at in range(len(stacks.names))]
    return [_End(_answers_at(stacks, plan.low), texts, _END, bold=True)]


def _right(layout: TableLayout, plan: ChartPlan, stacks: Stacks) -> list[_End]:
    made: list[_End] = []
    if plan.high:
        texts = [_net_text(layout, stacks, at, plan.high) for at in range(len(stacks.names))]
        made.append(_End(_answers_at(stacks, plan.high), texts, _END, bold=True))
    for name, cells in stacks.statistics:
        texts = [str(metric_text(layout, drawn_metric(layout), *cell)) for cell in cells]
        made.append(_End(name, texts, _OTHER))
    if not all(map(math.isnan, stacks.bases)):
        made.append(_End("n", [figure(each, 0) for each in stacks.bases], _OTHER))
    return made


def _head_height(layout: TableLayout, plan: ChartPlan, stacks: Stacks) -> float:
    ends = [*_left(layout, plan, stacks), *_right(layout, plan, stacks)]
    lines = max((min(lines_of(each.head, each.width - 6, _SMALL), 4) for each in ends), default=0)
    return lines * LINE * _SMALL + 4


def _ends_heads(made: _Drawn, stacks: Stacks, height: float) -> list[TextBox]:
    """The headings of the columns of text, above the stacks."""
    left, right = (side(made.layout, made.plan, stacks) for side in (_left, _right))
    start = made.width - sum(each.width for each in right)
    heads: list[TextBox] = []
    for at, ends in ((made.names, left), (start, right)):
        for each in ends:
            heads.append(_end_head(each, at, height))
            at += each.width
    return heads


def _end_head(end: _End, left: float, height: float) -> TextBox:
    words = Run(fitted(end.head, end.width - 6, _SMALL, 4), QUIET)
    box = Rect(left + 3, 0, end.width - 6, height)
    return TextBox(box, ((words,),), _SMALL, "ctr", "b", "Head")


def _with_heads(
    page: Page, key: TextBox, heads: Sequence[TextBox], top: float, height: float
) -> Page:
    down = top + height
    return replace(
        page,
        charts=tuple((box.moved(0, down), chart) for box, chart in page.charts),
        texts=(
            key,
            *(each.moved(0, top) for each in heads),
            *(each.moved(0, down) for each in page.texts),
        ),
        tables=tuple(each.moved(0, down) for each in page.tables),
    )


# -- a slide --------------------------------------------------------------------------------------


def _page(made: _Drawn, stacks: Stacks, pitch: float, room: float) -> Page:
    layout, plan, theme = made.layout, made.plan, made.theme
    head = _HEAD if stacks.head else 0.0
    count = len(stacks.names)
    pitch = min(pitch, (room - head) / count)
    names = made.names
    left, right = _left(layout, plan, stacks), _right(layout, plan, stacks)
    wide = made.width - names - sum(each.width for each in (*left, *right)) - 8
    start = names + sum(each.width for each in left) + 4
    cells = [cell for each in stacks.cells for cell in each]
    drawn = [
        Series(
            cell_text(name),
            tuple(value_at(layout, each[at]) for each in stacks.cells),
            colour,
            tuple(mark_at(layout, each[at]) for each in stacks.cells),
            theme.ink_on(colour),
        )
        for at, ((name, _), colour) in enumerate(
            zip(stacks.answers, _colours(plan, stacks, theme), strict=True)
        )
    ]
    chart = NativeChart(
        "stack",
        names_of(stacks.names),
        tuple(drawn),
        format_of(layout, cells[0][0]),
        0,
        100,
        words=made.words,
        shows_names=False,
        least=100 * _LEAST / wide,
        gap=round(100 * (1 - _BAR) / _BAR),
        value_size=_VALUE,
    )
    long = pitch * count
    columns = [_End("", list(stacks.names), names), *left]
    tables = [_texts(made, columns, 0, head, pitch, "l")]
    if right:
        at = made.width - sum(each.width for each in right)
        tables.append(_texts(made, right, at, head, pitch, "ctr"))
    heading = (
        (
            TextBox(
                Rect(0, 0, made.width, head),
                ((Run(fitted(stacks.head, made.width, 10.5, 1), bold=True),),),
                10.5,
                anchor="ctr",
                name="Section",
            ),
        )
        if head
        else ()
    )
    return Page(
        ((Rect(start, head, wide, long), chart),),
        heading,
        tuple(tables),
        frozenset(row for row, _ in cells),
        frozenset(column for _, column in cells),
    )


def _texts(
    made: _Drawn, columns: Sequence[_End], left: float, top: float, pitch: float, first: str
) -> NativeTable:
    """Columns of text in line with the stacks."""
    rows = tuple(
        TableRow(
            tuple(
                text_cell(
                    fitted(each.texts[at], each.width - 6, made.size, _LINES),
                    first if place == 0 else "ctr",
                    bold=each.bold,
                )
                for place, each in enumerate(columns)
            ),
            pitch,
        )
        for at in range(len(columns[0].texts))
    )
    widths = tuple(each.width for each in columns)
    box = Rect(left, top, sum(widths), pitch * len(rows))
    return NativeTable(
        box, widths, rows, made.size, ", ".join(each.head for each in columns if each.head)
    )
