"""p-values that allow for how many of them there are: one family of tests a row of an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CORRECTION_NAMES",
    "Correction",
    "adjusted",
    "adjusted_outside",
    "named_correction",
]

Floats = NDArray[np.float64]

Correction = Literal["none", "bonferroni", "holm", "benjamini-hochberg", "fdr"]

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
