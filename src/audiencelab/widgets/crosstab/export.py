"""A table as a file: Excel, CSV, HTML, or a picture, as bytes and with a name to save them under.

The formats are those of the result itself (`to_excel`, `to_html`, charts); of its own this room
has CSV, names that are safe as files and as fields, and the parts in which a page fetches bytes.
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
from audiencelab.render.csv_injection import defused_field
from audiencelab.render.markup import element, text
from audiencelab.render.table_layout import MEASURE_NAMES
from audiencelab.results.banner import levels, table_title
from audiencelab.results.crosstab import FIGURES, CrosstabResult
from audiencelab.widgets.crosstab.measures import denominator, plane

if TYPE_CHECKING:
    from audiencelab.analysis.significance import ColumnComparison
    from audiencelab.expressions import Audience

__all__ = [
    "FORMATS",
    "PART_BYTES",
    "Exports",
    "Format",
    "Taken",
    "as_csv",
    "as_excel",
    "as_html",
    "as_long_csv",
    "file_name",
    "printed_metrics",
]

PART_BYTES = 900_000
"""Bytes of one part: a message of a channel may have a million, its words included."""

_KEPT = 2
"""Files that wait to be fetched: a page takes one at a time, and two pages may look."""

_NAME_LENGTH = 40
_LABELS = {**MEASURE_NAMES, "difference": "Difference, points", "z": "z", "letters": "Letters"}

_USUAL = ("column_percentage", "index")
"""What a workbook shows where nothing that the table shows can be printed."""


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Cells to be written: as they are seen, whichever way round.

    result: the cells as a table of its own.
    planes: what the cells show, in order, by its name in that table: float64[rows, columns], or
        texts for letters; NaN where there is no figure, or none is shown.
    letters: by which tests call each column, "" for none; () where no letters are shown.
    blank_under: respondents that a figure has to rest on to be shown.
    nets: ids of its rows and columns that hold others, which tests leave out.
    """

    result: CrosstabResult
    planes: Mapping[str, NDArray[Any]]
    letters: tuple[str, ...] = ()
    blank_under: float = 0
    nets: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: CrosstabResult, metrics: Sequence[str]) -> Taken:
        """A whole table that shows these metrics."""
        planes = {name: plane(result, name) for name in metrics}
        letters = result.compare_columns().heads() if "letters" in planes else ()
        return cls(result, planes, tuple(letters))

    @property
    def printed(self) -> tuple[str, ...]:
        """What of it a workbook and a page can show."""
        return printed_metrics(tuple(self.planes))


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: its ending, its media type, and who writes it."""

    suffix: str
    media_type: str
    write: Callable[[Taken], bytes]


def as_excel(taken: Taken) -> bytes:
    """A workbook with bases, legend and provenance; with letters of tests where those are shown.

    Raises `ImportError` without XlsxWriter.
    """
    written = io.BytesIO()
    comparison, metrics = None, taken.printed
    if any(taken.letters):
        # Letters stand beside the shares that were compared, and are those of these columns.
        comparison = _compared(taken)
        metrics = tuple(dict.fromkeys((*metrics, "column_percentage")))
    taken.result.to_excel(
        written, metrics=metrics, comparison=comparison, blank_under=taken.blank_under
    )
    return written.getvalue()


def _compared(taken: Taken) -> ColumnComparison | None:
    """The tests between the columns that are taken; None where no two of them can be compared."""
    try:
        return taken.result.compare_columns(nets=taken.nets)
    except ValueError:
        return None


def as_html(taken: Taken) -> bytes:
    """The whole table as a page that needs nothing else."""
    shown = ", ".join(MEASURE_NAMES[name] for name in taken.printed)
    title = table_title(taken.result.row_heads, taken.result.column_heads)
    head = f'<meta charset="utf-8">{element("title", text(f"{title} · {shown}"))}'
    body = taken.result.to_html(metrics=taken.printed, blank_under=taken.blank_under)
    page = f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'
    return page.encode()


def as_csv(taken: Taken) -> bytes:
    """The table as it is seen: rows down, columns across, both bases; a block for each metric.

    Numbers are in full precision, a field without one is empty. It begins with a byte order mark,
    so that Excel takes it for UTF-8.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    for place, metric in enumerate(taken.planes):
        if place:
            writer.writerow([])
        writer.writerows(_block(taken, metric))
    return written.getvalue().encode("utf-8-sig")


