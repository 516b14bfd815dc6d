"""Names without the words that all names of a group begin or end with, for rows of a table.

"Price: top 2 (agree, agree fully)" and its neighbours are "Price" below a group that has the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from audiencelab.results.banner import Groups

_FEWEST = 2
"""Names that have words in common."""

_LEAST = 12
"""Letters of common first words that are worth leaving out."""

LEFT_OUT = "… "
"""In place of common first words."""


def short_names(names: Sequence[str], groups: Sequence[Groups]) -> list[str]:
    """The names in order, those of neighbours in a group without their common words."""
    found: list[str] = []
    for above, run in groupby(zip(names, groups, strict=True), lambda pair: pair[1]):
        listed = [name for name, _ in run]
        found += _shortened(listed) if above and len(listed) >= _FEWEST else listed
    return found


def _shortened(names: list[str]) -> list[str]:
    ending = _common_ending(names)
    cut = [name.removesuffix(ending) for name in names]
    first = _common(cut).rpartition(" ")[0]
    if len(first) < _LEAST or any(len(name) <= len(first) + 1 for name in cut):
        return cut
    return [f"{LEFT_OUT}{name[len(first) + 1 :]}" for name in cut]


def _common_ending(names: list[str]) -> str:
    """What all names end with from a colon on: ": mean (1 never … 6 daily)"."""
    backwards = _common([name[::-1] for name in names])[::-1]
    colon = backwards.find(": ")
    if colon < 0 or any(len(name) <= len(backwards) - colon for name in names):
        return ""
    return backwards[colon:]


def _common(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    same = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, len(first))]
