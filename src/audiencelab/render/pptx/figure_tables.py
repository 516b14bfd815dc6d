"""Slides of tables: the figures of a layout as a native table, with bases, groups and marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audiencelab.render.cell_text import base_text, cell_texts
from audiencelab.render.pptx.native_tables import PLAIN_STYLE, NativeTable, TableCell, TableRow
from audiencelab.render.pptx.pages import Page
from audiencelab.render.pptx.shapes import (
    FAINT,
    LINE,
    QUIET,
    Rect,
    Run,
    fitted,
    lines_of,
    text_width,
)
from audiencelab.render.table_layout import TableLayout
from audiencelab.results.banner import joined, runs, sections

_SIZES = ((11.0, 0.34), (10.0, 0.34), (9.0, 0.34), (9.0, 0.22), (8.5, 0.18))
"""Sizes of text with the largest part of the width for names: the first at which all columns fit,
else the third."""

_LEAST, _MOST = 36.0, 124.0
"""The least and the largest width of a column of figures."""

_LINES = 3
"""Lines of a name, and of the head of a column."""

_PAD = 4.0

_INDENT = "\u2003"

_Texts = tuple[tuple[str, ...], ...]


def table_pages(layout: TableLayout, style: str, area: tuple[float, float]) -> list[Page]:
    """The slides of a table in a free area; style: the id of the template's, "" for our own."""
    width, height = area
    texts = tuple(
        tuple(_text(layout, row, column) for column in range(len(layout.banner)))
        for row in range(len(layout.stub))
    )
    sized = [_Grid.of(layout, texts, width, style, *each) for each in _SIZES]
    made = next((each for each in sized if each.fits), sized[2])
    return [
        _page(made, rows, columns)
        for columns in _column_parts(made)
        for rows in _row_parts(made, columns, height)
    ]


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table with a size of text.

    names: the width of the names of its rows. needs: the width that the figures of each column
    need. texts: of each row and column.
    """

    layout: TableLayout
    width: float
    style: str
    size: float
    names: float
    needs: tuple[float, ...]
    texts: _Texts

    @classmethod
    def of(
        cls,
        layout: TableLayout,
        texts: _Texts,
        width: float,
        style: str,
        size: float,
        share: float,
    ) -> _Grid:
        """The table with text of a size; share: of the width, for names at most."""
        names = [layout.row_name(row) for row in range(len(layout.stub))]
        names += [label for label, _ in layout.bases]
        longest = max((text_width(name, size) for name in names), default=0) + 2 * _PAD
        return cls(
            *(layout, width, style, size),
            max(min(share * width, longest), 90),
            tuple(_need(layout, texts, column, size) for column in range(len(layout.banner))),
            texts,
        )

    @property
    def room(self) -> float:
        """The width of all columns of figures."""
        return self.width - self.names

    @property
    def fits(self) -> bool:
        """Whether all columns are beside each other."""
        return sum(self.needs) <= self.room

    def widths(self, columns: Sequence[int]) -> list[float]:
        """The widths of some columns; a narrow table is not spread over the whole slide."""
        needs = [self.needs[column] for column in columns]
        spread = min(self.room / max(sum(needs), 1), 1.6)
        return [need * spread for need in needs]

    def height(self, lines: int) -> float:
        """The height of a row."""
        return lines * LINE * self.size + 3.4


def _text(layout: TableLayout, row: int, column: int) -> str:
    return " / ".join(map(str, cell_texts(layout, row, column)))


def _need(layout: TableLayout, texts: Sequence[Sequence[str]], column: int, size: float) -> float:
    longest = max((text_width(row[column], size) for row in texts), default=0)
    words = _column_head(layout, column).split()
    word = max((text_width(each, size) for each in words), default=0)
    return min(max(longest, min(word, 80), _LEAST) + 2 * _PAD, _MOST)


# -- what is on each slide ------------------------------------------------------------------------


def _column_parts(made: _Grid) -> list[list[int]]:
    """The columns of each slide, of about equal width, each with everyone in the base."""
    count = len(made.needs)
    if made.fits:
        return [list(range(count))]
    first = [0] if made.layout.total else []
    others = list(range(len(first), count))
    room = made.room - sum(made.needs[at] for at in first)
    whole = sum(made.needs[at] for at in others)
    slides = math.ceil(whole / room)
    made_parts: list[list[int]] = [[]]
    used = 0.0
    for column in others:
        need = made.needs[column]
        full = used + need > room or (used + need / 2 > whole / slides and len(made_parts) < slides)
        if made_parts[-1] and full:
            made_parts.append([])
            used = 0.0
        made_parts[-1].append(column)
        used += need
    return [[*first, *part] for part in made_parts]


def _row_parts(made: _Grid, columns: Sequence[int], height: float) -> list[list[int]]:
    """The rows of each slide, of about equal height."""
    room = height - sum(row.height for row in _head_rows(made, columns))
    begun = _sections(made.layout)
    heights = [
        _row_height(made, row, columns) + made.height(1) * len(begun[row])
        for row in range(len(made.layout.stub))
    ]
    count = max(1, -(-sum(heights) // room))
    most = sum(heights) / count
    parts: list[list[int]] = [[]]
    used = 0.0
    for row, own in enumerate(heights):
        full = used + own > room or (used + own / 2 > most and len(parts) < count)
        if parts[-1] and full:
            parts.append([])
            # A slide that continues a group names it again.
            used = made.height(1) if not begun[row] and _is_grouped(made.layout) else 0.0
        parts[-1].append(row)
        used += own
    return parts


def _row_height(made: _Grid, row: int, columns: Sequence[int]) -> float:
    lines = min(lines_of(made.layout.row_name(row), made.names - 2 * _PAD, made.size), _LINES)
    rooms = zip(columns, made.widths(columns), strict=True)
    figures = [
        lines_of(made.texts[row][column], width - 2 * _PAD, made.size) for column, width in rooms
    ]
    return made.height(max([lines, *figures]))


def _is_grouped(layout: TableLayout) -> bool:
    """Whether rows are of several groups; that of all rows is in the title."""
    return not layout.forms and len({*layout.stub_groups}) > 1


def _sections(layout: TableLayout) -> list[list[str]]:
    """The headings before each row."""
    if not _is_grouped(layout):
        return [[] for _ in layout.stub]
    shared = {groups[:1] for groups in layout.stub_groups}
    # Of the items of one question, the question is in the title.
    skipped = 1 if len(shared) == 1 and all(len(each) > 1 for each in layout.stub_groups) else 0
    return [
        [name for level, name in begun if name and level >= skipped]
        for begun in sections(layout.stub_groups)
    ]


# -- a slide --------------------------------------------------------------------------------------


def _head_rows(made: _Grid, columns: Sequence[int]) -> list[TableRow]:
    """Groups of columns, their names with letters, and their bases."""
    layout, size, widths = made.layout, made.size, made.widths(columns)
    groups = [layout.banner[column].groups for column in columns]
    rows: list[TableRow] = []
    for level in range(max(map(len, groups), default=0)):
        cells = [TableCell(())]
        lines = 1
        for name, first, last in runs(groups, level):
            room = sum(widths[first : last + 1]) - 2 * _PAD
            lines = max(lines, min(lines_of(name, room, size), 2))
            words, span = fitted(name, room, size, 2), last - first + 1
            cells.append(_cell(words, "ctr", span=span, bold=True, rule=FAINT if name else ""))
        rows.append(TableRow(tuple(cells), made.height(lines)))
    heads = [_column_head(layout, column) for column in columns]
    pairs = list(zip(heads, (width - 2 * _PAD for width in widths), strict=True))
    lines = max((min(lines_of(head, room, size), _LINES) for head, room in pairs), default=1)
    cells = [_cell(fitted(head, room, size, _LINES), "r", bold=True) for head, room in pairs]
    rows.append(TableRow((TableCell(()), *cells), made.height(lines)))
    for at, (label, kind) in enumerate(layout.bases):
        rule = QUIET if at == len(layout.bases) - 1 else ""
        texts = [
            base_text(layout.banner[column].base(kind), kind, layout.how.stars)
            if layout.has_base(column)
            else ""
            for column in columns
        ]
        cells = [_cell(text, "r", rule=rule, colour=QUIET) for text in texts]
        name = _cell(fitted(label, made.names - 2 * _PAD, size, 1), rule=rule, colour=QUIET)
        rows.append(TableRow((name, *cells), made.height(1)))
    return rows


def _column_head(layout: TableLayout, column: int) -> str:
    cell = layout.banner[column]
    return f"{cell.name} ({cell.letter})" if cell.letter else cell.name


def _cell(
    text: str,
    align: str = "l",
    *,
    span: int = 1,
    bold: bool = False,
    colour: str = "",
    rule: str = "",
) -> TableCell:
    return TableCell(((Run(text, colour, bold),),) if text else (), align, span, rule=rule)


def _page(made: _Grid, rows: Sequence[int], columns: Sequence[int]) -> Page:
    widths = made.widths(columns)
    lines = [*_head_rows(made, columns), *_figure_rows(made, rows, columns)]
    box = Rect(0, 0, made.names + sum(widths), sum(row.height for row in lines))
    table = NativeTable(
        box,
        (made.names, *widths),
        tuple(lines),
        made.size,
        words=f"Table: {made.layout.title}",
        style=made.style or PLAIN_STYLE,
        header=bool(made.style),
        margin=_PAD,
    )
    return Page((), tables=(table,), rows=frozenset(rows), columns=frozenset(columns))


def _figure_rows(made: _Grid, rows: Sequence[int], columns: Sequence[int]) -> Iterator[TableRow]:
    layout = made.layout
    begun = _sections(layout)
    for place, row in enumerate(rows):
        cell = layout.stub[row]
        heads = begun[row]
        if not place and not heads and _is_grouped(layout) and cell.groups:
            heads = [f"{joined(cell.groups[-1:])} (continued)"]
        for head in heads:
            text = fitted(head, made.names + sum(made.widths(columns)) - 2 * _PAD, made.size, 1)
            span = 1 + len(columns)
            yield TableRow((_cell(text, span=span, bold=True, rule=FAINT),), made.height(1))
        name = _INDENT * layout.level(row) + layout.row_name(row)
        name = fitted(name, made.names - 2 * _PAD, made.size, _LINES)
        cells = [_cell(made.texts[row][column], "r", rule=FAINT) for column in columns]
        yield TableRow(
            (_cell(name, bold=cell.net or cell.head, rule=FAINT), *cells),
            _row_height(made, row, columns),
        )
