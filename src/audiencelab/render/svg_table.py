"""A static form as one SVG image: its title, its tables with their colours, and its notes.

Each text is a `text` element, so that an image can be edited, searched and read aloud. Nothing in
it is fetched, linked or run. The ground is white and the ink dark, whatever the theme of the page:
an image is sent to others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from audiencelab.markup import (
    HEADING,
    INDENTED,
    NET,
    Card,
    Cell,
    CodeBlock,
    Content,
    Section,
    Table,
    escape,
)
from audiencelab.render.colours import LIGHT
from audiencelab.render.svg_text import font_of
from audiencelab.render.text_width import width, words_of, wrapped

_SIZE, _LINE = 13, 18
"""The size of text and the height of a line, in pixels."""

_LETTER, _BOLD = 0.56, 1.12
"""The width of a letter in sizes of wide faces, and how much wider bold ones are."""

_EDGE, _SIDE, _ABOVE = 16, 8, 4
"""Around the image; beside and above the text of a cell."""

_NAMES, _HEADER = 380, 120
"""The most of the column of names, and of the header of a column whose figures are narrower."""

_TITLE = 420
"""The least width of titles and notes."""

_INDENT = (0, 20, 34)

_COLOUR = re.compile(r"background:#([0-9a-f]{3})([0-9a-f])\b")


class _Line(NamedTuple):
    """A cell with its lines, colour and ink."""

    lines: list[str]
    colour: str = ""
    opacity: float = 1
    bold: bool = False
    italic: bool = False
    indent: int = 0
    quiet: bool = False


@dataclass
class _Drawing:
    """Elements, and how far down they reach."""

    parts: list[str] = field(default_factory=list[str])
    top: float = _EDGE
    right: float = 0

    def text(
        self, words: str, x: float, y: float, *, at: str = "start", ink: str = "", more: str = ""
    ) -> None:
        anchor = "" if at == "start" else f' text-anchor="{at}"'
        fill = f' fill="{ink}"' if ink else ""
        if words:
            self.parts.append(
                f'<text x="{x:g}" y="{y:g}"{anchor}{fill}{more}>{escape(words)}</text>'
            )

    def rule(self, left: float, right: float, y: float, colour: str) -> None:
        self.parts.append(f'<path d="M{left:g} {y:g}H{right:g}" stroke="{colour}"/>')

    def area(self, x: float, y: float, size: tuple[float, float], cell: _Line) -> None:
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{size[0]:g}" height="{size[1]:g}" '
            f'fill="#{cell.colour}" fill-opacity="{cell.opacity:.2f}"/>'
        )


def card_svg(form: Card) -> str:
    """The form as SVG, as large as its tables; code is left out."""
    tables = [block for block in form.blocks if isinstance(block, Table)]
    room = max([_TITLE, *(sum(_widths(each)) for each in tables)])
    drawing = _Drawing()
    for number, block in enumerate(form.blocks):
        if isinstance(block, Table):
            _draw_table(drawing, block)
        elif not isinstance(block, CodeBlock):
            _draw_words(drawing, block.words, room, is_title=number == 0)
    wide, high = max(drawing.right, _EDGE + room) + _EDGE, drawing.top + _EDGE
    title, drawn = escape(form.blocks[0].words), "".join(drawing.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" '
        f'width="{wide:g}" height="{high:g}" viewBox="0 0 {wide:g} {high:g}" '
        f'font-family="{font_of(drawn)}" font-size="{_SIZE}" fill="{LIGHT.ink}">'
        f'<rect width="100%" height="100%" fill="{LIGHT.ground}"/>{drawn}</svg>'
    )


def _draw_words(drawing: _Drawing, words: str, room: float, *, is_title: bool) -> None:
    if not words.strip():
        return
    more, ink = (' font-weight="600"', "") if is_title else ("", LIGHT.quiet)
    for line in wrapped(" ".join(words.split()), room / (_LETTER * _SIZE)):
        drawing.text(line, _EDGE, drawing.top + _SIZE, ink=ink, more=more)
        drawing.top += _LINE


# -- tables ---------------------------------------------------------------------------------------


def _draw_table(drawing: _Drawing, table: Table) -> None:
    widths = _widths(table)
    lefts = [_EDGE + sum(widths[:at]) for at in range(len(widths) + 1)]
    drawing.right = max(drawing.right, lefts[-1])
    drawing.top += _SIDE
    for line in table.above:
        _draw_groups(drawing, line, lefts)
    header = [_cell(each, most) for each, most in zip(table.headers, widths, strict=True)]
    bold = [cell._replace(bold=True) for cell in header]
    _draw_row(drawing, bold, lefts, table.right, bottom=True)
    drawing.rule(lefts[0], lefts[-1], drawing.top, LIGHT.quiet)
    for row in table.shown:
        if isinstance(row, Section):
            _draw_section(drawing, row, lefts)
            continue
        cells = [_cell(each, most) for each, most in zip(row, widths, strict=True)]
        _draw_row(drawing, cells, lefts, table.right)
    drawing.rule(lefts[0], lefts[-1], drawing.top, LIGHT.line)
    drawing.top += _SIDE


def _draw_groups(
    drawing: _Drawing, line: Sequence[tuple[Content, int]], lefts: Sequence[float]
) -> None:
    spans, at = list[tuple[list[str], float, float]](), 0
    for name, span in line:
        left, right = lefts[at], lefts[at + span]
        spans.append((_lines(_words(name), right - left), left, right))
        at += span
    height = _LINE * max(len(lines) for lines, *_ in spans) + _ABOVE
    for lines, left, right in spans:
        if not any(lines):
            continue
        for number, words in enumerate(lines):
            drawing.text(
                words, (left + right) / 2, drawing.top + _SIZE + number * _LINE, at="middle"
            )
        drawing.rule(left + _ABOVE, right - _ABOVE, drawing.top + height - 2, LIGHT.quiet)
    drawing.top += height


def _draw_section(drawing: _Drawing, row: Section, lefts: Sequence[float]) -> None:
    drawing.rule(lefts[0], lefts[-1], drawing.top, LIGHT.line)
    indent = _INDENT[min(row.level, len(_INDENT) - 1)]
    for words in _lines(row.name, lefts[-1] - lefts[0] - indent, bold=True):
        x, y = lefts[0] + _SIDE + indent, drawing.top + _ABOVE + _SIZE
        drawing.text(words, x, y, more=' font-weight="600"')
        drawing.top += _LINE
    drawing.top += 2 * _ABOVE


def _draw_row(
    drawing: _Drawing,
    cells: Sequence[_Line],
    lefts: Sequence[float],
    right: frozenset[int],
    *,
    bottom: bool = False,
) -> None:
    most = max(len(cell.lines) for cell in cells)
    height = most * _LINE + 2 * _ABOVE
    drawing.rule(lefts[0], lefts[-1], drawing.top, LIGHT.line)
    for at, cell in enumerate(cells):
        if cell.colour:
            drawing.area(lefts[at], drawing.top, (lefts[at + 1] - lefts[at], height), cell)
        first = drawing.top + _ABOVE + _SIZE
        first += (most - len(cell.lines)) * _LINE if bottom else 0
        more = ' font-weight="600"' if cell.bold else ""
        more += ' font-style="italic"' if cell.italic else ""
        ink = LIGHT.quiet if cell.quiet else ""
        for number, words in enumerate(cell.lines):
            y = first + number * _LINE
            if at in right:
                drawing.text(words, lefts[at + 1] - _SIDE, y, at="end", ink=ink, more=more)
            else:
                drawing.text(words, lefts[at] + _SIDE + cell.indent, y, ink=ink, more=more)
    drawing.top += height


def _cell(given: Content | Cell, most: float) -> _Line:
    cell = given if isinstance(given, Cell) else Cell(given)
    found = _COLOUR.search(cell.style)
    bold = HEADING in cell.style
    levels = (at for at, each in enumerate(INDENTED) if each and each in cell.style)
    indent = _INDENT[next(levels, 0)]
    return _Line(
        [
            line
            for words in _stacked(cell.content)
            for line in _lines(words, most - indent, bold=bold)
        ],
        "" if found is None else found[1],
        1 if found is None else int(found[2], 16) / 15,
        bold,
        NET in cell.style,
        indent,
        "opacity" in cell.style,
    )


def _words(content: Content) -> str:
    return content if isinstance(content, str) else content.words


def _stacked(content: Content) -> list[str]:
    """The values of a cell, one below the other where they are so on the screen."""
    words = _words(content)
    is_stacked = not isinstance(content, str) and "<br>" in content.markup
    return words.split(" / ") if is_stacked else [words]


def _lines(words: str, most: float, *, bold: bool = False) -> list[str]:
    return wrapped(words, (most - 2 * _SIDE) / (_LETTER * _SIZE * (_BOLD if bold else 1)))


# -- widths ---------------------------------------------------------------------------------------


def _widths(table: Table) -> list[float]:
    """The width of each column: of its figures, and of its header as far as that is not long."""
    rows = [row for row in table.shown if not isinstance(row, Section)]
    found: list[float] = []
    for at, header in enumerate(table.headers):
        figures = max((_wide(words) for row in rows for words in _texts(row, at)), default=0)
        name = _words(header)
        if at == 0:
            found.append(min(max(figures + _INDENT[-1], _wide(name)), _NAMES))
            continue
        longest = max((_wide(each.strip(), bold=True) for each in words_of(name)), default=0)
        found.append(max(figures, min(_wide(name, bold=True), max(longest, _HEADER))))
    return found


def _texts(row: Sequence[Content | Cell], at: int) -> list[str]:
    cell = row[at]
    return _stacked(cell.content if isinstance(cell, Cell) else cell)


def _wide(words: str, *, bold: bool = False) -> float:
    return _LETTER * _SIZE * (_BOLD if bold else 1) * width(words) + 2 * _SIDE + 1
