"""TOML that people write (codebooks, recipes, targets), parsed within bounds.

What it means is for those who read it to know.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

__all__ = ["MOST_PARTS", "parse_toml"]

MOST_PARTS = 1_000
"""Parts of a dotted key; ours have three. The parser's time grows with the square of them."""

_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"(?<![\w.-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{{MOST_PARTS}}}")


def parse_toml(text: str) -> dict[str, Any]:
    """What a text says in TOML.

    Raises `ValueError`, with words for people, for what is no TOML, a key of more than
    `MOST_PARTS` parts, a number of thousands of digits, and brackets that are nested too deeply.
    """
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key has more than {MOST_PARTS:,} parts (at line {line}); shorten it")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
