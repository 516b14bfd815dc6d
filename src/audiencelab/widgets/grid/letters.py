"""The significance letters of a grid's table, as its page pulls them.

The tests are those of `CrosstabResult.compare_columns`, made once for each table and only when it
is complete; they take a moment, so they are for a worker's thread. Where no test can be made the
answer says why.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.frames.crosstab import CrosstabResult

__all__ = ["LettersKept", "LettersOf", "letters_of_part"]

Places = NDArray[np.intp]


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
        try:
            comparison = result.compare_columns(nets=nets)
        except (ImportError, ValueError) as error:
            none = np.full(result.shape, "", dtype=object)
            return cls(none, [""] * result.shape[1], problem=str(error))
        return cls(comparison.marks(), comparison.heads(), comparison.legend, comparison.recipe)


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


def letters_of_part(letters: LettersOf, rows: Places, columns: Places) -> dict[str, Any]:
    """The letters at these places as the page takes them; see `letters.ts`."""
    return {
        "marks": letters.marks[np.ix_(rows, columns)].tolist(),
        "heads": [letters.heads[place] for place in columns.tolist()],
        "legend": letters.legend,
        "recipe": letters.recipe,
        "problem": letters.problem,
    }
