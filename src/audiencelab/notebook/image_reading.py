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
    """An image of points.

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


_NUMBER = re.compile(r"#[0-9a-fA-F]{3,8}\b|-?\d+(?:\.\d+)?(?:e-\d+)?")
"""A colour, or a number."""

_TOLERANCE = 0.01
"""Pixels, too few to be seen: versions of numpy differ in the last digits of sums."""


def as_drawn(before: list[str], now: list[str]) -> list[str]:
    """The elements of a drawing, with those of another that are drawn alike to 0.01 px."""
    if len(before) != len(now):
        return before
    return [b if _near(a, b) else a for a, b in zip(before, now, strict=True)]


def _near(before: str, now: str) -> bool:
    if _NUMBER.sub("0", before) != _NUMBER.sub("0", now):
        return False
    pairs = zip(_NUMBER.findall(before), _NUMBER.findall(now), strict=True)
    return all(a == b or (a[0] != "#" != b[0] and _close(a, b)) for a, b in pairs)


def _close(before: str, now: str) -> bool:
    return abs(float(before) - float(now)) < _TOLERANCE


def read_image(content: bytes) -> ReadImage:
    """The size and a checksum of the points of an image, and what it is of."""
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
