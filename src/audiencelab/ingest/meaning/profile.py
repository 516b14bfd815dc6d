"""Profiles of columns: counted values and the metadata of the files, from which a draft is made."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from audiencelab.ingest.codebook import natural, number_of
from audiencelab.ingest.columns import Progress, Variable
from audiencelab.ingest.markup import plain_text
from audiencelab.ingest.readers import ReadColumns, SurveyFile
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.waves import dates_of

_MOST_VALUES = 20_000
"""Different values of a column that are counted; of more, those that come first."""


@dataclass(frozen=True)
class ColumnProfile:
    """One column: rows in all sources, and how many hold each value (empty cells excluded).

    others: rows with a value beyond those that are counted. missing_codes: values that are not
    answers in any column. own_codes: those that are not answers in this one. given_codes: those
    that the caller says are missing; with an empty set the column has no codes of its own.
    """

    name: str
    rows: int
    counts: dict[str, int]
    variable: Variable
    others: int = 0
    missing_codes: frozenset[str] = frozenset()
    own_codes: frozenset[str] = frozenset()
    given_codes: frozenset[str] | None = None

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
        """The values that are neither missing codes nor missing by the file."""
        codes = self.missing_codes | self.own_codes | (self.given_codes or frozenset())
        return {
            value: count
            for value, count in self.counts.items()
            if value not in codes and not self.variable.is_missing(value)
        }

    @cached_property
    def distinct(self) -> int:
        """How many different answers there are, at most."""
        return len(self.answers) + self.others

    @cached_property
    def labels(self) -> dict[str, str]:
        """The labels of values that are answers; an empty label does not count."""
        given = self.given_codes or ()
        known = {v: label for v, label in self.variable.labels.items() if v not in given}
        return {v: label for v, label in known.items() if label and not self.variable.is_missing(v)}

    @cached_property
    def numbers(self) -> dict[float, int] | None:
        """The answers as numbers; None where one of them is not a number."""
        if not all(map(is_number, self.answers)):
            return None
        found: Counter[float] = Counter()
        for value, count in self.answers.items():
            found[float(value)] += count
        return dict(found)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all answers are integers."""
        return self.numbers is not None and all(number.is_integer() for number in self.numbers)

    @cached_property
    def is_date(self) -> bool:
        """Whether all answers are dates."""
        return bool(self.answers) and len(dates_of(self.answers)) == len(self.answers)

    @property
    def is_full(self) -> bool:
        """Whether every respondent has an answer."""
        return self.answered == self.rows

    @property
    def wording(self) -> str:
        """Its label, else its name, as plain text."""
        return self.variable.label or plain_text(self.name)

    def label(self, value: str) -> str:
        """The label of a value, else the value as plain text."""
        return self.labels.get(value) or plain_text(value)

    def calls(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern occurs in its name or its label."""
        return bool(pattern.search(self.name) or pattern.search(self.variable.label))

    def without(self, values: Iterable[str]) -> ColumnProfile:
        """The same column, with those values as missing codes, unless they have labels."""
        if self.given_codes == frozenset():
            return self
        codes = self.counts.keys() & {*values} - self.labels.keys()
        # What is known of a column is kept where nothing changes.
        return replace(self, missing_codes=frozenset(codes)) if codes else self


def is_number(value: str) -> bool:
    """Whether a value is a finite number."""
    number = number_of(value)
    return number is not None and math.isfinite(number)


def profile_columns(
    sources: Sources, progress: Progress, columns: Sequence[str] | None = None
) -> dict[str, ColumnProfile]:
    """Read sources and count the values of their columns, or of some of them."""
    names = sources.names if columns is None else columns
    tables = sources.read(names, progress)
    joint = joint_variables(sources.files)
    return {name: profile_of(name, tables, joint.get(name) or Variable()) for name in names}


def joint_variables(files: Sequence[SurveyFile]) -> dict[str, Variable]:
    """The metadata of each column, joined over the files: the first one's text and labels win."""
    joint: dict[str, Variable] = {}
    for file in files:
        for name, variable in file.variables.items():
            known = joint.setdefault(name, variable)
            if known is not variable:
                joint[name] = replace(
                    known,
                    label=known.label or variable.label,
                    order=known.order or variable.order,
                    labels=_joint_labels(known.labels, variable.labels),
                    missing=known.missing | variable.missing,
                    missing_ranges=(
                        *dict.fromkeys((*known.missing_ranges, *variable.missing_ranges)),
                    ),
                )
    return joint


def _joint_labels(first: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """The labels of two files; the first one's win, and numbers that rise in both rise in all."""
    # The first file's twice: first for their order, last to win over the others'.
    labels = {**first, **other, **first}
    numbers = [number_of(value) for value in (*first, *other)]
    if None in numbers or any([*each] != sorted(each, key=natural) for each in (first, other)):
        return labels
    return {value: labels[value] for value in sorted(labels, key=natural)}


def profile_of(name: str, tables: Sequence[ReadColumns], variable: Variable) -> ColumnProfile:
    """The profile of a column in some tables. variable: what their files say of it."""
    counts: dict[str, int] = {}
    others = 0
    for table in tables:
        column = table.columns.get(name)
        for value, count in column.counted() if column else ():
            kept = len(counts)
            # A text among very many numbers changes what the column is.
            if value in counts or kept < _MOST_VALUES * (1 if is_number(value) else 2):
                counts[value] = counts.get(value, 0) + count
            else:
                others += count
    rows = sum(table.rows for table in tables)
    return ColumnProfile(name, rows, counts, variable.as_written(counts), others)
