"""The columns of a codebook's questions, as they are compared: by what their values mean there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from audiencelab.ingest.codebook import Codebook, CodedQuestion, meanings_of
from audiencelab.ingest.columns import Column
from audiencelab.ingest.drift.asked import LabelledColumn, WhoWasAsked, who_in_words
from audiencelab.ingest.drift.seen import Seen
from audiencelab.ingest.meaning.missing import is_word_for_nothing
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.stored_columns import with_markers
from audiencelab.ingest.value_mapping import (
    NOT_ASKED,
    NOT_SELECTED,
    ColumnRule,
    QuestionRules,
    cell_parts,
    rules_for,
)

_MOST_DOUBTFUL = 0.02
"""The part of respondents of whom it may be in doubt whether they were asked."""


class QuestionColumns:
    """The columns of the questions of a codebook. questions: the question of each, by its code."""

    def __init__(self, book: Codebook) -> None:
        self.questions: dict[str, str] = {}
        self._rules: dict[str, QuestionRules] = {}
        self._pooled: dict[str, tuple[str, ...]] = {}
        for question in book.questions:
            rules = rules_for(question, question.points, book.source)
            cells = any(point.columns for point in question.points)
            for rule in () if cells else rules.rules:
                self.questions[rule.column] = question.code
                self._rules[rule.column] = rules
            if question.across:
                self._pooled[question.across[0]] = question.across

    def unticked(self, name: str) -> str:
        """A value of a column of ticks that means "not chosen"; "" where none does."""
        rule = next(each for each in self._rules[name].rules if each.column == name)
        codes = rule.missing_codes.items()
        return next((value for value, code in codes if code == NOT_SELECTED), "")

    def with_asked(self, seen: Mapping[str, Seen], table: ReadColumns) -> dict[str, Seen]:
        """Columns of a file of one wave with who was asked them, where that is certain."""
        return {
            name: replace(each, asked=self._asked_in(table, each))
            if name in self.questions
            else each
            for name, each in seen.items()
        }

    def _asked_in(self, table: ReadColumns, seen: Seen) -> WhoWasAsked | None:
        column, rule = table.columns.get(seen.name), self._rule(seen.name)
        if column is None or rule is None:
            return None
        # What a new code or word means is not known.
        doubtful = {*seen.apart, *seen.missing} - seen.declared
        doubtful |= set(filter(is_word_for_nothing, seen.counts))
        doubtful -= rule.missing_codes.keys()
        if (
            sum(n for value, n in column.counted() if value in doubtful)
            > _MOST_DOUBTFUL * table.rows
        ):
            return None
        return self.asked(seen.name, column, lambda: self._others(seen.name, table))

    def _others(self, name: str, table: ReadColumns) -> Iterator[LabelledColumn]:
        for other, column in table.columns.items():
            if self.questions.get(other) != self.questions[name]:
                known = table.variables.get(other)
                yield LabelledColumn(other, column, known.labels if known else {})

    def asked(
        self, name: str, column: Column, others: Callable[[], Iterable[LabelledColumn]]
    ) -> WhoWasAsked | None:
        """How many rows of a column were asked its question; None where it does not show that.

        others: the columns of other questions.
        """
        rule = self._rule(name)
        if rule is None:
            return None
        codes = {rule.missing_codes.get(value) for value, _ in column.counted()}
        # In columns of ticks alone, others that were asked the question have an empty cell.
        if self._rules[name].are_ticks and NOT_SELECTED not in codes:
            return None
        is_asked = np.ones(len(column.values) + 1, np.bool_)
        for place, value in enumerate((*column.values, "")):
            # Only these may mean that; a column may have very many other values.
            if not value or value in rule.missing_codes or value in column.missing:
                is_asked[place] = rule.meaning(value, column) != NOT_ASKED
        count, rows = int(column.counts[is_asked].sum()), len(column.codes)
        return WhoWasAsked(count, rows, lambda: who_in_words(is_asked[column.codes], others()))

    def _rule(self, name: str) -> ColumnRule | None:
        if name not in self._rules or name in self._pooled:
            return None
        return next(e for e in with_markers(self._rules[name]).rules if e.column == name)

    def joined(self, seen: Mapping[str, Seen]) -> dict[str, Seen]:
        """Columns by what the codebook says of their values; any others as they are.

        Columns of which each holds one of the answers that were chosen are one: the codes of all.
        """
        found: dict[str, Seen] = {}
        parts = {name for names in self._pooled.values() for name in names[1:]}
        for name, each in seen.items():
            if name in self._pooled:
                each = _pooled([seen[n] for n in self._pooled[name] if n in seen])
            if name not in parts:
                found[name] = self._read(name, each) if name in self._rules else each
        return found

    def _read(self, name: str, seen: Seen) -> Seen:
        rules = self._rules[name]
        rule = next(each for each in rules.rules if each.column == name)
        if rule.separator is not None:
            counts: dict[str, int] = {}
            for value, count in seen.counts.items():
                for part in cell_parts(value, rule.separator, rule.indices):
                    counts[part] = counts.get(part, 0) + count
            return replace(seen, counts=counts, others=0)
        codes = rule.missing_codes.items()
        return seen.without({value for value, code in codes if value and code != NOT_SELECTED})


def named_values(question: CodedQuestion) -> dict[str, str]:
    """What the codebook calls each value of a question's columns."""
    parts = question.suffixes if question.kind == "grid" else question.points
    return {value: part.name for part in parts for value in meanings_of(part)}


def _pooled(columns: list[Seen]) -> Seen:
    counts: dict[str, int] = {}
    for each in columns:
        for value, count in each.counts.items():
            counts[value] = counts.get(value, 0) + count
    return replace(columns[0], counts=counts, text="", others=sum(each.others for each in columns))
