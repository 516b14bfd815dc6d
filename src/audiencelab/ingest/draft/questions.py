"""From a column, or a family of columns, to a question of the codebook."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from audiencelab.expressions.codes import WAVES
from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Scalar,
    canonical_value,
)
from audiencelab.ingest.draft.bands import round_bands
from audiencelab.ingest.draft.column_roles import is_code, separator_of
from audiencelab.ingest.draft.profile import ColumnProfile
from audiencelab.ingest.draft.question_groups import Family, item_names, means_no
from audiencelab.ingest.draft.scales import is_labelled_number, scale_numbers
from audiencelab.ingest.value_mapping import natural, sorted_values

_BANDED = 12
"""More numbers than that, without labels, are put into bands."""

_LISTED = 40
"""Values without labels are listed in the codebook up to that many, for people to name."""

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,14})")


class Codes:
    """Codes for questions: letters, digits, _ and - alone, each given once."""

    def __init__(self) -> None:
        # Queries use the first for waves; imports add the second where there is no location.
        self._taken = {WAVES, "location"}

    def take(self, name: str, *, may_be_location: bool = False) -> str:
        """A code as near to the name as may be."""
        code = clean = clean_code(name) or "question"
        number = 2
        if may_be_location and code == "location":
            return code
        while code in self._taken:
            code = f"{clean}_{number}"
            number += 1
        self._taken.add(code)
        return code


def clean_code(name: str) -> str:
    """A name with nothing in it that a code must not have."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-")


def scalar(value: str) -> Scalar:
    """A canonical value as people write it: whole numbers as numbers."""
    return int(value) if _WHOLE.fullmatch(value) and value != "-0" else value


def scalars(values: Iterable[str]) -> tuple[Scalar, ...]:
    """Canonical values as people write them."""
    return tuple(scalar(value) for value in values)


def column_question(column: ColumnProfile, code: str, *, banded: bool) -> tuple[CodedQuestion, str]:
    """The question of one column, and why it is that. banded: numbers may be put into bands."""
    separator = separator_of(column)
    if separator is not None:
        return _delimited(column, code, separator)
    unlabelled = sum(value not in column.labels for value in column.answers)
    # What the file calls nominal has no sizes to band, unless it calls everything so.
    are_codes = column.variable.measure == "nominal" and unlabelled <= _LISTED
    if banded and column.numbers and unlabelled > _BANDED and not (are_codes or is_code(column)):
        # A top code such as "89 or older" is a number like the others; "don't know" is none.
        others = {
            value: label
            for value, label in column.labels.items()
            if not is_labelled_number(value, label)
        }
        numbers = {
            number: count
            for number, count in column.numbers.items()
            if canonical_value(number) not in others
        }
        reason = f"single, in bands: {len(numbers):,} different numbers"
        points = (*round_bands(numbers), *_points(others.items()))
        return _question(column, code, datapoints=points), reason
    values = _in_order(column.labels, column.answers, column.variable.order)
    labels = {value: column.labels.get(value, value) for value in values}
    names = _distinct_names(labels)
    if not column.labels:
        reason = f"single: {len(values)} value{'s' * (len(values) != 1)} without labels"
        return _question(column, code, names if len(values) <= _LISTED else {}), reason
    odd = [value for value in values if value not in column.labels]
    reason = f"single: {len(column.labels)} labels in the file"
    reason += f"; without a label: {', '.join(odd[:8])}{' …' * (len(odd) > 8)}" if odd else ""
    if scale := scale_numbers(labels, is_ordinal=_is_ordinal(column)):
        reason += "; a scale, whose codes are its midpoints"
        return _question(column, code, datapoints=_points(names.items(), scale)), reason
    return _question(column, code, labels=names), reason


def _is_ordinal(column: ColumnProfile) -> bool:
    return column.variable.measure == "ordinal"


def _question(
    column: ColumnProfile,
    code: str,
    labels: Mapping[str, str] | None = None,
    datapoints: tuple[CodedDatapoint, ...] = (),
) -> CodedQuestion:
    return CodedQuestion(
        code=code,
        name=column.wording or code,
        column=column.name,
        labels=dict(labels or {}),
        datapoints=datapoints,
    )


