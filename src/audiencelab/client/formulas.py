"""Formulas of R: the questions of "q5 ~ gender" and "~ q5 + q2"."""

from __future__ import annotations

import re
from typing import Any

_TERM = re.compile(r"[~+*:]")

_BETWEEN = re.compile(r"~|\*| (?:by|BY|x|×) ")
"""Between rows and columns: as in R, in a table of SPSS, and as people write it."""


def is_formula(text: str) -> bool:
    """Whether a text may name rows and columns: "q5 ~ gender", "q5 by gender"."""
    return _BETWEEN.search(text) is not None


def read_formula(text: str) -> tuple[str, ...]:
    """The questions that a formula names, in order; a text without signs is one.

    >>> from audiencelab.client.formulas import read_formula
    >>> read_formula("~ income + hhsize")
    ('income', 'hhsize')
    """
    if "~" not in text and not re.fullmatch(r"\w+(\s*\+\s*\w+)+", text.strip()):
        return (text.strip(),)
    return tuple(each.strip() for each in _TERM.split(text) if each.strip())


def sides_of(text: str, columns: Any = None) -> tuple[Any, Any]:
    """The rows and columns of "q5 ~ gender", or of "~ q5 + gender"; columns given are those.

    >>> from audiencelab.client.formulas import sides_of
    >>> sides_of("q5 ~ gender + region")
    ('q5', ['gender', 'region'])
    """
    left, right = _BETWEEN.split(text, maxsplit=1)
    terms = list(read_formula(right))
    rows = list(read_formula(left)) if left.strip() else [terms.pop(0)]
    if columns is None and terms:
        columns = terms[0] if len(terms) == 1 else terms
    return rows[0] if len(rows) == 1 else rows, columns
