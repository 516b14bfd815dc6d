"""One table on one sheet: title, banner, bases, body, notes, and how it is printed.

Rows are written from the top down and never changed, so that a large table need not be held in
memory as cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, get_args

from audiencelab.csv_injection import looks_like_formula
from audiencelab.render.excel.pages import (
    Pages,
    Run,
    line_count,
    pixels,
    row_height,
    set_page,
    split_run,
)
from audiencelab.render.excel.styles import (
    HEAT,
    Formats,
    Number,
    WorkbookError,
    cell_text,
    check_extent,
)
from audiencelab.render.table_layout import (
    Metric,
    TableLayout,
)
from audiencelab.render.text_width import width, wrapped
from audiencelab.results.banner import depth, edges, runs
from audiencelab.results.metrics import metric_of

Layout = Literal["columns", "rows", "sheets"]
"""Where the metrics of a cell are: "columns" beside each other under each column's name, "rows"
under each other beside each row's name, "sheets" each on a sheet of its own."""

_LABEL_WIDTH = (14, 38)
"""Least and most characters of the column with the rows' names."""

_HEADER_LINES = 6
_RANGES = 200
"""Ranges of one conditional format; Excel becomes slow long before its own limit."""

_WIDTHS = {"percentage": 8, "index": 7, "size": 15, "sample": 11, "number": 11, "signed": 9}
_FORMED_WIDTH = 9
_LEAST_MARKS, _MOST_MARKS = 8, 30
_LEAST_WIDTH = 11
"""Characters of a column that has a name of its own above it."""

_SIDE_WIDTH = 13
"""Characters of the columns between the names and the cells."""

_FACTS_WIDTH = 24
"""Least characters of the lines above a table of several pages."""

_MISSING = "–"
_ADVICE = 'ask for fewer figures or audiences, or for layout="sheets"'


@dataclass(frozen=True, slots=True)
class Part:
    """What every cell has: a metric, or else the marks of tests."""

    label: str
    metric: Metric | None = None

    @property
    def kind(self) -> str:
        """The kind of the metric; "" for marks."""
        return self.metric.kind if self.metric else ""


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """The parts of one sheet; `down` puts them under each other.

    name: an addition to the sheet's name, where a table takes several sheets.
    """

    table: TableLayout
    parts: tuple[Part, ...]
    down: bool
    name: str = ""

    @property
    def rows(self) -> int:
        """How many rows of the sheet a row of the table takes."""
        return len(self.parts) if self.down else 1

    @property
    def columns(self) -> int:
        """How many columns of the sheet a column of the table takes."""
        return 1 if self.down else len(self.parts)

    @property
    def height(self) -> int:
        """Rows of the body."""
        return len(self.table.stub) * self.rows

    @property
    def width(self) -> int:
        """Columns of the body."""
        return len(self.table.banner) * self.columns

    def cells(self, offset: int) -> Iterator[tuple[int, int, Part]]:
        """The cells of a row of the sheet: its column in the body, that of the table, and part.

        offset: the row within its row of the table.
        """
        parts = self.parts[offset : offset + 1] if self.down else self.parts
        for column in range(len(self.table.banner)):
            for place, part in enumerate(parts):
                yield column * self.columns + place, column, part


def sheet_layouts(table: TableLayout, layout: Layout) -> list[SheetLayout]:
    """The sheets of a table; `WorkbookError` for an unknown layout."""
    if layout not in get_args(Layout):
        raise WorkbookError(f"No layout {layout!r}. Choose one of {', '.join(get_args(Layout))}.")
    if layout != "sheets" or table.forms:
        return [SheetLayout(table, _parts(table), down=layout == "rows" and not table.forms)]
    single = [replace(table, metrics=(metric,)) for metric in table.metrics]
    return [
        SheetLayout(each, _parts(each), down=False, name=metric_of(each.metrics[0].name).label)
        for each in single
    ]


def _parts(table: TableLayout) -> tuple[Part, ...]:
    if table.forms:
        # The values of a form are beside each other, as "12" and "(34.5%)", and stay numbers.
        return (Part(""),) * max(map(len, table.forms))
    parts: list[Part] = []
    for metric in table.metrics:
        parts.append(Part(table.label(metric), metric))
        if table.marks and metric.name == table.compared:
            parts.append(Part(table.marks_label))
    return tuple(parts)


def draw_table(sheet: Any, layout: SheetLayout, formats: Formats, contents: str = "") -> None:
    """Draw one table; contents: the sheet that lists all tables, for a link to it, or "".

    Raises `WorkbookError` where Excel has too few rows or columns for it.
    """
    _SheetWriter(sheet, layout, formats, contents).draw()


