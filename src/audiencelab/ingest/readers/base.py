"""What all sources have in common: a header, metadata of columns, and values in pieces."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import numpy as np

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.columns import (
    Column,
    ColumnBuilder,
    Piece,
    Progress,
    ResponseSet,
    Variable,
)
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.survey.errors import listed

_NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"


class SurveyFile(ABC):
    """An opened source.

    origin: the source in messages, mostly its path; name: the same in short.
    header: its columns in order.
    rows: how many it has; known after `pieces` at the latest.
    variables, sets, title: metadata of its columns and of the file; empty for plain formats.
    study: what it says of its study, by `STUDY_FIELDS`.
    declared_weight: the column that an SPSS file is weighted by; "" for none.
    other_weights: columns that the file declares as weights where it declares several.
    heading: a note on its header, if that has more than one row.
    notes: what the report of an import says of it.
    guesses: what was taken for granted when it was opened or read.
    partitions: the columns that its folders name, with their values. They end the header.
    """

    variables: Mapping[str, Variable] = {}
    sets: tuple[ResponseSet, ...] = ()
    title: str = ""
    study: Mapping[str, str] = {}
    declared_weight: str = ""
    other_weights: tuple[str, ...] = ()
    heading: str = ""
    notes: tuple[str, ...] = ()
    guesses: tuple[Guess, ...] = ()
    partitions: Mapping[str, str] = {}

    def __init__(self, path: Path) -> None:
        self.path = path
        self.origin = str(path)
        self.name = path.name
        self.header: tuple[str, ...] = ()
        self.rows = 0

    @property
    def octets(self) -> int:
        """Its size in bytes, for progress reports."""
        return self.path.stat().st_size

    def checksum(self) -> str:
        """The SHA-256 of the file; "" for a source that is not a file."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @abstractmethod
    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        """The values of some of the header's columns; the pieces of one column are in row order.

        Raises `SourceError` for a file that is damaged or cannot be understood.
        """

    def present(self, columns: Sequence[str]) -> list[str]:
        """The wanted columns that the file has, in its own order."""
        wanted = set(columns)
        return [name for name in self.header if name in wanted]

    def name_columns(self, names: Sequence[str]) -> None:
        """Make names the header, each once, and note which columns have one name.

        In Unicode's form NFC, so that two files write one name alike.
        """
        names = composed([*names])
        self.header = distinct_names(names)
        self.notes = tuple(
            f"{times} columns are named {name!r}; they are read as "
            + listed([new for old, new in zip(names, self.header, strict=True) if old == name])
            for name, times in Counter(filter(None, names)).items()
            if times > 1
        )


@dataclass(frozen=True)
class ReadColumns:
    """Columns of a source that were read; those that it lacks are left out."""

    source: SurveyFile
    rows: int
    columns: Mapping[str, Column]

    @property
    def origin(self) -> str:
        """The source in messages."""
        return self.source.origin

    @property
    def name(self) -> str:
        """The source in short."""
        return self.source.name

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Metadata of the source's columns."""
        return self.source.variables

    def only(self, columns: Iterable[str]) -> ReadColumns:
        """The table with no other columns than these."""
        wanted = set(columns)
        kept = {name: each for name, each in self.columns.items() if name in wanted}
        return ReadColumns(self.source, self.rows, kept)


def read_columns(
    source: SurveyFile, columns: Sequence[str], progress: Progress | None = None
) -> ReadColumns:
    """Read the named columns of an opened source, as far as it has them."""
    reported = progress or Progress()
    found = source.present(columns)
    builders = {name: ColumnBuilder(source.variables.get(name)) for name in found}
    reported.rows = source.rows
    reported.start(source.name, source.octets)
    own = [name for name in found if name not in source.partitions]
    for name, codes, values in source.pieces(own, reported):
        builders[name].add(codes, values)
    for name in builders.keys() & source.partitions.keys():
        value = canonical_value(source.partitions[name])
        # Last, since some formats know their number of rows only after reading.
        builders[name].add(np.zeros(source.rows, np.int8), [value])
    reported.done()
    return ReadColumns(
        source, source.rows, {name: each.finish() for name, each in builders.items()}
    )


def partition_columns(path: Path) -> dict[str, str]:
    """The columns that a file's folders name, as in `wave=2024q1/`, with their values; "" for none.

    Data lakes keep columns with one value a file like this.
    """
    named = [folder.partition("=") for folder in path.parts[:-1]]
    return {
        composed(unquote(name)): "" if value == _NO_PARTITION else unquote(value)
        for name, sign, value in named
        if name and sign
    }


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, each once: the second `Q1` is called `Q1 (2)`.

    >>> distinct_names(["Q1", "Q2", "Q1", "", ""])
    ('Q1', 'Q2', 'Q1 (2)', '', '(no name) (2)')
    """
    taken = {*names}
    found: list[str] = []
    used: set[str] = set()
    for name in names:
        own, number = name, 2
        # A later column may be called "Q1 (2)" in the file itself, and keeps that name.
        while own in used or (own != name and own in taken):
            own = f"{name or '(no name)'} ({number})"
            number += 1
        used.add(own)
        found.append(own)
    return tuple(found)


# ---- values ----


def widened(number: float | None) -> float | None:
    """A float32 as the decimal number that was stored: 1.1, not 1.100000023841858.

    Otherwise neither a codebook's 1.1 nor the end of a bin at 1.1 would match it. Whole numbers
    stay as they are.
    """
    if number is None or number.is_integer():
        return number
    # The shortest decimal number that is this float32.
    return float(str(np.float32(number)))


def nested_text(value: Any) -> str:
    """A list as text with a semicolon after each value; anything else as it prints.

    An empty list (";") differs from no list.
    """
    if not isinstance(value, list):
        return str(value)
    parts = (canonical_text(part) for part in cast(list[Any], value))
    return "".join(f"{part};" for part in parts if part) or ";"


def canonical_text(value: Any) -> str | None:
    """A cell's value as canonical text; None for an empty one. Durations are seconds."""
    if value is None or value != value:  # NaN is an empty cell
        return None
    if isinstance(value, (str, bool, int, float)):
        return canonical_value(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return canonical_value(bytes(cast(bytes, value)).decode("utf-8", "replace"))
    if isinstance(value, Decimal):
        # As a float of that value prints: 3 for 3.00, and 1.5 for 1.50.
        text = format(value, "f")
        return canonical_value(text.rstrip("0").rstrip(".") if "." in text else text)
    if isinstance(value, timedelta):
        return canonical_value(value.total_seconds())
    # Days are often stored as midnight.
    return str(value).removesuffix(" 00:00:00")
