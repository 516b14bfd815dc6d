"""Shares of every two rows of a table in the same column: the same respondents, counted twice.

Var(p - q) = Var p + Var q - 2 Cov(p, q), with the covariance of both shares by Taylor linearisation
of the scores w ([in the row] - p) ÷ Σw of the column, or from replicate weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import Node, WaveSet, indicator, members
from audiencelab.engine.variance.design import Flags, Floats, Places, VarianceError
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.schema.local import RowPairs
from audiencelab.survey.answers import unpack

_MOST_SCORES = 1 << 25
"""Rows × respondents of one wave: 256 MB."""

_MOST_PAIRS = 4_000_000
"""Pairs of rows in all columns: 32 MB for each figure."""


def row_pairs(
    masks: Masks, rows: Sequence[Node], columns: Sequence[Node], base: Node, waves: WaveSet
) -> RowPairs:
    """Raises `VarianceError` for a table that is too large."""
    positions = tuple(members(waves & base.coverage))
    asked = indicator([row.coverage for row in rows], positions)
    same = (asked[:, None] == asked).all(axis=2)
    height = len(rows)
    most = max((masks.frame(position).respondents for position in positions), default=0)
    if height**2 * len(columns) > _MOST_PAIRS or height * most > _MOST_SCORES:
        raise VarianceError(
            f"{height:,} rows of {len(columns):,} columns are too many to be compared with each "
            "other. Take fewer rows."
        )
    drawn = Drawn([masks.frame(position) for position in positions])
    found = [
        _column(masks, rows, column, base, positions, drawn, asked, same) for column in columns
    ]
    both, variance, freedom = (
        np.array(each).reshape(-1, height, height) for each in (zip(*found, strict=True))
    )
    return RowPairs(variance, freedom if drawn.designed else None, both)


def _column(
    masks: Masks,
    rows: Sequence[Node],
    column: Node,
    base: Node,
    positions: Sequence[int],
    drawn: Drawn,
    asked: Floats,
    same: Flags,
) -> tuple[Floats, Floats, Floats]:
    height = len(rows)
    waves = [_members(masks, rows, column, base, position) for position in positions]
    whole = asked @ np.array([weights.sum() for _, weights, _ in waves])
    parts = [inside @ weights for _, weights, inside in waves]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = sum((each * at for each, at in zip(parts, asked.T, strict=True)), np.zeros(height))
        share = share / whole
        both = np.zeros((height, height))
        figures: list[WaveFigures] = []
        for (chosen, weights, inside), at in zip(waves, asked.T, strict=True):
            both += np.outer(at, at) * ((inside * weights) @ inside.T)
            influence = np.nan_to_num((inside - share[:, None]) * (at / whole)[:, None])
            in_column = np.repeat(at[:, None] > 0, len(chosen), axis=1)
            figures.append(WaveFigures(chosen, influence, in_column))
        both = np.where(same, both / whole, np.nan)
    covariance = drawn.covariance(height, figures, whole)
    # Both rows rest on the same waves, or there is no variance.
    units, freedom = drawn.freedom(height, [(each.chosen, each.inside) for each in figures])
    each = np.diag(covariance)
    variance = np.maximum(each[:, None] + each - 2 * covariance, 0.0)
    return both, np.where(same & (units > 1), variance, np.nan), freedom


def _members(
    masks: Masks, rows: Sequence[Node], column: Node, base: Node, position: int
) -> tuple[Places, Floats, Floats]:
    """The column's respondents with a weight: who they are, their weights, and whether in a row."""
    frame = masks.frame(position)
    everyone = masks.counted(base, position) & masks.of(column, position)
    chosen = np.flatnonzero(unpack(everyone, frame.respondents))
    inside = [unpack(masks.of(row, position), frame.respondents)[chosen] for row in rows]
    weights = frame.weights.reshape(-1)[chosen]
    return chosen, weights, np.array(inside, np.float64).reshape(len(rows), -1)
