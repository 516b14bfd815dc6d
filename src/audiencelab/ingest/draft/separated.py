"""Columns whose cells hold several answers: what divides them, and which answers there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.meaning.profile import ColumnProfile

_MOST_PARTS = 200
_MOST_TEXTS = 60

_Cells = dict[str, list[str]]


def separator_of(column: ColumnProfile) -> str | None:
    """The separator of several values in the cells of a column; None where cells hold one."""
    declared = column.variable.separator
    if declared and column.labels:
        is_one = all(declared not in value or value in column.labels for value in column.answers)
        return None if is_one else declared
    if column.variable.holds_one or column.is_date or column.numbers is not None:
        return None
    signs = (declared, ";", "|", ",") if declared else (";", "|", ",")
    return next((s for s in signs if _separates(s, column.answers, s == declared)), None)


def divided(values: Iterable[str], sign: str) -> _Cells:
    """The answers in each of some cells.

    Answers may have commas of their own. A part is one with the part before it where it never
    begins a cell, always follows that part, and begins with a small letter or is never missing
    after it.
    """
    cells = {value: [part for part in value.split(sign) if part.strip()] for value in values}
    # Again after joining: an answer may have several commas.
    while sign.strip() == "," and (pairs := _inseparable(cells)):
        cells = {value: _joined(cell, pairs, sign) for value, cell in cells.items()}
    return {value: [canonical_value(part) for part in cell] for value, cell in cells.items()}


def _inseparable(cells: Mapping[str, list[str]]) -> dict[str, str]:
    """Parts of which another is the end, by that other one."""
    before, after = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for cell in cells.values():
        for first, second in zip(["", *cell], [*cell, ""], strict=True):
            before[second].add(first)
            after[first].add(second)
    pairs = {second: min(first) for second, first in before.items() if second and len(first) == 1}
    return {
        second: first
        for second, first in pairs.items()
        if first
        # Codes have no commas.
        and not second.strip().isdecimal()
        and (second.lstrip()[0].islower() or after[first] == {second})
    }


def _joined(cell: list[str], pairs: Mapping[str, str], sign: str) -> list[str]:
    joined: list[str] = []
    last = ""
    for part in cell:
        if joined and pairs.get(part) == last:
            joined[-1] += sign + part
        else:
            joined.append(part)
        last = part
    return joined


def _cells(values: Iterable[str], sign: str, is_declared: bool) -> Iterable[list[str]]:
    if is_declared:
        return divided(values, sign).values()
    return ([canonical_value(p) for p in value.split(sign) if p.strip()] for value in values)


def _separates(sign: str, values: Iterable[str], is_declared: bool) -> bool:
    """Whether cells are lists of few parts that are repeated in other cells.

    is_declared: the file may divide answers by the sign, if there are several in this column.
    """
    parts: set[str] = set()
    alone: set[str] = set()
    several = longest = 0
    for cell in _cells(values, sign, is_declared):
        parts.update(cell)
        # Free text has many parts after a few cells, and is not read to its end.
        if len(parts) > _MOST_PARTS or len(set(cell)) < len(cell):
            return False
        several += len(cell) > 1
        longest = max(longest, len(cell))
        alone.update(cell if len(cell) == 1 else ())
    if not several:
        return False
    if all(part.isdecimal() for part in parts):
        # "1,5" may be a number with a decimal comma; a list of codes is seldom of two alone.
        return is_declared or sign != "," or longest > 2
    if len(parts) > _MOST_TEXTS or several < len(parts) / 2:
        return False
    # Prose has commas too, and so have answers; words that are answers are given alone as well.
    return sign != "," if not is_declared else len(alone) >= max(2, len(parts) / 3)
