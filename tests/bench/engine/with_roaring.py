"""Roaring bitmaps: the best-known way to count overlaps. They carry no weights."""

from __future__ import annotations

import numpy as np
from pyroaring import BitMap

from tests.bench.engine.survey import BenchSurvey
from tests.bench.engine.way import Table, Way

__all__ = ["Roaring"]


class Roaring(Way):
    name = "roaring"
    says = "roaring bitmaps: counts only, they hold no weights; one thread"
    octets_per_answer = 0.3
    cell_by_cell = True

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        self._base = _bitmap(survey.base())
        self._rows, self._columns = (
            [_bitmap(survey.flags(question, slice(at, at + 1))[0]) for at in range(side)]
            for question in ("rows", "columns")
        )

    def table(self, rows: int, columns: int) -> Table:
        inside = [self._base & each for each in self._rows[:rows]]
        counts = [
            [each.intersection_cardinality(other) for other in self._columns[:columns]]
            for each in inside
        ]
        return Table(np.array(counts, dtype=np.int64), None)


def _bitmap(flags: np.ndarray) -> BitMap:
    made = BitMap(np.flatnonzero(flags).astype(np.uint32))
    made.run_optimize()
    return made
