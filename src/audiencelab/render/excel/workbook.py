"""A workbook as a whole: its sheets, the sheet of sources, its properties, and its file.

The same tables give the same bytes: the date of creation is that of the result.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from audiencelab.csv_injection import looks_like_formula
from audiencelab.files import put
from audiencelab.render.excel.pages import line_count, row_height, set_page
from audiencelab.render.excel.sheet import (
    Layout,
    SheetLayout,
    draw_table,
    link_to,
    sheet_layouts,
)
from audiencelab.render.excel.styles import (
    SHEET_NAME_UNITS,
    Formats,
    WorkbookError,
    cell_text,
    check_extent,
    check_sheet_names,
    shortened,
)
from audiencelab.render.layout import table_layout
from audiencelab.render.office_properties import OfficeProperties, in_utc
from audiencelab.render.record_carriers import in_workbook
from audiencelab.render.table_layout import TableLayout, low_base_note
from audiencelab.render.text_width import wrapped
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.record_text import pairs
from audiencelab.results.stats import StatsData

SOURCE = "Source"
"""The name of the last sheet."""

CONTENTS = "Contents"
"""The name of the first sheet, where there is one that lists the others."""

_MANY_CELLS = 150_000
"""Number of values above which rows are streamed to the file instead of kept in memory."""

_SOURCE_WIDTHS = (16, 40, 60, 60)
"""Characters of the columns of the source."""

_CONTENTS = {"Sheet": 32, "Table": 70, "Base": 50, "Base (n)": 14}
"""The columns of the contents, and their characters."""

_DEFINITION_HEADERS = ("Side", "Name", "Who", "Code")


def _writer_of(path: Path) -> str:
    """The method of a table that writes what a name ends in, with the name."""
    if path.suffix.lower() in (".csv", ".html", ".md", ".pptx", ".tex"):
        return f"save({path.name!r})"
    return f"to_excel({f'{path.stem}.xlsx'!r})"


def write_workbook(
    file: str | os.PathLike[str] | IO[bytes],
    tables: Mapping[str, TableLayout | CrosstabData | StatsData | ChartCalculationData],
    *,
    layout: Layout = "columns",
    contents: str = "",
    created: datetime | None = None,
) -> None:
    """Write tables into one workbook, each on a sheet of its name, and their source on the last.

    tables: results, with their default metrics, or their `table_layout`, by sheet.
    file: a path that ends in .xlsx, or a file open for bytes. A path is replaced as a whole, or
        left as it was.
    contents: the title of a first sheet that lists the tables with links; "" for none.
    created: the date of the file, by default that of the figures.

    Raises `WorkbookError` for what Excel cannot hold and for another ending, `FileNotFoundError`
    for a folder that does not exist, `TypeError` for a `created` or a file of another type,
    `ImportError` without XlsxWriter.
    """
    path = Path(file) if isinstance(file, str | os.PathLike) else None
    if path is not None:
        if path.suffix.lower() != ".xlsx":
            raise WorkbookError(
                f"{path.name!r} is not the name of a workbook: it must end in .xlsx, and .save "
                f"writes the kind of file that a name ends in. Write table.{_writer_of(path)}."
            )
        if not path.parent.is_dir():
            raise FileNotFoundError(f"There is no folder {path.parent} to write {path.name} into.")
    elif not callable(getattr(file, "write", None)):
        raise TypeError(
            f"file must be a path that ends in .xlsx, or a file open for bytes; got {file!r}."
        )
    made = {
        name: each if isinstance(each, TableLayout) else table_layout(each)
        for name, each in tables.items()
    }
    data = _bytes(made, layout, contents, None if created is None else _checked(created))
    if path is not None:
        put(path, data)
    else:
        cast(IO[bytes], file).write(data)


def _bytes(
    tables: Mapping[str, TableLayout], layout: Layout, contents: str, created: datetime | None
) -> bytes:
    laid_out = ((name, sheet_layouts(table, layout)) for name, table in tables.items())
    sheets = [(name, each) for name, several in laid_out for each in several]
    if not sheets:
        raise WorkbookError("A workbook needs a table.")
    names = [_sheet_name(name, each.name) for name, each in sheets]
    check_sheet_names([*([CONTENTS] if contents else []), *names, SOURCE])
    large = sum(each.height * each.width for _, each in sheets) > _MANY_CELLS
    into = BytesIO()
    # strings_to_formulas: no text becomes a formula, whatever it begins with.
    options = {"constant_memory": large, "in_memory": not large, "strings_to_formulas": False}
    book = _xlsxwriter().Workbook(into, options)
    book.set_size(2400, 1500)
    formats = Formats(book)
    if contents:
        listed = zip(names, (each for _, each in sheets), strict=True)
        _draw_contents(book.add_worksheet(CONTENTS), contents, listed, formats)
    for name, (_, each) in zip(names, sheets, strict=True):
        draw_table(book.add_worksheet(name), each, formats, CONTENTS if contents else "")
    _draw_source(book.add_worksheet(SOURCE), tables, formats)
    records = [table.record for table in tables.values()]
    known = OfficeProperties.of(contents or records[0].title, records)
    book.set_properties(asdict(known) | ({} if created is None else {"created": created}))
    book.close()
    return in_workbook(into.getvalue(), records)


def _xlsxwriter() -> Any:
    try:
        import xlsxwriter
    except ModuleNotFoundError:
        raise ImportError(
            'Workbooks are written with XlsxWriter: pip install "audiencelab[excel]"'
        ) from None
    return xlsxwriter


def _sheet_name(name: str, addition: str) -> str:
    """A sheet's name; with an addition, whose length the caller did not choose, truncated."""
    if not isinstance(cast(object, name), str):
        raise WorkbookError(f"A sheet's name must be a str; got {name!r}.")
    if not addition:
        return name
    return f"{shortened(name, SHEET_NAME_UNITS - len(addition) - 2)}, {addition}"


