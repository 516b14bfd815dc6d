"""Columns of a source, factorized: integer codes into the values found."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from audiencelab.hidden_members import hide_members
from audiencelab.ingest.codebook import AskedCondition, number_of
from audiencelab.ingest.markup import composed, plain_text
from audiencelab.ingest.meaning.words import means_not_asked

MISSING = -1
"""The code of an empty cell."""

Codes = npt.NDArray[np.signedinteger[Any]]
Rows = npt.NDArray[np.intp]

_WIDTHS = (np.int8, np.int16, np.int32)


@hide_members("at", "done", "rows", "start")
class Progress:
    """Receives progress reports while files are read; this base class ignores them.

    rows: of the file that is read, set before each start; 0 where that is not known.
    """

    rows: int = 0

    def start(self, description: str, total: int) -> None:
        """Work of `total` bytes begins.

        >>> from audiencelab import ingest
        >>> class Printed(ingest.Progress):
        ...     def start(self, description, total):
        ...         print(f"{description}, {total} bytes")
        >>> Printed().start("reading tea.csv", 1_024)
        reading tea.csv, 1024 bytes
        """

    def at(self, done: int) -> None:
        """So many bytes of the work are done.

        >>> from audiencelab import ingest
        >>> class Printed(ingest.Progress):
        ...     def at(self, done):
        ...         print(f"{done} bytes done")
        >>> Printed().at(512)
        512 bytes done
        """

    def done(self) -> None:
        """The work is finished.

        >>> from audiencelab import ingest
        >>> class Printed(ingest.Progress):
        ...     def done(self):
        ...         print("done")
        >>> Printed().done()
        done
        """


_watching: ContextVar[Progress | None] = ContextVar("watching", default=None)


@contextmanager
def watched(progress: Progress) -> Generator[None]:
    """Have imports within the block report to `progress`, where they are given no other."""
    token = _watching.set(progress)
    try:
        yield
    finally:
        _watching.reset(token)


def watching() -> Progress:
    """What an import reports to that was given no other."""
    return _watching.get() or Progress()


class Piece(NamedTuple):
    """The next rows of one column: codes into `values`, -1 (or a value None or "") for no value."""

    column: str
    codes: npt.NDArray[Any]
    values: Iterable[str | None]


@dataclass(frozen=True, slots=True)
class Variable:
    """Metadata of a column, as statistics programs store it. HTML in its texts becomes plain text.

    labels: value labels, by canonical value.
    missing, missing_ranges: values, and ranges of numbers (both ends included), that the file
        declares as user-missing.
    measure: "nominal", "ordinal", "scale" or "" if the file does not say.
    is_date: whether its values are ISO dates.
    order: its categories in their order, if they have one.
    separator: between the values in one cell, if its cells hold several. holds_one: whether each
        cell holds one value, if the file says so.
    scores: numbers of values for means, if the file has them.
    stem: the question that it is an item of, if the file says so.
    no_question: why it makes no question, if the file says so.
    text: the whole question, where the label is a short form of it.
    universe: who was asked, as text, if the file says so. asked_of: the conditions that decide it,
        where they are simple; empty where they are not.
    is_other: whether it has the texts of another answer, as an item of its question.
    listed_by: the file whose labels are those of all values that it may have; "" where it may have
        others.
    doubtful: values that are not answers in some of the samples that the file may be of.
    answers: values that are answers in the survey that a file is added to.
    """

    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: frozenset[str] = frozenset()
    missing_ranges: tuple[tuple[float, float], ...] = ()
    measure: str = ""
    is_date: bool = False
    order: tuple[str, ...] = ()
    separator: str = ""
    stem: str = ""
    no_question: str = ""
    text: str = ""
    universe: str = ""
    asked_of: tuple[AskedCondition, ...] = ()
    listed_by: str = ""
    holds_one: bool = False
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    doubtful: frozenset[str] = frozenset()
    is_other: bool = False
    answers: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        # Here, so that no reader of a file or of a dictionary has to.
        for name in ("label", "stem", "text", "universe"):
            object.__setattr__(self, name, plain_text(getattr(self, name)))
        labels = {value: plain_text(label) for value, label in self.labels.items()}
        # A reader may still add to its own dictionary.
        if labels != self.labels:
            object.__setattr__(self, "labels", labels)

    def completed(self, other: Variable) -> Variable:
        """The same column with what another file says of it, where that says anything.

        >>> Variable(label="sex", measure="nominal").completed(Variable(labels={"1": "Man"})).label
        'sex'
        """
        said = {each.name: getattr(other, each.name) for each in fields(other)}
        return replace(self, **{name: value for name, value in said.items() if value})

    def as_written(self, values: Collection[str]) -> Variable:
        """The same with its codes as some values write them: 01 for 1, where there is no 1.

        >>> Variable(labels={"1": "Man", "2": "Woman"}).as_written(["01", "02"]).labels
        {'01': 'Man', '02': 'Woman'}
        """
        known = self.labels.keys() | self.missing
        padded = [each for each in values if known and each[:1] == "0" and each not in known]
        written = {each.lstrip("0") or "0": each for each in padded if each.isdecimal()}
        written = {code: each for code, each in written.items() if code in known}
        if not written or not written.keys().isdisjoint(values):
            return self
        labels = {written.get(code, code): label for code, label in self.labels.items()}
        missing = frozenset(written.get(code, code) for code in self.missing)
        return replace(self, labels=labels, missing=missing)

    def is_missing(self, value: str) -> bool:
        """Whether the file declares a canonical value as missing."""
        if value in self.missing:
            return True
        if not self.missing_ranges:
            return False
        number = number_of(value)
        return number is not None and any(
            low <= number <= high for low, high in self.missing_ranges
        )

    def is_not_asked(self, value: str) -> bool:
        """Whether a missing value means, by its label, that the question was not asked."""
        return self.is_missing(value) and means_not_asked(self.labels.get(value, ""))


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", plain_text(self.label))
        # As the names of columns are.
        object.__setattr__(self, "columns", composed(self.columns))


@dataclass(frozen=True)
class Column:
    """A column of n rows.

    codes: int8, int16 or int32 [n], indices into `values`; `MISSING` for an empty cell.
    values: canonical text (see `codebook.canonical_value`), each once.
    missing: those of them that the file declares as missing; also "" where it declares that of
        empty cells. not_asked: those of the missing ones that mean "not asked".
    """

    codes: Codes
    values: tuple[str, ...]
    missing: frozenset[str] = frozenset()
    not_asked: frozenset[str] = frozenset()

    @cached_property
    def counts(self) -> npt.NDArray[np.intp]:
        """How many rows hold each value, and how many are empty: int[len(values) + 1]."""
        return value_counts(self.codes, len(self.values))

    def counted(self) -> Iterator[tuple[str, int]]:
        """The values that occur, in order of appearance, and in how many rows."""
        for value, count in zip(self.values, self.counts.tolist(), strict=False):
            if count:
                yield value, count

    def take(self, rows: Rows) -> Column:
        """The column of some rows, in ascending order."""
        if len(rows) == len(self.codes):
            return self
        return Column(self.codes[rows], self.values, self.missing, self.not_asked)


def value_counts(codes: Codes, values: int) -> npt.NDArray[np.intp]:
    """How often each of some values occurs among codes, and `MISSING` last: int[values + 1]."""
    counts = np.zeros(values + 1, np.intp)
    # Widened a block at a time: bincount makes a copy of eight bytes a row.
    for first in range(0, len(codes), 1 << 20):
        block = codes[first : first + (1 << 20)].astype(np.intp)
        # `bincount` takes no negative numbers, so empty cells are counted last.
        block[block < 0] = values
        counts += np.bincount(block, minlength=values + 1)
    return counts


class ColumnBuilder:
    """Builds a column from pieces of a file."""

    def __init__(self, variable: Variable | None = None) -> None:
        self._variable = variable or Variable()
        self._values: dict[str, int] = {}
        self._pieces: list[Codes] = []

    def add(self, codes: npt.NDArray[Any], values: Iterable[str | None]) -> None:
        """Append a piece: codes into its own values, of which None and "" are empty cells."""
        known = self._values
        # A piece has codes of its own, which become those of the whole column here.
        own = [MISSING if not value else known.setdefault(value, len(known)) for value in values]
        # The narrowest that fits: most columns have few values, and take one byte a row.
        width = next(width for width in _WIDTHS if len(known) <= np.iinfo(width).max)
        # One more entry at the end: -1 in a piece is an empty cell too.
        self._pieces.append(np.array([*own, MISSING], width)[codes])

    def finish(self) -> Column:
        """The column of all pieces."""
        # Pieces may differ in width; the result has that of the widest.
        codes = np.concatenate(self._pieces) if self._pieces else np.zeros(0, np.int8)
        self._pieces.clear()
        variable = self._variable.as_written(self._values)
        missing = frozenset(filter(variable.is_missing, ["", *self._values]))
        not_asked = frozenset(filter(variable.is_not_asked, missing))
        return Column(codes, tuple(self._values), missing, not_asked)
