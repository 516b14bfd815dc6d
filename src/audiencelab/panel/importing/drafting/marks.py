"""Values that are no answers wherever they stand: "NA", "Not selected", -99."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from audiencelab.panel.importing.drafting.profile import ColumnProfile

__all__ = ["Marks", "find_marks"]

_NOT_ASKED = {"na", "n/a", "#n/a", "nan", "null", "#null!"}
_NOT_SELECTED = {"not selected", "not checked", "unchecked", "not ticked", "not mentioned"}
_NEGATIVE = re.compile(r"-(\d|66|77|88|9[5-9]|666|777|888|99\d|9999)")


@dataclass(frozen=True)
class Marks:
    """Values that mean "not asked", and those that mean "asked, and not selected", with why."""

    not_asked: list[str]
    not_selected: list[str]
    reasons: list[str]


def find_marks(columns: Iterable[ColumnProfile]) -> Marks:
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
    reasons = [f"not_asked: {value!r} stands in {_where(asked[value])}" for value in sorted(asked)]
    reasons += [
        f"not_selected: {value!r} stands in {_where(selected[value])}" for value in sorted(selected)
    ]
    reasons += [
        f"not_selected: {value} stands in {_where(names)} where no other number is negative; "
        "perhaps it means not_asked"
        for value, names in sorted(negative.items())
    ]
    return Marks(sorted(asked), [*sorted(selected), *sorted(negative)], reasons)


def _negative_codes(column: ColumnProfile) -> Collection[str]:
    """Values such as -99 in a column that has no other business with negative numbers."""
    negative = [value for value in column.answers if value.startswith("-")]
    if not negative or len(negative) == len(column.answers) or not column.is_whole:
        return []
    codes = all(_NEGATIVE.fullmatch(value) and value not in column.labels for value in negative)
    return negative if codes else []


def _where(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} columns"
