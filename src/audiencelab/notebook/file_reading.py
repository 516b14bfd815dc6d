"""Reads files that cells write: workbooks, slides, tables as text, pages, images."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from html import unescape
from pathlib import PurePath

from audiencelab.notebook.html_reading import Table
from audiencelab.notebook.image_reading import checksum, read_image
from audiencelab.notebook.readings import Reading, read_form
from audiencelab.render.excel.workbook import SOURCE

_FORMS = {
    ".html": "text/html",
    ".htm": "text/html",
    ".md": "text/markdown",
    ".tex": "text/latex",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_OFFICE = {".xlsx", ".pptx", ".docx"}
_IMAGES = {".png", ".jpg", ".jpeg", ".gif"}

READ = frozenset({*_FORMS, *_SEPARATORS, *_OFFICE, *_IMAGES, ".pdf", ".json"})
"""Endings of files that are compared."""

_LARGEST = 50_000_000
"""Bytes of a part of a file that are read at most, unpacked."""


def read_file(path: PurePath, content: bytes) -> Reading:
    """A file by its ending, named as readers know it."""
    found = _read(path.suffix.casefold(), content)
    found.name = f"file {path.name}"
    return found


def _read(ending: str, content: bytes) -> Reading:
    try:
        if ending in _OFFICE:
            return _read_office(content)
        if ending in _IMAGES:
            image = read_image(content)
            return Reading("", fields=image.fields, image=image)
        if ending in _SEPARATORS:
            return _read_table(content.decode("utf-8-sig"), _SEPARATORS[ending])
        if ending in _FORMS:
            return read_form(_FORMS[ending], content.decode("utf-8-sig"))
        if ending == ".json":
            return read_form("application/json", json.loads(content))
        if ending == ".pdf":
            return Reading("", fields={"content": checksum(_DATES.sub(b"", content))})
    except (ValueError, KeyError, zipfile.BadZipFile, zlib.error, csv.Error):
        pass  # not what its ending says
    return Reading("", fields={"content": checksum(content)})


_DATES = re.compile(rb"/(?:CreationDate|ModDate)\s*\([^)]*\)|/ID\s*\[[^\]]*\]")


def _read_table(text: str, separator: str) -> Reading:
    """Lines of values; those of comments say what it is of."""
    lines = text.splitlines()
    begins = next((n for n, line in enumerate(lines) if not line.startswith("# ")), len(lines))
    rows = [*csv.reader(io.StringIO("\n".join(lines[begins:])), delimiter=separator)]
    return Reading("", tables=[rows], lines=lines[:begins])


# -- workbooks and slides: XML in an archive --

_CELL = re.compile(r'<c r="([A-Z]+\d+)"([^>]*?)(?:/>|>(.*?)</c>)', re.DOTALL)
_VALUE = re.compile(r"<(?:v|t)(?:\s[^>]*)?>([^<]*)</(?:v|t)>")
_SHARED = re.compile(r"<si>(.*?)</si>|<si/>", re.DOTALL)
_SHEET = re.compile(r'<sheet [^>]*?name="([^"]*)"')
_PARAGRAPH = re.compile(r"<(?:a|w):p\b.*?</(?:a|w):p>", re.DOTALL)
_RUN = re.compile(r"<(?:a|w):t(?:\s[^>]*)?>([^<]*)</(?:a|w):t>")
_POINT = re.compile(r"<c:v>([^<]*)</c:v>")
_OF_THE_RUN = ("Survey version", "Snapshot", "audiencelab", "Counted at")
"""Rows of the sheet of sources that differ between runs."""

_ELEMENTS = re.compile(r"<[^>]+>")
_NUMBER = re.compile(r"\d+")

_NOT_CONTENT = ("docProps/", "customXml/", "_rels/", "[Content_Types]", "xl/sharedStrings")
"""Parts with dates, authors and records, and with what other parts name."""


def _read_office(content: bytes) -> Reading:
    found = Reading("")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {part.filename: part for part in archive.infolist()}
        texts = {
            name: archive.read(part).decode("utf-8", "replace")
            for name, part in parts.items()
            if name.endswith((".xml", ".rels")) and part.file_size <= _LARGEST
        }
        shared = _shared(texts.get("xl/sharedStrings.xml", ""))
        sheets = [unescape(name) for name in _SHEET.findall(texts.get("xl/workbook.xml", ""))]
        for name in sorted(parts, key=_in_order):
            if name.startswith(_NOT_CONTENT) or name.endswith(".rels"):
                continue
            if name not in texts:
                inner = read_file(PurePath(name), archive.read(name))
                found.fields |= {f"{name} {place}": text for place, text in inner.fields.items()}
            elif name.startswith("xl/worksheets/"):
                number = int(_NUMBER.findall(name)[-1]) - 1
                sheet = sheets[number] if number < len(sheets) else name
                cells = _cells(texts[name], shared)
                if sheet == SOURCE:
                    rows, found.of_run = _source_rows(cells)
                    found.tables.append(rows)
                else:
                    found.fields |= {f"{sheet} {at}": text for at, text in cells.items()}
            elif name.startswith(("ppt/", "word/", "xl/")):
                found.lines += _words(name, texts[name])
            found.looks += [f"{name}: {each}" for each in _ELEMENTS.findall(texts.get(name, ""))]
    return found


def _in_order(name: str) -> tuple[str, list[int]]:
    """Slide 2 before slide 10."""
    return _NUMBER.sub("", name), [int(each) for each in _NUMBER.findall(name)]


def _shared(text: str) -> list[str]:
    return ["".join(_VALUE.findall(item)) for item in _SHARED.findall(text)]


def _cells(text: str, shared: list[str]) -> dict[str, str]:
    """The values of a sheet by their cells."""
    found: dict[str, str] = {}
    for at, attributes, inside in _CELL.findall(text):
        value = "".join(_VALUE.findall(inside))
        if 't="s"' in attributes and value.isdigit() and int(value) < len(shared):
            value = shared[int(value)]
        if value:
            found[at] = unescape(value)
    return found


def _source_rows(cells: dict[str, str]) -> tuple[Table, dict[str, str]]:
    """The rows of a sheet that says where figures come from, and those that differ by nature."""
    rows: dict[str, list[str]] = {}
    for at, value in cells.items():
        rows.setdefault(_NUMBER.findall(at)[0], []).append(value)
    of_run = {row[0]: " ".join(row[1:]) for row in rows.values() if row[0] in _OF_THE_RUN}
    return [row for row in rows.values() if row[0] not in of_run], of_run


def _words(name: str, text: str) -> Iterator[str]:
    """The paragraphs of a slide or document, and the points of a chart."""
    part = f"{PurePath(name).stem} · "
    for paragraph in _PARAGRAPH.findall(text):
        if words := "".join(_RUN.findall(paragraph)).strip():
            yield part + unescape(words)
    for point in _POINT.findall(text):
        yield part + unescape(point)
