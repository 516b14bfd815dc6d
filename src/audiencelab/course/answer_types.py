"""The types of answer that exercises ask for.

Each parses a student's answer (`read`) into plain JSON, which can be stored and checked again, and
compares two answers (`same`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from numbers import Real
from typing import Any, cast

from audiencelab.client import connect as connect_to
from audiencelab.course.errors import AnswerError
from audiencelab.course.reference import Respondents
from audiencelab.expressions import Audience, Expression, parse_expression

_ADVICE = 'A Series with labels will do: frame.set_index("column")["column_percentage"].'


class AnswerType(ABC):
    """A type of answer. Plain answers are JSON, so that they can be stored and checked again."""

    @property
    @abstractmethod
    def asks_for(self) -> str:
        """The type as text: "a number (percent)"."""

    @abstractmethod
    def read(self, given: Any, respondents: Respondents) -> Any:
        """The answer as plain JSON; raises `AnswerError` for another type."""

    @abstractmethod
    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        """Whether two plain answers are equal, up to rounding."""

    @abstractmethod
    def shown(self, answer: Any, respondents: Respondents) -> str:
        """A plain answer as text for an instructor."""

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        """A common mistake with this type of answer: its name, and the feedback."""
        return None

    def refuse(self, given: Any, advice: str) -> AnswerError:
        """The error for an answer of another type."""
        return AnswerError(
            f"This exercise asks for {self.asks_for}; you gave {shown_type(given)}. {advice}"
        )


def is_waiting(given: Any) -> bool:
    """Whether there is no answer yet: exercises contain `...` instead of one."""
    return given is None or given is Ellipsis


def shown_type(given: Any) -> str:
    """A description of a value's type."""
    shape = getattr(given, "shape", None)
    name = type(given).__name__
    if isinstance(shape, tuple) and shape:
        return f"a {name} of {' × '.join(map(str, shape))}"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- whatever has a shape
    if isinstance(given, str):
        return f"the text {given[:40]!r}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


@dataclass(frozen=True)
class Number(AnswerType):
    """One number.

    unit: of the number. tolerance: for rounding, in that unit. digits: decimals in an instructor's
    report.
    """

    unit: str
    tolerance: float
    digits: int = 1

    @property
    def asks_for(self) -> str:
        """The type as text."""
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
            raise TypeError("a bool is not a number")
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


@dataclass(frozen=True)
class Name(AnswerType):
    """One answer of a question, by its label or its code.

    question: its code. noun: for such an answer, such as "channel".
    """

    question: str
    noun: str

    @property
    def asks_for(self) -> str:
        """The type as text."""
        return f"the name of a {self.noun}, as text"

    def read(self, given: Any, respondents: Respondents) -> str:
        if not isinstance(given, str):
            raise self.refuse(given, "Write it in quotation marks.")
        found = code_of(given, self.question, respondents)
        if found is None:
            labels = list(labels_of(self.question, respondents).values())
            near = get_close_matches(given, labels, 3, 0.4) or labels[:3]
            raise self.refuse(given, f"No {self.noun} is called so. For example: {near}")
        return found

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        return answer == wanted

    def shown(self, answer: Any, respondents: Respondents) -> str:
        return labels_of(self.question, respondents)[answer]


def labels_of(question: str, respondents: Respondents) -> dict[str, str]:
    """The labels of a question's answers, by code."""
    return {
        point.code: point.name
        for point in respondents.survey.catalogue.question(question).datapoints
    }


def code_of(given: str, question: str, respondents: Respondents) -> str | None:
    """The code of the answer with a label or a code; None where there is none."""
    wanted = " ".join(given.split()).casefold()
    for code, label in labels_of(question, respondents).items():
        if wanted in (code.casefold(), label.casefold()):
            return code
    return None


@dataclass(frozen=True)
class FiguresByAnswer(AnswerType):
    """A value for each of some answers of a question: a Series, a dict, or a frame of one row.

    datapoints: their codes. Values of other answers of the question are ignored.
    """

    question: str
    datapoints: tuple[str, ...]
    tolerance: float

    @property
    def asks_for(self) -> str:
        """The type as text."""
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
            # Frames of results have several index levels; one of them is the answer's.
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


class AudienceAnswer(AnswerType):
    """An audience or expression; two are equal if they have the same respondents."""

    @property
    def asks_for(self) -> str:
        """The type as text."""
        return "an audience or an expression"

    def read(self, given: Any, respondents: Respondents) -> Any:
        expression = given.expression if isinstance(given, Audience) else given
        if not isinstance(expression, Expression):
            raise self.refuse(given, 'Build one with al.Q("…").any("…"), and combine with & | ~.')
        return expression.to_wire("saved")

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        """Counted by the client; only here the course compares two expressions."""
        ours, theirs = (parse_expression(each) for each in (wanted, answer))
        client = connect_to(survey=respondents.survey)
        names = {"ours": ours, "theirs": theirs, "both": ours & theirs}
        table = client.crosstab(rows=[Audience(name, each) for name, each in names.items()])
        samples = set(table.to_frame()["sample"])
        return len(samples) == 1

    def shown(self, answer: Any, respondents: Respondents) -> str:
        return repr(parse_expression(answer))


Value = Callable[[Respondents], Any]


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """The answer to an exercise, computed from respondents, and the answers of mistakes."""

    kind: AnswerType
    answer: Value
    mistakes: dict[str, Value] = field(default_factory=dict[str, Value])
