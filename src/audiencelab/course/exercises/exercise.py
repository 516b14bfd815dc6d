"""What an exercise is: how its answer is worked out, and the slips that are worth a word.

Not here: the exercises themselves (a module for each lesson), and the texts of the lessons, which
stand in the notebooks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from audiencelab.course.kinds import Kind
from audiencelab.course.respondents import Respondents

__all__ = ["YEAR", "Exercise", "Mistake"]

YEAR = 'year = ["q1_2025", "q2_2025", "q3_2025", "q4_2025"]'
"""Code that names the waves a crosstab counts unless told; the lessons have the same line."""

Reckoned = Callable[[Respondents], Any]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A classic slip.

    name: what an instructor's report calls it. words: what a student is told, without the answer.
    value: the answer that this slip leads to.
    """

    name: str
    words: str
    value: Reckoned


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise.

    number: lesson and place, such as "1.2". kind: what its answer looks like. answer: worked out
    from the respondents, not by the client. hints: steps towards it, the first the smallest.
    way: the code by which a student gets there with the client, as an expression over the names
    `al` and `mine`, after the lines of `steps`.
    """

    number: str
    title: str
    kind: Kind
    answer: Reckoned
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, ...]
    way: str
    steps: str = ""

    @property
    def lesson(self) -> int:
        """The lesson it belongs to, from 1."""
        return int(self.number.partition(".")[0])