def as_long_csv(taken: Taken) -> bytes:
    """One line for each cell, with every figure of `to_frame()`; whatever metrics are shown.

    What rests on too few to be shown is not there either.
    """
    frame = taken.result.to_frame()
    # The lines of a frame are its cells, row by row.
    cells = np.nonzero(taken.result.arrived)
    for name in frame.columns.intersection(list(FIGURES)):
        respondents = denominator(taken.result, name)
        if taken.blank_under and respondents is not None:
            frame.loc[respondents[cells] < taken.blank_under, name] = np.nan
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
"""The files of a whole table, by the name that the page asks with."""


def printed_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    """Those of a grid's metrics that are figures of a table; the usual ones if there is none."""
    return tuple(name for name in metrics if name in FIGURES) or _USUAL


def file_name(result: CrosstabResult, suffix: str) -> str:
    """What to call a file of this table: of letters, digits and dashes, the same every time."""
    rows = _side(result.rows, [heads[0] if heads else "" for heads in result.row_heads], "rows")
    across = [heads[0] if heads else "" for heads in result.column_heads]
    parts = [rows, "by", _side(result.columns, across, "columns")]
    base = result.base_audience
    if base is not None and base.expression is not None:
        parts += ["of", _slug(base.name)]
    return f"{'-'.join(filter(None, parts))}{suffix}"


class Exports:
    """Files on their way to a page, which fetches them part by part."""

    def __init__(self) -> None:
        self._held: dict[int, bytes] = {}
        self._last = 0
        self._lock = threading.Lock()

    def hold(self, data: bytes) -> int:
        """Keep a file until it is fetched; returns the number to ask for it with."""
        with self._lock:
            self._last += 1
            self._held[self._last] = data
            for older in list(self._held)[:-_KEPT]:
                del self._held[older]
            return self._last

    def part(self, number: int, start: int) -> bytes:
        """The part from `start` on; the last one ends the file. `AudienceError` if it is gone."""
        with self._lock:
            data = self._held.get(number)
            if data is None:
                raise AudienceError("This file is no longer here: save it again.")
            end = start + PART_BYTES
            if end >= len(data):
                del self._held[number]
        return data[start:end]


def _block(taken: Taken, metric: str) -> Iterator[list[object]]:
    """One metric as lines: its name in the corner, groups and bases above and beside."""
    result = taken.result
    base = result.base_audience.name if result.base_audience else "All"
    columns = [each.name for each in result.columns]
    if metric == "letters" and any(taken.letters):
        columns = [
            f"{name} ({letter})" if letter else name
            for name, letter in zip(columns, taken.letters, strict=True)
        ]
    size, sample = result.column_values("column_size"), result.column_values("column_sample")
    beside = levels(result.row_heads)
    room = [""] * len(beside)
    for heads in levels(result.column_heads):
        yield [*room, "", "", "", *map(defused_field, heads)]
    yield [*room, _LABELS.get(metric, metric), "Size", "Sample", *map(defused_field, columns)]
    whole = (f"Base: {base}, size", result.base_size, "", size)
    counted = (f"Base: {base}, sample", "", result.base_sample, sample)
    for name, people, respondents, own in (whole, counted):
        line = [_field(people), _field(respondents), *map(_field, own)]
        yield [*room, defused_field(name), *line]
    values = taken.planes[metric]
    row_size, row_sample = result.row_values("row_size"), result.row_values("row_sample")
    for place, row in enumerate(result.rows):
        heads = (defused_field(level[place]) for level in beside)
        own = (_field(row_size[place]), _field(row_sample[place]))
        yield [*heads, defused_field(row.name), *own, *map(_field, values[place])]


def _field(value: object) -> object:
    """A number as Python writes it, whole ones without a point; nothing for no number."""
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
    """What stands on one side: the head over all of it, its one name, or how many there are."""
    if heads and heads[0] and len(set(heads)) == 1:
        return _slug(heads[0])
    if len(audiences) == 1:
        return _slug(audiences[0].name)
    return f"{len(audiences)}-{noun}"


def _slug(name: str) -> str:
    """Letters and digits of any script, with dashes between."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-")[:_NAME_LENGTH].strip("-")
