"""The table that every way shows, made in the kernel: a frame for the others, a result for us.

Ours is a crosstab that lies ready, handed out by what stands in a client's place: neither a
service nor an engine is timed here, and its bytes and its painting are the real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from audiencelab.expressions import Audience, Q
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import CrosstabResult

__all__ = ["ReadyClient", "frame_of", "made_crosstab"]

_BASE_SIZE, _BASE_SAMPLE = 250e6, 200_000
_AT_ONCE = 500


def made_crosstab(rows: int, columns: int) -> CrosstabResult:
    """A complete crosstab with figures that belong together, the same each time."""
    dice = np.random.default_rng(7)
    result = CrosstabResult(_audiences("Row", rows), _audiences("Column", columns))
    across = dice.uniform(0.02, 0.4, columns)
    for start in range(0, rows, _AT_ONCE):
        down = dice.uniform(0.02, 0.4, min(_AT_ONCE, rows - start))
        cells = _figures(down, across, dice)
        places = np.indices((len(down), columns)).reshape(2, -1)
        cells_of(result).store(places[0] + start, places[1], cells.reshape(-1, len(FIGURES)))
    return result


def frame_of(result: CrosstabResult) -> pd.DataFrame:
    """Its indices as a plain frame of floats, with names down and across."""
    return pd.DataFrame(
        result.values("index").copy(),
        index=pd.Index([row.name for row in result.rows], name="audience"),
        columns=[column.name for column in result.columns],
    )


class ReadyClient:
    """Answers every query with one table, at once."""

    def __init__(self, result: CrosstabResult) -> None:
        self._result = result
        self.catalogue = None
        self.default_base_of = "everyone"
        self.counts_valid = False
        self.default_waves = None
        self.weights = ()

    @property
    def service(self) -> NoReturn:
        raise LookupError("The table was made without a service.")

    def crosstab_stream(self, **_: Any) -> _ReadyStream:
        return _ReadyStream(self._result)


class _ReadyStream:
    def __init__(self, result: CrosstabResult) -> None:
        self.result = result

    def __iter__(self) -> Iterator[int]:
        yield self.result.count

    def close(self) -> None:
        pass


def _audiences(side: str, count: int) -> tuple[Audience, ...]:
    return tuple(
        Audience(f"{side} {place}", Q("q1").any(f"q1_{place}"), id=f"{side}-{place}")
        for place in range(1, count + 1)
    )


def _figures(down: Any, across: Any, dice: np.random.Generator) -> Any:
    """All figures of some rows, float64[rows, columns, figures]."""
    row, column = np.broadcast_arrays(down[:, None], across[None, :])
    both = row * column * dice.lognormal(0, 0.3, row.shape)
    figures = {
        "size": both * _BASE_SIZE,
        "sample": np.rint(both * _BASE_SAMPLE),
        "percentage": 100 * both,
        "index": 100 * both / (row * column),
        "column_percentage": 100 * both / column,
        "row_percentage": 100 * both / row,
        "row_size": row * _BASE_SIZE,
        "row_sample": np.rint(row * _BASE_SAMPLE),
        "row_base_percentage": 100 * row,
        "column_size": column * _BASE_SIZE,
        "column_sample": np.rint(column * _BASE_SAMPLE),
        "column_base_percentage": 100 * column,
        "base_size": np.full(row.shape, _BASE_SIZE),
        "base_sample": np.full(row.shape, float(_BASE_SAMPLE)),
    }
    return np.stack([figures[name] for name in FIGURES], axis=-1)
