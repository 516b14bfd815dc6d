"""Groups of a banner or stub, and groups within groups.

The groups of one audience are a tuple, outermost first: `("Gender by age", "Female")`, or `()`.
Neighbours with the same groups are displayed under one header.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from audiencelab.expressions import And, Audience

Groups = tuple[str, ...]

WITHIN = " › "

_NAMED = 3
"""Groups of one side that a title names; more would push the other side out of sight."""


def joined(groups: Groups) -> str:
    """The groups of one audience in a line: "Gender by age › Female"."""
    return WITHIN.join(groups)


def full_name(groups: Groups, name: str) -> str:
    """A name after its groups."""
    return WITHIN.join((*groups, name))


def is_nested(audience: Audience, groups: Groups) -> bool:
    """Whether an audience may be part of its group, as "16 to 17" is within "Male".

    Its name alone would then name more people than are counted. An answer of one question is not
    part of a group: its group is the question.
    """
    return bool(groups) and isinstance(audience.expression, And)


def whole_names(audiences: Sequence[Audience], side: Sequence[Groups]) -> list[str]:
    """The names to use outside of the table: after their groups where nested, or named alike."""
    seen = Counter(audience.name for audience in audiences)
    return [
        full_name(groups, each.name)
        if is_nested(each, groups) or seen[each.name] > 1
        else each.name
        for each, groups in zip(audiences, side, strict=True)
    ]


def table_title(rows: Sequence[Groups], columns: Sequence[Groups]) -> str:
    """The title of a table by its outermost groups: "Finding brands by Age, Market"."""
    sides = [
        list(dict.fromkeys(groups[0] for groups in side if groups)) for side in (rows, columns)
    ]
    named = [
        ", ".join(groups[:_NAMED])
        + (f" and {len(groups) - _NAMED} more" if groups[_NAMED:] else "")
        for groups in sides
    ]
    return " by ".join(filter(None, named)) or "Crosstab"


def depth(side: Sequence[Groups]) -> int:
    """How many levels of groups there are."""
    return max(map(len, side), default=0)


def levels(side: Sequence[Groups]) -> list[list[str]]:
    """The groups by level, outermost first; "" for an audience with fewer levels."""
    return [
        [groups[level] if level < len(groups) else "" for groups in side]
        for level in range(depth(side))
    ]


def named_levels(side: Sequence[Groups], name: str) -> dict[str, list[str]]:
    """The levels by their names in a frame: `column_group`, `column_group_2`, … for "column"."""
    return {
        f"{name}_group_{number}" if number > 1 else f"{name}_group": level
        for number, level in enumerate(levels(side), 1)
    }


def spans(side: Sequence[Groups], beside: int) -> list[list[tuple[str, int]]]:
    """For each level the groups and how many columns each spans, after `beside` other columns."""
    return [
        [(group, last - first + 1) for group, first, last in runs(((),) * beside + (*side,), level)]
        for level in range(depth(side))
    ]


def sections(side: Sequence[Groups]) -> list[list[tuple[int, str]]]:
    """For each position the groups that begin there, with their levels; "" where they only end."""
    begun: list[list[tuple[int, str]]] = []
    for place, groups in enumerate(side):
        before = side[place - 1] if place else ()
        # Not strict: neighbours may be nested to different depths.
        pairs = zip(groups, before, strict=False)
        alike = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        new = list(enumerate(groups))[alike:]
        begun.append(new if new or len(before) == alike else [(alike, "")])
    return begun


def edges(side: Sequence[Groups]) -> list[int]:
    """The rule before each position: 2 between outermost groups, 1 within one, else 0."""
    found = [0] * len(side)
    for place in range(1, len(side)):
        groups, before = side[place], side[place - 1]
        if groups != before:
            found[place] = 1 if groups and before and groups[0] == before[0] else 2
    return found


def runs(side: Sequence[Groups], level: int) -> list[tuple[str, int, int]]:
    """Neighbours in one group of a level: the group ("" for none), first and last position.

    A run ends with the run of the level above it.
    """
    found: list[tuple[str, int, int]] = []
    for place, groups in enumerate(side):
        # By all levels down to this one: one name in two outer groups is two groups.
        if place and groups[: level + 1] == side[place - 1][: level + 1]:
            found[-1] = (*found[-1][:2], place)
        else:
            found.append((groups[level] if level < len(groups) else "", place, place))
    return found


def page_breaks(strengths: Sequence[int], columns: int) -> list[int]:
    """Before which columns a page ends: between groups, unless that wastes half of a page.

    strengths: of the lines before each column. columns: on a page.
    """
    breaks: list[int] = []
    start = 0
    while start + columns < len(strengths):
        fitting = range(start + columns, start + columns // 2, -1)
        start = max(fitting, key=lambda at: (strengths[at], at), default=start + columns)
        breaks.append(start)
    return breaks
