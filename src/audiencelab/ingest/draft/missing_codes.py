"""Missing codes of all columns: "NA", "Not selected", -99, and values declared missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from audiencelab.ingest.draft.profile import ColumnProfile

_NOT_ASKED = {"na", "n/a", "#n/a", "nan", "null", "#null!"}
_NOT_SELECTED = {"not selected", "not checked", "unchecked", "not ticked", "not mentioned"}
_SHOWN = 8
_NEGATIVE = re.compile(r"-(\d|66|77|88|9[5-9]|666|777|888|99\d|9999)")


@dataclass(frozen=True)
class Marks:
    """Values that mean "not asked", and those that mean "asked, and not selected", with why."""

    not_asked: list[str]
    not_selected: list[str]
    reasons: list[str]


def find_marks(columns: Collection[ColumnProfile]) -> Marks:
    """The marks in some columns. A value with a label is none: the file knows what it means."""
    asked: dict[str, list[str]] = {}
    selected: dict[str, list[str]] = {}
    negative: dict[str, list[str]] = {}
    for column in columns:
        for value in column.answers.keys() - column.labels.keys():
            if value.lower() in _NOT_ASKED:
                asked.setdefault(value, []).append(column.name)
            elif value.lower() in _NOT_SELECTED:
                selected.setdefault(value, []).append(column.name)
        for value in _negative_codes(column):
            negative.setdefault(value, []).append(column.name)
    # In one column alone it may well be an answer.
    negative = {value: names for value, names in negative.items() if len(names) > 1}
    inapplicable = {
        value: column.name
        for column in columns
        for value in negative
        if column.variable.is_not_asked(value)
    }
    reasons = [f"not_asked: {value!r} stands in {_where(asked[value])}" for value in sorted(asked)]
    reasons += [
        f"not_selected: {value!r} stands in {_where(selected[value])}" for value in sorted(selected)
    ]
    reasons += [
        f"not_asked: {value} stands in {_where(negative.pop(value))}; so the label in {name} says"
        for value, name in sorted(inapplicable.items())
    ]
    reasons += [
        f"not_selected: {value} stands in {_where(names)} where no other number is negative; "
        "perhaps it means not_asked"
        for value, names in sorted(negative.items())
    ]
    return Marks(
        [*sorted(asked), *sorted(inapplicable)], [*sorted(selected), *sorted(negative)], reasons
    )


def missing_reasons(columns: Iterable[ColumnProfile]) -> list[str]:
    """How the values that the files declare missing are read, in one line; none without any."""
    found: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for column in columns:
        for value in column.declared_missing:
            label = column.variable.labels.get(value)
            words = f"{value} {label!r}" if label else value
            found[column.variable.is_not_asked(value)][words] += 1
    no_answer, not_asked = map(_commonest, found)
    parts = [f"not asked: {not_asked}"] if not_asked else []
    parts += [f"asked, no answer: {no_answer}"] if no_answer else []
    return [f"missing values of the file: {'; '.join(parts)}"] if parts else []


def _commonest(counted: Counter[str]) -> str:
    shown = [words for words, _ in counted.most_common(_SHOWN)]
    more = len(counted) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _negative_codes(column: ColumnProfile) -> Collection[str]:
    """Values such as -99 in a column that has no other business with negative numbers."""
    negative = [value for value in column.answers if value.startswith("-")]
    if not negative or len(negative) == len(column.answers) or not column.is_whole:
        return []
    codes = all(_NEGATIVE.fullmatch(value) and value not in column.labels for value in negative)
    return negative if codes else []


def _where(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} columns"
