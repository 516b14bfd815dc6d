"""Reads images: the marks and labels of an SVG, the points of a PNG."""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from dataclasses import dataclass, field
from html import unescape

from audiencelab.notebook.html_reading import numbered_ids
from audiencelab.render.records import altered, record_in
from audiencelab.results.record import Record

_LABELS = re.compile(r'aria-label="([^"]*)"|<(?:text|tspan)\b[^>]*>([^<]+)<')
_TOLD = re.compile(r"<(title|desc)\b[^>]*>([^<]+)<")
_METADATA = re.compile(r"<metadata\b.*?</metadata>", re.DOTALL)
_ELEMENTS = re.compile(r"<[^>]+>")
_IDS = re.compile(r'\bid="([^"]*)"|\bclass="(d[0-9a-f]{8})\b')
"""Ids, and the class that bears the colours of a chart, which is a checksum of all in it."""

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class ReadImage:
    """A image of points.

    fields: what it is and shows, by name. record: what it says that it is of.
    """

    fields: dict[str, str] = field(default_factory=dict[str, str])
    record: Record | None = None


def read_svg(text: str) -> tuple[list[str], dict[str, str], list[str]]:
    """The labels of an SVG, what its title and description say, its elements as they are drawn."""
    drawn = numbered_ids(_METADATA.sub("", text), [a or b for a, b in _IDS.findall(text)])
    labels = [unescape(label or shown).strip() for label, shown in _LABELS.findall(drawn)]
    told = _TOLD.findall(drawn)
    fields = {f"{name} {number}": unescape(words) for number, (name, words) in enumerate(told, 1)}
    return labels, fields, _ELEMENTS.findall(drawn)


def read_image(content: bytes) -> ReadImage:
    """The size and a checksum of the points of a image, and what it is of."""
    if not content.startswith(_PNG):
        return ReadImage({"content": checksum(content)})
    try:
        header, points = _chunks(content)
        width, height = struct.unpack(">II", header[:8])
    except (struct.error, zlib.error):
        return ReadImage({"content": checksum(content)})
    found = {"size": f"{width} × {height}", "pixels": checksum(header + points)}
    try:
        records, edited = record_in(content), altered(content)
    except ValueError:
        return ReadImage(found)
    if edited:
        found["edited"] = "its pixels are not those that it was drawn with"
    return ReadImage(found, records[0] if records else None)


def _chunks(content: bytes) -> tuple[bytes, bytes]:
    """The header of a PNG, and its points without their compression."""
    header, packed, at = b"", bytearray(), len(_PNG)
    while at + 8 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        data = content[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            header = data
        elif kind == b"IDAT":
            packed += data
        at += length + 12
    return header, zlib.decompress(bytes(packed))


def checksum(content: bytes) -> str:
    """A short name of what some bytes hold."""
    return hashlib.sha256(content).hexdigest()[:12]
