"""Groups of a banner or stub, and groups within groups, which tables show as heads.

The heads of one audience are a tuple, outermost first: `("Gender by age", "Female")`, or `()`.
Neighbours with the same heads are one group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

Heads = tuple[str, ...]

_WITHIN = " › "

_NAMED = 3
"""Heads of one side that a title names; more would push the other side out of sight."""


def joined(heads: Heads) -> str:
    """The heads of one audience in a line: "Gender by age › Female"."""
    return _WITHIN.join(heads)


def full_name(heads: Heads, name: str) -> str:
    """A name with its heads."""
    return _WITHIN.join((*heads, name))


def disambiguate(names: Sequence[str], side: Sequence[Heads]) -> list[str]:
    """The names, with heads where two would be equal."""
    seen = Counter(names)
    return [
        full_name(heads, name) if seen[name] > 1 else name
        for name, heads in zip(names, side, strict=True)
    ]


def table_title(rows: Sequence[Heads], columns: Sequence[Heads]) -> str:
    """The title of a table by its outermost heads: "Finding brands by Age, Market"."""
    sides = [list(dict.fromkeys(heads[0] for heads in side if heads)) for side in (rows, columns)]
    named = [
        ", ".join(heads[:_NAMED]) + (f" and {len(heads) - _NAMED} more" if heads[_NAMED:] else "")
        for heads in sides
    ]
    return " by ".join(filter(None, named)) or "Crosstab"


def depth(side: Sequence[Heads]) -> int:
    """How many levels of heads there are."""
    return max(map(len, side), default=0)


def levels(side: Sequence[Heads]) -> list[list[str]]:
    """The heads by level, outermost first; "" for an audience that has none so deep."""
    return [
        [heads[level] if level < len(heads) else "" for heads in side]
        for level in range(depth(side))
    ]


def named_levels(side: Sequence[Heads], name: str) -> dict[str, list[str]]:
    """The levels by their names in a frame: `column_head`, `column_head_2`, … for "column"."""
    return {
        f"{name}_head_{number}" if number > 1 else f"{name}_head": level
        for number, level in enumerate(levels(side), 1)
    }


def spans(side: Sequence[Heads], beside: int) -> list[list[tuple[str, int]]]:
    """For each level the heads and how many columns each spans, after `beside` other columns."""
    return [
        [("", beside), *((head, last - first + 1) for head, first, last in runs(side, level))]
        for level in range(depth(side))
    ]


def sections(side: Sequence[Heads]) -> list[list[tuple[int, str]]]:
    """For each position the heads that begin there, with their levels; "" where they only end."""
    begun: list[list[tuple[int, str]]] = []
    for place, heads in enumerate(side):
        before = side[place - 1] if place else ()
        pairs = zip(heads, before, strict=False)
        alike = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        new = list(enumerate(heads))[alike:]
        begun.append(new if new or len(before) == alike else [(alike, "")])
    return begun


def edges(side: Sequence[Heads]) -> list[int]:
    """The rule before each position: 2 between outermost heads, 1 within one, else 0."""
    found = [0] * len(side)
    for place in range(1, len(side)):
        heads, before = side[place], side[place - 1]
        if heads != before:
            found[place] = 1 if heads and before and heads[0] == before[0] else 2
    return found


def runs(side: Sequence[Heads], level: int) -> list[tuple[str, int, int]]:
    """Neighbours under one head of a level: the head ("" for none), first and last position.

    A run ends with the run of the level above it.
    """
    found: list[tuple[str, int, int]] = []
    for place, heads in enumerate(side):
        if place and heads[: level + 1] == side[place - 1][: level + 1]:
            found[-1] = (*found[-1][:2], place)
        else:
            found.append((heads[level] if level < len(heads) else "", place, place))
    return found
