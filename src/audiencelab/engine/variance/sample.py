"""The sample that a table rests on: the designs of its waves, and what they amount to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.variance.design import Lonely, VarianceError, WaveDesign

if TYPE_CHECKING:
    from audiencelab.survey import WaveData

__all__ = ["Sample", "by_cell"]

Floats = NDArray[np.float64]


class Sample:
    """The waves of a table.

    by_row, by_column: 1 where a row, or a column, rests on a wave, else 0: float64[…, waves].
    designs: of every wave.
    strata, clusters, lonely: of those that some cell rests on. clusters: None where respondents
        were drawn one by one; in a wave without clusters each respondent counts as one.

    Raises `VarianceError` where no cell rests on a wave, or one on nothing that varies.
    """

    def __init__(
        self,
        waves: Sequence[WaveData],
        by_row: Floats,
        by_column: Floats,
        lonely: Lonely,
    ) -> None:
        self.designs = [WaveDesign.of(wave, lonely) for wave in waves]
        _check_varies(self.designs, by_row, by_column)
        used = [
            self.designs[at] for at in np.flatnonzero(by_row.any(axis=0) & by_column.any(axis=0))
        ]
        clustered = any(design.cluster is not None for design in used)
        self.strata = sum(design.strata for design in used)
        self.clusters = sum(design.units for design in used) if clustered else None
        self.lonely = sum(design.lonely for design in used)


def _check_varies(designs: Sequence[WaveDesign], by_row: Floats, by_column: Floats) -> None:
    drawn = np.array([design.units - design.strata for design in designs], dtype=np.float64)
    resting = by_cell(drawn, by_row, by_column)[by_row @ by_column.T > 0]
    if not resting.size:
        raise VarianceError("No cell of the table rests on any wave: there is no sample.")
    if resting.min() < 1:
        raise VarianceError(
            "Every stratum has a single cluster, so that nothing tells how clusters vary. "
            "Merge strata in the survey's design, or take Kish's design effect (method='kish')."
        )


def by_cell(by_wave: Floats, by_row: Floats, by_column: Floats) -> Floats:
    """A figure of each wave, added up over the waves of each cell: float64[rows, columns]."""
    return (by_row * by_wave) @ by_column.T
