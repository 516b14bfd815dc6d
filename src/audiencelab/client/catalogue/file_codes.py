"""Answers by the codes that they have in the file: `client["gender"] == 2`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from audiencelab.client.catalogue.bands import BandedQuestion
from audiencelab.client.catalogue.numbers import numbered, spans_of
from audiencelab.expressions import is_number
from audiencelab.expressions.question import is_list
from audiencelab.schema import Datapoint
from audiencelab.schema.scales import keeps_numbers

if TYPE_CHECKING:
    from audiencelab.survey.reader import Survey


class FileCodedQuestion(BandedQuestion, Protocol):
    """A question that knows whether the numbers in the codes of its answers are the file's."""

    @property
    def file_coded(self) -> bool | None: ...


def file_coded(survey: Survey) -> Mapping[str, bool]:
    """Whether the codes of answers end in the values of the file, by the code of the question.

    The codes of answers that are words in the file are numbered in their order instead.
    """
    codebook: Mapping[str, Any] = survey.codebook or {}
    found: dict[str, bool] = {}
    for question in codebook.get("questions", ()):
        values = [*_values(question)]
        if values and "derive" not in question:
            found[question["code"]] = all(
                value.isdecimal() and code in ("", f"{question['code']}_{value}")
                for code, value in values
            )
    return found


def _values(question: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The code that a codebook states for each answer, or "", and its value in the file."""
    for value in question.get("labels", ()):
        yield "", value
    for point in question.get("datapoints", ()):
        own, others = point.get("value"), point.get("values", ())
        value = f"{own:g}" if isinstance(own, float) else str(own)
        yield point.get("code") or "", "" if own is None or others else value


def by_numbers(question: FileCodedQuestion, given: Any) -> Any:
    """Answers with codes in place of numbers, those of the file too; others as they are.

    Raises `ValueError` for a number that may be one of two answers, or that is within one.
    """
    if is_list(given):
        return [by_numbers(question, each) for each in given]
    if is_number(given) and question.file_coded and not keeps_numbers(question.record):
        found = by_code_or_score(question, float(cast(float, given)))
        return found or numbered(question, given)
    return numbered(question, given)


def by_code_or_score(question: FileCodedQuestion, value: float) -> str:
    """The answer with that code of the file, or that score; "" where there is none.

    Raises `ValueError` for a number that is the code of one answer, and the score of another or
    within it.
    """
    answers = question.datapoints
    codes = [each.code for each in answers if file_code(each) == value]
    if question.file_coded is False and question.record.kind != "multiple":
        codes = []
    spans = spans_of(answers)
    scores = [code for code, (low, high) in spans.items() if low == high == value]
    around = [code for code, ends in spans.items() if ends[0] <= value <= ends[1]]
    others = scores or [code for code in around if all(map(math.isfinite, spans[code]))]
    if codes and others and codes[0] not in others:
        names = {each.code: each.name or each.code for each in answers}
        code, other = names[codes[0]], names[others[0]]
        said = f"the score of {other!r}" if scores else f"within {other!r}"
        raise ValueError(
            f"{value:g} is the code of {code!r} and {said}: write the answer by its name. "
            f"Write client[{question.code!r}] == {code!r}."
        )
    return next(iter(codes or scores), "")


def file_code(answer: Datapoint) -> float | None:
    """The code that an answer has in the file, at the end of its own: 4 of `q5_4`."""
    try:
        return float(answer.code.rpartition("_")[2])
    except ValueError:
        return None
