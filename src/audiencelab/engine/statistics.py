"""Means, percentiles, sums and net promoter scores of amounts, by column, with their variances.

An amount is the number that a respondent gave, or the midpoint of the answer. Variances are by
Taylor linearisation or from replicate weights, as those of shares (`variance.scores`): the
influence of a respondent on a mean is (y - mean) ÷ Σw, on a sum y, on the share at or below a
percentile ([y ≤ q] - F) ÷ Σw.
The error of a percentile is Woodruff's: the interval of that share is read off the distribution,
and its length divided by twice the t quantile, as in `svyquantile(interval.type = "mean")` of R.

Columns are the base, then the audiences. Respondents without an amount, or of weight 0, count
nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import nan, sqrt
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binder import Binder
from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import Table, WaveSet, intersection, members
from audiencelab.engine.variance.design import Floats, VarianceError
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.expressions import Expression, Leaf
from audiencelab.schema.local import RowPairs
from audiencelab.schema.scope import DEFAULT_SCOPE, Scope
from audiencelab.survey.answers import unpack

StatisticKind = Literal["mean", "percentile", "sum", "nps", "standard deviation"]
STATISTIC_KINDS: tuple[str, ...] = get_args(StatisticKind)

_LEVEL = 0.95
"""The confidence of Woodruff's interval, as in R."""

_ROUNDING = 1e-12
"""Sums of weights may miss an exact part of their total by this."""

_MOST_SCORES = 1 << 24
"""Influences of one wave in memory at once: 128 MB. A larger table has no covariances."""

_PROMOTER, _DETRACTOR = 9, 6


class NoAmountsError(ValueError):
    """A question that has neither numbers nor amounts of its answers; row: which one."""

    def __init__(self, row: int) -> None:
        super().__init__(f"Row {row} has neither numbers nor amounts of its answers.")
        self.row = row


@dataclass(frozen=True, slots=True)
class StatisticSpec:
    """One row.

    amounts: of answers, by code; of the points of the scale where `datapoint` is the item of a
        grid. exact: whether the survey's own numbers are preferred to them.
    percentile: 0 to 100.
    """

    kind: StatisticKind
    question: str
    datapoint: str = ""
    amounts: tuple[tuple[str, float], ...] = ()
    exact: bool = True
    percentile: float = 50.0


@dataclass(frozen=True, slots=True)
class StatisticsSpec:
    """Rows × (base and columns), within a scope as in a crosstab."""

    rows: tuple[StatisticSpec, ...]
    columns: tuple[Expression | None, ...]
    scope: Scope = DEFAULT_SCOPE


@dataclass(frozen=True, slots=True)
class StatisticRow:
    """One row; arrays are float64[1 + columns], the base first; NaN without any amount.

    error: the standard error. deviation: √(Σw(y - mean)² ÷ Σw). size: weight of those with an
    amount, on average over the waves. sample: respondents.
    covariance: of the values of two columns, float64[1 + columns, 1 + columns]; NaN of a table
        that is too large for it, and of percentiles.
    freedom: of two columns, clusters (or respondents) less strata of those with anybody of either.
    exact: whether amounts are numbers as they were answered. how: see `variance.scores.Drawn`.
    """

    value: Floats
    error: Floats
    deviation: Floats
    size: Floats
    sample: Floats
    covariance: Floats
    freedom: Floats
    exact: bool
    how: str = ""


