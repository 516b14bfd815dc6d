"""Answers by numbers: the points of a scale, and the ranges that names of answers state."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from audiencelab.client.catalogue.bands import BandedQuestion, amount, number, stated_range
from audiencelab.expressions import Leaf, NumberRange, Or, any_of, is_number, number_range
from audiencelab.expressions.number_range import range_words
from audiencelab.expressions.question import is_list
from audiencelab.schema import Datapoint
from audiencelab.schema.scales import keeps_numbers, midpoints_of

_NUMBER = re.compile(r"-?\d[\d.,]*")


def spans_of(answers: Sequence[Datapoint]) -> dict[str, tuple[float, float]]:
    """The first and the last number of each answer that has a midpoint or no end, by code.

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
            # "65 and over" has no mean, and is above 60 all the same.
            if midpoints and (open_range := stated_range(each)):
                spans[each.code] = open_range
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
    # "Under 18" ends below 18 wherever the next answer begins.
    if low < high and (high in starts or low == -math.inf):
        high = math.nextafter(high, -math.inf)
    first, last = compare(low), compare(high)
    return first if first == last else None


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "min": operator.ge,
    "above": operator.gt,
    "max": operator.le,
    "below": operator.lt,
}


def as_asked(question: BandedQuestion, condition: NumberRange) -> Leaf | NumberRange:
    """A condition on the numbers that a survey keeps, otherwise on the answers in the range.

    Raises `TypeError` for a question without numbers, `ValueError` for an end within an answer and
    for a range without answers.
    """
    if keeps_numbers(question.record):
        return condition
    spans = spans_of(question.datapoints)
    if question.record.kind in ("multiple", "grid") or not spans:
        raise no_amounts(question)
    starts, codes = {first for first, _ in spans.values()}, [*spans]
    for end, limit in condition.ends.items():
        compare = _COMPARE[end]
        held = {
            code: holds(span, lambda amount, c=compare, at=limit: c(amount, at), starts)
            for code, span in spans.items()
        }
        if mixed := next((code for code, each in held.items() if each is None), None):
            raise within(question, limit, mixed)
        codes = [code for code in codes if held[code]]
    if not codes:
        known = ", ".join(each.name or each.code for each in question.datapoints)
        raise ValueError(
            f"No answer of {question.code!r} ({question.name}) is {range_words(condition.ends)}. "
            f"It has {known}."
        )
    # A grid is asked by item and point: the answers of its item are the grid's suffixes.
    if (grid := question.item_of) is not None:
        return Leaf(grid.code, (question.record.code,), tuple(codes), negated=condition.negated)
    return Leaf(condition.question, tuple(codes), negated=condition.negated)


def own_numbers(question: BandedQuestion, given: Iterable[object]) -> NumberRange | Or | None:
    """Everyone whose own number is one of these; None where none are kept or others are given."""
    listed = [each for one in given for each in (one if is_list(one) else [one])]
    if not listed or not keeps_numbers(question.record) or not all(map(is_number, listed)):
        return None
    found = [number_range(question.code, each, each) for each in listed]
    return found[0] if len(found) == 1 else any_of(*found)


def no_amounts(question: BandedQuestion) -> TypeError:
    """The error for a question that is compared with numbers and has none."""
    title = f"{question.code!r} ({question.name})"
    if question.record.kind == "multiple":
        return TypeError(
            f"{title} takes several answers, so a respondent has no one number to compare. List "
            "those you mean: .isin(['…', '…']); or count them: .at_least(2, '…', '…', '…')."
        )
    if question.record.kind == "grid":
        return TypeError(
            f"{title} has items that are rated on a scale, and each has a number of its own. Take "
            "an item from a point of its scale up: .at_least('point', 'item')."
        )
    names = [each.name or each.code for each in question.datapoints[:2]]
    return TypeError(
        f"The answers of {title} have no amounts in the catalogue, and no order. List those that "
        f"you mean. Write client[{question.code!r}].isin({names!r})."
    )


def numbered(question: BandedQuestion, given: Any) -> Any:
    """Answers with the codes of points in place of their numbers; others as they are.

    Raises `ValueError` for a number within an answer.
    """
    if is_list(given):
        return [numbered(question, each) for each in given]
    if not is_number(given):
        return given
    given = float(given)
    spans = spans_of(question.datapoints)
    starts = {low for low, _ in spans.values()}
    for code, (low, high) in spans.items():
        if low == high == given:
            return code
        if low <= given < high or (given == high and high not in starts):
            raise within(question, given, code)
    return number(given)


def within(question: BandedQuestion, limit: float, code: str) -> ValueError:
    """The error for a number that some respondents of an answer are below and others above."""
    name = next(each.name or code for each in question.datapoints if each.code == code)
    spans = spans_of(question.datapoints).values()
    starts = sorted({low for low, _ in spans if math.isfinite(low)})
    shown = ", ".join(map(number, starts))
    edges = f"Answers begin at {shown}: write one of these" if shown else "List answers"
    return ValueError(
        f"{number(limit)} is not valid: it is within the answer {name!r} of {question.code!r} "
        f"({question.name}), and answers are counted whole. {edges}, or .isin([{name!r}])."
    )
