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
from audiencelab.engine.variance.design import (
    Flags,
    Floats,
    Lonely,
    Places,
    WaveDesign,
    in_common_words,
    is_simple,
)
from audiencelab.engine.variance.raking import NONE, WaveRaking, is_accounted_for
from audiencelab.engine.variance.ranks import freedom_of_pairs
from audiencelab.engine.variance.replicates import replaced_together, replicates_words


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
    """Some waves, each a sample of its own, those of a panel together one.

    By replicate weights where all waves have some, otherwise by strata, clusters and raking.
    how: a note for people, where it is not strata and clusters alone. most: respondents of the
        largest wave. designed: whether more than weights is known of how they were drawn.
    """

    def __init__(
        self, frames: Sequence[WaveFrame], lonely: Lonely = "adjust", *, replicates: bool = True
    ) -> None:
        self._frames = frames
        self.most = max((frame.respondents for frame in frames), default=0)
        waves = [frame.wave for frame in frames]
        known = [wave.design.replicates for wave in waves]
        found = [each for each in known if each is not None]
        self.replicated = replicates and bool(found) and len(found) == len(known)
        self.designed = self.replicated or not is_simple(waves)
        if self.replicated:
            self._samples = replaced_together(waves)
            paired = in_common_words(waves) if any(len(each) > 1 for each in self._samples) else ""
            self.how = ", ".join(filter(None, [replicates_words(found), paired]))
            return
        self._designs = WaveDesign.all_of(waves, lonely)
        panel = [at for at, design in enumerate(self._designs) if design.panel]
        alone = [[at] for at, design in enumerate(self._designs) if not design.panel]
        self._samples = [*alone, panel] if panel else alone
        raked = "raking accounted for" if any(map(is_accounted_for, waves)) else ""
        self.how = ", ".join(filter(None, [raked, in_common_words(waves)]))
        self._raking = [
            # Only residuals are asked of it here, which need no squared weights.
            WaveRaking.of(frame, design, np.zeros(frame.respondents))
            for frame, design in zip(frames, self._designs, strict=True)
        ]

    def covariance(
        self, count: int, waves: Sequence[WaveFigures], whole: Floats | None = None
    ) -> Floats:
        """Of k figures, float64[k, k]; whole: X of ratios over all waves, float64[k]."""
        found = np.zeros((count, count))
        if self.replicated:
            for sample in self._samples:
                parts = [(self._frames[at], waves[at]) for at in sample]
                found += _by_replicates(parts, whole)
            return found
        size = np.zeros(count)
        for sample in self._samples:
            totals, design = np.zeros(0), self._designs[sample[0]]
            for at in sample:
                chosen, scores, squares = self._scores(at, waves[at], count)
                size += squares
                if not design.panel:
                    found += score_covariances(design, chosen, scores)
                    continue
                cluster = self._designs[at].cluster
                assert cluster is not None
                # A unit of a panel adds up what it has in all waves before anything is squared.
                here = sum_by(cluster[chosen], design.units, scores)
                totals = totals + here if totals.size else here
            if totals.size:
                found += total_covariances(design, totals)
        # Where raking leaves nothing but rounding, a figure is certain.
        return np.where(np.abs(found) > NONE * np.sqrt(np.outer(size, size)), found, 0.0)

    def _scores(self, at: int, figures: WaveFigures, count: int) -> tuple[Places, Floats, Floats]:
        """Respondents of a wave, what each adds to k figures, and Σ of its squares, float64[k]."""
        frame, raking, chosen = self._frames[at], self._raking[at], figures.chosen
        scores = figures.influence * _weights(frame)[chosen]
        squares = (scores**2).sum(axis=1)
        if raking is None:
            return chosen, scores, squares
        everyone = np.zeros((count, frame.respondents))
        everyone[:, chosen] = figures.influence
        # The margins explain something of everyone, so all respondents have a score after raking.
        return np.arange(frame.respondents), raking.residuals(everyone), squares

    def freedom(self, count: int, waves: Sequence[tuple[Places, Flags]]) -> tuple[Floats, Floats]:
        """Units with anybody of each set, and the degrees of freedom of every two sets together.

        waves: respondents, and who of them is in each of k sets, bool[k, n]. By replicate weights
        units are not counted.
        """
        units, freedom = np.zeros(count), np.zeros((count, count))
        if self.replicated:
            for sample in self._samples:
                # Waves that are replaced together are one sample, and count as the one that has
                # most.
                freedom += np.maximum.reduce([self._ranks(at, count, *waves[at]) for at in sample])
            # Infinite, so that no caller takes a set for a single unit.
            return np.full(count, np.inf), freedom
        for sample in self._samples:
            of_units, of_strata = (
                _union(np.logical_or.reduce([each(self._designs[at], *waves[at]) for at in sample]))
                for each in (_units, _strata)
            )
            units += np.diag(of_units)
            # Samples are independent, so their degrees of freedom add up.
            freedom += of_units - of_strata
        return units, freedom

    def _ranks(self, at: int, count: int, chosen: Places, inside: Flags) -> Floats:
        """Degrees of freedom of every two sets in a wave by its replicate weights."""
        sets = np.zeros((count, self._frames[at].respondents), dtype=bool)
        sets[:, chosen] = inside
        return freedom_of_pairs(self._frames[at], sets)


