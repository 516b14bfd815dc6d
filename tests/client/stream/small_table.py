"""A table of three rows and two columns, as a service streams it, cell by cell."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from audiencelab.client.stream.collector import CellCollector
from audiencelab.expressions import Audience, Q
from audiencelab.tables import CrosstabResult

__all__ = [
    "COLUMNS",
    "EXPECTED",
    "ROWS",
    "again",
    "cell",
    "cells",
    "collect",
    "feed_all",
    "ndjson",
    "without",
]

ROWS = tuple(Audience(f"Row {n}", Q("q1").any(f"q1_{n}"), f"row-{n}") for n in (1, 2, 3))
COLUMNS = tuple(Audience(f"Column {n}", Q("q2").any(f"q2_{n}"), f"column-{n}") for n in (1, 2))


def cell(row: int, column: int) -> dict[str, Any]:
    """The cell of two places (from 0), its size 100 × row + column, with every way to name it."""
    size = 100.0 * row + column + 1

    def side(audience: Audience, share: float) -> dict[str, Any]:
        return {
            "audience": audience.id,
            "size": 1_000.0,
            "sample": 10,
            "percentage": 50.0,
            "intersect_percentage": share,
        }

    return {
        "audiences": {"row": side(ROWS[row], 7.0), "column": side(COLUMNS[column], 9.0)},
        "base": {"size": 2_000.0, "sample": 20},
        "intersect": {"size": size, "sample": 1, "percentage": 1.0, "index": 100.0},
        "row": ROWS[row].to_wire(),
        "row_index": row + 1,
        "column": COLUMNS[column].to_wire(),
        "column_index": column + 1,
    }


def cells() -> list[dict[str, Any]]:
    return [cell(row, column) for row in range(3) for column in range(2)]


def ndjson(found: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in found).encode()


def feed_all(collector: CellCollector, chunks: list[bytes]) -> None:
    for chunk in chunks:
        collector.feed(chunk)


def collect(
    found: list[dict[str, Any]], rows: Any = ROWS, columns: Any = COLUMNS, **options: Any
) -> CrosstabResult:
    collector = CellCollector(CrosstabResult(rows, columns, **options))
    data = ndjson(found)
    feed_all(collector, [data[start : start + 500] for start in range(0, len(data), 500)])
    collector.finish()
    return collector.result


EXPECTED = np.array([[1, 2], [101, 102], [201, 202]], dtype=float)


def without(found: list[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """The cells without our ids, and without the given fields."""
    for each in found:
        for side in each["audiences"].values():
            side["audience"] = "made up by the service"
        for key in keys:
            each.pop(key)
    return found


def again(row: int, column: int, **figures: float) -> dict[str, Any]:
    """The cell once more, some figures of the intersect told otherwise."""
    found = cell(row, column)
    found["intersect"] |= figures
    return found
