"""Map the values of columns to datapoints and suffixes, to "not selected" and to "not asked".

A meaning is a small integer for each respondent: an index from 0, or one of the negative marks
below. The answers to a question are made from the meanings of its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    Source,
    canonical_value,
    meanings_of,
    natural,
    number_of,
    suffix_codes,
)
from audiencelab.ingest.columns import Column, value_counts
from audiencelab.ingest.readers.base import Table
from audiencelab.ingest.report import UnknownValue
from audiencelab.ingest.waves import Segment
from audiencelab.survey.answers import Answers, Flags

NOT_SELECTED = -1
NOT_ASKED = -2
UNKNOWN = -3
"""Not a value that the codebook knows; the respondent was asked, and chose nothing known."""

Meanings = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.float64]

MOST_PLACES = int(np.iinfo(np.int16).max)
"""Datapoints, or suffixes, that a question may have."""

_UNKNOWN_LISTED = 20
"""Unknown values of one column in one file that the report lists; free text has thousands."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How the values of one column are read.

    places: the place that a value means. bands: the bands of numbers, with their places.
    other: what any other value means. marks: values that mean one of the negative marks.
    """

    column: str
    places: Mapping[str, int]
    marks: Mapping[str, int]
    bands: tuple[tuple[CodedDatapoint, int], ...] = ()
    other: int = UNKNOWN
    separator: str | None = None

    def meaning(self, value: str, column: Column) -> int:
        """What one canonical value of a column means; "" is an empty cell.

        Where the codebook is silent, what the file declares of the value counts.
        """
        if value in self.marks:
            return self.marks[value]
        if value in self.places:
            return self.places[value]
        if (declared := _declared(value, column)) is not None:
            return declared
        if self.bands:
            number = number_of(value)
            # What is infinite, such as a share of nothing, is in no band, however open.
            if number is None or not isfinite(number):
                return self.other
            return next((place for band, place in self.bands if band.holds(number)), self.other)
        return self.other

    def table(self, column: Column) -> Meanings:
        """The meaning of each value, and of an empty cell: int16[len(column.values) + 1]."""
        values = (*column.values, "")
        if self.separator is not None:
            marks = (self.marks.get(value, _declared(value, column) or 0) for value in values)
            return np.fromiter(marks, np.int16, len(values))
        return np.fromiter((self.meaning(each, column) for each in values), np.int16, len(values))

    def apply(self, column: Column) -> Meanings:
        """The meaning for each row, int16[rows]."""
        return self.table(column)[column.codes]

    def numbers(self, column: Column, midpoints: Sequence[float | None]) -> Numbers:
        """The number that each row gave, float64[rows]; NaN for none.

        A value in a band is its own number; a value that means a datapoint of its own counts by
        that datapoint's midpoint, if it has one.
        """
        bands = {place for _, place in self.bands}

        def number(value: str) -> float:
            place = self.meaning(value, column)
            if place < 0:
                return nan
            own = number_of(value) if place in bands else None
            given = own if own is not None and isfinite(own) else midpoints[place]
            return nan if given is None else given

        return np.array([*map(number, column.values), nan], np.float64)[column.codes]

    def members(self, column: Column, points: int) -> npt.NDArray[np.bool_]:
        """The datapoints that each cell with several values holds, bool[rows, points]."""
        chosen = np.zeros((len(column.values) + 1, points), np.bool_)
        for row, mark in enumerate(self.table(column)[:-1]):
            for part in () if mark else self.parts(column.values[row]):
                if (index := self.places.get(part, UNKNOWN)) >= 0:
                    chosen[row, index] = True
        return chosen[column.codes]

    def parts(self, value: str) -> list[str]:
        """The values in a cell of several."""
        return [canonical_value(part) for part in value.split(self.separator) if part.strip()]

    def unknown(self, value: str, column: Column) -> list[str]:
        """What of a cell's value neither the codebook nor the file knows."""
        if value in self.marks or value in column.missing:
            return []
        if self.separator is None:
            return [value] if self.meaning(value, column) == UNKNOWN else []
        return [part for part in self.parts(value) if part not in self.places]


