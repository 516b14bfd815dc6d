"""Words as every layer writes them: counts, articles, rounding, and text that others wrote."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["articled", "half_up", "plural", "without_controls"]

# All control characters but tabs and the ends of lines, the embeddings, overrides and isolates that
# turn a line's direction, and halves of surrogate pairs and noncharacters, which no file can hold.
# Letters of Hebrew and Arabic, their marks, and joiners (Persian, Hindi, emoji) stay.
_ACTING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
    "|\r(?!\n)"
)


def without_controls(text: str) -> str:
    """Text with a replacement character for each that would act on a terminal, page or document.

    Labels, error bodies and header values come from anywhere. An escape sequence in them could
    color a terminal, move its cursor, set its title or hide a link; an override of the writing
    direction shows another name than the one that is there.
    """
    return _ACTING.sub("\ufffd", text)


def plural(count: int, noun: str) -> str:
    """A count with its noun: "1 row", "1,000 rows", "5 suffixes"."""
    ending = "es" if noun.endswith(("x", "ss")) else "s"
    return f"{count:,} {noun}{'' if count == 1 else ending}"


def articled(noun: str) -> str:
    """A noun with its article, going by its first letter: "an int", "a str", "an And"."""
    return f"{'an' if noun[:1].lower() in ('a', 'e', 'i', 'o', 'u') else 'a'} {noun}"


def half_up(value: float, decimals: int) -> float:
    """Round to so many decimals, half away from zero: 12.35 becomes 12.4.

    What is rounded is the decimal number of 15 digits that a spreadsheet and the page round, not
    the binary one, which is a hair less than 12.35.
    """
    # Also infinities, NaN, and what has no decimals within 15 digits.
    if not abs(value) < 1e14:
        return value
    scaled = abs(value) * 10.0**decimals
    if scaled < 1e8 and abs(scaled % 1 - 0.5) > 1e-6:
        # Not near a half, where both numbers round alike.
        return float(round(value, decimals))
    return float(Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