@dataclass(frozen=True, slots=True)
class _Wave:
    """Respondents of the base with an amount.

    chosen: their positions. ranks: the position of each one's amount among the different ones.
    inside: bool[columns, respondents].
    """

    chosen: NDArray[np.intp]
    weights: Floats
    ranks: NDArray[np.intp]
    inside: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The different amounts of a row, who has them by wave, and in how many waves of a column."""

    values: Floats
    by_wave: dict[int, _Wave]
    counted: list[int]
    exact: bool

    @property
    def waves(self) -> list[_Wave]:
        return list(self.by_wave.values())


class StatisticsPlan:
    """The columns of a table within its base, ready for any row; the first is the base."""

    def __init__(self, masks: Masks, binder: Binder, table: Table) -> None:
        self._masks, self._binder, self._table = masks, binder, table
        self._base, self._waves = table.base, table.waves & table.base.coverage
        self._columns = [
            table.base,
            *(intersection(table.base, column.node) for column in table.columns),
        ]

    def row(self, number: int, spec: StatisticSpec) -> StatisticRow:
        """One row; raises `NoAmountsError`, and `KeyError` for codes that the survey lacks."""
        ready = self._prepared(number, spec)
        return _row(spec, ready, self._drawn(list(ready.by_wave)))

    def pairs(self, specs: Sequence[StatisticSpec]) -> RowPairs:
        """Every two rows of means or scores in each column; raises as `row`."""
        ready = [self._prepared(number, spec) for number, spec in enumerate(specs)]
        positions = list(dict.fromkeys(at for each in ready for at in each.by_wave))
        shape = len(self._columns) - 1, len(specs), len(specs)
        variance, freedom = np.zeros((2, *shape))
        drawn = self._drawn(positions)
        for place, column in enumerate(range(1, len(self._columns))):
            found = [
                _column(spec, each.values, each.waves, column, 1)
                for spec, each in zip(specs, ready, strict=True)
            ]
            influence = [each[3] for each in found]
            waves = [self._in_rows(ready, influence, column, position) for position in positions]
            # NPS and mean are ratios; other kinds are not compared.
            whole = np.array([float(each[4].sum()) for each in found])
            covariance = drawn.covariance(len(specs), waves, whole)
            sets = [(each.chosen, each.inside) for each in waves]
            units, freedom[place] = drawn.freedom(len(specs), sets)
            each = np.diag(covariance)
            apart = np.maximum(each[:, None] + each - 2 * covariance, 0.0)
            single = units < 2
            apart[single, :] = apart[:, single] = np.nan
            variance[place] = apart
        return RowPairs(variance, freedom, how=drawn.how)

    def shared(self, specs: Sequence[StatisticSpec], *, of_rows: bool) -> Floats:
        """See `Engine.shared_amounts`; raises as `row`."""
        ready = [self._prepared(number, spec) for number, spec in enumerate(specs)]
        if not of_rows:
            size = len(self._columns)
            return np.array(
                [sum(map(_both, each.waves), np.zeros((size, size))) for each in ready]
            ).reshape(-1, size, size)
        found = np.zeros((len(self._columns) - 1, len(specs), len(specs)))
        unweighted = [np.zeros(len(each.values)) for each in ready]
        for position in dict.fromkeys(at for each in ready for at in each.by_wave):
            for column in range(1, len(self._columns)):
                wave = self._in_rows(ready, unweighted, column, position)
                found[column - 1] += _both(wave)
        return found

    def _in_rows(
        self, rows: Sequence[_Prepared], influence: Sequence[Floats], column: int, position: int
    ) -> WaveFigures:
        """The amounts of several rows in a column and a wave."""
        everyone = self._masks.frame(position).respondents
        if len(rows) * everyone > _MOST_SCORES:
            raise VarianceError("Too many rows and respondents to compare. Take fewer rows.")
        scores = np.zeros((len(rows), everyone))
        inside = np.zeros(scores.shape, dtype=bool)
        for row, each in enumerate(rows):
            if (wave := each.by_wave.get(position)) is not None:
                own = wave.inside[column]
                inside[row, wave.chosen[own]] = True
                scores[row, wave.chosen[own]] = influence[row][wave.ranks[own]]
        chosen = np.flatnonzero(inside.any(axis=0))
        return WaveFigures(chosen, scores[:, chosen], inside[:, chosen])

    def _drawn(self, positions: Sequence[int]) -> Drawn:
        return Drawn([self._masks.frame(position) for position in positions])

    def amounts(self, number: int, spec: StatisticSpec) -> dict[int, Floats]:
        """The amount of every respondent by wave, NaN where there is none; raises as `row`."""
        return self._amounts(number, spec, self._coverage(spec))[1]

    def _coverage(self, spec: StatisticSpec) -> WaveSet:
        item = (spec.datapoint,) if spec.datapoint else ()
        return self._binder.bind(Leaf(spec.question, item)).coverage & self._waves

    def _prepared(self, number: int, spec: StatisticSpec) -> _Prepared:
        coverage = self._coverage(spec)
        exact, amounts = self._amounts(number, spec, coverage)
        given = [values[~np.isnan(values)] for values in amounts.values()]
        values = np.unique(np.concatenate([np.zeros(0), *given]))
        waves = {position: self._wave(position, each, values) for position, each in amounts.items()}
        if spec.kind == "nps":
            values = 100.0 * (values >= _PROMOTER) - 100.0 * (values <= _DETRACTOR)
        counted = [
            self._table.divisor((each.coverage & coverage).bit_count()) for each in self._columns
        ]
        return _Prepared(values, waves, counted, exact)

    def _amounts(
        self, number: int, spec: StatisticSpec, coverage: WaveSet
    ) -> tuple[bool, dict[int, Floats]]:
        """The amount of every respondent by wave, and whether they are the survey's numbers."""
        positions = list(members(coverage))
        if spec.exact and not spec.datapoint:
            numbers = {at: self._masks.frame(at).wave.numbers(spec.question) for at in positions}
            known = {at: each for at, each in numbers.items() if each is not None}
            if known and len(known) == len(positions):
                return True, known
        if not spec.amounts:
            raise NoAmountsError(number)
        found = {at: np.full(self._masks.frame(at).respondents, np.nan) for at in positions}
        for code, amount in spec.amounts:
            leaf = (
                Leaf(spec.question, (spec.datapoint,), suffixes=(code,))
                if spec.datapoint
                else Leaf(spec.question, (code,))
            )
            node = self._binder.bind(leaf)
            for at, values in found.items():
                values[unpack(self._masks.of(node, at), len(values))] = amount
        return False, found

    def _wave(self, position: int, amounts: Floats, values: Floats) -> _Wave:
        frame = self._masks.frame(position)
        everyone = self._masks.counted(self._base, position)
        chosen = np.flatnonzero(unpack(everyone, frame.respondents) & ~np.isnan(amounts))
        inside = [
            unpack(self._masks.of(column, position), frame.respondents)[chosen]
            for column in self._columns
        ]
        return _Wave(
            chosen,
            frame.weights.reshape(-1)[chosen],
            np.searchsorted(values, amounts[chosen]),
            np.array(inside),
        )


