"""Weights on a binary grid, so that every sum of them is exact.

Rounded once, at import, to multiples of 2^-b, with the total of all weights below 2^(52 - b):
every partial sum is then a float64 without rounding, and the same table comes out of every order
of summation, thread count and partition, bit for bit. The error of one weight is at most
2^-(b + 1); a survey's manifest records b as `weight_bits`. The grid follows the scale of the
weights; weights too far apart for one grid raise an error and are never rounded to 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from audiencelab.survey.errors import SurveyError

Weights = npt.NDArray[np.float64]

TOTAL_BITS = 52
"""The weights of a survey together stay below 2^52 steps of their grid."""
_USUAL_BITS = 40
"""The grid of a survey whose weights are about 1; a universe of people takes a coarser one."""

_SMALLEST_STEPS = 20
"""The smallest weight is at least 2^20 steps where sums permit: an error below a millionth."""

_FEWEST_STEPS = 50
"""Weights of fewer steps would be off by more than a hundredth, and raise an error."""

_LEAST = 1e-140
"""The largest weight of a wave is at least this, so that its square, which variances need, is not
rounded to 0."""


def choose_weight_bits(weights: Iterable[Weights]) -> int:
    """A grid fine enough for the smallest weight, as far as the weights of all waves sum exactly.

    Negative for a universe of more than 2^52 people.
    """
    waves = list(weights)
    total = math.fsum(float(wave.sum()) for wave in waves)
    # Rounding moves each weight by half a step at most; one spare bit holds that and more.
    finest = TOTAL_BITS - 1 - math.ceil(math.log2(total))
    needed = _SMALLEST_STEPS - math.floor(math.log2(min(map(_smallest, waves))))
    # Exact sums come first: the smallest weight gets as many steps as they leave.
    return min(finest, max(_USUAL_BITS, needed))


def _smallest(weights: Weights) -> float:
    """The smallest weight above 0; infinite if there is none."""
    return float(np.min(weights, initial=math.inf, where=weights > 0))


def sum_of_squares(weights: Weights) -> float:
    """Σw², rounded once, so that it is the same in every order."""
    # In pieces, as a list of Python numbers takes several times the memory of the array.
    pieces = np.array_split(weights, len(weights) // 65_536 + 1)
    return math.fsum(square for piece in pieces for square in np.square(piece).tolist())


def grid_holds(weights: Iterable[Weights], weight_bits: int) -> bool:
    """Whether the weights of all waves sum exactly on a grid that is fine enough for each."""
    waves = list(weights)
    if math.ldexp(min(map(_smallest, waves)), weight_bits) < _FEWEST_STEPS:
        return False
    steps = math.ldexp(math.fsum(float(wave.sum()) for wave in waves), weight_bits)
    # Each weight may be moved by half a step, and none of the sums may reach the last step.
    return steps + sum(map(len, waves)) / 2 < 2.0**TOTAL_BITS


def to_grid(weights: Weights, weight_bits: int) -> Weights:
    """The weights, each the nearest multiple of 2^-weight_bits."""
    # `ldexp` moves the exponent alone, so scaling is exact in both directions.
    return np.ldexp(np.rint(np.ldexp(weights, weight_bits)), -weight_bits)


def effective_base(weights: Weights) -> float:
    """Kish's effective sample size, (Σw)² / Σw²; 0 where all weights are 0.

    Kish, L. (1965), Survey Sampling, section 11.7.
    """
    squares = float(np.square(weights).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def check_weights(wave: str, weights: Weights) -> None:
    """Raise `SurveyError` unless every weight is a finite number of at least 0, one above it."""
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        first = int(bad[0])
        raise SurveyError(
            f"Wave {wave}: the weight of respondent {first} (counted from 0) is "
            f"{weights[first]}, and {bad.size:,} in all are not finite numbers of at least 0."
        )
    if not weights.any():
        raise SurveyError(f"Wave {wave}: all its weights are 0.")
    if (largest := float(weights.max())) < _LEAST:
        raise SurveyError(
            f"Wave {wave}: its largest weight is {largest:g}, too small for its square. Multiply "
            "the weights of all waves by one number, so that they are about 1."
        )


def check_grid(wave: str, weights: Weights, weight_bits: int) -> None:
    """Raise `SurveyError` for a weight so small that a grid rounds it noticeably, or away."""
    smallest = _smallest(weights)
    if math.ldexp(smallest, weight_bits) < _FEWEST_STEPS:
        raise SurveyError(
            f"Wave {wave}: its smallest weight, {smallest:g}, is too small beside the total of all "
            f"weights: sums would only be exact in steps of 2^{-weight_bits}. Give the weights of "
            "all waves in one unit, and respondents who should not count a weight of 0."
        )
