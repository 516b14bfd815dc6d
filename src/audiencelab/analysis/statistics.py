"""z and t tests of differences, corrections for many tests, and the distributions behind them."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Correction = Literal["none", "bonferroni", "holm", "benjamini-hochberg", "fdr"]

CORRECTION_NAMES: Mapping[str, str] = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "benjamini-hochberg": "Benjamini-Hochberg",
}

_ROUNDING = 1e-12


class MeanDifference(NamedTuple):
    """The standard error of a difference of means, and the degrees of freedom of its t."""

    error: Floats
    freedom: Floats


def difference_error(
    share: Floats,
    base: Floats,
    other: Floats,
    other_base: Floats,
    *,
    pooled: bool,
    overlap: Floats | float = 0.0,
) -> Floats:
    """The standard error of `share - other`; all arrays broadcast to one shape.

    base, other_base: how many respondents each proportion is worth.
    pooled: whether both estimate one proportion, as they do under the null hypothesis.
    overlap: respondents in both, divided by the root of the product of both counts. It is the
        correlation of the estimates: 0 for different respondents, 1 for the same.

    The error of a proportion of 0 or 1 by itself is 0, which would make 0 of 30 differ from 3% of
    1,000 with certainty. The pooled error is used there.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        common = (share * base + other * other_base) / (base + other_base)
        spread = common * (1 - common)
        together = _error(spread / base, spread / other_base, overlap)
        if pooled:
            return together
        apart = _error(share * (1 - share) / base, other * (1 - other) / other_base, overlap)
    return np.where(is_zero_or_full(share) | is_zero_or_full(other), together, apart)


