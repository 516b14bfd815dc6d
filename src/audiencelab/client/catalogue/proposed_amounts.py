"""Amounts to propose for answers that have none, and the errors that propose them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

from audiencelab.client.catalogue.question_part import QuestionPart
from audiencelab.schema.scales import keeps_numbers, scale_of


def numbers_of(names: Iterable[str]) -> list[float] | None:
    """The numbers that names are, such as "0" and "1"; None unless each is one."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return None
    whole = [int(each) if each.is_integer() else each for each in numbers if isfinite(each)]
    return whole if len(whole) == len(numbers) else None


def proposed_amounts(question: QuestionPart) -> dict[str, float]:
    """Amounts to propose for answers without any; none where the answers have no order.

    They are what the names of the answers are, else their positions from the lowest of the scale.
    """
    scale = scale_of(question.record)
    answers = question.suffixes or question.datapoints
    names = {each.code: each.name or each.code for each in answers}
    points = [names[code] for code in scale.points]
    if numbers := numbers_of(points):
        return dict(zip(points, numbers, strict=True))
    rising = scale.rising or (scale.points if scale.top == "none" else ())
    return {names[code]: place for place, code in enumerate(rising, 1)}


def with_amounts(call: str, amounts: Mapping[str, float]) -> str:
    """A call of a method with amounts: "mean(amounts={'No': 1, 'Yes': 2})"."""
    method, _, given = call.removesuffix(")").partition("(")
    return f"{method}({given}{', ' * bool(given)}amounts={amounts})"


def off_the_scale(question: QuestionPart, title: str, *, has_mean: bool) -> ValueError:
    """The error for a net promoter score of amounts that are not from 0 to 10."""
    ends = [*proposed_amounts(question)] if scale_of(question.record).is_worded else []
    own = ""
    # What the names of answers are is not to be replaced, and categories have no ends.
    if ends and numbers_of(ends) is None:
        own = f"Give each answer its own, nps(amounts={{{ends[0]!r}: 0, …, {ends[-1]!r}: 10}}), or "
    mean = "take the mean. Write client.mean"
    shares = "show how many gave each. Write client.proportion"
    other = mean if has_mean or keeps_numbers(question.record) else shares
    other = other if own else f"{other[:1].upper()}{other[1:]}"
    return ValueError(
        f"A net promoter score needs amounts from 0 to 10; the answers of {title} do not have "
        f"them. {own}{other}({question.code!r})."
    )


def without_scores(question: QuestionPart, title: str, call: str) -> ValueError:
    """The error for a scale of words whose answers have no amounts. call: that asked for them."""
    if scores := proposed_amounts(question):
        return ValueError(
            f"The answers of {title} are words without scores. Give them: "
            f"{with_amounts(call, scores)}, or in a survey of your own "
            f"client.edit({question.code!r}, scores={scores})."
        )
    points = scale_of(question.record).points
    first = next(each.name or each.code for each in question.datapoints if each.code in points)
    # Numbers in the order of the list would make a scale of it that it may not be.
    return ValueError(
        f"The answers of {title} are words without scores, and it is not known which are "
        f"more. Give each its own: {call.partition('(')[0]}"
        f"(amounts={{{first!r}: …, …}}), or in a survey of your own write "
        f'client.edit({question.code!r}, order=[…], top="last") with the lowest first.'
    )
