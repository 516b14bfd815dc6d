"""Map the values of columns to datapoints and suffixes, to "not selected" and to "not asked".

A meaning is a small integer for each respondent: an index from 0, or one of the negative codes
below. The answers to a question are made from the meanings of its columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Literal

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.asked_items import ItemsAsked
from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Source,
    canonical_value,
    datapoint_codes,
    meanings_of,
    number_of,
    suffix_codes,
)
from audiencelab.ingest.columns import MISSING, Column
from audiencelab.ingest.meaning.evidence import text_order
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.report import UnknownValue
from audiencelab.ingest.waves import Segment
from audiencelab.survey.answers import Answers

NOT_SELECTED = -1
UNKNOWN = -2
"""Not a value that the codebook knows; the respondent was asked, and chose nothing known."""
NOT_ASKED = -3
NO_ANSWER = -4
"""Asked, and no valid answer: what the file declares missing. The item of a multiple question then
counts for the respondent neither as ticked nor as not ticked."""

Unticked = Literal["", "blank", "not asked"]
"""What means "not chosen" where no value does: an empty cell, or what means "not asked"."""

Meanings = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.float64]

MOST_ANSWERS = int(np.iinfo(np.int16).max)
"""Datapoints, or suffixes, that a question may have."""

_UNKNOWN_LISTED = 20
"""Unknown values of one column in one file that the report lists; free text has thousands."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How the values of one column are read.

    indices: the index that a value means. missing_codes: values that mean one of the negative
    codes. bands: the bands of numbers, with their indices. other: what any other value means.
    point, suffix: the datapoint and the suffix that the column belongs to, where its values do
    not decide.
    """

    column: str
    indices: Mapping[str, int]
    missing_codes: Mapping[str, int]
    bands: tuple[tuple[CodedDatapoint, int], ...] = ()
    other: int = UNKNOWN
    separator: str | None = None
    point: int | None = None
    suffix: int | None = None

    def meaning(self, value: str, column: Column) -> int:
        """The meaning of one canonical value of a column; "" is an empty cell.

        What the file declares of a value counts where the codebook does not name it.
        """
        # The codebook before the file: it is where people correct what the file declares.
        if value in self.missing_codes:
            return self.missing_codes[value]
        if value in self.indices:
            return self.indices[value]
        if (declared := _declared(value, column)) is not None:
            return declared
        number = number_of(value) if self.bands else None
        # What is infinite, such as a share of nothing, is in no band, however open.
        if number is None or not isfinite(number):
            return self.other
        return next((index for band, index in self.bands if band.holds(number)), self.other)

    def apply(self, column: Column) -> Meanings:
        """The meaning for each row, int16[rows]."""
        # By value and not by row: a column has few values. The code -1 of an empty cell takes the
        # last entry.
        return self.table(column)[column.codes]

    def table(self, column: Column) -> Meanings:
        """The meaning of each value, and of an empty cell: int16[len(column.values) + 1]."""

        def meaning(value: str) -> int:
            if self.separator is None:
                return self.meaning(value, column)
            return self.missing_codes.get(value, _declared(value, column) or 0)

        values = (*column.values, "")
        return np.fromiter(map(meaning, values), np.int16, len(values))

    def numbers(self, column: Column, midpoints: Sequence[float | None]) -> Numbers:
        """The number that each row gave, float64[rows]; NaN for none.

        A value in a band is its own number; a value that means a datapoint of its own counts by
        that datapoint's midpoint, if it has one.
        """
        bands = {index for _, index in self.bands}

        def number(value: str) -> float:
            index = self.meaning(value, column)
            if index < 0:
                return nan
            own = number_of(value) if index in bands else None
            given = own if own is not None and isfinite(own) else midpoints[index]
            return nan if given is None else given

        return np.array([*map(number, column.values), nan], np.float64)[column.codes]

    def members(self, column: Column, points: int) -> npt.NDArray[np.bool_]:
        """The datapoints that each cell with several values holds, bool[rows, points]."""
        chosen = np.zeros((len(column.values) + 1, points), np.bool_)
        for row, code in enumerate(self.table(column)[:-1]):
            for part in () if code else self.parts(column.values[row]):
                if part in self.indices:
                    chosen[row, self.indices[part]] = True
        return chosen[column.codes]

    def parts(self, value: str) -> list[str]:
        """The values in a cell of several. A known value may have the separator in it."""
        return cell_parts(value, self.separator or "", self.indices)

    def unknown(self, value: str, column: Column) -> Iterable[str]:
        """The parts of a cell's value that neither the codebook nor the file knows."""
        if value in self.missing_codes or value in column.missing:
            return ()
        if self.separator is None:
            return (value,) if self.meaning(value, column) == UNKNOWN else ()
        return dict.fromkeys(part for part in self.parts(value) if part not in self.indices)


