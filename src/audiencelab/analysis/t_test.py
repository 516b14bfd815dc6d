"""Student's and Welch's test of the difference between two means: formulas on arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MeanDifference", "mean_difference"]

Floats = NDArray[np.float64]


class MeanDifference(NamedTuple):
    """The standard error of a difference between means, and the degrees of freedom of its t."""

    error: Floats
    freedom: Floats


def mean_difference(
    deviation: Floats,
    base: Floats,
    other_deviation: Floats,
    other_base: Floats,
    *,
    pooled: bool,
    overlap: Floats | float = 0.0,
) -> MeanDifference:
    """What a t test of two means divides by; all arrays have, or take, one shape.

    deviation, other_deviation: of the people, √(Σw(x - mean)² / Σw). base, other_base: how many
    respondents each mean is worth; more than one, or there is no error.
    pooled: whether both are taken to vary alike (Student); otherwise each as it does (Welch).
    overlap: the correlation of the two means, see `difference_error`.
    """
    square, other_square = deviation**2, other_deviation**2
    students = base + other_base - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        if pooled:
            alike = (base * square + other_base * other_square) / students
            variance, other_variance = alike / base, alike / other_base
            freedom = students
        else:
            variance, other_variance = square / (base - 1), other_square / (other_base - 1)
            welchs = (variance + other_variance) ** 2 / (
                variance**2 / (base - 1) + other_variance**2 / (other_base - 1)
            )
            # Where nothing varies there is no such number, and it does not matter which.
            freedom = np.where(variance + other_variance > 0, welchs, students)
        both = variance + other_variance - 2 * overlap * np.sqrt(variance * other_variance)
        # Rounding may leave a hair less than nothing where both are the same people.
        error = np.sqrt(np.maximum(both, 0.0))
    there = (base > 1) & (other_base > 1)
    return MeanDifference(np.where(there, error, np.nan), np.where(there, freedom, np.nan))
