"""The columns of a codebook's questions, as they are compared: by what their values mean there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from audiencelab.ingest.codebook import Codebook, CodedQuestion, meanings_of
from audiencelab.ingest.drift.seen import Seen
from audiencelab.ingest.value_mapping import (
    NOT_SELECTED,
    QuestionRules,
    cell_parts,
    rules_for,
)


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
