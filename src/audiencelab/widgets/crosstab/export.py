"""Exports of a grid: files, charts, code, and one cell in detail, for Python and for the page."""

from __future__ import annotations

import csv
import difflib
import io
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.marks import column_letters
from audiencelab.client.names import window_codes
from audiencelab.csv_injection import defused_field
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, all_of
from audiencelab.markup import element, joined, text
from audiencelab.render.excel import write_workbook
from audiencelab.render.layout import table_layout
from audiencelab.render.table_layout import METRIC_LABELS
from audiencelab.results.banner import Groups, full_name, levels, table_title
from audiencelab.results.cells import FIGURES
from audiencelab.results.coverage import Coverage, questions_of
from audiencelab.results.metric_names import frame_name
from audiencelab.results.statistic_rows import STATISTIC_FIGURES
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import Axis, as_position
from audiencelab.widgets.crosstab.charts import ChartKind, Positions, chart_positions, draw
from audiencelab.widgets.crosstab.drilldown import CellDetail, cell_detail
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.metrics import (
    LABELS,
    denominator,
    part_of,
    plane,
    shown_plane,
    transposed_metric,
    transposed_table,
)
from audiencelab.widgets.crosstab.protocol import (
    CellArgs,
    CellReport,
    CodeArgs,
    ExportArgs,
    FileHeader,
    FilePart,
    Region,
)
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.crosstab.static_html import statistics_html
from audiencelab.widgets.crosstab.tiles import parse_positions
from audiencelab.widgets.rpc_types import Answer, Code, Request

if TYPE_CHECKING:
    from audiencelab.charts import Chart
    from audiencelab.charts.theme import Theme

PART_BYTES = 900_000
"""Bytes of one part: a message may have at most a million in total."""

MAX_PAGE_CELLS = 1_000_000
"""Maximum values in a file that a page requests; Python writes larger ones."""

_KEPT_FILES = 2
"""Files that are kept until they are fetched: one for each of two views."""

_NAME_LENGTH = 40
_LABELS = {**METRIC_LABELS, **LABELS, "difference": "Difference, points"}

_DEFAULT_METRICS = ("column_percentage", "index")
"""The metrics of a workbook if none of the table's can be printed."""


# -- formats --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ExportCells:
    """Cells to be written, transposed if the table is shown so.

    result: the cells as a table of its own.
    planes: the metrics of the cells in order, by their names in that table: float64[rows, columns],
        or str for letters; NaN where there is no value, or none is shown.
    letters: the letter of each column, "" for none; () where no letters are shown.
    blank_under: minimum respondents in the denominator of a visible value.
    nets: ids of its rows and columns that are nets, which tests leave out.
    beside: the table as it was before it was transposed, whose rows of statistics stay rows.
    """

    result: CrosstabResult
    planes: Mapping[str, NDArray[Any]]
    letters: tuple[str, ...] = ()
    blank_under: float = 0
    nets: tuple[str, ...] = ()
    beside: CrosstabResult | None = None

    @classmethod
    def of(cls, result: CrosstabResult, metrics: Sequence[str]) -> ExportCells:
        """A whole table with these metrics."""
        planes = {name: plane(result, name) for name in metrics}
        letters = column_letters(result.test()) if "letters" in planes else ()
        return cls(result, planes, tuple(letters))

    @property
    def printed(self) -> tuple[str, ...]:
        """The metrics that a workbook and a web page can show."""
        return printed_metrics(tuple(self.planes))

    @property
    def statistics_of(self) -> CrosstabResult | None:
        """The table with rows of statistics, transposed or not; None where there are none."""
        whole = self.beside or self.result
        return None if whole.statistics is None else whole


def as_excel(cells: ExportCells) -> bytes:
    """A workbook with bases, legend and provenance, and with letters if they are shown.

    Raises `ImportError` without XlsxWriter.
    """
    written = io.BytesIO()
    if cells.beside is not None and cells.beside.statistics is not None:
        shown, whole = (
            table_layout(each, metrics=cells.printed).blanked(cells.blank_under)
            for each in (cells.result, cells.beside)
        )
        write_workbook(written, {"Table": shown, "Statistics": whole.of_statistics()})
        return written.getvalue()
    comparison, metrics = None, cells.printed
    if any(cells.letters):
        # Letters need the shares that were compared, and those of these columns only.
        metrics = tuple(dict.fromkeys((*metrics, "column_percentage")))
        try:
            comparison = cells.result.test(nets=cells.nets)
        except ValueError:
            comparison = None  # No two of these columns can be compared.
    cells.result.to_excel(
        written, metrics=metrics, comparison=comparison, blank_under=cells.blank_under
    )
    return written.getvalue()


