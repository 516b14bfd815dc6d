"""One table on one sheet: title, banner, bases, body, notes, and how it is printed.

Lines are written from the top down and never gone back to, so that a large table need not be held
in memory as cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from audiencelab.render.csv_injection import looks_like_formula
from audiencelab.render.excel.limits import cell_text, check_extent
from audiencelab.render.excel.pagination import (
    PAGE_WIDTH,
    SMALLEST_PRINT,
    breaks_between,
    parted,
)
from audiencelab.render.excel.sheet_layouts import Lay, Part
from audiencelab.render.excel.styles import HEAT, Looks
from audiencelab.render.table_layout import Head, low_base_mark, low_base_note
from audiencelab.results.banner import depth, edges, runs, sections

_LABEL_WIDTH = (14, 46)
"""Least and most characters of the column with the rows' names."""

_HEAD_LINES = 6
_LINE_HEIGHT = 13.5
_RANGES = 200
"""Ranges of one conditional format; Excel slows down long before it refuses more."""

_WIDTHS = {"percentage": 9, "index": 7, "size": 15, "sample": 11}
_LEAST_WIDTH = 11
"""Characters of a column that has a name of its own above it."""

_MISSING = "–"
_ADVICE = 'ask for fewer figures or audiences, or for layout="sheets"'


def draw_table(sheet: Any, lay: Lay, looks: Looks) -> None:
    """Draw one table; `WorkbookError` where Excel has too few rows or columns for it."""
    _Drawing(sheet, lay, looks).draw()


