"""The significance letters of a grid's table, as the page requests them.

The tests are those of `CrosstabResult.compare_columns`, run once for each complete table; they take
a moment, so they run on a worker thread. Where no test is possible the answer has the reason.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.tables import CrosstabResult

Positions = NDArray[np.intp]

MAX_TESTS = 500_000
"""With more, letters take seconds and are not computed for the page."""


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters of a whole table.

    marks: str [rows, columns], "" where there is none. heads: each column's own letter, "" for
    one that is not compared. legend: what a letter means. recipe: the method of the tests.
    problem: why there are no letters, None where there are.
    """

    marks: NDArray[np.object_]
    heads: list[str]
    legend: str = ""
    recipe: str = ""
    problem: str | None = None

    @classmethod
    def of(cls, result: CrosstabResult, nets: Sequence[str] = ()) -> Letters:
        """The letters of a complete table. nets: ids of rows and columns that are nets."""
        tests = _tests(result)
        if tests > MAX_TESTS:
            return cls._without(
                result,
                f"{tests:,} tests would keep the kernel busy (more than {MAX_TESTS:,}). Take "
                "fewer rows or columns, or compute them in Python: grid.to_wide('letters').",
            )
        try:
            comparison = result.compare_columns(nets=nets)
        except (ImportError, ValueError) as error:
            return cls._without(result, str(error))
        return cls(
            comparison.marks(),
            list(comparison.column_letters()),
            comparison.legend,
            comparison.method_note,
        )

    @classmethod
    def _without(cls, result: CrosstabResult, problem: str) -> Letters:
        none = np.full(result.shape, "", dtype=object)
        return cls(none, [""] * result.shape[1], problem=problem)

    def part(self, rows: Positions, columns: Positions) -> dict[str, Any]:
        """The letters at these positions in the form of the page; see `letters.ts`."""
        return {
            "marks": self.marks[np.ix_(rows, columns)].tolist(),
            "heads": [self.heads[at] for at in columns.tolist()],
            "legend": self.legend,
            "recipe": self.recipe,
            "problem": self.problem,
        }


def _tests(result: CrosstabResult) -> int:
    """The maximum number of tests: pairs of columns in the same groups, in every row."""
    together = Counter(result.column_heads).values()
    return len(result.rows) * sum(math.comb(columns, 2) for columns in together)
