"""Values that the codebook leaves open: those that become datapoints, those that it misses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

import numpy as np

from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    Source,
    number_of,
)
from audiencelab.ingest.meanings import QuestionRules, marks_of, present_values
from audiencelab.ingest.report import UnknownValue
from audiencelab.ingest.tables import MISSING, Table
from audiencelab.ingest.waves import Segment
from audiencelab.survey.answers import Flags

__all__ = ["found_points", "natural", "sorted_values", "unknown_values"]

_UNKNOWN_LISTED = 20
"""Unknown values of one column in one file that the report lists; free text has thousands."""


def found_points(
    question: CodedQuestion, tables: Sequence[Table], source: Source
) -> tuple[CodedDatapoint, ...]:
    """A datapoint for every value found that means nothing else, in order."""
    column = question.column or ""
    marks = marks_of(question, source)
    values = {
        value
        for table in tables
        if column in table.columns
        for _, value in present_values(table.columns[column])
        if value not in marks and value not in table.columns[column].missing
    }
    said = (table.variables[column].order for table in tables if column in table.variables)
    order = next(filter(None, said), ())
    return tuple(CodedDatapoint(name=value, value=value) for value in sorted_values(values, order))


def sorted_values(values: Iterable[str], order: Sequence[str] = ()) -> list[str]:
    """Values in the order that a source gives them; others behind, numbers first, by size."""
    places = {value: place for place, value in enumerate(order)}
    return sorted(values, key=lambda value: (places.get(value, len(places)), natural(value)))


def natural(value: str) -> tuple[bool, float, str]:
    """A key to sort values by: numbers first, by size."""
    number = number_of(value)
    # "nan" and "inf" are words like others, and the one has no place among numbers.
    if number is None or not isfinite(number):
        return (True, 0.0, value)
    return (False, number, value)


def unknown_values(code: str, rules: QuestionRules, segment: Segment) -> Iterator[UnknownValue]:
    """What the codebook does not know of a segment's answers, the commonest first."""
    for rule, _, _ in rules.rules:
        column = segment.table.columns.get(rule.column)
        if column is None:
            continue
        codes = column.take(segment.rows).codes
        counts = np.bincount(codes[codes != MISSING], minlength=len(column.values))
        # The same part may stand in many cells that hold several values.
        cells: dict[str, list[int]] = {}
        for place, value in enumerate(column.values):
            for part in dict.fromkeys(rule.unknown(value, column)) if counts[place] else ():
                cells.setdefault(part, []).append(place)
        found = sorted(cells.items(), key=lambda each: -int(counts[each[1]].sum()))
        for part, places in found[:_UNKNOWN_LISTED]:
            yield _unknown(code, rule.column, part, segment, np.isin(codes, places))
        if rest := found[_UNKNOWN_LISTED:]:
            places = [place for _, each in rest for place in each]
            words = f"({len(rest):,} other values)"
            yield _unknown(code, rule.column, words, segment, np.isin(codes, places))


def _unknown(code: str, column: str, value: str, segment: Segment, there: Flags) -> UnknownValue:
    rows = segment.rows[there]
    return UnknownValue(segment.table.name, code, column, value, len(rows), int(rows[0]) + 1)
