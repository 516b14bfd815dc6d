"""How a table that is wider than a page is cut: where pages end, and what each tells again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

PAGE_WIDTH = 165
"""Characters that a landscape page holds when it is shrunk as far as it can still be read."""

SMALLEST_PRINT = 60
"""That far, in percent."""


def breaks_between(strengths: Sequence[int], a_page: int) -> list[int]:
    """Before which columns a page ends: between groups, unless that wastes half of a page."""
    breaks: list[int] = []
    start = 0
    while start + a_page < len(strengths):
        fitting = range(start + a_page, start + a_page // 2, -1)
        start = max(fitting, key=lambda at: (strengths[at], at), default=start + a_page)
        breaks.append(start)
    return breaks


def parted(run: tuple[str, int, int], breaks: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """The same run in parts, of which none goes over the end of a page."""
    words, first, last = run
    for at in breaks:
        if first < at <= last:
            yield words, first, at - 1
            first = at
    yield words, first, last
