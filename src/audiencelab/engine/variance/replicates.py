"""Variances of a table's shares from replicate weights.

A figure is computed with each of the replicate weights in place of the weight; its variance is

    Σ_r  scale_r (figure_r - figure)²

about the figure of the whole sample, as most who publish such weights want it. Each wave is a
sample of its own: the weights of one are replaced at a time, and variances of waves add up. Those
of a panel are replaced together, if replicates of its waves count the same.

Degrees of freedom are the rank of the replicate weights of a column, less 1, as R's `degf` of a
subset; of a panel, those of the wave that has most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from audiencelab.engine.bitset import Words, pad_weights
from audiencelab.engine.kernel import pair_sums
from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import Floats, panel_of
from audiencelab.engine.variance.ranks import freedom_of, freedom_of_pairs
from audiencelab.survey.answers import Replicates, unpack

if TYPE_CHECKING:
    from audiencelab.survey import WaveData


class Totals(NamedTuple):
    """Weights of a table's cells, columns, rows and base, each [rows, columns] or of its shape."""

    inside: Floats
    column: Floats
    row: Floats
    base: Floats


class ReplicateFreedom(NamedTuple):
    """Degrees of freedom of a wave's columns and of their rests, float64[columns].

    pairs: of every two columns together, float64[columns, columns]; None where not asked for.
    """

    own: Floats
    rest: Floats
    pairs: Floats | None


class Deviations(NamedTuple):
    """How far the figures of one replicate are from those of the sample, float64[rows, columns]."""

    share: Floats
    rest: Floats
    log_index: Floats


def figures(totals: Totals) -> Deviations:
    """Share, share of everyone else, and the logarithm of the index, of each cell."""
    a, b, c, d = totals
    with np.errstate(divide="ignore", invalid="ignore"):
        return Deviations(a / b, (c - a) / (d - b), np.log(a * d) - np.log(b * c))


class WaveReplicates:
    """One wave. rows: uint64[rows, words]; columns: the base first, uint64[1 + columns, words].

    by_row, by_column: 1 where a row, or a column, rests on the wave, else 0.
    """

    def __init__(
        self, frame: WaveFrame, rows: Words, columns: Words, by_row: Floats, by_column: Floats
    ) -> None:
        assert frame.wave.design.replicates is not None
        self._frame, self._rows, self._columns = frame, rows, columns
        self._by_row, self._by_column = by_row[:, None], by_column[None]
        self.replicates = frame.wave.design.replicates
        self.whole = self._totals(frame.weights)

    def of(self, replicate: int) -> Totals:
        """The totals by one of the replicate weights."""
        weights = self.replicates.weights[replicate]
        return self._totals(pad_weights(weights, len(self._frame.full)))

    def freedom(self, *, pairs: bool) -> ReplicateFreedom:
        """Degrees of freedom of the columns; pairs: also of every two."""
        base, columns = self._columns[0], self._columns[1:]
        inside, outside = (
            unpack(each, self._frame.respondents) for each in (columns, base & ~columns)
        )
        rest = freedom_of(self._frame, outside)
        if not pairs:
            return ReplicateFreedom(freedom_of(self._frame, inside), rest, None)
        both = freedom_of_pairs(self._frame, inside)
        return ReplicateFreedom(np.diag(both), rest, both)

    def _totals(self, weights: Floats) -> Totals:
        """As `Totals`, of this wave; rows and columns that it did not ask are left out."""
        inside = pair_sums(self._rows, self._columns, weights)
        whole = pair_sums(self._columns[:1], self._columns, weights)
        # Cells that do not rest on this wave add nothing, also to their base.
        cell = self._by_row * self._by_column
        return Totals(
            inside[:, 1:] * cell,
            whole[:, 1:] * cell,
            inside[:, :1] * cell,
            whole[:, :1] * cell,
        )


def most_of(samples: Sequence[Sequence[int]], by_wave: Sequence[Floats]) -> Floats:
    """Degrees of freedom of all waves; of those whose weights are replaced together, the most."""
    most = [np.maximum.reduce([by_wave[at] for at in sample]) for sample in samples]
    return np.add.reduce(most)


def replaced_together(waves: Sequence[WaveData]) -> list[list[int]]:
    """The positions of some waves, those of a panel together; all have replicate weights."""
    panel = [wave.code for wave in panel_of(waves)]
    found = [at for at, wave in enumerate(waves) if wave.code in panel]
    scales = [each.scales.tolist() for at in found if (each := waves[at].design.replicates)]
    # Replicates that count differently were drawn apart, so replicate r of one wave is not r of the
    # other.
    if any(each != scales[0] for each in scales):
        found = []
    alone = [[at] for at in range(len(waves)) if at not in found]
    return [*alone, found] if found else alone


def replicates_words(replicates: Sequence[Replicates]) -> str:
    """How many replicate weights the waves of a table have, and their methods."""
    methods = dict.fromkeys(each.method for each in replicates)
    most = max(len(each.scales) for each in replicates)
    return f"{most} replicate weights ({', '.join(methods)})"


def add_up(waves: Sequence[Totals]) -> Totals:
    """The totals of several waves."""
    return Totals(*(np.sum(each, axis=0) for each in zip(*waves, strict=True)))


def replaced(totals: Totals, before: Totals, now: Totals) -> Totals:
    """The totals with those of one wave replaced."""
    parts = zip(totals, before, now, strict=True)
    # Totals add up, so a wave is replaced without computing the others again.
    return Totals(*(whole - old + new for whole, old, new in parts))
