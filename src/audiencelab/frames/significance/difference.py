"""The z test of the difference between two shares: formulas on arrays, and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["at_an_end", "difference_error"]

Floats = NDArray[np.float64]


def difference_error(
    share: Floats,
    base: Floats,
    other: Floats,
    other_base: Floats,
    *,
    pooled: bool,
    overlap: Floats | float = 0.0,
) -> Floats:
    """The standard error of `share - other`; all arrays have, or take, one shape.

    base, other_base: how many respondents each share is worth.
    pooled: whether both are taken to be estimates of one share, which they are if nothing differs.
    overlap: respondents in both, divided by the root of the product of both counts: 0 for
        different people, 1 for the same. It is the correlation of the two estimates.

    A share of 0 or 1 has no error of its own, which is a certainty that no sample gives: 0 of 30
    would differ from 3 % of 1,000 beyond any doubt. There the error is pooled; see `at_an_end`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        common = (share * base + other * other_base) / (base + other_base)
        spread = common * (1 - common)
        together = _error(spread / base, spread / other_base, overlap)
        if pooled:
            return together
        apart = _error(share * (1 - share) / base, other * (1 - other) / other_base, overlap)
    return np.where(at_an_end(share) | at_an_end(other), together, apart)


def at_an_end(share: Floats) -> NDArray[np.bool_]:
    """Where nobody is in the row, or everyone, as far as sums of weights can tell."""
    return (share < _ROUNDING) | (share > 1 - _ROUNDING)


_ROUNDING = 1e-12


def _error(variance: Floats, other: Floats, overlap: Floats | float) -> Floats:
    # Rounding may leave a hair less than nothing where both are the same people.
    return np.sqrt(np.maximum(variance + other - 2 * overlap * np.sqrt(variance * other), 0.0))
