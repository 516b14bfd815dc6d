"""What all tables of figures share: export to files and text, and the data frame protocols."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Unpack

from audiencelab.files import put
from audiencelab.flags import flag
from audiencelab.keywords import keywords
from audiencelab.render.text_forms import latex, markdown
from audiencelab.results.arrangement import AS_IT_IS, ArrangementOptions, TableArrangement
from audiencelab.tables.result import Result

if TYPE_CHECKING:
    from audiencelab.analysis.comparison import ComparisonData
    from audiencelab.markup import Card
    from audiencelab.render.excel import Layout
    from audiencelab.render.pptx import SlideChart
    from audiencelab.render.table_layout import TableLayout


class LayoutOptions(ArrangementOptions, total=False):
    """What a written table shows; `Exporting.to_excel` documents it."""

    metrics: Sequence[str] | None
    comparison: ComparisonData | None
    letters: ComparisonData | bool
    title: str | None
    row_groups: Sequence[str]
    column_groups: Sequence[str]


USUAL: LayoutOptions = {
    "metrics": None,
    "comparison": None,
    "letters": False,
    "title": None,
    "row_groups": (),
    "column_groups": (),
    **AS_IT_IS,
}
"""What a table is written with by default."""


class Exporting(Result):
    """Mixin of results with figures in cells."""

    __slots__ = ()

    @keywords(ArrangementOptions, AS_IT_IS)
    def save(self, file: str | os.PathLike[str], **arrangement: Unpack[ArrangementOptions]) -> None:
        """Write the table with its usual options, by the ending of the file.

        file: ends in .xlsx, .pptx, .csv, .html, .md or .tex. arrangement: as for `to_excel`; a .csv
        file has data, which is not arranged. Raises `ValueError` for others.

        >>> client.crosstab("Finding brands", "Gender").save(folder / "brands.xlsx")
        """
        ending = Path(file).suffix.lower()
        page = partial(self.to_html, page=True)
        texts = {".html": page, ".md": self.to_markdown, ".tex": self.to_latex}
        files = {".xlsx": self.to_excel, ".pptx": self.to_pptx}
        if ending in texts:
            put(Path(file), texts[ending](**arrangement).encode())
        elif ending in files:
            files[ending](file, **arrangement)
        elif ending == ".csv":
            if arrangement != AS_IT_IS:
                raise ValueError(
                    f"{str(file)!r} has data, which is not arranged. Leave sort= and the like out, "
                    "or write an .xlsx file."
                )
            self.to_csv(file)
        else:
            endings = ", ".join((*files, ".csv", *texts))
            raise ValueError(
                f"The name of the file must end in {endings}; got {str(file)!r}. "
                f"Write table.save({str(Path(file).with_suffix('.xlsx'))!r})."
            )

    @keywords(LayoutOptions, USUAL)
    def to_excel(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        layout: Layout = "columns",
        sheet: str = "Table",
        created: datetime | None = None,
        **options: Unpack[LayoutOptions],
    ) -> None:
        """Write the result as a formatted Excel workbook: the table, and a sheet of its source.

        file: a path, or a file open for bytes.
        metrics: the metrics of each cell, by the names of `to_frame`; by default the column
            percentage and the index, with a comparison the column percentage alone.
        letters: True shows the letters of `test()`, the tests between columns.
        comparison: tests with options, whose letters are shown: `table.test(levels=0.99)`.
        layout: the metrics of a cell in "columns" or "rows", or each on a sheet of its own
            ("sheets").
        title, sheet: the title above the table, and the name of its sheet.
        row_groups, column_groups: groups above the rows' and columns' names; by default those that
            a crosstab was asked for with.
        sort, top: the order of the rows and how many are shown: `sort="descending", top=10`.
        hide_under: leave values blank that rest on fewer respondents, except counts.
        decimals, rename, stars: of percentages and means, 0 for "45%"; new names of rows and
            columns, `{"Female": "Women"}`; the respondents under which a value is marked.
            `ArrangementOptions` documents these six.
        created: the date in the file, by default that of the result; the same result gives the same
            bytes.

        Cells hold unrounded numbers, percentages from 0 to 100. Values that rest on fewer than 100
        respondents are marked `*`, on fewer than 30 `**`. `to_csv` and `to_frame` are data, which
        none of these options changes. Labels are always text, never formulas.
        Raises `ValueError` for metrics that the result does not have, `WorkbookError` (a
        `ValueError`) for what Excel cannot hold, and `ImportError` without XlsxWriter.

        >>> client.crosstab("Finding brands", "Age").to_excel(folder / "brands.xlsx")
        """
        from audiencelab.render.excel import write_workbook

        write_workbook(file, {sheet: self._laid_out(options)}, layout=layout, created=created)

    @keywords(LayoutOptions, USUAL)
    def to_html(self, *, page: bool = False, **options: Unpack[LayoutOptions]) -> str:
        """The whole table as a piece of HTML for a page or an e-mail.

        page: True makes it a page of its own, whose headers stay in place while it scrolls, and
            which prints whole: a wide table in landscape, in parts if needed.

        It has the bases, marks, notes and source of the workbook; the other arguments are those of
        `to_excel`. Styles are inline, there is no script, and every label is escaped.

        >>> "Finding brands" in client.crosstab("Finding brands", "Age").to_html()
        True
        """
        if not flag("page", page):
            return str(self._form(options))
        from audiencelab.render.html import layout_card
        from audiencelab.render.page import table_page

        layout = self._laid_out(options)
        return table_page(layout.title, layout_card(layout), len(layout.banner), layout.record)

    @keywords(LayoutOptions, USUAL)
    def to_pptx(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        chart: SlideChart | None = "auto",
        headline: str = "finding",
        tables: bool = True,
        template: str | os.PathLike[str] | None = None,
        **options: Unpack[LayoutOptions],
    ) -> None:
        """Write the result as PowerPoint slides: an editable chart, and the table.

        file: a path, or a file open for bytes.
        chart: "auto" for the chart that suits the table; "bar", "column", "line" or "stack" for
            another, of the first metric; None for the table alone. "stack" is a bar of 100% for
            each column, with a part for each answer; "line" has a line for each answer where
            columns are waves, otherwise for each column. Names of charts on the screen do, too:
            "trend" is "line", "points" and "dots" are bars, "heatmap" is the table.
        headline: "finding" for what differs most, significantly after a correction for all cells of
            the table, and the question where nothing does; "question", or words of your own.
        tables: whether slides with the table follow those with the chart.
        template: a presentation whose layouts, fonts and colours are used; the slides are added
            behind its own.
        Other options are those of `to_excel`.

        The chart's data sheet holds the unrounded values. Base, waves and source are at the foot of
        each slide, all notes and the code of the table in the notes of the speaker; what is too
        long for one slide takes several. Raises `ValueError` for
        options that are not valid, `OverlappingAnswers`, a `ValueError`, for a stack of rows that
        a respondent may be in together, and `ImportError` without python-pptx.

        >>> client.crosstab("Finding brands", "Gender").to_pptx(folder / "brands.pptx")
        """
        from audiencelab.render.pptx import slide_table, write_slides

        layout = self._laid_out(options)
        made = slide_table(self._written(), layout, chart, headline=headline, tables=tables)
        write_slides(file, [made], template=template)

    @keywords(LayoutOptions, USUAL)
    def to_markdown(self, **options: Unpack[LayoutOptions]) -> str:
        """The whole table as Markdown, for pandoc, Quarto and pages that read pipe tables.

        options: the arguments of `to_html`.

        Names of columns include their groups, if there are several; a cell with two metrics is
        "44.8% / 120".

        >>> print(client.crosstab("Gender", "Age").to_markdown(metrics=["column"])[:17])
        **Gender by Age**
        """
        return markdown(self._form(options))

    @keywords(LayoutOptions, USUAL)
    def to_latex(self, **options: Unpack[LayoutOptions]) -> str:
        """The whole table as LaTeX, to be included in a document.

        options: the arguments of `to_html`.

        Columns that do not fit on a page continue in a table below. The document needs the package
        amssymb for arrows, and longtable for more than 40 rows.

        >>> "{tabular}" in client.crosstab("Gender", "Age").to_latex()
        True
        """
        return latex(self._form(options))

    def _form(self, options: LayoutOptions) -> Card:
        """The whole table as a form."""
        from audiencelab.render.html import layout_card

        return layout_card(self._laid_out(options))

    def _laid_out(self, options: LayoutOptions) -> TableLayout:
        from audiencelab.render.arranging import arranged

        given: dict[str, Any] = {**options}
        letters, title = map(given.pop, ("letters", "title"))
        how = TableArrangement(**{name: given.pop(name) for name in AS_IT_IS})
        if letters and given["comparison"] is None:
            # letters= takes a comparison, too.
            given["comparison"] = self._written().test() if letters is True else letters
        return arranged(self._table_layout(**given).titled(title), how)

    def _table_layout(self, **options: Any) -> TableLayout:
        from audiencelab.render.layout import table_layout

        return table_layout(self._written(), **options)

    def _written(self) -> Any:
        """The result whose table is written: this one, unless it has no cells of its own."""
        return self
