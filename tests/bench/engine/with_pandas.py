"""The three ways of pandas: products of frames, masks, and the function made for tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.bench.engine.survey import BenchSurvey
from tests.bench.engine.way import Table, Way

__all__ = ["PandasCrosstab", "PandasDot", "PandasMasks"]


class _Pandas(Way):
    def __init__(self, survey: BenchSurvey, side: int) -> None:
        some = slice(side)
        self._rows = pd.DataFrame(survey.flags("rows", some).T)
        self._columns = pd.DataFrame(survey.flags("columns", some).T)
        self._weight, self._base = pd.Series(survey.weights), pd.Series(survey.base())


class PandasDot(_Pandas):
    name = "pandas-dot"
    says = "pandas: two DataFrame.dot, one for counts and one for weights"
    octets_per_answer = 16.0

    def table(self, rows: int, columns: int) -> Table:
        inside = self._columns.loc[self._base, : columns - 1]
        left = self._rows.loc[self._base, : rows - 1].astype(float).T
        counts = left.dot(inside.astype(float))
        sums = left.dot(inside.mul(self._weight[self._base], axis=0))
        return Table(counts.to_numpy(), sums.to_numpy())


class PandasMasks(_Pandas):
    name = "pandas-masks"
    says = "pandas: a boolean mask and two sums for each cell"
    octets_per_answer = 2.0
    cell_by_cell = True

    def table(self, rows: int, columns: int) -> Table:
        counts, sums = np.zeros((rows, columns)), np.zeros((rows, columns))
        for row in range(rows):
            inside = self._base & self._rows[row]
            for column in range(columns):
                cell = inside & self._columns[column]
                counts[row, column] = cell.sum()
                sums[row, column] = self._weight[cell].sum()
        return Table(counts, sums)


class PandasCrosstab(_Pandas):
    """A table of two questions with one answer each is what it makes.

    Audiences overlap, so each pair of them is a table of its own.
    """

    name = "pd-crosstab"
    says = "pd.crosstab: two calls (counts, weights) for each pair of audiences"
    octets_per_answer = 2.0
    cell_by_cell = True

    def table(self, rows: int, columns: int) -> Table:
        counts, sums = np.zeros((rows, columns)), np.zeros((rows, columns))
        weight = self._weight[self._base]
        for row in range(rows):
            one = self._rows.loc[self._base, row]
            for column in range(columns):
                other = self._columns.loc[self._base, column]
                counts[row, column] = pd.crosstab(one, other).loc[True, True]
                made = pd.crosstab(one, other, values=weight, aggfunc="sum")
                sums[row, column] = made.loc[True, True]
        return Table(counts, sums)
