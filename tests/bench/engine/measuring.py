"""One method at one size, in this process.

A corner of the table is measured first, then larger ones as long as the next should be done within
the budget; a table that takes longer is estimated from the largest corners. The figures of every
corner are checked.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from tests.bench.engine.methods import METHODS, Method, Table
from tests.bench.engine.process import memory, reset_peak
from tests.bench.engine.survey import WAVES, BenchSurvey

TURNS = 5
ENOUGH = 3.0
"""Seconds after which there is no further turn."""

FIRST_CORNER = 10
"""How many budgets an estimate from the first corner alone may take: set-up is part of it."""

PROBES = 25


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """What one method took at one size, in seconds and bytes.

    part: what an estimate is made from, empty if all was measured. ready: memory with the data in
    place, before the first query; peak: from then on, including the data.
    """

    method: str
    respondents: int
    side: int
    wall: float | None = None
    cpu: float | None = None
    first: float | None = None
    ready: int | None = None
    peak: int | None = None
    part: str = ""
    error: str = ""


class Corner(NamedTuple):
    """A corner of the table, and the seconds that its quickest turn took."""

    rows: int
    columns: int
    wall: float
    cpu: float

    @property
    def cells(self) -> int:
        return self.rows * self.columns


def measure(name: str, folder: str, side: int, budget: float, room: float) -> dict[str, Any]:
    """A `Measurement` as plain data. room: bytes that the method may take."""
    kind, whole = METHODS[name], BenchSurvey(Path(folder))
    # As many waves as the memory allows, but one at least.
    answers = 2 * side * whole.respondents
    waves = math.floor(len(WAVES) * room / (answers * kind.bytes_per_answer))
    survey = BenchSurvey(whole.folder, WAVES[: max(1, waves)])
    method = kind(survey, side)
    ready = memory("VmRSS")
    reset_peak()
    corners = _measure_corners(method, Probes(survey, side), side, budget)
    peak, last = memory("VmHWM"), corners[-1]
    found = Measurement(method=name, respondents=whole.respondents, side=side)
    if last.cells == side**2 and survey.waves == WAVES:
        times = {"wall": last.wall, "cpu": last.cpu, "first": _first_cell(method, side)}
        return msgspec.structs.asdict(found) | times | {"ready": ready, "peak": peak}
    scale = whole.respondents / survey.respondents
    wall, cpu = (seconds * scale for seconds in _expected(corners, side**2))
    part = f"{last.cells:,} of {side**2:,} cells"
    if survey.waves != WAVES:
        part += f", {survey.respondents:,} respondents"
    return msgspec.structs.asdict(found) | {"wall": wall, "cpu": cpu, "part": part}


def _measure_corners(method: Method, probes: Probes, side: int, budget: float) -> list[Corner]:
    # Some methods pay for all columns before they look at a row: larger corners have all columns.
    sizes = {(1, side), (max(1, side // 10), side), (side, side)}
    if method.cell_by_cell:
        sizes |= {(1, 1), (1, min(5, side))}
    done: list[Corner] = []
    for rows, columns in [(side, side)] if method.whole else sorted(sizes):
        allowed = budget if len(done) > 1 else FIRST_CORNER * budget
        if done and _expected(done, rows * columns)[0] > allowed:
            break
        corner, table = _timed(method, rows, columns)
        probes.check(table, method.tolerance)
        done.append(corner)
    last, spent = done[-1], done[-1].wall
    for _ in range(TURNS - 1):
        if spent > ENOUGH:
            break
        again, _table = _timed(method, last.rows, last.columns)
        spent += again.wall
        last = min(last, again, key=lambda corner: corner.wall)
    return [*done[:-1], last]


def _expected(done: list[Corner], cells: int) -> tuple[float, float]:
    """Wall and CPU seconds of that many cells: on the line through the last two corners."""
    last = done[-1]
    if len(done) == 1 or cells == last.cells:
        return last.wall * cells / last.cells, last.cpu * cells / last.cells
    before = done[-2]
    further = (cells - last.cells) / (last.cells - before.cells)
    return (
        last.wall + max(0.0, last.wall - before.wall) * further,
        last.cpu + max(0.0, last.cpu - before.cpu) * further,
    )


def _timed(method: Method, rows: int, columns: int) -> tuple[Corner, Table]:
    wall, cpu = time.perf_counter(), time.process_time()
    table = method.table(rows, columns)
    return Corner(rows, columns, time.perf_counter() - wall, time.process_time() - cpu), table


def _first_cell(method: Method, side: int) -> float | None:
    start = time.perf_counter()
    early = method.first_cell(side)
    return time.perf_counter() - start if early else None


class Probes:
    """Cells all over the table, counted from the answers themselves without any method's code."""

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        rng = np.random.default_rng(side)
        # The first are fixed, so that small corners hold some too.
        self._cells = [(0, 0), (0, side - 1), (side - 1, side - 1)]
        self._cells += [(int(r), int(c)) for r, c in rng.integers(0, side, (PROBES, 2))]
        self._base, self._weights, self._survey = survey.base(), survey.weights, survey

    def check(self, table: Table, tolerance: float) -> None:
        """Raise `AssertionError` if a probed cell is wrong."""
        figures = table.sums if table.counts is None else table.counts
        assert figures is not None
        for row, column in self._cells:
            if row >= figures.shape[0] or column >= figures.shape[1]:
                continue
            inside = self._base.copy()
            for question, at in (("rows", row), ("columns", column)):
                inside &= self._survey.flags(question, slice(at, at + 1))[0]
            if table.counts is not None:
                assert table.counts[row, column] == inside.sum(), f"count of {row}, {column}"
            if table.sums is not None:
                weight, found = math.fsum(self._weights[inside]), float(table.sums[row, column])
                assert abs(found - weight) <= tolerance * weight, f"sum of {row}, {column}"
