"""The marks of comparisons: letters of columns, arrows against rest, total or previous wave."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import ComparisonData, Positions, shown_parts, shown_table
from audiencelab.analysis.method_note import percent_words
from audiencelab.analysis.plan import MEANS
from audiencelab.results.banner import table_title
from audiencelab.results.crosstab import CrosstabData, title_of

Texts = NDArray[np.object_]

PAIRS = ("columns", "rows")
"""Comparisons of every two columns or rows, which have letters."""

ARROWS = (("▲", "▼"), ("△", "▽"))
"""Above and below what it is compared with: at the stricter level, at the other."""


def title(comparison: ComparisonData) -> str:
    """The table and what was compared in it, such as "Finding brands by Age: columns compared"."""
    if isinstance(comparison.source, CrosstabData):
        return f"{title_of(comparison.source)}: {_compared(comparison)}"
    table = shown_table(comparison)
    groups = [each.groups or () for each in (table.rows, table.columns)]
    return f"{table_title(*groups)}: {_compared(comparison)}"


def _compared(comparison: ComparisonData) -> str:
    if comparison.vs == "rows":
        return "rows compared"
    if comparison.vs == "columns":
        return "averages compared" if comparison.unit is MEANS else "columns compared"
    if comparison.vs == "previous wave":
        return "waves compared"
    return f"columns against the {comparison.vs}"


def legend(comparison: ComparisonData) -> str:
    """What the marks mean, for the notes of a table."""
    levels = comparison.settings.levels
    if comparison.vs in PAIRS:
        # Not strict: with one level there are capital letters alone.
        pairs = zip(("capital", "small"), levels, strict=False)
        words = ", ".join(f"{kind} {percent_words(level)}" for kind, level in pairs)
        line, noun = comparison.vs.removesuffix("s"), shown_parts(comparison)[0].unit.noun
        which = f"that {line}'s in the same group" if any(comparison.groups) else f"that {line}'s"
        return f"A letter marks a significantly larger {noun} than {which}: {words}."
    directions = [
        f"{above} above and {below} below at {percent_words(level)}"
        # Not strict: with one level there are filled arrows alone.
        for (above, below), level in zip(ARROWS, levels, strict=False)
    ]
    return f"{', '.join(directions)}."


def column_letters(comparison: ComparisonData) -> list[str]:
    """A letter for each column; "" for columns that were not compared with each other."""
    if comparison.vs == "columns":
        return letters_of(comparison)
    return [""] * len(shown_table(comparison).columns)


def row_letters(comparison: ComparisonData) -> list[str]:
    """A letter for each row as it is shown; "" for rows that were not compared with each other."""
    others = comparison.statistics
    count = len(comparison.shown) or len(shown_table(comparison).rows)
    if comparison.vs != "rows":
        return [""] * count
    own = letters_of(comparison)
    of_others = [] if others is None else letters_of(others)
    shown = comparison.shown or [(False, row) for row in range(count)]
    return [(of_others[at] if of_others else "") if is_other else own[at] for is_other, at in shown]


def letters_of(comparison: ComparisonData) -> list[str]:
    """A letter for each column of the comparison's own table; "" for those not compared."""
    compared = np.zeros(len(comparison.table.columns), dtype=bool)
    compared[np.concatenate([comparison.column.ravel(), comparison.other.ravel()])] = True
    groups: Sequence[int] = comparison.groups or [0] * len(compared)
    # Letters begin with A in each group.
    numbers = {group: count() for group in groups}
    return [
        letter(next(numbers[group])) if each else ""
        for each, group in zip(compared.tolist(), groups, strict=True)
    ]


def letter(position: int) -> str:
    """The letter of the column at a position from 0: A to Z, then AA, AB, and so on."""
    above, within = divmod(position, len(ascii_uppercase))
    # 26 is "AA", not "BA": unlike digits, letters have no zero.
    return (letter(above - 1) if above else "") + ascii_uppercase[within]


def marks(comparison: ComparisonData) -> Texts:
    """The marks alone, as text [rows, columns], "" where there is none."""
    if comparison.vs not in PAIRS:
        return _arrows(comparison)
    found = _letters(comparison)
    return found.T if comparison.vs == "rows" else found


def shown_marks(comparison: ComparisonData) -> Texts:
    """The marks of all rows as they are shown, with those of statistics among them."""
    made, others = marks(comparison), comparison.statistics
    if not comparison.shown:
        return made
    added = np.full_like(made, "", shape=(len(comparison.shown), made.shape[1]))
    of_statistics = None if others is None else marks(others)
    for row, (is_statistic, place) in enumerate(comparison.shown):
        found = of_statistics if is_statistic else made
        added[row] = "" if found is None else found[place]
    return added


def _letters(comparison: ComparisonData) -> Texts:
    letters, outcome = letters_of(comparison), comparison.outcome
    found: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for strictness in range(len(comparison.settings.levels)):
        for row, test in zip(
            *(each.tolist() for each in _reaching(comparison, strictness)), strict=True
        ):
            pair = int(comparison.column[row, test]), int(comparison.other[row, test])
            larger, smaller = pair if outcome.difference[row, test] > 0 else pair[::-1]
            mark = letters[smaller].lower() if strictness else letters[smaller]
            found.setdefault((row, larger), []).append((smaller, mark))
    made: Texts = np.full(comparison.table.shape, "", dtype=object)
    for cell, letters_of_cell in found.items():
        made[cell] = " ".join(mark for _, mark in sorted(letters_of_cell))
    return made


def _arrows(comparison: ComparisonData) -> Texts:
    made: Texts = np.full(comparison.table.shape, "", dtype=object)
    for strictness in range(len(comparison.settings.levels)):
        rows, tests = _reaching(comparison, strictness)
        higher = comparison.outcome.difference[rows, tests] > 0
        made[rows, comparison.column[rows, tests]] = np.where(higher, *ARROWS[strictness])
    return made


def _reaching(comparison: ComparisonData, position: int) -> tuple[Positions, Positions]:
    """Rows and tests that reach this one of the levels, and no stricter one."""
    level = comparison.settings.levels[position]
    rows, tests = np.nonzero(comparison.outcome.listed & (comparison.outcome.level == level))
    return rows, tests
