"""Every formula that turns sums of weights into a published metric.

Pure functions of weighted sizes. A zero denominator gives 0, because every metric on the wire is a
number; readers find the denominator beside it. Worked examples: docs/explanation/metrics.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def average_size(weight: ArrayLike, waves: ArrayLike) -> Floats:
    """A size in people: the sum of weights over the effective waves ÷ their number; 0 for none.

    The weights of each wave describe the whole universe once, so a sum over four waves counts
    everyone four times.
    """
    return _divided(np.asarray(weight, dtype=np.float64), waves)


def share(part: ArrayLike, whole: ArrayLike) -> Floats:
    """A percentage from 0 to 100: 100 × part ÷ whole, of weighted sizes, never of samples.

    Exactly 100 where the two are equal: rounding twice would make some 100.00000000000001.
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    quotient = _divided(100.0 * part, whole)
    quotient[(part == whole) & (whole != 0)] = 100.0
    return quotient


def affinity_index(
    intersect: ArrayLike, one: ArrayLike, other: ArrayLike, base: ArrayLike
) -> Floats:
    """How much likelier the two go together than in the base; 100 means just as likely.

    100 × (intersect ÷ other) ÷ (one ÷ base), which is symmetric in the two sides. In stats, one
    side is the datapoint and the other the audience; in a crosstab, the row and the column.
    """
    return share(_divided(intersect, other), _divided(one, base))


def _divided(dividend: ArrayLike, divisor: ArrayLike) -> Floats:
    """The quotient, 0 where the divisor is 0."""
    dividend, divisor = np.broadcast_arrays(
        np.asarray(dividend, dtype=np.float64), np.asarray(divisor, dtype=np.float64)
    )
    quotient = np.zeros(dividend.shape, dtype=np.float64)
    np.divide(dividend, divisor, out=quotient, where=divisor != 0)
    return quotient
