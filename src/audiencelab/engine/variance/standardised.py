"""Column shares as if a column had the composition of the base: direct standardisation.

The answers to some questions, crossed, put the respondents of the base into cells g. With the part
q_g of the base that is in a cell, and the share p_g of the column's members of the cell who are in
the row, the standardised share is

    Σ q_g p_g ÷ Σ q_g        over the cells that have anybody of the column

as that of R's `svystandardize(design, by=~…, over=~column, population=<the base>)`. With the weight
W_g of the column in a cell, the influence of a respondent on it is q_g ÷ W_g · (y - p_g): as in R,
q is taken as given. With replicate weights, p_g is computed by each of them. Everyone else in the
base is standardised in the same way.

The difference of a column and everyone else is tested under the share p̄_g that both have in each
cell. With c = w · q_g ÷ W_g in the column and -w · q_g ÷ W_g in the rest, its variance then is

    D · max(Σ c² e_g², ½ Σ c² (y - p̄_g)²)        e_g² = Σ w² (y - p̄_g)² ÷ Σ w², in the cell

D is the variance of the difference by the design, over that by the weights alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from audiencelab.engine.kernel import blas_on_one_core
from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable, Counted, Node, in_waves
from audiencelab.engine.variance.design import Flags, Floats, Places, VarianceError
from audiencelab.engine.variance.replicates import replaced_together
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.schema.local import Adjusted
from audiencelab.survey.answers import unpack

_AT_A_TIME = 1 << 22
"""Weights of replicates in memory at once: 32 MB."""

_ROWS = 256
"""Rows that are computed together with replicate weights."""


class Crossing(NamedTuple):
    """The cells of crossed questions that anybody of the base is in.

    cell: of each respondent by wave, numbered from 0; -1 outside of the base.
    answer: of each question the answer of each cell, intp[questions, cells]; -1 for none.
    """

    cell: dict[int, Places]
    answer: Places

    @classmethod
    def of(cls, masks: Masks, table: BoundTable, questions: Sequence[Sequence[Node]]) -> Crossing:
        """questions: the answers of each; a respondent gives one of them, or none."""
        sizes = [len(answers) + 1 for answers in questions]
        numbers: dict[int, Places] = {}
        for position in table.positions:
            respondents = masks.frame(position).respondents
            everyone = unpack(masks.counted(table.base, position), respondents)
            number = np.zeros(respondents, np.intp)
            for answers in questions:
                given = np.zeros(respondents, np.intp)
                for at, answer in enumerate(answers, start=1):
                    given[unpack(masks.of(answer, position), respondents)] = at
                # One digit for each question, with the number of its answers and "none" as the
                # base.
                number = number * (len(answers) + 1) + given
            numbers[position] = np.where(everyone, number, -1)
        # Most crossings of several questions are empty: only those with anybody are numbered.
        kept = np.unique(np.concatenate([np.zeros(0, np.intp), *numbers.values()]))
        kept = kept[kept >= 0]
        cell = {
            position: np.where(number < 0, -1, np.searchsorted(kept, number))
            for position, number in numbers.items()
        }
        answer = np.array(np.unravel_index(kept, sizes)).reshape(len(sizes), -1) - 1
        return cls(cell, answer)


def standardised(masks: Masks, table: BoundTable, cells: Crossing) -> Adjusted:
    """Every share of a table; raises `VarianceError` for one that rests on no wave."""
    # Threads of BLAS wait for one another by spinning, which costs more than small products do.
    with blas_on_one_core():
        return _standardised(masks, table, cells)


def _standardised(masks: Masks, table: BoundTable, cells: Crossing) -> Adjusted:
    positions = table.positions
    if not positions:
        raise VarianceError("No cell of the table rests on any wave: there is no sample.")
    drawn = Drawn([masks.frame(position) for position in positions])
    shape = len(table.rows), len(table.columns)
    figures = np.full((_FIGURES, *shape), np.nan)
    whole = in_waves(table.waves & table.base.coverage)
    empty, absent = np.zeros((2, shape[1]))
    alone, unanswered = np.zeros((2, len(cells.answer), shape[1]))
    for at, column in enumerate(table.columns):
        # Everyone of the base, for what concerns a column whatever its rows count within.
        sets = _Sets.of(masks, table, cells, Counted(whole, whole, 0), column, drawn)
        empty[at] = np.count_nonzero((sets.whole[0] == 0) & (sets.base > 0))
        absent[at] = sets.lacking[0]
        for question, answer in enumerate(cells.answer):
            inside, base = (_by(answer + 1, each) for each in (sets.whole[0], sets.base))
            alone[question, at] = _lacking(base, inside)
            unanswered[question, at] = base[0] / base.sum() if base.sum() else 0.0
        # Rows that count within the same people share all sets; only who is in the row differs.
        for places in _groups(table.rows):
            sets = _Sets.of(masks, table, cells, table.rows[places[0]], column, drawn)
            nodes = [table.rows[place].node for place in places]
            figures[:, places, at] = sets.figures(nodes)
    return Adjusted(
        *figures,
        cells=cells.answer.shape[1],
        empty=empty,
        absent=absent,
        alone=alone,
        unanswered=unanswered,
        how=drawn.how,
    )


def _groups(rows: Sequence[Counted]) -> list[list[int]]:
    """The positions of rows that count within the same people of the same waves."""
    found: dict[bytes, list[int]] = {}
    for at, row in enumerate(rows):
        found.setdefault(row.within.key, []).append(at)
    return list(found.values())


def _lacking(base: Floats, inside: Floats) -> float:
    """The part of the base that is in cells without anybody of a set."""
    total = float(base.sum())
    return float(base[inside == 0].sum()) / total if total else 0.0


class _Wave(NamedTuple):
    """Respondents of the base in one wave: who they are, and their weights.

    inside: who is in the column. cell_of: the cell of each, those of the rest after the others.
    """

    position: int
    chosen: Places
    cell_of: Places
    weights: Floats
    inside: Flags


_FIGURES = 12
"""Those of `Adjusted` that are of each cell of a table."""


@dataclass(frozen=True, slots=True)
class _Sets:
    """A column and its rest among those whom some rows count within; arrays: float64[2, cells].

    whole: the weight of both in each cell. base: that of both together, float64[cells].
    count: respondents. squares: of weights. factor: what turns weights into those of the base's
    composition, adding up to 1. lacking: the part of the base that is in cells without anybody.
    freedom: degrees of freedom of each, NaN where all are in one cluster.
    """

    masks: Masks
    drawn: Drawn
    waves: list[_Wave]
    whole: Floats
    count: Floats
    squares: Floats
    factor: Floats
    lacking: tuple[float, float]
    freedom: tuple[float, float]

    @classmethod
    def of(
        cls,
        masks: Masks,
        table: BoundTable,
        cells: Crossing,
        row: Counted,
        column: Counted,
        drawn: Drawn,
    ) -> _Sets:
        waves: list[_Wave] = []
        size = cells.answer.shape[1]
        for position in table.positions:
            frame = masks.frame(position)
            within = masks.counted(table.base, position) & masks.of(row.within, position)
            within = within & masks.of(column.within, position)
            chosen = np.flatnonzero(unpack(within, frame.respondents))
            inside = unpack(masks.of(column.node, position), frame.respondents)[chosen]
            # Column and rest in one count: the cells of the rest follow those of the column.
            place = cells.cell[position][chosen] + np.where(inside, 0, size)
            weights = frame.weights.reshape(-1)[chosen]
            waves.append(_Wave(position, chosen, place, weights, inside))
        everyone = [np.ones(len(wave.chosen), dtype=bool) for wave in waves]
        count, whole, squares = _sums(waves, everyone, size)
        base = whole.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Cells without anybody of the column are left out, and the others' parts add up to 1
            # again.
            parts = np.where(whole > 0, base, 0.0)
            factor = np.where(whole > 0, parts / parts.sum(axis=1, keepdims=True) / whole, 0.0)
        lacking = _lacking(base, whole[0]), _lacking(base, whole[1])
        freedom = tuple(_freedom(drawn, waves, of_column=each) for each in (True, False))
        return cls(
            *(masks, drawn, waves, whole, count, squares, factor),
            lacking,
            (freedom[0], freedom[1]),
        )

    @property
    def base(self) -> Floats:
        return self.whole.sum(axis=0)

    def figures(self, rows: Sequence[Node]) -> Floats:
        """Of some rows, float64[figures, rows]."""
        found = np.full((_FIGURES, len(rows)), np.nan)
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            members = [self._members(node) for node in some]
            moved = self._replicated(members) if self.drawn.replicated else None
            for at, flags in enumerate(members):
                own = (
                    None
                    if moved is None
                    else (moved[0][:, :, at] * moved[1]) @ moved[0][:, :, at].T
                )
                found[:, start + at] = self._row(flags, own)
        return found

    def _members(self, node: Node) -> list[Flags]:
        """Who is in a row, by wave."""
        return [
            unpack(self.masks.of(node, wave.position), self.masks.frame(wave.position).respondents)[
                wave.chosen
            ]
            for wave in self.waves
        ]

    def _row(self, members: Sequence[Flags], covariance: Floats | None) -> Floats:
        """In the order of `Adjusted`; covariance: of both shares by replicate weights."""
        people, given, squares = _sums(self.waves, members, self.whole.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            # A cell without anybody of a side has a factor of 0, and adds nothing to it.
            shares = np.nan_to_num(given / self.whole)
            together = np.nan_to_num(given.sum(axis=0) / self.base)
        share = np.where(self.whole.sum(axis=1) > 0, (self.factor * given).sum(axis=1), np.nan)
        if covariance is None:
            parts = zip(self.waves, members, strict=True)
            figures = [_residuals(wave, row, self.factor, shares) for wave, row in parts]
            covariance = self.drawn.covariance(2, figures)
        known = np.isfinite(share) & ~np.isnan(self.freedom)
        covariance = np.where(np.outer(known, known), covariance, np.nan)
        return np.array(
            [
                *share,
                *np.diag(covariance),
                covariance[0, 1],
                self._pooled(squares, shares, together, covariance),
                *self.freedom,
                *self.lacking,
                *_fewest(self.count, people),
            ]
        )

    def _pooled(
        self, squares: Floats, shares: Floats, together: Floats, covariance: Floats
    ) -> float:
        """The variance of the difference of both under the share that they have together.

        squares: of the weights in the row. shares: of both in each cell; together: of each cell.
        """

        def spread(share: Floats) -> Floats:
            """Σ w² (y - share)², float64[2, cells]."""
            found = squares * (1 - 2 * share) + share**2 * self.squares
            return np.maximum(found, 0.0)

        steps, common = self.factor**2, spread(together)
        with np.errstate(divide="ignore", invalid="ignore"):
            even = np.nan_to_num(common.sum(axis=0) / self.squares.sum(axis=0))
        # Half of the second sum at least, as in `variance.pooled`.
        pooled = max(float((steps * self.squares * even).sum()), float((steps * common).sum()) / 2)
        difference = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        by_weights = float((steps * spread(shares)).sum())
        # Without a variance by the weights, the design has no effect on it.
        return pooled * (difference / by_weights if by_weights > 0 else 1 + 0 * difference)

    def _replicated(self, members: Sequence[list[Flags]]) -> tuple[Floats, Floats]:
        """By how much the shares of some rows move with each replicate weight.

        float64[2, replicates, rows], and the scale of each replicate. A cell whose weights are all
        0 in a replicate is left out of it.
        """
        frames = [self.masks.frame(wave.position) for wave in self.waves]
        moved: list[Floats] = []
        scales: list[Floats] = []
        # With the same arithmetic as the replicates, so that the differences hold no rounding of
        # their own.
        whole = self._moved(members, None, [])
        for sample in replaced_together([frame.wave for frame in frames]):
            replicates = frames[sample[0]].wave.design.replicates
            assert replicates is not None
            scales.append(replicates.scales)
            moved.append(self._moved(members, len(replicates.scales), sample) - whole)
        return np.concatenate(moved, axis=1), np.concatenate(scales)

    def _moved(
        self, members: Sequence[list[Flags]], replicates: int | None, sample: Sequence[int]
    ) -> Floats:
        """Shares of some rows by the weights of each replicate of some waves; None: by the own."""
        count, size = replicates or 1, self.whole.shape[1]
        totals = np.zeros((2, count, size))
        for _, wave, weights in self._blocks(count, sample):
            for replicate, each in enumerate(weights):
                totals[:, replicate] += _by(wave.cell_of, each, 2 * size).reshape(2, size)
        base = np.where(self.whole > 0, self.base, 0.0)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(totals > 0, base, 0.0)
            factor = np.nan_to_num(parts / parts.sum(axis=2, keepdims=True) / totals, posinf=0.0)
        found = np.zeros((2, count, len(members)))
        for (at, some), wave, weights in self._blocks(count, sample):
            rows = np.array([row[at][some] for row in members], np.float64).T
            for side, inside in enumerate((wave.inside, ~wave.inside)):
                cell = wave.cell_of[inside] - side * size
                found[side] += (weights[:, inside] * factor[side][:, cell]) @ rows[inside]
        return found

    def _blocks(
        self, count: int, sample: Sequence[int]
    ) -> Iterator[tuple[tuple[int, slice], _Wave, Floats]]:
        """Some respondents at a time, with their weights: those of the replicates in some waves."""
        step = max(1, _AT_A_TIME // count)
        for at, wave in enumerate(self.waves):
            replicates = self.masks.frame(wave.position).wave.design.replicates
            for start in range(0, len(wave.chosen), step):
                some = slice(start, start + step)
                part = wave._replace(
                    chosen=wave.chosen[some],
                    cell_of=wave.cell_of[some],
                    weights=wave.weights[some],
                    inside=wave.inside[some],
                )
                # The same weights for every replicate, without a copy.
                weights = np.broadcast_to(part.weights, (count, len(part.weights)))
                if at in sample and replicates is not None:
                    weights = np.asarray(replicates.weights)[:, part.chosen]
                yield (at, some), part, weights


def _sums(waves: Sequence[_Wave], members: Sequence[Flags], size: int) -> Floats:
    """Respondents, weights and squared weights of some in each cell, float64[3, 2, cells].

    Of the column, and of the rest.
    """
    found = np.zeros((3, 2 * size))
    for wave, some in zip(waves, members, strict=True):
        at = np.flatnonzero(some)
        place, weights = wave.cell_of[at], wave.weights[at]
        found[0] += np.bincount(place, minlength=2 * size)
        found[1] += _by(place, weights, 2 * size)
        found[2] += _by(place, weights**2, 2 * size)
    return found.reshape(3, 2, size)


def _by(numbers: Places, values: Floats, size: int = 0) -> Floats:
    return np.bincount(numbers, values, size).astype(np.float64, copy=False)


def _residuals(wave: _Wave, row: Flags, factor: Floats, shares: Floats) -> WaveFigures:
    """The influence of each respondent on both shares."""
    inside = np.array([wave.inside, ~wave.inside])
    one = factor.reshape(-1)[wave.cell_of] * (row - shares.reshape(-1)[wave.cell_of])
    return WaveFigures(wave.chosen, one * inside, inside)


def _freedom(drawn: Drawn, waves: Sequence[_Wave], *, of_column: bool) -> float:
    """Degrees of freedom of a column, or of its rest; NaN if all are in one cluster."""
    sets: list[tuple[Places, Flags]] = []
    for wave in waves:
        chosen = wave.chosen[wave.inside == of_column]
        sets.append((chosen, np.ones((1, len(chosen)), dtype=bool)))
    units, freedom = drawn.freedom(1, sets)
    return float(freedom[0, 0]) if units[0] > 1 else np.nan


def _fewest(count: Floats, people: Floats) -> tuple[float, float]:
    """The fewest respondents in a row, or out of it, in any cell of a column, and of its rest."""
    some = np.concatenate([people, count - people], axis=1)
    found = np.where(some > 0, some, np.inf).min(axis=1, initial=np.inf)
    return float(found[0]), float(found[1])