def as_html(cells: ExportCells) -> bytes:
    """The whole table as a self-contained web page."""
    shown = ", ".join(METRIC_LABELS[name] for name in cells.printed)
    title = table_title(cells.result.row_groups, cells.result.column_groups)
    head = f'<meta charset="utf-8">{element("title", text(f"{title} · {shown}"))}'
    body = cells.result.to_html(metrics=cells.printed, blank_under=cells.blank_under)
    if cells.beside is not None:
        body += str(joined(*statistics_html(cells.beside, None, cells.blank_under)))
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
    if (whole := cells.statistics_of) is not None:
        writer.writerow([])
        lines = _statistics_block(whole, cells.blank_under)
        writer.writerows(lines if cells.beside is None else zip(*lines, strict=True))
    return written.getvalue().encode("utf-8-sig")


def as_long_csv(cells: ExportCells) -> bytes:
    """One line for each cell, with every metric of `to_frame()`, whichever are shown.

    Values below `blank_under` are missing.
    """
    frame = cells.result.to_frame()
    statistics = cells.result.statistics
    # The lines of the frame are its cells, row by row, and those of statistics among them.
    arrived = np.nonzero(cells.result.arrived)
    shares = np.ones(len(frame), bool) if statistics is None else frame["statistic"] == ""
    lines = np.flatnonzero(shares)
    for name in FIGURES:
        respondents = denominator(cells.result, name)
        if cells.blank_under and respondents is not None:
            few = lines[respondents[arrived] < cells.blank_under]
            frame.loc[few, frame_name(name)] = np.nan
    if statistics is not None:
        few = ~shares & (frame["answered_sample"] < cells.blank_under)
        frame.loc[few, list(STATISTIC_FIGURES[:3])] = np.nan
    for name in frame.select_dtypes(exclude="number"):
        frame[name] = [defused_field(str(each)) for each in frame[name]]
    return frame.to_csv(index=False).encode("utf-8-sig")


def as_png(cells: ExportCells) -> bytes:
    """A chart of the cells as an image."""
    return _drawing(cells).png()


def as_svg(cells: ExportCells) -> bytes:
    """A chart of the cells as a vector image."""
    return _drawing(cells).svg().encode()


def _drawing(cells: ExportCells) -> Chart:
    rows, columns = (range(count) for count in cells.result.shape)
    return draw(cells.result, rows, columns, cells.printed[0])


class Format(NamedTuple):
    """A file format: its suffix, its media type, and its writer."""

    suffix: str
    media_type: str
    write: Callable[[ExportCells], bytes]


_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_CSV = "text/csv;charset=utf-8"

FORMATS: Mapping[str, Format] = {
    "xlsx": Format(".xlsx", _EXCEL, as_excel),
    "csv": Format(".csv", _CSV, as_csv),
    "cells": Format("-cells.csv", _CSV, as_long_csv),
    "html": Format(".html", "text/html;charset=utf-8", as_html),
    "png": Format(".png", "image/png", as_png),
    "svg": Format(".svg", "image/svg+xml", as_svg),
}
"""The formats, by the names in requests of the page; images have a limit of their own."""


def printed_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    """The metrics of a grid that are in its frame, or defaults if there are none."""
    return tuple(name for name in metrics if name in FIGURES) or _DEFAULT_METRICS


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


def _block(cells: ExportCells, metric: str) -> Iterator[list[object]]:
    """One metric as lines: its name in the corner, with groups and bases."""
    result = cells.result
    base = result.base_audience.name if result.base_audience is not None else "All"
    columns = [each.name for each in result.columns]
    if metric == "letters" and any(cells.letters):
        columns = [
            f"{name} ({letter})" if letter else name
            for name, letter in zip(columns, cells.letters, strict=True)
        ]
    size, sample = result.column_values("column_size"), result.column_values("column_sample")
    groups = levels(result.row_groups)
    indent = [""] * len(groups)
    for names in levels(result.column_groups):
        yield [*indent, "", "", "", *map(defused_field, names)]
    yield [
        *indent,
        _LABELS.get(metric, metric),
        "Weighted base",
        "Unweighted base (n)",
        *map(defused_field, columns),
    ]
    name = defused_field(f"Weighted base: {base}")
    yield [*indent, name, _field(result.base_size), "", *map(_field, size)]
    name = defused_field(f"Unweighted base (n): {base}")
    yield [*indent, name, "", _field(result.base_sample), *map(_field, sample)]
    values = cells.planes[metric]
    row_size, row_sample = result.row_values("row_size"), result.row_values("row_sample")
    for at, row in enumerate(result.rows):
        names = [*(level[at] for level in groups), row.name]
        yield [
            *map(defused_field, names),
            _field(row_size[at]),
            _field(row_sample[at]),
            *map(_field, values[at]),
        ]


