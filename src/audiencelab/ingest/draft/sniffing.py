"""How a CSV file is written, found out from its first line and its bytes."""

from __future__ import annotations

import codecs
import csv
import re
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers.bounds import plain_bytes

__all__ = ["sniffed"]

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[-+]?\d+(,\d+)?")
_FALLBACK = "windows-1252"
_BLOCK = 1 << 20


def sniffed(paths: Sequence[Path]) -> Source:
    """Encoding, delimiter and decimal sign of the first CSV file; other files need none of them."""
    path = next((each for each in paths if each.name.lower().endswith(_SUFFIXES)), None)
    if path is None or not path.is_file():
        return Source()
    try:
        encoding = _encoding(path)
        with _opened(path) as file:
            lines = _lines(file.read(_BLOCK), encoding)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return Source()  # a damaged file is for the reader to tell
    header = lines[0] if lines else ""
    delimiter = max(_DELIMITERS, key=header.count)
    usual = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    is_usual = delimiter == usual or header.count(delimiter) == header.count(usual)
    decimal = "," if delimiter != "," and _has_decimal_commas(lines, delimiter) else "."
    return Source(encoding, None if is_usual else delimiter, decimal)


def _lines(block: bytes, encoding: str | None) -> list[str]:
    """The lines of a file's beginning, the last of them perhaps cut short."""
    return codecs.getincrementaldecoder(encoding or "utf-8")().decode(block).splitlines()


def _has_decimal_commas(lines: Sequence[str], delimiter: str) -> bool:
    """Whether some column holds nothing but numbers, with commas in them."""
    try:
        rows = list(csv.reader(lines[1:-1] or lines[1:], delimiter=delimiter))
    except csv.Error:
        return False
    for column in zip(*(row for row in rows if row), strict=False):
        cells = [cell.strip() for cell in column if cell.strip()]
        if any("," in cell for cell in cells) and all(map(_NUMBER.fullmatch, cells)):
            return True
    return False


@contextmanager
def _opened(path: Path) -> Generator[IO[bytes]]:
    with path.open("rb") as file, plain_bytes(path, file) as stream:
        yield stream


def _encoding(path: Path) -> str | None:
    """None if all of it is UTF-8, UTF-16 if it says so, else what most other files are."""
    with _opened(path) as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _opened(path) as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return _FALLBACK if _decodes(path) else "latin-1"
    return None


def _decodes(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder(_FALLBACK)()
    with _opened(path) as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
        except UnicodeDecodeError:
            return False
    return True
