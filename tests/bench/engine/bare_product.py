"""The yardstick: one bare matrix product of that shape, its operands unpacked beforehand.

It evaluates no mask, knows no base, makes one of the two tables, and rounds: nothing that one
could use, but what BLAS makes of the hardware.
"""

from __future__ import annotations

import numpy as np

from tests.bench.engine.survey import BenchSurvey
from tests.bench.engine.way import Table, Way

__all__ = ["Sgemm", "SgemmOneThread"]


class Sgemm(Way):
    name = "sgemm"
    says = "one bare float32 product in BLAS, operands ready: no masks, no counts"
    octets_per_answer = 5.0
    whole = True
    tolerance = 1e-4

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        weights = np.where(survey.base(), survey.weights, 0).astype(np.float32)
        self._rows = np.empty((side, survey.respondents), np.float32)
        self._columns = np.empty((survey.respondents, side), np.float32)
        for start in range(0, side, 50):
            some = slice(start, min(side, start + 50))
            self._rows[some] = survey.flags("rows", some)
            self._columns[:, some] = (survey.flags("columns", some) * weights).T

    def table(self, rows: int, columns: int) -> Table:
        return Table(None, self._rows[:rows] @ self._columns[:, :columns])


class SgemmOneThread(Sgemm):
    name = "sgemm-1"
    says = "the same on one thread"
    threads = 1