def _statistics_block(result: CrosstabResult, blank_under: float) -> Iterator[list[object]]:
    """Rows of statistics as lines, with the bases of those who gave an amount."""
    statistics = result.statistics
    assert statistics is not None
    blank = [""] * len(levels(statistics.groups))
    names = [defused_field(full_name(*each)) for each in zip(
        result.column_groups, (column.name for column in result.columns), strict=True
    )]  # fmt: skip
    yield [*blank, "Statistic", "Weighted base", "Unweighted base (n)", *names, "Base"]
    value, sample = statistics.values("value"), statistics.values("answered_sample")
    shown = np.where(sample < blank_under, np.nan, value)
    groups = levels(statistics.groups)
    bases = [statistics.base(name) for name in ("answered_size", "answered_sample", "value")]
    for at, row in enumerate(statistics.rows):
        size, count, whole = (float(each[at]) for each in bases)
        whole = np.nan if count < blank_under else whole
        yield [
            *map(defused_field, [*(level[at] for level in groups), row.name]),
            *map(_field, (size, count, *shown[at], whole)),
        ]


def _field(value: object) -> object:
    """A number as Python writes it, integers without a point; "" for NaN."""
    if isinstance(value, str):
        return value
    number = float(cast(float, value))
    if not np.isfinite(number):
        return ""
    return int(number) if number.is_integer() else number


# -- files in parts -------------------------------------------------------------------------------


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


# -- of a grid ------------------------------------------------------------------------------------


