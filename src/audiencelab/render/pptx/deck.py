"""Tables as PowerPoint slides: native, editable charts and tables, drawn from their `TableLayout`.

Each slide has one message. Its headline is the finding of its table, where there is one, else the
question; base, waves, weight and method are in a line at its foot, and everything that is known of
the table in the notes of the speaker.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import IO

from audiencelab.files import put
from audiencelab.render.office_properties import OfficeProperties
from audiencelab.render.pptx.chart_pages import chart_pages
from audiencelab.render.pptx.deck_sections import write_sections
from audiencelab.render.pptx.figure_tables import table_pages
from audiencelab.render.pptx.new_slides import NewSlide, Package
from audiencelab.render.pptx.pages import Page, below, lowest
from audiencelab.render.pptx.shapes import LINE, QUIET, Rect, Run, TextBox, fitted
from audiencelab.render.pptx.slide_texts import (
    FOOT,
    SlideTable,
    about,
    foot_height,
    foot_of,
    label_of,
    notes_of,
)
from audiencelab.render.pptx.template import (
    content_layout,
    cover_layout,
    open_presentation,
    table_style,
    theme_of,
)
from audiencelab.results.record import Record

_SMALL, _APART = 2, 10.0
"""Rows of a table that has no slide of its own, and what is between it and its chart."""

_SUBTITLE = 12.0
"""The size of the text below a title, in points."""


_MOST_GRIDS = 6
"""Slides of one table behind its chart; a longer table is left out, as the chart's foot says."""


def write_slides(
    file: str | os.PathLike[str] | IO[bytes],
    tables: Sequence[SlideTable],
    *,
    template: str | os.PathLike[str] | None = None,
    title: str = "",
) -> None:
    """Write tables as slides, into a new presentation or after the slides of a template.

    title: of a first slide with what all tables have in common; "" for no such slide.

    Raises `ValueError` for another ending than .pptx, `FileNotFoundError` without the template,
    `ImportError` without python-pptx.
    """
    if isinstance(file, str | os.PathLike) and Path(file).suffix.lower() != ".pptx":
        raise ValueError(
            f"A presentation's name must end in .pptx; got {str(file)!r}. "
            f"Write table.to_pptx({str(Path(file).with_suffix('.pptx'))!r})."
        )
    if template is not None and not Path(template).is_file():
        raise FileNotFoundError(f"There is no template {os.fspath(template)}.")
    data = _Deck(template).written(tables, title)
    if isinstance(file, str | os.PathLike):
        put(os.fspath(file), data)
    else:
        file.write(data)


