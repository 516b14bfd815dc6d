"""The precision of a table, whatever its cells count within.

The share of a column in a row rests on those whom the row counts within; the share of everyone else
also on those of the column. So a table is computed in blocks of rows and columns that count within
the same people each, and the covariances of columns for all columns together. A table that counts
everyone is one block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import structs

from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable, Counted, InWaves, Node
from audiencelab.engine.variance.design import Floats, Lonely, Places
from audiencelab.engine.variance.table import TablePart
from audiencelab.schema.local import Linearised, Precision

_Variances = Callable[[TablePart, bool], Linearised]
"""Of a block; whether covariances of every two columns are among them."""

_OF_CELLS = "sample", "size", "kish", "rest_kish"
_LINEARISED = (
    *("share", "variance", "rest_variance", "rest_covariance", "rest_pooled", "index_variance"),
    *("freedom", "rest_freedom"),
)


def precise(
    masks: Masks,
    table: BoundTable,
    lonely: Lonely | None = "adjust",
    *,
    replicates: bool = True,
) -> Precision:
    """The precision of a table.

    lonely: None leaves out the linearization, which simple random samples of equal weights do not
    have. replicates: take the replicate weights instead where all waves have some. Raises
    `VarianceError` where the design does not show any variance.
    """
    whole = TablePart.whole(masks, table)
    if lonely is not None and replicates and whole.has_replicates:
        return _figures(
            whole,
            lambda block, pairs: block.with_pooled(block.replicated(pairs=pairs)),
            whole.has_pairs(),
        )
    if lonely is not None and not whole.is_simple:
        sample = whole.sample(lonely)
        return _figures(
            whole,
            lambda block, pairs: block.with_pooled(block.linearised(sample, pairs=pairs)),
            whole.has_pairs(sample),
        )
    return _figures(whole, None, pairs=False)


def _figures(whole: TablePart, variances: _Variances | None, pairs: bool) -> Precision:
    found = _of_table(whole, variances, pairs)
    return structs.replace(found, **_shared(whole)) if whole.has_pairs() else found


def _shared(whole: TablePart) -> dict[str, Any]:
    """Who is in two columns, as `Precision` has it."""
    every, found = np.arange(whole.shape[1]), list[Floats]()
    shared_of = np.zeros(whole.shape[0], np.intp)
    for row in _groups(whole, whole.table.rows):
        shared, of_row = whole.part(row.places, every, *row.within).shared()
        shared_of[row.places] = of_row + len(found)
        found += list(shared)
    return {"shared": np.array(found), "shared_of": tuple(shared_of.tolist())}


def _of_table(whole: TablePart, variances: _Variances | None, pairs: bool) -> Precision:
    rows, columns = _groups(whole, whole.table.rows), _groups(whole, whole.table.columns)
    if len(rows) == len(columns) == 1:
        [row], [column] = rows, columns
        block = whole.part(row.places, column.places, *row.within, *column.within)
        return _of_block(block, variances, pairs)
    cells = {name: np.full(whole.shape, np.nan) for name in _OF_CELLS}
    found = _Linearised(whole.shape, pairs)
    every = np.arange(whole.shape[1])
    for row in rows:
        for column in columns:
            block = whole.part(row.places, column.places, *row.within, *column.within)
            # Pairs of columns of different groups have no block in common, and are computed below.
            part = _of_block(block, variances, pairs and len(columns) == 1)
            at = np.ix_(row.places, column.places)
            for name, values in cells.items():
                values[at] = getattr(part, name)
            if part.linearised is not None:
                found.add_cells(at, part.linearised)
        if pairs and variances is not None:
            if len(columns) == 1:
                found.add_pairs(row.places, found.last)
            else:
                # Every two columns among those whom the rows count within, so that one pair has one
                # sample.
                block = whole.part(row.places, every, *row.within)
                found.add_pairs(row.places, variances(block, True))
    return Precision(*(cells[name] for name in _OF_CELLS), linearised=found.whole)


class _Linearised:
    """The linearised figures of a table, of which some rows and columns become known at a time."""

    def __init__(self, shape: tuple[int, int], pairs: bool) -> None:
        self._figures = {name: np.full(shape, np.nan) for name in _LINEARISED}
        self._odds: Floats | None = None
        self._covariance, self._pooled = np.zeros((2, *shape, shape[1])) if pairs else (None, None)
        self._set_of = np.zeros(shape[0], np.intp)
        self._pairs: list[Floats] = []
        self.last: Linearised | None = None

    def add_cells(self, at: tuple[Any, ...], part: Linearised) -> None:
        """Figures of the cells of some rows and columns."""
        for name, values in self._figures.items():
            values[at] = getattr(part, name)
        if part.log_odds_variance is not None:
            if self._odds is None:
                self._odds = np.full_like(self._figures["share"], np.nan)
            self._odds[at] = part.log_odds_variance
        self.last = part

    def add_pairs(self, rows: Places, part: Linearised | None) -> None:
        """Covariances and pairs of all columns in some rows."""
        assert part is not None
        assert self._covariance is not None
        assert self._pooled is not None
        self._covariance[rows], self._pooled[rows] = part.covariance, part.pooled
        if part.pairs is not None:
            self._set_of[rows] = np.array(part.set_of, np.intp) + len(self._pairs)
            self._pairs += list(part.pairs)

    @property
    def whole(self) -> Linearised | None:
        """All of them; None where nothing is linearised."""
        if self.last is None:
            return None
        freedom = self._figures["freedom"]
        return structs.replace(
            self.last,
            **self._figures,
            log_odds_variance=self._odds,
            covariance=self._covariance,
            pooled=self._pooled,
            pairs=np.array(self._pairs) if self._pairs else None,
            set_of=tuple(self._set_of.tolist()),
            degrees_of_freedom=0 if np.isnan(freedom).all() else int(np.nanmin(freedom)),
        )


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows or columns that count within the same people; none: everyone of their waves."""

    places: Places
    within: Sequence[Node]


def _groups(whole: TablePart, counted: Sequence[Counted]) -> list[_Group]:
    by_people: dict[bytes, list[int]] = {}
    people_of: dict[bytes, bytes] = {}
    for at, each in enumerate(counted):
        within = each.within
        if within.key not in people_of:
            # Everyone of any waves is one group: masks are empty in waves that a node does not
            # cover.
            is_everyone = isinstance(within, InWaves)
            people_of[within.key] = b"" if is_everyone else whole.people(within)
        by_people.setdefault(people_of[within.key], []).append(at)
    return [
        _Group(np.array(places, np.intp), [counted[places[0]].within] if people else [])
        for people, places in by_people.items()
    ]


def _of_block(block: TablePart, variances: _Variances | None, pairs: bool) -> Precision:
    in_column, in_base = block.weighings()
    # A cell of no wave has a weight of 0, and is divided by 1.
    waves = block.table.divisor(np.maximum(block.by_row @ block.by_column.T, 1))
    return Precision(
        sample=np.rint(in_column.sample),
        size=in_column.weight / waves,
        kish=in_column.effect,
        rest_kish=(in_base - in_column).effect,
        linearised=variances and variances(block, pairs),
    )
