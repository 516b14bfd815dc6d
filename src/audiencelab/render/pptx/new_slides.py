"""New slides: title, shapes, notes, number and footers, as parts of the presentation's package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from typing import Any
from xml.sax.saxutils import escape

from audiencelab.render.excel.styles import cell_text
from audiencelab.render.pptx.chart_data import data_sheet
from audiencelab.render.pptx.native_charts import NativeChart, chart_xml
from audiencelab.render.pptx.native_tables import NativeTable, table_xml
from audiencelab.render.pptx.pages import Page
from audiencelab.render.pptx.shapes import (
    BOLD,
    LINE,
    NAMESPACES,
    UNITS,
    Run,
    TextBox,
    fitted,
    frame_xml,
    lines_of,
    text_box_xml,
    units,
)
from audiencelab.render.pptx.template import TITLES, LayoutBoxes, kind_of
from audiencelab.render.record_carriers import office_part
from audiencelab.results.record import Record

_CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"

_SMALLEST = 16.0
"""The smallest size of a title."""


class Package:
    """The parts of a presentation, numbered without a search through all of them for each."""

    def __init__(self, deck: Any) -> None:
        self._deck = deck
        self._package = deck.part.package
        self._used: dict[str, int] = {}
        for part in self._package.iter_parts():
            stem, number = re.fullmatch(r"(.*?)(\d*)\.\w+", str(part.partname)).groups()  # type: ignore[union-attr]
            self._used[stem] = max(self._used.get(stem, 0), int(number or 0))
        self._notes_master: Any = None

    def _name(self, stem: str, ending: str) -> Any:
        from pptx.opc.packuri import PackURI

        self._used[stem] = self._used.get(stem, 0) + 1
        return PackURI(f"{stem}{self._used[stem]}.{ending}")

    def add_chart(self, slide: Any, chart: NativeChart) -> str:
        """Add a chart with its workbook; the id of its relationship to the slide."""
        from pptx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
        from pptx.parts.chart import ChartPart
        from pptx.parts.embeddedpackage import EmbeddedXlsxPart

        stem = "/ppt/charts/chart"
        part: Any = ChartPart.load(
            self._name(stem, "xml"), CONTENT_TYPE.DML_CHART, self._package, chart_xml(chart)
        )
        book = EmbeddedXlsxPart(
            self._name("/ppt/embeddings/Microsoft_Excel_Sheet", "xlsx"),
            CONTENT_TYPE.SML_SHEET,
            self._package,
            data_sheet(chart),
        )
        # The chart's XML refers to its first relationship.
        part.relate_to(book, RELATIONSHIP_TYPE.PACKAGE)
        return slide.part.relate_to(part, RELATIONSHIP_TYPE.CHART)

    def add_records(self, records: Sequence[Record]) -> None:
        """Add what the tables are of, for programs."""
        from pptx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
        from pptx.opc.package import Part

        name, data = self._name("/customXml/item", "xml"), office_part(records)
        part = Part(name, CONTENT_TYPE.XML, self._package, data)
        self._deck.part.relate_to(part, RELATIONSHIP_TYPE.CUSTOM_XML)

    def add_notes(self, slide: Any, lines: Sequence[str]) -> None:
        """Add the notes of a slide."""
        from pptx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
        from pptx.parts.slide import NotesSlidePart

        if self._notes_master is None:
            self._notes_master = self._deck.part.notes_master_part
        paragraphs = "".join(
            f'<a:p><a:r><a:rPr lang="en-GB"/><a:t>{escape(cell_text(line))}</a:t></a:r></a:p>'
            if line
            else "<a:p/>"
            for given in lines
            for line in given.split("\n")
        )
        part: Any = NotesSlidePart.load(
            self._name("/ppt/notesSlides/notesSlide", "xml"),
            CONTENT_TYPE.PML_NOTES_SLIDE,
            self._package,
            _NOTES.format(NAMESPACES, paragraphs).encode(),
        )
        part.relate_to(self._notes_master, RELATIONSHIP_TYPE.NOTES_MASTER)
        part.relate_to(slide.part, RELATIONSHIP_TYPE.SLIDE)
        slide.part.relate_to(part, RELATIONSHIP_TYPE.NOTES_SLIDE)


def _note_shape(number: int, name: str, kind: str, inner: str) -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr><a:spLocks noGrp="1"/>'
        f"</p:cNvSpPr><p:nvPr><p:ph {kind}/></p:nvPr></p:nvSpPr><p:spPr/>{inner}</p:sp>"
    )


_NOTES = (
    "<p:notes {}><p:cSld><p:spTree><p:nvGrpSpPr>"
    '<p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    + _note_shape(2, "Slide Image", 'type="sldImg"', "")
    + _note_shape(
        *(3, "Notes", 'type="body" idx="1"'),
        "<p:txBody><a:bodyPr/><a:lstStyle/>{}</p:txBody>",
    )
    + "</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>"
)


class NewSlide:
    """A slide to which shapes are added; `finish` writes them."""

    def __init__(self, deck: Any, package: Package, placed: LayoutBoxes) -> None:
        self.slide: Any = deck.slides.add_slide(placed.layout)
        self._package, self._placed = package, placed
        self._shapes: list[str] = []
        self._number = 100
        self._filled: set[int] = set()

    def title(self, text: str) -> None:
        """Fill the title, in a smaller size where the text is long; a text box without one."""
        box, usual = self._placed.title, self._placed.size
        # Titles are bold, or in a face that is not known.
        room = (box.width - 16) / BOLD
        size = usual
        while size > _SMALLEST and lines_of(text, room, size) * LINE * size > box.height + 2:
            size -= 1
        most = max(1, int((box.height + 2) // (LINE * size)))
        text = fitted(text, room, size, most)
        found = next((each for each in self.slide.placeholders if kind_of(each) in TITLES), None)
        if found is None:
            self.text(
                TextBox(box, ((Run(text, bold=True),),), min(size, 24), anchor="b", name="Title")
            )
            return
        found.text_frame.text = cell_text(text)
        if self._placed.moves:
            found.left, found.top, found.width, found.height = map(units, box)
        if size != usual:
            found.text_frame.paragraphs[0].runs[0].font.size = round(size * UNITS)
        self._filled.add(found.shape_id)

    def fill(self, kind: str, lines: Sequence[str]) -> bool:
        """Fill the placeholder of a kind, if there is one."""
        found = next((each for each in self.slide.placeholders if kind_of(each) == kind), None)
        if found is None:
            return False
        found.text_frame.text = "\n".join(map(cell_text, lines))
        self._filled.add(found.shape_id)
        return True

    def text(self, text: TextBox) -> None:
        """Add a text box."""
        self._shapes.append(text_box_xml(self._next(), text))

    def table(self, table: NativeTable) -> None:
        """Add a table."""
        self._shapes.append(table_xml(self._next(), table))

    def page(self, page: Page, left: float, top: float) -> None:
        """Add charts, tables and texts, from a corner on."""
        for box, chart in page.charts:
            inner = (
                f'<c:chart xmlns:c="{_CHART}" r:id="{self._package.add_chart(self.slide, chart)}"/>'
            )
            self._shapes.append(
                frame_xml(self._next(), box.moved(left, top), "Chart", chart.words, _CHART, inner)
            )
        for table in page.tables:
            self.table(table.moved(left, top))
        for text in page.texts:
            self.text(text.moved(left, top))

    def notes(self, lines: Sequence[str]) -> None:
        """Write the notes of the slide."""
        if lines:
            self._package.add_notes(self.slide, lines)

    def finish(self) -> int:
        """Write the shapes, with the layout's footers, and remove what is left to be filled in.

        Returns the id of the slide.
        """
        from pptx.oxml import parse_xml

        for each in [*self.slide.placeholders]:
            if each.shape_id not in self._filled:
                each.element.getparent().remove(each.element)
        tree = self.slide.shapes.element
        if self._shapes:
            parse: Any = parse_xml
            tree.extend([*parse(f"<p:spTree {NAMESPACES}>{''.join(self._shapes)}</p:spTree>")])
        for each in self._placed.footers:
            own = deepcopy(each)
            next(own.iter(f"{_P}cNvPr")).set("id", str(self._next()))
            tree.append(own)
        return int(self.slide.slide_id)

    def _next(self) -> int:
        self._number += 1
        return self._number


_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
