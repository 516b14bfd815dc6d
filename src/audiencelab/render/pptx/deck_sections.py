"""Sections of a presentation, as PowerPoint's own list of slides shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import quoteattr

from audiencelab.render.excel.styles import cell_text

_P14 = "http://schemas.microsoft.com/office/powerpoint/2010/main"
_LIST = "{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"
"""What the list of sections is called among the extensions of a presentation."""

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SLIDE = f"{{{_P14}}}sldId"


def write_sections(deck: Any, sections: Sequence[tuple[str, Sequence[int]]]) -> None:
    """Add sections to those of a presentation, each a name with the ids of its slides.

    A slide that is in a section already stays there.
    """
    from pptx.oxml import parse_xml

    parse: Any = parse_xml
    known = next(deck.element.iter(f"{{{_P14}}}sectionLst"), None)
    slides: Any = () if known is None else known.iter(_SLIDE)
    placed = {int(each.get("id")) for each in slides}
    new = [(name, [each for each in ids if each not in placed]) for name, ids in sections]
    inner = "".join(_section(number, *each) for number, each in enumerate(new) if each[1])
    made = parse(f'<p14:sectionLst xmlns:p14="{_P14}">{inner}</p14:sectionLst>')
    if known is not None:
        known.extend([*made])
        return
    extensions = deck.element.find(f"{_P}extLst")
    if extensions is None:
        # The last of a presentation's elements.
        extensions = deck.element.makeelement(f"{_P}extLst")
        deck.element.append(extensions)
    extension = extensions.makeelement(f"{_P}ext", {"uri": _LIST})
    extension.append(made)
    extensions.append(extension)


def _section(number: int, name: str, slides: Sequence[int]) -> str:
    listed = "".join(f'<p14:sldId id="{each}"/>' for each in slides)
    # By name and position, so that the same tables make the same file.
    identity = str(uuid5(NAMESPACE_URL, f"{number} {name} {slides[0]}")).upper()
    return (
        f'<p14:section name={quoteattr(cell_text(name))} id="{{{identity}}}">'
        f"<p14:sldIdLst>{listed}</p14:sldIdLst></p14:section>"
    )