class _Drawing:
    """A table under way: knows the line that comes next."""

    def __init__(self, sheet: Any, lay: Lay, looks: Looks) -> None:
        self.sheet, self.lay, self.looks = sheet, lay, looks
        self.table = lay.table
        self.next = 0
        # Names, then the label of each line's figure, then the stub's own bases; then the body.
        self.labels = 1 + int(lay.down) + 2 * int(self.table.stub_bases)
        self.top = self.body = 0
        self.sections = sections(self.table.stub_heads)
        self.strengths = edges(self.table.banner_heads)
        # By column of the sheet, how strong a line stands at its left.
        self.edges = {
            self.labels + place * lay.columns: strength
            for place, strength in enumerate(self.strengths)
            if strength
        }
        longest = max((len(mark) for line in self.table.marks for mark in line), default=0)
        self.marks_width = min(max(9, longest + 2), 30)
        self.label_width = self._label_width()
        # Before which columns a page ends.
        self.breaks = breaks_between(self.strengths, self._columns_of_a_page())

    def draw(self) -> None:
        above = depth(self.table.banner_heads) + len(self.table.facts)
        over = 12 + above + len(self.table.notes) + sum(map(len, self.sections))
        check_extent(over + self.lay.height, self.labels + self.lay.width, _ADVICE)
        self._columns()
        self._heading()
        self.top = self.next
        self._banner()
        self._bases()
        self.body = self.next
        heated = list(self._body())
        self._heat(heated)
        last = self.next - 1
        self._notes()
        self._print(last)

    def _begin(self) -> None:
        """Lines between groups also stand where a line of the sheet has nothing else to show."""
        for column, strength in self.edges.items():
            look = self.looks.style("edge", edge=strength)
            self.sheet.write_blank(self.next, column, None, look)

    def _text(
        self,
        row: int,
        column: int,
        value: str,
        style: str,
        *,
        ruled: bool = False,
        indent: int = 0,
    ) -> None:
        """Text, always as text: nothing that comes from outside is ever a formula."""
        told = cell_text(value)
        look = self.looks.style(
            style,
            quoted=looks_like_formula(told),
            ruled=ruled,
            edge=self.edges.get(column, 0),
            indent=indent,
        )
        self.sheet.write_string(row, column, told, look)

    def _number(
        self,
        column: int,
        value: float,
        kind: str,
        mark: str,
        *,
        style: str = "figure",
        ruled: bool = False,
    ) -> None:
        """A figure in the line that comes next, or a dash where there is none."""
        if math.isfinite(value):
            edge = self.edges.get(column, 0)
            look = self.looks.number(kind, mark, style=style, ruled=ruled, edge=edge)
            self.sheet.write_number(self.next, column, value, look)
        else:
            self._text(self.next, column, _MISSING, style, ruled=ruled)

    def _columns(self) -> None:
        self.sheet.set_column(0, 0, self.label_width)
        if self.labels > 1:
            self.sheet.set_column(1, self.labels - 1, 13)
        first = self.labels
        if self.lay.down:
            self.sheet.set_column(first, first + self.lay.width - 1, self._column_width())
            return
        for column in range(len(self.table.banner)):
            for offset, part in enumerate(self.lay.parts):
                place = first + column * self.lay.columns + offset
                untested = not part.kind and self.table.total and column == 0
                self.sheet.set_column(place, place, 2 if untested else self._part_width(part))

    def _label_width(self) -> int:
        names = [head.name for head in self.table.stub] or [""]
        least, most = _LABEL_WIDTH
        return min(most, max(least, *(_longest_line(name) + 2 for name in names)))

    def _columns_of_a_page(self) -> int:
        beside = self.label_width + 13 * (self.labels - 1)
        return max(int((PAGE_WIDTH - beside) // self._column_width()), 1)

    def _part_width(self, part: Part) -> float:
        width = self._width(part)
        return max(width, _LEAST_WIDTH) if self.lay.columns == 1 else width

    def _width(self, part: Part) -> float:
        return _WIDTHS[part.kind] if part.kind else self.marks_width

    def _heading(self) -> None:
        self._text(0, 0, self.table.title, "title")
        for place, fact in enumerate(self.table.facts, 1):
            self._text(place, 0, fact, "fact")
        self.next = len(self.table.facts) + 2

    def _banner(self) -> None:
        """Heads above heads, names, letters, and what the figures are."""
        banner = self.table.banner
        for level in range(depth(self.table.banner_heads)):
            spans = runs(self.table.banner_heads, level)
            # Each page tells its heads: one that goes over the end of a page is told again.
            self._across([part for run in spans for part in parted(run, self.breaks)], "group")
        self._across([(head.name, place, place) for place, head in enumerate(banner)], "head")
        if any(head.letter for head in banner):
            letters = [
                (f"({head.letter})" if head.letter else "", place, place)
                for place, head in enumerate(banner)
            ]
            self._across(letters, "letter")
        if not self.lay.down:
            self._begin()
            for place, column, part in self.lay.line(0):
                # Nobody tests a whole against its parts.
                if part.measure or not (self.table.total and column == 0):
                    style = "part" if part.kind else "marks head"
                    self._text(self.next, self.labels + place, part.label, style)
            self._stub_base_heads()
            self.next += 1
        elif self.table.stub_bases:
            self._begin()
            self._stub_base_heads()
            self.next += 1

    def _stub_base_heads(self) -> None:
        if self.table.stub_bases:
            for place, label in enumerate(("People", "Respondents"), self.labels - 2):
                self._text(self.next, place, label, "part")

    def _across(self, runs: Sequence[tuple[str, int, int]], style: str) -> None:
        """One line of the banner: a text over each run of the table's columns."""
        self._begin()
        lines = 1
        for words, first, last in runs:
            left = self.labels + first * self.lay.columns
            right = self.labels + (last + 1) * self.lay.columns - 1
            if words:
                self._merged(left, right, words, style)
            lines = max(lines, _lines(words, self._column_width() * (last - first + 1)))
        if lines > 1:
            self.sheet.set_row(self.next, _LINE_HEIGHT * min(lines, _HEAD_LINES))
        self.next += 1

    def _merged(self, left: int, right: int, words: str, style: str) -> None:
        if left == right:
            self._text(self.next, left, words, style)
            return
        look = self.looks.style(style, edge=self.edges.get(left, 0))
        self.sheet.merge_range(self.next, left, self.next, right, "", look)
        self._text(self.next, left, words, style)

    def _bases(self) -> None:
        for label, kind in (("People", "size"), ("Respondents", "sample")):
            self._text(self.next, 0, f"Base: {label.lower()}", "base name")
            for place, head in enumerate(self.table.banner):
                value = head.size if kind == "size" else head.sample
                mark = low_base_mark(value) if kind == "sample" else ""
                self._base(self.labels + place * self.lay.columns, value, kind, mark)
            self.next += 1

    def _base(self, left: int, value: float, kind: str, mark: str) -> None:
        right = left + self.lay.columns - 1
        style = "bases" if right > left else "base"
        if right > left:
            look = self.looks.style(style, edge=self.edges.get(left, 0))
            self.sheet.merge_range(self.next, left, self.next, right, "", look)
        self._number(left, value, kind, mark, style=style)

    def _body(self) -> Iterator[tuple[int, int, int, int]]:
        """The lines of the table; gives the ranges that hold indices."""
        for place, head in enumerate(self.table.stub):
            for level, name in self.sections[place]:
                self._begin()
                self._text(self.next, 0, name, "section", indent=level)
                self.next += 1
            for offset in range(self.lay.lines):
                self._begin()
                self._label(head, offset)
                self._line(place, place * self.lay.lines + offset)
                yield from self._indices(offset)
                self.next += 1

    def _label(self, head: Head, offset: int) -> None:
        ruled = offset == 0 and self.lay.lines > 1
        if offset == 0:
            self._text(self.next, 0, head.name, "net" if head.net else "stub", ruled=ruled)
            lines = _lines(head.name, self.label_width, bold=False)
            if lines > 1:
                self.sheet.set_row(self.next, _LINE_HEIGHT * min(lines, _HEAD_LINES))
        if self.lay.down:
            self._text(self.next, 1, self.lay.parts[offset].label, "line", ruled=ruled)
        if self.table.stub_bases and offset == 0:
            for value, kind, column in (
                (head.size, "size", self.labels - 2),
                (head.sample, "sample", self.labels - 1),
            ):
                mark = low_base_mark(value) if kind == "sample" else ""
                self._number(column, value, kind, mark, style="base", ruled=ruled)

    def _line(self, place: int, line: int) -> None:
        ruled = self.lay.down and line % self.lay.lines == 0
        for offset, column, part in self.lay.line(line):
            at = self.labels + offset
            measure = part.measure
            if measure is None:
                if letters := self.table.mark_at(place, column):
                    style = "letters below" if self.lay.down else "letters"
                    self._text(self.next, at, letters, style)
            elif self.table.is_blank(measure, place, column):
                self._text(self.next, at, "", "figure", ruled=ruled)
            else:
                value, mark = float(measure.values[place, column]), measure.mark(place, column)
                self._number(at, value, part.kind, mark, ruled=ruled)

    def _indices(self, offset: int) -> Iterator[tuple[int, int, int, int]]:
        """Where the indices of this line stand; in columns they are told once, with the last."""
        first = int(self.table.total)
        if self.lay.down:
            if self.lay.parts[offset].kind == "index":
                left = self.labels + first
                yield self.next, left, self.next, self.labels + self.lay.width - 1
            return
        if self.next != self._last_line():
            return
        for place, column, part in self.lay.line(0):
            if column >= first and part.kind == "index":
                yield self.body, self.labels + place, self.next, self.labels + place

    def _last_line(self) -> int:
        return self.body + self.lay.height + sum(map(len, self.sections)) - 1

    def _heat(self, ranges: Sequence[tuple[int, int, int, int]]) -> None:
        for start in range(0, len(ranges), _RANGES):
            some = ranges[start : start + _RANGES]
            several = " ".join(map(_address, some))
            self.sheet.conditional_format(*some[0], HEAT | {"multi_range": several})

    def _notes(self) -> None:
        self.next += 1
        heated = any(part.kind == "index" for part in self.lay.parts)
        notes = [
            *self.table.notes,
            low_base_note(self.table),
            "Index: 100 is the share in the base; blue is below, orange above." if heated else "",
            self.table.source,
        ]
        for note in filter(None, notes):
            # Only what stands on a line of its own is printed whole: a cell ends with the page.
            for line in wrap(note, self._note_width()):
                self._text(self.next, 0, line, "note")
                self.next += 1

    def _note_width(self) -> int:
        """Characters of a line that is no wider than the table, nor than a page."""
        return int(min(max(60, self._width_in_characters()), PAGE_WIDTH * 0.8))

    def _width_in_characters(self) -> float:
        beside = 13 * (self.labels - 1)
        return self.label_width + beside + len(self.table.banner) * self._column_width()

    def _column_width(self) -> float:
        """Characters that one column of the table takes."""
        if self.lay.down:
            return max(_LEAST_WIDTH, *map(self._width, self.lay.parts))
        return sum(map(self._part_width, self.lay.parts))

    def _print(self, last: int) -> None:
        """As it is read on the screen and on paper: heads stay, pages are landscape."""
        sheet = self.sheet
        sheet.freeze_panes(self.body, self.labels)
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
        sheet.repeat_rows(self.top, self.body - 1)
        sheet.repeat_columns(0, self.labels - 1)
        self._pages()
        sheet.print_area(0, 0, max(self.next - 1, last), self.labels + max(self.lay.width, 1) - 1)
        sheet.set_footer(f"&L&8{_footer(self.table.source)}&R&8&P / &N")

    def _pages(self) -> None:
        """One page wide where that can be read; else pages that end with a column of the table."""
        if not self.breaks:
            self.sheet.fit_to_pages(1, 0)
            return
        self.sheet.set_print_scale(SMALLEST_PRINT)
        places = [self.labels + at * self.lay.columns for at in self.breaks]
        self.sheet.set_v_pagebreaks(places[:1023])


def _longest_line(name: str) -> int:
    return max(map(len, name.splitlines()), default=0)


def _lines(words: str, width: float, *, bold: bool = True) -> int:
    """How many lines words take when they are wrapped."""
    # Bold letters are wider than the figures that a column's width counts.
    wide = 1.1 if bold else 1.0
    return sum(max(1, math.ceil(len(line) * wide / width)) for line in words.splitlines()) or 1


def _address(cells: tuple[int, int, int, int]) -> str:
    from xlsxwriter.utility import xl_range

    return str(xl_range(*cells))


def _footer(source: str) -> str:
    """The source, short enough for Excel's 255 characters; an ampersand is doubled there."""
    told = " ".join(cell_text(source).split())
    return (told if len(told) <= 90 else told[:89] + "…").replace("&", "&&")