@dataclass(frozen=True, slots=True)
class QuestionRules:
    """How a question's answers come from its columns.

    rules: of each column, with the place of the datapoint it belongs to (None where its values
    tell) and, for a grid with a column a cell, of the suffix. points, suffixes: how many there are.
    """

    question: CodedQuestion
    points: int
    suffixes: int
    rules: tuple[tuple[ColumnRule, int | None, int | None], ...]

    @property
    def columns(self) -> Iterator[str]:
        """The columns read, in order."""
        return (rule.column for rule, _, _ in self.rules)

    def was_asked(self, columns: Mapping[str, Column]) -> bool:
        """Whether any respondent was asked."""
        for rule, _, _ in self.rules:
            column = columns.get(rule.column)
            if column is not None and (rule.table(column)[column.counts > 0] != NOT_ASKED).any():
                return True
        return False

    def answers(self, columns: Mapping[str, Column], rows: int) -> Answers:
        """The answers of `rows` respondents; a column that is not there was not asked."""
        if self.question.kind == "single":
            return self._single(columns, rows)
        asked = np.zeros(rows, np.bool_)
        # Items one after another in memory: each is filled and packed as a whole.
        shape = (self.points, self.suffixes, rows) if self.suffixes else (self.points, rows)
        flags = np.zeros(shape, np.bool_)
        for rule, point, suffix in self.rules:
            if rule.column not in columns:
                continue
            column = columns[rule.column]
            found = rule.apply(column)
            asked |= found != NOT_ASKED
            if rule.separator is not None:
                flags |= rule.members(column, self.points).T
            elif point is None:
                given = np.flatnonzero(found >= 0)
                flags[found[given], given] = True
            elif self.question.kind == "multiple":
                flags[point] = found >= 0
            elif suffix is not None:
                flags[point, suffix] = found >= 0
            else:
                given = np.flatnonzero(found >= 0)
                flags[point, found[given], given] = True
        return Answers(np.moveaxis(flags, -1, 0), asked)

    @property
    def has_numbers(self) -> bool:
        """Whether its answers are bands of numbers, which are kept beside the bands."""
        return self.question.kind == "single" and bool(self.rules[0][0].bands)

    def numbers(self, columns: Mapping[str, Column], rows: int) -> Numbers:
        """The numbers behind the answers of `rows` respondents, float64[rows]; NaN for none."""
        rule = self.rules[0][0]
        if rule.column not in columns:
            return np.full(rows, nan)
        return rule.numbers(columns[rule.column], [each.midpoint for each in self.question.points])

    def _single(self, columns: Mapping[str, Column], rows: int) -> Answers:
        rule = self.rules[0][0]
        if rule.column not in columns:
            return Answers(np.full(rows, -1, np.int16), np.zeros(rows, np.bool_))
        found = rule.apply(columns[rule.column])
        return Answers(np.maximum(found, -1), found != NOT_ASKED)


def rules_for(
    question: CodedQuestion, points: Sequence[CodedDatapoint], source: Source
) -> QuestionRules:
    """The rules of a question whose datapoints are `points`."""
    marks = marks_of(question, source)
    made: list[tuple[ColumnRule, int | None, int | None]] = []
    if question.column is not None:
        bands = tuple((point, place) for place, point in enumerate(points) if point.is_band)
        rule = ColumnRule(
            question.column, _places(points), marks, bands, separator=question.separator
        )
        made.append((rule, 0, None))
    elif question.across:
        places = _places(points)
        made = [(ColumnRule(column, places, marks), None, None) for column in question.across]
    elif question.kind == "multiple":
        for place, point in enumerate(points):
            rule = _item_rule(point.column or "", point, question, marks)
            made.append((rule, place, None))
    else:
        codes = suffix_codes(question.suffixes)
        for place, point in enumerate(points):
            if point.column is not None:
                rule = ColumnRule(point.column, _places(question.suffixes), marks)
                made.append((rule, place, None))
            for code, column in point.columns.items():
                made.append((_item_rule(column, point, question, marks), place, codes.index(code)))
    return QuestionRules(question, len(points), len(question.suffixes), tuple(made))


def marks_of(question: CodedQuestion, source: Source) -> dict[str, int]:
    """The values that mean one of the negative marks in a question's columns."""
    not_asked = source.not_asked if question.not_asked is None else question.not_asked
    chosen = source.not_selected if question.not_selected is None else question.not_selected
    marks = {canonical_value(value): NOT_ASKED for value in not_asked}
    return marks | {canonical_value(value): NOT_SELECTED for value in chosen}


def _declared(value: str, column: Column) -> int | None:
    """The mark that the file itself gives a value or an empty cell; None for an answer."""
    if value in column.missing:
        return NOT_ASKED if value in column.not_asked else NOT_SELECTED
    return None if value else NOT_ASKED


def _places(parts: Sequence[Any]) -> dict[str, int]:
    return {value: place for place, part in enumerate(parts) for value in meanings_of(part)}


def _item_rule(
    column: str, point: CodedDatapoint, question: CodedQuestion, marks: Mapping[str, int]
) -> ColumnRule:
    """A column of its own: selected or not."""
    own = meanings_of(point) or tuple(canonical_value(value) for value in question.selected)
    places = dict.fromkeys(own, 0)
    # A value that means "selected" here is not a mark, whatever it means in other columns.
    kept = {value: mark for value, mark in marks.items() if value not in places}
    return ColumnRule(column, places, kept, other=UNKNOWN if places else 0)


# ---- values that the codebook does not list ----


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
        for value, _ in table.columns[column].counted()
        if value not in marks and value not in table.columns[column].missing
    }
    orders = (table.variables[column].order for table in tables if column in table.variables)
    order = next(filter(None, orders), ())
    return tuple(CodedDatapoint(name=value, value=value) for value in sorted_values(values, order))


def sorted_values(values: Iterable[str], order: Sequence[str] = ()) -> list[str]:
    """Values in the order that a source gives them; others behind, numbers first, by size."""
    places = {value: place for place, value in enumerate(order)}
    return sorted(values, key=lambda value: (places.get(value, len(places)), natural(value)))


def unknown_values(code: str, rules: QuestionRules, segment: Segment) -> Iterator[UnknownValue]:
    """What the codebook does not know of a segment's answers, the commonest first."""
    for rule, _, _ in rules.rules:
        column = segment.table.columns.get(rule.column)
        if column is None:
            continue
        codes = column.take(segment.rows).codes
        counts = value_counts(codes, len(column.values))
        # The same part may occur in many cells with several values.
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
