"""The methods that are compared: each keeps the answers in its own native form and makes the table.

A constructor puts the answers into the form that users of the method keep them in and is not timed.
`table` does what a query asks for: filter the base, evaluate the audiences, count, sum weights.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.bench.engine.survey import BenchSurvey


class Table(NamedTuple):
    """Respondents and weight in each row ∩ column ∩ base: [rows, columns]; None if not given."""

    counts: NDArray[Any] | None
    sums: NDArray[np.float64] | None


class Method(ABC):
    about: ClassVar[str]
    bytes_per_answer: ClassVar[float]
    """Memory at the peak for one respondent × audience."""
    cell_by_cell: ClassVar[bool] = False
    """Whether cells come one by one; else all of them at the end."""
    whole: ClassVar[bool] = False
    """Whether only the whole table is timed: a part says nothing about the rest."""
    environment: ClassVar[Mapping[str, str]] = {}
    tolerance: ClassVar[float] = 1e-9
    """Greatest relative error of a sum."""

    @abstractmethod
    def __init__(self, survey: BenchSurvey, side: int) -> None: ...

    @abstractmethod
    def table(self, rows: int, columns: int) -> Table:
        """The cells of the first rows and columns."""

    def first_cell(self, side: int) -> bool:
        """Work until the first cell is there; False if that is when all are."""
        if self.cell_by_cell:
            self.table(1, 1)
        return self.cell_by_cell


class Audiencelab(Method):
    about = "audiencelab[fast]: packed bits mapped from the survey, compiled kernel"
    bytes_per_answer = 0.25
    compiled = True

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        from audiencelab.engine import kernel

        assert (kernel.wait_for_compiled() is not None) == self.compiled
        self._survey = survey

    def table(self, rows: int, columns: int) -> Table:
        blocks = list(self._crosstab(rows, columns))
        counts = np.concatenate([block.intersect.sample for block in blocks])
        sizes = np.concatenate([block.intersect.size for block in blocks])
        # A size is an average over waves; sums of the other methods are over all waves.
        return Table(counts, sizes * len(self._survey.waves))

    def first_cell(self, side: int) -> bool:
        next(self._crosstab(side, side))
        return True

    def _crosstab(self, rows: int, columns: int) -> Any:
        """A new engine each time: no mask is ready."""
        from audiencelab.engine import Engine

        return iter(Engine(self._survey.survey).crosstab(self._survey.spec(rows, columns)))


class AudiencelabNumpy(Audiencelab):
    about = "audiencelab without the extra: the same with numpy alone"
    environment: ClassVar = {"AUDIENCELAB_KERNEL": "numpy"}
    compiled = False


class Sgemm(Method):
    """No masks, no base, one table of two, rounded: a limit, not a usable table."""

    about = "one float32 product in BLAS, operands ready: no masks, no counts"
    bytes_per_answer = 5.0
    whole = True
    tolerance = 1e-4

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        weights = np.where(survey.base(), survey.weights, 0).astype(np.float32)
        self._rows = np.empty((side, survey.respondents), np.float32)
        self._columns = np.empty((survey.respondents, side), np.float32)
        for start in range(0, side, 50):
            part = slice(start, min(side, start + 50))
            self._rows[part] = survey.flags("rows", part)
            self._columns[:, part] = (survey.flags("columns", part) * weights).T

    def table(self, rows: int, columns: int) -> Table:
        return Table(None, self._rows[:rows] @ self._columns[:, :columns])


class SgemmOneThread(Sgemm):
    about = "the same on one thread"
    environment: ClassVar = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Polars(Method):
    """Half the time of two expressions a cell, and a tenth of products with the weights."""

    about = "polars: filter by each row audience, then two expressions a column"
    bytes_per_answer = 1.0

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        import polars as pl

        flags = named_flags(survey, side)
        frame = pl.DataFrame({"weight": survey.weights, "base": survey.base(), **flags})
        self._frame = frame.rechunk()

    def table(self, rows: int, columns: int) -> Table:
        import polars as pl

        names = [f"columns_{at}" for at in range(columns)]
        wanted = [pl.col(name).sum().alias(f"count_{name}") for name in names]
        weight = pl.col("weight")
        wanted += [weight.filter(pl.col(name)).sum().alias(f"sum_{name}") for name in names]
        inside = self._frame.filter(pl.col("base"))
        lines = [inside.filter(pl.col(f"rows_{at}")).select(wanted) for at in range(rows)]
        cells = pl.concat(lines).to_numpy()
        return Table(cells[:, :columns], cells[:, columns:])


class Pandas(Method):
    def __init__(self, survey: BenchSurvey, side: int) -> None:
        import pandas as pd

        self._rows = pd.DataFrame(survey.flags("rows", slice(side)).T)
        self._columns = pd.DataFrame(survey.flags("columns", slice(side)).T)
        self._weight, self._base = pd.Series(survey.weights), pd.Series(survey.base())


class PandasDot(Pandas):
    about = "pandas: two DataFrame.dot, one for counts and one for weights"
    bytes_per_answer = 16.0

    def table(self, rows: int, columns: int) -> Table:
        inside = self._columns.loc[self._base, : columns - 1]
        left = self._rows.loc[self._base, : rows - 1].astype(float).T
        counts = left.dot(inside.astype(float))
        sums = left.dot(inside.mul(self._weight[self._base], axis=0))
        return Table(counts.to_numpy(), sums.to_numpy())


class PandasCells(Pandas):
    """Methods that make one cell after the other."""

    bytes_per_answer = 2.0
    cell_by_cell = True

    def table(self, rows: int, columns: int) -> Table:
        cells = [[self.cell(row, column) for column in range(columns)] for row in range(rows)]
        counts, sums = np.moveaxis(np.array(cells, float), -1, 0)
        return Table(counts, sums)

    @abstractmethod
    def cell(self, row: int, column: int) -> tuple[float, float]:
        """Respondents and weight of a cell."""


class PandasMasks(PandasCells):
    about = "pandas: a boolean mask and two sums for each cell"

    def cell(self, row: int, column: int) -> tuple[float, float]:
        cell = self._base & self._rows[row] & self._columns[column]
        return cell.sum(), self._weight[cell].sum()


class PandasCrosstab(PandasCells):
    """It makes tables of questions with one answer each: audiences overlap, so one call a pair."""

    about = "pd.crosstab: two calls (counts, weights) for each pair of audiences"

    def cell(self, row: int, column: int) -> tuple[float, float]:
        import pandas as pd

        one, other = self._rows.loc[self._base, row], self._columns.loc[self._base, column]
        weights = pd.crosstab(one, other, values=self._weight[self._base], aggfunc="sum")
        return pd.crosstab(one, other).loc[True, True], weights.loc[True, True]


class DuckUnnest(Method):
    about = "DuckDB: lists of what each respondent chose, unnested twice, group by"
    bytes_per_answer = 8.0

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        import pyarrow as pa

        self._database = duckdb_connection()
        self._database.execute(
            "create table people (rows usmallint[], columns usmallint[], weight double, base bool)"
        )
        for code in survey.waves:
            wave = BenchSurvey(survey.folder, (code,))
            answers = {
                question: chosen_lists(wave.flags(question, slice(side)).T)
                for question in ("rows", "columns")
            }
            people = pa.table({**answers, "weight": wave.weights, "base": wave.base()})
            self._database.register("wave", people)
            self._database.execute("insert into people select * from wave")
            self._database.unregister("wave")

    def table(self, rows: int, columns: int) -> Table:
        found = self._database.execute(
            f"""
            with row_answers as (
                select * from (
                    select unnest(rows) as r, columns, weight from people where base
                ) where r < {rows}
            ), pairs as (
                select * from (
                    select r, unnest(columns) as c, weight from row_answers
                ) where c < {columns}
            )
            select r, c, count(*)::bigint as n, sum(weight) as s from pairs group by r, c
            """
        ).fetchnumpy()
        counts, sums = np.zeros((2, rows, columns))
        counts[found["r"], found["c"]] = found["n"]
        sums[found["r"], found["c"]] = found["s"]
        return Table(counts, sums)


class DuckCase(Method):
    """A statement for each row takes a third of the time of one statement for all cells."""

    about = "DuckDB: a statement for each row audience, two CASE WHEN for each column"
    bytes_per_answer = 3.0

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        import pyarrow as pa

        flags = named_flags(survey, side)
        people = pa.table({**flags, "weight": survey.weights, "base": survey.base()})
        self._database = duckdb_connection()
        self._database.register("given", people)
        self._database.execute("create table people as select * from given")
        self._database.unregister("given")

    def table(self, rows: int, columns: int) -> Table:
        wanted = ", ".join(
            f"count(case when columns_{at} then 1 end), "
            f"coalesce(sum(case when columns_{at} then weight end), 0)"
            for at in range(columns)
        )
        statement = f"select {wanted} from people where base and rows_"
        lines = [self._database.execute(f"{statement}{row}").fetchone() for row in range(rows)]
        cells = np.array(lines)
        return Table(cells[:, 0::2], cells[:, 1::2])


class Roaring(Method):
    about = "roaring bitmaps: counts only, they hold no weights; one thread"
    bytes_per_answer = 0.3
    cell_by_cell = True

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        from pyroaring import BitMap

        def bitmap(flags: NDArray[np.bool_]) -> BitMap:
            found = BitMap(np.flatnonzero(flags).astype(np.uint32))
            found.run_optimize()
            return found

        flags = named_flags(survey, side)
        self._base = bitmap(survey.base())
        self._rows = [bitmap(flags[f"rows_{at}"]) for at in range(side)]
        self._columns = [bitmap(flags[f"columns_{at}"]) for at in range(side)]

    def table(self, rows: int, columns: int) -> Table:
        inside = [self._base & each for each in self._rows[:rows]]
        counts = [
            [each.intersection_cardinality(other) for other in self._columns[:columns]]
            for each in inside
        ]
        return Table(np.array(counts, np.int64), None)


def named_flags(survey: BenchSurvey, side: int) -> dict[str, NDArray[np.bool_]]:
    """bool[respondents] for each audience: `rows_0` and so on, `columns_0` and so on."""
    return {
        f"{question}_{at}": survey.flags(question, slice(at, at + 1))[0]
        for question in ("rows", "columns")
        for at in range(side)
    }


def chosen_lists(chosen: NDArray[np.bool_]) -> Any:
    """bool[respondents, datapoints] as a list of what each respondent chose."""
    import pyarrow as pa

    who, what = np.nonzero(chosen)
    ends = np.cumsum(np.bincount(who, minlength=len(chosen)))
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(what.astype(np.uint16)))


def duckdb_connection() -> Any:
    import duckdb

    # It would take every core of the machine, whatever this process may use.
    return duckdb.connect(config={"threads": int(os.environ["OMP_NUM_THREADS"])})


METHODS: dict[str, type[Method]] = {
    "ours-numba": Audiencelab,
    "ours-numpy": AudiencelabNumpy,
    "sgemm": Sgemm,
    "sgemm-1": SgemmOneThread,
    "polars": Polars,
    "pandas-dot": PandasDot,
    "pandas-masks": PandasMasks,
    "pd-crosstab": PandasCrosstab,
    "duckdb-unnest": DuckUnnest,
    "duckdb-case": DuckCase,
    "roaring": Roaring,
}
