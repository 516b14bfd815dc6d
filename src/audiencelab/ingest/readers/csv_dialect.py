"""How a CSV file is written: encoding, delimiter, decimal sign and header rows."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, NamedTuple, cast

from audiencelab.ingest.codebook import Source, number_of

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_DELIMITERS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[-+]?\d+(,\d+)?")
_FALLBACK = "windows-1252"
_BLOCK = 1 << 20

READ_AHEAD = 3
"""Rows with cells in them that may be header rows."""

_IMPORT_ID = re.compile(r"""\{\s*["']ImportId["']\s*:""")
_ANY_ANSWER = {"response", "open-ended response"}


@contextmanager
def open_bytes(path: Path, opened: IO[bytes] | None = None) -> Generator[IO[bytes]]:
    """The text of a file as bytes, unpacked if its name ends in .gz.

    opened: the file itself, if the caller wants to know how much of it has been read.
    """
    with nullcontext(opened) if opened is not None else path.open("rb") as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        with gzip.open(file, "rb") as unpacked:
            yield cast(IO[bytes], unpacked)


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
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return Source()  # the reader reports a damaged file
    header = lines[0] if lines else ""
    delimiter = max(_DELIMITERS, key=header.count)
    usual = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    is_usual = header.count(delimiter) == header.count(usual)
    decimal = "," if delimiter != "," and _has_decimal_commas(lines, delimiter) else "."
    return Source(encoding, None if is_usual else delimiter, decimal)


def _has_decimal_commas(lines: Sequence[str], delimiter: str) -> bool:
    """Whether some column holds nothing but numbers, with commas in them."""
    try:
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


# ---- header rows ----


class Heading(NamedTuple):
    """What the header rows say. names: of the columns; labels: of some of them.

    rows: how many header rows there are. reason: why there are several.
    """

    names: tuple[str, ...]
    labels: Mapping[str, str]
    rows: int = 1
    reason: str = ""


def heading_of(first: Sequence[Sequence[str]]) -> Heading:
    """The heading of a file that begins with some rows."""
    names = tuple(first[0])
    for place, row in enumerate(first[1:READ_AHEAD], start=1):
        if is_import_id(row):
            texts = [] if place == 1 else [" ".join(text.split()) for text in first[1]]
            labels = dict(zip(names, texts, strict=False))
            rows = place + 1
            reason = f"{rows} header rows of Qualtrics: names, question texts, import ids"
            return Heading(names, labels, rows, reason)
    if len(first) > 1 and _is_second_row(first[0], first[1]):
        reason = "2 header rows of SurveyMonkey: questions, answers"
        return Heading(_joint_names(first[0], first[1]), {}, 2, reason)
    return Heading(names, {})


def is_import_id(row: Iterable[object]) -> bool:
    """Whether all texts of a row are the JSON objects in which Qualtrics puts its ids."""
    texts = [cell.strip() for cell in row if isinstance(cell, str) and cell.strip()]
    return bool(texts) and all(map(_IMPORT_ID.match, texts))


def _is_second_row(names: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row names answers: those of columns without a name, and of no respondent."""
    if len(row) != len(names) or not names[0].strip() or row[0].strip():
        return False
    cells = [cell.strip() for cell in row if cell.strip()]
    if not cells or any(number_of(cell) is not None for cell in cells):
        return False
    nameless = [cell for name, cell in zip(names, row, strict=True) if not name.strip()]
    if nameless:
        return all(cell.strip() for cell in nameless)
    return all(cell.lower() in _ANY_ANSWER for cell in cells)


def _joint_names(names: Sequence[str], answers: Sequence[str]) -> tuple[str, ...]:
    """Names of question and answer, each once; a question goes on over columns without a name."""
    joint: list[str] = []
    times: Counter[str] = Counter()
    question = ""
    for name, answer in zip(names, answers, strict=True):
        question = " ".join(name.split()) or question
        own = " ".join(answer.split())
        full = question if not own or own.lower() in _ANY_ANSWER else f"{question} - {own}"
        times[full] += 1
        joint.append(full if times[full] == 1 else f"{full} ({times[full]})")
    return tuple(joint)
