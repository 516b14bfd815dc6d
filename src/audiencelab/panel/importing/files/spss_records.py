"""The records of an SPSS file's dictionary that say which columns have which labels.

The library that reads these files ends the process where labels of a text column are for values
that are no text, as in a file that was damaged. Here such labels are found beforehand. All else
that may be wrong with a file is left to the library, which refuses it.
"""

from __future__ import annotations

import codecs
from io import SEEK_CUR
from pathlib import Path
from typing import BinaryIO, Literal

__all__ = ["labels_of_no_text"]

_HEADER, _LAYOUT = 176, slice(64, 68)
"""Bytes of a file's header, and where in it a number tells the order of bytes."""

_VARIABLE, _LABELS, _COLUMNS, _DOCUMENT, _MORE, _END = 2, 3, 4, 6, 7, 999
_MACHINE = 3
"""Which of the records of `_MORE` names the encoding."""

_TEXT_FORMAT, _LINE, _SIGN = 1, 80, 1 << 31

_ENCODINGS = (
    {1: "cp037", 2: "cp1252", 3: "cp1252", 10000: "mac_roman", 20127: "ascii"}
    | {20866: "koi8_r", 21866: "koi8_u", 51932: "euc_jp", 51949: "euc_kr", 54936: "gb18030"}
    | {28590 + part: f"iso8859-{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15)}
)
"""Those of SPSS's numbers for encodings that Python knows by another name than `cp` and them."""


def labels_of_no_text(path: Path, encoding: str | None) -> str | None:
    """The short name of a text column with labels for values that are no text; None without any.

    encoding: of the file's text; None for the one that it names. "" is the name of a column that
    is labelled and not there. A dictionary that is not understood has no such column.
    """
    with path.open("rb") as file:
        dictionary = _Dictionary(file, path.stat().st_size)
        try:
            dictionary.read()
        except EOFError:
            return None
    if dictionary.encoding is None:
        return None
    named = _ENCODINGS.get(dictionary.encoding, f"cp{dictionary.encoding}")
    for name, values in dictionary.labelled:
        if not all(_is_text(value, encoding or named) for value in values):
            return name
    return None


def _is_text(value: bytes, encoding: str) -> bool:
    """Whether a value can be decoded; at its end half a letter may stand."""
    padded = value.rstrip(b" \0")
    try:
        codecs.getincrementaldecoder(encoding)().decode(padded)
    except UnicodeError:
        return False
    except LookupError:
        return b"\0" not in padded
    return True


class _Dictionary:
    """labelled: the text columns that have labels, and the values of those, of 8 bytes each."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.labelled: list[tuple[str, list[bytes]]] = []
        self.encoding: int | None = None
        self._file, self._left = file, size
        self._order: Literal["little", "big"] = "little"
        self._columns: dict[int, str | None] = {}  # By place: the name of a text, None of a number.
        self._places = 0

    def read(self) -> None:
        """Raises `EOFError` where the file ends early, or has a record that is not known."""
        start = self._bytes(_HEADER)
        if int.from_bytes(start[_LAYOUT], "little") not in (2, 3):
            self._order = "big"
        while (kind := self._number()) != _END:
            if kind == _VARIABLE:
                self._variable()
            elif kind == _LABELS:
                self._labels()
            elif kind == _DOCUMENT:
                self._skip(_LINE * self._number())
            elif kind == _MORE:
                subtype, size, count = self._numbers(3)
                if subtype == _MACHINE and self.encoding is None:
                    self.encoding = self._numbers(8)[-1]
                else:
                    self._skip(size * count)
            else:
                raise EOFError

    def _variable(self) -> None:
        width, has_label, missing, *formats = self._numbers(5)
        name = self._bytes(8).decode("ascii", "replace").strip()
        if has_label:
            self._skip((self._number() + 3) // 4 * 4)
        self._skip(8 * min(missing, 2 * _SIGN - missing))  # Below zero where some are a range.
        self._places += 1
        if width < _SIGN:  # Below zero it goes on with the text before.
            is_text = width > 0 or any(each >> 16 & 255 == _TEXT_FORMAT for each in formats)
            self._columns[self._places] = name if is_text else None

    def _labels(self) -> None:
        values: list[bytes] = []
        for _ in range(self._number()):
            values.append(self._bytes(8))
            self._skip((self._bytes(1)[0] + 8) // 8 * 8 - 1)
        if self._number() != _COLUMNS:
            raise EOFError
        places = self._numbers(self._number())
        # The library takes the values for what the last of the columns has; without any, for texts.
        known = [self._columns[place] for place in places if place in self._columns]
        name = known[-1] if known else ""
        if name is not None:
            self.labelled.append((name, values))

    def _number(self) -> int:
        return int.from_bytes(self._bytes(4), self._order)

    def _numbers(self, count: int) -> list[int]:
        return [self._number() for _ in range(count)]

    def _bytes(self, count: int) -> bytes:
        self._pass(count)
        return self._file.read(count)

    def _skip(self, count: int) -> None:
        self._pass(count)
        self._file.seek(count, SEEK_CUR)

    def _pass(self, count: int) -> None:
        """There cannot be more bytes than the file has left."""
        self._left -= count
        if self._left < 0:
            raise EOFError
