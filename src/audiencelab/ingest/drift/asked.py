"""Who was asked a question in two waves: whether one asked everyone, and the other only some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import natural
from audiencelab.ingest.columns import Column
from audiencelab.ingest.drift.shares import ABSENT, absence
from audiencelab.ingest.stored_columns import is_answer
from audiencelab.survey.errors import listed

Flags = npt.NDArray[np.bool_]

_ALL, _SOME, _FEW = 0.98, 0.9, 0.5
"""The parts of respondents who were asked from which on all were, and up to which only some were.

Up to the last one so many without an answer are not those who left the question out.
"""
_MOST_VALUES = 12
"""Answers of a question by which others are asked."""
_HARDLY_ANY, _NEARLY_ALL = 0.01, 0.9
"""The parts of the respondents with an answer who were asked, where that answer decides it."""


class LabelledColumn(NamedTuple):
    """A column of a wave, with the labels of its values."""

    name: str
    column: Column
    labels: Mapping[str, str]


@dataclass(frozen=True)
class WhoWasAsked:
    """How many respondents of a wave were asked a question.

    who: says which ones, "" where no answer to another question decides it.
    """

    count: int
    rows: int
    who: Callable[[], str] = field(default=str, compare=False)

    @property
    def part(self) -> float:
        """The part of the respondents who were asked."""
        return self.count / self.rows if self.rows else 0.0

    def __str__(self) -> str:
        if self.count == self.rows:
            return f"all {self.rows:,}"
        return f"{self.count:,} of {self.rows:,} ({100 * self.part:.0f}%)"


class OtherAsked(NamedTuple):
    """How those who were asked differ. is_break: whether it is certain that some were not."""

    said: str
    is_break: bool


def other_asked(old: WhoWasAsked, new: WhoWasAsked) -> OtherAsked | None:
    """How those who were asked differ: all in the one wave, and some in the other."""
    few, many = sorted((old, new), key=lambda each: each.part)
    left = few.rows - few.count
    if few.part > _SOME or many.part < _ALL or absence(left, few.rows, many.rows) > ABSENT:
        return None
    who = few.who()
    before, now = (
        f"{each}, those with {who}," if who and each is few else f"{each}" for each in (old, new)
    )
    return OtherAsked(
        f"it was asked of {before} before, and of {now} now", bool(who) or few.part <= _FEW
    )


def who_in_words(asked: Flags, cells: Iterable[LabelledColumn]) -> str:
    """The answers to another question that decide who was asked; "" where none do."""
    for name, column, labels in cells:
        if not 1 < len(column.values) <= _MOST_VALUES:
            continue
        # An empty cell first: columns that are empty together do not say what decided it.
        groups, size = column.codes.astype(np.intp) + 1, len(column.values) + 1
        total = np.bincount(groups, minlength=size)[1:]
        inside = np.bincount(groups, asked, size)[1:]
        parts = inside / np.maximum(total, 1)
        chosen, left = parts >= _NEARLY_ALL, (parts <= _HARDLY_ANY) & (total > 0)
        outside = asked.sum() - inside[chosen].sum()
        is_decided = (chosen | left | (total == 0)).all() and outside <= _HARDLY_ANY * asked.sum()
        if is_decided and chosen.any() and left.any():
            values = sorted((column.values[each] for each in np.flatnonzero(chosen)), key=natural)
            values = filter(is_answer, values)
            return f"{name} {listed([repr(labels.get(value) or value) for value in values], 3)}"
    return ""
