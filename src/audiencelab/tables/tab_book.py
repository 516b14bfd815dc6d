"""A tab book: tables of many questions by the same banner, for a workbook or a page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Unpack, cast

from audiencelab.analysis.compare import compare
from audiencelab.analysis.compare_waves import one_waves
from audiencelab.analysis.comparison import ComparisonData
from audiencelab.analysis.highlights import of_one_question
from audiencelab.analysis.options import DEFAULTS, TestOptions, Versus
from audiencelab.analysis.plan import UntestedCells
from audiencelab.files import put
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.lines import name_of, near, text_code
from audiencelab.markup import element, joined, note
from audiencelab.render.arranging import names_in, placed
from audiencelab.render.layout import table_layout
from audiencelab.render.table_layout import TableLayout
from audiencelab.render.weights import by_weight
from audiencelab.results.arrangement import AS_IT_IS, ArrangementOptions, TableArrangement
from audiencelab.results.dtypes import listed
from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_fact, weight_fact
from audiencelab.results.record import metadata_of, sourced
from audiencelab.results.table_code import step, table_code
from audiencelab.tables.crosstab import CrosstabResult
from audiencelab.unknown_names import OtherWords
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.render.excel import Layout
    from audiencelab.render.pptx import SlideChart

_SHOWN = 30
"""Tables that are listed in a notebook."""

_TITLE = "Tables"

_TRACKED = ("column", "change")
"""What each cell of a book by waves shows."""

_NONE: Mapping[str, Any] = {}

_NO_WAVES = "Not tested against the wave before: no column is one wave."


def check_ending(file: str | os.PathLike[str]) -> str:
    """The ending of a tab book's file; raises `ValueError` for another."""
    ending = Path(file).suffix.lower()
    if ending not in (".xlsx", ".pptx", ".html"):
        raise ValueError(f"A tab book is an .xlsx, .pptx or .html file; got {str(file)!r}.")
    return ending


class BookOptions(TestOptions, ArrangementOptions, total=False):
    """Options of the tests and of the arrangement of every table of a book."""


_USUAL: BookOptions = {**DEFAULTS, **AS_IT_IS}


