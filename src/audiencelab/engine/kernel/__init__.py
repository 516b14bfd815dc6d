"""The one multiplication: how many respondents, and how much weight, two sets of masks share.

Pure functions on packed masks and weights; no survey, no expression, no wave. Two ways give the
same numbers, bit for bit: `blocked` with numpy alone, and `compiled` where numba is installed.
`pair_tables` takes the second where it is ready; `prepare` sees to that.

Rooms besides: `cores` shares respondents among them, `products` keeps numpy's to one of them,
`intrinsics` what `compiled` asks of the processor, `workshop` where it is made ready.

Exactness. Counts are integers throughout. Weights lie on a binary grid (multiples of 2^-b whose
grand total stays under 2^53 grid steps), so every product with a 0/1 bit and every partial sum
is a float64 without rounding: the sums are the same bits in any order of blocks, threads or
partitions.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import blocked, workshop
from audiencelab.engine.kernel.cores import Counts, Sums

__all__ = ["Counts", "Sums", "pair_tables", "prepare"]

_TALL = 2
"""Rows for each column beyond which a table is made lying on its side: it is the rows' bits that
are walked, and a row costs more than a column."""

_WORTH_MAKING = 1_000_000_000
"""Mask bits × other masks of a query after which the compiled way is made ready for the next:
some tenth of a second of numpy."""

_WORTH_WAITING = 20_000_000_000
"""The same for a query that waits for it: numpy would take longer than making it ready does."""


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight in every row mask ∩ column mask.

    rows: uint64[R, words]; columns: uint64[C, words]; weights: float64[words, 64], one for each
    bit, 0 where no respondent stands. Returns int64[R, C] and float64[R, C]. Memory beyond the
    results is bounded by a few tens of megabytes whatever the number of respondents.
    """
    way = workshop.at_hand() or blocked
    if len(rows) <= _TALL * len(columns):
        return way.pair_tables(rows, columns, weights)
    counts, sums = way.pair_tables(columns, rows, weights)
    return counts.T, sums.T


@contextmanager
def prepare(respondents: int, rows: int, columns: int) -> Generator[None]:
    """Around a query of that size: see that the fitting way is ready, now or for the next query.

    Making it ready takes a second or more of the interpreter, which a query under way would have
    to share. So a short query never waits and is not disturbed, and the next one finds it ready.
    """
    bits = respondents * rows * columns
    if bits >= _WORTH_WAITING:
        workshop.wait()
    try:
        yield
    finally:
        if bits >= _WORTH_MAKING:
            workshop.start()
