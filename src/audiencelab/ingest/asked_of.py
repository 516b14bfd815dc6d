"""Who was asked a question, by conditions on other columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from audiencelab.ingest.codebook import AskedCondition, CodedQuestion, canonical_value
from audiencelab.ingest.meaning.guess import CODEBOOK, Guess
from audiencelab.ingest.waves import Segment
from audiencelab.survey.answers import Answers, Flags
from audiencelab.survey.errors import listed


@dataclass
class AskedOf:
    """The conditions of a question, and what they did in each wave.

    rows: respondents, and others: those of them who do not count as asked by a condition alone.
    answered: those who gave an answer though a condition is false; they count as asked.
    without: files that lack a column of a condition.
    """

    question: CodedQuestion
    rows: dict[str, int] = field(default_factory=dict[str, int])
    others: dict[str, int] = field(default_factory=dict[str, int])
    answered: dict[str, int] = field(default_factory=dict[str, int])
    without: dict[str, None] = field(default_factory=dict[str, None])

    def apply(self, answers: Answers, wave: str, segments: Sequence[Segment]) -> Answers:
        """The answers of a wave with who was asked by the conditions."""
        is_true = np.concatenate([self._are_true(segment) for segment in segments])
        values = answers.values if answers.values.dtype == np.bool_ else answers.values >= 0
        has_answer = values.reshape(len(is_true), -1).any(axis=1)
        counts = is_true | has_answer
        asked, items = answers.asked_by(len(is_true)), answers.items
        self.rows[wave] = len(is_true)
        self.others[wave] = int((asked & ~counts).sum())
        self.answered[wave] = int((has_answer & ~is_true).sum())
        kept = None if items is None else items & counts[:, None]
        return replace(answers, asked=asked & counts, items=kept)

    def _are_true(self, segment: Segment) -> Flags:
        """Of whom all conditions are true, bool[k]; those on columns that are not there are."""
        found = np.ones(len(segment.rows), np.bool_)
        for condition in self.question.asked_of:
            column = segment.table.columns.get(condition.column)
            if column is None:
                self.without[f"{condition.column} of {segment.table.name}"] = None
                continue
            values = {*map(canonical_value, condition.values or condition.not_values)}
            # One more entry at the end: an empty cell has the code -1.
            is_in = np.array([each in values for each in (*column.values, "")])
            found &= is_in[column.codes[segment.rows]] == bool(condition.values)
        return found

    def guesses(self) -> list[Guess]:
        """What the conditions did."""
        code = self.question.code
        who = self.question.universe or " and ".join(map(in_words, self.question.asked_of))
        rows, others = sum(self.rows.values()), sum(self.others.values())
        said = f"asked of {who}"
        told = [Guess(code, "base", said, severity=3)]
        if others:
            said += f": {others:,} of {rows:,} were not, and have 'not chosen' in the file"
            told = [Guess(code, "base", said, CODEBOOK, 1)]
        if answered := sum(self.answered.values()):
            said = f"{answered:,} gave an answer and are not {who}: they count as asked"
            told.append(Guess(code, "base", said, CODEBOOK, 1))
        if self.without:
            said = f"asked of {who}, and there is no column {listed([*self.without])}: all count "
            told.append(Guess(code, "base", said + "as asked there", CODEBOOK, 0))
        return told


def in_words(condition: AskedCondition) -> str:
    """A condition as text.

    >>> from audiencelab.ingest.codebook import AskedCondition
    >>> in_words(AskedCondition("smoke", (1, "")))
    'smoke = 1 or no answer'
    """
    given = condition.values or condition.not_values
    values = (canonical_value(each) or "no answer" for each in given)
    return f"{condition.column} {'=' if condition.values else '≠'} {' or '.join(values)}"


def in_doubt(question: CodedQuestion, rows: int, without: int) -> Guess:
    """That everyone counts as asked in a question of some.

    rows: respondents. without: those of them who chose nothing.
    """
    said = f"asked of {question.universe}, and all {rows:,} count as asked: the file has 'not "
    said += f"chosen' for the others, too ({without:,} chose nothing). In the codebook: asked_of"
    return Guess(question.code, "base", said, CODEBOOK, 0)
