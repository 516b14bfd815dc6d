"""What stands in the columns of sources: their values, counted, and what the files say of them.

A draft looks at nothing else. Counting reads each file once and keeps no rows, so that a file of
any size can be looked at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.agreeing import Disputes, joint_variables
from audiencelab.ingest.codebook import number_of
from audiencelab.ingest.periods import date_of
from audiencelab.ingest.readers import SurveyFile
from audiencelab.ingest.tables import Progress, ResponseSet, Variable

__all__ = ["ColumnProfile", "SourceProfile", "is_number", "profile_sources"]

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


@dataclass
class _Counter:
    """Counts the values of a column from pieces of sources."""

    counts: Counter[str] = field(default_factory=Counter[str])
    others: int = 0

    def add(self, codes: npt.NDArray[Any], values: Iterable[str | None]) -> list[str]:
        """Count a piece; the values that stand in it."""
        found: list[str] = []
        counted = np.bincount(codes[codes >= 0])
        for value, count in zip(values, counted.tolist(), strict=False):
            if not value or not count:
                continue
            found.append(value)
            if value in self.counts or self._has_room_for(value):
                self.counts[value] += count
            else:
                self.others += count
        return found

    def _has_room_for(self, value: str) -> bool:
        kept = len(self.counts)
        # One odd text among very many numbers makes another column of them.
        return kept < _MOST_VALUES or (kept < 2 * _MOST_VALUES and not is_number(value))


def is_number(value: str) -> bool:
    """Whether a value is a finite number."""
    number = number_of(value)
    return number is not None and math.isfinite(number)


def profile_sources(sources: Sequence[SurveyFile], progress: Progress) -> SourceProfile:
    """Read sources and count what they hold."""
    names = list(dict.fromkeys(name for source in sources for name in source.header))
    times = [Counter(source.header) for source in sources]
    twice = [name for name in names if any(counted[name] > 1 for counted in times)]
    counters = {name: _Counter() for name in names if name not in twice}
    said = joint_variables(sources)
    disputes = Disputes(sources, said)
    sets: dict[str, ResponseSet] = {}
    for source in sources:
        progress.start(source.name, source.octets)
        wanted = [name for name in source.header if name in counters]
        for name, codes, values in source.pieces(wanted, progress):
            found = counters[name].add(codes, values)
            disputes.look_at(source, name, found)
        progress.done()
        sets = {each.name: each for each in source.sets} | sets
    disputes.check()
    rows = sum(source.rows for source in sources)
    columns = {
        name: ColumnProfile(
            name, rows, counter.counts, said.get(name) or Variable(), counter.others
        )
        for name, counter in counters.items()
    }
    return SourceProfile(tuple(names), rows, columns, tuple(sets.values()), tuple(twice))
