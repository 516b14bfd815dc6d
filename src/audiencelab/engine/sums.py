"""What a table is added up from, and the seam between its meaning and whoever does the adding.

`tables` knows what cells mean; a `Tabulator` knows where the respondents are: on this machine
(`local`), or in partitions elsewhere. Between them go plain counts and weights, by wave, before
any coverage narrows them. Partial sums of two sets of respondents add up to those of both, and
on the grid of weights (see `kernel`) they do so without rounding.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.kernel import Counts, Sums
from audiencelab.errors import AudienceError

__all__ = ["ByWave", "StripeSums", "TabulationError", "Tabulator"]


@dataclass(frozen=True, slots=True)
class ByWave:
    """Sums of some nodes within the base, by wave: float64[nodes, waves].

    Counts are floats here too (exact below 2^53), so that they go through the same products.
    """

    counts: NDArray[np.float64]
    sums: Sums

    @classmethod
    def empty(cls, nodes: int, waves: int) -> ByWave:
        return cls(np.zeros((nodes, waves)), np.zeros((nodes, waves)))

    def put(self, wave: int, nodes: slice | NDArray[np.intp], totals: tuple[Counts, Sums]) -> None:
        self.counts[nodes, wave], self.sums[nodes, wave] = totals


@dataclass(frozen=True, slots=True)
class StripeSums:
    """Rows `start` to `stop` (exclusive) of a table, all columns, over all waves asked for.

    base, row, column: the totals of one, stop - start and all column nodes, by wave.
    counts, sums: int64 and float64 of shape [rows, columns], respondents and weight in both.
    """

    start: int
    stop: int
    base: ByWave
    row: ByWave
    column: ByWave
    counts: Counts
    sums: Sums


class TabulationError(AudienceError):
    """Respondents elsewhere who could not be added up; the message says which, where and why."""


class Tabulator(Protocol):
    """Adds up the respondents of a survey, wherever they are; safe to use from many threads."""

    def stripes(
        self,
        base: Node,
        rows: Sequence[Node],
        columns: Sequence[Node],
        places: tuple[int, ...],
    ) -> Generator[StripeSums]:
        """The sums of rows × columns within the base, in stripes from the first row on.

        places: the waves, by order of date; sums by wave stand in this order. A node is empty
        in waves that it does not cover. Closing the generator stops the work.
        """
        ...
