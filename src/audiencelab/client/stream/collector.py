"""Cells of a crosstab stream, put where they belong, however the service names the places.

A cell is matched by the audience ids that were sent; where a service makes up ids of its own, by
the audience it echoes; where it echoes none, by index (`places` knows how). Ids and figures alone
are decoded, and each batch is appended to the result's arrays: cells are not kept as objects.

A stream that broke is gone on with by a new request for what is missing (`missing_request`), a
new collector and the same result. What comes twice must say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from struct import Struct
from struct import error as struct_error

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.client.stream.locator import UNKNOWN, Axis, PlaceOf, first_index
from audiencelab.client.stream.objects import MAX_OBJECT, InvalidStream, ObjectStream
from audiencelab.results.crosstab import FIGURES
from audiencelab.schema.blocks import CELLS, BlockDecoder, CellBlock, InvalidBlocks
from audiencelab.tables import CrosstabResult

Places = NDArray[np.intp]
Floats = NDArray[np.float64]

MAX_USELESS = 10
"""Cells that bring nothing new, in tables of the size asked for, before a stream is refused."""


ALL_ROWS = slice(None)

_PIECE = 64 * 1024
"""Bytes that are decoded at once: more objects than fit the processor's cache take twice as long,
and a compressed stream may swell to megabytes in one chunk."""


# What is needed of a `wire.CrosstabCell`, as types that the garbage collector may leave alone:
# it would otherwise walk through every cell of a batch again and again.


class _Side(msgspec.Struct, gc=False):
    audience: str | None = ""
    size: float | None = nan
    sample: float | None = nan
    percentage: float | None = nan
    intersect_percentage: float | None = nan


class _Sides(msgspec.Struct, gc=False):
    row: _Side
    column: _Side


class _Base(msgspec.Struct, gc=False):
    size: float | None
    sample: float | None


class _Intersect(msgspec.Struct, gc=False):
    size: float | None
    sample: float | None
    percentage: float | None
    index: float | None


class _Cell(msgspec.Struct, gc=False):
    """One object of the stream; the echoed audiences stay undecoded until they matter."""

    audiences: _Sides
    base: _Base
    intersect: _Intersect
    row: msgspec.Raw = msgspec.Raw(b"null")
    column: msgspec.Raw = msgspec.Raw(b"null")
    row_index: float | None = None
    column_index: float | None = None


_NULL = msgspec.Raw(b"null")

_RECORD = np.dtype([("places", np.int64, 2), ("figures", np.float64, len(FIGURES))])
_pack = Struct(f"=2q{len(FIGURES)}d").pack


def _read_cells(cells: Sequence[_Cell], row_of: PlaceOf, column_of: PlaceOf) -> NDArray[np.void]:
    """Where the cells belong, as far as ids tell, and their figures: `_RECORD`, one a cell."""
    records: list[bytes] = []
    # One pass with plain attributes, packed cell by cell: getters and lists of floats for numpy
    # take twice the time, and this is where a stream spends most of it, decoding aside.
    for cell in cells:
        sides, intersect, base = cell.audiences, cell.intersect, cell.base
        row, column = sides.row, sides.column
        fields = (
            row_of(row.audience, UNKNOWN),
            column_of(column.audience, UNKNOWN),
            # In the order of `FIGURES`.
            intersect.size,
            intersect.sample,
            intersect.percentage,
            intersect.index,
            # The share of a column is told by the row's side: 100 × intersect ÷ column size.
            row.intersect_percentage,
            column.intersect_percentage,
            row.size,
            row.sample,
            row.percentage,
            column.size,
            column.sample,
            column.percentage,
            base.size,
            base.sample,
        )
        try:
            records.append(_pack(*fields))
        except struct_error:
            # A null is a figure that is not known.
            records.append(_pack(*(nan if each is None else each for each in fields)))
    return np.frombuffer(b"".join(records), _RECORD)


@dataclass(frozen=True, slots=True, eq=False)
class CrosstabUpdate:
    """Cells that have just arrived.

    result: the table, which grows in place. rows, columns: the new cells' places, from 0.
    arrived, expected: how many cells have come, and how many make the table whole.
    """

    result: CrosstabResult
    rows: Places
    columns: Places
    arrived: int
    expected: int


class ContradictingCells(InvalidStream):
    """One cell came twice with different figures; the result keeps neither.

    Asking again would not tell which one is right.
    """


def missing_request(
    result: CrosstabResult, rows: slice = ALL_ROWS
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows and columns (places from 0) to ask for so that the table becomes whole.

    rows: the part of the table that matters, all of it unless it is filled by several calls.

    Rows with something missing × columns with something missing, both empty if nothing is. It
    never asks for more than the request before it. For a stream in order that was cut, this is at
    most twice what is missing, for a single hole the hole alone. Holes all over the table would
    fit smaller requests, but many of them, and each costs more than the cells it saves.
    """
    missing = np.zeros(result.shape, dtype=bool)
    missing[rows] = ~result.arrived[rows]
    down, across = np.flatnonzero(missing.any(axis=1)), np.flatnonzero(missing.any(axis=0))
    return tuple(down.tolist()), tuple(across.tolist())


