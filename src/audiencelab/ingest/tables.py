"""Columns of a source, held small: codes into the values found, not the values themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.absence import says_not_asked
from audiencelab.ingest.codebook import number_of

__all__ = [
    "MISSING",
    "CodedColumn",
    "Codes",
    "Column",
    "ColumnCoder",
    "Piece",
    "Progress",
    "ResponseSet",
    "Table",
    "Variable",
]

MISSING = -1
"""The code of an empty cell."""

Codes = npt.NDArray[np.signedinteger[Any]]

_WIDTHS = (np.int8, np.int16, np.int32)


class Progress:
    """Who is told how far reading has come; this one tells nobody."""

    def start(self, description: str, octets: int) -> None:
        """A file of that many bytes is begun."""

    def at(self, octets: int) -> None:
        """So many bytes of it are read."""

    def done(self) -> None:
        """The file is read."""


class Piece(NamedTuple):
    """The next rows of one column: codes into `values`, -1 (or a value None or "") for no value."""

    column: str
    codes: npt.NDArray[Any]
    values: Iterable[str | None]


@dataclass(frozen=True, slots=True)
class Variable:
    """What a file says of one of its columns, as files of statistics programs do.

    labels: names of values, by canonical value. missing, missing_ranges: values, and ranges of
    numbers with both ends, that the file declares to be no answers.
    measure: "nominal", "ordinal" or "scale", where the file says so. is_date: its values are ISO.
    order: its categories in their order, where they have one.
    """

    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: frozenset[str] = frozenset()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    measure: str = ""
    is_date: bool = False
    order: tuple[str, ...] = ()

    def is_missing(self, value: str) -> bool:
        """Whether the file declares a canonical value to be no answer."""
        if value in self.missing:
            return True
        if not self.missing_ranges:
            return False
        number = number_of(value)
        return number is not None and any(
            low <= number <= high for low, high in self.missing_ranges
        )

    def is_not_asked(self, value: str) -> bool:
        """Whether it is missing because the respondent was not asked, by its label."""
        return self.is_missing(value) and says_not_asked(self.labels.get(value, ""))


@dataclass(frozen=True, slots=True)
class ResponseSet:
    """A multiple-response set that a file declares over some of its columns.

    counted: the value that means "selected" in all of them; None where each column holds one of
    the chosen values (a set of categories).
    """

    name: str
    label: str
    columns: tuple[str, ...]
    counted: str | None


class Column(Protocol):
    """A column: `codes` int[rows] into `values`, `MISSING` for an empty cell.

    Values are canonical text (see `codebook.canonical_value`), each once.
    missing: those of them that the file itself declares to be no answers; also "" where it
    declares that of empty cells. not_asked: those of the missing ones that mean "not asked".
    """

    @property
    def codes(self) -> Codes: ...

    @property
    def values(self) -> tuple[str, ...]: ...

    @property
    def missing(self) -> frozenset[str]: ...

    @property
    def not_asked(self) -> frozenset[str]: ...

    def take(self, rows: npt.NDArray[np.intp]) -> CodedColumn:
        """The column of some rows, which ascend."""
        ...


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column in memory."""

    codes: Codes
    values: tuple[str, ...]
    missing: frozenset[str] = frozenset()
    not_asked: frozenset[str] = frozenset()

    def take(self, rows: npt.NDArray[np.intp]) -> CodedColumn:
        """The column of some rows."""
        return CodedColumn(self.codes[rows], self.values, self.missing, self.not_asked)


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a source that the codebook names; those that it lacks are left out.

    place: the source in messages, a path mostly; name: the same in short.
    dated: the day it was last changed. sha256: of the file; "" for a frame. variables: what it
    says of its columns.
    """

    place: str
    name: str
    rows: int
    header: tuple[str, ...]
    columns: Mapping[str, Column]
    dated: date
    sha256: str = ""
    variables: Mapping[str, Variable] = field(default_factory=dict[str, Variable])

    def with_checksum(self, sha256: str) -> Table:
        """The same table, with its file's checksum."""
        return replace(self, sha256=sha256)


class ColumnCoder:
    """Builds a coded column from pieces of a file."""

    def __init__(self, variable: Variable | None = None) -> None:
        self._variable = variable or Variable()
        self._values: dict[str, int] = {}
        self._pieces: list[Codes] = []

    def add(self, codes: npt.NDArray[Any], values: Iterable[str | None]) -> None:
        """A piece: codes into its own values, of which None and "" are empty cells."""
        known = self._values
        own = [MISSING if not value else known.setdefault(value, len(known)) for value in values]
        small = next(width for width in _WIDTHS if len(known) <= np.iinfo(width).max)
        # One more place at the end: -1 in a piece is an empty cell too.
        self._pieces.append(np.array([*own, MISSING], small)[codes])

    @property
    def rows(self) -> int:
        """How many rows are held, those left out that were let go."""
        return sum(map(len, self._pieces))

    def let_go(self) -> Codes:
        """The codes that are held; from now on they are the caller's."""
        codes = np.concatenate(self._pieces) if self._pieces else np.zeros(0, np.int8)
        self._pieces.clear()
        return codes

    def finish(self) -> CodedColumn:
        """The column, with the codes that are held."""
        missing = frozenset(filter(self._variable.is_missing, ["", *self._values]))
        not_asked = frozenset(filter(self._variable.is_not_asked, missing))
        return CodedColumn(self.let_go(), tuple(self._values), missing, not_asked)
