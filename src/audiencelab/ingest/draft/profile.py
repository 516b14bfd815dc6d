"""Profiles of columns: their values, counted, and the metadata of the files.

A draft is made from nothing else.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from audiencelab.ingest.codebook import number_of
from audiencelab.ingest.columns import Progress, ResponseSet, Variable
from audiencelab.ingest.label_conflicts import check_missing_values, joint_variables
from audiencelab.ingest.readers import Table
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.wave_periods import date_of

_MOST_VALUES = 20_000
"""Different values of a column that are kept; of more, those that came first."""


@dataclass(frozen=True)
class ColumnProfile:
    """One column: rows in all sources, and how many hold each value (empty cells left out).

    others: rows with a value beyond those that are counted one by one. aside: values that are no
    answers in any column.
    """

    name: str
    rows: int
    counts: Mapping[str, int]
    variable: Variable
    others: int = 0
    aside: frozenset[str] = frozenset()

    @cached_property
    def filled(self) -> int:
        """How many rows hold a value."""
        return sum(self.counts.values()) + self.others

    @cached_property
    def answered(self) -> int:
        """How many rows hold an answer."""
        return sum(self.answers.values()) + self.others

    @cached_property
    def answers(self) -> dict[str, int]:
        """The values that are neither set aside nor missing by the file."""
        is_missing = self.variable.is_missing
        return {
            value: count
            for value, count in self.counts.items()
            if value not in self.aside and not is_missing(value)
        }

    @cached_property
    def declared_missing(self) -> list[str]:
        """The values in the column that the file declares to be no answers."""
        return list(filter(self.variable.is_missing, self.counts))

    @cached_property
    def labels(self) -> dict[str, str]:
        """The labels of values that are answers; a label without text is none."""
        is_missing = self.variable.is_missing
        known = self.variable.labels.items()
        return {value: label for value, label in known if label and not is_missing(value)}

    @cached_property
    def numbers(self) -> dict[float, int] | None:
        """The answers as numbers; None where one of them is none."""
        if not all(map(is_number, self.answers)):
            return None
        found: Counter[float] = Counter()
        for value, count in self.answers.items():
            found[float(value)] += count
        return dict(found)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all answers are whole numbers."""
        return self.numbers is not None and all(number.is_integer() for number in self.numbers)

    @cached_property
    def is_date(self) -> bool:
        """Whether all answers are ISO dates."""
        return bool(self.answers) and all(date_of(value) for value in self.answers)

    @property
    def wording(self) -> str:
        """Its label, else its name."""
        return self.variable.label or self.name

    def without(self, values: Iterable[str]) -> ColumnProfile:
        """The same column, those values being no answers either."""
        aside = frozenset(value for value in values if value not in self.labels)
        return replace(self, aside=aside)


@dataclass(frozen=True)
class SourceProfile:
    """All columns of some sources, in the order of the first that has them.

    twice: columns that a header names more than once, and that cannot be read.
    """

    names: tuple[str, ...]
    rows: int
    columns: dict[str, ColumnProfile]
    sets: tuple[ResponseSet, ...] = ()
    twice: tuple[str, ...] = ()


def is_number(value: str) -> bool:
    """Whether a value is a finite number."""
    number = number_of(value)
    return number is not None and math.isfinite(number)


def profile_sources(sources: Sources, progress: Progress) -> SourceProfile:
    """Read sources and count the values of their columns."""
    joint = joint_variables(sources.files)
    tables = sources.read_all(progress)
    check_missing_values(tables, joint)
    rows = sum(table.rows for table in tables)
    repeated = sources.repeated
    sets: dict[str, ResponseSet] = {}
    for table in tables:
        sets = {each.name: each for each in table.source.sets} | sets
    columns = {
        name: _profile(name, rows, tables, joint.get(name) or Variable())
        for name in sources.names
        if name not in repeated
    }
    return SourceProfile(tuple(sources.names), rows, columns, tuple(sets.values()), tuple(repeated))


def _profile(name: str, rows: int, tables: Sequence[Table], variable: Variable) -> ColumnProfile:
    """Count the values of a column; of very many, those that come first."""
    counts: dict[str, int] = {}
    others = 0
    for table in tables:
        column = table.columns.get(name)
        for value, count in column.counted() if column else ():
            if value in counts:
                counts[value] += count
            elif _has_room(counts, value):
                counts[value] = count
            else:
                others += count
    return ColumnProfile(name, rows, counts, variable, others)


def _has_room(counts: Mapping[str, int], value: str) -> bool:
    # A text among very many numbers changes what the column is.
    kept = len(counts)
    return kept < _MOST_VALUES or (kept < 2 * _MOST_VALUES and not is_number(value))
