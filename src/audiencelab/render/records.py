"""Reading back what a file is of: the records in images, workbooks, slides, pages and notebooks.

Nothing in a file is run, fetched or unpacked but the parts that hold records.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from audiencelab.render.png import is_png, pixels_hash, texts_of
from audiencelab.render.record_carriers import KEY, NAMESPACE, SCRIPT
from audiencelab.results.record import Record

_MOST = 10_000_000
"""Bytes of a part of an Office file that are read at most."""

_ELEMENT = re.compile(r"<((?:\w+:)?)record\b[^<>]*>([^<]*)</\1record>")
_PART = re.compile(r"customXml/item\d+\.xml")
_CSV_LINE = re.compile(rf"^(?:\ufeff)?# {KEY}: (.*)$", re.MULTILINE)
_IMAGES = ("image/png", "image/svg+xml")


def record_in(given: str | Path | bytes) -> list[Record]:
    """The records of a file, in its order; [] where it has none.

    given: the path of a file, or its bytes: SVG, PNG, .xlsx, .pptx, CSV, HTML, a notebook, or the
        JSON of a Vega-Lite chart.

    Raises `ValueError` for a file that is cut off, and for records of a later format.
    """
    data = given if isinstance(given, bytes) else Path(given).read_bytes()
    return [Record.from_dict(each) for each in _found(data)]


def altered(image: bytes) -> bool:
    """Whether the pixels of a PNG are others than those that its record was written with."""
    return any(
        each.get("pixels", known) != known
        for known in [pixels_hash(image)]
        for each in _of_png(image)
    )


def _found(data: bytes) -> list[dict[str, Any]]:
    if is_png(data):
        return _of_png(data)
    if data.startswith(b"PK"):
        return _of_office(data)
    text = data.decode("utf-8", "replace")
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start in ("{", "["):
        return _of_json(_json(text))
    if start == "<":
        return _of_elements(text) or _of_page(text)
    return [each for found in _CSV_LINE.findall(text) for each in _read(_unquoted(found))]


def _read(text: str) -> list[dict[str, Any]]:
    """One record, or several."""
    return _listed(_json(text))


def _json(text: str) -> object:
    """What JSON says; None for other text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _listed(found: object) -> list[dict[str, Any]]:
    several = cast("list[Any]", found) if isinstance(found, list) else [found]
    return [cast("dict[str, Any]", each) for each in several if isinstance(each, dict)]


def _unquoted(line: str) -> str:
    """A line of CSV, which a spreadsheet may have quoted as one field."""
    line = line.strip("\r\n\t ;,")
    return line[:-1].replace('""', '"') if line.endswith('}"') else line


def _of_png(image: bytes) -> list[dict[str, Any]]:
    return _read(texts_of(image).get(KEY, ""))


def _of_office(data: bytes) -> list[dict[str, Any]]:
    try:
        with zipfile.ZipFile(BytesIO(data)) as opened:
            parts = [each for each in opened.infolist() if _PART.fullmatch(each.filename)]
            texts = [opened.open(each).read(_MOST).decode("utf-8", "replace") for each in parts]
    except (zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"This file cannot be unpacked: {error}.") from None
    return [each for text in texts for each in _of_elements(text)]


def _of_elements(text: str) -> list[dict[str, Any]]:
    """The records in elements of XML."""
    found = _ELEMENT.findall(text) if NAMESPACE in text else []
    return [each for _, words in found for each in _read(html.unescape(words))]


class _Scripts(HTMLParser):
    """The data of scripts with our id."""

    def __init__(self) -> None:
        super().__init__()
        self.is_ours = False
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_ours = tag == "script" and ("id", SCRIPT) in attrs

    def handle_data(self, data: str) -> None:
        if self.is_ours:
            self.texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.is_ours = False


def _of_page(text: str) -> list[dict[str, Any]]:
    scripts = _Scripts()
    scripts.feed(text)
    return [each for found in scripts.texts for each in _read(found)]


def _of_json(document: object) -> list[dict[str, Any]]:
    """Those of a notebook, of a chart's specification, or the records themselves."""
    if not isinstance(document, dict):
        return [each for each in _listed(document) if "format" in each]
    known = cast("dict[str, Any]", document)
    if isinstance(known.get("cells"), list):
        return [each for output in _outputs(known) for each in of_output(output)]
    return _of_chart(known) or ([known] if "format" in known else [])


def _of_chart(spec: object) -> list[dict[str, Any]]:
    """Those of a specification of Vega-Lite."""
    return _listed(_mapping(_mapping(spec).get("usermeta")).get(KEY))


def _outputs(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in _listed(notebook["cells"]):
        yield from _listed(cell.get("outputs", []))


def of_output(output: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of an output of a notebook, as JSON: those of its metadata, else of its image."""
    metadata, data = (_mapping(output.get(name)) for name in ("metadata", "data"))
    if told := _listed(metadata.get(KEY)):
        return told
    for name in _IMAGES:
        lines = data.get(name) or ""
        text = "".join(map(str, cast("list[Any]", lines) if isinstance(lines, list) else [lines]))
        try:
            image = base64.b64decode(text) if name == "image/png" else text.encode()
            if found := _found(image) if text else []:
                return found
        except ValueError:  # neither Base64 nor a whole image
            continue
    return [each for form in data.values() for each in _of_chart(form)]


def _mapping(found: object) -> dict[str, Any]:
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
