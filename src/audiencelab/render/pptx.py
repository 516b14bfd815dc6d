"""Tables as PowerPoint slides: native, editable charts and tables, drawn from their `TableLayout`.

Each table has slides with a chart of its first metric and slides with the table itself. Base,
waves, notes and source are in a text box at the foot of every slide; notes that do not fit there
are in full in the speaker notes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import pairwise, product
from pathlib import Path
from typing import IO, Any, cast
from xml.sax.saxutils import escape as escaped

from audiencelab.files import put
from audiencelab.markup import shorten
from audiencelab.render.cell_text import base_text, cell_texts
from audiencelab.render.excel.styles import cell_text, number_format
from audiencelab.render.slide_charts import SlideChart
from audiencelab.render.table_layout import Metric, TableLayout
from audiencelab.results.banner import full_name

_CHARTS = {
    "bar": "BAR_CLUSTERED",
    "column": "COLUMN_CLUSTERED",
    "line": "LINE_MARKERS",
    "stack": "BAR_STACKED",
}
_CHART_ROWS, _TABLE_ROWS, _TABLE_COLUMNS = 16, 16, 9
"""Categories of a chart, and rows and columns of a table, that can be read on one slide."""

_MOST_LABELS = 60
"""Values of a chart above which they are not written beside its bars."""

_WIDE = (12_192_000, 6_858_000)
"""A 16:9 slide in English Metric Units, PowerPoint's default."""

_FOOT = 900
"""Characters of notes and source that fit at the foot of a slide."""

# Half an inch; all lengths are in English Metric Units, 12,700 to a point.
_MARGIN = 457_200
_TITLE_HEIGHT, _FOOT_HEIGHT = 800_000, 700_000


def write_slides(
    file: str | os.PathLike[str] | IO[bytes],
    tables: Sequence[tuple[TableLayout, SlideChart | None]],
    *,
    template: str | os.PathLike[str] | None = None,
) -> None:
    """Write tables as slides, into a new presentation or after the slides of a template.

    tables: each with its chart, from `slide_chart`. Raises `ValueError` for another ending than
    .pptx and for a stack of anything but column percentages, `FileNotFoundError` without the
    template, `ImportError` without python-pptx.
    """
    if isinstance(file, str | os.PathLike) and Path(file).suffix.lower() != ".pptx":
        raise ValueError(f"A presentation's name must end in .pptx; got {str(file)!r}.")
    if template is not None and not Path(template).is_file():
        raise FileNotFoundError(f"There is no template {os.fspath(template)}.")
    deck = _Deck(template)
    for table, chart in tables:
        for rows, columns in _charted(table, chart) if chart else ():
            deck.add_chart(table, rows, columns, cast(SlideChart, chart))
        for rows in _parts(len(table.stub), _TABLE_ROWS):
            for columns in _parts(len(table.banner), _TABLE_COLUMNS):
                deck.add_table(table, rows, columns)
    data = deck.bytes()
    if isinstance(file, str | os.PathLike):
        put(os.fspath(file), data)
    else:
        file.write(data)


