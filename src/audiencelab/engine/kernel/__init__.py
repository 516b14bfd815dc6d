"""The one multiplication: how many respondents, and how much weight, two sets of masks share.

Pure functions on packed masks and weights; no panel, no expression, no wave. Two ways give the
same numbers, bit for bit: `blocked` with numpy alone, and `compiled` where numba is installed.
`pair_tables` takes the second as soon as it is ready and worth it, and never waits for it.

Exactness. Counts are integers throughout. Weights lie on a binary grid (multiples of 2^-b whose
grand total stays under 2^53 grid steps), so every product with a 0/1 bit and every partial sum
is a float64 without rounding: the sums are the same bits in any order of blocks, threads or
partitions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import blocked, workshop
from audiencelab.engine.kernel.blocked import Counts, Sums

__all__ = ["Counts", "Sums", "pair_tables"]

_WORTH_IT = 64_000_000
"""Mask bits × other masks from which the compiled way is worth loading: some 30 ms of numpy."""


def pair_tables(rows: Words, columns: Words, weights: NDArray[np.float64]) -> tuple[Counts, Sums]:
    """Respondents and weight in every row mask ∩ column mask.

    rows: uint64[R, words]; columns: uint64[C, words]; weights: float64[words, 64], one for each
    bit, 0 where no respondent stands. Returns int64[R, C] and float64[R, C]. Memory beyond the
    results is bounded by a few tens of megabytes whatever the number of respondents.
    """
    bits = 64 * rows.shape[0] * columns.shape[0] * rows.shape[1]
    compiled = workshop.compiled() if bits >= _WORTH_IT else workshop.at_hand()
    if compiled is None:
        return blocked.pair_tables(rows, columns, weights)
    return compiled.pair_tables(rows, columns, weights)
