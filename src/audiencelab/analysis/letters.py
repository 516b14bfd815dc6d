"""Marks for tables: letters for columns that differ, arrows for shares that do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from string import ascii_uppercase

ARROWS = (("▲", "▼"), ("△", "▽"))
"""Above and below what it is compared with: at the first level, at the second."""


def letter(place: int) -> str:
    """The letter of the column at a place from 0: A to Z, then AA, AB, and so on."""
    above, within = divmod(place, len(ascii_uppercase))
    return (letter(above - 1) if above else "") + ascii_uppercase[within]


def letters_of(compared: Sequence[bool], groups: Sequence[int] = ()) -> list[str]:
    """A letter for each column that is compared, and none for the others.

    groups: a number for each column, where those of each group have letters of their own, from A.
    """
    numbers = groups or [0] * len(compared)
    places = {group: count() for group in numbers}
    return [
        letter(next(places[group])) if each else ""
        for each, group in zip(compared, numbers, strict=True)
    ]