def _charted(
    table: TableLayout, chart: SlideChart
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The rows and columns of each chart; everyone in the base is not a series."""
    # A mean has no bar in a chart of shares; where there are none, each has a chart of its own.
    rows = [row for row, cell in enumerate(table.stub) if cell.decimals is None]
    columns = range(1 if table.total and len(table.banner) > 1 else 0, len(table.banner))
    if not rows:
        for row, part in product(range(len(table.stub)), _parts(len(columns), _CHART_ROWS)):
            yield [row], [columns[at] for at in part]
        return
    if chart != "stack":
        parts = _parts(len(rows), _CHART_ROWS) if rows else ()
        yield from (([rows[at] for at in part], columns) for part in parts)
        return
    if (first := table.metrics[0].name) != "column_percentage":
        raise ValueError(
            f'chart="stack" stacks column percentages; got metrics[0] {first!r}. Put "column" '
            'first in metrics, or take chart="bar".'
        )
    # The answers of a net are there already.
    parted = [row for row in rows if not table.stub[row].net]
    if parted:
        for part in _parts(len(columns), _CHART_ROWS):
            yield parted, [columns[at] for at in part]


def _parts(count: int, most: int) -> Iterator[range]:
    """A range in parts of about equal length, none longer than `most`; at least one part."""
    number = max(1, -(-count // most))
    ends = [count * part // number for part in range(number + 1)]
    yield from (range(*pair) for pair in pairwise(ends))


class _Deck:
    """A presentation that slides are added to."""

    def __init__(self, template: str | os.PathLike[str] | None) -> None:
        try:
            import pptx
        except ModuleNotFoundError:
            raise ImportError(
                'Slides are written with python-pptx: pip install "audiencelab[pptx]"'
            ) from None
        made: Any = pptx.Presentation(None if template is None else os.fspath(template))
        self._deck = made
        self._own = template is None
        if self._own:
            made.slide_width, made.slide_height = _WIDE
        # The layout that has a title and nothing else to fill in, whatever its name is.
        titled = [each for each in made.slide_layouts if _has_title(each)]
        self._layout = min(titled or made.slide_layouts, key=lambda each: len(each.placeholders))

    def bytes(self) -> bytes:
        into = BytesIO()
        self._deck.save(into)
        return into.getvalue()

    def add_chart(
        self, table: TableLayout, rows: Sequence[int], columns: Sequence[int], kind: SlideChart
    ) -> None:
        """A slide with a chart of the first metric: a series for each column, or part of stacks."""
        from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION

        metric = table.metrics[0]
        names = [cell_text(name) for name in _names(table, rows)]
        heads = [cell_text(_column_name(table, column)) for column in columns]
        values = [[_shown(table, metric, row, column) for row in rows] for column in columns]
        decimals = table.stub[rows[0]].decimals
        label = table.label(metric) if decimals is None else names[0]
        kind_of = metric.kind if decimals is None else "number"
        numbers = number_format(kind_of, metric.decimals if decimals is None else decimals)
        if kind == "stack" or decimals is not None or (kind == "line" and table.over_time):
            # Answers are the parts of each column, or a line over waves; of a statistic columns
            # have a bar each.
            names, heads, values = heads, names, list(map(list, zip(*values, strict=True)))
        series = list(zip(heads, values, strict=True))
        data = _chart_data(names, series, numbers)
        slide, box = self._slide(table, label)
        kinds: Any = XL_CHART_TYPE
        chart: Any = slide.shapes.add_chart(getattr(kinds, _CHARTS[kind]), *box, data).chart
        chart.has_title = False
        chart.has_legend = len(heads) > 1
        if chart.has_legend:
            chart.legend.position = cast(Any, XL_LEGEND_POSITION).BOTTOM
            # Outside of the plot, not over it.
            chart.legend.include_in_layout = False
        chart.font.size = 127_000
        if kind in ("bar", "stack"):
            # The first row on top, as in the table.
            chart.category_axis.reverse_order = True
            chart.value_axis.visible = False
        chart.value_axis.has_major_gridlines = kind == "line"
        # An index is read around 100, so its axis need not begin at 0.
        if metric.kind != "index" and not any((each or 0) < 0 for row in values for each in row):
            chart.value_axis.minimum_scale = 0
        if kind == "stack":
            # What is missing gave none of the answers, and is left empty.
            chart.value_axis.maximum_scale = 100
        plot = chart.plots[0]
        if len(rows) * len(columns) <= _MOST_LABELS:
            plot.has_data_labels = True
            plot.data_labels.number_format = numbers
            # Linked, labels would take the format of the data sheet.
            plot.data_labels.number_format_is_linked = False
            plot.data_labels.font.size = 101_600
        if kind != "line":
            plot.gap_width = 60

    def add_table(self, table: TableLayout, rows: range, columns: range) -> None:
        """A slide with a table of text: both bases, then the rows with their groups."""
        from pptx.oxml import parse_xml
        from pptx.oxml.ns import qn

        lines = list(_lines(table, rows, columns))
        label = ", ".join(map(table.label, table.metrics))
        slide, (left, top, width, height) = self._slide(table, label)
        row_height = min(300_000, height // max(len(lines), 1))
        frame: Any = slide.shapes.add_table(
            1, 1 + len(columns), left, top, width, row_height * len(lines)
        )
        name_width = width // 3 if len(columns) > 2 else width // 2
        others = (width - name_width) // max(len(columns), 1)
        for at, column in enumerate(frame.element.iter(qn("a:gridCol"))):
            column.set("w", str(others if at else name_width))
        frame.width = name_width + others * len(columns)
        # At once as XML: python-pptx takes milliseconds for each cell.
        grid = next(frame.element.iter(qn("a:tbl")))
        grid.remove(next(grid.iter(qn("a:tr"))))
        grid.extend(parse_xml(_rows_xml(lines, row_height)))

    def _slide(self, table: TableLayout, label: str) -> tuple[Any, tuple[int, int, int, int]]:
        """A new slide with its title and foot, and the box between them."""
        slide = self._deck.slides.add_slide(self._layout)
        width, height = self._deck.slide_width, self._deck.slide_height
        title = slide.shapes.title
        inner = width - 2 * _MARGIN
        # The title of a template stays where its layout has it.
        if title is None or self._own:
            box = (_MARGIN, _MARGIN // 2, inner, _TITLE_HEIGHT)
            if title is None:
                title = slide.shapes.add_textbox(*box)
            title.left, title.top, title.width, title.height = box
        title.text_frame.text = cell_text(table.title)
        if self._own:
            title.text_frame.paragraphs[0].font.size = 304_800
        foot_top = height - _FOOT_HEIGHT - _MARGIN // 2
        foot = slide.shapes.add_textbox(_MARGIN, foot_top, inner, _FOOT_HEIGHT).text_frame
        foot.word_wrap = True
        facts = " · ".join([label, *table.facts])
        foot.text = "\n".join(map(cell_text, (facts, _foot_text(table))))
        if len(" · ".join(table.footnotes)) > _FOOT:
            slide.notes_slide.notes_text_frame.text = "\n".join(map(cell_text, table.footnotes))
        for paragraph in foot.paragraphs:
            paragraph.font.size = 101_600
        top = title.top + title.height
        return slide, (_MARGIN, top, inner, foot_top - top)


def _foot_text(table: TableLayout) -> str:
    """Notes and source as far as they fit; the legend of marks and the source are never cut."""
    long = [*table.notes, *table.gaps]
    ends = " · ".join(table.footnotes[len(long) :])
    room = _FOOT - len(ends)
    return " · ".join(filter(None, [shorten(" · ".join(long), room), ends]))


def _chart_data(
    names: Sequence[str],
    series: Sequence[tuple[str, Sequence[float | None]]],
    number_format: str,
) -> Any:
    """The data of a chart, whose workbook holds all names as text.

    python-pptx writes its own workbook with XlsxWriter's defaults, by which a name that begins
    with "=" is a formula and one that begins with "http:" a link.
    """
    from pptx.chart.data import CategoryChartData

    class _Data(CategoryChartData):
        @property
        def xlsx_blob(self) -> bytes:
            return _data_sheet(names, series, number_format)

    data: Any = _Data(number_format=number_format)
    data.categories = names
    for name, values in series:
        data.add_series(name, values)
    return data


def _data_sheet(
    names: Sequence[str],
    series: Sequence[tuple[str, Sequence[float | None]]],
    number_format: str,
) -> bytes:
    """The workbook of a chart, with the cells that python-pptx's chart refers to."""
    import xlsxwriter  # which python-pptx needs

    into = BytesIO()
    book: Any = xlsxwriter.Workbook(into, {"in_memory": True})
    sheet, look = book.add_worksheet("Sheet1"), book.add_format({"num_format": number_format})
    for row, name in enumerate(names, 1):
        sheet.write_string(row, 0, name)
    for column, (name, values) in enumerate(series, 1):
        sheet.write_string(0, column, name)
        for row, value in enumerate(values, 1):
            if value is not None:
                sheet.write_number(row, column, value, look)
    book.close()
    return into.getvalue()


def _has_title(layout: Any) -> bool:
    return any(each.placeholder_format.idx == 0 for each in layout.placeholders)


def _rows_xml(lines: Sequence[tuple[Sequence[str], bool]], height: int) -> str:
    """The rows of a table, the first in bold, with names on the left and numbers on the right."""
    from pptx.oxml.ns import nsdecls

    rows = "".join(
        f'<a:tr h="{height}">'
        + "".join(_cell_xml(text, bold or at == 0, column > 0) for column, text in enumerate(texts))
        + "</a:tr>"
        for at, (texts, bold) in enumerate(lines)
    )
    return f"<a:tbl {nsdecls('a')}>{rows}</a:tbl>"


def _cell_xml(text: str, bold: bool, right: bool) -> str:
    """A cell, each line of its text a paragraph."""
    align = ' algn="r"' if right else ""
    look = f'<a:pPr{align}><a:defRPr sz="1000" b="{int(bold)}"/></a:pPr>'
    paragraphs = "".join(
        f"<a:p>{look}{f'<a:r><a:t>{escaped(line)}</a:t></a:r>' if line else ''}</a:p>"
        for line in cell_text(text).split("\n")
    )
    body = f"<a:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</a:txBody>"
    return f'<a:tc>{body}<a:tcPr marT="12700" marB="12700"/></a:tc>'


def _names(table: TableLayout, rows: Sequence[int]) -> list[str]:
    """The names of rows with their own bases, after their groups where the table has several."""
    several = len(set(table.stub_groups)) > 1
    return [
        full_name(table.stub[row].groups if several else (), table.row_name(row)) for row in rows
    ]


def _column_name(table: TableLayout, column: int) -> str:
    """The name of a column with its letter, after its groups where the banner has several."""
    cell = table.banner[column]
    several = len({groups for groups in table.banner_groups if groups}) > 1
    name = full_name(cell.groups, cell.name) if several else cell.name
    return f"{name} ({cell.letter})" if cell.letter else name


def _shown(table: TableLayout, metric: Metric, row: int, column: int) -> float | None:
    value = float(metric.values[row, column])
    return None if math.isnan(value) or table.is_blank(metric, row, column) else value


def _lines(table: TableLayout, rows: range, columns: range) -> Iterator[tuple[Sequence[str], bool]]:
    """The rows of a table of text, each with whether it is bold."""
    yield ["", *(_column_name(table, column) for column in columns)], True
    bases = [table.banner[column] for column in columns]
    for label, kind in table.bases:
        yield [label, *(base_text(cell.base(kind), kind) for cell in bases)], False
    for name, row in zip(_names(table, rows), rows, strict=True):
        cells = (" / ".join(map(str, cell_texts(table, row, column))) for column in columns)
        yield [name, *cells], table.stub[row].net
