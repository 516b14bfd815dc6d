"""A table as a file: Excel, CSV, HTML, or a chart, as bytes and with a file name.

The formats are those of the result (`to_excel`, `to_html`, charts). CSV, file names that are safe
on any system, fields that no spreadsheet runs, and the parts that a page fetches are defined here.
"""

from __future__ import annotations

import csv
import io
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.markup import element, text
from audiencelab.render.csv_injection import defused_field
from audiencelab.render.table_layout import MEASURE_NAMES
from audiencelab.results.banner import levels, table_title
from audiencelab.results.crosstab import FIGURES
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.metrics import denominator, plane

if TYPE_CHECKING:
    from audiencelab.expressions import Audience
    from audiencelab.tables import ColumnComparison

PART_BYTES = 900_000
"""Bytes of one part: a message may have at most a million in all."""

_KEPT_FILES = 2
"""Files that are kept until they are fetched: one for each of two views."""

_NAME_LENGTH = 40
_LABELS = {**MEASURE_NAMES, "difference": "Difference, points", "z": "z", "letters": "Letters"}

_DEFAULT_METRICS = ("column_percentage", "index")
"""The metrics of a workbook if none of the table's can be printed."""


@dataclass(frozen=True, slots=True, eq=False)
class ExportCells:
    """Cells to be written, transposed if the table is shown so.

    result: the cells as a table of its own.
    planes: the metrics of the cells in order, by their names in that table: float64[rows, columns],
        or str for letters; NaN where there is no value, or none is shown.
    letters: the letter of each column, "" for none; () where no letters are shown.
    blank_under: minimum respondents in the denominator of a visible value.
    nets: ids of its rows and columns that are nets, which tests leave out.
    """

    result: CrosstabResult
    planes: Mapping[str, NDArray[Any]]
    letters: tuple[str, ...] = ()
    blank_under: float = 0
    nets: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: CrosstabResult, metrics: Sequence[str]) -> ExportCells:
        """A whole table with these metrics."""
        planes = {name: plane(result, name) for name in metrics}
        letters = result.compare_columns().column_letters() if "letters" in planes else ()
        return cls(result, planes, tuple(letters))

    @property
    def printed(self) -> tuple[str, ...]:
        """The metrics that a workbook and a web page can show."""
        return printed_metrics(tuple(self.planes))


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its suffix, its media type, and its writer."""

    suffix: str
    media_type: str
    write: Callable[[ExportCells], bytes]


def as_excel(cells: ExportCells) -> bytes:
    """A workbook with bases, legend and provenance, and with letters if they are shown.

    Raises `ImportError` without XlsxWriter.
    """
    written = io.BytesIO()
    comparison, metrics = None, cells.printed
    if any(cells.letters):
        # Letters need the shares that were compared, and those of these columns only.
        comparison = _compared(cells)
        metrics = tuple(dict.fromkeys((*metrics, "column_percentage")))
    cells.result.to_excel(
        written, metrics=metrics, comparison=comparison, blank_under=cells.blank_under
    )
    return written.getvalue()


def _compared(cells: ExportCells) -> ColumnComparison | None:
    """The tests between the exported columns; None where no two of them can be compared."""
    try:
        return cells.result.compare_columns(nets=cells.nets)
    except ValueError:
        return None


def as_html(cells: ExportCells) -> bytes:
    """The whole table as a self-contained web page."""
    shown = ", ".join(MEASURE_NAMES[name] for name in cells.printed)
    title = table_title(cells.result.row_heads, cells.result.column_heads)
    head = f'<meta charset="utf-8">{element("title", text(f"{title} · {shown}"))}'
    body = cells.result.to_html(metrics=cells.printed, blank_under=cells.blank_under)
    page = f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'
    return page.encode()


def as_csv(cells: ExportCells) -> bytes:
    """The table as it is shown: rows down, columns across, both bases; a block for each metric.

    Numbers are in full precision, a missing value is an empty field. A byte order mark at the
    start makes Excel read UTF-8.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    for number, metric in enumerate(cells.planes):
        if number:
            writer.writerow([])
        writer.writerows(_block(cells, metric))
    return written.getvalue().encode("utf-8-sig")


def as_long_csv(cells: ExportCells) -> bytes:
    """One line for each cell, with every metric of `to_frame()`, whichever are shown.

    Values below `blank_under` are missing.
    """
    frame = cells.result.to_frame()
    # The lines of the frame are its cells, row by row.
    arrived = np.nonzero(cells.result.arrived)
    for name in frame.columns.intersection(list(FIGURES)):
        respondents = denominator(cells.result, name)
        if cells.blank_under and respondents is not None:
            frame.loc[respondents[arrived] < cells.blank_under, name] = np.nan
    for name in frame.columns:
        if not np.issubdtype(_kind(frame[name]), np.number):
            frame[name] = [defused_field(str(each)) for each in frame[name]]
    return frame.to_csv(index=False).encode("utf-8-sig")


