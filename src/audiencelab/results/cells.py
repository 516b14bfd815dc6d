"""The cells of a crosstab: every figure of each in typed arrays, filled as cells arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audiencelab.results.arrays import intern_array
from audiencelab.results.metrics import FIGURES, METRICS, percentages
from audiencelab.results.undefined import blank_crosstab

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

PLACE = {name: place for place, name in enumerate(FIGURES)}
_SAMPLE, _BASE_SAMPLE = PLACE["sample"], PLACE["base_sample"]

WITHIN_BASE = {each.part: each.name for each in percentages() if each.rests_on == ("base",)}
"""The share of the base that each size has."""

_SIZES = np.array([PLACE[name] for name in ("base_size", "row_size", "column_size")])
"""Denominators of other metrics; few cells have a zero there."""

_ROUNDED_BY = np.array([METRICS[name].rounding for name in FIGURES])


@dataclass(slots=True, repr=False, eq=False)
class Cells:
    """The figures of a table's cells.

    arrived: bool[rows, columns], true for the cells that have arrived; count: how many.
    planes: float64[figures, rows, columns], so that a metric is one contiguous table; NaN where
        the cell has not arrived, or where the figure's denominator is zero.
    wide: of the same shape, figures that are taken instead of those that arrive, NaN for none;
        see `results.all_waves`.
    """

    arrived: NDArray[np.bool_]
    planes: Floats = field(init=False)
    wide: Floats | None = field(init=False, default=None)
    count: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.planes = np.full((len(FIGURES), *self.arrived.shape), np.nan)

    def store(self, rows: Places, columns: Places, figures: Floats) -> Places:
        """Store cells and return which of them were new, as positions in the batch.

        rows, columns: positions from 0. figures: float64[cells, len(FIGURES)]. The first of several
        values of a cell stays; the others are ignored.
        """
        flat = rows * self.arrived.shape[1] + columns
        there = self.arrived.ravel()[flat]
        # Most batches have new cells alone, which spares sorting them.
        if not np.count_nonzero(there) and len(set(flat.tolist())) == len(flat):
            new = np.arange(len(flat))
        else:
            _, first = np.unique(flat, return_index=True)
            first.sort()
            new = first[~there[first]]
        if len(new) < len(rows):
            rows, columns, figures = rows[new], columns[new], figures[new]
        # `intern` has made the arrays read-only, as other tables may share them.
        if not self.planes.flags.writeable:
            self._own()
        self.planes[:, rows, columns] = self._settled(figures.T.copy(), rows, columns)
        # The mask last: readers in other threads trust only what it marks.
        self.arrived[rows, columns] = True
        self.count += len(new)
        return new

    def store_rectangle(self, rows: slice, columns: slice, metrics: Sequence[Floats]) -> None:
        """Store all cells of some rows × some columns, none of which may have arrived.

        metrics: one array for each of `FIGURES`, of a shape that broadcasts to [rows, columns].
        """
        if not self.planes.flags.writeable:
            self._own()
        planes = self.planes[:, rows, columns]
        for plane, values in zip(planes, metrics, strict=True):
            plane[...] = values
        self._settled(planes, rows, columns)
        # The mask last, as above.
        self.arrived[rows, columns] = True
        self.count += planes[0].size

    def figures(self, rows: Places, columns: Places) -> Floats:
        """A copy of all figures of some cells, float64[cells, len(FIGURES)], for `store`."""
        return self.planes[:, rows, columns].T.copy()

    def contradictions(self, rows: Places, columns: Places, figures: Floats) -> Places:
        """Which of these cells differ from those of the table, as positions in the batch.

        The same arguments as `store`. Rounding and missing values are not differences.
        """
        planes = self._settled(figures.T.copy(), rows, columns)
        apart = np.abs(planes - self.planes[:, rows, columns])
        # 0.1 itself is rounded too.
        return np.flatnonzero((apart > _ROUNDED_BY[:, None] * (1 + 1e-6)).any(axis=0))

    def withdraw(self, rows: Places, columns: Places) -> None:
        """Remove cells that have arrived; each must be given once."""
        if not self.planes.flags.writeable:
            self._own()
        self.arrived[rows, columns] = False
        self.planes[:, rows, columns] = np.nan
        self.count -= len(rows)

    def intern(self) -> None:
        """Share equal arrays with other tables for which this was called; values stay."""
        self.planes, self.arrived = intern_array(self.planes), intern_array(self.arrived)

    def _settled(self, planes: Floats, rows: Places | slice, columns: Places | slice) -> Floats:
        """The figures of some cells as they are stored, changed in place."""
        if self.wide is not None:
            wide = self.wide[:, rows, columns]
            # A cell that rests on no wave stays empty; another count is of other people.
            same = (planes[_BASE_SAMPLE] > 0) & (planes[_SAMPLE] == wide[_SAMPLE])
            np.copyto(planes, wide, where=same & ~np.isnan(wide))
        _blank(planes)
        return planes

    def _own(self) -> None:
        self.planes, self.arrived = self.planes.copy(), self.arrived.copy()


def _blank(planes: Floats) -> None:
    """Put NaN where a denominator is zero. planes: one for each of `FIGURES`."""
    sizes = planes[_SIZES]
    # Few batches have a zero; one count shows that there is nothing to blank.
    if np.count_nonzero(sizes) < sizes.size:
        blank_crosstab({name: planes[place] for name, place in PLACE.items()})
