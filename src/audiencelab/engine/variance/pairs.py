"""Shares of every two rows of a table in the same column: the same respondents, counted twice.

Var(p - q) = Var p + Var q - 2 Cov(p, q), with the covariance of both shares by Taylor linearisation
of the scores w ([in the row] - p) ÷ Σw of those of the column whom the row counts, or from
replicate weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable, Counted, Node, indicator, intersection
from audiencelab.engine.variance.design import Flags, Floats, Lonely, Places, VarianceError
from audiencelab.engine.variance.scores import Drawn, WaveFigures
from audiencelab.schema.local import RowPairs
from audiencelab.survey.answers import unpack

_MOST_SCORES = 1 << 25
"""Rows × respondents of one wave: 256 MB."""

_MOST_PAIRS = 4_000_000
"""Pairs of rows in all columns: 32 MB for each figure."""


def row_pairs(masks: Masks, table: BoundTable, lonely: Lonely = "adjust") -> RowPairs:
    """Raises `VarianceError` for a table that is too large."""
    positions, height, width = table.positions, len(table.rows), len(table.columns)
    most = max((masks.frame(position).respondents for position in positions), default=0)
    if height**2 * width > _MOST_PAIRS or height * most > _MOST_SCORES:
        raise VarianceError(
            f"{height:,} rows of {width:,} columns are too many to be compared with each "
            "other. Take fewer rows."
        )
    rows = _Rows.of(table.rows, positions)
    drawn = Drawn([masks.frame(position) for position in positions], lonely)
    found = [
        _column(masks, rows, intersection(table.base, column.node), positions, drawn)
        for column in table.columns
    ]
    both, variance, freedom = (
        np.array(each).reshape(-1, height, height) for each in (zip(*found, strict=True))
    )
    return RowPairs(variance, freedom if drawn.designed else None, both)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a table. in_waves: which two rest on the same waves, bool[rows, rows].

    within: whom they count within, each once. number: of each row's among them.
    """

    nodes: Sequence[Node]
    in_waves: Flags
    within: Sequence[Node]
    number: Places

    @classmethod
    def of(cls, rows: Sequence[Counted], positions: tuple[int, ...]) -> _Rows:
        asked = indicator([row.coverage for row in rows], positions)
        in_waves = (asked[:, None] == asked).all(axis=2)
        within = {row.within.key: row.within for row in rows}
        order = list(within)
        number = np.array([order.index(row.within.key) for row in rows], np.intp)
        return cls([row.node for row in rows], in_waves, list(within.values()), number)

    def alike(self, waves: Sequence[_Wave]) -> Flags:
        """Which two rest on the same waves, and count within the same people of a column."""
        people = np.zeros((len(self.within), len(self.within)))
        for wave in waves:
            people += wave.within @ wave.within.T
        own = np.diag(people)
        # Two sets are the same people if their intersection is as large as each of them.
        same = (people == own) & (people == own[:, None])
        return self.in_waves & same[np.ix_(self.number, self.number)]


def _column(
    masks: Masks, rows: _Rows, column: Node, positions: Sequence[int], drawn: Drawn
) -> tuple[Floats, Floats, Floats]:
    height = len(rows.nodes)
    waves = [_members(masks, rows, column, position) for position in positions]
    whole, part = np.zeros((2, height))
    for wave in waves:
        whole += (wave.within @ wave.weights)[rows.number]
        part += wave.inside @ wave.weights
    # A column without weight in what a row counts within has no share of it: NaN.
    with np.errstate(divide="ignore", invalid="ignore"):
        share = part / whole
        both = np.zeros((height, height))
        figures: list[WaveFigures] = []
        for wave in waves:
            both += (wave.inside * wave.weights) @ wave.inside.T
            within = wave.within[rows.number]
            influence = (wave.inside - share[:, None]) * (within / whole[:, None])
            # A row without weight has no share, and adds nothing to the others' covariances.
            figures.append(WaveFigures(wave.chosen, np.nan_to_num(influence), within > 0))
        both = np.where(rows.alike(waves), both / whole, np.nan)
    covariance = drawn.covariance(height, figures, whole)
    # Both rows rest on the same waves, or there is no variance.
    units, freedom = drawn.freedom(height, [(each.chosen, each.inside) for each in figures])
    each = np.diag(covariance)
    variance = np.maximum(each[:, None] + each - 2 * covariance, 0.0)
    known = rows.in_waves & (units > 1) & (units > 1)[:, None]
    return both, np.where(known, variance, np.nan), freedom


@dataclass(frozen=True, slots=True)
class _Wave:
    """A column's respondents with a weight in one wave: who they are, and their weights.

    inside: whether in each row, 0 or 1. within: whether in each of `_Rows.within`; float64[…, n].
    """

    chosen: Places
    weights: Floats
    inside: Floats
    within: Floats


def _members(masks: Masks, rows: _Rows, column: Node, position: int) -> _Wave:
    frame = masks.frame(position)
    chosen = np.flatnonzero(unpack(masks.counted(column, position), frame.respondents))

    def of(nodes: Sequence[Node]) -> Floats:
        found = [unpack(masks.of(node, position), frame.respondents)[chosen] for node in nodes]
        return np.array(found, np.float64).reshape(len(nodes), -1)

    weights = frame.weights.reshape(-1)[chosen]
    return _Wave(chosen, weights, of(rows.nodes), of(rows.within))
