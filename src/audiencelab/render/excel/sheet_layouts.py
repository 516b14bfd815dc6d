"""Which figure stands where on a sheet: beside the others of its cell, under them, or apart.

A cell of a table has several figures, and perhaps letters. A `Lay` says in which line and column
each stands, counted from the first cell of the body; it draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from audiencelab.render.excel.limits import WorkbookError
from audiencelab.render.table_layout import Measure, Tabulation

Layout = Literal["columns", "rows", "sheets"]
"""Where the figures of one cell stand: "columns" beside each other under each column's name,
"rows" under each other beside each row's name, "sheets" each on a sheet of its own."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the things that stand in every cell: a figure of a kind, or else marks of tests."""

    label: str
    measure: Measure | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Lay:
    """The parts of one sheet; `down` puts them under each other.

    name: what to add to the sheet's name, where a table takes several sheets.
    """

    table: Tabulation
    parts: tuple[Part, ...]
    down: bool
    name: str = ""

    @property
    def lines(self) -> int:
        """How many lines a row of the table takes."""
        return len(self.parts) if self.down else 1

    @property
    def columns(self) -> int:
        """How many columns a column of the table takes."""
        return 1 if self.down else len(self.parts)

    @property
    def height(self) -> int:
        return len(self.table.stub) * self.lines

    @property
    def width(self) -> int:
        return len(self.table.banner) * self.columns

    def line(self, place: int) -> Iterator[tuple[int, int, Part]]:
        """What stands in a line of the body, from left to right: column of the table and part."""
        if self.down:
            part = self.parts[place % self.lines]
            for column in range(len(self.table.banner)):
                yield column, column, part
            return
        for column in range(len(self.table.banner)):
            for offset, part in enumerate(self.parts):
                yield column * self.columns + offset, column, part


def lays_of(table: Tabulation, layout: Layout) -> list[Lay]:
    """The sheets that a table takes; `WorkbookError` for a layout that there is not."""
    if layout not in get_args(Layout):
        raise WorkbookError(f"No layout {layout!r}. Choose one of {', '.join(get_args(Layout))}.")
    if layout != "sheets":
        return [Lay(table, _parts(table), down=layout == "rows")]
    return [
        Lay(apart, _parts(apart), down=False, name=measure.label)
        for measure in table.measures
        for apart in [replace(table, measures=(measure,))]
    ]


def _parts(table: Tabulation) -> tuple[Part, ...]:
    """Every figure, with the letters right after the one that was tested."""
    parts: list[Part] = []
    for measure in table.measures:
        parts.append(Part(measure.label, measure, measure.kind))
        if table.marks and measure.name == table.compared:
            parts.append(Part(table.marks_label))
    return tuple(parts)
