"""Cells of a crosstab from the bytes of a response, stored at their positions in the table.

A broken stream is resumed by a request for the missing cells (`missing_request`), a new collector
and the same result. A cell that comes again must have the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from struct import Struct
from struct import error as struct_error
from typing import cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.client.stream.axis import UNKNOWN, StreamAxis, first_index
from audiencelab.client.stream.objects import MAX_OBJECT, InvalidStream, ObjectStream
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.schema.blocks import BlockDecoder, CellBlock, CellsHeader, InvalidBlocks
from audiencelab.tables import CrosstabResult

Positions = NDArray[np.intp]
Floats = NDArray[np.float64]

MAX_USELESS = 10
"""Cells that bring nothing new, in tables of the requested size, before a stream is refused."""

ALL_ROWS = slice(None)

_PIECE = 64 * 1024
"""Bytes that are decoded at once: beyond the processor's cache it takes twice as long."""


# The needed parts of `schema.CrosstabCell`, as types that the garbage collector ignores: it would
# otherwise walk through every cell of a batch again and again.


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
    """One object of the stream; the echoed audiences are decoded only if they are needed."""

    audiences: _Sides
    base: _Base
    intersect: _Intersect
    row: msgspec.Raw = msgspec.Raw(b"null")
    column: msgspec.Raw = msgspec.Raw(b"null")
    row_index: float | None = None
    column_index: float | None = None


_RECORD = np.dtype([("positions", np.int64, 2), ("figures", np.float64, len(FIGURES))])
# "=" is without padding, as the fields of a record lie.
_pack = Struct(f"=2q{len(FIGURES)}d").pack


@dataclass(frozen=True, slots=True, eq=False)
class CrosstabUpdate:
    """Cells that have just arrived.

    result: the table, which grows in place. rows, columns: the new cells' positions, from 0.
    arrived, expected: how many cells have come, and how many make the table complete.
    """

    result: CrosstabResult
    rows: Positions
    columns: Positions
    arrived: int
    expected: int


class ContradictingCells(InvalidStream):
    """Cells that contradict each other or the request; the result keeps none of them.

    Another request would not show what is right.
    """


