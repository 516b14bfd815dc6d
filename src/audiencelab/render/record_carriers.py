"""What a file is of, in the file itself, for programs: SVG, PNG, pages, workbooks and slides.

Every carrier holds `Record.to_dict()` as JSON; `render/records.py` reads them back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from audiencelab.markup import Html, escape
from audiencelab.render.png import pixels_hash, with_texts
from audiencelab.results.record import Record
from audiencelab.wording import without_controls

NAMESPACE = "urn:audiencelab:record"
KEY = "audiencelab"
"""The name of a record in the metadata of images, charts and notebooks."""

SCRIPT = "audiencelab-record"
"""The id of the records of a page."""

_PART = "customXml/item1.xml"
_LINKS = "xl/_rels/workbook.xml.rels"
_LINK = (
    '<Relationship Id="rIdRecord" Target="../customXml/item1.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml"/>'
)
"""The part of a workbook that other programs may have, and how the workbook refers to it."""


def as_json(records: Sequence[Record], **more: Any) -> str:
    """One record as an object, several as a list; only ASCII, so that any file can hold it.

    more: further facts of each.
    """
    return json.dumps(as_data([record.to_dict() | more for record in records]))


def as_data(records: Sequence[dict[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
    """One record as it is, several as a list."""
    return records[0] if len(records) == 1 else [*records]


def in_svg(drawn: str, title: str, records: Sequence[Record]) -> str:
    """An SVG with its title, its sources, and the records as metadata; as it is without any."""
    if not records:
        return drawn
    head, _, rest = drawn.partition(">")
    sources = " ".join(dict.fromkeys(record.line() for record in records))
    words = "".join(
        f"<{name}>{escape(each)}</{name}>"
        for name, each in (("title", title), ("desc", sources))
        if each
    )
    return f"{head}>{words}<metadata>{_elements(records)}</metadata>{rest}"


def in_png(image: bytes, title: str, records: Sequence[Record]) -> bytes:
    """A PNG with the records and the hash of its pixels, and its title and sources as text."""
    if not records:
        return image
    sources = " ".join(dict.fromkeys(record.line() for record in records))
    texts = {"Title": title, "Description": sources}
    texts = {name: without_controls(words) for name, words in texts.items()}
    return with_texts(image, texts | {KEY: as_json(records, pixels=pixels_hash(image))})


def in_page(records: Sequence[Record]) -> Html:
    """The records as data of a page, which no browser runs; nothing without any."""
    data = as_json(records).replace("<", "\\u003c")
    written = f'<script type="application/json" id="{SCRIPT}">{data}</script>'
    return Html(written if records else "")


def office_part(records: Sequence[Record]) -> bytes:
    """The records as a part of an Office file, where Office keeps the data of other programs."""
    inner = _elements(records)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<records xmlns="{NAMESPACE}">{inner}</records>'
    ).encode()


def in_workbook(book: bytes, records: Sequence[Record]) -> bytes:
    """A workbook with the records as a part of it."""
    into = BytesIO()
    with ZipFile(BytesIO(book)) as old, ZipFile(into, "w", ZIP_DEFLATED) as new:
        parts = old.infolist()
        for each in parts:
            data = old.read(each)
            if each.filename == _LINKS:
                data = data.replace(b"</Relationships>", f"{_LINK}</Relationships>".encode())
            new.writestr(each, data)
        # The constant date of the other parts: the same tables make the same bytes.
        part = ZipInfo(_PART, parts[0].date_time)
        new.writestr(part, office_part(records), ZIP_DEFLATED)
    return into.getvalue()


def _elements(records: Sequence[Record]) -> str:
    # JSON in ASCII has no character that XML has not.
    written = (escape(as_json([record])) for record in records)
    return "".join(f'<record xmlns="{NAMESPACE}">{each}</record>' for each in written)
