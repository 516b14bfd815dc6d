"""DuckDB in its two fairest forms; its FILTER clause for each cell takes far longer."""

from __future__ import annotations

import os

import duckdb
import numpy as np
import pyarrow as pa

from tests.bench.engine.survey import BenchSurvey
from tests.bench.engine.way import Table, Way

__all__ = ["DuckCase", "DuckUnnest"]


def _connection() -> duckdb.DuckDBPyConnection:
    # It would take every core of the machine, whatever this process may use.
    return duckdb.connect(config={"threads": int(os.environ["OMP_NUM_THREADS"])})


class DuckUnnest(Way):
    name = "duckdb-unnest"
    says = "DuckDB: lists of what each respondent chose, unnested twice, group by"
    octets_per_answer = 8.0

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        self._connection = _connection()
        self._connection.execute(
            "create table people (rows usmallint[], columns usmallint[], weight double, base bool)"
        )
        for code in survey.waves:
            wave = BenchSurvey(survey.folder, (code,))
            people = pa.table(
                {
                    "rows": _lists(wave.flags("rows", slice(side)).T),
                    "columns": _lists(wave.flags("columns", slice(side)).T),
                    "weight": wave.weights,
                    "base": wave.base(),
                }
            )
            self._connection.register("wave", people)
            self._connection.execute("insert into people select * from wave")
            self._connection.unregister("wave")

    def table(self, rows: int, columns: int) -> Table:
        # Narrowed where a part is measured, and only there.
        fewer_rows = f"where r < {rows}"
        fewer_columns = f"where c < {columns}"
        found = self._connection.execute(
            f"""
            with rowwise as (
                select * from (
                    select unnest(rows) as r, columns, weight from people where base
                ) {fewer_rows}
            ), pairs as (
                select * from (
                    select r, unnest(columns) as c, weight from rowwise
                ) {fewer_columns}
            )
            select r, c, count(*)::bigint as n, sum(weight) as s from pairs group by r, c
            """
        ).fetchnumpy()
        counts, sums = np.zeros((rows, columns)), np.zeros((rows, columns))
        counts[found["r"], found["c"]] = found["n"]
        sums[found["r"], found["c"]] = found["s"]
        return Table(counts, sums)


class DuckCase(Way):
    """A statement for each row audience: a third of the time of all cells in one statement."""

    name = "duckdb-case"
    says = "DuckDB: a statement for each row audience, two CASE WHEN for each column"
    octets_per_answer = 3.0

    def __init__(self, survey: BenchSurvey, side: int) -> None:
        self._connection = _connection()
        answers = {
            f"{question}_{at}": survey.flags(question, slice(at, at + 1))[0]
            for question in ("rows", "columns")
            for at in range(side)
        }
        people = pa.table({**answers, "weight": survey.weights, "base": survey.base()})
        self._connection.register("given", people)
        self._connection.execute("create table people as select * from given")
        self._connection.unregister("given")

    def table(self, rows: int, columns: int) -> Table:
        wanted = ", ".join(
            f"count(case when columns_{at} then 1 end), "
            f"coalesce(sum(case when columns_{at} then weight end), 0)"
            for at in range(columns)
        )
        made = np.array(
            [
                self._connection.execute(
                    f"select {wanted} from people where base and rows_{row}"
                ).fetchone()
                for row in range(rows)
            ]
        )
        return Table(made[:, 0::2], made[:, 1::2])


def _lists(chosen: np.ndarray) -> pa.ListArray:
    """bool[respondents, points] as what each respondent chose."""
    who, what = np.nonzero(chosen)
    ends = np.cumsum(np.bincount(who, minlength=len(chosen)))
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(what.astype(np.uint16)))
