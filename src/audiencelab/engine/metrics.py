"""Every formula that turns sums of weights into a published figure, and nothing else.

Pure functions over numpy arrays (or numbers) of weighted sizes; how the sizes come about stands
in `tables`. A zero denominator gives 0, since on the wire every metric is a number; whoever
shows the figures can tell from the denominator, which is there too.

Worked figures: docs/explanation/metrics.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["affinity_index", "average_size", "share"]

Floats = NDArray[np.float64]


def average_size(weight: ArrayLike, waves: ArrayLike) -> Floats:
    """A size in people: the sum of weights over the effective waves ÷ their number.

    Every wave's weights describe the whole universe once, so the sum over four waves counts
    everyone four times. No effective wave: 0.
    """
    return _divided(np.asarray(weight, dtype=np.float64), waves)


def share(part: ArrayLike, whole: ArrayLike) -> Floats:
    """A percentage from 0 to 100: 100 × part ÷ whole, of weighted sizes, never of samples."""
    return _per_cent(part, whole)


def affinity_index(
    intersect: ArrayLike, one: ArrayLike, other: ArrayLike, base: ArrayLike
) -> Floats:
    """How much likelier the two go together than in the base; 100 means just as likely.

    100 × (intersect ÷ other) ÷ (one ÷ base), which is symmetric in the two sides. In stats, one
    side is the datapoint and the other the audience; in a crosstab, the row and the column.
    """
    within_other = _divided(intersect, other)
    within_base = _divided(one, base)
    return _per_cent(within_other, within_base)


def _per_cent(part: ArrayLike, whole: ArrayLike) -> Floats:
    """100 × part ÷ whole, 0 where the whole is 0, and 100 exactly where the two are equal.

    Rounding twice would else make some wholes 100.00000000000001 of themselves.
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    quotient = _divided(100.0 * part, whole)
    quotient[(part == whole) & (whole != 0)] = 100.0
    return quotient


def _divided(dividend: ArrayLike, divisor: ArrayLike) -> Floats:
    """The quotient, 0 where the divisor is 0."""
    dividend, divisor = np.broadcast_arrays(
        np.asarray(dividend, dtype=np.float64), np.asarray(divisor, dtype=np.float64)
    )
    quotient = np.zeros(dividend.shape, dtype=np.float64)
    np.divide(dividend, divisor, out=quotient, where=divisor != 0)
    return quotient
