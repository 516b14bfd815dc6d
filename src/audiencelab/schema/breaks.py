"""Breaks: waves from which a question is another one than before, so that figures do not compare.

The flags of a question in the catalogue say them: they are written and read here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote

BREAK_FLAG = "break:"
"""Prefix of the flag for a break: "break:w3:another%20scale", percent-encoded."""


class Break(NamedTuple):
    """The first wave of a question as it is since, by its code, and what is other than before."""

    wave: str
    why: str

    @property
    def flag(self) -> str:
        """The flag that says it."""
        return f"{BREAK_FLAG}{quote(self.wave, safe='')}:{quote(self.why, safe='')}"


def breaks_of(flags: Iterable[str]) -> tuple[Break, ...]:
    """The breaks that the flags of a question say.

    >>> from audiencelab.schema.breaks import Break, breaks_of
    >>> breaks_of(["top:last", Break("w3", "5 points were 7").flag])
    (Break(wave='w3', why='5 points were 7'),)
    """
    return tuple(_read(flag) for flag in flags if flag.startswith(BREAK_FLAG))


def breaks_between(
    breaks: Iterable[Break], waves: Sequence[str], one: str, other: str
) -> Iterator[Break]:
    """The breaks that lie between two waves, in whichever order they are given.

    waves: the codes of all waves, by date.

    >>> from audiencelab.schema.breaks import Break, breaks_between
    >>> found = [Break("w3", "another scale")]
    >>> [len([*breaks_between(found, ["w1", "w2", "w3", "w4"], "w1", to)]) for to in ("w2", "w4")]
    [0, 1]
    """
    first, last = sorted((waves.index(one), waves.index(other)))
    return (each for each in breaks if each.wave in waves[first + 1 : last + 1])


def _read(flag: str) -> Break:
    wave, _, why = flag.removeprefix(BREAK_FLAG).partition(":")
    return Break(unquote(wave), unquote(why))