def _checked(created: object) -> datetime:
    if not isinstance(created, datetime):
        raise TypeError(
            f"created must be a datetime, such as datetime(2026, 1, 31); got {created!r}. By "
            "default it is when the figures were queried."
        )
    return in_utc(created)


# -- the sheets of contents and of sources --------------------------------------------------------


def _draw_contents(
    sheet: Any, title: str, sheets: Iterable[tuple[str, SheetLayout]], formats: Formats
) -> None:
    """A line for each sheet: a link to it, its title, its base, and the respondents of that.

    The category of the tables is above the first of each.
    """
    for column, (header, width) in enumerate(_CONTENTS.items()):
        sheet.set_column(column, column, width)
        sheet.write_string(2, column, header, formats.get("key"))
    sheet.write_string(0, 0, cell_text(title), formats.get("title"))
    row, section = 2, ""
    for name, each in sheets:
        table = each.table
        if table.section != section:
            section, row = table.section, row + 1
            look = formats.get("key", quoted=looks_like_formula(section))
            sheet.write_string(row, 0, cell_text(section), look)
        row += 1
        # A link stays on one line.
        first, *more = wrapped(name, _CONTENTS["Sheet"] - 2)
        link_to(sheet, row, 0, name, f"{first}…" if more else first, formats.get("link"))
        for column, words in enumerate((table.title, table.base), 1):
            look = formats.get("value", quoted=looks_like_formula(words))
            sheet.write_string(row, column, cell_text(words), look)
        widths = _CONTENTS["Table"], _CONTENTS["Base"]
        pairs = zip((table.title, table.base), widths, strict=True)
        sheet.set_row(row, row_height(max(line_count(*pair) for pair in pairs)))
        look = formats.get("figure", number=("sample", "", 0))
        sheet.write_number(row, 3, table.base_sample, look)
    sheet.freeze_panes(3, 0)
    sheet.repeat_rows(2)
    sheet.print_area(1, 0, row, 3)
    set_page(sheet, title, [])
    sheet.fit_to_pages(1, 0)


def _draw_source(sheet: Any, tables: Mapping[str, TableLayout], formats: Formats) -> None:
    lines = [line for name, table in tables.items() for line in _source_lines(name, table)]
    check_extent(len(lines), len(_DEFINITION_HEADERS), "write fewer tables into one workbook")
    for column, width in enumerate(_SOURCE_WIDTHS):
        sheet.set_column(column, column, width)
    # A long fact is on the columns beside its name together.
    beside = sum(_SOURCE_WIDTHS[1:])
    for row, (cells, style) in enumerate(lines):
        widths: Sequence[float] = _SOURCE_WIDTHS
        if style == "fact" and line_count(cells[-1], beside, bold=False) > 1:
            style, widths = "long fact", (_SOURCE_WIDTHS[0], beside)
            sheet.merge_range(row, 1, row, 3, "")
        if style in ("long fact", "value"):
            pairs = zip(cells, widths, strict=False)
            sheet.set_row(row, row_height(max(line_count(*pair, bold=False) for pair in pairs)))
        for column, words in enumerate(map(cell_text, cells)):
            look = formats.get(style, quoted=looks_like_formula(words))
            sheet.write_string(row, column, words, look)
    set_page(sheet, SOURCE, [])
    sheet.fit_to_pages(1, 0)


def _source_lines(name: str, table: TableLayout) -> list[tuple[Sequence[str], str]]:
    lines: list[tuple[Sequence[str], str]] = [((f"{name}: {table.title}",), "title")]
    method = table.record.method
    # A note of tests has their method and what letters mean.
    record = replace(table.record, method="") if method in " ".join(table.notes) else table.record
    lines += [(pair, "fact") for pair in pairs(record)]
    lines += [
        (("Note", note), "fact")
        for note in (*table.notes, *table.gaps, low_base_note(table))
        if note
    ]
    if table.definitions:
        lines += [(("",), "fact"), (_DEFINITION_HEADERS, "key")]
        lines += [(definition, "value") for definition in table.definitions]
    return [*lines, (("",), "fact")]
