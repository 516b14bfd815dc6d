"""Bands: answers by the amounts that they represent."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from audiencelab.expressions import Audience
from audiencelab.schema import Datapoint
from audiencelab.wording import harmless


class Bands(list[Audience]):
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
        return harmless("\n".join(lines))


_BETWEEN = re.compile(r"([\d.,]+) ?(?:to|–|-) ?([\d.,]+)(?! ?%?\d)")
_UNDER = re.compile(r"(?:under|below|less than) ([\d.,]+)", re.IGNORECASE)
_OVER = re.compile(r"([\d.,]+) ?(?:\+|(?:and|or) (?:over|older|more|above))", re.IGNORECASE)


def stated_range(answer: Datapoint) -> tuple[float, float] | None:
    """The amounts that the name of an answer states ("18 to 24"), if its midpoint is in them."""
    name = answer.name or ""
    if found := _BETWEEN.match(name):
        low, high = amount(found[1]), amount(found[2])
    elif found := _UNDER.match(name):
        low, high = -math.inf, amount(found[1])
    elif found := _OVER.match(name):
        low, high = amount(found[1]), math.inf
    else:
        return None
    midpoint = math.nan if answer.midpoint is None else float(answer.midpoint.value)
    return (low, high) if low <= midpoint <= high else None


def amount(text: str) -> float:
    """A number as a name writes it; NaN for other text."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


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


def band_name(low: float, high: float, *, open_below: bool) -> str:
    """The name of a band: "under 35", "35 to 55", "55 and over"."""
    if open_below or low == -math.inf:
        return "any amount" if high == math.inf else f"under {number(high)}"
    return f"{number(low)} and over" if high == math.inf else f"{number(low)} to {number(high)}"


def rises(numbers: Sequence[float]) -> bool:
    """Whether each number is above the one before it."""
    return all(low < high for low, high in pairwise(numbers))


def number(value: float) -> str:
    """An edge or a midpoint as text."""
    return f"{value:,.10g}"
