"""The files of a table of the crosstab widget: slides, workbook, web page, image and CSV."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from audiencelab.browser import is_installed
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience
from audiencelab.flags import flag
from audiencelab.markup import Card
from audiencelab.render.arranging import arranged
from audiencelab.render.excel import write_workbook
from audiencelab.render.layout import table_layout
from audiencelab.render.page import table_page
from audiencelab.render.record_carriers import in_png, in_svg
from audiencelab.render.room import PAGE
from audiencelab.render.svg_table import card_svg
from audiencelab.render.table_layout import TableLayout
from audiencelab.results.arrangement import TableArrangement
from audiencelab.results.banner import Groups
from audiencelab.results.record import Record, record_of
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.csv_files import as_csv, as_long_csv
from audiencelab.widgets.crosstab.export_cells import ExportCells
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.marks import TableMarks
from audiencelab.widgets.crosstab.static_html import grid_html

if TYPE_CHECKING:
    from audiencelab.render.pptx import SlideTable
    from audiencelab.widgets.crosstab.protocol import ChartStyle

MOST_IN_IMAGE = 3_000
"""Cells of a table that is drawn as an image."""

_NAME_LENGTH = 40


def as_excel(cells: ExportCells) -> bytes:
    """A workbook with bases, legend and provenance, and with letters if they are shown.

    Raises `ImportError` without XlsxWriter.
    """
    written = io.BytesIO()
    if (parts := _with_statistics(cells)) is not None:
        write_workbook(written, dict(zip(("Table", "Statistics"), parts, strict=True)))
        return written.getvalue()
    # Letters need the shares that were compared.
    shares = ("column_percentage",) if any(cells.letters) else ()
    cells.result.to_excel(
        written,
        metrics=tuple(dict.fromkeys((*cells.printed, *shares))),
        comparison=cells.comparison,
        **cells.how,
    )
    return written.getvalue()


def _with_statistics(cells: ExportCells) -> tuple[TableLayout, TableLayout] | None:
    """A transposed table and its rows of statistics, which are not transposed; None without any."""
    if cells.beside is None or cells.beside.statistics is None:
        return None
    shown, whole = (
        table_layout(each, metrics=cells.printed, arrangement=TableArrangement(**cells.how))
        for each in (cells.result, cells.beside)
    )
    return shown, whole.of_statistics()


def as_slides(cells: ExportCells) -> bytes:
    """A presentation of the table; raises `ImportError` without python-pptx."""
    return _presentation(slides_of(cells))


def as_chart_slides(cells: ExportCells) -> bytes:
    """A presentation of a chart of the cells that can be edited, of the kind that was chosen."""
    return _presentation(slides_of(cells, chart=cells.style))


def _presentation(slides: Sequence[SlideTable]) -> bytes:
    from audiencelab.render.pptx import write_slides

    written = io.BytesIO()
    write_slides(written, slides)
    return written.getvalue()


def slides_of(
    cells: ExportCells, *, chart: ChartStyle | None = None, headline: str = ""
) -> list[SlideTable]:
    """The slides of the table, or of a chart of it.

    chart: None for the table itself. headline: "" for the title of the chart, or a finding.
    """
    from audiencelab.render.pptx import SlideTable, slide_table

    if chart is None and (parts := _with_statistics(cells)) is not None:
        return [SlideTable(each, headline=headline) for each in parts]
    tested = cells.comparison if "column_percentage" in cells.printed else None
    by_value = chart is not None and chart.sort == "value"
    how = TableArrangement(**cells.how)
    if by_value:
        how = replace(how, sort="descending")
    layout = arranged(table_layout(cells.result, metrics=cells.printed, comparison=tested), how)
    words = headline or (chart.title if chart is not None else "") or "finding"
    kind = None if chart is None else chart.kind or "auto"
    return [slide_table(cells.result, layout, kind, headline=words, tables=chart is None)]


def as_html(cells: ExportCells) -> bytes:
    """A web page of the table as it is on the screen."""
    table, is_transposed = cells.beside or cells.result, cells.beside is not None
    return whole_html(table, cells.looks, cells.marks, page=True, transposed=is_transposed).encode()


def whole_html(
    result: CrosstabResult,
    looks: Looks,
    marks: TableMarks | None,
    *,
    page: bool = False,
    title: str | None = None,
    transposed: bool = False,
) -> str:
    """The whole table as it is on the screen, with its source, as a page or a piece of one."""
    if title is not None and not isinstance(title, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- users pass what they like
        raise TypeError(f"title must be a str; got {type(title).__name__}.")
    form = _form(result, looks, marks, transposed=transposed, title=title)
    if not flag("page", page):
        return str(form)
    record = record_of(result, title=form.blocks[0].words)
    return table_page(record.title, form, result.shape[0 if transposed else 1], record)


def _form(
    result: CrosstabResult,
    looks: Looks,
    marks: TableMarks | None,
    *,
    transposed: bool,
    title: str | None = None,
) -> Card:
    """The whole table as it is on the screen, with its source."""
    base = result.base_audience.name if result.base_audience is not None else "All"
    table = result.shape, "", result, looks, base, marks
    return grid_html(*table, transposed=transposed, room=PAGE, title=title)


def as_svg(cells: ExportCells) -> bytes:
    """The table as it is on the screen as a vector image, on white."""
    form = _image(cells)
    return in_svg(card_svg(form), *_known(cells, form)).encode()


def as_png(cells: ExportCells) -> bytes:
    """The same as PNG; raises `ImportError` without the extra `charts`."""
    if not is_installed("vl_convert"):
        raise ImportError(
            "An image as PNG needs the extra charts; SVG needs nothing. "
            'pip install "audiencelab[charts]"'
        )
    from audiencelab.charts.renderer import picture

    form = _image(cells)
    return in_png(picture(card_svg(form), 2), *_known(cells, form))


def _known(cells: ExportCells, form: Card) -> tuple[str, list[Record]]:
    """The title of an image, and what it is of."""
    title = form.blocks[0].words
    return title, [record_of(cells.beside or cells.result, title=title)]


def _image(cells: ExportCells) -> Card:
    table, is_transposed = cells.beside or cells.result, cells.beside is not None
    if (count := table.expected) > MOST_IN_IMAGE:
        raise AudienceError(
            f"{count:,} cells are too many for an image (at most {MOST_IN_IMAGE:,}): select fewer."
        )
    return _form(table, cells.looks, cells.marks, transposed=is_transposed)


class Format(NamedTuple):
    """A file format: its suffix, its media type, and its writer."""

    suffix: str
    media_type: str
    write: Callable[[ExportCells], bytes]


_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_CSV = "text/csv;charset=utf-8"

FORMATS: Mapping[str, Format] = {
    "xlsx": Format(".xlsx", _EXCEL, as_excel),
    "pptx": Format(".pptx", SLIDES, as_slides),
    "csv": Format(".csv", _CSV, as_csv),
    "cells": Format("-cells.csv", _CSV, as_long_csv),
    "html": Format(".html", "text/html;charset=utf-8", as_html),
    "png": Format(".png", "image/png", as_png),
    "svg": Format(".svg", "image/svg+xml", as_svg),
    "chart_pptx": Format("-chart.pptx", SLIDES, as_chart_slides),
}
"""The formats, by the names in requests of the page; images of charts are drawn elsewhere."""


def file_name(result: CrosstabResult, suffix: str) -> str:
    """The file name of this table: letters, digits and dashes, the same in every run."""
    rows = _axis_slug(result.rows, result.row_groups, "rows")
    parts = [rows, "by", _axis_slug(result.columns, result.column_groups, "columns")]
    base = result.base_audience
    if base is not None and base.expression is not None:
        parts += ["of", _slug(base.name)]
    return f"{'-'.join(filter(None, parts))}{suffix}"


def _axis_slug(audiences: Sequence[Audience], groups: Sequence[Groups], noun: str) -> str:
    """An axis in a word: the group of all items, the only name, or the number of items."""
    outermost = {names[:1] for names in groups}
    if len(outermost) == 1 and (only := outermost.pop()) and only[0]:
        return _slug(only[0])
    return _slug(audiences[0].name) if len(audiences) == 1 else f"{len(audiences)}-{noun}"


def _slug(name: str) -> str:
    """Letters and digits of any script, with dashes between."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-")[:_NAME_LENGTH].strip("-")