def _both(wave: _Wave | WaveFigures) -> Floats:
    """Respondents in every two sets."""
    inside = wave.inside.astype(np.float64)
    return inside @ inside.T


def _row(spec: StatisticSpec, ready: _Prepared, drawn: Drawn) -> StatisticRow:
    values, waves, counted = ready.values, ready.waves, ready.counted
    found = [_column(spec, values, waves, column, count) for column, count in enumerate(counted)]
    value, deviation, size = (np.array([each[at] for each in found]) for at in range(3))
    sample = np.zeros(len(counted))
    for wave in waves:
        sample += np.count_nonzero(wave.inside, axis=1)
    sets = [(wave.chosen, wave.inside) for wave in waves]
    units, freedom = drawn.freedom(len(counted), sets)
    covariance = _covariances(spec, drawn, waves, found)
    covariance[units < 2, :] = covariance[:, units < 2] = np.nan
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if spec.kind == "percentile":
        error = np.array(list(_woodruff(values, found, error, np.diag(freedom))))
        covariance[...] = np.nan
    if spec.kind == "standard deviation":
        error[...] = covariance[...] = np.nan
    error[np.isnan(value)] = np.nan
    return StatisticRow(
        value, error, deviation, size, sample, covariance, freedom, ready.exact, drawn.how
    )


