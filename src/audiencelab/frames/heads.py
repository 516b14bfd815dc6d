"""Heads over the audiences of a side: the groups of a banner, and groups within groups.

The heads of one audience are a tuple, outermost first: `("Gender by age", "Female")`, or `()` for
an audience that stands under none. Neighbours with the same heads stand together.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Heads", "depth", "full_name", "joined", "levels", "named_levels", "runs"]

Heads = tuple[str, ...]

_WITHIN = " › "


def joined(heads: Heads) -> str:
    """The heads of one audience in a line: "Gender by age › Female"."""
    return _WITHIN.join(heads)


def full_name(heads: Heads, name: str) -> str:
    """A name that tells apart audiences called the same under different heads."""
    return _WITHIN.join((*heads, name))


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
