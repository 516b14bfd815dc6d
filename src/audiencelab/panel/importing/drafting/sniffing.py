"""How a CSV file is written, found out from its first line and its bytes."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

from audiencelab.panel.importing.codebook import Source

__all__ = ["sniffed"]

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_DELIMITERS = (",", ";", "\t", "|")
_FALLBACK = "windows-1252"
_BLOCK = 1 << 20


def sniffed(paths: Sequence[Path]) -> Source:
    """Encoding and delimiter of the first CSV file; other files need neither."""
    path = next((each for each in paths if each.name.lower().endswith(_SUFFIXES)), None)
    if path is None or not path.is_file():
        return Source()
    try:
        encoding = _encoding(path)
        with _opened(path) as file:
            header = file.readline().decode(encoding)
    except (OSError, EOFError, UnicodeDecodeError):
        return Source()  # a damaged file is for the reader to tell
    delimiter = max(_DELIMITERS, key=header.count)
    usual = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    is_usual = delimiter == usual or header.count(delimiter) == header.count(usual)
    return Source(encoding, None if is_usual else delimiter)


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _encoding(path: Path) -> str:
    """UTF-8 if all of the file is, else what most other files are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _opened(path) as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return _FALLBACK if _decodes(path) else "latin-1"
    return Source().encoding


def _decodes(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder(_FALLBACK)()
    with _opened(path) as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
        except UnicodeDecodeError:
            return False
    return True
