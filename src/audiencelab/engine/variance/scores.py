"""Covariances of totals and ratios over the respondents of some waves, as they were drawn.

For figures that masks of respondents do not express. A figure is a total Σ w y or a ratio
R = Σ w y ÷ X with X = Σ w x; the influence of a respondent on it is y, or (y - R x) ÷ X. By the
sample's design its variance is that of the total of w times the influence (`variance.totals`),
after raking that of the residuals (`variance.raking`). With the replicate weights w' the ratio
moves by

    R' - R = Σ (w' - w) (y - R x) ÷ Σ w' x

and variances are those of `variance.replicates`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import Flags, Floats, Places, WaveDesign
from audiencelab.engine.variance.raking import NONE, WaveRaking, is_accounted_for
from audiencelab.engine.variance.replicates import independent, replicates_words


@dataclass(frozen=True, slots=True)
class WaveFigures:
    """What some respondents of a wave say of k figures.

    chosen: who these n respondents are. influence: float64[k, n], without the weight.
    inside: x of each ratio, bool[k, n] or bool[1, n].
    """

    chosen: Places
    influence: Floats
    inside: Flags


class Drawn:
    """Some waves, each a sample of its own.

    By replicate weights where all waves have some, otherwise by strata, clusters and raking.
    how: a note for people, where it is not strata and clusters alone. most: respondents of the
        largest wave.
    """

    def __init__(self, frames: Sequence[WaveFrame]) -> None:
        self._frames = frames
        self.most = max((frame.respondents for frame in frames), default=0)
        waves = [frame.wave for frame in frames]
        known = [wave.design.replicates for wave in waves]
        found = [each for each in known if each is not None]
        self.replicated = bool(found) and len(found) == len(known)
        if self.replicated:
            self.how = replicates_words(found)
            return
        self.how = "raking accounted for" if any(map(is_accounted_for, waves)) else ""
        self._designs = [WaveDesign.of(wave, "adjust") for wave in waves]
        self._raking = [
            WaveRaking.of(frame, design, np.zeros(frame.respondents))
            for frame, design in zip(frames, self._designs, strict=True)
        ]

    def covariance(
        self, count: int, waves: Sequence[WaveFigures], whole: Floats | None = None
    ) -> Floats:
        """Of k figures, float64[k, k]; whole: X of ratios over all waves, float64[k]."""
        found = np.zeros((count, count))
        if self.replicated:
            for frame, figures in zip(self._frames, waves, strict=True):
                found += _by_replicates(frame, figures, whole)
            return found
        size = np.zeros(count)
        for frame, design, raking, figures in zip(
            self._frames, self._designs, self._raking, waves, strict=True
        ):
            chosen = figures.chosen
            scores = figures.influence * _weights(frame)[chosen]
            size += (scores**2).sum(axis=1)
            if raking is not None:
                everyone = np.zeros((count, frame.respondents))
                everyone[:, chosen] = figures.influence
                chosen, scores = np.arange(frame.respondents), raking.residuals(everyone)
            found += score_covariances(design, chosen, scores)
        # Where raking leaves nothing but rounding, a figure is certain.
        return np.where(np.abs(found) > NONE * np.sqrt(np.outer(size, size)), found, 0.0)

    def freedom(self, count: int, waves: Sequence[tuple[Places, Flags]]) -> tuple[Floats, Floats]:
        """Units with anybody of each set, and the degrees of freedom of every two sets together.

        waves: respondents, and who of them is in each of k sets, bool[k, n]. By replicate weights,
        degrees of freedom are those of all these respondents, and units are not counted.
        """
        units, freedom = np.zeros(count), np.zeros((count, count))
        if self.replicated:
            for frame, (chosen, _) in zip(self._frames, waves, strict=True):
                freedom += max(0, independent(frame, chosen) - 1)
            return np.full(count, np.inf), freedom
        for design, (chosen, inside) in zip(self._designs, waves, strict=True):
            present = present_pairs(design, chosen, inside)
            units += np.diag(present)
            freedom += present - _strata(design, chosen, inside)
        return units, freedom


def _weights(frame: WaveFrame) -> Floats:
    return frame.weights.reshape(-1)[: frame.respondents]


def _by_replicates(frame: WaveFrame, figures: WaveFigures, whole: Floats | None) -> Floats:
    replicates = frame.wave.design.replicates
    assert replicates is not None
    weights = np.asarray(replicates.weights)[:, figures.chosen]
    change = (weights - _weights(frame)[figures.chosen]).T
    moved = figures.influence @ change
    if whole is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            moved *= whole[:, None] / (whole[:, None] + figures.inside @ change)
        # A replicate without anybody of a ratio shows nothing of it.
        moved = np.nan_to_num(moved, posinf=0.0, neginf=0.0)
    return (moved * replicates.scales) @ moved.T


def score_covariances(design: WaveDesign, chosen: Places, scores: Floats) -> Floats:
    """Of the totals of scores, float64[scores, respondents]; chosen: who these respondents are."""
    stratum = design.stratum[chosen]
    by_stratum = sum_by(stratum, design.strata, scores)
    if design.cluster is None:
        scaled = scores * design.scale[stratum]
        together = scaled @ scores.T
    else:
        by_cluster = sum_by(design.cluster[chosen], design.units, scores)
        together = (by_cluster * design.scale[design.stratum_of]) @ by_cluster.T
    return together - (by_stratum * design.centre) @ by_stratum.T


def sum_by(units: Places, number: int, rows: Floats | NDArray[np.bool_]) -> Floats:
    """The total of each row in each of `number` units, float64[rows, number]."""
    return np.array([np.bincount(units, row, minlength=number) for row in rows], np.float64)


def present_pairs(design: WaveDesign, chosen: Places, inside: NDArray[np.bool_]) -> Floats:
    """Of every two sets, the clusters (or respondents) with anybody of either."""
    if design.cluster is None:
        return _union(inside.astype(np.float64))
    return _union(_present(design.cluster[chosen], design.units, inside))


def _strata(design: WaveDesign, chosen: Places, inside: NDArray[np.bool_]) -> Floats:
    return _union(_present(design.stratum[chosen], design.strata, inside))


def _present(units: Places, number: int, inside: NDArray[np.bool_]) -> Floats:
    return (sum_by(units, number, inside) > 0).astype(np.float64)


def _union(present: Floats) -> Floats:
    shared = present @ present.T
    each = np.diag(shared)
    return each[:, None] + each - shared
