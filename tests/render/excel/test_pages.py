"""Printed pages of workbooks: the title and the banner on each, and long texts in lines."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import Any

import openpyxl
import pytest

from audiencelab.render.excel import table_layout, write_workbook
from audiencelab.render.text_width import width, wrapped
from tests.render.excel.workbook_reader import sheets, written
from tests.results.samples import crosstab

LONG = (
    "Ich informiere mich vor dem Kauf eines Haushaltsgerätes ausführlich in unabhängigen "
    "Testberichten, auch wenn das mehrere Tage dauert"
)
WIDE = "新しい商品やサービスについては、購入する前に必ず複数のレビューサイトで評価を確認する"


@pytest.mark.parametrize("most", [1, 7, 20, 46])
def test_lines_hold_the_text_and_are_no_wider(most: int) -> None:
    for text in (LONG, WIDE, "Umweltverträglichkeitsprüfung", "a\nb", "Cafe\u0301 👩‍🎓 emoji"):
        lines = wrapped(text, most)
        assert "".join("".join(lines).split()) == "".join(text.split())
        assert all(width(line) <= max(most, 2) for line in lines)
    assert wrapped("", 5) == [""]


def _height(sheet: Any, row: int) -> float:
    return sheet.row_dimensions[row].height or 13.5


def test_long_names_have_rows_that_are_high_enough() -> None:
    result = crosstab(rows=(LONG, WIDE), row_groups=((LONG * 2,), (LONG * 2,)))
    table: Any = sheets(written(result))["Table"]
    wide = table.column_dimensions["A"].width
    assert wide < 44
    for row in table.iter_rows(max_col=1, min_row=5):
        if row[0].value and row[0].alignment.wrap_text:
            assert _height(table, row[0].row) >= 13 * len(wrapped(row[0].value, wide))


def test_every_page_has_the_title_and_its_base() -> None:
    for title, first in (("7 & 8", 2), ("Tee " * 90, 1)):
        table: Any = sheets(written(crosstab(), title=title))["Table"]
        header = table.oddHeader.left.text
        assert title.replace("&", "&&")[:90].strip() in header
        assert len(header) < 255
        # A title that the header cannot hold is printed on the first page, too.
        assert table.print_area.startswith(f"'Table'!$A${first}:")
        assert table["A1"].value == title
        assert table.oddFooter.left.text.strip().startswith("Base: ")
        assert "&P" in table.oddFooter.right.text


def test_notes_are_printed_on_one_page_of_a_wide_table() -> None:
    wide = crosstab(columns=tuple(f"c{n}" for n in range(60)))
    wide.provenance["survey"] = "Tea"
    table: Any = sheets(written(wide))["Table"]
    first = table.col_breaks.brk[0].id
    notes = [cell for row in table.iter_rows(min_row=10) for cell in row if cell.value]
    notes = [cell for cell in notes if str(cell.value).startswith(("Blank", "Source", "*"))]
    # Column A is repeated on every page.
    assert notes
    assert all(1 < cell.column <= first for cell in notes)


def test_contents_wrap_long_titles_and_name_their_sections() -> None:
    made = [
        replace(table_layout(crosstab()), title=title, section=section)
        for title, section in ((LONG * 2, "Tee"), (WIDE * 2, "Tee"), ("Short", "=1+1"))
    ]
    file = BytesIO()
    write_workbook(file, {f"t{at}": each for at, each in enumerate(made)}, contents="Book")
    contents: Any = openpyxl.load_workbook(file)["Contents"]
    rows = [[cell.value for cell in row] for row in contents.iter_rows(min_row=4, max_col=2)]
    assert [row[0] for row in rows] == ["Tee", "t0", "t1", "=1+1", "t2"]
    assert contents["A7"].data_type == "s"
    for row, (_, title) in enumerate(rows, 4):
        if title:
            assert _height(contents, row) >= 13 * len(wrapped(title, 70))
    assert "Book" in contents.oddHeader.left.text


def test_definitions_of_the_source_do_not_overlap() -> None:
    result = crosstab(rows=(LONG * 2, WIDE * 3))
    source: Any = sheets(written(result))["Source"]
    rows = [row for row in source.iter_rows() if row[0].value == "Row"]
    assert len(rows) == 2
    for row in rows:
        assert _height(source, row[1].row) >= 13 * len(wrapped(row[1].value, 40))


def test_marks_take_two_lines_where_the_table_fits_on_one_page_then() -> None:
    def table(columns: int, marks: str) -> Any:
        made = table_layout(
            crosstab(columns=tuple(f"c{n}" for n in range(columns)), rows=("a", "b")),
            metrics=["column"],
        )
        cells = tuple(("", *[marks] * columns) for _ in range(2))
        made = replace(made, marks=cells, compared="column_percentage", marks_label="Exceeds")
        file = BytesIO()
        write_workbook(file, {"t": made})
        return openpyxl.load_workbook(file)["t"]

    whole = table(12, "A B C D E F")
    assert not whole.col_breaks.brk
    row = next(row for row in whole.iter_rows() if row[0].value == "a")
    assert row[4].value == "A B C D E F"
    assert _height(whole, row[0].row) == 27
    assert _height(table(4, "A B C D E F"), row[0].row) == 13.5
    assert table(30, "A B C D E F").col_breaks.brk
