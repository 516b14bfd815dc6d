"""The presentation that slides are added to: our own, or the template of a house.

A template keeps its layouts, fonts, colours and footers. Slides take the layout with a title and
the fewest other placeholders, and leave none of them empty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from audiencelab.render.colours import LIGHT
from audiencelab.render.pptx.shapes import UNITS, Rect
from audiencelab.render.pptx.theme import Theme

_WIDE = (960.0, 540.0)
"""A 16:9 slide in points, PowerPoint's default."""

_MARGIN = 36.0

_TITLE_BOX, _BODY_BOX = Rect(36, 18, 888, 60), Rect(36, 110, 888, 370)
_NUMBER_BOX, _COVER_BOX = Rect(864, 516, 60, 14), Rect(36, 150, 888, 90)


class LayoutBoxes(NamedTuple):
    """The boxes of one layout: of its title with the size of its text, and the free area.

    footers: the elements of slide numbers and footers with text, which each slide repeats.
    moves: whether titles have to be put there, since the layout has no extent of its own for them.
    """

    layout: Any
    title: Rect
    size: float
    area: Rect
    footers: tuple[Any, ...] = ()
    moves: bool = False


def open_presentation(template: str | os.PathLike[str] | None) -> Any:
    """A presentation by python-pptx; raises `ImportError` without it."""
    try:
        import pptx
    except ModuleNotFoundError:
        raise ImportError(
            'Slides are written with python-pptx: pip install "audiencelab[pptx]"'
        ) from None
    made: Any = pptx.Presentation(None if template is None else os.fspath(template))
    if template is None:
        _make_own(made)
    return made


def theme_of(deck: Any, *, is_own: bool) -> Theme:
    """The colours of the first master, and which of them are those of text and ground."""
    from pptx.opc.constants import RELATIONSHIP_TYPE

    master = deck.slide_masters[0]
    roles = next(master.element.iter(f"{_P}clrMap"), None)
    part = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    return Theme.read(part.blob, {} if roles is None else dict(roles.attrib), is_own=is_own)


def table_style(deck: Any) -> str:
    """The id of the style that new tables have in a template."""
    from pptx.opc.constants import RELATIONSHIP_TYPE

    try:
        styles = deck.part.part_related_by(RELATIONSHIP_TYPE.TABLE_STYLES).blob.decode()
    except KeyError:
        return ""
    found = re.search(r'\bdef="(\{[0-9A-Fa-f-]+\})"', styles)
    return found[1] if found else ""


_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


# -- layouts --------------------------------------------------------------------------------------


def kind_of(placeholder: Any) -> str:
    """What a placeholder is for, by the name of its type: "TITLE", "BODY", "SUBTITLE"."""
    return str(placeholder.placeholder_format.type).split(" ")[0].rsplit(".", 1)[-1]


TITLES = ("TITLE", "CENTER_TITLE")
FOOTERS = ("DATE", "FOOTER", "SLIDE_NUMBER")


def content_layout(deck: Any) -> LayoutBoxes:
    """The layout of slides with charts and tables, whatever its name is."""
    layouts = [each for master in deck.slide_masters for each in master.slide_layouts]
    layout = min(layouts, key=_unlike_content)
    return _placed(deck, layout)


def cover_layout(deck: Any) -> LayoutBoxes:
    """That of the first slide: one with a title and a subtitle, otherwise that of the others."""
    layouts = [each for master in deck.slide_masters for each in master.slide_layouts]
    covers = [each for each in layouts if {"CENTER_TITLE", "SUBTITLE"} <= {*_kinds(each)}]
    return _placed(deck, covers[0]) if covers else content_layout(deck)


def _kinds(layout: Any) -> list[str]:
    return [kind_of(each) for each in layout.placeholders]


def _unlike_content(layout: Any) -> tuple[int, int]:
    kinds = [kind for kind in _kinds(layout) if kind not in FOOTERS]
    # A layout for the first slide has a title in its middle.
    return 0 if "TITLE" in kinds else 1 if "CENTER_TITLE" in kinds else 2, len(kinds)


def _placed(deck: Any, layout: Any) -> LayoutBoxes:
    wide, high = deck.slide_width / UNITS, deck.slide_height / UNITS
    found = next((each for each in layout.placeholders if kind_of(each) in TITLES), None)
    box = None if found is None else _box(found)
    moves = found is not None and box is None
    if box is None:
        of_master = (each for each in layout.slide_master.placeholders if kind_of(each) in TITLES)
        box = next(filter(None, map(_box, of_master)), None) if moves else None
    title = box or Rect(_MARGIN, 18, wide - 2 * _MARGIN, 0.11 * high)
    bottom = min(_tops_of_footers(layout, 0.75 * high), default=high - 12)
    top = title.bottom
    if title.top > high / 2:
        # A title at the lower edge has the free area above it.
        top, bottom = 12.0, min(bottom, title.top)
    left = min(max(title.left, 12), 0.25 * wide)
    width = min(title.width, wide - left - 12) if title.width > wide / 2 else wide - 2 * left
    size = _title_size(layout, found)
    return LayoutBoxes(
        layout, title, size, Rect(left, top, width, bottom - top), _repeated(layout), moves
    )


def _repeated(layout: Any) -> tuple[Any, ...]:
    """The elements of slide numbers, and of footers that have text."""
    kinds = [(kind_of(each), each) for each in layout.placeholders]
    return tuple(
        each.element
        for kind, each in kinds
        if kind == "SLIDE_NUMBER" or (kind == "FOOTER" and each.text_frame.text)
    )


