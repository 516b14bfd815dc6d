"""Numbers as people read them: shares, counts in few digits, a dash where there is no value."""

from __future__ import annotations

import math

from audiencelab.wording import half_up

_SCALES = ((1e9, "B"), (1e6, "M"), (1e3, "K"))
SHORT_COUNT = 9_999.5
"""Below this, a number of people needs no unit."""


def figure(value: float, decimals: int = 1) -> str:
    """A number for display; a dash where there is none."""
    return "–" if math.isnan(value) else f"{half_up(value, decimals):,.{decimals}f}"


def at_least(value: float, decimals: int, unit: str) -> str:
    """A number with its unit; one that is small, but not zero, never reads as zero."""
    least = 10.0**-decimals
    small = 0 < value < least / 2
    return f"{'<' if small else ''}{figure(least if small else value, decimals)}{unit}"


def percent(value: float, decimals: int = 1) -> str:
    """A share of 100 for display; a dash where there is none."""
    return "–" if math.isnan(value) else at_least(value, decimals, "%")


def people(value: float, decimals: int = 1, more: int = 0) -> str:
    """A weighted number of people in few digits: 1.2M, 640.0K, 812; a dash where there is none.

    more: digits beyond these.
    """
    if math.isnan(value) or value < SHORT_COUNT:
        return figure(value, more)
    decimals += more
    # Where rounding tips over: 999,950 is written 1.0M and not 1,000.0K.
    tip = 1 - 0.5e-3 / 10**decimals
    worth, unit = next(scale for scale in _SCALES if value >= tip * scale[0])
    return f"{figure(value / worth, decimals)}{unit}"


def people_in(text: str) -> float:
    """The number that a text of `people` states; NaN for a dash."""
    worth = next((each for each, unit in _SCALES if text.endswith(unit)), 1.0)
    digits = text.rstrip("BMK").replace(",", "")
    return math.nan if digits == "–" else float(digits) * worth
