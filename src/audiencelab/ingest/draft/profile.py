"""Profiles of columns: counted values and the metadata of the files, from which a draft is made."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from audiencelab.ingest.codebook import number_of
from audiencelab.ingest.columns import Progress, Variable
from audiencelab.ingest.label_conflicts import check_missing_values, joint_variables
from audiencelab.ingest.readers import Table
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.waves import dates_of

_MOST_VALUES = 20_000
"""Different values of a column that are counted; of more, those that come first."""

_NOT_ASKED = {"na", "n/a", "#n/a", "nan", "null", "#null!"}
_NOT_SELECTED = {"not selected", "not checked", "unchecked", "not ticked", "not mentioned"}
_NEGATIVE = re.compile(r"-(\d|66|77|88|9[5-9]|666|777|888|99\d|9999)")
_SHOWN = 8


@dataclass(frozen=True)
class ColumnProfile:
    """One column: rows in all sources, and how many hold each value (empty cells excluded).

    others: rows with a value beyond those that are counted. missing_codes: values that are not
    answers in any column.
    """

    name: str
    rows: int
    counts: dict[str, int]
    variable: Variable
    others: int = 0
    missing_codes: frozenset[str] = frozenset()

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
        return {
            value: count
            for value, count in self.counts.items()
            if value not in self.missing_codes and not self.variable.is_missing(value)
        }

    @cached_property
    def distinct(self) -> int:
        """How many different answers there are, at most."""
        return len(self.answers) + self.others

    @cached_property
    def labels(self) -> dict[str, str]:
        """The labels of values that are answers; an empty label does not count."""
        known = self.variable.labels.items()
        return {v: label for v, label in known if label and not self.variable.is_missing(v)}

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
        """Its label, else its name."""
        return self.variable.label or self.name

    def label(self, value: str) -> str:
        """The label of a value, else the value."""
        return self.labels.get(value, value)

    def calls(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern occurs in its name or its label."""
        return bool(pattern.search(self.name) or pattern.search(self.variable.label))

    def without(self, values: Iterable[str]) -> ColumnProfile:
        """The same column, with those values as missing codes, unless they have labels."""
        return replace(self, missing_codes=frozenset(values) - self.labels.keys())


def is_number(value: str) -> bool:
    """Whether a value is a finite number."""
    number = number_of(value)
    return number is not None and math.isfinite(number)


def profile_columns(sources: Sources, progress: Progress) -> dict[str, ColumnProfile]:
    """Read sources and count the values of their columns."""
    joint = joint_variables(sources.files)
    tables, repeated = sources.read_all(progress), sources.repeated
    check_missing_values(tables, joint)
    return {
        name: _profile(name, tables, joint.get(name) or Variable())
        for name in sources.names
        if name not in repeated
    }


def _profile(name: str, tables: Sequence[Table], variable: Variable) -> ColumnProfile:
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
    return ColumnProfile(name, sum(table.rows for table in tables), counts, variable, others)


# ---- missing codes of all columns: "NA", "Not selected", -99, and values declared missing ----


@dataclass(frozen=True)
class MissingCodes:
    """Values that mean "not asked", and those that mean "asked, and not selected", with why."""

    not_asked: list[str]
    not_selected: list[str]
    reasons: list[str]


def find_missing_codes(columns: Collection[ColumnProfile]) -> MissingCodes:
    """The missing codes in some columns. A value with a label is not one: its meaning is known."""
    asked, selected, negative = (defaultdict[str, list[str]](list) for _ in range(3))
    for column in columns:
        for value in column.answers.keys() - column.labels.keys():
            if value.lower() in _NOT_ASKED:
                asked[value].append(column.name)
            elif value.lower() in _NOT_SELECTED:
                selected[value].append(column.name)
        for value in _negative_codes(column):
            negative[value].append(column.name)
    # In one column alone it may well be an answer.
    several = {value: names for value, names in sorted(negative.items()) if len(names) > 1}
    labelled = {
        value: column.name
        for column in columns
        for value in several
        if column.variable.is_not_asked(value)
    }
    unlabelled = {value: names for value, names in several.items() if value not in labelled}
    return MissingCodes(
        [*sorted(asked), *sorted(labelled)],
        [*sorted(selected), *unlabelled],
        [
            *(f"not_asked: {v!r} appears in {_where(asked[v])}" for v in sorted(asked)),
            *(f"not_selected: {v!r} appears in {_where(selected[v])}" for v in sorted(selected)),
            *(
                f"not_asked: {value} appears in {_where(several[value])}, by its label in {name}"
                for value, name in sorted(labelled.items())
            ),
            *(
                f"not_selected: {value} appears in {_where(names)} where no other number is "
                "negative; perhaps it means not_asked"
                for value, names in unlabelled.items()
            ),
        ],
    )


def _negative_codes(column: ColumnProfile) -> Collection[str]:
    """Values such as -99 in a column whose other numbers are not negative."""
    negative = [value for value in column.answers if value.startswith("-")]
    if not negative or len(negative) == len(column.answers) or not column.is_whole:
        return []
    codes = all(_NEGATIVE.fullmatch(value) and value not in column.labels for value in negative)
    return negative if codes else []


def _where(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} columns"


def unanswered_values(column: ColumnProfile) -> str:
    """The values of people who were asked that the file declares missing; "" for none."""
    variable = column.variable
    found = [
        value
        for value in column.counts
        if value and variable.is_missing(value) and not variable.is_not_asked(value)
    ]
    return ", ".join(
        f"{value} {variable.labels[value]!r}" if value in variable.labels else value
        for value in found[:_SHOWN]
    ) + ("…" if len(found) > _SHOWN else "")


def missing_reasons(columns: Iterable[ColumnProfile]) -> list[str]:
    """How the values that the files declare missing are read, in one line if there are any."""
    found: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for column in columns:
        for value in filter(column.variable.is_missing, column.counts):
            label = column.variable.labels.get(value)
            shown = f"{value} {label!r}" if label else value
            found[column.variable.is_not_asked(value)][shown] += 1
    parts: list[str] = []
    for meaning, counted in (("not asked", found[1]), ("asked, no answer", found[0])):
        if counted:
            more = len(counted) - _SHOWN
            shown = ", ".join(each for each, _ in counted.most_common(_SHOWN))
            parts.append(f"{meaning}: {shown}" + (f" and {more:,} more" if more > 0 else ""))
    return [f"missing values of the file: {'; '.join(parts)}"] if parts else []