def _weights(frame: WaveFrame) -> Floats:
    return frame.weights.reshape(-1)[: frame.respondents]


def _by_replicates(waves: Sequence[tuple[WaveFrame, WaveFigures]], whole: Floats | None) -> Floats:
    """Of waves whose weights are replaced together."""
    # Of length 1 they broadcast to the shape of the first wave.
    moved, change_of_whole, scales = np.zeros(1), np.zeros(1), np.zeros(0)
    for frame, figures in waves:
        replicates = frame.wave.design.replicates
        assert replicates is not None
        scales = replicates.scales
        weights = np.asarray(replicates.weights)[:, figures.chosen]
        change = (weights - _weights(frame)[figures.chosen]).T
        moved = moved + figures.influence @ change
        if whole is not None:
            change_of_whole = change_of_whole + figures.inside @ change
    if whole is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = moved * whole[:, None] / (whole[:, None] + change_of_whole)
        # A replicate without anybody of a ratio shows nothing of it.
        moved = np.nan_to_num(moved, posinf=0.0, neginf=0.0)
    return (moved * scales) @ moved.T


def score_covariances(design: WaveDesign, chosen: Places, scores: Floats) -> Floats:
    """Of the totals of scores, float64[scores, respondents]; chosen: who these respondents are."""
    if design.cluster is not None:
        return total_covariances(design, sum_by(design.cluster[chosen], design.units, scores))
    stratum = design.stratum[chosen]
    by_stratum = sum_by(stratum, design.strata, scores)
    together = (scores * design.scale[stratum]) @ scores.T
    return together - (by_stratum * design.centre) @ by_stratum.T


def total_covariances(design: WaveDesign, by_cluster: Floats) -> Floats:
    """The same from the totals of clusters, float64[scores, clusters]."""
    by_stratum = sum_by(design.stratum_of, design.strata, by_cluster)
    together = (by_cluster * design.scale[design.stratum_of]) @ by_cluster.T
    return together - (by_stratum * design.centre) @ by_stratum.T


def sum_by(units: Places, number: int, rows: Floats | NDArray[np.bool_]) -> Floats:
    """The total of each row in each of `number` units, float64[rows, number]."""
    return np.array([np.bincount(units, row, minlength=number) for row in rows], np.float64)


def _units(design: WaveDesign, chosen: Places, inside: Flags) -> Flags:
    """In which clusters (or respondents) there is anybody of a set, bool[sets, units]."""
    if design.cluster is None:
        return inside
    return sum_by(design.cluster[chosen], design.units, inside) > 0


def _strata(design: WaveDesign, chosen: Places, inside: Flags) -> Flags:
    return sum_by(design.stratum[chosen], design.strata, inside) > 0


def _union(present: Flags) -> Floats:
    """Of every two sets, the units with anybody of either."""
    flags = present.astype(np.float64)
    shared = flags @ flags.T
    each = np.diag(shared)
    return each[:, None] + each - shared