_Column = tuple[float, float, float, Floats, Floats]


def _column(
    spec: StatisticSpec, values: Floats, waves: Sequence[_Wave], column: int, count: int
) -> _Column:
    """Value, standard deviation, size, influence of an amount, and the weight of each amount.

    The influence is without the respondent's weight. Weights lie on a grid: their sums are exact.
    """
    sums = np.zeros(len(values))
    for wave in waves:
        inside = wave.inside[column]
        sums += np.bincount(wave.ranks[inside], wave.weights[inside], minlength=len(sums))
    total = float(sums.sum())
    if not total > 0:
        return nan, nan, 0.0, np.zeros(len(values)), sums
    mean = float((sums * values).sum()) / total
    spread = sqrt(float((sums * np.square(values - mean)).sum()) / total)
    value = mean
    influence: Any = (values - mean) / total
    if spec.kind == "sum":
        value, influence = float((sums * values).sum()) / count, values / count
    elif spec.kind == "standard deviation":
        value = spread
    elif spec.kind == "percentile":
        value = _quantile(values, sums, spec.percentile / 100)
        below = values <= value
        influence = (below - float(sums[below].sum()) / total) / total
    return value, spread, total / count, influence, sums


def _quantile(values: Floats, sums: Floats, part: float) -> float:
    """The amount that a part of the weight is at or below; between two, if exactly that part is."""
    # Amounts without an answer in the column have no weight.
    values, sums = values[sums > 0], sums[sums > 0]
    reached: Floats = np.cumsum(sums)
    at, last = part * float(reached[-1]), len(values) - 1
    at_least = int(np.searchsorted(reached, at * (1 - _ROUNDING), "left"))
    beyond = int(np.searchsorted(reached, at * (1 + _ROUNDING), "right"))
    return float(values[min(at_least, last)] + values[min(beyond, last)]) / 2


def _woodruff(
    values: Floats, columns: Sequence[_Column], errors: Floats, freedom: Floats
) -> Iterator[float]:
    """The errors of percentiles from those of the shares at or below them."""
    reaches = _t_quantiles(freedom)
    for (value, _, _, _, sums), error, reach in zip(columns, errors, reaches, strict=True):
        if np.isnan(value) or np.isnan(error) or np.isnan(reach):
            yield nan
            continue
        share = float(sums[values <= value].sum()) / float(sums.sum())
        low, high = share - reach * error, share + reach * error
        if low < 0 or high > 1:
            yield nan
        else:
            ends = _quantile(values, sums, high) - _quantile(values, sums, low)
            yield ends / (2 * reach)


def _t_quantiles(freedom: Floats) -> Floats:
    special: Any = import_module("scipy.special")
    return np.asarray(special.stdtrit(freedom, (1 + _LEVEL) / 2), dtype=np.float64)


def _covariances(
    spec: StatisticSpec, drawn: Drawn, waves: Sequence[_Wave], columns: Sequence[_Column]
) -> Floats:
    """Of the values of every two columns, float64[columns, columns]."""
    influence = np.array([each[3] for each in columns])
    whole = None if spec.kind == "sum" else np.array([float(each[4].sum()) for each in columns])

    def figures(some: slice) -> Floats:
        parts = [
            WaveFigures(
                wave.chosen,
                influence[some][:, wave.ranks] * wave.inside[some],
                wave.inside[some],
            )
            for wave in waves
        ]
        of_some = None if whole is None else whole[some]
        return drawn.covariance(len(influence[some]), parts, of_some)

    count = len(columns)
    if count * drawn.most <= _MOST_SCORES:
        return figures(slice(None))
    found = np.full((count, count), np.nan)
    for column in range(count):
        found[column, column] = figures(slice(column, column + 1))[0, 0]
    return found