class CellCollector:
    """Bytes in, a growing `CrosstabResult` out.

    result: a table whose audiences have the ids that were sent; what it holds already is kept.
    rows, columns: the places (from 0) that this request asks for, in its order; None for all.
    unplaced: cells that came by index alone and have no sure place, once the stream has ended.
    nameless: cells that came with nothing to place them by.
    """

    def __init__(
        self,
        result: CrosstabResult,
        *,
        rows: Sequence[int] | None = None,
        columns: Sequence[int] | None = None,
        max_object: int = MAX_OBJECT,
    ) -> None:
        self.result = result
        self._stream = ObjectStream(_Cell, max_object=max_object)
        self._rows = Axis(result.rows, requested=result.rows_requested, asked=rows)
        self._columns = Axis(result.columns, requested=result.columns_requested, asked=columns)
        self._waiting: _Waiting | None = None
        self._blocks: BlockDecoder | None = None
        # A service may tell the base beside the audiences, or a whole table for a part of it.
        self._useless_left = MAX_USELESS * (len(result.rows) + 1) * (len(result.columns) + 1)
        self.unplaced = self.nameless = 0

    def expect(self, content_type: str) -> None:
        """Choose the decoder by the content type of the response: JSON unless it is of blocks."""
        if content_type.startswith(CELLS):
            self._blocks = BlockDecoder()

    def feed(self, chunk: bytes) -> CrosstabUpdate | None:
        """Keep what these bytes complete; None if nothing new came.

        Raises `InvalidStream` for what is no cell and for a stream that does not stop bringing
        nothing new, `ContradictingCells` for a cell that says something else than before.
        """
        if self._blocks is not None:
            return self._feed_blocks(self._blocks, chunk)
        if len(chunk) <= _PIECE:
            return self._keep(self._stream.feed(chunk))
        pieces = (chunk[start : start + _PIECE] for start in range(0, len(chunk), _PIECE))
        return _joined([self._keep(self._stream.feed(piece)) for piece in pieces])

    def finish(self) -> CrosstabUpdate | None:
        """Keep the last cells, those known by index alone included.

        To be called for a broken stream too: cells known by index are kept all the same. Raises
        as `feed` does, and `InvalidStream` for a stream that ends inside an object or with text;
        where cells came before that, only when it is called again.
        """
        if self._blocks is not None:
            if self._blocks.problem is not None:
                document = msgspec.json.encode(self._blocks.problem)
                raise InvalidStream("The service failed while sending.", document)
            return None
        try:
            last = self._keep(self._stream.finish())
        finally:
            waited = self._place_waiting()
        return _joined([last, waited])

    def _feed_blocks(self, decoder: BlockDecoder, chunk: bytes) -> CrosstabUpdate | None:
        try:
            blocks = decoder.feed(chunk)
        except InvalidBlocks as error:
            failure = str(error)
        else:
            return _joined([self._store_block(decoder, block) for block in blocks])
        raise InvalidStream(f"The cells cannot be read: {failure}")

    def _store_block(self, decoder: BlockDecoder, block: CellBlock) -> CrosstabUpdate | None:
        assert decoder.header is not None, "blocks come after the header"
        rows = self._rows.positions(decoder.header.rows.ids)[block.rows]
        columns = self._columns.positions(decoder.header.columns.ids)[block.columns]
        shape = len(rows), len(columns)
        figures = np.empty((*shape, len(FIGURES)))
        for number, values in enumerate(block.metrics):
            figures[..., number] = values
        places = np.repeat(rows, shape[1]), np.tile(columns, shape[0])
        flat = figures.reshape(-1, len(FIGURES))
        if (places[0] == UNKNOWN).any() or (places[1] == UNKNOWN).any():
            known = (places[0] != UNKNOWN) & (places[1] != UNKNOWN)
            places, flat = (places[0][known], places[1][known]), flat[known]
        update = self._store(*places, flat)
        self._count_useless(shape[0] * shape[1] - (len(update.rows) if update else 0))
        return update

    def _keep(self, cells: list[_Cell]) -> CrosstabUpdate | None:
        if not cells:
            return None
        records = _read_cells(cells, self._rows.place_of, self._columns.place_of)
        places, figures, waiting = records["places"], records["figures"], 0
        if np.count_nonzero(places == UNKNOWN):
            places, figures, waiting = self._sort_out(cells, places, figures)
        else:
            self._rows.named = self._columns.named = True
        update = self._store(places[:, 0], places[:, 1], figures)
        self._count_useless(len(cells) - waiting - (len(update.rows) if update else 0))
        return update

    def _sort_out(
        self, cells: Sequence[_Cell], places: Places, figures: Floats
    ) -> tuple[Places, Floats, int]:
        """Of cells that ids do not all place: those that echoes do, and how many wait newly."""
        rows = self._rows.match(places[:, 0], lambda cell: cells[cell].row)
        columns = self._columns.match(places[:, 1], lambda cell: cells[cell].column)
        known = (rows != UNKNOWN) & (columns != UNKNOWN)
        unknown = np.flatnonzero(~known)
        aside = [cells[cell] for cell in unknown.tolist()]
        waiting = self._wait(aside, rows[unknown], columns[unknown], figures[unknown])
        return np.column_stack((rows[known], columns[known])), figures[known], waiting

    def _store(self, rows: Places, columns: Places, figures: Floats) -> CrosstabUpdate | None:
        new = _store_once(self.result, rows, columns, figures)
        if not len(new):
            return None
        result = self.result
        return CrosstabUpdate(result, rows[new], columns[new], result.count, result.expected)

    def _count_useless(self, count: int) -> None:
        self._useless_left -= count
        if self._useless_left < 0:
            raise InvalidStream(
                f"The stream does not end: more than {MAX_USELESS} times the cells of the table "
                "came again, or are of audiences that nobody asked for."
            )

    def _wait(self, cells: Sequence[_Cell], rows: Places, columns: Places, figures: Floats) -> int:
        """Put cells aside until the stream shows how its indices count; how many are new."""
        rows = self._rows.keys(rows, [cell.row_index for cell in cells], _is_base(figures, "row"))
        columns = self._columns.keys(
            columns, [cell.column_index for cell in cells], _is_base(figures, "column")
        )
        known = (rows != UNKNOWN) & (columns != UNKNOWN)
        for cell in np.flatnonzero(~known).tolist():
            self.nameless += _is_nameless(cells[cell], rows[cell], columns[cell])
        if not known.any():
            return 0
        waiting = self._waiting
        if waiting is None or not waiting.fits(self._rows, self._columns):
            waiting = self._waiting = _Waiting(self._rows, self._columns)
        return waiting.store(rows[known], columns[known], figures[known])

    def _place_waiting(self) -> CrosstabUpdate | None:
        waiting, self._waiting = self._waiting, None
        if waiting is None or not waiting.fits(self._rows, self._columns):
            return None
        if waiting.contradiction is not None:
            raise waiting.contradiction
        first = first_index(self._rows, self._columns)
        if first is None:
            self.unplaced = waiting.table.count
            return None
        rows, columns = np.nonzero(waiting.table.arrived)
        figures = waiting.table.figures(rows, columns)
        rows, columns = self._rows.resolve(rows, first), self._columns.resolve(columns, first)
        known = (rows != UNKNOWN) & (columns != UNKNOWN)
        return self._store(rows[known], columns[known], figures[known])