FORMATS: Mapping[str, Format] = {
    "xlsx": Format(
        ".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_excel
    ),
    "csv": Format(".csv", "text/csv;charset=utf-8", as_csv),
    "cells": Format("-cells.csv", "text/csv;charset=utf-8", as_long_csv),
    "html": Format(".html", "text/html;charset=utf-8", as_html),
}
"""The formats of a whole table, by the names in requests of the page."""


def printed_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    """The metrics of a grid that are in its frame, or defaults if there are none."""
    return tuple(name for name in metrics if name in FIGURES) or _DEFAULT_METRICS


def file_name(result: CrosstabResult, suffix: str) -> str:
    """The file name of this table: letters, digits and dashes, the same in every run."""
    rows = _side(result.rows, [heads[0] if heads else "" for heads in result.row_heads], "rows")
    across = [heads[0] if heads else "" for heads in result.column_heads]
    parts = [rows, "by", _side(result.columns, across, "columns")]
    base = result.base_audience
    if base is not None and base.expression is not None:
        parts += ["of", _slug(base.name)]
    return f"{'-'.join(filter(None, parts))}{suffix}"


class Exports:
    """Files that a page fetches in parts."""

    def __init__(self) -> None:
        self._held: dict[int, bytes] = {}
        self._last = 0
        self._lock = threading.Lock()

    def add(self, data: bytes) -> int:
        """Keep a file until it is fetched; returns its number."""
        with self._lock:
            self._last += 1
            self._held[self._last] = data
            for older in list(self._held)[:-_KEPT_FILES]:
                del self._held[older]
            return self._last

    def part(self, number: int, start: int) -> bytes:
        """The part at `start`; the last one drops the file. `AudienceError` if it is gone."""
        with self._lock:
            data = self._held.get(number)
            if data is None:
                raise AudienceError("This file is no longer available: save it again.")
            end = start + PART_BYTES
            if end >= len(data):
                del self._held[number]
        return data[start:end]


def _block(cells: ExportCells, metric: str) -> Iterator[list[object]]:
    """One metric as lines: its name in the corner, with groups and bases."""
    result = cells.result
    base = result.base_audience.name if result.base_audience else "All"
    columns = [each.name for each in result.columns]
    if metric == "letters" and any(cells.letters):
        columns = [
            f"{name} ({letter})" if letter else name
            for name, letter in zip(columns, cells.letters, strict=True)
        ]
    size, sample = result.column_values("column_size"), result.column_values("column_sample")
    groups = levels(result.row_heads)
    room = [""] * len(groups)
    for heads in levels(result.column_heads):
        yield [*room, "", "", "", *map(defused_field, heads)]
    yield [*room, _LABELS.get(metric, metric), "Size", "Sample", *map(defused_field, columns)]
    whole = (f"Base: {base}, size", result.base_size, "", size)
    counted = (f"Base: {base}, sample", "", result.base_sample, sample)
    for name, people, respondents, own in (whole, counted):
        line = [_field(people), _field(respondents), *map(_field, own)]
        yield [*room, defused_field(name), *line]
    values = cells.planes[metric]
    row_size, row_sample = result.row_values("row_size"), result.row_values("row_sample")
    for at, row in enumerate(result.rows):
        heads = (defused_field(level[at]) for level in groups)
        own = (_field(row_size[at]), _field(row_sample[at]))
        yield [*heads, defused_field(row.name), *own, *map(_field, values[at])]


def _field(value: object) -> object:
    """A number as Python writes it, integers without a point; "" for NaN."""
    if isinstance(value, str):
        return value
    number = float(cast(float, value))
    if not np.isfinite(number):
        return ""
    return int(number) if number.is_integer() else number


def _kind(column: object) -> np.dtype[np.generic]:
    kind = getattr(column, "dtype", None)
    return cast("np.dtype[np.generic]", kind if isinstance(kind, np.dtype) else np.dtype(object))


def _side(audiences: Sequence[Audience], heads: Sequence[str], noun: str) -> str:
    """An axis in a word: the group of all items, the only name, or the number of items."""
    if heads and heads[0] and len(set(heads)) == 1:
        return _slug(heads[0])
    if len(audiences) == 1:
        return _slug(audiences[0].name)
    return f"{len(audiences)}-{noun}"


def _slug(name: str) -> str:
    """Letters and digits of any script, with dashes between."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-")[:_NAME_LENGTH].strip("-")
