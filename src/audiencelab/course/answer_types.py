"""The types of answer that exercises ask for.

Each parses a student's answer (`read`) into plain JSON, which can be stored and checked again, and
compares two answers (`same`, `distinct`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from audiencelab.client import connect as connect_to
from audiencelab.course.errors import AnswerError
from audiencelab.course.given_numbers import single_number
from audiencelab.course.reference import Respondents
from audiencelab.expressions import Audience, Expression, parse_expression
from audiencelab.survey import Survey
from audiencelab.wording import plural

_ADVICE = 'A Series with labels will do: frame.set_index("column")["column_percentage"].'
_SHARE = "That may be a share of 1. The exercise asks for per cent: times 100."
_SHARE_FOR_POINTS = "That may be of shares of 1. The exercise asks for points: times 100."
_MULTIPLES = {"millions": 1e6, "thousand people": 1e3}
"""Units in which people are given."""
_DISTINCT = 10
"""How many tolerances the answers that mistakes lead to are apart in every student's survey."""


class AnswerType(ABC):
    """A type of answer. Plain answers are JSON, so that they can be stored and checked again."""

    @property
    @abstractmethod
    def asks_for(self) -> str:
        """The type as text: "a number (per cent, 2 decimals)"."""

    @abstractmethod
    def read(self, given: Any, respondents: Respondents) -> Any:
        """The answer as plain JSON; raises `AnswerError` for another type."""

    @abstractmethod
    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        """Whether two plain answers are equal, up to rounding."""

    def distinct(self, answer: Any, other: Any, respondents: Respondents) -> bool:
        """Whether two plain answers are so far apart that neither is taken for the other."""
        return not self.same(answer, other, respondents)

    @abstractmethod
    def shown(self, answer: Any, respondents: Respondents) -> str:
        """A plain answer as text for an instructor."""

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        """A common mistake with this type of answer: its name, and the feedback."""
        return None

    def advice(self, answer: Any) -> str:
        """A sentence on an answer in which no mistake is recognised; may be empty."""
        return ""

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

    unit: of the number. digits: the decimals that the exercise asks for.
    """

    unit: str
    digits: int

    @property
    def tolerance(self) -> float:
        """The greatest error of a right answer, in the unit: 0.6 of the last digit asked for."""
        return _tolerance(self.digits)

    @property
    def asks_for(self) -> str:
        """The type as text."""
        return f"a number ({self.unit}, {plural(self.digits, 'decimal')})"

    def read(self, given: Any, respondents: Respondents) -> float:
        number = single_number(self._without_unit(given))
        if number is None:
            advice = 'Pick one figure, for example frame["size"].iloc[0].'
            if isinstance(given, str):
                advice = "Give the number alone, without quotation marks: 54.7"
            raise self.refuse(given, advice)
        if not math.isfinite(number):
            raise self.refuse(given, "It is missing or infinite: look at the figure it came from.")
        return number

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        if isinstance(answer, bool):
            raise TypeError("a bool is not a number")
        return _near(answer, wanted, self.tolerance)

    def distinct(self, answer: Any, other: Any, respondents: Respondents) -> bool:
        return not _near(answer, other, _DISTINCT * self.tolerance)

    def shown(self, answer: Any, respondents: Respondents) -> str:
        return f"{answer:,.{self.digits}f}"

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        if self.unit.startswith(("per cent", "points")):
            percent = 100 * answer
            if self.same(percent, wanted, respondents) or self.is_rounded(percent, wanted):
                return "share", _SHARE_FOR_POINTS if self.unit == "points" else _SHARE
        people = answer / _MULTIPLES.get(self.unit, 1)
        if people != answer and self.same(people, wanted, respondents):
            return "unit", f"That is in people. The exercise asks for {self.unit}."
        if wanted and self.same(-answer, wanted, respondents):
            return "sign", "The right size with the wrong sign."
        if self.is_rounded(answer, wanted):
            return "rounded", f"That may be the right value, rounded. {_more(self.digits)}"
        if self.unit == "per cent" and not 0 <= answer <= 100:
            return "impossible", "A percentage of people lies between 0 and 100."
        return None

    def advice(self, answer: Any) -> str:
        if self.digits and round(answer, self.digits - 1) == answer:
            return f"{_more(self.digits)[:-1]}, so that common mistakes can be recognised."
        return ""

    def is_rounded(self, answer: float, wanted: float) -> bool:
        """Whether an answer may be the right one, rounded to fewer digits than asked for."""
        return _is_rounded(answer, wanted, self.digits)

    def _without_unit(self, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        units = (self.unit, "%") if self.unit.startswith("per cent") else (self.unit,)
        text = given.strip()
        return next((text.removesuffix(unit) for unit in units if text.endswith(unit)), text)


class WholeNumber(Number):
    """A number of respondents, bars and the like: right only if it is exact."""

    def __init__(self, unit: str) -> None:
        super().__init__(unit, 0)

    @property
    def tolerance(self) -> float:
        """The greatest error of a right answer: none."""
        return 0.0

    @property
    def asks_for(self) -> str:
        """The type as text."""
        return f"a number ({self.unit})"

    def is_rounded(self, answer: float, wanted: float) -> bool:
        """Never: a count has few digits."""
        return False


def _tolerance(digits: int) -> float:
    return 0.6 * 10.0**-digits


def _near(answer: float, other: float, tolerance: float) -> bool:
    # The errors of arithmetic are relative.
    return abs(answer - other) <= tolerance + 1e-9 * abs(other)


def _is_rounded(answer: float, wanted: float, digits: int) -> bool:
    """Whether it is `wanted`, rounded to fewer digits; a single digit says too little for that."""
    return any(
        math.isclose(answer, round(wanted, fewer), rel_tol=1e-9)
        and (fewer == digits - 1 or abs(answer) * 10.0**fewer >= 10)
        for fewer in range(digits - 1, -10, -1)
    )


def _more(digits: int) -> str:
    return f"Give {plural(digits, 'decimal')}." if digits else "Give all digits."


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

    datapoints: their codes. Values of other answers of the question are ignored. digits: the
    decimals that the exercise asks for.
    """

    question: str
    datapoints: tuple[str, ...]
    digits: int

    @property
    def tolerance(self) -> float:
        """The greatest error of a right figure, in points: 0.6 of the last digit asked for."""
        return _tolerance(self.digits)

    @property
    def asks_for(self) -> str:
        """The type as text."""
        decimals = plural(self.digits, "decimal")
        return f"{len(self.datapoints)} figures in per cent ({decimals}), each with its label"

    def read(self, given: Any, respondents: Respondents) -> dict[str, float]:
        found = self._by_code(given, respondents)
        labels = labels_of(self.question, respondents)
        if missing := [labels[code] for code in self.datapoints if code not in found]:
            raise self.refuse(given, f"There is none for {', '.join(missing)}. {_ADVICE}")
        return {code: found[code] for code in self.datapoints}

    def same(self, answer: Any, wanted: Any, respondents: Respondents) -> bool:
        return self._right(answer, wanted) == len(self.datapoints)

    def distinct(self, answer: Any, other: Any, respondents: Respondents) -> bool:
        return any(
            not _near(answer[code], other[code], _DISTINCT * self.tolerance)
            for code in self.datapoints
        )

    def shown(self, answer: Any, respondents: Respondents) -> str:
        labels = labels_of(self.question, respondents)
        return ", ".join(
            f"{labels[code]} {answer[code]:.{self.digits}f}" for code in self.datapoints
        )

    def remark(self, answer: Any, wanted: Any, respondents: Respondents) -> tuple[str, str] | None:
        percent = {code: 100 * figure for code, figure in answer.items()}
        if self._rounded(percent, wanted):
            return "share", _SHARE
        if self._rounded(answer, wanted):
            return "rounded", f"Those may be the right values, rounded. {_more(self.digits)}"
        if right := self._right(answer, wanted):
            return "some", f"{right} of {len(self.datapoints)} are right."
        return None

    def _right(self, answer: dict[str, float], wanted: dict[str, float]) -> int:
        """The number of figures that are right."""
        return sum(_near(answer[code], wanted[code], self.tolerance) for code in self.datapoints)

    def _rounded(self, answer: dict[str, float], wanted: dict[str, float]) -> bool:
        return all(
            _near(answer[code], wanted[code], self.tolerance)
            or _is_rounded(answer[code], wanted[code], self.digits)
            for code in self.datapoints
        )

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
        client = connect_to(survey=cast("Survey", respondents.survey))
        names = {"ours": ours, "theirs": theirs, "both": ours & theirs}
        table = client.crosstab(rows=[Audience(name, each) for name, each in names.items()])
        samples = set(table.to_frame()["sample"])
        return len(samples) == 1

    def distinct(self, answer: Any, other: Any, respondents: Respondents) -> bool:
        """Any two expressions: one respondent of thousands tells their audiences apart."""
        return answer != other

    def shown(self, answer: Any, respondents: Respondents) -> str:
        return repr(parse_expression(answer))


Value = Callable[[Respondents], Any]


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """The answer to an exercise, computed from respondents, and the answers of mistakes."""

    kind: AnswerType
    answer: Value
    mistakes: dict[str, Value] = field(default_factory=dict[str, Value])
