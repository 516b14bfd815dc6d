"""How much one request may ask for; every number of it in one place, and configurable."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one request; what lies beyond is refused with the limit named.

    depth and nodes of one expression; rows and columns of a crosstab (a stats query has as many
    audiences as a crosstab has columns); cells of a table, in stats datapoints × segments ×
    audiences; items of any other list; insights of a page; characters of a text, such as a name
    (labels may be pages) or a code, and of an audience's identifier, which every result repeats;
    bytes of a body; faults that one answer tells.
    """

    depth: int = 64
    nodes: int = 10_000
    rows: int = 2_000
    columns: int = 2_000
    cells: int = 1_000_000
    items: int = 100_000
    page: int = 1_000
    text: int = 20_000
    identifier: int = 256
    body: int = 8 * 1024 * 1024
    faults: int = 1_000
