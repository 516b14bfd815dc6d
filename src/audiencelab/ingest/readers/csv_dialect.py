"""How a CSV file is written: encoding, delimiter and decimal sign."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, cast

from audiencelab.ingest.codebook import Source

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".tab")
_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[-+]?\d+(,\d+)?")
_FALLBACK = "windows-1252"
UNREADABLE = (OSError, EOFError, zlib.error)
"""What reading a damaged or missing file raises."""

_BLOCK = 1 << 20
_DECLARED = re.compile(rb'(?i)(?:\xef\xbb\xbf)?"?sep=([\x01-\x7f])"?\r?\n')
"""A first line such as `sep=;`, from which Excel takes the delimiter."""

_LONGEST_DECLARED = 16


@contextmanager
def open_bytes(path: Path, opened: IO[bytes] | None = None) -> Generator[IO[bytes]]:
    """The text of a file as bytes, unpacked if its name ends in .gz; without a line `sep=;`.

    opened: the file itself, if the caller wants to know how much of it has been read.
    """
    with _unpacked(path, opened) as stream:
        found = _DECLARED.match(stream.read(_LONGEST_DECLARED))
        stream.seek(found.end() if found else 0)
        yield stream


@contextmanager
def _unpacked(path: Path, opened: IO[bytes] | None = None) -> Generator[IO[bytes]]:
    with nullcontext(opened) if opened is not None else path.open("rb") as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        with gzip.open(file, "rb") as unpacked:
            yield cast(IO[bytes], unpacked)


def _declared_delimiter(path: Path) -> str | None:
    """The delimiter that a first line `sep=;` names."""
    with suppress(*UNREADABLE), _unpacked(path) as stream:
        found = _DECLARED.match(stream.read(_LONGEST_DECLARED))
        return found[1].decode() if found else None
    return None


def usual_delimiter(path: Path) -> str:
    """The delimiter that a file declares, or has by its name, where nothing else is known."""
    if declared := _declared_delimiter(path):
        return declared
    return "\t" if path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ","


def sniffed(paths: Sequence[Path]) -> Source:
    """Encoding, delimiter and decimal sign of the first CSV file; other files need none of them."""
    path = next((each for each in paths if each.name.lower().endswith(_SUFFIXES)), None)
    if path is None or not path.is_file():
        return Source()
    try:
        encoding = encoding_of(path)
        with open_bytes(path) as file:
            # The last line may be cut short.
            decoder = codecs.getincrementaldecoder(encoding or "utf-8")()
            lines = decoder.decode(file.read(_BLOCK)).splitlines()
    except (*UNREADABLE, UnicodeDecodeError):
        return Source()  # the reader reports a damaged file
    header = lines[0] if lines else ""
    usual = usual_delimiter(path)
    delimiter = _declared_delimiter(path) or max(_DELIMITERS, key=header.count)
    is_usual = header.count(delimiter) == header.count(usual)
    decimal = "," if delimiter != "," and _has_decimal_commas(lines, delimiter) else "."
    return Source(encoding, None if is_usual else delimiter, decimal)


def _has_decimal_commas(lines: Sequence[str], delimiter: str) -> bool:
    """Whether some column holds nothing but numbers, with commas in them."""
    try:
        # Without the last line, which may be cut short in the middle of a number.
        rows = [row for row in csv.reader(lines[1:-1] or lines[1:], delimiter=delimiter) if row]
    except csv.Error:
        return False
    for column in zip(*rows, strict=False):
        cells = [cell.strip() for cell in column if cell.strip()]
        if any("," in cell for cell in cells) and all(map(_NUMBER.fullmatch, cells)):
            return True
    return False


def encoding_of(path: Path) -> str | None:
    """None if all of it is UTF-8, UTF-16 if it begins so, else what most other files are."""
    with open_bytes(path) as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
    if _decodes(path, "utf-8"):
        return None
    # windows-1252 has five bytes without a character; latin-1 decodes every byte.
    return _FALLBACK if _decodes(path, _FALLBACK) else "latin-1"


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_bytes(path) as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True
