"""One way at one size, in this process: `measure`. Ran by `apart`.

A small part of the table comes first, and then a larger one as long as it should be done within
the budget; what does not fit is told from the largest part that did, and said so. Every part is
checked, so a time is only ever told of figures that are right.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tests.bench.engine import memory
from tests.bench.engine.survey import WAVES, BenchSurvey
from tests.bench.engine.way import Table, Way, way_of

__all__ = ["Finding", "Probes", "measure"]

_REPEATS = 5
_ENOUGH = 3.0
"""Seconds after which a way has no further turn."""

_ONCE = 10
"""How often the budget may be expected to be passed by what is told from a first part."""

_PROBES = 25


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one way took for one size. Seconds, octets.

    part: what an estimate comes from; empty where all of it was measured. ready: memory with the
    data in place, before the first query; peak: from then on, the data included.
    """

    way: str
    respondents: int
    side: int
    wall: float | None = None
    cpu: float | None = None
    first: float | None = None
    ready: int | None = None
    peak: int | None = None
    part: str = ""
    fault: str = ""


def measure(way: str, folder: str, side: int, budget: float, room: float) -> dict[str, Any]:
    """A `Finding` as plain data. room: octets that the way may take."""
    kind = way_of(way)
    survey = _fitting(kind, BenchSurvey(Path(folder)), side, room)
    made = kind(survey, side)
    ready = memory.held()
    memory.forget_peak()
    parts = _parts_done(made, survey, side, budget)
    peak = memory.peak()
    last, everyone = parts[-1], BenchSurvey(Path(folder)).respondents
    found = Finding(way=way, respondents=everyone, side=side, wall=last.wall, cpu=last.cpu)
    if last.cells == side**2 and survey.waves == WAVES:
        first = _first(made, side)
        found = msgspec.structs.replace(found, first=first, ready=ready, peak=peak)
    else:
        wall, cpu = (each * everyone / survey.respondents for each in _expected(parts, side**2))
        part = f"{last.cells:,} of {side**2:,} cells"
        if survey.waves != WAVES:
            part += f", {survey.respondents:,} respondents"
        found = msgspec.structs.replace(found, wall=wall, cpu=cpu, part=part)
    return msgspec.to_builtins(found)


def _fitting(kind: type[Way], survey: BenchSurvey, side: int, room: float) -> BenchSurvey:
    """The waves that the way has memory for; one at least."""
    answers = 2 * side * survey.respondents
    count = math.floor(len(WAVES) * room / (answers * kind.octets_per_answer))
    return BenchSurvey(survey.folder, WAVES[: max(1, count)])


@dataclass(frozen=True)
class _Part:
    """A corner of the table, and the seconds that its quickest turn took."""

    rows: int
    columns: int
    wall: float
    cpu: float

    @property
    def cells(self) -> int:
        return self.rows * self.columns


def _parts_done(way: Way, survey: BenchSurvey, side: int, budget: float) -> list[_Part]:
    """Larger and larger corners, as long as the next one should be done within the budget."""
    probes = Probes(survey, side)
    done: list[_Part] = []
    for rows, columns in [(side, side)] if way.whole else _corners(way, side):
        # A first part alone tells too much: what a way does once is in it.
        patience = budget if len(done) > 1 else _ONCE * budget
        if done and _expected(done, rows * columns)[0] > patience:
            break
        part, table = _timed(way, rows, columns)
        probes.check(table, way.tolerance)
        del table
        done.append(part)
    last, spent = done[-1], done[-1].wall
    for _ in range(_REPEATS - 1):
        if spent > _ENOUGH:
            break
        again, _table = _timed(way, last.rows, last.columns)
        spent += again.wall
        last = min(last, again, key=lambda part: part.wall)
    return [*done[:-1], last]


def _corners(way: Way, side: int) -> list[tuple[int, int]]:
    """Rows and columns, each time more of them.

    A way that makes a table at once may pay for columns before it looks at a row, so all of its
    corners have all columns: what is left to tell from them is the cost of a row.
    """
    small = (1, 1), (1, min(5, side)), (1, side)
    begin = small if way.cell_by_cell else ((1, side),)
    return sorted({*begin, (max(1, side // 10), side), (side, side)})


def _expected(done: list[_Part], cells: int) -> tuple[float, float]:
    """Wall and CPU seconds of that many cells: a start, and so much a cell, from two parts.

    From one part alone, in proportion.
    """
    last = done[-1]
    if len(done) == 1 or cells == last.cells:
        return last.wall * cells / last.cells, last.cpu * cells / last.cells
    before = done[-2]
    further = (cells - last.cells) / (last.cells - before.cells)
    return (
        last.wall + max(0.0, last.wall - before.wall) * further,
        last.cpu + max(0.0, last.cpu - before.cpu) * further,
    )


def _timed(way: Way, rows: int, columns: int) -> tuple[_Part, Table]:
    wall, cpu = time.perf_counter(), time.process_time()
    table = way.table(rows, columns)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return _Part(rows, columns, wall, cpu), table


def _first(way: Way, side: int) -> float | None:
    """Seconds until the first cell, where it comes before the others."""
    start = time.perf_counter()
    return time.perf_counter() - start if way.first_cell(side) else None


class Probes:
    """Cells all over the table, from the answers themselves; no way's code comes near them."""

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        # In a fixed order, so that small parts of the table hold some too.
        rng = np.random.default_rng(side)
        self._cells = [(0, 0), (0, side - 1), (side - 1, side - 1)]
        self._cells += [(int(r), int(c)) for r, c in rng.integers(0, side, (_PROBES, 2))]
        self._base, self._weights = survey.base(), survey.weights
        self._survey = survey

    def check(self, table: Table, tolerance: float) -> None:
        given = table.sums if table.counts is None else table.counts
        assert given is not None
        for row, column in self._cells:
            if row >= given.shape[0] or column >= given.shape[1]:
                continue
            count, total = self._cell(row, column)
            if table.counts is not None:
                assert table.counts[row, column] == count, f"count of {row}, {column}"
            if table.sums is not None:
                found = float(table.sums[row, column])
                assert abs(found - total) <= tolerance * total, f"sum of {row}, {column}"

    def _cell(self, row: int, column: int) -> tuple[int, float]:
        inside = self._base.copy()
        for question, at in (("rows", row), ("columns", column)):
            inside &= self._survey.flags(question, slice(at, at + 1))[0]
        return int(inside.sum()), math.fsum(self._weights[inside])
