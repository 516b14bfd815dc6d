"""What all tables of figures share: export to files and text, and the data frame protocols."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from audiencelab.files import put
from audiencelab.render.text_forms import latex, markdown
from audiencelab.tables.result import Result

if TYPE_CHECKING:
    from audiencelab.render.excel import Layout
    from audiencelab.render.slide_charts import SlideChart
    from audiencelab.render.table_layout import TableLayout
    from audiencelab.tables.comparison import Comparison


F = TypeVar("F", bound=Callable[..., Any])

_LETTERS = ("test", "tests", "letters", "significance")
"""Words for `comparison`; True is the table's own test."""


def _takes_letters(write: F) -> F:
    @wraps(write)
    def call(result: Any, *given: Any, **named: Any) -> Any:
        for word in _LETTERS:
            if word in named and "comparison" not in named:
                asked = named.pop(word)
                named["comparison"] = result.test() if asked is True else asked or None
        return write(result, *given, **named)

    return cast(F, call)


class Exporting(Result):
    """Mixin of results with figures in cells."""

    __slots__ = ()

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the table with its usual options, by the ending of the file.

        file: ends in .xlsx, .pptx, .csv, .html, .md or .tex. Raises `ValueError` for another.

        >>> client.crosstab("Finding brands", "Gender").save(folder / "brands.xlsx")
        """
        ending = Path(file).suffix.lower()
        texts = {".html": self.to_html, ".md": self.to_markdown, ".tex": self.to_latex}
        files = {".xlsx": self.to_excel, ".pptx": self.to_pptx, ".csv": self.to_csv}
        if ending in texts:
            put(Path(file), texts[ending]().encode())
        elif ending in files:
            files[ending](file)
        else:
            endings = ", ".join((*files, *texts))
            raise ValueError(f"The name of the file must end in {endings}; got {str(file)!r}.")

    @_takes_letters
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
        metrics: the metrics of each cell, by the names of `to_frame`; by default the column
            percentage and the index, with a comparison the column percentage alone.
        comparison: tests between the columns of a crosstab, whose letters are shown.
        layout: the metrics of a cell in "columns" or "rows", or each on a sheet of its own
            ("sheets").
        title, sheet: the title above the table, and the name of its sheet.
        row_groups, column_groups: groups above the rows' and columns' names; by default those that
            a crosstab was asked for with.
        blank_under: leave values blank that rest on fewer respondents, except counts.
        created: the date in the file, by default that of the result; the same result gives the same
            bytes.

        Cells hold unrounded numbers, percentages from 0 to 100. Values that rest on fewer than 100
        respondents are marked `*`, on fewer than 30 `**`. Labels are always text, never formulas.
        Raises `ValueError` for metrics that the result does not have, `WorkbookError` (a
        `ValueError`) for what Excel cannot hold, and `ImportError` without XlsxWriter.

        >>> client.crosstab("Finding brands", "Age").to_excel(folder / "brands.xlsx")
        """
        from audiencelab.render.excel import write_workbook

        table = self._table_layout(
            metrics=metrics,
            comparison=comparison,
            row_groups=row_groups,
            column_groups=column_groups,
        )
        table = table.titled(title).blanked(blank_under)
        write_workbook(file, {sheet: table}, layout=layout, created=created)

    @_takes_letters
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
        """The whole table as a piece of HTML for a page or an e-mail.

        It has the bases, marks, notes and source of the workbook; the arguments are those of
        `to_excel`. Styles are inline, there is no script, and every label is escaped.

        >>> "Finding brands" in client.crosstab("Finding brands", "Age").to_html()
        True
        """
        from audiencelab.render.html import layout_html

        table = self._table_layout(
            metrics=metrics,
            comparison=comparison,
            row_groups=row_groups,
            column_groups=column_groups,
        )
        return layout_html(table.titled(title).blanked(blank_under))

    @_takes_letters
    def to_pptx(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        chart: SlideChart | None = "bar",
        template: str | os.PathLike[str] | None = None,
        metrics: Sequence[str] | None = None,
        comparison: Comparison | None = None,
        title: str | None = None,
        row_groups: Sequence[str] = (),
        column_groups: Sequence[str] = (),
        blank_under: float = 0,
    ) -> None:
        """Write the result as PowerPoint slides: an editable chart, and the table.

        file: a path, or a file open for bytes.
        chart: "bar", "column", "line" or "stack", of the first metric; None for the table alone.
            "stack" is a bar of 100% for each column, with a part for each answer.
        template: a presentation whose masters are used; the slides are added behind its own.
        metrics, comparison, title, row_groups, column_groups, blank_under: as for `to_excel`.

        The chart's data sheet holds the unrounded values. Bases, notes and source are at the foot
        of each slide; what is too long for one slide takes several. Raises `ValueError` for
        options that are not valid, `OverlappingAnswers`, a `ValueError`, for a stack of rows that
        a respondent may be in together, and `ImportError` without python-pptx.

        >>> client.crosstab("Finding brands", "Gender").to_pptx(folder / "brands.pptx")
        """
        from audiencelab.render.pptx import write_slides
        from audiencelab.render.slide_charts import slide_chart

        table = self._table_layout(
            metrics=metrics,
            comparison=comparison,
            row_groups=row_groups,
            column_groups=column_groups,
        )
        table = table.titled(title).blanked(blank_under)
        write_slides(file, [(table, slide_chart(chart, self))], template=template)

    def to_markdown(self, **options: Any) -> str:
        """The whole table as Markdown, for pandoc, Quarto and pages that read pipe tables.

        options: the arguments of `to_html`.

        Names of columns include their groups, if there are several; a cell with two metrics is
        "44.8% / 120".

        >>> print(client.crosstab("Gender", "Age").to_markdown(metrics=["column"])[:17])
        **Gender by Age**
        """
        return markdown(self.to_html(**options))

    def to_latex(self, **options: Any) -> str:
        """The whole table as LaTeX, to be included in a document.

        options: the arguments of `to_html`.

        Columns that do not fit on a page continue in a table below. The document needs the package
        amssymb for arrows, and longtable for more than 40 rows.

        >>> "{tabular}" in client.crosstab("Gender", "Age").to_latex()
        True
        """
        return latex(self.to_html(**options))

    def _table_layout(self, **options: Any) -> TableLayout:
        from audiencelab.render.layout import table_layout

        return table_layout(cast(Any, self), **options)
