"""Printed pages of a workbook: what fits on one, what every one shows, and how high rows are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from audiencelab.render.excel.styles import cell_text
from audiencelab.render.text_width import wrapped
from audiencelab.results.banner import page_breaks

Run = tuple[str, int, int]
"""Text over neighbouring columns of the table: the text, the first and the last column."""

_LINE_HEIGHT = 13.5
_TALLEST = 400.0
"""Points of the tallest row that Excel has, rounded down."""

_WHOLE_PAGE = 1_865
"""Pixels of the widest table that is printed on one landscape page, at about 55%."""

_PAGE_PRINT, _PAGE_WIDTH = 60, 1_320
"""The scale of the pages of a wider one, in percent, and the pixels that fit with any font."""

_DIGIT, _PADDING = 7, 5
"""Pixels of a character of a column's width, and of the space beside its text."""

_USUAL_WIDTH = 64
"""Pixels of a column whose width is not set."""

_TEXT_WIDTH = (60, 130)
"""Least and most characters of the lines above and below a table."""

_HEADER_WIDTH, _HEADER_LENGTH = 110, 230
"""Characters of a line of a page's header, and of the whole: Excel takes 255 with its codes."""

_FOOTER_LENGTH = 180
"""The same of its footer, which has the number of the page as well."""


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a table beside each other.

    breaks: the columns of the table before which a page ends. width: pixels of the first page, but
    of the names where every page repeats them. text_width: characters of the lines above and below.
    """

    breaks: list[int]
    width: int
    text_width: int

    @classmethod
    def of(cls, side: int, column: int, strengths: Sequence[int], less: int) -> Self:
        """The pages of a table.

        side: pixels of the names. column: those of a column of the table, the first of which has
        `less`. strengths: of the lines before each column.
        """
        whole, breaks = side + column * len(strengths) - less, list[int]()
        if whole > _WHOLE_PAGE:
            # Every page repeats the names, so the rest of its width is for columns.
            breaks = page_breaks(strengths, max((_PAGE_WIDTH - side) // column, 1))
        width = column * breaks[0] if breaks else whole
        least, most = _TEXT_WIDTH
        return cls(breaks, width, min(max(least, width // _DIGIT), most))

    def scale(self, sheet: Any, positions: Sequence[int]) -> int:
        """Print the sheet one page wide, or in pages that end before the columns at `positions`.

        Returns how many columns more are printed, for lines that are longer than the table.
        """
        if self.breaks:
            sheet.set_print_scale(_PAGE_PRINT)
            # Excel takes no more than 1,023.
            sheet.set_v_pagebreaks(positions[:1023])
            return 0
        sheet.fit_to_pages(1, 0)
        return max(0, math.ceil((self.text_width * _DIGIT - self.width) / _USUAL_WIDTH))


def set_page(sheet: Any, title: str, foot: Sequence[str]) -> bool:
    """Landscape A4 without grid lines, with a title on every page and its number at the foot.

    foot: what is at the left of the foot. Returns whether the header has the whole title.
    """
    # 2: on the screen as well as in print.
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.set_paper(9)
    whole = _page_text(title)
    lines = wrapped(_cut(whole, _HEADER_LENGTH), _HEADER_WIDTH)
    sheet.set_margins(left=0.5, right=0.5, top=0.6 + 0.2 * len(lines), bottom=0.7)
    # The font is last: a title that begins with a digit would change the size.
    sheet.set_header('&L&12&"Calibri,Bold"' + "\n".join(lines))
    named = _cut(_page_text(" · ".join(filter(None, foot))), _FOOTER_LENGTH)
    # The space is for a text that begins with a digit, too.
    sheet.set_footer(f"&L&8 {named}&R&8&P / &N")
    return len(whole) <= _HEADER_LENGTH


def _page_text(text: str) -> str:
    """A line of a header or a footer, in which an ampersand is doubled."""
    return " ".join(cell_text(text).split()).replace("&", "&&")


def _cut(text: str, most: int) -> str:
    # An odd ampersand at the end would begin a code.
    return text if len(text) <= most else text[: most - 1].rstrip("&") + "…"


def row_height(lines: int) -> float:
    """Points of a row of so many lines."""
    return min(_LINE_HEIGHT * lines, _TALLEST)


def line_count(words: str, characters: float, *, bold: bool = True) -> int:
    """Lines that words take in a column of so many characters."""
    # Bold letters are wider than the digits that a column's width counts.
    return len(wrapped(words, characters / (1.1 if bold else 1.0)))


def pixels(characters: float) -> int:
    """Pixels of a column of so many characters."""
    return int(characters * _DIGIT) + _PADDING


def split_run(run: Run, breaks: Sequence[int]) -> Iterator[Run]:
    """The same run in parts, none of which crosses a page break."""
    words, first, last = run
    for at in breaks:
        if first < at <= last:
            yield words, first, at - 1
            first = at
    yield words, first, last