def _joined(updates: Sequence[CrosstabUpdate | None]) -> CrosstabUpdate | None:
    """Updates that follow each other as one."""
    some = [update for update in updates if update is not None]
    if len(some) < 2:
        return some[0] if some else None
    rows = np.concatenate([update.rows for update in some])
    columns = np.concatenate([update.columns for update in some])
    return replace(some[-1], rows=rows, columns=columns)


class _Waiting:
    """Cells of which a side is known by index alone, as a table of their own.

    No more can wait than the table has places, all base respondents included, so a service that
    never names our audiences costs twice the memory. Once a side turns out to be named, what
    waited was of audiences that nobody asked for.
    """

    def __init__(self, rows: Axis, columns: Axis) -> None:
        self._named = rows.named, columns.named
        self.table = CrosstabResult(rows.slots("row_index"), columns.slots("column_index"))
        self.contradiction: ContradictingCells | None = None

    def fits(self, rows: Axis, columns: Axis) -> bool:
        """Whether both sides are still known in the way they were."""
        return self._named == (rows.named, columns.named)

    def store(self, rows: Places, columns: Places, figures: Floats) -> int:
        """Keep cells and return how many were new."""
        before = self.table.count
        try:
            _store_once(self.table, rows, columns, figures)
        except ContradictingCells as error:
            # It only matters if these turn out to be cells that were asked for.
            self.contradiction = error
        return max(0, self.table.count - before)