def link_to(sheet: Any, row: int, column: int, name: str, words: str, look: Any = None) -> None:
    """Write a link to the first cell of a sheet of the same workbook."""
    # In a reference, an apostrophe in a sheet's name is doubled.
    quoted = name.replace("'", "''")
    sheet.write_url(row, column, f"internal:'{quoted}'!A1", look, string=cell_text(words))


class _SheetWriter:
    """Writes a table; knows the next row."""

    def __init__(self, sheet: Any, layout: SheetLayout, formats: Formats, contents: str) -> None:
        self.sheet, self.layout, self.formats, self.contents = sheet, layout, formats, contents
        self.table = layout.table
        self.next = 0
        # Rows and columns of the sheet.
        self.coloured: list[tuple[int, int]] = []
        # The names, the label of each row's metric, and the stub's own bases; then the body.
        self.beside = self.table.beside
        self.left = 1 + int(layout.down) + len(self.beside)
        self.top = self.body = 0
        self.sections = self.table.headings
        strengths = edges(self.table.banner_groups)
        # By column of the sheet, the strength of the line at its left.
        self.edges = {
            self.left + column * layout.columns: strength
            for column, strength in enumerate(strengths)
            if strength
        }
        named = [row.lettered for row in self.table.stub]
        named += [name for begun in self.sections for _, name in begun]
        names = max((width(line) for name in named for line in name.splitlines()), default=0)
        self.label_width = min(max(_LABEL_WIDTH[0], names + 2), _LABEL_WIDTH[1])
        longest = max((len(mark) for row in self.table.marks for mark in row), default=0)
        marks = min(max(_LEAST_MARKS, longest + 1), _MOST_MARKS)
        # Marks take several lines where the table takes fewer pages then.
        marks = min(
            (marks, _LEAST_MARKS), key=lambda each: len(self._pages(strengths, each).breaks)
        )
        self.pages = self._pages(strengths, marks)
        # A page after the first repeats the names, and cuts what is over other columns there.
        self.notes_at = self.left if self.pages.breaks else 0
        most = max(self.label_width, _FACTS_WIDTH) if self.pages.breaks else self.pages.text_width
        self.facts = [line for fact in self.table.facts for line in wrapped(fact, most)]

    def _pages(self, strengths: Sequence[int], marks: int) -> Pages:
        """The pages of the table whose marks have so many characters."""
        self.marks_width = marks
        widths = [self._part_width(part) for part in self.layout.parts]
        # Of one column of the table.
        self.column_width = max(_LEAST_WIDTH, *widths) if self.layout.down else sum(widths)
        side = pixels(self.label_width) + pixels(_SIDE_WIDTH) * (self.left - 1)
        column = pixels(self.column_width) if self.layout.down else sum(map(pixels, widths))
        # The total has no marks.
        less = pixels(marks) if self.table.marks else 0
        return Pages.of(side, column, strengths, less)

    def draw(self) -> None:
        above = depth(self.table.banner_groups) + len(self.facts)
        # An upper bound of the other rows: too large a table is refused before it is drawn.
        over = 12 + above + len(self.table.notes) + sum(map(len, self.sections))
        check_extent(over + self.layout.height, self.left + self.layout.width, _ADVICE)
        self._set_widths()
        self._text(0, 0, self.table.title, "title")
        for row, fact in enumerate(self.facts, 1):
            self._text(row, 0, fact, "fact")
        self.top = self.next = len(self.facts) + 2
        if self.contents:
            link_to(self.sheet, self.top - 1, 0, self.contents, self.contents)
        self._banner()
        self._bases()
        self.body = self.next
        self._body()
        self._heat()
        last = self.next - 1
        self._notes()
        self._print(last)

    # -- cells ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Draw the lines between groups, also where a row has nothing else to show."""
        for column, strength in self.edges.items():
            self.sheet.write_blank(self.next, column, None, self.formats.get("edge", edge=strength))

    def _text(self, row: int, column: int, value: str, style: str, **options: Any) -> None:
        text = cell_text(value)
        options |= {"quoted": looks_like_formula(text), "edge": self.edges.get(column, 0)}
        self.sheet.write_string(row, column, text, self.formats.get(style, **options))

    def _number(
        self,
        column: int,
        value: float,
        number: Number,
        style: str,
        ruled: bool = False,
    ) -> None:
        """A number in the next row, or a dash for a missing one."""
        if not math.isfinite(value):
            self._text(self.next, column, _MISSING, style, ruled=ruled)
            return
        edge = self.edges.get(column, 0)
        look = self.formats.get(style, number=number, ruled=ruled, edge=edge)
        self.sheet.write_number(self.next, column, value, look)

    def _base(self, column: int, value: float, kind: str, style: str, **options: Any) -> None:
        mark = self.table.how.star(value) if kind == "sample" else ""
        self._number(column, value, (kind, mark, 0), style, **options)

    def _merge(self, left: int, right: int, style: str) -> None:
        if right > left:
            look = self.formats.get(style, edge=self.edges.get(left, 0))
            self.sheet.merge_range(self.next, left, self.next, right, "", look)

    def _set_height(self, lines: int) -> None:
        if lines > 1:
            self.sheet.set_row(self.next, row_height(lines))

    # -- widths -----------------------------------------------------------------------------------

    def _set_widths(self) -> None:
        self.sheet.set_column(0, 0, self.label_width)
        if self.left > 1:
            self.sheet.set_column(1, self.left - 1, _SIDE_WIDTH)
        if self.layout.down:
            last = self.left + self.layout.width - 1
            self.sheet.set_column(self.left, last, self.column_width)
            return
        for place, column, part in self.layout.cells(0):
            width = 2 if self._is_gap(part, column) else self._part_width(part)
            self.sheet.set_column(self.left + place, self.left + place, width)

    def _is_gap(self, part: Part, column: int) -> bool:
        """Whether a column has nothing of a part: the total is not tested against its parts."""
        if part.metric is None:
            return self.table.is_total(column) and not self.table.forms
        return self.layout.columns > 1 and self.table.is_gap(part.metric, column)

    def _part_width(self, part: Part) -> float:
        if self.table.forms:
            return _FORMED_WIDTH
        width: float = _WIDTHS[part.kind] if part.kind else self.marks_width
        if part.metric is not None and part.metric.shown_decimals is not None:
            width += max(0, part.metric.shown_decimals - 1)
        return max(width, _LEAST_WIDTH) if self.layout.columns == 1 else width

    # -- above the body ---------------------------------------------------------------------------

    def _banner(self) -> None:
        banner, groups = self.table.banner, self.table.banner_groups
        for level in range(depth(groups)):
            # Each page shows its groups: a group across a page break is repeated.
            spans = (
                part for run in runs(groups, level) for part in split_run(run, self.pages.breaks)
            )
            self._across(list(spans), "group")
        self._across([(cell.name, at, at) for at, cell in enumerate(banner)], "head")
        if any(cell.letter for cell in banner):
            letters = [f"({cell.letter})" if cell.letter else "" for cell in banner]
            self._across([(letter, at, at) for at, letter in enumerate(letters)], "letter")
        has_parts = not self.layout.down and not self.table.forms
        if not has_parts and not self.beside:
            return
        self._begin()
        for place, column, part in self.layout.cells(0) if has_parts else ():
            if not self._is_gap(part, column):
                style = "part" if part.kind else "marks head"
                self._text(self.next, self.left + place, part.label, style)
        for column, (label, *_) in enumerate(self.beside, self.left - len(self.beside)):
            self._text(self.next, column, label, "part")
        self.next += 1

    def _across(self, spans: Sequence[Run], style: str) -> None:
        self._begin()
        lines = 1
        for words, first, last in spans:
            left = self.left + first * self.layout.columns
            right = self.left + (last + 1) * self.layout.columns - 1
            if words:
                # Merging gives all cells the format; the text is then written into the first.
                self._merge(left, right, style)
                self._text(self.next, left, words, style)
            lines = max(lines, line_count(words, self.column_width * (last - first + 1)))
        self._set_height(min(lines, _HEADER_LINES))
        self.next += 1

    def _bases(self) -> None:
        for label, kind in self.table.bases:
            self._text(self.next, 0, label, "base name")
            for at, cell in enumerate(self.table.banner):
                left = self.left + at * self.layout.columns
                style = "bases" if self.layout.columns > 1 else "base"
                self._merge(left, left + self.layout.columns - 1, style)
                if self.table.has_base(at):
                    self._base(left, cell.base(kind), kind, style)
            self.next += 1

    # -- body -------------------------------------------------------------------------------------

    def _body(self) -> None:
        """The rows of the table."""
        for row in range(len(self.table.stub)):
            for level, name in self.sections[row]:
                self._begin()
                self._text(self.next, 0, name, "section", indent=level)
                self._set_height(line_count(name, self.label_width - 2 * level))
                self.next += 1
            for offset in range(self.layout.rows):
                self._begin()
                lines = self._labels(row, offset)
                self._set_height(max(lines, self._cells(row, offset)))
                self.next += 1

    def _labels(self, row: int, offset: int) -> int:
        """What is beside the cells; returns the lines of the name."""
        cell, lines = self.table.stub[row], 1
        ruled = offset == 0 and self.layout.rows > 1
        if offset == 0:
            style = "section" if cell.head else "net" if cell.net else "stub"
            self._text(
                self.next, 0, cell.lettered, style, ruled=ruled, indent=self.table.level(row)
            )
            lines = line_count(cell.lettered, self.label_width, bold=False)
        if self.layout.down:
            self._text(self.next, 1, self.layout.parts[offset].label, "line", ruled=ruled)
        for column, (_, kind, bases) in enumerate(self.beside, self.left - len(self.beside)):
            # In a table with forms, only some rows have a base of their own.
            if offset == 0 and not (self.table.forms and math.isnan(bases[row])):
                self._base(column, bases[row], kind, "base", ruled=ruled)
        return lines

    def _cells(self, row: int, offset: int) -> int:
        """The cells of a row; returns the lines of the marks."""
        if self.table.forms:
            return self._formed_cells(row)
        ruled, lines = self.layout.down and offset == 0, 1
        for place, column, part in self.layout.cells(offset):
            at, metric = self.left + place, part.metric
            if metric is None:
                if letters := self.table.mark_at(row, column):
                    style = "letters below" if self.layout.down else "letters"
                    self._text(self.next, at, letters, style)
                    lines = max(lines, line_count(letters, self.marks_width - 1, bold=False))
            elif self.table.is_blank(metric, row, column):
                self._text(self.next, at, "", "figure", ruled=ruled)
            else:
                value = float(metric.values[row, column])
                mark = self.table.low_mark(metric, row, column)
                kind, decimals = part.kind, self.table.stub[row].decimals
                if decimals is not None and kind != "signed":
                    # The value of a row that is a statistic is a plain number, whatever the metric.
                    kind = "number"
                decimals = metric.decimals if decimals is None else decimals
                if self.table.is_coloured(metric, row, column):
                    self.coloured.append((self.next, at))
                self._number(at, value, (kind, mark, decimals), "figure", ruled)
        return lines

    def _formed_cells(self, row: int) -> int:
        """The cells of a row with a form: a number for each of its values."""
        for column in range(len(self.table.banner)):
            left = self.left + column * self.layout.columns
            for place, part in enumerate(self.table.parts_of(row, column)):
                if part.is_hidden:
                    continue
                if not math.isfinite(part.value):
                    self._text(self.next, left + place, _MISSING, "figure")
                    continue
                kind = metric_of(part.form.metric).kind
                around = part.form.before.strip(), part.form.after.strip()
                look = self.formats.get(
                    "figure",
                    number=(kind, "", part.decimals),
                    edge=self.edges.get(left + place, 0),
                    around=around,
                )
                self.sheet.write_number(self.next, left + place, part.value, look)
        return 1

    def _heat(self) -> None:
        from xlsxwriter.utility import xl_range

        ranges = list(_ranges(self.coloured))
        for start in range(0, len(ranges), _RANGES):
            some = ranges[start : start + _RANGES]
            several = " ".join(str(xl_range(*each)) for each in some)
            self.sheet.conditional_format(*some[0], HEAT | {"multi_range": several})

    # -- notes and pages --------------------------------------------------------------------------

    def _notes(self) -> None:
        self.next += 1
        for note in self.table.footnotes:
            # A cell ends with the page, so that long notes are broken into rows.
            for line in wrapped(note, self.pages.text_width):
                self._text(self.next, self.notes_at, line, "note")
                self.next += 1

    def _print(self, last: int) -> None:
        """Freeze headers on the screen, repeat them in print, and set landscape pages."""
        sheet = self.sheet
        sheet.freeze_panes(self.body, self.left)
        sheet.repeat_rows(self.top, self.body - 1)
        sheet.repeat_columns(0, self.left - 1)
        right = self.left + max(self.layout.width, 1) - 1
        places = [self.left + at * self.layout.columns for at in self.pages.breaks]
        right += self.pages.scale(sheet, places)
        # The citation is under the table.
        source = replace(self.table.record, citation="", doi="").line()
        is_whole = set_page(sheet, self.table.title, [*self.table.facts[:1], source])
        # The title is in the header of every page.
        sheet.print_area(int(is_whole), 0, max(self.next - 1, last), right)


def _ranges(cells: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """The rectangles of cells (row, column): runs down a column, joined with equal ones beside."""
    rows: dict[int, list[int]] = {}
    for row, column in cells:
        rows.setdefault(column, []).append(row)
    columns: dict[tuple[int, int], list[int]] = {}
    for column in sorted(rows):
        for run in _runs(rows[column]):
            columns.setdefault(run, []).append(column)
    for (top, bottom), beside in columns.items():
        yield from ((top, left, bottom, right) for left, right in _runs(beside))


def _runs(ascending: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of consecutive numbers."""
    for _, run in groupby(enumerate(ascending), lambda pair: pair[1] - pair[0]):
        each = [number for _, number in run]
        yield each[0], each[-1]
