"""Codes of columns put away in files while an import is at work, and taken out column by column.

So an import holds one question's columns in memory at a time, whatever the size of its sources,
and several processes can read and take. Each process that puts has a file of its own; whoever
knows a column can take it, in any process. The folder is the caller's, and goes with the import.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.tables import CodedColumn, Codes
from audiencelab.survey.layout import writes

__all__ = ["Place", "Shelf", "ShelvedColumn"]


class Place(NamedTuple):
    """Where the codes of some rows stand: their type, the first byte, and how many."""

    dtype: str
    first: int
    rows: int


@dataclass(frozen=True, slots=True)
class ShelvedColumn:
    """A column whose codes are on a shelf; used as a `CodedColumn` is."""

    path: Path
    places: tuple[Place, ...]
    values: tuple[str, ...]
    missing: frozenset[str] = frozenset()
    not_asked: frozenset[str] = frozenset()

    @property
    def codes(self) -> Codes:
        """The codes of all rows, read anew each time."""
        with self.path.open("rb") as file:
            pieces = [
                np.fromfile(file, place.dtype, place.rows, offset=place.first - file.tell())
                for place in self.places
            ]
        return _joined(pieces)

    def take(self, rows: npt.NDArray[np.intp]) -> CodedColumn:
        """The column of some rows, which ascend; only the pages with those are read."""
        if len(rows) == sum(place.rows for place in self.places):
            return CodedColumn(self.codes, self.values, self.missing, self.not_asked)
        # Mapped for this one time, so that what was read does not stay with the process.
        with self.path.open("rb") as file:
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
        pieces: list[Codes] = []
        first = 0
        for place in self.places:
            low, high = np.searchsorted(rows, [first, first + place.rows])
            codes = np.frombuffer(mapped, place.dtype, place.rows, place.first)
            pieces.append(codes[rows[low:high] - first])
            first += place.rows
        return CodedColumn(_joined(pieces), self.values, self.missing, self.not_asked)


class Shelf:
    """Puts codes away, into a file of this process in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{os.getpid()}.codes"
        self._file = self.path.open("ab")

    def __enter__(self) -> Shelf:
        return self

    def __exit__(self, *_: object) -> None:
        with writes(self.path.parent):
            self._file.close()

    def put(self, codes: Codes) -> Place:
        """Put codes away; where they stand."""
        with writes(self.path.parent):
            # A map of any width begins at a multiple of it.
            self._file.write(bytes(-self._file.tell() % 8))
            first = self._file.tell()
            codes.tofile(self._file)
        return Place(codes.dtype.str, first, len(codes))


def _joined(pieces: list[Codes]) -> Codes:
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int8)
