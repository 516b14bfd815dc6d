"""A grid that is created again by running its cell again needs no memory for a second table.

What is traced is all that Python and numpy hold, whichever thread asked for it: `test_memory` runs
this in a process of its own. A grid of one cell is made beside the large one: the widget itself
costs the same for both, and the rest is what is asked about here.
"""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np

from audiencelab.client import Client
from audiencelab.widgets.crosstab import Crosstab
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import about

AGAIN = 6
TIMES = 3
ROWS, COLUMNS = 200, 6
BYTES = 3_000
"""How much more each grid may hold than one of a single cell: its lines alone take 5,000."""


def test_grids_of_one_query_share_one_table(make: Make, wire: Wire, small_client: Client) -> None:
    answers = [each for question in small_client.catalogue for each in question.audiences()]
    # Jupyter keeps every one of them.
    kept: list[Crosstab] = []

    def show(rows: int, columns: int) -> None:
        # New lists of new heads, as a cell makes them.
        sides = ({f"Head {side}": answers[:lines]} for side, lines in enumerate((rows, columns)))
        grid = make(*sides).wait(60)
        kept.append(grid)
        wire.request(
            grid,
            "tile",
            about(
                wire,
                grid,
                rows={"start": 0, "stop": rows},
                columns={"start": 0, "stop": columns},
            ),
        )

    def held_by(rows: int, columns: int) -> int:
        before = traced_bytes(wire)
        for _ in range(AGAIN):
            show(rows, columns)
        return traced_bytes(wire) - before

    assert len(answers) >= ROWS
    tracemalloc.start()
    try:
        for _ in range(2):
            show(1, 1)
            show(ROWS, COLUMNS)
        more = [held_by(ROWS, COLUMNS) - held_by(1, 1) for _ in range(TIMES)]
    finally:
        tracemalloc.stop()
    # A second table is held each time; what Python makes once, for itself, is not.
    assert min(more) < BYTES * AGAIN, more
    tables = [grid.result for grid in kept if len(grid.result.rows) == ROWS]
    for table in tables:
        np.testing.assert_array_equal(table.values("size"), tables[0].values("size"))
    for grid in kept:
        grid.close()


def traced_bytes(wire: Wire) -> int:
    """What is held, but for the messages that a page would have taken."""
    wire.messages.clear()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
