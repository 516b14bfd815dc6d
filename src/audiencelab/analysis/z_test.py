"""The z test of the difference between two shares: formulas on arrays, and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["at_an_end", "difference_error", "likelihood_ratio"]

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


def likelihood_ratio(
    share: Floats, base: Floats, other: Floats, other_base: Floats, overlap: Floats | float = 0.0
) -> Floats:
    """The root of the likelihood-ratio statistic of two shares, which is z for large bases.

    Where few respondents are expected in a row, z is far too large in the tail, and this is not.
    The arguments are those of `difference_error`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        common = (share * base + other * other_base) / (base + other_base)
        found = base * _divergence(share, common) + other_base * _divergence(other, common)
        # As the error is smaller, or larger, where the two estimates hang together.
        variance, other_variance = 1 / base, 1 / other_base
        apart = variance + other_variance
        together = apart - 2 * overlap * np.sqrt(variance * other_variance)
        return np.sqrt(np.maximum(2 * found * apart / together, 0.0))


def _divergence(share: Floats, common: Floats) -> Floats:
    return _weighed_log(share, common) + _weighed_log(1 - share, 1 - common)


def _weighed_log(part: Floats, of: Floats) -> Floats:
    return np.where(part > 0, part * np.log(np.where(part > 0, part / of, 1.0)), 0.0)


def at_an_end(share: Floats) -> NDArray[np.bool_]:
    """Where nobody is in the row, or everyone, as far as sums of weights can tell."""
    return (share < _ROUNDING) | (share > 1 - _ROUNDING)


_ROUNDING = 1e-12


def _error(variance: Floats, other: Floats, overlap: Floats | float) -> Floats:
    # Rounding may leave a hair less than nothing where both are the same people.
    return np.sqrt(np.maximum(variance + other - 2 * overlap * np.sqrt(variance * other), 0.0))
