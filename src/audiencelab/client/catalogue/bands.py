"""Answers of one question put together as audiences: bands by name, by amount, by how many.

A band is everyone who gave any of its answers. No answer is in two bands, and what is in none is
told. Where a question takes several answers, people may be in several bands all the same.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, SupportsIndex, TypeVar, cast, overload

from audiencelab.audience import Audience
from audiencelab.wording import harmless

if TYPE_CHECKING:
    from audiencelab.client.catalogue.question import CatalogueQuestion

__all__ = ["Bands", "bands_between", "bands_by_count", "bands_by_name"]

T = TypeVar("T")


class Bands(list[Audience]):
    """The audiences of some bands, in order: a list in every other way.

    left_out: the names of the question's answers that are in no band.
    """

    def __init__(self, audiences: Iterable[Audience], left_out: Iterable[str] = ()) -> None:
        super().__init__(audiences)
        self.left_out = tuple(left_out)

    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Audience: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Audience]: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> Audience | list[Audience]:
        if isinstance(key, str):
            raise TypeError(
                "Bands are found by their place, [0] for the first. The one of that name: "
                f"next(each for each in bands if each.name == {key!r})."
            )
        return super().__getitem__(key)

    def __repr__(self) -> str:
        lines = [f"{each.name}: {each.describe()}" for each in self]
        if self.left_out:
            lines.append(f"left out: {', '.join(self.left_out)}")
        return harmless("\n".join(lines))


def bands_by_name(question: CatalogueQuestion, groups: Mapping[str, str | Iterable[str]]) -> Bands:
    """See `CatalogueQuestion.bands`."""
    band_of: dict[str, str] = {}
    audiences: list[Audience] = []
    for name, given in _named(groups, "bands({'Under 35': ['q4_1', 'q4_2']})").items():
        found = question.any(*_answers(f"The band {name!r}", given)).datapoints
        if not found:
            raise ValueError(f"The band {name!r} has no answers: name some, or leave it out.")
        for code in found:
            if (other := band_of.setdefault(code, name)) != name:
                raise ValueError(
                    f"The answer {code!r} is in two bands, {other!r} and {name!r}. For audiences "
                    f"that overlap, write each by itself: question.any({code!r}, …)."
                )
        audiences.append(Audience(name, question.any(*dict.fromkeys(found))))
    if not audiences:
        raise ValueError("Name the bands and their answers: bands({'Under 35': ['q4_1', 'q4_2']}).")
    return Bands(audiences, _others(question, band_of))


def bands_between(question: CatalogueQuestion, edges: Iterable[float]) -> Bands:
    """See `CatalogueQuestion.bands`."""
    limits = _numbers(edges)
    if len(limits) < 2 or not _rise(limits):
        raise ValueError(
            "The edges of bands are two numbers or more, each above the one before it: "
            "edges=[0, 35, 55, float('inf')]."
        )
    points = _midpoints(question)
    placed: set[str] = set()
    audiences: list[Audience] = []
    for low, high in pairwise(limits):
        codes = [code for code, value in points.items() if low <= value < high]
        name = _band_name(low, high, open_below=low == 0 and min(points.values()) >= 0)
        if not codes:
            known = ", ".join(map(_number, sorted(points.values())))
            raise ValueError(
                f"No answer of {question.code!r} ({question.name}) stands for {name}; its "
                f"midpoints are {known}. Move an edge, or leave it out."
            )
        placed |= set(codes)
        audiences.append(Audience(name, question.any(*codes)))
    return Bands(audiences, _others(question, placed))


def bands_by_count(
    question: CatalogueQuestion, starts: Mapping[str, int], answers: Iterable[str]
) -> Bands:
    """See `CatalogueQuestion.count_groups`."""
    example = "count_groups({'Light': 1, 'Heavy': 4})"
    counted = question.any(*_answers("count_groups", answers))
    most = len(counted.datapoints or question.datapoints)
    numbers = list(_named(starts, example).values())
    whole = all(isinstance(number, int) for number in numbers)  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
    if not (numbers and whole and _rise([0, *numbers, most + 1])):
        raise ValueError(
            "Each group begins at more answers than the one before it, from 1 to at most "
            f"{most:,}, as many as are counted: {example}."
        )
    groups = [
        Audience(name, counted.at_least(low) & ~counted.at_least(beyond))
        for (name, low), beyond in zip(starts.items(), numbers[1:], strict=False)
    ]
    return Bands([*groups, Audience(list(starts)[-1], counted.at_least(numbers[-1]))])


def _midpoints(question: CatalogueQuestion) -> dict[str, float]:
    """What each answer stands for, by code, where the catalogue says so."""
    points = {
        each.code: float(each.midpoint.value)
        for each in question.datapoints
        if each.accessible and each.midpoint is not None
    }
    if not points:
        raise ValueError(
            f"The answers of {question.code!r} ({question.name}) have no midpoints in the "
            "catalogue, so nothing tells what they stand for. Name the answers of each band: "
            "bands({'Under 35': [code, …]})."
        )
    return points


def _band_name(low: float, high: float, *, open_below: bool) -> str:
    """What a band is called: "under 35", "35 to 55", "55 and over"."""
    below, above = open_below or low == -math.inf, high == math.inf
    if below:
        return "any amount" if above else f"under {_number(high)}"
    return f"{_number(low)} and over" if above else f"{_number(low)} to {_number(high)}"


def _others(question: CatalogueQuestion, placed: Container[str]) -> list[str]:
    """The names of the answers that are in no band."""
    return [each.name or each.code for each in question.datapoints if each.code not in placed]


def _rise(numbers: Sequence[float]) -> bool:
    """Whether each number is above the one before it."""
    return all(low < high for low, high in pairwise(numbers))


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _named(given: Mapping[str, T], example: str) -> Mapping[str, T]:
    if not isinstance(cast(object, given), Mapping):
        raise TypeError(f"Give what belongs to each name, not {type(given).__name__}: {example}.")
    return given


def _answers(place: str, given: str | Iterable[str]) -> list[str]:
    """The answers of a list, or the one that was given by itself."""
    if isinstance(given, str):
        return [given]
    if not isinstance(cast(object, given), Iterable):
        raise TypeError(
            f"{place} needs a list of answers, such as ['q4_1', 'q4_2'], not "
            f"{type(given).__name__}."
        )
    return list(given)


def _numbers(edges: Iterable[float]) -> list[float]:
    try:
        return [float(edge) for edge in edges]
    except (TypeError, ValueError):
        raise TypeError(
            "The edges of bands are a list of numbers: edges=[0, 35, 55, float('inf')]."
        ) from None