def likelihood_ratio(
    share: Floats, base: Floats, other: Floats, other_base: Floats, overlap: Floats | float = 0.0
) -> Floats:
    """The root of the likelihood-ratio statistic of two proportions, z for large bases.

    z is too large in the tail where few respondents are expected in a row; this is not. The
    arguments are those of `difference_error`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        common = (share * base + other * other_base) / (base + other_base)
        # G² ÷ 2, from each share's divergence from the pooled one (Kullback and Leibler).
        found = base * _divergence(share, common) + other_base * _divergence(other, common)
        # Scaled by how much correlation of the estimates changes the variance.
        variance, other_variance = 1 / base, 1 / other_base
        apart = variance + other_variance
        together = apart - 2 * overlap * np.sqrt(variance * other_variance)
        return np.sqrt(np.maximum(2 * found * apart / together, 0.0))


def _divergence(share: Floats, common: Floats) -> Floats:
    def term(part: Floats, of: Floats) -> Floats:
        # 0 ln 0 is 0; the inner choice keeps the logarithm from 0.
        return np.where(part > 0, part * np.log(np.where(part > 0, part / of, 1.0)), 0.0)

    return term(share, common) + term(1 - share, 1 - common)


def is_zero_or_full(share: Floats) -> NDArray[np.bool_]:
    """Where a proportion is 0 or 1, up to the rounding of sums of weights."""
    return (share < _ROUNDING) | (share > 1 - _ROUNDING)


def _error(variance: Floats, other: Floats, overlap: Floats | float) -> Floats:
    # Rounding may leave a negative variance where both are the same respondents.
    return np.sqrt(np.maximum(variance + other - 2 * overlap * np.sqrt(variance * other), 0.0))


def mean_difference(
    deviation: Floats,
    base: Floats,
    other_deviation: Floats,
    other_base: Floats,
    *,
    pooled: bool,
    overlap: Floats | float = 0.0,
) -> MeanDifference:
    """Standard error and degrees of freedom of a t test of two means; NaN for a base of 1 or less.

    deviation, other_deviation: √(Σw(x - mean)² / Σw) of the respondents.
    base, other_base: how many respondents each mean is worth.
    pooled: whether both vary alike (Student); otherwise each as it does (Welch).
    overlap: the correlation of the two means, see `difference_error`.
    """
    square, other_square = deviation**2, other_deviation**2
    students = base + other_base - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        if pooled:
            common = (base * square + other_base * other_square) / students
            variance, other_variance = common / base, common / other_base
            freedom = students
        else:
            # Deviations are divided by n, so s² ÷ (n - 1) is the unbiased variance of the mean.
            variance, other_variance = square / (base - 1), other_square / (other_base - 1)
            welchs = (variance + other_variance) ** 2 / (
                variance**2 / (base - 1) + other_variance**2 / (other_base - 1)
            )
            # Welch's is undefined without any variance, where the test is not made anyway.
            freedom = np.where(variance + other_variance > 0, welchs, students)
        error = _error(variance, other_variance, overlap)
    testable = (base > 1) & (other_base > 1)
    return MeanDifference(np.where(testable, error, np.nan), np.where(testable, freedom, np.nan))


def adjusted(p: Floats, correction: str) -> Floats:
    """Adjusted p-values, float64[families, tests]; NaN where p is NaN, which are not counted."""
    if correction == "none":
        return p.copy()
    order = np.argsort(p, axis=-1)  # NaN comes last
    ranked = np.take_along_axis(p, order, axis=-1)
    count = np.count_nonzero(~np.isnan(p), axis=-1)[..., None]
    rank = np.arange(1, p.shape[-1] + 1, dtype=np.intp)
    if correction == "bonferroni":
        ranked = ranked * count
    elif correction == "holm":
        # Never falling: Holm stops at the first test that is not rejected.
        ranked = np.maximum.accumulate(ranked * (count - rank + 1), axis=-1)
    else:  # Benjamini-Hochberg accumulates from the largest p-value downwards
        known = np.where(np.isnan(ranked), np.inf, ranked * count / rank)[..., ::-1]
        smallest = np.minimum.accumulate(known, axis=-1)[..., ::-1]
        ranked = np.where(np.isnan(ranked), np.nan, smallest)
    found = np.empty_like(p)
    np.put_along_axis(found, order, ranked, axis=-1)
    return np.minimum(found, 1.0)


def adjusted_outside(p: Floats, family: Floats, correction: str) -> Floats:
    """Adjusted p-values of tests that a family's threshold applies to, but that it does not count.

    p: of these tests. family: the p-values of the family, NaN where no test was made. Both are
    float64[tests]. Each is the lowest risk at which the family's threshold is passed.
    """
    made = family[~np.isnan(family)]
    count = len(made)
    if correction == "none" or not count:
        return p.copy()
    if correction == "bonferroni":
        return np.minimum(p * count, 1.0)
    # The divisor of p where r tests of the family are rejected, for each r.
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


def is_significant(p: Floats, level: float) -> NDArray[np.bool_]:
    """Whether p-values are under the risk of a confidence level."""
    # 1 - 0.95 is slightly more than 0.05, and 1 - 0.9 slightly less than 0.1.
    return p < round(1 - level, 12)


def selection_tail(correction: str, alpha: float, made: int, found: int) -> float:
    """The p-value at which a correction rejects the last test that it rejects.

    made: tests of the family. found: those that it rejects. What was selected from many tests needs
    an interval at this level, wider than that of a test that was planned.
    """
    return {
        "none": alpha,
        "bonferroni": alpha / max(made, 1),
        "holm": alpha / max(made - found + 1, 1),
        # The false coverage rate of Benjamini and Yekutieli (2005).
        "benjamini-hochberg": alpha * max(found, 1) / max(made, 1),
    }[correction]


def critical_value(level: float) -> float:
    """How many standard errors an interval of this confidence, such as 0.95, reaches to a side."""
    return float(_special().ndtri((1 + level) / 2))


def critical_values(level: float, degrees_of_freedom: Floats) -> Floats:
    """`critical_value` for each number of degrees of freedom, infinite ones included."""
    student = t_quantile((1 + level) / 2, degrees_of_freedom)
    return np.where(np.isinf(degrees_of_freedom), critical_value(level), student)


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
