"""Numbers in round bands: some fifth of the respondents in each, edges as people choose them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate, pairwise

from audiencelab.ingest.codebook import CodedDatapoint

_SHARES = (0.2, 0.4, 0.6, 0.8)


def round_bands(numbers: Mapping[float, int]) -> tuple[CodedDatapoint, ...]:
    """Bands over counted numbers, the midpoint of each the mean of the numbers in it.

    Whole numbers make bands such as "25 to 34", others "25 to under 35". Every number falls into
    one band, also those that a later file may bring; no band is empty.
    """
    ordered = sorted(numbers)
    whole = all(number.is_integer() for number in ordered)
    edges = _edges(ordered, numbers, whole=whole)
    limits = [-math.inf, *edges, math.inf]
    bands: list[CodedDatapoint] = []
    for low, high in pairwise(limits):
        inside = {number: numbers[number] for number in ordered if low <= number < high}
        mean = sum(map(_product, inside.items())) / sum(inside.values())
        bands.append(_band(low, high, whole=whole, midpoint=_significant(mean, 4)))
    return tuple(bands)


def _product(counted: tuple[float, int]) -> float:
    return counted[0] * counted[1]


def _edges(ordered: list[float], numbers: Mapping[float, int], *, whole: bool) -> list[float]:
    """The lower ends of all bands but the first: quantiles, made round, with people between."""
    spread = _quantile(numbers, ordered, 0.9) - _quantile(numbers, ordered, 0.1)
    spread = spread or ordered[-1] - ordered[0]
    rounded = {_round(_quantile(numbers, ordered, share), spread, whole=whole) for share in _SHARES}
    edges: list[float] = []
    low = -math.inf
    for edge in sorted(rounded):
        if any(low <= number < edge for number in ordered) and edge <= ordered[-1]:
            edges.append(edge)
            low = edge
    return edges


def _quantile(numbers: Mapping[float, int], ordered: list[float], share: float) -> float:
    wanted = share * sum(numbers.values())
    passed = accumulate(numbers[number] for number in ordered)
    return next(number for number, so_far in zip(ordered, passed, strict=True) if so_far >= wanted)


def _round(number: float, spread: float, *, whole: bool) -> float:
    """To halves of a power of ten, of the spread or of the number itself, whichever is finer."""
    sizes = [size for size in (spread, abs(number)) if size > 0]
    step = min(10.0 ** math.floor(math.log10(size)) for size in sizes) / 2 if sizes else 1.0
    step = max(step, 1.0) if whole else step
    # The smallest numbers that there are cannot be divided any more.
    steps = number / step if step else math.inf
    return _significant(round(steps) * step, 12) if math.isfinite(steps) else number


def _significant(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")


def _band(low: float, high: float, *, whole: bool, midpoint: float) -> CodedDatapoint:
    if math.isinf(low) and math.isinf(high):
        return CodedDatapoint(name="Any number", min=-math.inf, midpoint=midpoint)
    if math.isinf(low):
        return CodedDatapoint(name=f"Under {_text(high)}", below=high, midpoint=midpoint)
    if math.isinf(high):
        return CodedDatapoint(name=f"{_text(low)} and over", min=low, midpoint=midpoint)
    if not whole:
        name = f"{_text(low)} to under {_text(high)}"
        return CodedDatapoint(name=name, min=low, below=high, midpoint=midpoint)
    name = _text(low) if low == high - 1 else f"{_text(low)} to {_text(high - 1)}"
    return CodedDatapoint(name=name, min=low, below=high, midpoint=midpoint)


def _text(number: float) -> str:
    """As people write it: 25, 2.5, 12,000; years without the comma."""
    if not number.is_integer():
        return f"{number:.12g}"
    return f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.0f}"
