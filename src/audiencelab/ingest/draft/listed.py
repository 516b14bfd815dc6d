"""Columns of which a dictionary lists all answers: labels in place of codes, and other values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from audiencelab.ingest.codebook import AskedCondition, Scalar, canonical_value
from audiencelab.ingest.draft.questions import scalars
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.readers import ReadColumns
from audiencelab.ingest.value_mapping import cell_parts
from audiencelab.survey.errors import SourceError, SourcePlace, listed
from audiencelab.wording import plural

_SHOWN = 4


def labels_as_values(columns: Mapping[str, ColumnProfile]) -> dict[str, ColumnProfile]:
    """The columns, of which some hold the labels that their dictionary gives to codes.

    Platforms export the same answers as codes or as texts; the order is that of the dictionary.
    """
    found = {name: _by_texts(column) for name, column in columns.items()}
    for name, column in found.items():
        if column.variable.asked_of:
            conditions = [_held_by(each, columns, found) for each in column.variable.asked_of]
            known = tuple(each for each in conditions if each)
            known = known if len(known) == len(conditions) else ()
            found[name] = replace(column, variable=replace(column.variable, asked_of=known))
    return found


def _held_by(
    condition: AskedCondition,
    columns: Mapping[str, ColumnProfile],
    found: Mapping[str, ColumnProfile],
) -> AskedCondition | None:
    """A condition with the values that its column holds; None for values that it cannot hold.

    columns, found: with codes, and with labels in place of codes where these are the values.
    """
    if condition.column not in columns:
        return None
    given, column = columns[condition.column], found[condition.column]
    labels = given.variable.labels

    def written(values: Sequence[Scalar]) -> tuple[Scalar, ...]:
        texts = map(canonical_value, values)
        if column is not given:
            texts = (canonical_value(labels.get(each, each)) for each in texts)
        return scalars(texts)

    new = AskedCondition(condition.column, written(condition.values), written(condition.not_values))
    known = {"", *column.counts, *column.variable.labels}
    return new if known.issuperset(map(canonical_value, new.values or new.not_values)) else None


def _by_texts(column: ColumnProfile) -> ColumnProfile:
    variable = column.variable
    if not variable.listed_by or not variable.labels:
        return column
    texts = {canonical_value(label): label for label in variable.labels.values()}
    codes, labels = _listed_rows(column, variable.labels), _listed_rows(column, texts)
    # A word of a label may be the code of another answer, but then whole cells are not codes.
    if labels > codes or (codes == labels == 0 and _held(column, texts)):
        return replace(column, variable=replace(variable, labels=texts))
    return column


def check_listed(columns: Iterable[ColumnProfile], tables: Sequence[ReadColumns]) -> list[Guess]:
    """What columns hold that their dictionary does not list.

    Raises `SourceError`, with the first row, where half of the columns hold nothing that it lists.
    """
    answered = [each for each in columns if each.variable.listed_by and each.answers]
    odd = {each.name: found for each in answered if (found := _not_listed(each))}
    strange = [each for each in answered if sum(odd.get(each.name, {}).values()) >= each.answered]
    if strange and len(strange) >= len(answered) / 2:
        first = strange[0]
        value = next(iter(odd[first.name]))
        raise SourceError(
            _place(first.name, value, tables),
            f"{first.variable.listed_by} lists {listed([*first.variable.labels])} for this column. "
            f"{plural(len(strange), 'column')} of {len(answered):,} hold nothing that it lists, so "
            "it describes other data: give the dictionary of this file, or leave labels= out.",
        )
    return [
        Guess(each.name, "codes", *_told(each, odd[each.name]), 0 if each in strange else 1)
        for each in answered
        if each.name in odd
    ]


def _told(column: ColumnProfile, odd: Mapping[str, int]) -> tuple[str, str]:
    name, known = quoted(column.name), column.variable.labels
    cells = _cells(column, known)
    values = [*dict.fromkeys(each for cell in odd for each in cells[cell] if each not in known)]
    rows = f"{sum(odd.values()):,} of {column.answered:,} rows"
    shown = listed(list(map(repr, values)), _SHOWN)
    said = f"{rows} have {shown}, which {column.variable.listed_by} does not list"
    if column.variable.separator:
        # The other answers of such a cell stay.
        return said, f"client.edit({name}, missing={values[:_SHOWN]})"
    return said, f"al.open(…, missing={{{name}: {values[:_SHOWN]}}})"


def _not_listed(column: ColumnProfile) -> dict[str, int]:
    """The cells with a value that the dictionary does not list, and how many rows have each."""
    known = column.variable.labels
    cells = _cells(column, known)
    return {value: n for value, n in column.answers.items() if not known.keys() >= {*cells[value]}}


def _listed_rows(column: ColumnProfile, known: Mapping[str, str]) -> int:
    """How many rows hold nothing but some values."""
    cells = _cells(column, known)
    return sum(n for value, n in column.answers.items() if known.keys() >= {*cells[value]})


def _held(column: ColumnProfile, known: Mapping[str, str]) -> bool:
    """Whether any cell holds one of some values."""
    return any(not known.keys().isdisjoint(each) for each in _cells(column, known).values())


def _cells(column: ColumnProfile, known: Mapping[str, str]) -> dict[str, list[str]]:
    """The answers in each of the cells, which hold several where there is a separator."""
    sign = column.variable.separator
    return {v: cell_parts(v, sign, known) if sign else [v] for v in column.answers}


def _place(name: str, value: str, tables: Sequence[ReadColumns]) -> SourcePlace:
    """The first row that has a value in a column."""
    for table in tables:
        column = table.columns.get(name)
        if column and value in column.values:
            rows = np.flatnonzero(column.codes == column.values.index(value))
            return SourcePlace(table.origin, int(rows[0]) + 1, name, value)
    raise AssertionError(name)
