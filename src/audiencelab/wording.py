"""A count with its noun, and which way a figure is rounded, as every layer tells them."""

from __future__ import annotations

import math

__all__ = ["articled", "half_up", "plural"]


def plural(count: int, noun: str) -> str:
    """A count with its noun: "1 row", "1,000 rows", "5 suffixes"."""
    ending = "es" if noun.endswith("x") else "s"
    return f"{count:,} {noun}{'' if count == 1 else ending}"


def articled(noun: str) -> str:
    """A noun with its article, going by its first letter: "an int", "a str", "an And"."""
    return f"{'an' if noun[:1].lower() in ('a', 'e', 'i', 'o', 'u') else 'a'} {noun}"


def half_up(value: float, decimals: int) -> float:
    """What to write with so many decimals, so that half goes away from zero: 12.25 becomes 12.3.

    So do the page, a workbook and whoever checks a share of 400 by hand. Python's own formats go
    to the even digit, which would show one figure as 12.3 in the grid and as 12.2 below it.
    """
    # Exactly half is k / (2 × 10^decimals) with k odd, and in binary k / 2^(decimals + 1).
    if value * 2.0 ** (decimals + 1) % 2 == 1:
        return math.nextafter(value, math.copysign(math.inf, value))
    return value