def missing_request(
    result: CrosstabResult, rows: slice = ALL_ROWS
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows and columns (positions from 0) whose request completes the table.

    rows: the part of the table to complete.

    Rows with a missing cell × columns with a missing cell; both are empty if there is none. It is
    never larger than the request before it, and for a stream that was cut at most twice what is
    missing. Several smaller requests would cost more than the cells that they save.
    """
    missing = np.zeros_like(result.arrived)
    missing[rows] = ~result.arrived[rows]
    down, across = np.flatnonzero(missing.any(axis=1)), np.flatnonzero(missing.any(axis=0))
    return tuple(down.tolist()), tuple(across.tolist())


class CellCollector:
    """Takes the bytes of a response and stores its cells in a `CrosstabResult`.

    result: a table whose audiences have the ids that were sent; its cells are kept.
    rows, columns: the positions (from 0) that this request asks for, in its order; None for all.
    blocks: decodes a response of columnar blocks; None for one of JSON objects.
    unplaced: cells without ids and echoes whose indices do not show their position, once the
        stream has ended.
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
        self._rows = StreamAxis(result.rows, requested=result.rows_requested, asked=rows)
        self._columns = StreamAxis(
            result.columns, requested=result.columns_requested, asked=columns
        )
        self._waiting: _Waiting | None = None
        self.blocks: BlockDecoder | None = None
        # A service may add the base to both axes, or send the whole table for a part of it.
        self._useless_left = MAX_USELESS * (len(result.rows) + 1) * (len(result.columns) + 1)
        self.unplaced = 0

    def feed(self, chunk: bytes) -> CrosstabUpdate | None:
        """Store the cells that these bytes complete; returns None if none of them is new.

        Raises `InvalidStream` for anything but a cell and for a stream that keeps bringing nothing
        new, `ContradictingCells` for a cell that differs from an earlier one.
        """
        if self.blocks is not None:
            return self._feed_blocks(self.blocks, chunk)
        if len(chunk) <= _PIECE:
            return self._store_cells(self._stream.feed(chunk))
        pieces = (chunk[start : start + _PIECE] for start in range(0, len(chunk), _PIECE))
        return _merge([self._store_cells(self._stream.feed(piece)) for piece in pieces])

    def finish(self) -> tuple[list[CrosstabUpdate], InvalidStream | None]:
        """The last updates, and why the stream is not a whole one, if it is not.

        To be called for a broken stream as well: cells known by index alone are stored here.
        """
        if self.blocks is not None:
            if self.blocks.problem is None:
                return [], None
            document = msgspec.json.encode(self.blocks.problem)
            return [], InvalidStream("The service failed while sending.", document)
        updates: list[CrosstabUpdate | None] = []
        invalid: InvalidStream | None = None
        try:
            while cells := self._stream.finish():
                updates.append(self._store_cells(cells))
        except InvalidStream as error:
            invalid = error
        if self._waiting is not None:
            try:
                updates.append(self._store_waiting(self._waiting))
            except InvalidStream as error:
                invalid = error
        return [each for each in updates if each is not None], invalid

    def _feed_blocks(self, decoder: BlockDecoder, chunk: bytes) -> CrosstabUpdate | None:
        try:
            blocks = decoder.feed(chunk)
        except InvalidBlocks as error:
            raise InvalidStream(f"The cells cannot be read: {error}") from None
        header = cast(CellsHeader, decoder.header)
        return _merge([self._store_block(header, block) for block in blocks])

    def _store_block(self, header: CellsHeader, block: CellBlock) -> CrosstabUpdate | None:
        rows = self._rows.positions(header.rows.ids)[block.rows]
        columns = self._columns.positions(header.columns.ids)[block.columns]
        result, down, across = self.result, _as_slice(rows), _as_slice(columns)
        # New cells in a rectangle, as an unbroken stream has them, are copied whole.
        if down and across and not result.arrived[down, across].any():
            cells_of(result).store_rectangle(down, across, block.metrics)
            rows, columns = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
            return CrosstabUpdate(result, rows, columns, result.count, result.expected)
        figures = np.empty((len(rows), len(columns), len(FIGURES)))
        for number, values in enumerate(block.metrics):
            figures[..., number] = values
        figures = figures.reshape(-1, len(FIGURES))
        rows, columns = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
        count, known = len(rows), (rows != UNKNOWN) & (columns != UNKNOWN)
        if not known.all():
            rows, columns, figures = rows[known], columns[known], figures[known]
        return self._store(rows, columns, figures, count)

    def _store_cells(self, cells: list[_Cell]) -> CrosstabUpdate | None:
        if not cells:
            return None
        records = _read_cells(cells, self._rows, self._columns)
        rows, columns = records["positions"].T
        figures, count = records["figures"], len(cells)
        if np.count_nonzero(records["positions"] == UNKNOWN):
            rows = self._rows.match(rows, [cell.row for cell in cells])
            columns = self._columns.match(columns, [cell.column for cell in cells])
            known = (rows != UNKNOWN) & (columns != UNKNOWN)
            others = [cells[cell] for cell in np.flatnonzero(~known).tolist()]
            self._refuse_other_axis(others)
            count -= self._wait(others, rows[~known], columns[~known], figures[~known])
            rows, columns, figures = rows[known], columns[known], figures[known]
        else:
            self._rows.named = self._columns.named = True
        return self._store(rows, columns, figures, count)

    def _store(
        self, rows: Positions, columns: Positions, figures: Floats, count: int
    ) -> CrosstabUpdate | None:
        """Store cells; of `count` that came, those that are not new are counted as useless."""
        result = self.result
        new = cells_of(result).store(rows, columns, figures)
        if len(new) < len(rows):
            _compare_others(result, new, rows, columns, figures)
        self._useless_left -= count - len(new)
        if self._useless_left < 0:
            raise InvalidStream(
                f"The stream does not end: more than {MAX_USELESS} times the cells of the table "
                "came again, or are of audiences that were not requested."
            )
        if not len(new):
            return None
        return CrosstabUpdate(result, rows[new], columns[new], result.count, result.expected)

    def _refuse_other_axis(self, cells: Sequence[_Cell]) -> None:
        """Raise `ContradictingCells` for rows that are named as columns, or the other way round.

        By their indices they would be stored, in a table that may be transposed.
        """
        rows, columns = self._rows, self._columns
        for cell in cells:
            sides = cell.audiences
            # One echo alone may be that of the base, which an audience may equal.
            if (
                columns.has_id(sides.row.audience)
                or rows.has_id(sides.column.audience)
                or (columns.has_echo(cell.row) and rows.has_echo(cell.column))
            ):
                raise ContradictingCells(
                    "The service interchanges rows and columns: it names an audience of the "
                    "columns as a row, or one of the rows as a column. Such cells are not kept."
                )

    def _wait(
        self, cells: Sequence[_Cell], rows: Positions, columns: Positions, figures: Floats
    ) -> int:
        """Keep cells until the stream shows how its indices count; returns how many are new."""
        rows = self._rows.keys(rows, [cell.row_index for cell in cells], _is_base(figures, "row"))
        columns = self._columns.keys(
            columns, [cell.column_index for cell in cells], _is_base(figures, "column")
        )
        known = (rows != UNKNOWN) & (columns != UNKNOWN)
        for cell in np.flatnonzero(~known).tolist():
            sides = cells[cell].audiences
            # One that names another audience is not ours; one that names none may be.
            self.unplaced += (rows[cell] == UNKNOWN and not sides.row.audience) or (
                columns[cell] == UNKNOWN and not sides.column.audience
            )
        if not known.any():
            return 0
        if self._waiting is None or not self._waiting.fits(self._rows, self._columns):
            self._waiting = _Waiting(self._rows, self._columns)
        return self._waiting.store(rows[known], columns[known], figures[known])

    def _store_waiting(self, waiting: _Waiting) -> CrosstabUpdate | None:
        self._waiting = None
        if not waiting.fits(self._rows, self._columns):
            return None
        if waiting.contradiction is not None:
            raise waiting.contradiction
        first = first_index(self._rows, self._columns)
        if first is None:
            self.unplaced += waiting.table.count
            return None
        rows, columns = np.nonzero(waiting.table.arrived)
        figures = cells_of(waiting.table).figures(rows, columns)
        rows, columns = self._rows.resolve(rows, first), self._columns.resolve(columns, first)
        known = (rows != UNKNOWN) & (columns != UNKNOWN)
        # They were counted when they came.
        return self._store(rows[known], columns[known], figures[known], 0)


class _Waiting:
    """Cells of which an axis is known by index alone, as a table of their own.

    Its size is bounded by that of the requested table. Once an axis turns out to be named, cells
    that waited by its index were of audiences that were not requested.
    """

    def __init__(self, rows: StreamAxis, columns: StreamAxis) -> None:
        self._named = rows.named, columns.named
        self.table = CrosstabResult(rows.slots("row_index"), columns.slots("column_index"))
        self.contradiction: ContradictingCells | None = None

    def fits(self, rows: StreamAxis, columns: StreamAxis) -> bool:
        return self._named == (rows.named, columns.named)

    def store(self, rows: Positions, columns: Positions, figures: Floats) -> int:
        """Keep cells; returns how many were new."""
        before = self.table.count
        try:
            new = cells_of(self.table).store(rows, columns, figures)
            _compare_others(self.table, new, rows, columns, figures)
        except ContradictingCells as error:
            # It only matters if these turn out to be cells that were requested.
            self.contradiction = error
        return max(0, self.table.count - before)


def _read_cells(cells: Sequence[_Cell], rows: StreamAxis, columns: StreamAxis) -> NDArray[np.void]:
    """The positions of the cells, as far as ids show them, and their values: `_RECORD` each."""
    row_of, column_of = rows.position_of, columns.position_of
    records: list[bytes] = []
    # One pass with plain attributes, packed cell by cell: getters and lists of floats for numpy
    # take twice the time, and apart from decoding this is where a stream spends most of it.
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
            # The column percentage is a field of the row: 100 × intersection ÷ column size.
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
            # A null is a value that is not known.
            records.append(_pack(*(nan if each is None else each for each in fields)))
    return np.frombuffer(b"".join(records), _RECORD)


def _as_slice(positions: Positions) -> slice | None:
    """Consecutive positions as a slice of an axis; None for others, and for unknown ones."""
    if not len(positions) or positions[0] == UNKNOWN:
        return None
    start, stop = int(positions[0]), int(positions[0]) + len(positions)
    return slice(start, stop) if np.array_equal(positions, np.arange(start, stop)) else None


def _merge(updates: Sequence[CrosstabUpdate | None]) -> CrosstabUpdate | None:
    """Updates that follow each other as one."""
    some = [update for update in updates if update is not None]
    if len(some) < 2:
        return some[0] if some else None
    rows = np.concatenate([update.rows for update in some])
    columns = np.concatenate([update.columns for update in some])
    return replace(some[-1], rows=rows, columns=columns)


def _is_base(figures: Floats, side: str) -> NDArray[np.bool_]:
    """Which cells have the size and sample of the base on an axis."""
    size, sample, base_size, base_sample = (
        figures[:, FIGURES.index(name)]
        for name in (f"{side}_size", f"{side}_sample", "base_size", "base_sample")
    )
    return (size == base_size) & (sample == base_sample)


def _compare_others(
    table: CrosstabResult, new: Positions, rows: Positions, columns: Positions, figures: Floats
) -> None:
    """Raise `ContradictingCells` unless the cells that are not new have the values of the table."""
    again = np.delete(np.arange(len(rows)), new)
    rows, columns, figures = rows[again], columns[again], figures[again]
    against = cells_of(table).contradictions(rows, columns, figures)
    if not len(against):
        return
    row, column = int(rows[against[0]]), int(columns[against[0]])
    stored = cells_of(table).figures(rows[against[:1]], columns[against[:1]])[0].tolist()
    differing = [
        f"{name} {one:,.12g} and {two:,.12g}"
        for name, one, two in zip(FIGURES, stored, figures[against[0]].tolist(), strict=True)
        if one != two and not (isnan(one) or isnan(two))
    ]
    names = [audience.name or audience.id for audience in (table.rows[row], table.columns[column])]
    # Each cell once, though it may have come several times: `withdraw` counts them.
    cells_of(table).withdraw(
        *np.divmod(np.unique(rows[against] * table.shape[1] + columns[against]), table.shape[1])
    )
    raise ContradictingCells(
        f"The cell {names[0]!r} × {names[1]!r} came twice and differs: {', '.join(differing)}. "
        "Neither is kept."
    )
