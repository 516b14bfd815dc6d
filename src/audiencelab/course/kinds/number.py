"""Answers that are one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, cast

from audiencelab.course.kinds.kind import Kind
from audiencelab.course.respondents import Respondents

__all__ = ["Number", "single_number"]


@dataclass(frozen=True)
class Number(Kind):
    """One number.

    unit: what it counts. tolerance: how far off rounding may bring it, in that unit. digits: how
    many behind the point an instructor is shown.
    """

    unit: str
    tolerance: float
    digits: int = 1

    @property
    def asks_for(self) -> str:
        """The kind in words."""
        return f"a number ({self.unit})"

    def read(self, given: Any, respondents: Respondents) -> float:
        number = single_number(given)
        if number is None:
            advice = 'Pick one figure, for example frame["size"].iloc[0].'
            if isinstance(given, str):
                advice = "Give the number without quotation marks and without its unit."
            raise self.refuse(given, advice)
        if not math.isfinite(number):
            raise self.refuse(given, "It is missing or infinite: look at the figure it came from.")
        return number

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        if isinstance(answer, bool):
            raise TypeError("true is no number, whatever JSON's readers make of it")
        return self._same_with(answer, wanted, self.tolerance)

    def shown(self, answer: Any, respondents: Respondents) -> str:
        return f"{answer:,.{self.digits}f}"

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        same = self._same_with
        if self.unit == "per cent" and same(100 * answer, wanted, 100 * 0.0006):
            return "share", "That is a share of 1. Exercises ask for per cent: times 100."
        if self.unit == "millions" and same(answer / 1e6, wanted, self.tolerance):
            return "unit", "That is in people. The exercise asks for millions."
        if wanted and same(-answer, wanted, self.tolerance):
            return "sign", "The right size with the wrong sign: look again who is taken from whom."
        if self.tolerance and same(answer, wanted, 10 * self.tolerance):
            return "rounding", "Very close. Give more digits, and round at the very end only."
        if self.unit == "per cent" and not 0 <= answer <= 100:
            return "impossible", "A percentage of people lies between 0 and 100."
        return None

    @staticmethod
    def _same_with(answer: float, wanted: float, tolerance: float) -> bool:
        return abs(answer - wanted) <= tolerance + 1e-9 * abs(wanted)


def single_number(given: Any) -> float | None:
    """A number, also one in a table of a single cell; None for anything else."""
    if getattr(given, "size", None) == 1 and hasattr(given, "to_numpy"):
        given = given.to_numpy().reshape(-1)[0]
    elif getattr(given, "size", None) == 1 and hasattr(given, "item"):
        given = given.item()
    if isinstance(given, bool) or not isinstance(given, Real):
        return None
    return float(cast(float, given))
