"""The sample that a table rests on: the designs of its waves, and what they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.variance.design import Lonely, VarianceError, WaveDesign

if TYPE_CHECKING:
    from audiencelab.panel import WaveData

__all__ = ["Sample"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Sample:
    """The waves of a table.

    counted: of every wave, who is in the base and weighs anything, bool[respondents].
    by_row, by_column: 1 where a row, or a column, rests on a wave, else 0: float64[…, waves].
    designs: of every wave.
    strata, clusters, lonely: of those that some cell rests on. clusters: None where respondents
        were drawn one by one; in a wave without clusters each respondent counts as one.
    degrees_of_freedom: clusters, or respondents, less strata, in the cell that has fewest. Those
        without anybody who counts are left out: a base within one stratum knows as little as that
        stratum tells, however many others were drawn. At least 1.

    Raises `VarianceError` where no cell rests on a wave, or one on nothing that varies.
    """

    def __init__(
        self,
        waves: Sequence[WaveData],
        counted: Iterable[Flags],
        by_row: Floats,
        by_column: Floats,
        lonely: Lonely,
    ) -> None:
        self.designs = [WaveDesign.of(wave, lonely) for wave in waves]
        _check_varies(self.designs, by_row, by_column)
        self.degrees_of_freedom = _fewest(self.designs, counted, by_row, by_column)
        used = [
            self.designs[at] for at in np.flatnonzero(by_row.any(axis=0) & by_column.any(axis=0))
        ]
        clustered = any(design.cluster is not None for design in used)
        self.strata = sum(design.strata for design in used)
        self.clusters = sum(design.units for design in used) if clustered else None
        self.lonely = sum(design.lonely for design in used)


def _check_varies(designs: Sequence[WaveDesign], by_row: Floats, by_column: Floats) -> None:
    drawn = np.array([design.units - design.strata for design in designs], dtype=np.float64)
    resting = _by_cell(drawn, by_row, by_column)[by_row @ by_column.T > 0]
    if not resting.size:
        raise VarianceError("No cell of the table rests on any wave: there is no sample.")
    if resting.min() < 1:
        raise VarianceError(
            "Every stratum has a single cluster, so that nothing tells how clusters vary. "
            "Merge strata in the panel's design, or take Kish's design effect (method='kish')."
        )


def _fewest(
    designs: Sequence[WaveDesign], counted: Iterable[Flags], by_row: Floats, by_column: Floats
) -> int:
    found = [
        (design.freedom(those), np.count_nonzero(those))
        for design, those in zip(designs, counted, strict=True)
    ]
    freedom, people = np.array(found, dtype=np.float64).T
    # A cell of a wave with nobody in its base has no figure, and takes nothing from the others.
    anybody = _by_cell(people, by_row, by_column) > 0
    cells = _by_cell(freedom, by_row, by_column)[anybody]
    return max(1, int(cells.min())) if cells.size else 1


def _by_cell(by_wave: Floats, by_row: Floats, by_column: Floats) -> Floats:
    """A figure of each wave, added up over the waves of each cell: float64[rows, columns]."""
    return (by_row * by_wave) @ by_column.T
