"""The significance letters of a grid's table, as its page pulls them.

The tests are those of `CrosstabResult.compare_columns`, made once for each table and only when it
is complete; they take a moment, so they are for a worker's thread. Where no test can be made the
answer says why.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.results.crosstab import CrosstabResult

__all__ = ["LettersKept", "LettersOf", "letters_of_part"]

Places = NDArray[np.intp]

MOST_TESTS = 500_000
"""Of more, letters are not made beside a table that somebody scrolls: they take seconds."""


@dataclass(frozen=True, slots=True)
class LettersOf:
    """Letters of a whole table.

    marks: texts [rows, columns], "" where there is none. heads: each column's own letter, "" for
    one that is not compared. legend: what a letter says. recipe: what all of it depends on.
    problem: why there are no letters, None where there are.
    """

    marks: NDArray[np.object_]
    heads: Sequence[str]
    legend: str = ""
    recipe: str = ""
    problem: str | None = None

    @classmethod
    def of(cls, result: CrosstabResult, nets: Sequence[str] = ()) -> LettersOf:
        """The letters of a complete table. nets: ids of rows and columns that hold others."""
        tests = _tests(result)
        if tests > MOST_TESTS:
            return cls._without(
                result,
                f"{tests:,} tests would keep the kernel busy (more than {MOST_TESTS:,}). Take "
                "fewer rows or columns, or let Python make them: grid.to_wide('letters').",
            )
        try:
            comparison = result.compare_columns(nets=nets)
        except (ImportError, ValueError) as error:
            return cls._without(result, str(error))
        return cls(comparison.marks(), comparison.heads(), comparison.legend, comparison.recipe)

    @classmethod
    def _without(cls, result: CrosstabResult, problem: str) -> LettersOf:
        none = np.full(result.shape, "", dtype=object)
        return cls(none, [""] * result.shape[1], problem=problem)


class LettersKept:
    """The letters of the table that was asked about last, made when they are first asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[CrosstabResult, LettersOf] | None = None

    def of(self, result: CrosstabResult, nets: Sequence[str] = ()) -> LettersOf:
        """The letters of `result`; whoever asks meanwhile waits for the one making of them."""
        with self._lock:
            if self._kept is None or self._kept[0] is not result:
                self._kept = (result, LettersOf.of(result, nets))
            return self._kept[1]


def _tests(result: CrosstabResult) -> int:
    """How many tests there are at most: pairs of columns under the same heads, in every row."""
    together = Counter(result.column_heads).values()
    return len(result.rows) * sum(math.comb(columns, 2) for columns in together)


def letters_of_part(letters: LettersOf, rows: Places, columns: Places) -> dict[str, Any]:
    """The letters at these places as the page takes them; see `letters.ts`."""
    return {
        "marks": letters.marks[np.ix_(rows, columns)].tolist(),
        "heads": [letters.heads[place] for place in columns.tolist()],
        "legend": letters.legend,
        "recipe": letters.recipe,
        "problem": letters.problem,
    }