def cell_parts(value: str, sign: str, known: Collection[str]) -> list[str]:
    """The values in a cell of several; a known one may have the sign between values in it.

    >>> cell_parts("Green tea Milk", " ", {"Green tea", "Milk"})
    ['Green tea', 'Milk']
    """
    pieces = [part for part in value.split(sign) if part.strip()]
    longest = max((each.count(sign) for each in known), default=0)
    found: list[str] = []
    first = 0
    while first < len(pieces):
        # The longest known value first, which may contain the separator.
        ends = range(min(first + 1 + longest, len(pieces)), first, -1)
        options = ((end, canonical_value(sign.join(pieces[first:end]))) for end in ends)
        end, part = next(
            (each for each in options if each[1] in known),
            (first + 1, canonical_value(pieces[first])),
        )
        found.append(part)
        first = end
    return found


@dataclass(frozen=True, slots=True)
class QuestionRules:
    """How a question's answers come from its columns. points: its datapoints."""

    question: CodedQuestion
    points: Sequence[CodedDatapoint]
    rules: tuple[ColumnRule, ...]

    @property
    def has_numbers(self) -> bool:
        """Whether its answers are bands of numbers, which are kept beside the bands."""
        return self.question.kind == "single" and bool(self.rules[0].bands)

    @property
    def are_ticks(self) -> bool:
        """Whether each column says of one answer whether it was chosen."""
        return all(rule.point is not None for rule in self.rules) and (
            self.question.kind == "multiple" or all(r.suffix is not None for r in self.rules)
        )

    def was_asked(self, segment: Segment) -> bool:
        """Whether any respondent was asked."""
        return any(
            (rule.table(column)[column.counts > 0] != NOT_ASKED).any()
            for rule, column in self._columns(segment)
        )

    def unticked(self, segments: Sequence[Segment]) -> Unticked:
        """How the files of some segments say that an answer was not chosen, but by a value for it.

        In columns that hold ticks alone an empty cell means that: else all who were asked an item
        would have chosen it.
        """
        if not self.are_ticks or any(r.missing_codes.get("") == NOT_ASKED for r in self.rules):
            return ""
        has_blanks = False
        # Whole files, each once: a wave alone may lack the value that means "not chosen".
        for table in {id(segment.table): segment.table for segment in segments}.values():
            for rule in self.rules:
                if (column := table.columns.get(rule.column)) is None:
                    continue
                meanings = rule.table(column)[column.counts > 0]
                if ((meanings == NOT_SELECTED) | (meanings == UNKNOWN)).any():
                    return ""
                has_blanks |= bool(column.counts[-1])
        return "blank" if has_blanks else "not asked"

    def texts(self, segments: Sequence[Segment]) -> Collection[str]:
        """Columns of other answers, which are texts, beside items with values for "not chosen".

        Respondents who were asked those, and wrote nothing, have not chosen it.
        """
        if self.question.kind != "multiple" or not self.are_ticks:
            return ()
        chosen: dict[str, set[str]] = {}
        rejecting = set[str]()
        for table in {id(segment.table): segment.table for segment in segments}.values():
            for rule in self.rules:
                # With values of its own for "chosen", or where the codebook says what blanks mean.
                if rule.other or "" in rule.missing_codes or rule.column not in table.columns:
                    continue
                column = table.columns[rule.column]
                means = {value: rule.meaning(value, column) for value, _ in column.counted()}
                own = chosen.setdefault(rule.column, set())
                own |= {value for value, meaning in means.items() if meaning >= 0}
                rejecting |= {rule.column} if NOT_SELECTED in means.values() else set()
        # "Yes" is not a text, in a column that by chance has nothing but "Yes" and blanks.
        words = {value for name in rejecting for value in chosen[name]}
        texts = {name for name, own in chosen.items() if own and own.isdisjoint(words)}
        return texts - rejecting if rejecting else ()

    def answers(
        self, segment: Segment, unticked: Unticked = "", texts: Collection[str] = ()
    ) -> Answers:
        """The answers of a segment's respondents; a column that is not there was not asked.

        unticked, texts: as of the wave.
        """
        points, suffixes, rows = len(self.points), len(self.question.suffixes), len(segment.rows)
        asked = np.zeros(rows, np.bool_)
        if self.question.kind == "single":
            given = np.full(rows, -1, np.int16)
            for rule, column in self._columns(segment):
                found = rule.apply(column)
                # All that does not mean an answer becomes -1.
                given, asked = np.maximum(found, -1), found != NOT_ASKED
            return Answers(given, asked)
        # Items one after another in memory: each is filled and packed as a whole.
        flags = np.zeros((points, suffixes, rows) if suffixes else (points, rows), np.bool_)
        items = ItemsAsked(points, rows)
        answered = np.zeros(rows, np.bool_)
        # The other items say who was asked to write a text.
        for rule, column in self._columns(segment, last=texts):
            table = rule.table(column)
            if unticked:
                empty = [-1] if unticked == "blank" else table == NOT_ASKED
                table[empty] = NOT_SELECTED
            found = table[column.codes]
            if rule.column in texts:
                found[(column.codes == MISSING) & asked] = NO_ANSWER
                found[(column.codes == MISSING) & answered] = NOT_SELECTED
            else:
                answered |= found > NOT_ASKED
            was_asked = found != NOT_ASKED
            asked |= was_asked
            if rule.point is not None:
                is_valid = not suffixes and bool((found == NO_ANSWER).any())
                items.add(rule.point, found > NOT_ASKED if is_valid else was_asked)
            if rule.separator is not None:
                flags |= rule.members(column, points).T
            elif rule.suffix is not None:
                flags[rule.point, rule.suffix] = found >= 0
            elif rule.point is not None and not suffixes:
                flags[rule.point] = found >= 0
            else:
                given = np.flatnonzero(found >= 0)
                part = flags if rule.point is None else flags[rule.point]
                part[found[given], given] = True
        return Answers(np.moveaxis(flags, -1, 0), asked, items.unlike(asked))

    def not_offered(self, wave: str, segments: Sequence[Segment]) -> tuple[str, ...]:
        """The datapoints that a wave did not offer, by the codebook or by its value labels.

        segments: of the wave, for its labels; () where the codebook says all.
        Items without any answer are known by who was asked them, and are not among these.
        """
        is_labelled = segments and self.question.kind == "single"
        unlabelled = self._unlabelled(segments) if is_labelled else ()
        gone = {
            place
            for place, point in enumerate(self.points)
            if (not point.offered_in(wave) if point.waves else place in unlabelled)
        }
        codes = datapoint_codes(self.question, self.points) if gone else []
        return tuple(code for place, code in enumerate(codes) if place in gone)

    def given(self, segments: Sequence[Segment]) -> npt.NDArray[np.int64]:
        """How many respondents gave each answer of a single-choice question, int[answers]."""
        counts = np.zeros(len(self.points), np.int64)
        for segment in segments:
            for rule, column in self._columns(segment):
                meanings = rule.table(column)
                np.add.at(counts, meanings[meanings >= 0], column.counts[meanings >= 0])
        return counts

    def labelled(self, segments: Sequence[Segment]) -> Collection[int]:
        """The answers of a single-choice question that the files of segments have labels for."""
        found = set[int]()
        for segment in segments:
            for rule in self.rules:
                if (variable := segment.table.variables.get(rule.column)) is not None:
                    found |= {
                        rule.indices[each] for each in variable.labels if each in rule.indices
                    }
        return found

    def _unlabelled(self, segments: Sequence[Segment]) -> Collection[int]:
        """Answers that no segment has, and that are not among its file's value labels.

        Labels that leave out an answer which is there say nothing of others.
        """
        given, labelled = set[int](), set[int]()
        for segment in segments:
            for rule, column in self._columns(segment):
                variable = segment.table.variables.get(rule.column)
                known = (
                    {rule.indices[each] for each in variable.labels if each in rule.indices}
                    if variable
                    else ()
                )
                labelled |= {*known, *(index for _, index in rule.bands)}
                # A file without labels for this column says nothing of what was offered.
                if not known:
                    return ()
                if len(labelled) < len(self.points):
                    given |= {rule.meaning(value, column) for value, _ in column.counted()}
        indices = {place for place in given if place >= 0}
        return () if indices - labelled else {*range(len(self.points))} - labelled

    def numbers(self, segment: Segment) -> Numbers:
        """The numbers behind the answers of a segment's respondents, float64[k]; NaN for none."""
        numbers = np.full(len(segment.rows), nan)
        for rule, column in self._columns(segment):
            numbers = rule.numbers(column, [point.midpoint for point in self.points])
        return numbers

    def unknown_values(self, code: str, segment: Segment) -> Iterator[UnknownValue]:
        """The values of a segment that the codebook does not know, the commonest first."""
        for rule, column in self._columns(segment):
            counts = column.counts
            # The same part may occur in many cells with several values.
            cells: dict[str, list[int]] = {}
            for index, value in enumerate(column.values):
                for part in rule.unknown(value, column) if counts[index] else ():
                    cells.setdefault(part, []).append(index)
            found = sorted(cells.items(), key=lambda each: -int(counts[each[1]].sum()))
            if rest := found[_UNKNOWN_LISTED:]:
                indices = [index for _, each in rest for index in each]
                found[_UNKNOWN_LISTED:] = [(f"({len(rest):,} other values)", indices)]
            for part, indices in found:
                rows = segment.rows[np.isin(column.codes, indices)]
                file, first = segment.table.name, int(rows[0]) + 1
                yield UnknownValue(file, code, rule.column, part, len(rows), first)

    def _columns(
        self, segment: Segment, last: Collection[str] = ()
    ) -> Iterator[tuple[ColumnRule, Column]]:
        """The rules with their columns of a segment, as far as its file has them."""
        for rule in sorted(self.rules, key=lambda rule: rule.column in last):
            if (column := segment.table.columns.get(rule.column)) is not None:
                yield rule, column.take(segment.rows)


