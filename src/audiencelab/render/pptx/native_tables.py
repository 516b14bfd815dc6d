"""PowerPoint's own tables: the figures of a result, and texts in line with the bars of a chart."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from audiencelab.render.pptx.shapes import (
    Colour,
    Rect,
    Run,
    fill_xml,
    frame_xml,
    paragraphs_xml,
    units,
)

TABLE = "http://schemas.openxmlformats.org/drawingml/2006/table"

PLAIN_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
"""PowerPoint's "No Style, No Grid"."""


class TableCell(NamedTuple):
    """Text of a cell: its paragraphs. span: columns that it covers; fill: behind it, if any."""

    paragraphs: tuple[tuple[Run, ...], ...]
    align: str = "l"
    span: int = 1
    fill: Colour = ""
    rule: Colour = ""
    """The colour of the line below it, if any."""


class TableRow(NamedTuple):
    """Cells, and the least height of the row in points."""

    cells: tuple[TableCell, ...]
    height: float


@dataclass(frozen=True, slots=True)
class NativeTable:
    """A native table.

    widths: of its columns in points. style: by its id. header: whether the first row is one of the
    style's. margin: beside the text of each cell. words: what it shows.
    """

    box: Rect
    widths: tuple[float, ...]
    rows: tuple[TableRow, ...]
    size: float = 10
    words: str = ""
    style: str = PLAIN_STYLE
    header: bool = False
    anchor: str = field(default="ctr")
    margin: float = 3

    def moved(self, left: float, top: float) -> NativeTable:
        """The same elsewhere on the slide."""
        return replace(self, box=self.box.moved(left, top))


def text_cell(text: str, align: str = "l", *, bold: bool = False) -> TableCell:
    """A cell of one run."""
    return TableCell(((Run(text, bold=bold),),) if text else (), align)


def table_xml(number: int, table: NativeTable) -> str:
    """A table as a shape."""
    columns = "".join(f'<a:gridCol w="{units(width)}"/>' for width in table.widths)
    rows = "".join(_row(row, table) for row in table.rows)
    header = ' firstRow="1"' if table.header else ""
    inner = (
        f"<a:tbl><a:tblPr{header}><a:tableStyleId>{table.style}</a:tableStyleId></a:tblPr>"
        f"<a:tblGrid>{columns}</a:tblGrid>{rows}</a:tbl>"
    )
    return frame_xml(number, table.box, "Table", table.words, TABLE, inner)


def _row(row: TableRow, table: NativeTable) -> str:
    cells = "".join(_cell(cell, table) for cell in row.cells)
    return f'<a:tr h="{units(row.height)}">{cells}</a:tr>'


def _cell(cell: TableCell, table: NativeTable) -> str:
    span = f' gridSpan="{cell.span}"' if cell.span > 1 else ""
    rule = f'<a:lnB w="9525">{fill_xml(cell.rule)}</a:lnB>' if cell.rule else ""
    fill = fill_xml(cell.fill) if cell.fill else ""
    side = units(table.margin)
    merged = '<a:tc hMerge="1"><a:txBody><a:bodyPr/><a:p/></a:txBody><a:tcPr/></a:tc>'
    return (
        f"<a:tc{span}><a:txBody><a:bodyPr/><a:lstStyle/>"
        f"{paragraphs_xml(cell.paragraphs or ((),), table.size, cell.align)}</a:txBody>"
        f'<a:tcPr marL="{side}" marR="{side}" marT="6350" marB="6350" anchor="{table.anchor}">'
        f"{rule}{fill}</a:tcPr></a:tc>{merged * (cell.span - 1)}"
    )
