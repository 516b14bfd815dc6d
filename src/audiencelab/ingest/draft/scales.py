"""Round bands over numbers such as ages and incomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from audiencelab.ingest.codebook import CodedDatapoint


def round_bands(numbers: Mapping[float, int]) -> tuple[CodedDatapoint, ...]:
    """Bands over counted numbers, about a fifth of the respondents in each, with mean midpoints.

    Integers make bands such as "25 to 34", others "25 to under 35". Every number falls into
    one band, also those that a later file may bring; no band is empty.
    """
    ordered = sorted(numbers)
    is_whole = all(number.is_integer() for number in ordered)
    limits = [-math.inf, *_edges(ordered, numbers, is_whole), math.inf]
    bands: list[CodedDatapoint] = []
    for low, high in pairwise(limits):
        inside = {number: numbers[number] for number in ordered if low <= number < high}
        mean = sum(number * count for number, count in inside.items()) / sum(inside.values())
        bands.append(
            CodedDatapoint(
                name=_band_name(low, high, is_whole),
                min=None if math.isinf(low) and math.isfinite(high) else low,
                below=high if math.isfinite(high) else None,
                midpoint=_significant(mean, 4),
            )
        )
    return tuple(bands)


def _edges(ordered: Sequence[float], numbers: Mapping[float, int], is_whole: bool) -> list[float]:
    """The lower ends of all bands but the first: rounded quantiles, with respondents between."""
    totals = list(accumulate(numbers[number] for number in ordered))

    def quantile(share: float) -> float:
        wanted = share * totals[-1]
        return next(n for n, total in zip(ordered, totals, strict=True) if total >= wanted)

    # Without the outermost tenths, so that a few extreme values do not make the bands coarse.
    spread = quantile(0.9) - quantile(0.1) or ordered[-1] - ordered[0]
    edges: list[float] = []
    low = -math.inf
    for edge in sorted({_rounded(quantile(s), spread, is_whole) for s in (0.2, 0.4, 0.6, 0.8)}):
        # Rounding may move an edge past all numbers, or leave a band without any.
        if edge <= ordered[-1] and any(low <= number < edge for number in ordered):
            edges.append(edge)
            low = edge
    # Where nearly all have the lowest number, such as 0, the others are a band.
    return edges or [*ordered[1:2]]


def _rounded(number: float, spread: float, is_whole: bool) -> float:
    """To halves of a power of ten, of the spread or of the number itself, whichever is finer."""
    sizes = [size for size in (spread, abs(number)) if size > 0]
    step = min(10.0 ** math.floor(math.log10(size)) for size in sizes) / 2 if sizes else 1.0
    step = max(step, 1.0) if is_whole else step
    # The smallest numbers that there are cannot be divided any more.
    steps = number / step if step else math.inf
    return _significant(round(steps) * step, 12) if math.isfinite(steps) else number


def _significant(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")


def _band_name(low: float, high: float, is_whole: bool) -> str:
    if math.isinf(low):
        return "Any number" if math.isinf(high) else f"Under {_text(high)}"
    if math.isinf(high):
        return f"{_text(low)} and over"
    if not is_whole:
        return f"{_text(low)} to under {_text(high)}"
    return _text(low) if low == high - 1 else f"{_text(low)} to {_text(high - 1)}"


def _text(number: float) -> str:
    """A number for a label: 25, 2.5, 12,000; years without the comma."""
    if not number.is_integer():
        return f"{number:.12g}"
    return f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.0f}"