def _box(shape: Any) -> Rect | None:
    places = (shape.left, shape.top, shape.width, shape.height)
    if any(each is None for each in places) or not (shape.width and shape.height):
        return None
    return Rect(*(each / UNITS for each in places))


def _tops_of_footers(layout: Any, low: float) -> Iterator[float]:
    """The upper edges of footers, and of bands and logos at the foot of a layout or its master."""
    for shape in (*layout.shapes, *layout.slide_master.shapes):
        box = _box(shape)
        is_footer = shape.is_placeholder and kind_of(shape) in FOOTERS
        if box is not None and box.top > low and (is_footer or not shape.is_placeholder):
            yield box.top


def _title_size(layout: Any, title: Any) -> float:
    """The size of a layout's title in points."""
    styles = [] if title is None else [title.element.find(f".//{_A}lstStyle")]
    master = layout.slide_master
    styles += [
        each.element.find(f".//{_A}lstStyle")
        for each in master.placeholders
        if kind_of(each) in TITLES
    ]
    styles.append(next(master.element.iter(f"{_P}titleStyle"), None))
    for style in styles:
        found = None if style is None else style.find(f"{_A}lvl1pPr/{_A}defRPr[@sz]")
        if found is not None:
            return int(found.get("sz")) / 100
    return 24.0


# -- our own --------------------------------------------------------------------------------------


def _make_own(deck: Any) -> None:
    """Make python-pptx's own template a 16:9 presentation with our colours and a small title."""
    from pptx.opc.constants import RELATIONSHIP_TYPE

    wider = _WIDE[0] * UNITS / deck.slide_width
    deck.slide_width, deck.slide_height = (round(each * UNITS) for each in _WIDE)
    master = deck.slide_masters[0]
    for sheet in (master, *master.slide_layouts):
        _widen(sheet, wider)
    _make_master(master)
    _make_cover(master.slide_layouts[0])
    part = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    part.blob = _with_accents(part.blob)
    # The settings of a printer of python-pptx's author, and an image of an empty slide.
    _drop(deck.part, RELATIONSHIP_TYPE.PRINTER_SETTINGS)
    _drop(deck.part.package, RELATIONSHIP_TYPE.THUMBNAIL)


def _drop(whole: Any, kind: str) -> None:
    with suppress(KeyError):
        # A part that is related already keeps its id.
        whole.drop_rel(whole.relate_to(whole.part_related_by(kind), kind))


def _widen(sheet: Any, wider: float) -> None:
    """Move the shapes of a master or a layout to a wider slide, without dates and footers."""
    for shape in [*sheet.placeholders]:
        if kind_of(shape) in ("DATE", "FOOTER"):
            shape.element.getparent().remove(shape.element)
    for shape in sheet.shapes:
        if shape.element.find(f".//{_A}off") is not None:
            shape.left, shape.width = round(shape.left * wider), round(shape.width * wider)


def _make_master(master: Any) -> None:
    for shape in master.placeholders:
        kind = kind_of(shape)
        if kind == "TITLE":
            _put(shape, _TITLE_BOX)
            _set_body(shape, anchor="b")
        elif kind == "BODY":
            _put(shape, _BODY_BOX)
        elif kind == "SLIDE_NUMBER":
            _put(shape, _NUMBER_BOX)
            for look in shape.element.iter(f"{_A}defRPr"):
                look.set("sz", "900")
    for style in master.element.iter(f"{_P}titleStyle"):
        style[0].set("algn", "l")
        for look in style.iter(f"{_A}defRPr"):
            look.set("sz", "2400")
            look.set("b", "1")


def _make_cover(layout: Any) -> None:
    for shape in layout.placeholders:
        kind = kind_of(shape)
        if kind == "CENTER_TITLE":
            _put(shape, _COVER_BOX)
            _set_body(shape, anchor="b")
            _set_look(shape, "3600")
        elif kind == "SUBTITLE":
            _put(shape, _COVER_BOX._replace(top=252, height=180))
            _set_body(shape, anchor="t")
            _set_look(shape, "1400")


def _set_look(shape: Any, size: str) -> None:
    from pptx.oxml import parse_xml

    style = shape.element.find(f".//{_A}lstStyle")
    for level in [*style]:
        style.remove(level)
    style.append(
        parse_xml(
            f'<a:lvl1pPr xmlns:a="{_A[1:-1]}" marL="0" indent="0" algn="l"><a:buNone/>'
            f'<a:defRPr sz="{size}"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill>'
            "</a:defRPr></a:lvl1pPr>"
        )
    )


def _put(shape: Any, box: Rect) -> None:
    shape.left, shape.top, shape.width, shape.height = (round(each * UNITS) for each in box)


def _set_body(shape: Any, *, anchor: str) -> None:
    body = shape.element.find(f".//{_A}bodyPr")
    body.set("anchor", anchor)
    for side in ("lIns", "rIns", "tIns", "bIns"):
        body.set(side, "0")


def _with_accents(theme: bytes) -> bytes:
    text = theme.decode()
    for number, colour in enumerate(LIGHT.series, 1):
        text = re.sub(
            rf"(<a:accent{number}>)<a:srgbClr val=\"[0-9A-Fa-f]+\"/>",
            rf'\g<1><a:srgbClr val="{colour[1:].upper()}"/>',
            text,
        )
    return text.encode()
