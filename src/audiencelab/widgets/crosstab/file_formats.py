"""The files of a table of the crosstab widget: workbook, web page, CSV and charts."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import whole_note
from audiencelab.analysis.marks import column_letters, legend, marks
from audiencelab.analysis.options import Versus
from audiencelab.csv_injection import defused_field
from audiencelab.expressions import Audience
from audiencelab.flags import flag
from audiencelab.markup import Card
from audiencelab.render.excel import write_workbook
from audiencelab.render.html import note
from audiencelab.render.layout import table_layout
from audiencelab.render.page import table_page
from audiencelab.render.room import PAGE
from audiencelab.render.table_layout import TableLayout
from audiencelab.results.arrangement import ArrangementOptions, TableArrangement
from audiencelab.results.banner import Groups, full_name, levels
from audiencelab.results.cells import FIGURES
from audiencelab.results.metrics import IN_TABLES, METRICS, crosstab_name, frame_name
from audiencelab.results.provenance import source_line
from audiencelab.results.statistic_rows import STATISTIC_FIGURES
from audiencelab.results.who_counts import base_line, notes
from audiencelab.tables import Comparison, CrosstabResult
from audiencelab.tables.comparison import compared
from audiencelab.widgets.crosstab.charts import draw
from audiencelab.widgets.crosstab.formatting import ARROWS_AGAINST, Looks
from audiencelab.widgets.crosstab.marks import TableMarks, letter_levels
from audiencelab.widgets.crosstab.metrics import denominator, plane
from audiencelab.widgets.crosstab.static_html import grid_html
from audiencelab.widgets.crosstab.tiles import bases_vary

if TYPE_CHECKING:
    from audiencelab.charts.specification import ChartSpecification


_NAME_LENGTH = 40

_DEFAULT_METRICS = ("column_percentage", "index")
"""The metrics of a workbook if none of the table's can be printed."""


@dataclass(frozen=True, slots=True, eq=False)
class ExportCells:
    """Cells to be written, transposed if the table is shown so.

    result: the cells as a table of its own.
    planes: the metrics of the cells in order, by their names in that table: float64[rows, columns],
        or str for letters; NaN where there is no value, or none is shown.
    letters: the letter of each column, "" for none; () where no letters are shown.
    looks: the settings of the grid: what is hidden, marked, tested and coloured.
    nets: ids of its rows and columns that are nets, which have no letters.
    beside: the table as it was before it was transposed, whose rows of statistics stay rows.
    marks: those of the cells on the screen; None where there are none.
    """

    result: CrosstabResult
    planes: Mapping[str, NDArray[Any]]
    letters: tuple[str, ...] = ()
    looks: Looks = field(default_factory=lambda: Looks(significance="none"))
    nets: tuple[str, ...] = ()
    beside: CrosstabResult | None = None
    marks: TableMarks | None = None

    @property
    def how(self) -> ArrangementOptions:
        """Which values are hidden and marked, and with how many decimals."""
        return self.looks.arrangement

    @property
    def hide_under(self) -> float:
        """The respondents in the denominator of a visible value."""
        return self.looks.hide_under

    @classmethod
    def of(cls, result: CrosstabResult, metrics: Sequence[str]) -> ExportCells:
        """A whole table with these metrics."""
        planes = {name: plane(result, name) for name in metrics}
        letters = column_letters(compared(result)) if "letters" in planes else ()
        looks = Looks(tuple(metrics) or Looks().metrics, significance="none")
        return cls(result, planes, tuple(letters), looks)

    @property
    def printed(self) -> tuple[str, ...]:
        """The metrics that a workbook and a web page can show."""
        # What is computed is of the table's own columns, so it is in no table with them as rows.
        known = IN_TABLES if self.beside is None else FIGURES
        return printed_metrics(tuple(name for name in self.planes if name in known))

    @property
    def comparison(self) -> Comparison | None:
        """The tests whose marks a file has; None where there are none, or rows were columns.

        Letters are those of these columns only.
        """
        if self.beside is not None:
            return None
        against = ARROWS_AGAINST.get(self.looks.significance)
        shown = against if "column_percentage" in self.printed else None
        return shown_tests(self.result, self.looks.level, self.nets, any(self.letters), shown)

    @property
    def statistics_of(self) -> CrosstabResult | None:
        """The table with rows of statistics, transposed or not; None where there are none."""
        whole = self.beside or self.result
        return None if whole.statistics is None else whole


