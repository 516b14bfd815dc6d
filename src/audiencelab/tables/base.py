"""What all tables of figures share: export to Excel and HTML, and the data frame protocols."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import IO, TYPE_CHECKING

from audiencelab.results.arrow import HasFrame

if TYPE_CHECKING:
    from audiencelab.render.excel import Layout
    from audiencelab.render.table_layout import Comparison, TableLayout


class Exporting(HasFrame):
    """Mixin of results with figures in cells."""

    __slots__ = ()

    def to_excel(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        metrics: Sequence[str] | None = None,
        comparison: Comparison | None = None,
        layout: Layout = "columns",
        title: str | None = None,
        sheet: str = "Table",
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
        blank_under: float = 0,
        created: datetime | None = None,
    ) -> None:
        """Write the result as a formatted Excel workbook: the table, and a sheet of its source.

        file: a path, or a file open for bytes.
        metrics: the figures of each cell, by the names of `to_frame`; column percentage and
            index, or audience percentage and index, unless said otherwise.
        comparison: tests between the columns of a crosstab, whose letters are to be shown.
        layout: where the figures of a cell stand: beside each other ("columns"), under each
            other ("rows"), or each on a sheet of its own ("sheets").
        title, sheet: the title above the table, and the name of its sheet.
        row_groups, column_groups: what stands above each row's or column's name; the heads that a
            crosstab was asked for with unless said otherwise.
        blank_under: leave figures blank that rest on fewer respondents, as published tables do;
            counts stay.
        created: the date that the file tells; that of the figures unless given. Nothing else in
            the file depends on when it is written: the same figures give the same bytes.

        Cells hold the frame's own numbers, percentages from 0 to 100, and rounding is a matter of
        format. Figures that rest on fewer than 100 respondents are marked `*`, on fewer than 30
        `**`. Labels are always text, never formulas. Raises `ValueError` for figures that the
        result does not have, `WorkbookError` (a `ValueError` too) for what Excel cannot hold, and
        `ImportError` without XlsxWriter (the extra `excel`).
        """
        from audiencelab.render.excel import write_workbook

        table = self._table_layout(metrics, comparison, row_groups, column_groups)
        table = table.titled(title).blanked(blank_under)
        write_workbook(file, {sheet: table}, layout=layout, created=created)

    def to_html(
        self,
        *,
        metrics: Sequence[str] | None = None,
        comparison: Comparison | None = None,
        title: str | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
        blank_under: float = 0,
    ) -> str:
        """The whole table as a piece of HTML, to be put into a page or a mail.

        It has the bases, marks, notes and source of the workbook; the arguments are those of
        `to_excel`. Styles are in the elements, there is no script, and every label is escaped.
        In a notebook: `IPython.display.HTML(result.to_html())`.
        """
        from audiencelab.render.html import layout_html

        table = self._table_layout(metrics, comparison, row_groups, column_groups)
        return layout_html(table.titled(title).blanked(blank_under))

    @abstractmethod
    def _table_layout(
        self,
        metrics: Sequence[str] | None,
        comparison: Comparison | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
    ) -> TableLayout:
        """The result laid out as a table."""
