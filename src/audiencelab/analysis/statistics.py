"""z and t tests of differences, their distributions, and corrections for many tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Correction = Literal["none", "bonferroni", "holm", "benjamini-hochberg", "fdr"]


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


CORRECTION_NAMES: Mapping[str, str] = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "benjamini-hochberg": "Benjamini-Hochberg",
}


def named_correction(correction: str) -> str:
    """The correction's own name for what it may be called; `ValueError` for anything else."""
    name = "benjamini-hochberg" if correction == "fdr" else correction
    if name not in CORRECTION_NAMES:
        raise ValueError(
            f"No correction {correction!r}. Choose one of {', '.join(CORRECTION_NAMES)}."
        )
    return name


def adjusted(p: Floats, correction: str) -> Floats:
    """Adjusted p-values, float64[families, tests]; where p is NaN no test was made."""
    if correction == "none":
        return p.copy()
    order = np.argsort(p, axis=-1)  # NaN comes last
    ranked = np.take_along_axis(p, order, axis=-1)
    made = np.count_nonzero(~np.isnan(p), axis=-1)[..., None]
    rank = np.arange(1, p.shape[-1] + 1, dtype=np.intp)
    found = np.empty_like(p)
    np.put_along_axis(found, order, _METHODS[correction](ranked, rank, made), axis=-1)
    return np.minimum(found, 1.0)


def adjusted_outside(p: Floats, family: Floats, correction: str) -> Floats:
    """Adjusted p-values of tests that are judged by a family's threshold and not counted in it.

    p: of these tests. family: the p-values of the family, NaN where no test was made. Both are
    float64[tests]. Each is the lowest risk at which the threshold of the family lets it through.
    """
    made = family[~np.isnan(family)]
    count = len(made)
    if correction == "none" or not count:
        return p.copy()
    if correction == "bonferroni":
        return np.minimum(p * count, 1.0)
    # With r of the family rejected, p is divided by so much; r are from an adjusted p onwards.
    rejected = np.arange(count + 1)
    if correction == "holm":
        divisor = np.maximum(count - rejected, 1).astype(np.float64)
    else:
        divisor = count / np.maximum(rejected, 1)
    reached = np.concatenate([[0.0], np.sort(adjusted(made[None], correction)[0])])
    # One rises with r, the other falls: the least of the larger is where they cross.
    at = np.searchsorted(reached / divisor, p)
    above = np.where(at <= count, reached[np.minimum(at, count)], np.inf)
    below = np.where(at > 0, p * divisor[np.maximum(at, 1) - 1], np.inf)
    return np.where(np.isnan(p), np.nan, np.minimum(np.minimum(above, below), 1.0))


def _bonferroni(ranked: Floats, rank: NDArray[np.intp], made: NDArray[np.intp]) -> Floats:
    return ranked * made


def _holm(ranked: Floats, rank: NDArray[np.intp], made: NDArray[np.intp]) -> Floats:
    return np.maximum.accumulate(ranked * (made - rank + 1), axis=-1)


def _benjamini_hochberg(ranked: Floats, rank: NDArray[np.intp], made: NDArray[np.intp]) -> Floats:
    # From the largest downwards; what was not tested stands behind it and must not count.
    backwards = np.where(np.isnan(ranked), np.inf, ranked * made / rank)[..., ::-1]
    smallest = np.minimum.accumulate(backwards, axis=-1)[..., ::-1]
    return np.where(np.isnan(ranked), np.nan, smallest)


_METHODS: Mapping[str, Callable[[Floats, NDArray[np.intp], NDArray[np.intp]], Floats]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "benjamini-hochberg": _benjamini_hochberg,
}


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
    # scipy.special takes long to import, and in the browser it may be missing.
    from scipy import special

    return special
