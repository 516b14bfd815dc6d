"""Multiple-response sets in an SPSS file; pyreadstat reads them and cannot write them.

A set is a line in an extension record of the file's dictionary, which is put where the dictionary
ends. The layout is that of PSPP's description of the format.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

_HEADER = 176
_VARIABLE, _LABELS, _LABELLED, _DOCUMENT, _EXTENSION, _END = 2, 3, 4, 6, 7, 999
_SETS = 7
"""The subtype of the extension record that holds the sets."""


def categories(name: str, label: str, columns: Sequence[str]) -> str:
    """A set whose columns hold one of the chosen values each."""
    return f"${name}=C {_counted(label)} {' '.join(columns)}"


def dichotomies(name: str, label: str, counted: str, columns: Sequence[str]) -> str:
    """A set whose columns each say of one answer whether it was given."""
    return f"${name}=D{_counted(counted)} {_counted(label)} {' '.join(columns)}"


def declare_sets(path: Path, *sets: str) -> None:
    """Add sets to a .sav file that pyreadstat wrote; a .zsav holds places that would be wrong."""
    octets = path.read_bytes()
    end = _dictionary_end(octets)
    text = "".join(f"{each}\n" for each in sets).encode()
    record = struct.pack("<iiii", _EXTENSION, _SETS, 1, len(text)) + text
    path.write_bytes(octets[:end] + record + octets[end:])


def _counted(text: str) -> str:
    return f"{len(text.encode())} {text}"


def _dictionary_end(octets: bytes) -> int:
    """Where the record stands that ends the dictionary."""
    at = _HEADER
    while (kind := _number(octets, at)) != _END:
        at = _AFTER[kind](octets, at + 4)
    return at


def _after_variable(octets: bytes, at: int) -> int:
    _, is_labelled, missing = struct.unpack_from("<iii", octets, at)
    at += 28
    if is_labelled:
        at += 4 + _padded(_number(octets, at), 4)
    return at + 8 * abs(missing)


def _after_labels(octets: bytes, at: int) -> int:
    count = _number(octets, at)
    at += 4
    for _ in range(count):
        at += 8 + _padded(1 + octets[at + 8], 8)
    return at


def _after_numbers(octets: bytes, at: int) -> int:
    return at + 4 + 4 * _number(octets, at)


def _after_lines(octets: bytes, at: int) -> int:
    return at + 4 + 80 * _number(octets, at)


def _after_extension(octets: bytes, at: int) -> int:
    _, size, count = struct.unpack_from("<iii", octets, at)
    return at + 12 + size * count


_AFTER = {
    _VARIABLE: _after_variable,
    _LABELS: _after_labels,
    _LABELLED: _after_numbers,
    _DOCUMENT: _after_lines,
    _EXTENSION: _after_extension,
}


def _number(octets: bytes, at: int) -> int:
    return struct.unpack_from("<i", octets, at)[0]


def _padded(size: int, to: int) -> int:
    return -(-size // to) * to
