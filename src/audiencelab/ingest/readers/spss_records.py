"""The records of an SPSS dictionary that say which columns have which labels, and the weight.

The library that reads these files ends the process where labels of a text column are for values
that are no text, as in a file that was damaged. Here such labels are found beforehand. All else
that may be wrong with a file is left to the library, which refuses it.
"""

from __future__ import annotations

import codecs
from io import SEEK_CUR
from pathlib import Path
from typing import BinaryIO, Literal

__all__ = ["declared_weight", "labels_of_no_text"]

_HEADER, _LAYOUT, _WEIGHT = 176, slice(64, 68), slice(76, 80)
"""Bytes of a file's header; where in it numbers give the order of bytes, and the weight's place."""

_VARIABLE, _LABELS, _COLUMNS, _DOCUMENT, _MORE, _END = 2, 3, 4, 6, 7, 999
_MACHINE, _LONG_NAMES = 3, 13
"""Which of the records of `_MORE` name the encoding, and the columns in full."""

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
    dictionary = _read(path)
    if dictionary is None or dictionary.encoding is None:
        return None
    named = encoding or _named(dictionary.encoding)
    for name, values in dictionary.labelled:
        if not all(_is_text(value, named) for value in values):
            return name
    return None


def declared_weight(path: Path, encoding: str | None) -> str:
    """The name of the column that the file weighs by; "" where it weighs by none."""
    dictionary = _read(path)
    if dictionary is None or dictionary.weight is None:
        return ""
    named = encoding or _named(dictionary.encoding or 0)
    for each in dictionary.long_names.split(b"\t"):
        short, _, name = each.partition(b"=")
        if short.decode("ascii", "replace").upper() == dictionary.weight.upper():
            try:
                return name.rstrip(b"\0").decode(named)
            except (LookupError, UnicodeError):
                return name.rstrip(b"\0").decode("utf-8", "replace")
    return dictionary.weight


def _read(path: Path) -> _Dictionary | None:
    with path.open("rb") as file:
        dictionary = _Dictionary(file, path.stat().st_size)
        try:
            dictionary.read()
        except EOFError:
            return None
    return dictionary


def _named(encoding: int) -> str:
    return _ENCODINGS.get(encoding, f"cp{encoding}")


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
    """labelled: the text columns that have labels, and the values of those, of 8 bytes each.

    weight: the short name of the column of numbers that the file weighs by. long_names: the names
    in full, as SHORT=name with tabs between them.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.labelled: list[tuple[str, list[bytes]]] = []
        self.encoding: int | None = None
        self.weight: str | None = None
        self.long_names = b""
        self._weight_place = 0
        self._file, self._left = file, size
        self._order: Literal["little", "big"] = "little"
        self._columns: dict[int, str | None] = {}  # By place: the name of a text, None of a number.
        self._places = 0

    def read(self) -> None:
        """Raises `EOFError` where the file ends early, or has a record that is not known."""
        start = self._bytes(_HEADER)
        if int.from_bytes(start[_LAYOUT], "little") not in (2, 3):
            self._order = "big"
        self._weight_place = int.from_bytes(start[_WEIGHT], self._order)
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
                elif subtype == _LONG_NAMES:
                    self.long_names = self._bytes(size * count)
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
            if self._places == self._weight_place and width == 0:
                self.weight = name

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
