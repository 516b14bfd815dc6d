"""How much of a table a static form shows: all of it if it fits, else the first rows and columns.

The output of a notebook, the form that a widget's state saves and a page of its own are drawn by
the same functions, with other limits. Rows and columns become fewer together, so that what is left
is still a table, and the last line counts what is not there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from audiencelab.markup import LABEL_LENGTH, QUIET, WHOLE_LABEL, Block, Table

_FEW_ROWS, _FEW_COLUMNS = 12, 8
"""A side of no more than these is shown whole, as far as the other can be shorter."""


class Room(NamedTuple):
    """What one form may take.

    cells: the most cells. whole: the most bytes of a table that is shown whole; cut: of the part
    of one that is not. length: the most characters of a label. bases: the style of bases beside
    the names of rows.
    """

    cells: float
    whole: float
    cut: float
    length: int
    bases: str = QUIET

    def most(self, rows: int, columns: int) -> tuple[int, int]:
        """The first rows and columns that may be shown at all."""
        return _part(rows, columns, min(1.0, self.cells / max(1, rows * columns)))

    def beside(self, *blocks: Block) -> Room:
        """What is left for a table beside other parts of its form."""
        taken = sum(len(block.markup.encode()) for block in blocks)
        return self._replace(whole=self.whole - taken, cut=min(self.cut, self.whole - taken))


NOTEBOOK = Room(1_500, 18_300, 10_500, LABEL_LENGTH, "")
"""An output of a notebook, of 20 KB. The figures of a table are saved beside it as far as they fit,
so a table that is too large for it leaves them more: pages that can draw them show more of those.
"""

SAVED = Room(5_000, 600_000, 600_000, LABEL_LENGTH)
"""The form in a widget's state, which is compressed: 15 bytes a cell and 2 KB, 200 KB at most."""

PAGE = Room(math.inf, math.inf, math.inf, WHOLE_LABEL)
"""Whole tables, for a page or a mail."""


def fitted(room: Room, rows: int, columns: int, draw: Callable[[int, int], Table]) -> Table:
    """The table of the first rows and columns, as many as fit.

    draw: makes it of so many.
    """
    cells = max(1, rows * columns)
    share = min(1.0, room.cells / cells)
    made = draw(*_part(rows, columns, share))
    limit = room.whole if share == 1 else room.cut
    while (size := len(made.markup.encode())) > limit and share * cells > 1:
        limit = room.cut
        share *= min(0.97, limit / size)
        made = draw(*_part(rows, columns, share))
    return made


def _part(rows: int, columns: int, share: float) -> tuple[int, int]:
    """The numbers of rows and columns of a share of the cells, both fewer by the same factor."""
    cells = rows * columns * share
    width = max(min(columns, _FEW_COLUMNS), int(columns * math.sqrt(share)))
    height = max(min(rows, _FEW_ROWS), int(cells / max(1, width)))
    width = min(width, max(1, int(cells / max(1, height))))
    return min(rows, max(1, int(cells / max(1, width)))), width
