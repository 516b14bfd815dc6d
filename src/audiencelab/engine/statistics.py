"""Means, percentiles, sums and net promoter scores of amounts, by column.

An amount is the number that a respondent gave, or the midpoint of the answer. Columns are the base,
then the audiences; the rest of a column is the base less the column. Respondents without an amount,
or of weight 0, count nowhere. `statistic_rows` has the figures and their errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binder import Binder
from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable, Node, WaveSet, intersection, members
from audiencelab.engine.statistic_rows import LEVEL as LEVEL
from audiencelab.engine.statistic_rows import (
    MOST_SCORES,
    AmountsWave,
    RowAmounts,
    StatisticKind,
    column_of,
    row_of,
)
from audiencelab.engine.statistic_rows import PAIRED_KINDS as PAIRED_KINDS
from audiencelab.engine.statistic_rows import STATISTIC_KINDS as STATISTIC_KINDS
from audiencelab.engine.statistic_rows import StatisticRow as StatisticRow
from audiencelab.engine.statistic_rows import StatisticSpec as StatisticSpec
from audiencelab.engine.variance.design import Floats, Lonely, VarianceError
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.expressions import Expression, Leaf
from audiencelab.schema.local import RowPairs
from audiencelab.schema.scope import DEFAULT_SCOPE, Scope
from audiencelab.survey.answers import unpack

# The net promoter score is defined on answers from 0 to 10: 9 and 10, and 0 to 6.
_PROMOTER, _DETRACTOR = 9, 6


class NoAmountsError(ValueError):
    """A question that has neither numbers nor amounts of its answers; row: which one."""

    def __init__(self, row: int) -> None:
        super().__init__(f"Row {row} has neither numbers nor amounts of its answers.")
        self.row = row


@dataclass(frozen=True, slots=True)
class StatisticsSpec:
    """Rows × (base and columns), within a scope as in a crosstab.

    level: the confidence of the intervals of percentiles. lonely: what is done with strata of a
    single cluster. replicates: whether replicate weights are used where all waves have some.
    """

    rows: tuple[StatisticSpec, ...]
    columns: tuple[Expression | None, ...]
    scope: Scope = DEFAULT_SCOPE
    level: float = LEVEL
    lonely: Lonely = "adjust"
    replicates: bool = True


class StatisticsPlan:
    """The columns of a table within its base, ready for any row; the first is the base."""

    def __init__(self, masks: Masks, binder: Binder, table: BoundTable) -> None:
        self._masks, self._binder, self._table = masks, binder, table
        self._base, self._waves = table.base, table.waves & table.base.coverage
        self._columns = [
            table.base,
            *(intersection(table.base, column.node) for column in table.columns),
        ]
        self._within = [intersection(table.base, column.within) for column in table.columns]

    def row(self, number: int, spec: StatisticSpec, asked: StatisticsSpec) -> StatisticRow:
        """One row; raises `NoAmountsError`, and `KeyError` for codes that the survey lacks."""
        ready = self._prepared(number, spec)
        drawn = self._drawn(list(ready.by_wave), asked.lonely, replicates=asked.replicates)
        return row_of(spec, ready, drawn, asked.level)

    def pairs(self, asked: StatisticsSpec) -> RowPairs:
        """Every two rows of means or scores in each column; raises as `row`."""
        specs = asked.rows
        ready = [self._prepared(number, spec) for number, spec in enumerate(specs)]
        positions = list(dict.fromkeys(at for each in ready for at in each.by_wave))
        shape = len(self._columns) - 1, len(specs), len(specs)
        variance, freedom = np.zeros((2, *shape))
        drawn = self._drawn(positions, asked.lonely, replicates=asked.replicates)
        for place, column in enumerate(range(1, len(self._columns))):
            found = [
                column_of(spec, each.values, each.waves, column, 1)
                for spec, each in zip(specs, ready, strict=True)
            ]
            influence = [each.influence for each in found]
            waves = [self._in_rows(ready, influence, column, position) for position in positions]
            # NPS and mean are ratios; other kinds are not compared.
            whole = np.array([float(each.sums.sum()) for each in found])
            covariance = drawn.covariance(len(specs), waves, whole)
            sets = [(each.chosen, each.inside) for each in waves]
            units, freedom[place] = drawn.freedom(len(specs), sets)
            each = np.diag(covariance)
            # Rounding may make the difference of two rows of the same amounts less than 0.
            apart = np.maximum(each[:, None] + each - 2 * covariance, 0.0)
            # A single cluster or respondent shows no variance.
            single = units < 2
            apart[single, :] = apart[:, single] = np.nan
            variance[place] = apart
        return RowPairs(variance, freedom, how=drawn.how)

    def shared(self, specs: Sequence[StatisticSpec], *, of_rows: bool) -> Floats:
        """See `Engine.shared_amounts`; raises as `row`."""
        ready = [self._prepared(number, spec) for number, spec in enumerate(specs)]
        if not of_rows:
            size = len(self._columns)
            # The base and the columns come first among the sets; their rests are not asked for.
            both = [
                sum((_both(wave.inside[:size]) for wave in each.waves), np.zeros((size, size)))
                for each in ready
            ]
            return np.array(both).reshape(-1, size, size)
        found = np.zeros((len(self._columns) - 1, len(specs), len(specs)))
        unweighted = [np.zeros(len(each.values)) for each in ready]
        for position in dict.fromkeys(at for each in ready for at in each.by_wave):
            for column in range(1, len(self._columns)):
                wave = self._in_rows(ready, unweighted, column, position)
                found[column - 1] += _both(wave.inside)
        return found

    def _in_rows(
        self, rows: Sequence[RowAmounts], influence: Sequence[Floats], column: int, position: int
    ) -> WaveFigures:
        """The amounts of several rows in a column and a wave."""
        everyone = self._masks.frame(position).respondents
        if len(rows) * everyone > MOST_SCORES:
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

    def _drawn(self, positions: Sequence[int], lonely: Lonely, *, replicates: bool) -> Drawn:
        frames = [self._masks.frame(position) for position in positions]
        return Drawn(frames, lonely, replicates=replicates)

    def amounts(self, number: int, spec: StatisticSpec) -> dict[int, NDArray[Any]]:
        """The amount of every respondent by wave, NaN where there is none; raises as `row`."""
        return self._amounts(number, spec, self._coverage(spec))[1]

    def _coverage(self, spec: StatisticSpec) -> WaveSet:
        if spec.other is not None:
            return self._coverage(replace(spec, other=None)) & self._coverage(spec.other)
        if spec.expression is not None:
            return self._binder.bind(spec.expression).coverage & self._waves
        item = (spec.datapoint,) if spec.datapoint else ()
        return self._binder.bind(Leaf(spec.question, item)).coverage & self._waves

    def _prepared(self, number: int, spec: StatisticSpec) -> RowAmounts:
        coverage = self._coverage(spec)
        exact, amounts = self._amounts(number, spec, coverage)
        given = [values[~np.isnan(values)] for values in amounts.values()]
        # The empty array is for a question without any wave: `concatenate` needs one.
        values = np.unique(np.concatenate([np.zeros(0), *given]))
        waves = {position: self._wave(position, each, values) for position, each in amounts.items()}
        values = _scored(spec.kind, values)
        counted = [
            self._table.divisor((each.coverage & coverage).bit_count())
            for each in (*self._columns, *self._within)
        ]
        return RowAmounts(values, waves, counted, len(self._within), exact)

    def _amounts(
        self, number: int, spec: StatisticSpec, coverage: WaveSet
    ) -> tuple[bool, dict[int, NDArray[Any]]]:
        """The amount of every respondent by wave, and whether they are the survey's numbers."""
        positions = list(members(coverage))
        if spec.other is not None:
            sides = (replace(spec, other=None), spec.other)
            exact, both = zip(
                *(self._amounts(number, side, coverage) for side in sides), strict=True
            )
            # A respondent without one of them has neither: NaN is in both parts of a number.
            return all(exact), {at: both[0][at] + 1j * both[1][at] for at in both[0]}
        if spec.expression is not None:
            node = self._binder.bind(spec.expression)
            return False, {at: self._ones(node, at) for at in positions}
        if spec.exact and not spec.datapoint:
            numbers = {at: self._masks.frame(at).wave.numbers(spec.question) for at in positions}
            known = {at: each for at, each in numbers.items() if each is not None}
            # Only if every wave has numbers: a mean of numbers in one wave and midpoints in another
            # is neither.
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

    def _ones(self, node: Node, position: int) -> Floats:
        """1 for the respondents of a wave who are in a node, NaN for others."""
        inside = unpack(self._masks.of(node, position), self._masks.frame(position).respondents)
        return np.where(inside, 1.0, np.nan)

    def _wave(self, position: int, amounts: NDArray[Any], values: NDArray[Any]) -> AmountsWave:
        frame = self._masks.frame(position)
        everyone = self._masks.counted(self._base, position)
        chosen = np.flatnonzero(unpack(everyone, frame.respondents) & ~np.isnan(amounts))

        def members_of(node: Node) -> NDArray[np.bool_]:
            return unpack(self._masks.of(node, position), frame.respondents)[chosen]

        inside = np.array([members_of(column) for column in self._columns])
        within = [members_of(node) for node in self._within]
        rests = [each & ~own for each, own in zip(within, inside[1:], strict=True)]
        return AmountsWave(
            chosen,
            frame.weights.reshape(-1)[chosen],
            np.searchsorted(values, amounts[chosen]),
            np.array([*inside, *rests]),
        )


def _scored(kind: StatisticKind, values: Floats) -> Floats:
    """The numbers whose mean a row is: of a net promoter score and its parts, percentages."""
    above = np.where(values >= _PROMOTER, 100.0, 0.0)
    below = np.where(values <= _DETRACTOR, 100.0, 0.0)
    parts: dict[str, Floats] = {
        "nps": above - below,
        "promoters": above,
        "passives": 100.0 - above - below,
        "detractors": below,
    }
    return parts.get(kind, values)


def _both(inside: NDArray[np.bool_]) -> Floats:
    """Respondents in every two sets."""
    flags = inside.astype(np.float64)
    return flags @ flags.T
