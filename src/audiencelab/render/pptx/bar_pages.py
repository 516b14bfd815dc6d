"""Slides of bars: beside each other in one chart, or a panel for each column.

Two or three columns are bars beside each other as long as they fit on a slide; more are panels on
one scale. Panels of different statistics have a scale each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

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
from audiencelab.render.pptx.native_tables import NativeTable, TableRow, text_cell
from audiencelab.render.pptx.pages import Item, ItemGroup, Page, parts
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
from audiencelab.render.pptx.theme import SERIES
from audiencelab.render.table_layout import TableLayout

BAR = 12.0
"""The height of a bar, in points."""

_PITCH = (16.0, 40.0)
"""The least and the largest distance from one category to the next."""

_BESIDE = 3
"""Columns whose bars are beside each other in one chart."""

_PANELS = 6
"""Panels on one slide."""

_NAMES = 0.38
"""The largest part of the width for the names of categories."""

NAME_SIZES = (10.5, 9.5, 8.5)
"""Sizes of names, of which the largest is taken that takes no more slides than another."""

_VALUE, _HEAD, _BELOW = 10.0, 11.0, 9.0
"""Sizes of values, headings of panels, and bases below them."""

_KEY_LINES = 2
"""Lines of a key; columns with longer names are panels."""

_WIDEST = {1: 560.0, 2: 400.0}
"""The widths of few panels, which are not spread over the whole slide."""

_GAP = 12.0
"""Between panels."""

_LINES = 3
"""Lines of a name, and of a panel's head."""


@dataclass(frozen=True, slots=True)
class Bars:
    """What bars show.

    cell: the row and the column of a category and a panel. alike: whether all panels have the same
    scale. words: what the chart shows. size: of the names of categories.
    label: what the values are, where the metric does not say it.
    """

    layout: TableLayout
    categories: tuple[ItemGroup, ...]
    panels: tuple[ItemGroup, ...]
    cell: Callable[[int, int], Cell]
    words: str
    alike: bool = True
    upright: bool = False
    size: float = NAME_SIZES[0]
    label: str = ""


def bar_pages(bars: Bars, width: float, height: float) -> list[Page]:
    """The slides of bars in a free area."""
    if bars.upright:
        return [
            _upright(bars, categories, panels, width, height)
            for panels in bars.panels
            for categories in _upright_parts(bars, len(panels.items), width)
        ]
    made = [_across(replace(bars, size=size), width, height) for size in NAME_SIZES]
    return min(made, key=len)


def _across(bars: Bars, width: float, height: float) -> list[Page]:
    pages: list[Page] = []
    for panels in _rows_of_panels(bars.panels):
        beside = _beside(bars, panels, width, height)
        if beside is not None:
            pages.append(beside)
            continue
        head = _head_height(panels, width, bars)
        pages += [
            _panels(bars, categories, panels, width, height)
            for categories in _parted(bars, width, height - head)
        ]
    return pages


def _rows_of_panels(groups: Sequence[ItemGroup]) -> list[tuple[ItemGroup, ...]]:
    """The groups of each slide: several small ones, or a part of a large one."""
    made: list[tuple[ItemGroup, ...]] = []
    for group in groups:
        for part in parts(len(group.items), _PANELS):
            items = tuple(group.items[at] for at in part)
            before = sum(len(each.items) for each in made[-1]) if made else _PANELS
            if before + len(items) <= _PANELS:
                made[-1] = (*made[-1], ItemGroup(group.head, items))
            else:
                made.append((ItemGroup(group.head, items),))
    return made


# -- names and heights ----------------------------------------------------------------------------


def _names_width(bars: Bars, width: float) -> float:
    names = [each.name for group in bars.categories for each in group.items]
    longest = max((text_width(name, bars.size) for name in names), default=0)
    # A name that wraps unforeseen would move those below it.
    return min(_NAMES * width, 1.1 * longest + 12)


def _pitch(bars: Bars, room: float, least: float) -> float:
    """The least distance between categories at which every name fits."""
    names = [each.name for group in bars.categories for each in group.items]
    lines = max((min(lines_of(name, room - 8, bars.size), _LINES) for name in names), default=1)
    return max(least, lines * LINE * bars.size + 3)


_SECTION = 18.0
"""The height of a heading between categories."""


