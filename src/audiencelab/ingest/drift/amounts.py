"""Numbers of two waves: whether one is in another unit or on another range."""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_CHANGE = 0.25
"""How far amounts of a population move, in standard deviations: as 10 points of a share of half."""
_CERTAIN = sqrt(2 * (log(1000) + log(20)))
"""Standard errors at which a change of unit, one in a thousand, is 95% of the probability."""
_FACTORS = (0.001, 0.01, 0.1, 1 / 60, 1 / 12, 1 / 7, 1 / 52, 1 / 365, 0.45359237, 2.54, 0.3048)
_NEAR = 0.1
_FEWEST = 5
_BEYOND = 0.5
"""The part of numbers of another unit that the numbers before do not reach; moved codes do."""
_EXACT, _FAR = 0.9, 5
"""The part of numbers that are a multiple of those before, if they are in another unit."""


class OtherUnit(NamedTuple):
    """How the numbers differ. factor: what the new ones are to be multiplied by, if it is known."""

    said: str
    factor: float | None


def unlike_amounts(old: Mapping[float, int], new: Mapping[float, int]) -> OtherUnit | None:
    """How the numbers of a column differ; None where they may be of one unit and range."""
    if min(sum(old.values()), sum(new.values())) < _FEWEST or len({*old, *new}) < 3:
        return None
    if _are_identifiers(old) and _are_identifiers(new):
        return None
    before, now = _Amounts(old), _Amounts(new)
    if abs(_distance(before, now)) < _CERTAIN:
        return None
    factor = _factor_of(before, now)
    said = f"the median was {before}, and is {now}"
    if factor is not None:
        times = 1 / factor
        said += f": {times:,.4g} times" if times >= 1 else f": {factor:,.4g} times less"
    return OtherUnit(said, factor)


def other_range(old: Mapping[float, int], new: Mapping[float, int]) -> OtherUnit | None:
    """How numbers differ that may be answers: most are beyond those of before, or the other way."""
    if not old or not new:
        return None
    beyond = sum(count for number, count in new.items() if not min(old) <= number <= max(old))
    before = sum(count for number, count in old.items() if not min(new) <= number <= max(new))
    is_other = max(beyond / sum(new.values()), before / sum(old.values())) > _BEYOND
    return unlike_amounts(old, new) if is_other else None


def _are_identifiers(counts: Mapping[float, int]) -> bool:
    """Whether each respondent has another integer, as numbers of respondents are."""
    return len(counts) == sum(counts.values()) and all(map(float.is_integer, counts))


class _Amounts:
    def __init__(self, counts: Mapping[float, int]) -> None:
        self.values: npt.NDArray[np.float64] = np.array(sorted(counts))
        self.counts = np.array([counts[value] for value in sorted(counts)])
        self.rows = int(self.counts.sum())
        self.median = float(self.values[self.counts.cumsum().searchsorted(self.rows / 2)])

    def __str__(self) -> str:
        return f"{self.median:,g} ({self.values[0]:,g} to {self.values[-1]:,g})"


def _distance(old: _Amounts, new: _Amounts) -> float:
    """How far new numbers are from old ones, in standard errors of sampling and of change.

    From the probability that a new one is larger (Mann-Whitney), as a difference of two normal
    distributions.
    """
    below = np.concatenate([[0], old.counts.cumsum()])
    less = below[old.values.searchsorted(new.values, "left")]
    same = below[old.values.searchsorted(new.values, "right")] - less
    pairs = old.rows * new.rows
    larger = float(((less + same / 2) * new.counts).sum() / pairs)
    # No sample shows a probability nearer to 0 or 1 than this.
    larger = min(max(larger, 0.5 / pairs), 1 - 0.5 / pairs)
    shift = sqrt(2) * NormalDist().inv_cdf(larger)
    error = (old.rows + new.rows + 1) / (12 * pairs) * 4 * np.pi
    return float(shift / sqrt(_CHANGE**2 + error))


def _factor_of(before: _Amounts, now: _Amounts) -> float | None:
    """What new numbers are to be multiplied by to be in the unit of before."""
    ratios = [float(now.values[-1] / before.values[-1])] if before.values[-1] > 0 else []
    ratios += [now.median / before.median] if before.median else []
    for ratio in ratios:
        # Few integers are multiples of others by chance, but not far from 1.
        if ratio > 0 and max(ratio, 1 / ratio) >= _FAR and _are_multiples(before, now, ratio):
            return 1 / ratio
    return (_factor(ratios[-1]) if before.median else None) or _range_factor(before, now)


def _are_multiples(old: _Amounts, new: _Amounts, ratio: float) -> bool:
    found = np.isclose(new.values[:, None] / ratio, old.values).any(axis=1)
    return bool(new.counts[found].sum() >= _EXACT * new.rows)


def _factor(ratio: float) -> float | None:
    """The factor of a known change of unit near a ratio."""
    for factor in (*_FACTORS, *(1 / each for each in _FACTORS)):
        if ratio and abs(ratio * factor - 1) <= _NEAR:
            return factor
    return None


def _range_factor(old: _Amounts, new: _Amounts) -> float | None:
    """The factor of a change of range from 0 to 10 to 0 to 100, or the other way round."""
    if old.values[0] or new.values[0] or not old.values[-1] or not new.values[-1]:
        return None
    ratio = float(new.values[-1] / old.values[-1])
    return 1 / ratio if ratio in (10.0, 0.1, 100.0, 0.01) else None