def rules_for(
    question: CodedQuestion, points: Sequence[CodedDatapoint], source: Source
) -> QuestionRules:
    """The rules of a question whose datapoints are `points`."""
    missing = missing_codes(question, source)
    by_point = _indices(points)
    if question.column is not None:
        bands = tuple((point, index) for index, point in enumerate(points) if point.is_band)
        separator = question.separator
        rules = [ColumnRule(question.column, by_point, missing, bands, separator=separator)]
    elif question.across:
        rules = [ColumnRule(column, by_point, missing) for column in question.across]
    else:
        by_suffix, codes = _indices(question.suffixes), suffix_codes(question.suffixes)
        rules: list[ColumnRule] = []
        for index, point in enumerate(points):
            item = _item_rule(question, point, missing, index)
            if question.kind == "multiple":
                rules.append(replace(item, column=point.column or ""))
            elif point.column is not None:
                rules.append(ColumnRule(point.column, by_suffix, missing, point=index))
            else:
                cells = point.columns.items()
                rules += [replace(item, column=c, suffix=codes.index(code)) for code, c in cells]
    return QuestionRules(question, points, tuple(rules))


def missing_codes(question: CodedQuestion, source: Source) -> dict[str, int]:
    """The values that mean one of the negative codes in a question's columns."""
    listed = {
        value for part in (*question.points, *question.suffixes) for value in meanings_of(part)
    }
    # A question that lists a value as its answer means it.
    everywhere = {canonical_value(value) for value in source.missing} - listed
    asked = source.not_asked if question.not_asked is None else question.not_asked
    chosen = source.not_selected if question.not_selected is None else question.not_selected
    codes = dict.fromkeys(everywhere, NO_ANSWER)
    # Later entries win, of which the missing values of the question itself are the last.
    codes |= {canonical_value(value): NOT_ASKED for value in asked}
    codes |= {canonical_value(value): NOT_SELECTED for value in chosen}
    return codes | {canonical_value(value): NO_ANSWER for value in question.missing}