def _parted(bars: Bars, width: float, height: float) -> list[tuple[ItemGroup, ...]]:
    """The categories of each slide, in parts of about the same length."""
    pitch = _pitch(bars, _names_width(bars, width), _PITCH[0])
    headed = any(group.head for group in bars.categories)
    whole = sum(len(group.items) for group in bars.categories) * pitch
    whole += _SECTION * len(bars.categories) if headed else 0
    slides = max(1, -(-whole // height))
    most = max(whole / slides + (_SECTION + pitch if headed else pitch * 0.99), pitch)
    made: list[list[ItemGroup]] = [[]]
    used = 0.0
    for group in bars.categories:
        items: list[Item] = []
        room = _SECTION if headed else 0.0
        for item in group.items:
            if used + room + pitch > min(most, height) and (items or made[-1]):
                if items:
                    made[-1].append(ItemGroup(group.head, tuple(items)))
                made.append([])
                items, used, room = [], 0.0, _SECTION if headed else 0.0
            items.append(item)
            used += room + pitch
            room = 0.0
        if items:
            made[-1].append(ItemGroup(group.head, tuple(items)))
    return [tuple(each) for each in made if each]


# -- beside each other ----------------------------------------------------------------------------


def _beside(bars: Bars, panels: Sequence[ItemGroup], width: float, height: float) -> Page | None:
    """One chart with the bars of all columns; None where they are too many for a slide."""
    if len(panels) > 1 or not bars.alike or len(bars.categories) > 1:
        return None
    series, categories = _items(panels), _items(bars.categories)
    if not 2 <= len(series) <= _BESIDE:
        return None
    room = _names_width(bars, width)
    names = [f"{each.name} ({each.below})" if each.below else each.name for each in series]
    lines = lines_of("".join(f"■ {name}      " for name in names), width - room, 11)
    if lines > _KEY_LINES:
        return None
    key = lines * LINE * 11 + 8
    least = BAR * len(series) + 6
    pitch = _pitch(bars, room, least)
    if pitch * len(categories) > height - key:
        return None
    pitch = min((height - key) / len(categories), BAR * len(series) * 1.9, 72)
    drawn = [
        _series(bars, categories, each, colour)
        for each, colour in zip(series, SERIES, strict=False)  # more colours than series
    ]
    box = Rect(room, key, width - room, pitch * len(categories))
    gap = round(100 * (pitch - BAR * len(series)) / BAR)
    chart = _chart(
        bars,
        categories,
        drawn,
        _top(bars.layout, [drawn], width - room),
        Plot(),
        gap,
        room,
        series[0].at,
    )
    pairs = list(zip(names, SERIES, strict=False))
    texts = (TextBox(Rect(room, 0, width - room, key), (key_runs(pairs),), 11, name="Key"),)
    tables = (_names(bars, categories, room, key, pitch),)
    return _page(
        bars, ((box, replace(chart, shows_names=False)),), texts, categories, series, tables
    )


def _names(
    bars: Bars, categories: Sequence[Item], room: float, top: float, pitch: float
) -> NativeTable:
    """The names of categories, in line with their bars: an axis would leave out what is narrow."""
    rows = tuple(
        TableRow((text_cell(fitted(each.name, room - 8, bars.size, _LINES), "r"),), pitch)
        for each in categories
    )
    box = Rect(0, top, room, pitch * len(rows))
    return NativeTable(box, (room,), rows, bars.size, "Names")


# -- panels ---------------------------------------------------------------------------------------


def _head_height(panels: Sequence[ItemGroup], width: float, bars: Bars) -> float:
    each = _panel_width(bars, panels, width)
    lines = max(min(lines_of(item.name, each, _HEAD), _LINES) for g in panels for item in g.items)
    below = any(item.below for group in panels for item in group.items)
    groups = any(group.head for group in panels)
    return LINE * (_HEAD * lines + _BELOW * below) + 16 * groups + 5


def _panel_width(bars: Bars, panels: Sequence[ItemGroup], width: float) -> float:
    count = sum(len(group.items) for group in panels)
    room = (width - _names_width(bars, width) - _GAP * count) / count
    return min(room, _WIDEST.get(count, 340.0))


def _panels(
    bars: Bars,
    categories: Sequence[ItemGroup],
    panels: Sequence[ItemGroup],
    width: float,
    height: float,
) -> Page:
    """A chart for each panel and each group of categories, all in line."""
    room, head = _names_width(bars, width), _head_height(panels, width, bars)
    each = _panel_width(bars, panels, width)
    count = sum(len(group.items) for group in categories)
    headed = any(group.head for group in categories)
    sections = _SECTION * len(categories) if headed else 0
    least = _pitch(bars, room, _PITCH[0])
    pitch = max(least, min((height - head - sections) / count, _PITCH[1]))
    charts: list[tuple[Rect, NativeChart]] = []
    texts: list[TextBox] = []
    tables: list[NativeTable] = []
    drawn = {
        (at, place): _series(bars, group.items, item, SERIES[0])
        for place, group in enumerate(categories)
        for at, item in enumerate(_items(panels))
    }
    shared = _top(bars.layout, [[each] for each in drawn.values()], each)
    left = room
    numbered = iter(range(len(_items(panels))))
    for group in panels:
        if group.head:
            span = (each + _GAP) * len(group.items) - _GAP
            words = Run(fitted(group.head, span, _BELOW, 1), QUIET)
            texts.append(TextBox(Rect(left, 0, span, 14), ((words,),), _BELOW, name="Group"))
        for item in group.items:
            at = next(numbered)
            alone = [[drawn[at, place]] for place in range(len(categories))]
            own = shared if bars.alike else _top(bars.layout, alone, each)
            texts.append(_head(item, Rect(left, 14 if group.head else 0, each, head)))
            top = head
            for place, section in enumerate(categories):
                first = at == 0
                if headed:
                    if first and section.head:
                        words = Run(fitted(section.head, width, bars.size, 1), bold=True)
                        box = Rect(0, top, width, _SECTION)
                        texts.append(
                            TextBox(box, ((words,),), bars.size, anchor="ctr", name="Section")
                        )
                    top += _SECTION
                long = pitch * len(section.items)
                if first:
                    tables.append(_names(bars, section.items, room, top, pitch))
                gap = round(100 * (pitch - BAR) / BAR)
                made = _chart(
                    bars, section.items, [drawn[at, place]], own, Plot(), gap, room, item.at
                )
                charts.append((Rect(left, top, each, long), replace(made, shows_names=False)))
                top += long
            left += each + _GAP
    every = [item for group in categories for item in group.items]
    return _page(bars, tuple(charts), tuple(texts), every, _items(panels), tuple(tables))


def _items(groups: Sequence[ItemGroup]) -> list[Item]:
    return [item for group in groups for item in group.items]


def _head(item: Item, box: Rect) -> TextBox:
    name = Run(fitted(item.name, box.width, _HEAD, _LINES), bold=True)
    below = ((Run(item.below, QUIET, size=_BELOW),),) if item.below else ()
    return TextBox(box, ((name,), *below), _HEAD, name="Head")


# -- charts ---------------------------------------------------------------------------------------


def _series(bars: Bars, categories: Sequence[Item], panel: Item, colour: str) -> Series:
    cells = [bars.cell(each.at, panel.at) for each in categories]
    return Series(
        cell_text(panel.name),
        tuple(value_at(bars.layout, cell) for cell in cells),
        colour,
        tuple(mark_at(bars.layout, cell) for cell in cells),
    )


def _top(
    layout: TableLayout, panels: Sequence[Sequence[Series]], width: float
) -> tuple[float, float]:
    """The ends of a scale, beyond the longest bars by the width of their values."""
    start = _start(layout)
    values = [each for panel in panels for one in panel for each in one.values if each is not None]
    low, high = min([*values, start]), max([*values, start])
    share = min(44 / max(width, 60), 0.45)
    room = (high - low or 1.0) / (1 - share * (2 if low < start else 1)) * share
    return (low - room if low < start else start, high + room)


def _start(layout: TableLayout) -> float:
    """Where bars begin: an index is read around that of everyone."""
    return 100.0 if drawn_metric(layout).kind == "index" else 0.0


def _chart(
    bars: Bars,
    categories: Sequence[Item],
    series: Sequence[Series],
    ends: tuple[float, float],
    plot: Plot,
    gap: int,
    room: float,
    panel: int,
) -> NativeChart:
    return NativeChart(
        "column" if bars.upright else "bar",
        names_of([fitted(each.name, room - 8, bars.size, _LINES) for each in categories]),
        tuple(series),
        format_of(bars.layout, bars.cell(categories[0].at, panel)[0]),
        *ends,
        words=bars.words,
        crosses=_start(bars.layout) or None,
        plot=plot,
        gap=max(0, min(gap, 500)),
        name_size=bars.size,
        value_size=_VALUE,
    )


_UPRIGHT = 16.0
"""The least width of an upright bar."""

_VALUE_ROOM = 30.0
"""The width of an upright bar above which its value is written."""


def _upright_parts(bars: Bars, series: int, width: float) -> list[list[Item]]:
    items = _items(bars.categories)
    most = int(width // (_UPRIGHT * (series + 0.6)))
    return [[items[at] for at in part] for part in parts(len(items), max(most, 2))]


def _upright(
    bars: Bars, categories: Sequence[Item], panels: ItemGroup, width: float, height: float
) -> Page:
    """Columns upright: categories along the lower edge, a series for each panel."""
    series = list(panels.items)
    key = 24.0 if len(series) > 1 else 0.0
    drawn = [
        _series(bars, categories, each, SERIES[at % len(SERIES)]) for at, each in enumerate(series)
    ]
    each = width / max(len(categories), 1)
    foot = LINE * bars.size * _LINES
    box = Rect(0, key, width, height - key)
    plot = Plot(0, 0, 1, 1 - foot / box.height)
    ends = _top(bars.layout, [drawn], 500)
    chart = _chart(bars, categories, drawn, ends, plot, 60, each, series[0].at)
    chart = replace(chart, shows_values=each / (len(series) + 0.6) >= _VALUE_ROOM)
    names = [(item.name, one.colour) for item, one in zip(series, drawn, strict=True)]
    key_box = TextBox(Rect(0, 0, width, key), (key_runs(names),), 11, name="Key")
    return _page(bars, ((box, chart),), (key_box,) if key else (), categories, series)


def _page(
    bars: Bars,
    charts: tuple[tuple[Rect, NativeChart], ...],
    texts: tuple[TextBox, ...],
    categories: Sequence[Item],
    panels: Sequence[Item],
    tables: tuple[NativeTable, ...] = (),
) -> Page:
    cells = [bars.cell(one.at, other.at) for one in categories for other in panels]
    rows, columns = zip(*cells, strict=True)
    return Page(charts, texts, tables, frozenset(rows), frozenset(columns), bars.label)
