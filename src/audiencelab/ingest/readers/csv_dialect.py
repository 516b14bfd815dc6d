"""How a CSV file is written: encoding, delimiter and decimal sign."""

from __future__ import annotations

import codecs
import csv
import re
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers.encodings import Encoding, encoding_of_files
from audiencelab.ingest.readers.packed import BoundedGzip

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".tab")
_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[-+]?(\d+|[1-9]\d{0,2}([. '’\u00a0\u2009\u202f]\d{3})+)(,\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_POINTS = re.compile(r"[-+]?(0|\d+\.(\d{1,2}|\d{4,}|0\d*)|0\.\d+)")
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
        with BoundedGzip(file, path) as unpacked:
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


class Dialect(NamedTuple):
    """How CSV files are read, and how their encoding was found."""

    options: Source
    encoding: Encoding


def dialect_of(paths: Sequence[Path], encoding: str | None = None) -> Dialect:
    """Encoding, delimiter and decimal sign of CSV files; other files need none of them.

    encoding: the one that the caller names. Delimiter and decimal sign are those of the first file.
    Raises `SurveyError` for files in several encodings.
    """
    files = [each for each in paths if each.name.lower().endswith(_SUFFIXES) and each.is_file()]
    if not files:
        return Dialect(Source(encoding), Encoding())
    path = files[0]
    try:
        found = Encoding(encoding) if encoding else encoding_of_files(files, open_bytes)
        with open_bytes(path) as file:
            # The last line may be cut short.
            decoder = codecs.getincrementaldecoder(found.name or "utf-8")()
            lines = decoder.decode(file.read(_BLOCK)).splitlines()
    except (*UNREADABLE, UnicodeDecodeError, LookupError):
        return Dialect(Source(encoding), Encoding())  # the reader reports a damaged file
    header = lines[0] if lines else ""
    usual = usual_delimiter(path)
    delimiter = _declared_delimiter(path) or max(_DELIMITERS, key=header.count)
    is_usual = header.count(delimiter) == header.count(usual)
    decimal = "," if delimiter != "," and _has_decimal_commas(lines, delimiter) else "."
    return Dialect(Source(found.name or None, None if is_usual else delimiter, decimal), found)


def _has_decimal_commas(lines: Sequence[str], delimiter: str) -> bool:
    """Whether some column holds nothing but numbers, with decimal commas in them.

    A comma before three digits may also be a thousands sign, which it is where other columns have
    decimal points, or where tabs are between the columns.
    """
    try:
        # Without the last line, which may be cut short in the middle of a number.
        rows = [row for row in csv.reader(lines[1:-1] or lines[1:], delimiter=delimiter) if row]
    except csv.Error:
        return False
    may_be, has_points = False, delimiter == "\t"
    for column in zip(*rows, strict=False):
        cells = [cell.strip() for cell in column if cell.strip()]
        if any("," in cell for cell in cells) and all(map(_NUMBER.fullmatch, cells)):
            if not all(map(_THOUSANDS.fullmatch, (cell for cell in cells if "," in cell))):
                return True
            may_be = True
        has_points = has_points or (bool(cells) and all(map(_POINTS.fullmatch, cells)))
    return may_be and not has_points


def encoding_of(path: Path) -> str | None:
    """None if all of it is UTF-8, else what its bytes or its letters say."""
    return encoding_of_files([path], open_bytes).name or None