@hide_members("made")
class TabBook(Mapping[str, CrosstabResult], OtherWords):
    """The tables of a tab book, by the names of their questions or by their codes.

    >>> book = client.tab_book(["Gender", "Age"], ["Finding brands", "Pets"])
    >>> list(book)
    ['Finding brands', 'Pets']
    >>> book["Pets"]["column"].columns.get_level_values("column")[:2].tolist()
    ['Male', 'Female']
    """

    __slots__ = ("_by_weight", "_codes", "_notes", "_sections", "_tables", "made")

    def __init__(
        self,
        tables: Mapping[str, CrosstabResult],
        codes: Mapping[str, str],
        notes: Mapping[str, Sequence[str]] = _NONE,
        sections: Mapping[str, str] = _NONE,
        by_weight: Mapping[str, Mapping[str, CrosstabResult]] = _NONE,
        made: Made = None,
    ) -> None:
        """Tables by titles of questions; by_weight: the same by each of several weights."""
        self.made = made
        self._tables, self._codes, self._notes = dict(tables), dict(codes), notes
        self._sections, self._by_weight = sections, by_weight

    def __getitem__(self, question: str) -> CrosstabResult:
        name = self._codes.get(question, question)
        if name not in self._tables:
            close = near(str(question), [*self._tables, *self._codes])
            advice = f"Did you mean {close!r}?" if close else f"It has {', '.join(self)}."
            first = next(iter(self), "")
            line = f" Write {name_of(self) or 'book'}[{text_code(first)}]." if not close else ""
            raise KeyError(f"No table {question!r} in this book. {advice}{line}")
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    @property
    def weights(self) -> dict[str, TabBook]:
        """The book of each weight, by its name; none of a book of a single weight.

        >>> client.tab_book("Gender", ["Pets"]).weights
        {}
        """
        return {
            weight: TabBook(
                tables,
                self._codes,
                self._notes,
                self._sections,
                made=step(self, f".weights[{weight!r}]"),
            )
            for weight, tables in self._by_weight.items()
        }

    def to_code(self) -> str:
        """Python that makes the book again, given `client` and `audiencelab` as `al`.

        >>> client.tab_book("Gender", ["Pets"], waves="latest 1").to_code()
        "client.tab_book('Gender', ['Pets'], waves=['q4_2025'])"
        """
        return table_code(self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        columns = len(next(iter(self.values())).columns)
        weights = f", {plural(len(self._by_weight), 'weight')}" if self._by_weight else ""
        return f"<TabBook of {plural(len(self), 'table')} × {plural(columns, 'column')}{weights}>"

    def _repr_html_(self) -> str:
        names = [element("li", name) for name in list(self)[:_SHOWN]]
        if len(self) > _SHOWN:
            names.append(element("li", f"… and {len(self) - _SHOWN:,} more"))
        first = next(iter(self.values()), None)
        known = {} if first is None else first.provenance
        facts = [waves_fact(known), *([] if self._by_weight else [weight_fact(known)])]
        said = " · ".join(filter(None, (repr(self), *facts)))
        return str(joined(said, element("ol", *names), note(sourced(known).line())))

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        shown = {"text/plain": repr(self), "text/html": self._repr_html_()}
        first = next(iter(self.values()), None)
        # Tables of a book have bases of their own.
        known = {"title": _TITLE, "base": "", "code": table_code(self)}
        known |= {"weight": ", ".join(self._by_weight)} if self._by_weight else {}
        return shown, metadata_of(first, **known)

    @keywords(BookOptions, _USUAL)
    def to_excel(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        metrics: str | Sequence[str] | None = None,
        vs: Versus | None = "columns",
        layout: Layout = "columns",
        title: str = _TITLE,
        **options: Unpack[BookOptions],
    ) -> None:
        """Write an Excel workbook: a contents page with links, then a sheet for each question.

        The contents are divided by the categories of the catalogue. By several weights, a sheet has
        the banner once for each of them.

        file: a path, or a file open for bytes. title: of the contents page.
        metrics, layout: as for `CrosstabResult.to_excel`; so are `sort`, `hide_under`, `decimals`,
            `rename`, `stars` and `top`, which arrange each table. Answers on a scale keep their
            order, all of them.
        vs, options: the tests between columns, as for `CrosstabResult.test`; `vs=None` for none.
            With "previous wave", tables in which no column is one wave have a note.

        Raises the errors of both.

        >>> client.tab_book(["Gender", "Age"], ["Pets"]).to_excel("book.xlsx", vs="rest")
        """
        from audiencelab.render.excel import sheet_name, write_workbook

        layouts = self._layouts(metrics, vs, options)
        sheets = {
            # Numbered, so that names that are cut to the same text stay different.
            sheet_name(f"{number} {name}"): each
            for number, (name, each) in enumerate(layouts.items(), 1)
        }
        write_workbook(file, sheets, layout=layout, contents=title)

    @keywords(BookOptions, _USUAL)
    def to_pptx(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        chart: SlideChart | None = "auto",
        headline: Literal["finding", "question"] = "finding",
        tables: bool = True,
        template: str | os.PathLike[str] | None = None,
        title: str = _TITLE,
        metrics: str | Sequence[str] | None = None,
        vs: Versus | None = "columns",
        **options: Unpack[BookOptions],
    ) -> None:
        """Write PowerPoint slides: an editable chart and the table of each question.

        chart, headline, tables, template: as for `CrosstabResult.to_pptx`, but "stack" draws
            questions to which respondents give several answers as "bar", and without tests
            (`vs=None`) headlines are the questions.
        title: of the first slide, which says whom and when the tables count; "" for none.
        The other arguments are those of `to_excel`.

        >>> client.tab_book("Gender", ["Pets"]).to_pptx(folder / "pets.pptx", vs=None)
        """
        from audiencelab.render.pptx import slide_table, write_slides

        books = [*self.weights.values()] or [self]
        laid_out = [
            zip(book.values(), book._layouts(metrics, vs, options).values(), strict=True)
            for book in books
        ]
        given = "question" if vs is None else headline
        # By several weights, the slides of a question follow each other.
        made = [
            slide_table(
                *(table, layout, chart),
                headline=given,
                tables=tables,
                otherwise="bar",
                itself=False,
            )
            for pairs in zip(*laid_out, strict=True)
            for table, layout in pairs
        ]
        write_slides(file, made, template=template, title=title)

    @keywords(BookOptions, _USUAL)
    def to_html(
        self,
        *,
        metrics: str | Sequence[str] | None = None,
        vs: Versus | None = "columns",
        title: str = _TITLE,
        **options: Unpack[BookOptions],
    ) -> str:
        """The tab book as one HTML page that needs no network: contents with links, then tables.

        The arguments are those of `to_excel`.

        >>> page = client.tab_book(["Gender", "Age"], ["Pets"]).to_html(vs=None)
        """
        from audiencelab.render.page import book_page

        return book_page(title, self._layouts(metrics, vs, options))

    @keywords(ArrangementOptions, AS_IT_IS)
    def save(self, file: str | os.PathLike[str], **arrangement: Unpack[ArrangementOptions]) -> None:
        """Write the workbook, slides or page with its usual options, by the ending of the file.

        arrangement: as for `to_excel`. Raises `ValueError` for another ending than .xlsx, .pptx and
        .html.

        >>> client.tab_book("Gender", ["Pets"]).save("pets.html")
        """
        ending = check_ending(file)
        if ending == ".xlsx":
            self.to_excel(file, **arrangement)
        elif ending == ".pptx":
            self.to_pptx(file, **arrangement)
        else:
            put(Path(file), self.to_html(**arrangement).encode())

    def _layouts(
        self,
        metrics: str | Sequence[str] | None,
        vs: Versus | None,
        options: BookOptions,
    ) -> dict[str, TableLayout]:
        given: dict[str, Any] = {**options}
        how = TableArrangement(
            **{name: given.pop(name) for name in AS_IT_IS if name in given}, scales_stay=True
        )
        tests = cast(TestOptions, given)
        made: dict[str, TableLayout] = {}
        for name in self:
            parts = {
                weight: self._layout(name, tables[name], metrics, vs, tests)
                for weight, tables in (self._by_weight or {"": self._tables}).items()
            }
            made[name] = by_weight(parts)
        # A name to change may be in some of the tables only.
        how.check_names(name for layout in made.values() for name in names_in(layout))
        return {name: placed(layout, how) for name, layout in made.items()}

    def _layout(
        self,
        name: str,
        table: CrosstabResult,
        metrics: str | Sequence[str] | None,
        vs: Versus | None,
        tests: TestOptions,
    ) -> TableLayout:
        # A single column has no others to be compared with, which would raise.
        alone = len(table.columns) == 1 and vs in ("columns", "previous wave")
        by_waves = vs != "previous wave" or any(one_waves(table))
        tested = _tested(table, vs, tests) if vs and by_waves and not alone else None
        usual = _TRACKED if vs == "previous wave" and by_waves else _TRACKED[:1]
        layout = table_layout(
            table, metrics=usual if metrics is None else listed(metrics), comparison=tested
        )
        notes = (*layout.notes, *self._notes.get(name, ()), *([] if by_waves else [_NO_WAVES]))
        return replace(layout, notes=notes, section=self._sections.get(name, ""))


def _tested(table: CrosstabResult, vs: Versus, options: TestOptions) -> ComparisonData:
    """The tests of a table without those of a question against itself: 100% against 0%."""
    own = of_one_question(table)
    words = "cells of a question with itself left out" if own.any() else ""
    return compare(table, vs, options, UntestedCells(own, words))
