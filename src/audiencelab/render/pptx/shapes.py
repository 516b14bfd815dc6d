"""Text, colours and positions on a slide, as DrawingML.

Shapes are written as XML at once, since python-pptx takes milliseconds for each. Lengths are in
points, of which PowerPoint's own unit has 12,700.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from audiencelab.render.excel.styles import cell_text
from audiencelab.render.text_width import width, wrapped

UNITS = 12_700
"""English Metric Units to a point."""

LINE = 1.2
"""The height of a line, in font sizes."""

_LETTER = 0.56
"""The width of a letter in font sizes, of wide faces; ideographs are twice as wide."""

BOLD = 1.12
"""How much wider bold letters are."""

NAMESPACES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)

Colour = str
"""A colour of the theme, in steps of its luminance ("accent1", "accent1:60:40"), or "#2b73b3"."""

INK, QUIET, FAINT = "tx1", "tx1:65:35", "tx1:15:85"


class Rect(NamedTuple):
    """A rectangle on a slide, in points."""

    left: float
    top: float
    width: float
    height: float

    def moved(self, left: float, top: float) -> Rect:
        """The same box elsewhere."""
        return self._replace(left=self.left + left, top=self.top + top)

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height


class Run(NamedTuple):
    """Text of one look; size: in points, that of its box by default; colour: "" inherits it."""

    text: str
    colour: Colour = ""
    bold: bool = False
    size: float = 0


@dataclass(frozen=True, slots=True)
class TextBox:
    """A text box: paragraphs of runs. align: "l", "ctr" or "r"; anchor: "t", "ctr" or "b"."""

    box: Rect
    paragraphs: tuple[tuple[Run, ...], ...]
    size: float = 11
    align: str = "l"
    anchor: str = "t"
    name: str = field(default="Text")

    def moved(self, left: float, top: float) -> TextBox:
        """The same elsewhere on the slide."""
        return TextBox(
            self.box.moved(left, top),
            *(self.paragraphs, self.size, self.align, self.anchor, self.name),
        )


def text_width(text: str, size: float) -> float:
    """About how wide a text is, in points, and hardly less."""
    return _LETTER * size * width(text)


@lru_cache(maxsize=16_384)
def lines_of(text: str, room: float, size: float) -> int:
    """About how many lines a text takes at a width in points."""
    return len(wrapped(text, room / (_LETTER * size)))


def fitted(text: str, room: float, size: float, lines: int) -> str:
    """As much of a text as so many lines hold, with "…" where something is left out."""
    text = " ".join(cell_text(text).split())
    if lines_of(text, room, size) <= lines:
        return text
    low, high = 0, len(text)
    while low < high - 1:
        half = (low + high) // 2
        if lines_of(text[:half] + "…", room, size) <= lines:
            low = half
        else:
            high = half
    return text[:low].rstrip() + "…"


def units(points: float) -> int:
    """A length for a file."""
    return round(points * UNITS)


def colour_xml(colour: Colour) -> str:
    """A colour, of the theme or by its value."""
    if colour.startswith("#"):
        return f'<a:srgbClr val="{colour[1:].upper()}"/>'
    name, *steps = colour.split(":")
    kinds = zip(("lumMod", "lumOff"), steps, strict=False)  # most have no steps
    inner = "".join(f'<a:{kind} val="{step}000"/>' for kind, step in kinds)
    return f'<a:schemeClr val="{name}">{inner}</a:schemeClr>'


def fill_xml(colour: Colour, *, hatched: bool = False) -> str:
    """A plain fill, or a hatched one for what rests on few respondents."""
    if not hatched:
        return f"<a:solidFill>{colour_xml(colour)}</a:solidFill>"
    front, back = (
        f"<a:{side}Clr>{colour_xml(each)}</a:{side}Clr>"
        for side, each in (("fg", colour), ("bg", "bg1"))
    )
    return f'<a:pattFill prst="wdUpDiag">{front}{back}</a:pattFill>'


def box_xml(box: Rect, tag: str = "a") -> str:
    """The position and the extent of a shape."""
    left, top, width, height = map(units, box)
    return (
        f'<{tag}:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></{tag}:xfrm>'
    )


def paragraphs_xml(paragraphs: Sequence[Sequence[Run]], size: float, align: str = "l") -> str:
    """Paragraphs; an empty one keeps its size."""
    made: list[str] = []
    for runs in paragraphs:
        inner = "".join(
            f"<a:r>{_look('rPr', run.size or size, run)}"
            f"<a:t>{escape(cell_text(run.text))}</a:t></a:r>"
            for run in runs
        )
        ends = f'<a:endParaRPr sz="{round(100 * size)}"/>' if not inner else ""
        made.append(f'<a:p><a:pPr algn="{align}"/>{inner}{ends}</a:p>')
    return "".join(made)


def _look(tag: str, size: float, run: Run) -> str:
    bold = ' b="1"' if run.bold else ""
    fill = fill_xml(run.colour) if run.colour else ""
    return f'<a:{tag} lang="en-GB" sz="{round(100 * size)}"{bold} dirty="0">{fill}</a:{tag}>'


def text_box_xml(number: int, text: TextBox) -> str:
    """A text box as a shape."""
    # Without margins, so that a text begins where its box does.
    body = (
        f'<a:bodyPr wrap="square" lIns="0" tIns="0" rIns="0" bIns="0" anchor="{text.anchor}">'
        "<a:noAutofit/></a:bodyPr><a:lstStyle/>"
    )
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name={quoteattr(f"{text.name} {number}")}/>'
        '<p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr>'
        f'<p:spPr>{box_xml(text.box)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/>'
        f"</p:spPr><p:txBody>{body}{paragraphs_xml(text.paragraphs, text.size, text.align)}"
        "</p:txBody></p:sp>"
    )


def frame_xml(number: int, box: Rect, name: str, words: str, uri: str, inner: str) -> str:
    """A chart or a table as a shape. words: what it shows, for those who do not see it."""
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" '
        f"name={quoteattr(f'{name} {number}')} descr={quoteattr(cell_text(words))}/>"
        '<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr/>'
        f"</p:nvGraphicFramePr>{box_xml(box, 'p')}"
        f'<a:graphic><a:graphicData uri="{uri}">{inner}</a:graphicData></a:graphic>'
        "</p:graphicFrame>"
    )
