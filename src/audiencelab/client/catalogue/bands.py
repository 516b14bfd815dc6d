"""Bands and bins: audiences by the numbers that respondents gave, or that answers represent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Protocol

from audiencelab.expressions import Audience, Leaf, NumberRange, number_range
from audiencelab.expressions.number_range import shown
from audiencelab.schema import Datapoint, Question
from audiencelab.schema.scales import keeps_numbers, midpoints_of
from audiencelab.wording import without_controls


class BandedQuestion(Protocol):
    """A question with its answers."""

    @property
    def record(self) -> Question: ...
    @property
    def item_of(self) -> Any: ...
    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def datapoints(self) -> Sequence[Datapoint]: ...


class BandAudiences(list[Audience]):
    """The audiences of some bands, in order.

    left_out: the names of the question's answers that are in no band.
    """

    def __init__(self, audiences: Iterable[Audience], left_out: Iterable[str] = ()) -> None:
        super().__init__(audiences)
        self.left_out = tuple(left_out)

    def __repr__(self) -> str:
        lines = [f"{each.name}: {each.describe()}" for each in self]
        if self.left_out:
            lines.append(f"left out: {', '.join(self.left_out)}")
        return without_controls("\n".join(lines))


def stated_range(answer: Datapoint) -> tuple[float, float] | None:
    """The amounts that the name of an answer states ("18 to 24"), if its midpoint is in them.

    An answer without an end, such as "65 and over", may have no midpoint.
    """
    # What reads files is loaded where it is needed: a replay or a remote client does without.
    from audiencelab.ingest.meaning.amounts import amount_of

    found = amount_of(answer.name or "")
    if found is None:
        return None
    if found.low == found.high:
        return None
    low = -math.inf if found.low is None else found.low
    high = math.inf if found.high is None else found.high
    if answer.midpoint is None:
        return (low, high) if found.is_open else None
    return (low, high) if low <= float(answer.midpoint.value) <= high else None


def amount(text: str) -> float:
    """A number as a name writes it; NaN for other text."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def places_of(answers: Sequence[Datapoint]) -> dict[str, float]:
    """An amount within each answer, by code: its midpoint, or one beside the end of "65 and over".

    Empty where no answer has a midpoint.
    """
    midpoints = midpoints_of(answers)
    found: dict[str, float] = {}
    for each in answers if midpoints else ():
        if each.code in midpoints:
            found[each.code] = midpoints[each.code]
        elif stated := stated_range(each):
            low, high = stated
            found[each.code] = low if math.isfinite(low) else math.nextafter(high, -math.inf)
    return found


def check_edges(title: str, answers: Sequence[Datapoint], edges: Sequence[float]) -> None:
    """Raise `ValueError` for an edge of bands within an answer: its people are on both sides.

    The first and the last edge may be within an answer without an end, such as "65 and over".
    title: the question in the error.
    """
    ranges = {each.name: found for each in answers if (found := stated_range(each))}
    starts = sorted({low for low, _ in ranges.values() if math.isfinite(low)})
    for edge in edges:
        for name, (low, high) in ranges.items():
            has_end = math.isfinite(low) and math.isfinite(high)
            # "18 to 24" holds 24 where the next answer begins at 25.
            is_last = has_end and edge == high and high + 1 in starts
            is_within = low < edge < high or is_last
            if is_within and (has_end or edge not in (edges[0], edges[-1])):
                raise ValueError(
                    f"{number(edge)} is within the answer {name!r} of {title}. Answers begin at "
                    f"{', '.join(map(number, starts))}: take one of these as the edge."
                )


