"""Columns of a source file, held small: codes into the values found, not the values themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["MISSING", "CodedColumn", "ColumnCoder", "Progress", "Table"]

MISSING = -1
"""The code of an empty cell."""


class Progress:
    """Who is told how far reading has come; this one tells nobody."""

    def start(self, description: str, octets: int) -> None:
        """A file of that many bytes is begun."""

    def at(self, octets: int) -> None:
        """So many bytes of it are read."""

    def done(self) -> None:
        """The file is read."""


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column: `codes` int[rows] into `values`, `MISSING` for an empty cell.

    Values are canonical text (see `codebook.canonical_value`), each once.
    """

    codes: npt.NDArray[np.signedinteger[Any]]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a file that the codebook names; those that it lacks are left out."""

    path: Path
    rows: int
    header: tuple[str, ...]
    columns: Mapping[str, CodedColumn]

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return self.path.name


class ColumnCoder:
    """Builds a coded column from pieces of a file."""

    def __init__(self) -> None:
        self._values: dict[str, int] = {}
        self._pieces: list[npt.NDArray[np.signedinteger[Any]]] = []

    def add(self, codes: npt.NDArray[Any], values: Iterable[str | None]) -> None:
        """A piece: codes into its own values, of which None and "" are empty cells."""
        known = self._values
        own = [MISSING if not value else known.setdefault(value, len(known)) for value in values]
        # One more place at the end: -1 in a piece is an empty cell too.
        codes = np.array([*own, MISSING], np.int32)[codes]
        small = np.int16 if len(known) < np.iinfo(np.int16).max else np.int32
        self._pieces.append(codes.astype(small))

    def finish(self) -> CodedColumn:
        """The whole column."""
        codes = np.concatenate(self._pieces) if self._pieces else np.zeros(0, np.int16)
        self._pieces.clear()
        return CodedColumn(codes, tuple(self._values))
