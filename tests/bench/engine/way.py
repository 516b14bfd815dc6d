"""What a way to the table is: its own native form of the data, and from there the cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.bench.engine.survey import BenchSurvey

__all__ = ["WAYS", "Table", "Way", "way_of"]


class Table(NamedTuple):
    """Respondents and weight in every row audience ∩ column audience ∩ base: [rows, columns].

    None for what a way cannot give.
    """

    counts: NDArray[np.float64] | NDArray[np.int64] | None
    sums: NDArray[np.float64] | None


class Way(ABC):
    """One way, over one survey.

    `__init__` puts the answers into the form that the way's own users would keep them in, and
    nobody's clock runs. `table` does what a query asks for: filter the base, evaluate the
    audiences, count, and add up weights.
    """

    name: ClassVar[str]
    says: ClassVar[str]
    """What it does, in a line."""

    octets_per_answer: ClassVar[float]
    """Memory for one respondent × audience at its peak, to tell what fits into this machine."""

    cell_by_cell: ClassVar[bool] = False
    """Whether cells come one by one; else all of them at the end."""

    whole: ClassVar[bool] = False
    """Whether a part of the table would tell nothing of the rest, so that only all of it counts."""

    threads: ClassVar[int | None] = None
    """Threads, where it is not to be left as many as there are."""

    environment: ClassVar[Mapping[str, str]] = MappingProxyType({})
    tolerance: ClassVar[float] = 1e-9
    """How far a sum may be from the true one, in proportion."""

    @abstractmethod
    def __init__(self, survey: BenchSurvey, side: int) -> None: ...

    @abstractmethod
    def table(self, rows: int, columns: int) -> Table:
        """The cells of the first rows and columns."""

    def first_cell(self, side: int) -> bool:
        """Work until the first cell is there; False where that is when all are."""
        if self.cell_by_cell:
            self.table(1, 1)
        return self.cell_by_cell


WAYS = {
    "ours-numba": "ours:OursNumba",
    "ours-numpy": "ours:OursNumpy",
    "sgemm": "bare_product:Sgemm",
    "sgemm-1": "bare_product:SgemmOneThread",
    "polars": "with_polars:Polars",
    "pandas-dot": "with_pandas:PandasDot",
    "pandas-masks": "with_pandas:PandasMasks",
    "pd-crosstab": "with_pandas:PandasCrosstab",
    "duckdb-unnest": "with_duckdb:DuckUnnest",
    "duckdb-case": "with_duckdb:DuckCase",
    "roaring": "with_roaring:Roaring",
}
"""All ways by name, and where they are; nothing of a way is loaded for another one."""


def way_of(name: str) -> type[Way]:
    room, _, way = WAYS[name].partition(":")
    return getattr(import_module(f"tests.bench.engine.{room}"), way)
