"""The answers of a survey as the columns that they were made of, so that edits make them again.

What a survey does not hold is not in them: which of several values of one answer a respondent
gave, and which value meant that there was no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    canonical_value,
    datapoint_codes,
    meanings_of,
    suffix_codes,
)
from audiencelab.ingest.columns import MISSING, Column, Piece, Progress, Variable
from audiencelab.ingest.readers.base import ReadColumns, SurveyFile
from audiencelab.ingest.value_mapping import NO_ANSWER, NOT_SELECTED, QuestionRules
from audiencelab.ingest.waves import Segment
from audiencelab.survey.answers import Flags, QuestionBits, unpack

# NUL is in no text of a file, so no answer can be mistaken for a marker.
_NONE = "\0 no answer"
_NOT_CHOSEN = "\0 not chosen"
_CHOSEN = "\0 chosen"

Numbers = npt.NDArray[np.float64]


def is_answer(value: str) -> bool:
    """Whether a value of a stored column is an answer, and no marker."""
    return not value.startswith("\0")


def is_unticked(value: str) -> bool:
    """Whether a value of a stored column of ticks means that an item was not chosen."""
    return value == _NOT_CHOSEN


class _Stored(SurveyFile):
    """A wave of a survey as a source: its columns are given, not read."""

    def __init__(self, variables: Mapping[str, Variable], columns: Sequence[str]) -> None:
        super().__init__(Path("survey"))
        self.variables = variables
        self.header = tuple(columns)

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        raise NotImplementedError  # pragma: no cover - its columns are there already


def with_markers(rules: QuestionRules) -> QuestionRules:
    """Rules that also read what stored columns hold for no answer, and for what was not chosen."""
    markers = {_NONE: NO_ANSWER, _NOT_CHOSEN: NOT_SELECTED}
    own = (replace(each, missing_codes={**each.missing_codes, **markers}) for each in rules.rules)
    return replace(rules, rules=tuple(own))


def segment_of(
    found: Sequence[tuple[CodedQuestion, QuestionBits, Numbers | None]], respondents: int
) -> Segment:
    """The columns of some questions in a wave, as the rows of a file."""
    columns: dict[str, Column] = {}
    variables: dict[str, Variable] = {}
    for question, bits, numbers in found:
        stored = _StoredQuestion(question, bits, numbers, respondents)
        columns |= stored.columns()
        if question.kind == "single" and bits.not_offered and question.column is not None:
            variables[question.column] = Variable(labels=stored.offered())
    table = ReadColumns(_Stored(variables, [*columns]), respondents, columns)
    return Segment(table, np.arange(respondents), np.ones(respondents), {})


class _StoredQuestion:
    """A question with its answers in a wave."""

    def __init__(
        self,
        question: CodedQuestion,
        bits: QuestionBits,
        numbers: Numbers | None,
        respondents: int,
    ) -> None:
        self._question = question
        self._bits = bits
        self._numbers = numbers
        self._respondents = respondents
        self._codes = datapoint_codes(question, question.points)

    def offered(self) -> dict[str, str]:
        """The values of the answers that the wave offered, as the labels of a file."""
        points = zip(self._codes, self._question.points, strict=True)
        kept = [each for code, each in points if code not in self._bits.not_offered or each.waves]
        return {value: each.name for each in kept for value in self._values(each)}

    def columns(self) -> dict[str, Column]:
        """The columns by their names."""
        question = self._question
        if question.kind == "grid":
            return self._grid()
        if question.separator is not None and question.column is not None:
            return {question.column: self._separated(question.separator)}
        if question.across:
            return self._spread()
        if question.column is not None:
            return {question.column: self._single()}
        asked = self._flags(self._bits.asked)
        return {
            point.column: self._ticks(point, code, asked)
            for code, point in zip(self._codes, question.points, strict=True)
            if point.column is not None
        }

    def _flags(self, bits: npt.NDArray[np.uint64]) -> Flags:
        return unpack(bits, self._respondents)

    def _given(self, code: str, suffix: str | None = None) -> Flags:
        return self._flags(self._bits.datapoint(code, () if suffix is None else (suffix,)))

    def _values(self, point: CodedDatapoint) -> tuple[str, ...]:
        """The values that mean an answer; of a band some number in it."""
        if known := meanings_of(point):
            return known
        ends = (point.midpoint, point.min, point.max, (point.below or 0) - 1, 0.0)
        inside = (each for each in ends if each is not None and point.holds(each))
        return tuple(canonical_value(each) for each in list(inside)[:1])

    def _single(self) -> Column:
        values: list[str] = [_NONE]
        asked = self._flags(self._bits.asked)
        codes = np.where(asked, 0, MISSING).astype(np.int32)
        for code, point in zip(self._codes, self._question.points, strict=True):
            given = self._given(code)
            # The numbers themselves, so that an edit can cut other bands or leave one number out.
            if point.is_band and self._numbers is not None:
                own, places = np.unique(self._numbers[given], return_inverse=True)
                codes[given] = len(values) + places
                values += [canonical_value(float(each)) for each in own]
            else:
                codes[given] = len(values)
                values += self._values(point)[:1] or [_NONE]
        return _column(codes, values)

    def _ticks(
        self, point: CodedDatapoint, code: str, asked: Flags, suffix: str | None = None
    ) -> Column:
        """A column of ticks: of an item, or with a suffix of a cell of a grid."""
        own = meanings_of(point) or tuple(map(canonical_value, self._question.selected))
        codes = np.where(asked, 0, MISSING).astype(np.int32)
        # In this order: asked the question, asked the item, chose it. Each overwrites the one
        # before.
        codes[self._flags(self._bits.asked_of(code))] = 1
        codes[self._given(code, suffix)] = 2
        return _column(codes, [_NONE, _NOT_CHOSEN, *(own[:1] or [_CHOSEN])])

    def _grid(self) -> dict[str, Column]:
        question, columns = self._question, dict[str, Column]()
        suffixes = suffix_codes(question.suffixes)
        for code, point in zip(self._codes, question.points, strict=True):
            item = self._flags(self._bits.asked_of(code))
            for suffix, name in point.columns.items():
                columns[name] = self._ticks(point, code, item, suffix)
            if point.column is None:
                continue
            codes = np.where(item, 0, MISSING).astype(np.int32)
            values = [_NONE]
            for suffix, each in zip(suffixes, question.suffixes, strict=True):
                codes[self._given(code, suffix)] = len(values)
                values += meanings_of(each)[:1]
            columns[point.column] = _column(codes, values)
        return columns

    def _separated(self, separator: str) -> Column:
        flags = np.array([self._given(code) for code in self._codes])
        # Each combination of answers once: cells repeat, and texts are made for the different ones
        # alone.
        kinds, places = np.unique(flags, axis=1, return_inverse=True)
        own = [meanings_of(each)[0] for each in self._question.points]
        cells = [
            separator.join(value for value, is_in in zip(own, kind, strict=True) if is_in) or _NONE
            for kind in kinds.T
        ]
        asked = self._flags(self._bits.asked)
        return _column(np.where(asked, places.reshape(-1), MISSING).astype(np.int32), cells)

    def _spread(self) -> dict[str, Column]:
        """Each chosen value in the next of the columns that it may be in."""
        own = [meanings_of(each)[0] for each in self._question.points]
        names = self._question.across
        table = np.full((len(names), self._respondents), MISSING, np.int32)
        used = np.zeros(self._respondents, np.int32)
        for place, code in enumerate(self._codes, start=1):
            rows = np.flatnonzero(self._given(code))
            # A respondent never has more values than there are columns, where they came from.
            table[used[rows], rows] = place
            used[rows] += 1
        table[0, self._flags(self._bits.asked) & (used == 0)] = 0
        return {
            name: _column(codes, [_NONE, *own]) for name, codes in zip(names, table, strict=True)
        }


def _column(codes: npt.NDArray[np.int32], values: Sequence[str]) -> Column:
    return Column(codes, tuple(values))
