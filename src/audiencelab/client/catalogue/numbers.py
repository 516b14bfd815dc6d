"""Answers by numbers: the points of a scale, and the ranges that names of answers state."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Sequence
from typing import Any, Protocol

from audiencelab.client.catalogue.bands import amount, number, stated_range
from audiencelab.expressions.question import is_list
from audiencelab.schema import Datapoint
from audiencelab.schema.scales import midpoints_of


class Answered(Protocol):
    """A question with its answers."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def datapoints(self) -> Sequence[Datapoint]: ...


_NUMBER = re.compile(r"-?\d[\d.,]*")


def spans_of(answers: Sequence[Datapoint]) -> dict[str, tuple[float, float]]:
    """The first and the last number of each answer that has a midpoint, by code.

    Both are the midpoint for a point of a scale: an answer that is named by it ("9", "10 Extremely
    likely"), or by words where all midpoints are consecutive integers. Both are NaN where the
    name has numbers that are not understood.
    """
    midpoints = midpoints_of(answers)
    values = sorted(midpoints.values())
    is_scale = values == [values[0] + step for step in range(len(values))] if values else False
    spans: dict[str, tuple[float, float]] = {}
    for each in answers:
        if (middle := midpoints.get(each.code)) is None:
            continue
        found = _NUMBER.search(each.name or "")
        is_point = amount(found[0].rstrip(".,")) == middle if found else is_scale
        unknown = (middle, middle) if is_point else (math.nan, math.nan)
        spans[each.code] = stated_range(each) or unknown
    return spans


def holds(
    span: tuple[float, float], compare: Callable[[float], bool], starts: Container[float]
) -> bool | None:
    """Whether a condition holds for all numbers of an answer; None for some only, or not known.

    starts: the first numbers of all answers. An answer ends below a number with which another
    begins.
    """
    low, high = span
    if math.isnan(low):
        return None
    if low < high and (high in starts or low == -math.inf):
        high = math.nextafter(high, -math.inf)
    first, last = compare(low), compare(high)
    return first if first == last else None


def numbered(question: Answered, given: Any) -> Any:
    """Answers with the codes of points in place of their numbers; others as they are.

    Raises `ValueError` for a number within an answer.
    """
    if is_list(given):
        return [numbered(question, each) for each in given]
    if isinstance(given, bool) or not isinstance(given, int | float):
        return given
    spans = spans_of(question.datapoints)
    starts = {low for low, _ in spans.values()}
    for code, (low, high) in spans.items():
        if low == high == given:
            return code
        if low <= given < high or (given == high and high not in starts):
            raise within(question, float(given), code)
    return number(float(given))


def within(question: Answered, limit: float, code: str) -> ValueError:
    """The error for a number that some respondents of an answer are below and others above."""
    name = next(each.name or code for each in question.datapoints if each.code == code)
    spans = spans_of(question.datapoints).values()
    starts = sorted({low for low, _ in spans if math.isfinite(low)})
    shown = ", ".join(map(number, starts))
    edges = f"Answers begin at {shown}: write one of these" if shown else "List answers"
    return ValueError(
        f"{number(limit)} is not valid: it is within the answer {name!r} of {question.code!r} "
        f"({question.name}), and answers are counted whole. {edges}, or .isin([{name!r}]). "
        "Respondents' own numbers, where the survey has them, are in "
        f"client.respondents(amounts=[{question.code!r}])."
    )
