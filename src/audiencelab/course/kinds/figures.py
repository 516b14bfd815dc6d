"""Answers that are several figures, each under the name of an answer to a question."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from audiencelab.course.kinds.kind import Kind
from audiencelab.course.kinds.name import code_of, labels_of
from audiencelab.course.kinds.number import single_number
from audiencelab.course.respondents import Respondents

__all__ = ["Figures"]

_ADVICE = 'A Series with labels will do: frame.set_index("column")["column_percentage"].'


@dataclass(frozen=True)
class Figures(Kind):
    """A figure for each of some answers of a question: a Series, a dict, or a frame of one line.

    datapoints: their codes. Figures of other answers of the question are let pass.
    """

    question: str
    datapoints: tuple[str, ...]
    tolerance: float

    @property
    def asks_for(self) -> str:
        """The kind in words."""
        return f"{len(self.datapoints)} figures in per cent, each with its label"

    def read(self, given: Any, respondents: Respondents) -> dict[str, float]:
        found = self._by_code(given, respondents)
        labels = labels_of(self.question, respondents)
        if missing := [labels[code] for code in self.datapoints if code not in found]:
            raise self.refuse(given, f"There is none for {', '.join(missing)}. {_ADVICE}")
        return {code: found[code] for code in self.datapoints}

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        return all(abs(answer[code] - wanted[code]) <= self.tolerance for code in self.datapoints)

    def shown(self, answer: Any, respondents: Respondents) -> str:
        labels = labels_of(self.question, respondents)
        return ", ".join(f"{labels[code]} {answer[code]:.1f}" for code in self.datapoints)

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        share = {code: 100 * figure for code, figure in answer.items()}
        if self.same(share, wanted, respondents):
            return "share", "Those are shares of 1. Exercises ask for per cent: times 100."
        right = sum(abs(answer[code] - wanted[code]) <= self.tolerance for code in self.datapoints)
        if right:
            return "some", f"{right} of {len(self.datapoints)} are right."
        return None

    def _by_code(self, given: Any, respondents: Respondents) -> dict[str, float]:
        found: dict[str, float] = {}
        for label, value in self._items(given):
            # Frames of results name lines by several levels; one of them is the answer's.
            names = cast("tuple[Any, ...]", label) if isinstance(label, tuple) else (label,)
            codes = {code_of(str(name), self.question, respondents) for name in names} - {None}
            figure = single_number(value)
            if len(codes) == 1 and figure is not None and math.isfinite(figure):
                found[cast(str, codes.pop())] = figure
        return found

    def _items(self, given: Any) -> list[tuple[Any, Any]]:
        if isinstance(given, Mapping):
            return list(cast("Mapping[Any, Any]", given).items())
        shape = getattr(given, "shape", ())
        if len(shape) == 2 and 1 in shape and hasattr(given, "iloc"):
            given = given.iloc[0] if shape[0] == 1 else given.iloc[:, 0]
        if len(getattr(given, "shape", ())) == 1 and hasattr(given, "items"):
            return list(given.items())
        raise self.refuse(given, _ADVICE)