def shown_tests(
    result: CrosstabResult, level: float, nets: Sequence[str], letters: bool, arrows: Versus | None
) -> Comparison | None:
    """The tests that a grid marks by letters or arrows; None without marks.

    arrows: what these compare each column with; None for no arrows.
    """
    try:
        if letters:
            return compared(result, nets=nets, levels=letter_levels(level))
        return compared(result, arrows, levels=level) if arrows else None
    except (ImportError, ValueError):  # No two of the columns can be compared.
        return None


def printed(
    result: CrosstabResult, looks: Looks, nets: Sequence[str], metrics: Sequence[str] | None
) -> dict[str, Any]:
    """What a file of a whole grid shows, as its cells do, in options of `CrosstabResult`.

    metrics: None for those of the cells; letters need the shares that were compared beside them.
    """
    chosen = printed_metrics(looks.metrics) if metrics is None else tuple(metrics)
    if looks.letters and metrics is None:
        chosen = tuple(dict.fromkeys((*chosen, "column_percentage")))
    shares = "column_percentage" in map(crosstab_name, chosen)
    arrows = ARROWS_AGAINST.get(looks.significance) if shares else None
    found = shown_tests(result, looks.level, nets, looks.letters and shares, arrows)
    return {"metrics": chosen, **looks.arrangement} | (
        {} if found is None else {"comparison": found}
    )


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
    """A presentation of the table, with a chart that can be edited.

    Raises `ImportError` without python-pptx.
    """
    written = io.BytesIO()
    if (parts := _with_statistics(cells)) is not None:
        from audiencelab.render.pptx import SlideTable, write_slides

        write_slides(written, list(map(SlideTable, parts)))
        return written.getvalue()
    comparison = cells.comparison if "column_percentage" in cells.printed else None
    cells.result.to_pptx(written, metrics=cells.printed, comparison=comparison, **cells.how)
    return written.getvalue()


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
    base = result.base_audience.name if result.base_audience is not None else "All"
    table = result.shape, "", result, looks, base, marks
    made = grid_html(*table, transposed=transposed, room=PAGE, title=title)
    form = Card((*made.blocks, note(source_line(result.provenance))))
    if not flag("page", page):
        return str(form)
    return table_page(form.blocks[0].words, form, result.shape[0 if transposed else 1])


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
        tested = cells.comparison if any(cells.letters) else None
        others = None if tested is None else tested.statistics
        letters = None if others is None else marks(others)
        lines = _statistics_block(whole, cells.hide_under, letters)
        writer.writerows(lines if cells.beside is None else zip(*lines, strict=True))
    noted = [*notes(cells.result), *_letter_notes(cells)]
    if noted or cells.result.who.valid:
        writer.writerow([])
        writer.writerows([defused_field(each)] for each in (base_line(cells.result), *noted))
    return written.getvalue().encode("utf-8-sig")


def _letter_notes(cells: ExportCells) -> list[str]:
    """What letters mean and how they were tested, where the file has letters."""
    found = cells.comparison if any(cells.letters) else None
    return [] if found is None else [legend(found), whole_note(found)]


def as_long_csv(cells: ExportCells) -> bytes:
    """One line for each cell, with every metric of `to_frame()`, whichever are shown.

    Values below `hide_under` are missing.
    """
    frame = cells.result.to_frame()
    statistics = cells.result.statistics
    # The lines of the frame are its cells, row by row, and those of statistics among them.
    arrived = np.nonzero(cells.result.arrived)
    shares = np.ones(len(frame), bool) if statistics is None else frame["statistic"] == ""
    lines = np.flatnonzero(shares)
    for name in FIGURES:
        respondents = denominator(cells.result, name)
        if cells.hide_under and respondents is not None:
            few = lines[respondents[arrived] < cells.hide_under]
            frame.loc[few, frame_name(name)] = np.nan
    if statistics is not None:
        few = ~shares & (frame["answered_sample"] < cells.hide_under)
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