def _declared(value: str, column: Column) -> int | None:
    """The code that the file itself gives a value or an empty cell; None for an answer."""
    if value in column.missing:
        return NOT_ASKED if value in column.not_asked else NO_ANSWER
    return None if value else NOT_ASKED


def _indices(parts: Sequence[CodedDatapoint | CodedSuffix]) -> dict[str, int]:
    return {value: index for index, part in enumerate(parts) for value in meanings_of(part)}


def _item_rule(
    question: CodedQuestion, point: CodedDatapoint, missing: Mapping[str, int], index: int
) -> ColumnRule:
    """The rule of a column, yet to be named, in which a datapoint is selected or not."""
    own = meanings_of(point) or tuple(map(canonical_value, question.selected))
    indices = dict.fromkeys(own, 0)
    # A value that means "selected" here is an answer, whatever it means in other columns.
    kept = {value: code for value, code in missing.items() if value not in indices}
    return ColumnRule("", indices, kept, other=UNKNOWN if indices else 0, point=index)


def found_values(
    question: CodedQuestion, tables: Sequence[ReadColumns], source: Source
) -> list[str]:
    """Every value found that means nothing else, in order."""
    name = question.column or ""
    missing = missing_codes(question, source)
    values = {
        value
        for table in tables
        if (column := table.columns.get(name)) is not None
        for value, _ in column.counted()
        if value not in missing and value not in column.missing
    }
    orders = (table.variables[name].order for table in tables if name in table.variables)
    order = next(filter(None, orders), ())
    return sorted_values(values, order)


def sorted_values(values: Iterable[str], order: Sequence[str] = ()) -> list[str]:
    """Values in the order that a source gives them; then others, in their own."""
    listed = [*values]
    ranks = {value: rank for rank, value in enumerate(order)}
    known = sorted((value for value in listed if value in ranks), key=ranks.__getitem__)
    return [*known, *text_order(value for value in listed if value not in ranks)]
