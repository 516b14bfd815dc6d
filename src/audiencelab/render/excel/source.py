"""The sheet that tells where figures come from: service, base, waves, time, and every audience."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audiencelab.render.csv_injection import looks_like_formula
from audiencelab.render.excel.limits import cell_text, check_extent
from audiencelab.render.excel.styles import Looks
from audiencelab.render.table_layout import Tabulation, low_base_note

_DEFINITION_HEADS = ("Side", "Name", "Who", "Code")


def draw_source(sheet: Any, tables: Sequence[tuple[str, Tabulation]], looks: Looks) -> None:
    """Provenance and definitions of each table, one table after the other."""
    told = [line for name, table in tables for line in _lines(name, table)]
    check_extent(len(told), len(_DEFINITION_HEADS), "write fewer tables into one workbook")
    for column, width in enumerate((16, 40, 60, 60)):
        sheet.set_column(column, column, width)
    for place, (cells, style) in enumerate(told):
        for column, words in enumerate(map(cell_text, cells)):
            look = looks.style(style, quoted=looks_like_formula(words))
            sheet.write_string(place, column, words, look)
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


def _lines(name: str, table: Tabulation) -> list[tuple[tuple[str, ...], str]]:
    lines: list[tuple[tuple[str, ...], str]] = [((f"{name}: {table.title}",), "title")]
    lines += [(pair, "fact") for pair in table.provenance]
    notes = [*table.notes, low_base_note(table)]
    lines += [(("Note", note), "fact") for note in notes if note]
    if table.definitions:
        lines += [(("",), "fact"), (_DEFINITION_HEADS, "key")]
        lines += [(definition, "value") for definition in table.definitions]
    return [*lines, (("",), "fact")]