def _drawing(cells: ExportCells) -> ChartSpecification:
    rows, columns = (range(count) for count in cells.result.shape)
    return draw(cells.result, rows, columns, cells.printed[0])


class Format(NamedTuple):
    """A file format: its suffix, its media type, and its writer."""

    suffix: str
    media_type: str
    write: Callable[[ExportCells], bytes]


_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_CSV = "text/csv;charset=utf-8"

FORMATS: Mapping[str, Format] = {
    "xlsx": Format(".xlsx", _EXCEL, as_excel),
    "pptx": Format(".pptx", _SLIDES, as_slides),
    "csv": Format(".csv", _CSV, as_csv),
    "cells": Format("-cells.csv", _CSV, as_long_csv),
    "html": Format(".html", "text/html;charset=utf-8", as_html),
    "png": Format(".png", "image/png", as_png),
    "svg": Format(".svg", "image/svg+xml", as_svg),
}
"""The formats, by the names in requests of the page; images have a limit of their own."""


def printed_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    """The metrics of a grid that are in its frame, or defaults if there are none."""
    return tuple(name for name in metrics if name in IN_TABLES) or _DEFAULT_METRICS


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
    own = result.row_values("base_sample") if bases_vary(result) else None
    blank = [] if own is None else [""]
    for names in levels(result.column_groups):
        yield [*indent, "", "", "", *blank, *map(defused_field, names)]
    yield [
        *indent,
        METRICS[metric].label_with_unit,
        "Weighted base",
        "Unweighted base (n)",
        *([] if own is None else ["Unweighted base of the row (n)"]),
        *map(defused_field, columns),
    ]
    name = defused_field(f"Weighted base: {base}")
    yield [*indent, name, _field(result.base_size), "", *blank, *map(_field, size)]
    name = defused_field(f"Unweighted base (n): {base}")
    whole = _field(result.base_sample)
    yield [*indent, name, "", whole, *(whole for _ in blank), *map(_field, sample)]
    values = cells.planes[metric]
    row_size, row_sample = result.row_values("row_size"), result.row_values("row_sample")
    for at, row in enumerate(result.rows):
        names = [*(level[at] for level in groups), row.name]
        yield [
            *map(defused_field, names),
            _field(row_size[at]),
            _field(row_sample[at]),
            *([] if own is None else [_field(own[at])]),
            *map(_field, values[at]),
        ]


def _statistics_block(
    result: CrosstabResult, hide_under: float, letters: NDArray[Any] | None
) -> Iterator[list[object]]:
    """Rows of statistics as lines, with the bases of those who gave an amount.

    letters: of their cells, each row in a line of its own below its values.
    """
    statistics = result.statistics
    assert statistics is not None
    blank = [""] * len(levels(statistics.groups))
    names = [defused_field(full_name(*each)) for each in zip(
        result.column_groups, (column.name for column in result.columns), strict=True
    )]  # fmt: skip
    yield [*blank, "Statistic", "Weighted base", "Unweighted base (n)", *names, "Base"]
    value, sample = statistics.values("value"), statistics.values("answered_sample")
    shown = np.where(sample < hide_under, np.nan, value)
    groups = levels(statistics.groups)
    bases = [statistics.base(name) for name in ("answered_size", "answered_sample", "value")]
    for at, row in enumerate(statistics.rows):
        size, count, whole = (float(each[at]) for each in bases)
        whole = np.nan if count < hide_under else whole
        yield [
            *map(defused_field, [*(level[at] for level in groups), row.name]),
            *map(_field, (size, count, *shown[at], whole)),
        ]
        if letters is not None:
            named = [*(level[at] for level in groups), f"{row.name}: letters"]
            marked = np.where(sample[at] < hide_under, "", letters[at])
            yield [*map(defused_field, named), "", "", *marked.tolist(), ""]


def _field(value: object) -> object:
    """A number as Python writes it, integers without a point; "" for NaN."""
    if isinstance(value, str):
        return value
    number = float(cast(float, value))
    if not np.isfinite(number):
        return ""
    return int(number) if number.is_integer() else number
