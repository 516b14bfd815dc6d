"""Heads over the audiences of a side: the groups of a banner, and groups within groups.

The heads of one audience are a tuple, outermost first: `("Gender by age", "Female")`, or `()` for
an audience that stands under none. Neighbours with the same heads stand together.
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
    """A name that tells apart audiences called the same under different heads."""
    return _WITHIN.join((*heads, name))


def told_apart(names: Sequence[str], side: Sequence[Heads]) -> list[str]:
    """The names where there is no room for heads: with them where two would be called the same."""
    seen = Counter(names)
    return [
        full_name(heads, name) if seen[name] > 1 else name
        for name, heads in zip(names, side, strict=True)
    ]


def table_title(rows: Sequence[Heads], columns: Sequence[Heads]) -> str:
    """What a table is about, by its outermost heads: "Finding brands by Age, Market"."""
    sides = [list(dict.fromkeys(heads[0] for heads in side if heads)) for side in (rows, columns)]
    named = [
        ", ".join(heads[:_NAMED]) + (f" and {len(heads) - _NAMED} more" if heads[_NAMED:] else "")
        for heads in sides
    ]
    return " by ".join(filter(None, named)) or "Crosstab"


def depth(side: Sequence[Heads]) -> int:
    """How many heads stand above each other at most; 0 where there are none."""
    return max(map(len, side), default=0)


def levels(side: Sequence[Heads]) -> list[list[str]]:
    """The heads level by level, outermost first; "" where an audience has none so deep."""
    return [
        [heads[level] if level < len(heads) else "" for heads in side]
        for level in range(depth(side))
    ]


def named_levels(side: Sequence[Heads], name: str) -> dict[str, list[str]]:
    """The levels as a frame calls them: `column_head`, `column_head_2`, … for "column"."""
    return {
        f"{name}_head_{number}" if number > 1 else f"{name}_head": level
        for number, level in enumerate(levels(side), 1)
    }


def spans(side: Sequence[Heads], beside: int) -> list[list[tuple[str, int]]]:
    """A line for each level: the heads and how many places each spans, after `beside` others."""
    return [
        [("", beside), *((head, last - first + 1) for head, first, last in runs(side, level))]
        for level in range(depth(side))
    ]


def sections(side: Sequence[Heads]) -> list[list[tuple[int, str]]]:
    """For each place the heads that begin there, each with its level; "" where they only end."""
    begun: list[list[tuple[int, str]]] = []
    for place, heads in enumerate(side):
        before = side[place - 1] if place else ()
        pairs = zip(heads, before, strict=False)
        alike = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        new = list(enumerate(heads))[alike:]
        begun.append(new if new or len(before) == alike else [(alike, "")])
    return begun


def edges(side: Sequence[Heads]) -> list[int]:
    """How strong a line stands before each place: 2 between outermost heads, 1 within one, or 0."""
    found = [0] * len(side)
    for place in range(1, len(side)):
        heads, before = side[place], side[place - 1]
        if heads != before:
            found[place] = 1 if heads and before and heads[0] == before[0] else 2
    return found


def runs(side: Sequence[Heads], level: int) -> list[tuple[str, int, int]]:
    """Neighbours under one head of a level: the head ("" for none), the first and the last place.

    A run ends with the run of the level above it, whatever the head is called.
    """
    found: list[tuple[str, int, int]] = []
    for place, heads in enumerate(side):
        if place and heads[: level + 1] == side[place - 1][: level + 1]:
            found[-1] = (*found[-1][:2], place)
        else:
            found.append((heads[level] if level < len(heads) else "", place, place))
    return found
