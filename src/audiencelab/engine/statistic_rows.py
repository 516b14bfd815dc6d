"""A row of statistics of amounts: the figures of its columns, of their rests, and their errors.

Variances are by Taylor linearisation or from replicate weights, as those of shares
(`variance.scores`): the influence of a respondent on a mean is (y - mean) ÷ Σw, on a sum y, on the
share at or below a percentile ([y ≤ q] - F) ÷ Σw, on a ratio Σwx ÷ Σwy (x - R y) ÷ Σwy, and on a
correlation (u v - r (u² + v²) ÷ 2) ÷ Σw, where u and v are both amounts as standard scores: that of
the weighted covariance and of both variances, by the delta method.
The error of a percentile is Woodruff's: the interval of that share is read off the distribution,
and its length divided by twice the t quantile, as in `svyquantile(interval.type = "mean")` of R.
Two percentiles are as correlated as the shares at or below them; they have no covariance where many
people share the amount.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.percentiles import quantile, t_quantiles, woodruff
from audiencelab.engine.variance.design import Floats
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.expressions import Expression

StatisticKind = Literal[
    "mean",
    "percentile",
    "sum",
    "nps",
    "promoters",
    "passives",
    "detractors",
    "standard deviation",
    "correlation",
    "ratio",
]
STATISTIC_KINDS: tuple[str, ...] = get_args(StatisticKind)

LEVEL = 0.95
"""The confidence of the interval that the error of a percentile is read off, as in R."""

_MOST_SHARED = 1.5
"""Of a percentile whose amount a larger part of people share, in standard errors of the share at or
below it, a difference has no usual distribution. At 1.5 of them 3.6% of null differences of
percentiles are significant at 5%, at 2.1 of them 12%, at 7 of them half."""

_LEAST = 1e-300

PAIRED_KINDS = ("correlation", "ratio")
"""Statistics of two amounts of each respondent."""

MOST_SCORES = 1 << 24
"""Influences of one wave in memory at once: 128 MB. A larger table has no covariances."""


@dataclass(frozen=True, slots=True)
class StatisticSpec:
    """One row.

    amounts: of answers, by code; of the points of the scale where `datapoint` is the item of a
        grid. exact: whether the survey's own numbers are preferred to them.
    percentile: 0 to 100.
    other: whose amounts are the second ones of a correlation, and the divisor of a ratio.
    expression: an audience in place of a question: its respondents have the amount 1, and others
        none, so that a sum counts them.
    """

    kind: StatisticKind
    question: str = ""
    datapoint: str = ""
    amounts: tuple[tuple[str, float], ...] = ()
    exact: bool = True
    percentile: float = 50.0
    other: StatisticSpec | None = None
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class RestRow:
    """The rest of each column in a row, float64[columns]; figures as of a `StatisticRow`.

    apart: the standard error of the column's value less that of its rest. freedom: degrees of
    freedom of the smaller side.
    """

    value: Floats
    error: Floats
    deviation: Floats
    size: Floats
    sample: Floats
    apart: Floats
    freedom: Floats


@dataclass(frozen=True, slots=True)
class StatisticRow:
    """One row; arrays are float64[1 + columns], the base first; NaN without any amount.

    error: the standard error. deviation: √(Σw(y - mean)² ÷ Σw). size: weight of those with an
    amount, on average over the waves. sample: respondents.
    low, high: the ends of the intervals of percentiles; NaN of other kinds.
    covariance: of the values of two columns, float64[1 + columns, 1 + columns]; NaN of a table
        that is too large for it, and of percentiles whose amount many people share.
    freedom: of two columns, clusters (or respondents) less strata of those with anybody of either.
    exact: whether amounts are numbers as they were answered. how: see `variance.scores.Drawn`.
    waves: how many each column's sizes and sums are an average of; 1 where they add up.
    """

    kind: StatisticKind
    value: Floats
    error: Floats
    deviation: Floats
    size: Floats
    sample: Floats
    low: Floats
    high: Floats
    covariance: Floats
    freedom: Floats
    rest: RestRow
    exact: bool
    waves: Floats
    how: str = ""


@dataclass(frozen=True, slots=True)
class AmountsWave:
    """Respondents of the base with an amount.

    chosen: their positions. ranks: the position of each one's amount among the different ones.
    inside: of each set, bool[1 + columns + rests, respondents].
    """

    chosen: NDArray[np.intp]
    weights: Floats
    ranks: NDArray[np.intp]
    inside: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowAmounts:
    """The different amounts of a row, who has them by wave, and what a sum of a set is divided by.

    values: two amounts are one complex number.
    columns: how many there are, without the base.
    """

    values: NDArray[Any]
    by_wave: dict[int, AmountsWave]
    counted: list[int]
    columns: int
    exact: bool

    @property
    def waves(self) -> list[AmountsWave]:
        return list(self.by_wave.values())


class RespondentSet(NamedTuple):
    """A set of respondents: its figures, the influence of an amount, and the weight of each amount.

    The influence is without the respondent's weight.
    """

    value: float
    deviation: float
    size: float
    influence: Floats
    sums: Floats

    def shared(self, values: Floats) -> float:
        """The part of the weight whose amount is the value."""
        return float(self.sums[values == self.value].sum()) / max(float(self.sums.sum()), _LEAST)


class _Errors(NamedTuple):
    """Of k sets: covariances and degrees of freedom, float64[k, k]; ends of percentiles."""

    covariance: Floats
    freedom: Floats
    low: Floats
    high: Floats

    @property
    def error(self) -> Floats:
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def row_of(spec: StatisticSpec, ready: RowAmounts, drawn: Drawn, level: float) -> StatisticRow:
    """The figures of a row; level: the confidence of the ends of percentiles."""
    every = range(len(ready.counted))
    found = [column_of(spec, ready.values, ready.waves, at, ready.counted[at]) for at in every]
    sample = np.zeros(len(found))
    for wave in ready.waves:
        sample += np.count_nonzero(wave.inside, axis=1)
    planes = np.array([[each.value, each.deviation, each.size] for each in found]).T
    own = slice(0, 1 + ready.columns)
    value, deviation, size = planes[:, own]
    errors = _errors(spec, ready, drawn, found, list(every)[own], level)
    return StatisticRow(
        spec.kind,
        value,
        errors.error,
        deviation,
        size,
        sample[own],
        errors.low,
        errors.high,
        errors.covariance,
        errors.freedom,
        _rest(spec, ready, drawn, found, sample),
        ready.exact,
        np.array(ready.counted, np.float64)[own],
        drawn.how,
    )


def _rest(
    spec: StatisticSpec,
    ready: RowAmounts,
    drawn: Drawn,
    found: Sequence[RespondentSet],
    sample: Floats,
) -> RestRow:
    first = 1 + ready.columns
    planes = np.array([[each.value, each.deviation, each.size] for each in found[first:]])
    value, deviation, size = planes.reshape(-1, 3).T
    error, apart, freedom = np.full((3, ready.columns), np.nan)
    # Each column with its own rest: a matrix of all columns and all rests is never needed.
    for column in range(ready.columns):
        errors = _errors(spec, ready, drawn, found, [1 + column, first + column], LEVEL)
        (own, both), (_, other) = errors.covariance
        error[column] = errors.error[1]
        apart[column] = np.sqrt(np.maximum(own + other - 2 * both, 0.0))
        freedom[column] = np.diag(errors.freedom).min()
    return RestRow(value, error, deviation, size, sample[first:], apart, freedom)


def _errors(
    spec: StatisticSpec,
    ready: RowAmounts,
    drawn: Drawn,
    found: Sequence[RespondentSet],
    some: Sequence[int],
    level: float,
) -> _Errors:
    """Of some of the sets."""
    waves = [(wave.chosen, wave.inside[some]) for wave in ready.waves]
    units, freedom = drawn.freedom(len(some), waves)
    columns = [found[at] for at in some]
    covariance = _covariances(spec, drawn, ready.waves, columns, some)
    unknown = (units < 2) | np.isnan([each.value for each in columns])
    covariance[unknown, :] = covariance[:, unknown] = np.nan
    low = high = np.full(len(some), np.nan)
    if spec.kind == "percentile":
        error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        low, high = _ends(ready.values, columns, error, np.diag(freedom), level)
        ends = (low, high)
        # The error is read off the 95% interval whatever level the caller asks for.
        if level != LEVEL:
            ends = _ends(ready.values, columns, error, np.diag(freedom), LEVEL)
        with np.errstate(invalid="ignore"):
            length = (ends[1] - ends[0]) / (2 * t_quantiles(np.diag(freedom), LEVEL))
        # A share without error has an interval without length.
        scale = np.divide(length, error, out=np.zeros_like(error), where=error != 0)
        # The correlations stay those of the shares; each variance becomes that of the percentile.
        covariance = covariance * np.outer(scale, scale)
        shared = np.array([each.shared(ready.values) for each in columns])
        # The diagonal stays: only differences of such percentiles have no usual distribution.
        lumpy = (shared > _MOST_SHARED * error)[:, None] & ~np.eye(len(columns), dtype=bool)
        covariance[lumpy | lumpy.T] = np.nan
    # Its influence is not computed, so it has neither an error nor a test.
    if spec.kind == "standard deviation":
        covariance[...] = np.nan
    return _Errors(covariance, freedom, low, high)


def column_of(
    spec: StatisticSpec, values: NDArray[Any], waves: Sequence[AmountsWave], column: int, count: int
) -> RespondentSet:
    """Weights lie on a grid: their sums are exact."""
    sums = np.zeros(len(values))
    for wave in waves:
        inside = wave.inside[column]
        # By amount instead of by respondent: there are few different amounts, and all figures
        # follow from these sums.
        sums += np.bincount(wave.ranks[inside], wave.weights[inside], minlength=len(sums))
    total = float(sums.sum())
    if not total > 0:
        return RespondentSet(nan, nan, 0.0, np.zeros(len(values)), sums)
    if spec.kind in PAIRED_KINDS:
        paired = _correlation if spec.kind == "correlation" else _ratio
        return RespondentSet(
            **paired(np.real(values), np.imag(values), sums), size=total / count, sums=sums
        )
    mean = float((sums * values).sum()) / total
    spread = sqrt(float((sums * np.square(values - mean)).sum()) / total)
    value = mean
    influence: Any = (values - mean) / total
    if spec.kind == "sum":
        value, influence = float((sums * values).sum()) / count, values / count
    elif spec.kind == "standard deviation":
        value = spread
    elif spec.kind == "percentile":
        value = quantile(values, sums, spec.percentile / 100)
        below = values <= value
        # That of the share at or below the percentile, whose interval Woodruff's method reads off.
        influence = (below - float(sums[below].sum()) / total) / total
    return RespondentSet(value, spread, total / count, influence, sums)


def _correlation(first: Floats, second: Floats, sums: Floats) -> dict[str, Any]:
    """The correlation of two amounts; NaN where one of them does not vary."""
    parts = sums / sums.sum()
    apart = [each - float(parts @ each) for each in (first, second)]
    spreads = [sqrt(float(parts @ each**2)) for each in apart]
    if not min(spreads) > 0:
        return {"value": nan, "deviation": nan, "influence": np.zeros(len(sums))}
    one, other = (each / spread for each, spread in zip(apart, spreads, strict=True))
    value = float(parts @ (one * other))
    influence = one * other - value * (one**2 + other**2) / 2
    return {"value": value, "deviation": nan, "influence": influence / sums.sum()}


def _ratio(first: Floats, second: Floats, sums: Floats) -> dict[str, Any]:
    """The sum of the first amounts as a part of that of the second."""
    whole = float(sums @ second)
    if whole == 0:
        return {"value": nan, "deviation": nan, "influence": np.zeros(len(sums))}
    value = float(sums @ first) / whole
    return {"value": value, "deviation": nan, "influence": (first - value * second) / whole}


def _ends(
    values: Floats, columns: Sequence[RespondentSet], errors: Floats, freedom: Floats, level: float
) -> tuple[Floats, Floats]:
    """The ends of percentiles' intervals from the errors of the shares at or below them."""
    reaches = t_quantiles(freedom, level)
    ends = [
        woodruff(values, each.sums, each.value, error, reach)
        for each, error, reach in zip(columns, errors, reaches, strict=True)
    ]
    low, high = np.array(ends).reshape(-1, 2).T
    return low, high


def _covariances(
    spec: StatisticSpec,
    drawn: Drawn,
    waves: Sequence[AmountsWave],
    columns: Sequence[RespondentSet],
    places: Sequence[int],
) -> Floats:
    """Of every two columns, float64[columns, columns]; of percentiles, of the shares below them."""
    influence = np.array([each.influence for each in columns])
    # A sum is not a ratio, so replicates have no total of weights to divide it by.
    whole = None if spec.kind == "sum" else np.array([float(each.sums.sum()) for each in columns])

    def figures(some: slice) -> Floats:
        parts = [
            WaveFigures(wave.chosen, influence[some][:, wave.ranks] * inside[some], inside[some])
            for wave in waves
            for inside in [wave.inside[places]]
        ]
        of_some = None if whole is None else whole[some]
        return drawn.covariance(len(influence[some]), parts, of_some)

    count = len(columns)
    if count * drawn.most <= MOST_SCORES:
        return figures(slice(None))
    found = np.full((count, count), np.nan)
    for column in range(count):
        # One column at a time bounds the memory, and leaves out every covariance of two.
        found[column, column] = figures(slice(column, column + 1))[0, 0]
    return found