def _is_nameless(cell: _Cell, row: int, column: int) -> bool:
    """Whether a side that has no place came without an id, an echo and an index."""
    sides = cell.audiences
    return (
        row == UNKNOWN and (sides.row.audience or "", cell.row_index, cell.row) == ("", None, _NULL)
    ) or (
        column == UNKNOWN
        and (sides.column.audience or "", cell.column_index, cell.column) == ("", None, _NULL)
    )


def _is_base(figures: Floats, side: str) -> NDArray[np.bool_]:
    """Of which cells a side has the size and sample of the base."""
    size, sample, base_size, base_sample = (
        figures[:, FIGURES.index(name)]
        for name in (f"{side}_size", f"{side}_sample", "base_size", "base_sample")
    )
    return (size == base_size) & (sample == base_sample)


def _store_once(table: CrosstabResult, rows: Places, columns: Places, figures: Floats) -> Places:
    """Store cells and return the places of the new ones; the others must say the same."""
    new = table.store(rows, columns, figures)
    if len(new) < len(rows):
        again = np.delete(np.arange(len(rows)), new)
        _compare(table, rows[again], columns[again], figures[again])
    return new


def _compare(table: CrosstabResult, rows: Places, columns: Places, figures: Floats) -> None:
    against = table.contradictions(rows, columns, figures)
    if not len(against):
        return
    row, column = int(rows[against[0]]), int(columns[against[0]])
    told = zip(
        FIGURES,
        table.figures(rows[against[:1]], columns[against[:1]])[0].tolist(),
        figures[against[0]].tolist(),
        strict=True,
    )
    differing = [
        f"{name} {one:,.12g} and {two:,.12g}"
        for name, one, two in told
        if one != two and not (isnan(one) or isnan(two))
    ]
    names = [audience.name or audience.id for audience in (table.rows[row], table.columns[column])]
    table.withdraw(
        *np.divmod(np.unique(rows[against] * table.shape[1] + columns[against]), table.shape[1])
    )
    raise ContradictingCells(
        f"The cell {names[0]!r} × {names[1]!r} came twice and differs: {', '.join(differing)}. "
        "Neither is kept."
    )
