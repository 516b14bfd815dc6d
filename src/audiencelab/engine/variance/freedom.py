"""Degrees of freedom: how many clusters and strata the respondents of some sets lie in.

Only respondents whose weight is not 0 count. It is R's `degf(subset(design, …))`: of the base, and
of each two columns together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import pair_tables
from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import WaveDesign
from audiencelab.survey.answers import unpack

__all__ = ["WaveFreedom"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class WaveFreedom:
    """One wave. Units are clusters, or respondents where these were drawn one by one.

    people: respondents in the base. base: the base's degrees of freedom.
    units, rest_units: float64[columns], units with anybody of a column, and of its rest.
    pairs: float64[columns, columns], the degrees of freedom of every two columns together; None
        where they are not asked for.
    """

    people: int
    base: int
    units: Floats
    rest_units: Floats
    pairs: Floats | None

    @classmethod
    def of(
        cls, frame: WaveFrame, design: WaveDesign, base: Words, columns: Words, *, pairs: bool
    ) -> WaveFreedom:
        """Of a base, uint64[words], and of columns within it, uint64[columns, words]."""
        base, columns = base & frame.weighing, columns & frame.weighing
        counted = unpack(base, frame.respondents)
        return cls(
            int(np.count_nonzero(counted)),
            design.freedom(counted),
            _units(frame, design, columns),
            _units(frame, design, base & ~columns),
            _pairs(frame, design, columns) if pairs else None,
        )


def _units(frame: WaveFrame, design: WaveDesign, masks: Words) -> Floats:
    if design.cluster is None:
        return np.bitwise_count(masks).sum(axis=1).astype(np.float64)
    found = np.empty(len(masks))
    for place, mask in enumerate(masks):
        found[place] = _present(frame, design.cluster, design.units, mask).sum()
    return found


def _pairs(frame: WaveFrame, design: WaveDesign, masks: Words) -> Floats:
    strata = _together(_presences(frame, design.stratum, design.strata, masks))
    if design.cluster is None:
        shared = pair_tables(masks, masks, frame.weights)[0].astype(np.float64)
        return _union(shared) - strata
    return _together(_presences(frame, design.cluster, design.units, masks)) - strata


def _together(presences: Flags) -> Floats:
    """Of every two sets, the units that have anybody of either."""
    floats = presences.astype(np.float64)
    return _union(floats @ floats.T)


def _union(shared: Floats) -> Floats:
    each = np.diag(shared)
    return each[:, None] + each - shared


def _presences(frame: WaveFrame, places: Places, number: int, masks: Words) -> Flags:
    if number == 1:
        return np.asarray(masks.any(axis=1)).reshape(-1, 1)
    return np.stack([_present(frame, places, number, mask) for mask in masks])


def _present(frame: WaveFrame, places: Places, number: int, mask: Words) -> Flags:
    """In which units there is anybody of a set."""
    members = np.flatnonzero(unpack(mask, frame.respondents))
    return np.bincount(places[members], minlength=number) > 0