class _Deck:
    """A presentation that slides are added to."""

    def __init__(self, template: str | os.PathLike[str] | None) -> None:
        self._deck = open_presentation(template)
        self._is_own = template is None
        self._package = Package(self._deck)
        self._theme = theme_of(self._deck, is_own=self._is_own)
        self._placed = content_layout(self._deck)
        self._style = "" if template is None else table_style(self._deck)

    def written(self, tables: Sequence[SlideTable], title: str) -> bytes:
        """The file with slides of these tables."""
        sections = [(title or "Before", [int(each.slide_id) for each in self._deck.slides])]
        if title:
            sections[0][1].append(self._cover(tables, title))
        for name, run in groupby(tables, key=lambda each: each.layout.section):
            made = [slide for table in run for slide in self._add(table)]
            sections.append((name or title or "Tables", made))
        if any(table.layout.section for table in tables):
            write_sections(self._deck, sections)
        records = [table.layout.record for table in tables]
        self._name(title or next((each.title for each in records), ""), records)
        self._package.add_records(records)
        into = BytesIO()
        self._deck.save(into)
        return into.getvalue()

    def _name(self, title: str, records: Sequence[Record]) -> None:
        """The properties of the file: its title and its sources, and no person's name."""
        known, new = self._deck.core_properties, OfficeProperties.of(title, records)
        for name in ("last_modified_by", "comments", "category"):
            setattr(known, name, "")
        for name in ("title", "subject", "author", "keywords", "created"):
            setattr(known, name, getattr(new, name))
        known.modified, known.revision = new.created, 1

    # -- tables -----------------------------------------------------------------------------------

    def _add(self, table: SlideTable) -> list[int]:
        """Add the slides of a table; their ids."""
        area = self._free(foot_of(table, self._placed.area.width, is_chart=True))
        size = area.width, area.height
        charts = chart_pages(table.layout, table.plan, self._theme, size) if table.plan else []
        grids = self._grids(table) if table.tables or not charts else []
        more = ""
        if charts and table.tables and len(table.layout.stub) <= _SMALL:
            together = self._together(table, charts, grids, area)
            charts, grids = (charts, grids) if together is None else ([together], [])
        if charts and len(grids) > _MOST_GRIDS:
            more = f"The table of {len(table.layout.stub):,} rows is left out; to_excel writes it"
            grids = []
        made = [
            self._slide(table, page, part, finds=True, more=more) for page, part in _parted(charts)
        ]
        made += [self._slide(table, page, part, finds=not charts) for page, part in _parted(grids)]
        return made

    def _together(
        self, table: SlideTable, charts: list[Page], grids: list[Page], area: Rect
    ) -> Page | None:
        """A small table below its chart; None where they do not fit."""
        if len(grids) > 1:
            # The first metric alone has more columns on a slide.
            first = replace(table.layout, metrics=table.layout.metrics[:1])
            grids = self._grids(replace(table, layout=first))
        if len(grids) != 1 or len(charts) != 1 or table.plan is None:
            return None
        room = area.height - lowest(grids[0]) - _APART
        lower = chart_pages(table.layout, table.plan, self._theme, (area.width, room))
        if room < area.height / 2 or len(lower) != 1:
            return None
        return below(lower[0], grids[0], area.height - lowest(grids[0]))

    def _grids(self, table: SlideTable) -> list[Page]:
        area = self._free(foot_of(table, self._placed.area.width, is_chart=False))
        return table_pages(table.layout, self._style, (area.width, area.height))

    def _slide(
        self, table: SlideTable, page: Page, part: str, *, finds: bool, more: str = ""
    ) -> int:
        slide = NewSlide(self._deck, self._package, self._placed)
        is_chart = bool(page.charts)
        question = f"{(is_chart and table.question) or table.layout.title}{part}"
        found = table.headline_of(page) if finds else ""
        slide.title(found or question)
        words = " · ".join(filter(None, [question if found else "", page.label]))
        words = words or label_of(table, is_chart=is_chart)
        left, top, width, _ = self._placed.area
        box = Rect(left, top + 2, width, LINE * _SUBTITLE)
        subtitle = Run(fitted(words, width, _SUBTITLE, 1), QUIET)
        slide.text(TextBox(box, ((subtitle,),), _SUBTITLE, name="Subtitle"))
        is_finding = bool(found) and not table.headline
        foot = foot_of(table, width, is_chart=is_chart, is_finding=is_finding, more=more)
        slide.page(page, left, self._free(foot).top)
        slide.text(self._foot(foot))
        slide.notes(notes_of(table, question))
        return slide.finish()

    def _free(self, foot: str) -> Rect:
        """The area between the subtitle and the foot of a slide."""
        area = self._placed.area
        top = area.top + LINE * _SUBTITLE + 8
        height = area.bottom - foot_height(foot, area.width) - 4 - top
        return Rect(area.left, top, area.width, height)

    def _foot(self, text: str) -> TextBox:
        area = self._placed.area
        height = foot_height(text, area.width)
        box = Rect(area.left, area.bottom - height, area.width, height)
        return TextBox(box, ((Run(text, QUIET),),), FOOT, anchor="b", name="Base and source")

    # -- the first slide --------------------------------------------------------------------------

    def _cover(self, tables: Sequence[SlideTable], title: str) -> int:
        placed = cover_layout(self._deck)
        slide = NewSlide(self._deck, self._package, placed)
        slide.title(title)
        lines = about(tables)
        if not slide.fill("SUBTITLE", lines):
            paragraphs = tuple((Run(line),) for line in lines)
            slide.text(TextBox(placed.area, paragraphs, 14, name="About"))
        return slide.finish()


def _parted(pages: Sequence[Page]) -> Iterator[tuple[Page, str]]:
    """Pages, each with which of how many it is."""
    for number, page in enumerate(pages, 1):
        yield page, f" ({number}/{len(pages)})" if len(pages) > 1 else ""
