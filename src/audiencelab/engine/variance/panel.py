"""Figures of a table over several waves of a panel, in which persons answered more than once.

What a person adds to a figure is added up over the waves before it is squared, so that the answers
of one person in two waves vary together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audiencelab.engine.bitset import Words
from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import Flags, Floats, Places
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.engine.variance.totals import RowVariances
from audiencelab.survey.answers import unpack


@dataclass(frozen=True, slots=True)
class PanelWave:
    """Some columns in one wave.

    chosen: the n respondents of the base. weights: theirs.
    inside: who is in each column, bool[columns, n]. asked: which columns rest on the wave.
    """

    chosen: Places
    weights: Floats
    inside: Flags
    asked: Flags

    @classmethod
    def of(cls, frame: WaveFrame, masks: Words, asked: Flags) -> PanelWave:
        """masks: of the base, then of the columns within it."""
        chosen = np.flatnonzero(unpack(masks[0], frame.respondents))
        inside = unpack(masks[1:], frame.respondents)[:, chosen]
        return cls(chosen, frame.weights.reshape(-1)[chosen], inside, asked)

    @property
    def base(self) -> Flags:
        """Who is in the base of each column, bool[columns, n]."""
        return np.broadcast_to(self.asked[:, None], self.inside.shape)


def panel_row(
    drawn: Drawn, waves: Sequence[PanelWave], members: Sequence[Flags | None]
) -> RowVariances:
    """One row; members: who is in it, bool[n] of each wave, None where the wave did not ask it."""
    asked = [(wave, row) for wave, row in zip(waves, members, strict=True) if row is not None]
    columns = len(waves[0].asked)
    a, b, c, d = np.zeros((4, columns))
    for wave, row in asked:
        a += (wave.inside & row) @ wave.weights
        b += wave.inside @ wave.weights
        c += wave.asked * (row @ wave.weights)
        d += wave.asked * wave.weights.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        share, rest = a / b, (c - a) / (d - b)
        known = np.concatenate([share, rest, np.log(a * d / (b * c))])
        figures: list[WaveFigures] = []
        for wave, row in zip(waves, members, strict=True):
            if row is None:
                # `Drawn` takes figures of every wave by position, also of one that asked nothing of
                # this row.
                none = np.zeros((3 * columns, 0))
                figures.append(WaveFigures(wave.chosen[:0], none, none.astype(bool)))
                continue
            inside, base = wave.inside, wave.base
            one, other, of_base, whole = (each[:, None] for each in (b, d - b, c, d))
            influence = [
                inside * (row - share[:, None]) / one,
                (base & ~inside) * (row - rest[:, None]) / other,
                # The derivative of log(a d ÷ (b c)): each total by its own value.
                (inside & row) / a[:, None] - inside / one - (base & row) / of_base + base / whole,
            ]
            sets = np.concatenate([inside, base & ~inside, base])
            figures.append(WaveFigures(wave.chosen, np.nan_to_num(np.concatenate(influence)), sets))
    covariance = drawn.covariance(3 * columns, figures)
    covariance[~np.isfinite(known)] = covariance[:, ~np.isfinite(known)] = np.nan
    variance = np.diag(covariance).reshape(3, columns)
    return RowVariances(
        share=share,
        variance=variance[0],
        rest_variance=variance[1],
        # The figures are shares, then rests: the pair of a column and its rest is `columns` off the
        # diagonal.
        rest_covariance=np.diag(covariance, columns)[:columns],
        index_variance=variance[2],
        covariance=covariance[:columns, :columns],
    )


def panel_freedom(
    drawn: Drawn, waves: Sequence[PanelWave], asked: Floats
) -> tuple[Floats, Floats, Floats]:
    """Units and degrees of freedom of a row that rests on some of the waves (asked: 0 or 1).

    Units with anybody of a column and of its rest, float64[2, columns]; the degrees of freedom of
    the same, and of every two columns, float64[columns, columns].
    """
    columns = len(waves[0].asked)
    sets: list[tuple[Places, Flags]] = []
    for wave, is_asked in zip(waves, asked, strict=True):
        some = slice(None) if is_asked else slice(0)
        each = np.concatenate([wave.inside, wave.base & ~wave.inside])
        sets.append((wave.chosen[some], each[:, some]))
    units, freedom = drawn.freedom(2 * columns, sets)
    own = np.diag(freedom).reshape(2, columns)
    return units.reshape(2, columns), own, freedom[:columns, :columns]
