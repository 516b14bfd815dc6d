"""Why cells of a table have no value: each reason once, with the rows, columns or cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_NAMED = 3
"""Rows, columns or cells that a note on missing values names."""


class Gap(NamedTuple):
    """A reason, and where it is why there is no value.

    cells: row and column, by position; None for all of them.
    """

    reason: str
    cells: tuple[tuple[int | None, int | None], ...]

    def note(self, rows: Sequence[str], columns: Sequence[str]) -> str:
        """What a dash means, with the first of the rows, columns or cells that have it."""
        named = list(dict.fromkeys(_name(cell, rows, columns) for cell in self.cells))
        more = " and others" if len(named) > _NAMED else ""
        return f"– {self.reason}: {', '.join(named[:_NAMED])}{more}"

    def moved(self, rows: Sequence[int | None], columns: int = 0) -> Gap:
        """The same in a table with other rows, and with columns before its own.

        rows: the new position of each row; None for one that is not there any more.
        """
        moved = [
            (None if row is None else rows[row], None if column is None else column + columns)
            for row, column in self.cells
            if row is None or rows[row] is not None
        ]
        return Gap(self.reason, tuple(moved))


def _name(place: tuple[int | None, int | None], rows: Sequence[str], columns: Sequence[str]) -> str:
    row, column = place
    names = ("" if row is None else rows[row], "" if column is None else columns[column])
    return " × ".join(filter(None, names))


def gaps_in(reasons: NDArray[np.object_]) -> list[Gap]:
    """The reasons of cells, object[rows, columns], with "" for a cell that has a value."""
    gaps: list[Gap] = []
    for reason in dict.fromkeys(reasons[reasons != ""].tolist()):
        found = reasons == reason
        cells: list[tuple[int | None, int | None]] = []
        if len(reasons) > 1 and (whole := found.all(axis=0)).any():
            cells += [(None, at) for at in np.flatnonzero(whole).tolist()]
            # Columns that are named as a whole are not named again cell by cell.
            found &= ~whole
        for row in np.flatnonzero(found.any(axis=1)).tolist():
            some = np.flatnonzero(found[row]).tolist()
            of_row = (reasons[row] == reason).all()
            cells += [(row, None)] if of_row else [(row, at) for at in some]
        gaps.append(Gap(reason, tuple(cells)))
    return gaps
