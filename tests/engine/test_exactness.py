"""However a table is added up, it is the same table bit for bit, and the naive one exactly.

Ways of adding up: numpy or compiled; one core or several; stripes of any height; masks squeezed
or not, held or made again; respondents apart in partitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.engine import kernel, tabulator
from audiencelab.engine.bitset import pad_weights
from audiencelab.engine.kernel import numpy_kernel, parallel
from tests.engine.test_bits import pack

GRID = 2.0**-20


@dataclass(frozen=True)
class Table:
    """Masks of rows and columns as booleans, and the weights of the respondents, on the grid."""

    rows: np.ndarray
    columns: np.ndarray
    weights: np.ndarray

    def naive(self) -> tuple[list[list[int]], list[list[float]]]:
        """Counts, and sums in whole steps of the grid, which Python adds without any rounding."""
        steps = [int(weight / GRID) for weight in self.weights.tolist()]
        both = [[row & column for column in self.columns] for row in self.rows]
        counts = [[int(cell.sum()) for cell in cells] for cells in both]
        sums = [[sum(steps[who] for who in np.flatnonzero(c)) * GRID for c in cs] for cs in both]
        return counts, sums

    def part(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """The table of some respondents, by the way that `kernel` takes."""
        some = slice(start, stop)
        rows, columns = pack(self.rows[:, some]), pack(self.columns[:, some])
        return kernel.pair_tables(rows, columns, pad_weights(self.weights[some], rows.shape[1]))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    respondents = draw(st.integers(1, 1_500))
    rows, columns = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    density = draw(st.sampled_from([0.02, 0.3, 0.6, 1.0]))
    return Table(
        random.random((rows, respondents)) < random.random((rows, 1)) * density,
        random.random((columns, respondents)) < random.random((columns, 1)) * density,
        random.integers(0, 2**32, respondents) * GRID,
    )


@contextmanager
def adding_up(way: object, cores_at_hand: int, count_words: int) -> Iterator[None]:
    """Within: by this way, on so many cores, in blocks of that length."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_compiled", way)
        patch.setattr(parallel, "available_cores", lambda: cores_at_hand)
        patch.setattr(numpy_kernel, "_COUNT_WORDS", count_words)
        patch.setattr(numpy_kernel, "_UNPACKED_BYTES", count_words * 10_000)
        patch.setattr(parallel, "_LEAST_BITS", 1)
        yield


@settings(max_examples=30)
@given(tables(), st.sampled_from([1, 2, 3, 5]), st.sampled_from([1, 7, 512]), st.data())
def test_every_way_of_adding_up_gives_the_naive_table(
    table: Table, cores_at_hand: int, count_words: int, data: st.DataObject
) -> None:
    counts, sums = table.naive()
    respondents = len(table.weights)
    cut = data.draw(st.integers(0, respondents), label="where the respondents are parted")
    for way in {None, kernel.wait_for_compiled()}:
        with adding_up(way, cores_at_hand, count_words):
            whole = table.part(0, respondents)
            parts = table.part(0, cut), table.part(cut, respondents)
        assert whole[0].tolist() == counts
        assert whole[1].tolist() == sums
        assert (parts[0][0] + parts[1][0]).tolist() == counts
        assert (parts[0][1] + parts[1][1]).tolist() == sums


@given(st.integers(0, 5_000), st.integers(0, 3_000), st.integers(0, 3_000))
def test_stripes_cover_every_row_once(respondents: int, rows: int, columns: int) -> None:
    bounds = list(tabulator.stripe_bounds(respondents, rows, columns))
    covered = [row for start, stop in bounds for row in range(start, stop)]
    assert covered == list(range(rows))
