"""Missing codes: "NA", "Not selected", -99, and values that files declare missing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.meaning.words import means_unticked

_NOT_ASKED = {"na", "n/a", "#n/a", "nan", "null", "#null!"}
_NEGATIVE = re.compile(r"-(\d|66|77|88|9[5-9]|666|777|888|99\d|9999)")
_SHOWN = 8


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
            elif means_unticked(value):
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
