"""Probabilities and quantiles of the normal and the t distribution; scipy is needed here alone.

It is asked for by the first probability and not before: charts and the grid use the rest of
`significance`, and do without.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

__all__ = ["beta_quantile", "critical_value", "critical_values", "t_quantile", "two_sided_p"]

Floats = NDArray[np.float64]


def critical_values(level: float, degrees_of_freedom: Floats) -> Floats:
    """See `critical_value`, for each number of degrees of freedom."""
    upper = (1 + level) / 2
    student = t_quantile(upper, degrees_of_freedom)
    return np.where(np.isinf(degrees_of_freedom), critical_value(level), student)


def critical_value(level: float, degrees_of_freedom: float | None = None) -> float:
    """How many standard errors reach from the middle to the end of an interval.

    level: the share of the distribution in between, such as 0.95.
    degrees_of_freedom: of the t distribution; None is the normal one.
    """
    upper = (1 + level) / 2
    if degrees_of_freedom is None:
        return float(_special().ndtri(upper))
    return float(_special().stdtrit(degrees_of_freedom, upper))


def t_quantile(probability: float, degrees_of_freedom: Floats) -> Floats:
    """The quantile of the t distribution with each of these degrees of freedom."""
    return np.asarray(_special().stdtrit(degrees_of_freedom, probability), dtype=np.float64)


def two_sided_p(statistic: Floats, degrees_of_freedom: Floats | float | None = None) -> Floats:
    """The probability of a statistic at least as far from zero, on either side."""
    lower = -np.abs(statistic)
    normal = np.asarray(2 * _special().ndtr(lower), dtype=np.float64)
    if degrees_of_freedom is None:
        return normal
    student = np.asarray(2 * _special().stdtr(degrees_of_freedom, lower), dtype=np.float64)
    return np.where(np.isinf(degrees_of_freedom), normal, student)


def beta_quantile(first: Floats, second: Floats, probability: float) -> Floats:
    """The quantile of the beta distribution with two shapes."""
    return np.asarray(_special().betaincinv(first, second, probability), dtype=np.float64)


def _special() -> ModuleType:
    try:
        from scipy import special
    except ImportError as missing:
        raise ImportError(
            f"Intervals and tests need the package {missing.name!r}: "
            'pip install "audiencelab[stats]"'
        ) from missing
    return special
