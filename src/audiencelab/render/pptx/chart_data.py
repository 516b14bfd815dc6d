"""The workbook of a chart, which *Edit Data* opens: one sheet, in which every name is text.

It is written by hand, since a deck has hundreds of them; it has no properties that name a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZipFile, ZipInfo

from audiencelab.render.pptx.native_charts import NativeChart, column_letters

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_TYPE}.sharedStrings+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" '
        f'Type="{_OFFICE}/styles" Target="styles.xml"/><Relationship Id="rId3" '
        f'Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    ),
}
"""The parts that all workbooks have in common."""

_HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def data_sheet(chart: NativeChart) -> bytes:
    """The workbook of a chart, with the cells that its XML refers to."""
    into = BytesIO()
    with ZipFile(into, "w") as book:
        parts = {
            **_PARTS,
            "xl/styles.xml": _styles(chart.numbers),
            "xl/sharedStrings.xml": _texts(chart),
            "xl/worksheets/sheet1.xml": (
                f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(_rows(chart))}</sheetData>'
                "</worksheet>"
            ),
        }
        for name, text in parts.items():
            # A fixed date: the same chart makes the same bytes.
            book.writestr(ZipInfo(name), _HEADER + text)
    return into.getvalue()


def _styles(numbers: str) -> str:
    """The usual look of cells, and that of values."""
    return (
        f'<styleSheet xmlns="{_MAIN}"><numFmts count="1"><numFmt numFmtId="164" '
        f'formatCode={quoteattr(numbers)}/></numFmts><fonts count="1"><font><sz val="11"/>'
        '<name val="Calibri"/></font></fonts><fills count="2"><fill>'
        '<patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
        '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="2"><xf xfId="0"/><xf numFmtId="164" applyNumberFormat="1" xfId="0"/>'
        '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
        "</cellStyles></styleSheet>"
    )


def _texts(chart: NativeChart) -> str:
    """All names, which cells refer to by number: text that is never a formula or a link."""
    names = (*(series.name for series in chart.series), *chart.categories)
    inner = "".join(f'<si><t xml:space="preserve">{escape(name)}</t></si>' for name in names)
    return f'<sst xmlns="{_MAIN}">{inner}</sst>'


def _rows(chart: NativeChart) -> Iterator[str]:
    count = len(chart.series)
    heads = [_name(column, 1, column - 1) for column in range(1, count + 1)]
    yield f'<row r="1">{"".join(heads)}</row>'
    for place in range(len(chart.categories)):
        row = place + 2
        cells = [_name(0, row, count + place)]
        for column, series in enumerate(chart.series, 1):
            value = series.values[place]
            if value is not None:
                cells.append(f'<c r="{column_letters(column)}{row}" s="1"><v>{value!r}</v></c>')
        yield f'<row r="{row}">{"".join(cells)}</row>'


def _name(column: int, row: int, number: int) -> str:
    return f'<c r="{column_letters(column)}{row}" t="s"><v>{number}</v></c>'
