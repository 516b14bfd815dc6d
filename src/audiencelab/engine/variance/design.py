"""One wave's sample as a variance sees it: who was drawn together, out of which strata.

The first stage of the drawing alone, with replacement: what was drawn within a cluster shows in
the cluster's totals. A wave without clusters drew its respondents one by one, one without strata
is a single stratum. Waves are samples of their own, so that no stratum reaches over two of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.errors import AudienceError

if TYPE_CHECKING:
    from audiencelab.survey import WaveData

__all__ = ["LONELY", "Lonely", "VarianceError", "WaveDesign"]

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

Lonely = Literal["adjust", "certainty", "fail"]
LONELY: tuple[str, ...] = get_args(Lonely)
"""What is done with a stratum of a single cluster, which says nothing of its own variance: set it
against the whole sample, take it as drawn for certain, or refuse."""


class VarianceError(AudienceError, ValueError):
    """A sample that tells of no variance; the message says why, and what can be done."""


@dataclass(frozen=True, slots=True)
class WaveDesign:
    """Strata and clusters of a wave's n respondents, numbered from 0.

    stratum: intp[n], of each respondent. cluster: intp[n], the same, or None where each respondent
        was drawn alone; those of a stratum have numbers in a row.
    stratum_of: intp[units], of each cluster, or of each respondent.
    scale: float64[strata], n_h ÷ (n_h - 1) with n_h the units of the stratum.
    centre: float64[strata], what of a squared stratum total is taken off: scale ÷ n_h.
    lonely: how many strata have a single unit.
    """

    stratum: Places
    cluster: Places | None
    stratum_of: Places
    scale: Floats
    centre: Floats
    lonely: int

    @classmethod
    def of(cls, wave: WaveData, lonely: Lonely) -> WaveDesign:
        """The design of a wave; raises `VarianceError` for lonely clusters that are to fail."""
        stratum = _numbered(wave.design.strata, wave.respondents)
        cluster, stratum_of = None, stratum
        if wave.design.clusters is not None:
            # One number in two strata is two clusters: each stratum was drawn from by itself.
            number = wave.design.clusters.astype(np.int64)
            within = stratum * (number.max(initial=0) + 1) + number
            _, first, cluster = np.unique(within, return_index=True, return_inverse=True)
            stratum_of = stratum[first]
        units = np.bincount(stratum_of)
        alone = units == 1
        if lonely == "fail" and alone.any():
            raise VarianceError(
                f"Wave {wave.code}: {_counted(int(alone.sum()))} a single cluster, which tells of "
                "no variance. Merge such strata, or choose lonely='adjust' or 'certainty'."
            )
        scale = units / np.maximum(units - 1, 1)
        if lonely == "certainty":
            scale[alone] = 0.0
        centre = np.where(alone, 0.0, scale / units)
        return cls(stratum, cluster, stratum_of, scale, centre, int(alone.sum()))

    @property
    def strata(self) -> int:
        return len(self.scale)

    @property
    def units(self) -> int:
        """Clusters, or respondents where there are none."""
        return len(self.stratum_of)

    def freedom(self, counted: Flags) -> int:
        """Clusters less strata, of those with somebody who counts, bool[n]; 0 for nobody."""
        strata = _different(self.stratum[counted])
        if self.cluster is None:
            return int(np.count_nonzero(counted)) - strata
        return _different(self.cluster[counted]) - strata


def _different(numbers: Places) -> int:
    return int(np.count_nonzero(np.bincount(numbers)))


def _numbered(codes: NDArray[np.int32] | None, respondents: int) -> Places:
    if codes is None:
        return np.zeros(respondents, dtype=np.intp)
    return np.unique(codes, return_inverse=True)[1].reshape(-1)


def _counted(strata: int) -> str:
    return "a stratum has" if strata == 1 else f"{strata:,} strata have each"
