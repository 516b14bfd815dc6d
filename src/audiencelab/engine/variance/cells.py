"""Shares of the cells of a table whose rows, and whose columns, share no respondents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable, Node, members
from audiencelab.engine.variance.design import Floats, Lonely, Places, VarianceError
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.schema.local import CellShares
from audiencelab.survey.answers import unpack

_MOST_SCORES = 1 << 26
"""Cells × respondents of one wave: 512 MB."""


@dataclass(frozen=True, slots=True)
class _Wave:
    chosen: Places
    cell: Places
    weights: Floats


def cells_of(masks: Masks, table: BoundTable, lonely: Lonely = "adjust") -> CellShares:
    """Raises `VarianceError` for respondents in two rows or two columns, and for large tables."""
    rows, columns = ([each.node for each in side] for side in (table.rows, table.columns))
    base, asked = table.base, table.waves & table.base.coverage
    # A test of all cells together needs respondents who could be in any of them.
    for axis in (rows, columns):
        for node in axis:
            asked &= node.coverage
    count = len(rows) * len(columns)
    positions = list(members(asked))
    found = [_wave(masks, rows, columns, base, position) for position in positions]
    total = sum(float(wave.weights.sum()) for wave in found)
    shape = len(rows), len(columns)
    if not total > 0:
        nothing = np.zeros(shape)
        return CellShares(nothing, np.zeros((count, count)), 0, nothing, 0)
    size = sum(np.bincount(wave.cell, wave.weights, minlength=count) for wave in found)
    share = np.asarray(size, np.float64) / total
    counts = np.zeros(count)
    for wave in found:
        counts += np.bincount(wave.cell, minlength=count)
    drawn = Drawn([masks.frame(position) for position in positions], lonely)
    figures = [_figures(wave, share, total) for wave in found]
    covariance = drawn.covariance(count, figures, np.full(count, total))
    _, freedom = drawn.freedom(1, [(each.chosen, each.inside) for each in figures])
    return CellShares(
        share.reshape(shape),
        covariance,
        int(counts.sum()),
        counts.reshape(shape),
        float(freedom[0, 0]),
        drawn.how,
    )


def _wave(
    masks: Masks, rows: Sequence[Node], columns: Sequence[Node], base: Node, position: int
) -> _Wave:
    frame = masks.frame(position)
    everyone = unpack(masks.counted(base, position), frame.respondents)
    row, column = (
        _members(masks, axis, position, frame.respondents, everyone, name)
        for axis, name in ((rows, "rows"), (columns, "columns"))
    )
    chosen = np.flatnonzero((row >= 0) & (column >= 0))
    if len(chosen) * len(rows) * len(columns) > _MOST_SCORES:
        raise VarianceError(
            f"{len(rows):,} × {len(columns):,} cells of {len(chosen):,} respondents are too many "
            "to be tested together. Merge rows or columns, or take fewer waves."
        )
    cell = row[chosen] * len(columns) + column[chosen]
    weights = frame.weights.reshape(-1)[chosen]
    return _Wave(chosen, cell, weights)


def _members(
    masks: Masks,
    axis: Sequence[Node],
    position: int,
    respondents: int,
    everyone: NDArray[np.bool_],
    name: str,
) -> Places:
    """The position of each respondent on an axis, -1 for none."""
    found = np.full(respondents, -1, dtype=np.intp)
    for place, node in enumerate(axis):
        inside = unpack(masks.of(node, position), respondents) & everyone
        if bool((found[inside] >= 0).any()):
            raise VarianceError(
                f"Some respondents are in two of the {name}, such as those who may give several "
                "answers. A test of independence needs answers of which each gives one."
            )
        found[inside] = place
    return found


def _figures(wave: _Wave, share: Floats, total: float) -> WaveFigures:
    """The shares, with influences ([cell] - p) ÷ Σw."""
    influence = np.repeat(-share[:, None], len(wave.chosen), axis=1)
    # Each respondent is in one cell: [cell] - p is -p, and 1 more in the own cell.
    influence[wave.cell, np.arange(len(wave.chosen))] += 1.0
    everyone = np.ones((1, len(wave.chosen)), dtype=bool)
    return WaveFigures(wave.chosen, influence / total, everyone)
