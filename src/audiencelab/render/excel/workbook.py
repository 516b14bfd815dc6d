"""A workbook as a whole: its sheets, its properties, and how it gets into a file.

The same tables give the same bytes: the date of creation is that of the figures, not of the
moment, so that a workbook can be compared, checked in, or made again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from audiencelab.files import put
from audiencelab.render.excel.limits import (
    SHEET_NAME_UNITS,
    WorkbookError,
    cell_text,
    check_sheet_names,
    shortened,
)
from audiencelab.render.excel.sheet import draw_table
from audiencelab.render.excel.sheet_layouts import Layout, lays_of
from audiencelab.render.excel.source import draw_source
from audiencelab.render.excel.styles import Looks
from audiencelab.render.layout import tabulate
from audiencelab.render.table_layout import Tabulation
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

SOURCE = "Source"
"""The name of the last sheet."""

_MANY_CELLS = 150_000
"""Figures from which lines are written out as they come, instead of being held as cells."""

_LONG_AGO = datetime(1980, 1, 1, tzinfo=UTC)
"""The date of a workbook whose figures have none: the first that a zip file can hold."""


def write_workbook(
    file: str | os.PathLike[str] | IO[bytes],
    tables: Mapping[str, Tabulation | CrosstabData | StatsData | ChartCalculationData],
    *,
    layout: Layout = "columns",
    created: datetime | None = None,
) -> None:
    """Write tables into one workbook, each on a sheet of its name, and their source on the last.

    tables: results, with their usual figures, or what `tabulate` makes of them, by sheet.
    file: a path that ends in .xlsx, or a file open for bytes. A path is replaced as a whole, or
        left as it was.
    created: the date that the file tells; that of the figures unless given.

    Raises `WorkbookError` for what Excel cannot hold and for another ending, `FileNotFoundError`
    for a folder that is not there, `TypeError` for a `created` that is no moment and for what is
    no file, `ImportError` without XlsxWriter.
    """
    path = Path(file) if isinstance(file, str | os.PathLike) else None
    if path is None and not callable(getattr(file, "write", None)):
        raise TypeError(
            f"A workbook is written to a path that ends in .xlsx, or to a file open for bytes, not "
            f"to {file!r}."
        )
    if path is not None:
        _check_path(path)
    made = {
        name: each if isinstance(each, Tabulation) else tabulate(each)
        for name, each in tables.items()
    }
    data = _bytes(made, layout, _asked_at(made) if created is None else _told(created))
    if path is not None:
        put(path, data)
    else:
        cast(IO[bytes], file).write(data)


def _bytes(tables: Mapping[str, Tabulation], layout: Layout, created: datetime) -> bytes:
    lays = [(name, lay) for name, table in tables.items() for lay in lays_of(table, layout)]
    if not lays:
        raise WorkbookError("A workbook needs a table.")
    names = [_sheet_name(name, lay.name) for name, lay in lays]
    check_sheet_names([*names, SOURCE])
    large = sum(lay.height * lay.width for _, lay in lays) > _MANY_CELLS
    into = BytesIO()
    book = _xlsxwriter().Workbook(
        into, {"constant_memory": large, "in_memory": not large, "strings_to_formulas": False}
    )
    book.set_size(2400, 1500)
    looks = Looks(book)
    for name, (_, lay) in zip(names, lays, strict=True):
        draw_table(book.add_worksheet(name), lay, looks)
    draw_source(book.add_worksheet(SOURCE), list(tables.items()), looks)
    first = next(iter(tables.values()))
    book.set_properties(
        {
            "title": cell_text(first.title)[:255],
            "subject": cell_text(first.source)[:255],
            "comments": "Written by audiencelab.",
            "created": created,
        }
    )
    book.close()
    return into.getvalue()


def _xlsxwriter() -> Any:
    try:
        import xlsxwriter
    except ModuleNotFoundError:
        raise ImportError(
            'Workbooks are written with XlsxWriter: pip install "audiencelab[excel]"'
        ) from None
    return xlsxwriter


def _sheet_name(name: str, addition: str) -> str:
    """A sheet's name; one that we add to is cut, since nobody chose how long it is."""
    if not isinstance(cast(object, name), str):
        raise WorkbookError(f"A sheet's name is a text, not {name!r}.")
    if not addition:
        return name
    room = SHEET_NAME_UNITS - len(addition) - 2
    return f"{shortened(name, room)}, {addition}"


def _asked_at(tables: Mapping[str, Tabulation]) -> datetime:
    """The latest moment at which figures of the tables were asked for."""
    known = [_LONG_AGO]
    for table in tables.values():
        with suppress(ValueError):  # a result from elsewhere may tell its time in its own way
            known.append(_in_utc(datetime.fromisoformat(table.asked_at)))
    return max(known)


def _told(created: object) -> datetime:
    if not isinstance(created, datetime):  # in place of anything else the present would be written
        raise TypeError(
            f"created is a moment, such as datetime(2026, 1, 31), not {created!r}; without it the "
            "file tells when its figures were asked for."
        )
    return _in_utc(created)


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _check_path(path: Path) -> None:
    """Told before the work is done, in the words of whoever gave the path."""
    if path.suffix.lower() != ".xlsx":
        raise WorkbookError(
            f"A workbook's name ends in .xlsx, not as {path.name!r} does. to_frame() has what "
            "other files are made of: to_csv, to_parquet."
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} to write {path.name} into.")
