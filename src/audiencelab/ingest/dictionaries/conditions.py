"""Conditions under which a question is shown, where comparisons of columns with values decide."""

from __future__ import annotations

import re
from collections.abc import Callable

from audiencelab.ingest.codebook import AskedCondition

_PIECE = re.compile(r"\"[^\"]*\"|'[^']*'|[()]|\s*(?:&&|\|\||\b(?:and|or)\b)\s*|.", re.I | re.S)
_LONGEST = 2_000

Term = Callable[[str], AskedCondition | None]
"""Reads one comparison; None for any other text."""


def simple_conditions(text: str, term: Term) -> tuple[AskedCondition, ...]:
    """The conditions that are all true where a text is; none where it says anything else.

    Comparisons are joined by `and`, and those of one column with several values by `or`.

    >>> def term(text: str) -> AskedCondition:
    ...     return AskedCondition(text[0], (text[-1],))
    >>> simple_conditions("a = 1 and (b = 2 or b = 3)", term)
    (AskedCondition(column='a', values=('1',), not_values=()), \
AskedCondition(column='b', values=('2', '3'), not_values=()))
    """
    text = unwrapped(text)
    if len(text) > _LONGEST:
        return ()
    parts, signs = _divided(text)
    if not signs:
        found = term(text)
        return (found,) if found else ()
    each = [simple_conditions(part, term) for part in parts]
    if not all(each) or len(signs) > 1:
        return ()
    conditions = tuple(condition for found in each for condition in found)
    if signs == {"and"}:
        return conditions
    columns = {condition.column for condition in conditions}
    if len(columns) > 1 or len(conditions) > len(parts) or any(c.not_values for c in conditions):
        return ()
    return (AskedCondition(columns.pop(), tuple(v for c in conditions for v in c.values)),)


def _divided(text: str) -> tuple[list[str], set[str]]:
    """The parts of a text between `and` and `or` outside of brackets, and which of these."""
    parts, signs, depth = [""], set[str](), 0
    for piece in _PIECE.findall(text):
        sign = piece.strip().lower()
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and sign in ("and", "&&", "or", "||"):
            signs.add("and" if sign in ("and", "&&") else "or")
            parts.append("")
        else:
            parts[-1] += piece
    return parts, signs


def unwrapped(text: str) -> str:
    """A condition without brackets around all of it."""
    text = text.strip()
    while text.startswith("(") and _end(text) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _end(text: str) -> int:
    """Where the bracket at the beginning of a text ends; -1 where it does not."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    return -1