def bands_between(question: BandedQuestion, edges: Iterable[float]) -> BandAudiences:
    """The bands of `CatalogueQuestion.bands` between edges."""
    limits = [float(edge) for edge in edges]
    if len(limits) < 2 or not rises(limits):
        raise ValueError(
            "The edges of bands are two numbers or more, each above the one before it: "
            "edges=[0, 35, 55, float('inf')]."
        )
    places = places_of(question.datapoints)
    from_zero = min(midpoints_of(question.datapoints).values(), default=-1) >= 0
    audiences: list[Audience] = []
    for (low, high), found in zip(pairwise(limits), between_edges(question, limits), strict=True):
        # Without negative amounts, the band from 0 to 35 is "under 35".
        name = band_name(low, high, open_below=low == 0 and from_zero)
        if found is None:
            known = ", ".join(map(number, sorted(midpoints_of(question.datapoints).values())))
            raise ValueError(
                f"No answer of {question.code!r} ({question.name}) is in the band {name}; the "
                f"midpoints are {known}. Move an edge, or leave it out."
            )
        audiences.append(Audience(name, found))
    within = {code for code, place in places.items() if limits[0] <= place < limits[-1]}
    left_out = [each for each in question.datapoints if each.code not in within]
    return BandAudiences(audiences, [each.name or each.code for each in left_out])


def between_edges(
    question: BandedQuestion, limits: Sequence[float]
) -> list[Leaf | NumberRange | None]:
    """Who is from each edge up to below the next, by the numbers that the survey keeps.

    Elsewhere by the answers' midpoints or open ends, None where no answer is there. Raises
    `ValueError` for answers without midpoints, and for an edge within an answer.
    """
    if keeps_numbers(question.record):
        return [number_range(question.code, *ends, "left") for ends in pairwise(limits)]
    title, places = f"{question.code!r} ({question.name})", places_of(question.datapoints)
    if not places:
        raise ValueError(
            f"The answers of {title} have no midpoints in the catalogue, so the amounts they "
            "represent are not known. Name the answers of each band: "
            "bands({'Under 35': [code, …]})."
        )
    check_edges(title, question.datapoints, limits)
    listed = [
        tuple(code for code, place in places.items() if low <= place < high)
        for low, high in pairwise(limits)
    ]
    return [Leaf(question.code, codes) if codes else None for codes in listed]


def band_name(low: float, high: float, *, open_below: bool) -> str:
    """The name of a band: "under 35", "35 to 55", "55 and over"."""
    if open_below or low == -math.inf:
        return "any amount" if high == math.inf else f"under {number(high)}"
    return f"{number(low)} and over" if high == math.inf else f"{number(low)} to {number(high)}"


def bin_name(low: float, high: float, *, whole: bool) -> str:
    """The name of a bin from `low` up to below `high`: "Under 18", "18 to 34", "55 and over".

    whole: whether all numbers are. Raises `ValueError` for a bin without an integer then.
    """
    if whole:
        low, high = (float(math.ceil(end)) if math.isfinite(end) else end for end in (low, high))
        if low >= high:
            raise ValueError("Two edges have no integer between them: move one of them.")
    if low == -math.inf:
        return f"Under {shown(high)}"
    if high == math.inf:
        return f"{shown(low)} and over"
    if not whole:
        return f"{shown(low)} to under {shown(high)}"
    return shown(low) if high == low + 1 else f"{shown(low)} to {shown(high - 1)}"


def is_whole(answers: Sequence[Datapoint]) -> bool:
    """Whether answers are integers by their names: "3", or "18 to 24" before "25 to 34"."""
    ranges = {each.code: stated_range(each) for each in answers}
    lows = {found[0] for found in ranges.values() if found}
    for code, middle in midpoints_of(answers).items():
        found = ranges[code]
        ends = [end for end in found or (middle,) if math.isfinite(end)]
        # An answer that ends where another begins has amounts up to there, and not integers alone.
        meets = found is not None and found[1] in lows and math.isfinite(found[0])
        if meets or not all(end.is_integer() for end in ends):
            return False
    return True


def rises(numbers: Sequence[float]) -> bool:
    """Whether each number is above the one before it."""
    return all(low < high for low, high in pairwise(numbers))


def number(value: float) -> str:
    """An edge or a midpoint as text."""
    return f"{value:,.10g}"
