"""A number from what a student gives: a Python or numpy number, a table of one cell, or text."""

from __future__ import annotations

import re
from decimal import Decimal
from numbers import Real
from typing import Any, cast

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,(\d{1,2}|\d{4,})")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}((?:[ _]\d{3})+|(?:,\d{3}){2,}|(?:,\d{3})+(?=\.))(\.\d+)?")
_MOST_LETTERS = 100


def single_number(given: Any) -> float | None:
    """The number, also if it is the only item of a list or table, or clear text; else None.

    A number beyond the range of a float is infinite.
    """
    given = _only_item(given)
    if isinstance(given, str):
        return number_in(given)
    if isinstance(given, bool) or not isinstance(given, Real | Decimal):
        return None
    try:
        return float(cast("float", given))
    except OverflowError:
        return float("inf")
    except ValueError:
        return float("nan")  # a signalling NaN of decimal


def number_in(text: str) -> float | None:
    """The number that a text is, such as "54.7", "54,7", "-3" or "41 000"; None if it is not clear.

    "1,234" is not clear: it is a thousand or one and a bit.
    """
    plain = re.sub(r"[\u00a0\u2009\u202f]", " ", text.strip().replace("\u2212", "-"))
    if len(plain) > _MOST_LETTERS:
        return None
    if _PLAIN.fullmatch(plain):
        return float(plain)
    if _DECIMAL_COMMA.fullmatch(plain):
        return float(plain.replace(",", "."))
    if _THOUSANDS.fullmatch(plain):
        return float(re.sub(r"[ _,]", "", plain))
    return None


def _only_item(given: Any) -> Any:
    """The item of a list or table that has only one; anything else as it is."""
    if isinstance(given, list | tuple):
        items = cast("list[Any]", given)
        return items[0] if len(items) == 1 else None
    shape = getattr(given, "shape", None)
    if not isinstance(shape, tuple) or set(cast("tuple[int, ...]", shape)) - {1}:
        return given
    if hasattr(given, "to_numpy"):
        return given.to_numpy().reshape(-1)[0]
    return given.item() if hasattr(given, "item") else given