class Exporter:
    """Exports the table of a session."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session
        self._files = Exports()
        self._coverage: Coverage | None = None

    @staticmethod
    def chart(
        result: CrosstabResult,
        selected: tuple[Positions, Positions] | None,
        metric: str,
        kind: ChartKind | None = None,
        theme: Theme = "light",
        *,
        transposed: bool = False,
    ) -> Chart:
        """The chart of the selected cells of a table, transposed if the table is shown so."""
        rows, columns = chart_positions(selected, result.shape)
        if transposed:
            return draw(
                transposed_table(result), columns, rows, transposed_metric(metric), kind, theme
            )
        return draw(result, rows, columns, metric, kind, theme)

    # -- one cell --------------------------------------------------------------------------------

    def drill(
        self, row: int | str | Audience, column: int | str | Audience, low_base: tuple[int, int]
    ) -> CellDetail:
        """One cell in detail; row, column: a position from 0, a name, or the audience."""
        result = self._session.wait()
        rows, columns = self._session.axes
        at = _position(rows, row, "row"), _position(columns, column, "column")
        return self._detail(result, *at, low_base)

    def answer_drill(self, request: Request[CellArgs], low_base: tuple[int, int]) -> CellReport:
        """One cell in detail, for the page's panel."""
        self._session.snapshot_for(request)
        rows, columns = self._session.axes
        (row,) = parse_positions([request.args.row], len(rows), "rows").tolist()
        (column,) = parse_positions([request.args.column], len(columns), "columns").tolist()
        return self._detail(self._session.result_for(request), row, column, low_base).to_page()

    def _detail(
        self, result: CrosstabResult, row: int, column: int, low_base: tuple[int, int]
    ) -> CellDetail:
        rows, columns = self._session.axes
        parts = self._session.query.parts
        base = parts[column // self._session.columns_per_base].base_audience
        within = self._session.base if base is None else base
        waves = self._waves((rows[row], columns[column], within))
        labels = self._session.labels()
        return cell_detail(
            result, row, column, base=base, labels=labels, waves=waves, low_base=low_base
        )

    def _waves(self, audiences: Sequence[Audience]) -> tuple[str, ...] | None:
        """The waves of a cell; None where the service does not list waves."""
        parts = [each.expression for each in audiences if each.expression is not None]
        cell = Audience("cell", all_of(*parts) if parts else None)
        questions, known = questions_of(cell), self._coverage
        try:
            if known is None or any(code not in known.asked for code in questions):
                new = self._session.client.coverage(cell)
                asked = {**(known.asked if known else {}), **new.asked}
                self._coverage = known = replace(new, asked=asked)
        except (AudienceError, AttributeError):
            # A client that only streams crosstabs has no waves.
            return None
        counted = Coverage(cell, known.waves, known.asked).counted
        client = self._session.client
        if (asked_for := self._session.query.waves) is None:
            asked_for = window_codes(
                client.default_waves, {wave.code: wave.name for wave in client.waves()}
            )
        return tuple(wave for wave in counted if wave in asked_for)

    # -- code and files --------------------------------------------------------------------------

    def answer_code(self, request: Request[CodeArgs]) -> Code:
        """Python for the selected rows and columns, or for the whole query."""
        self._session.snapshot_for(request)
        query, args = self._session.query, request.args
        if args.rows is None or args.columns is None:
            return Code(query.to_code(self._session.labels()))
        rows, columns = self._positions(Region(args.generation, args.rows, args.columns))
        width, bases = self._session.columns_per_base, query.bases
        if bases:
            # Each base has all columns: the selected ones of any, in the bases that have one.
            bases = tuple(bases[part] for part in sorted({at // width for at in columns}))
            columns = list(dict.fromkeys(at % width for at in columns))
        chosen = replace(
            query,
            rows=None if query.rows is None else query.rows.take(rows),
            columns=None if query.columns is None else query.columns.take(columns),
            bases=bases,
        )
        return Code(chosen.to_code(self._session.labels()))

    def answer_export(
        self, request: Request[ExportArgs], looks: Looks, *, transposed: bool
    ) -> Answer[FileHeader]:
        """A file of the visible or selected cells: its header and its first part."""
        cells = self._cells(request, looks, transposed=transposed)
        request.check()
        chosen, values = FORMATS[request.args.format], cells.result.expected * len(cells.planes)
        if values > MAX_PAGE_CELLS and not chosen.media_type.startswith("image/"):
            raise AudienceError(
                f"{values:,} values are too many for a page (at most {MAX_PAGE_CELLS:,}). "
                "Select fewer cells, or write the file in Python with grid.to_excel(path) or "
                "grid.to_frame().to_csv(path)."
            )
        data = chosen.write(cells)
        request.check()
        number = self._files.add(data)
        name = file_name(cells.result, chosen.suffix)
        header = FileHeader(number, name, chosen.media_type, len(data))
        return Answer(header, [self._files.part(number, 0)])

    def answer_part(self, request: Request[FilePart]) -> Answer[None]:
        """A later part of a file."""
        return Answer(None, [self._files.part(request.args.number, request.args.start)])

    def _positions(self, region: Region) -> tuple[list[int], list[int]]:
        rows, columns = self._session.positions(region)
        return rows.tolist(), columns.tolist()

    def _cells(
        self, request: Request[ExportArgs], looks: Looks, *, transposed: bool
    ) -> ExportCells:
        """The cells in a request as they are shown."""
        result = self._session.result_for(request)
        rows, columns = self._positions(request.args)
        part = part_of(result, rows, columns)
        letters = self._session.letters(result) if "letters" in looks.metrics else None
        planes: dict[str, NDArray[Any]] = {}
        for name in looks.metrics:
            if name != "letters":
                planes[name] = shown_plane(part, name, looks.blank_under)
            elif letters is not None:
                planes[name] = letters.marks[np.ix_(rows, columns)]
        if transposed:
            swapped = {transposed_metric(name): values.T for name, values in planes.items()}
            return ExportCells(
                transposed_table(part), swapped, blank_under=looks.blank_under, beside=part
            )
        own = () if letters is None else tuple(letters.column_letters[at] for at in columns)
        all_nets = set(self._session.nets(result))
        ids = (each.id or each.name for each in (*part.rows, *part.columns))
        nets = tuple(each for each in ids if each in all_nets)
        return ExportCells(part, planes, own, looks.blank_under, nets)


def _position(axis: Axis, value: int | str | Audience, noun: str) -> int:
    if (at := as_position(value)) is not None:
        if 0 <= at < len(axis):
            return at
        raise LookupError(f"There is no {noun} {value}: positions are 0 to {len(axis) - 1}.")
    names = enumerate(zip(axis, axis.full_names, strict=True))
    found = [at for at, (each, full) in names if value in (each.name, each, full)]
    if len(found) == 1:
        return found[0]
    name = value.name if isinstance(value, Audience) else str(value)
    if found:
        raise LookupError(f"{len(found)} {noun}s are named {name!r}: use the position, from 0.")
    near = difflib.get_close_matches(name, [audience.name for audience in axis], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise LookupError(f"There is no {noun} {name!r}.{hint}")