def _delimited(column: ColumnProfile, code: str, separator: str) -> tuple[CodedQuestion, str]:
    parts = {
        canonical_value(part)
        for value in column.answers
        for part in value.split(separator)
        if part.strip()
    }
    known = [*column.labels, *sorted(parts - column.labels.keys(), key=natural)]
    names = _distinct_names({value: column.labels.get(value, value) for value in known})
    question = CodedQuestion(
        code=code,
        name=column.wording or code,
        kind="multiple",
        column=column.name,
        separator=separator,
        labels=names,
    )
    return question, f'multiple: cells hold several values with "{separator}" between them'


def family_question(family: Family, code: str, unselected: Sequence[str]) -> CodedQuestion:
    """The question of a family."""
    if family.kind == "spread":
        return _spread(family, code)
    common, names = item_names(family.columns)
    named = common or family.name
    codes = _item_codes(family, code)
    points = tuple(
        CodedDatapoint(name=name, code=each, column=column.name)
        for name, each, column in zip(_apart(names), codes, family.columns, strict=True)
    )
    if family.kind == "grid":
        labels = _joint_labels(family.columns)
        scale = scale_numbers(labels, is_ordinal=all(map(_is_ordinal, family.columns)))
        return CodedQuestion(
            code=code,
            name=named,
            kind="grid",
            datapoints=points,
            suffixes=tuple(
                CodedSuffix(name=name, value=scalar(value), midpoint=scale.get(value))
                for value, name in _distinct_names(labels).items()
            ),
        )
    selected = {*family.selected}
    others = {
        value
        for column in family.columns
        for value in {*column.answers, *column.labels}
        if value not in selected and (selected or _is_no(column, value))
    }.difference(unselected)
    return CodedQuestion(
        code=code,
        name=family.name if family.name != family.code else named,
        kind="multiple",
        datapoints=points,
        selected=scalars(family.selected),
        not_selected=scalars([*unselected, *sorted(others, key=natural)]) if others else None,
    )


def _is_no(column: ColumnProfile, value: str) -> bool:
    return means_no(column.labels.get(value, value))


def _spread(family: Family, code: str) -> CodedQuestion:
    return CodedQuestion(
        code=code,
        name=family.name,
        kind="multiple",
        across=tuple(column.name for column in family.columns),
        labels=_distinct_names(_joint_labels(family.columns)),
    )


def _joint_labels(columns: Iterable[ColumnProfile]) -> dict[str, str]:
    """All values of some columns with their names, in order."""
    columns = list(columns)
    labels = {value: label for column in columns for value, label in column.labels.items()}
    found = {value for column in columns for value in column.answers}
    order = next((column.variable.order for column in columns if column.variable.order), ())
    return {value: labels.get(value, value) for value in _in_order(labels, found, order)}


def _item_codes(family: Family, code: str) -> list[str]:
    """A code for each item, from its column's name."""
    codes: list[str] = []
    for place, column in enumerate(family.columns, start=1):
        own = clean_code(column.name)
        codes.append(own if own and own not in codes else f"{code}_{place}")
    if len(set(codes)) == len(codes):
        return codes
    return [f"{code}_{place}" for place in range(1, len(codes) + 1)]


def _in_order(labels: Mapping[str, str], found: Iterable[str], order: Sequence[str]) -> list[str]:
    """Labelled values as the file has them; by size where a scale is labelled at its ends alone."""
    others = {*found} - labels.keys()
    if others and not order and all(map(_WHOLE.fullmatch, [*labels, *others])):
        return sorted([*labels, *others], key=natural)
    return [*labels, *sorted_values(others, order)]


def _points(
    labels: Iterable[tuple[str, str]], midpoints: Mapping[str, float] | None = None
) -> tuple[CodedDatapoint, ...]:
    known = midpoints or {}
    return tuple(
        CodedDatapoint(name=name, value=scalar(value), midpoint=known.get(value))
        for value, name in labels
    )


def _distinct_names(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels by value; where several values have the same one, the value is added."""
    often = Counter(labels.values())
    return {
        value: name if often[name] == 1 else f"{name} ({value})" for value, name in labels.items()
    }


def _apart(names: Sequence[str]) -> list[str]:
    often = Counter(names)
    return [
        name if often[name] == 1 else f"{name} ({place})"
        for place, name in enumerate(names, start=1)
    ]
