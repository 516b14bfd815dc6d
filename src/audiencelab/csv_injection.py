"""Names that a spreadsheet would calculate, and how they stay names.

Names come from surveys, and from students: `=cmd|…` in one of them would be run by whoever opens
the table.
"""

from __future__ import annotations

import re

from audiencelab.wording import without_controls

# Blanks before it are dropped by some spreadsheets, and some take the wide signs of East Asian
# keyboards for the plain ones; a tab or a line's end may open a cell of its own.
_BEGINNING = "[\\s\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(f"{_BEGINNING}|[\t\r\n]")

# Where the comma is for decimals a spreadsheet parts a line at semicolons, quotation marks or not,
# since those are none there: what follows one is then a cell, or a line, of its own.
_WITHIN = re.compile(f"(?<=[;\t\r\n|])(?!(?<=\r)\n)(?={_BEGINNING})")


def looks_like_formula(value: str) -> bool:
    """Whether a spreadsheet might calculate this text if somebody typed it."""
    return _FORMULA.match(value) is not None


def defused(name: str) -> str:
    """A name that no spreadsheet runs as a formula: an apostrophe makes it text."""
    return f"'{name}" if looks_like_formula(name) else name


def defused_field(name: str) -> str:
    """The same for a field of a CSV file, where a part of the name may become a cell as well.

    Characters that would act on a terminal or turn the line's direction become `�`.
    """
    return _WITHIN.sub("'", defused(without_controls(name)))
