"""Cells of a crosstab as columnar blocks: arrays of numbers behind a small header.

A body of the media type `CELLS` holds what the stream of JSON objects holds. A client asks for it
by `Accept`; other clients get JSON. It is a sequence of frames, little-endian throughout:

    kind     4 bytes of ASCII: head, cell, fail or done
    length   uint32: bytes of the payload
    payload

- `head`, first: JSON of a `CellsHeader`, the audiences of both axes once.
- `cell`: a rectangle of cells. uint32 rows, uint32 columns, one shape byte for each metric of
  `CELL_METRICS`; the positions of the rows and of the columns in the header's lists, uint32 each;
  for each metric its float64 values in row-major order: all of them (shape 3), one for each
  column (2), one for each row (1) or one for all cells (0).
- `fail`: a problem document. Cells before it are right, the rest is missing.
- `done`, last: empty. A body that ends without `done` or `fail` was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from struct import error as struct_error
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.schema.arrays import Floats, without_repeats
from audiencelab.schema.resource import Problem

CELLS = "application/vnd.audiencelab.cells"

OF_CELL = ("size", "sample", "percentage", "index", "column_percentage", "row_percentage")
OF_SIDE = ("size", "sample", "base_percentage")
"""The metrics of row and column together, and those of a row or a column."""

CELL_METRICS = (
    *OF_CELL,
    *(f"{side}_{what}" for side in ("row", "column") for what in OF_SIDE),
    *("base_size", "base_sample"),
)
"""The metrics of a cell, in order. The first four are of the intersection; `column_percentage`
is `audiences.row.intersect_percentage` of the JSON cell, `row_percentage` is
`audiences.column.intersect_percentage`, `*_base_percentage` is a side's own `percentage`."""

MAX_PAYLOAD = 64 * 1024 * 1024
"""Bytes of one frame that a decoder accepts."""

BLOCK_CELLS = 16_384
"""Cells of one block at most, about: 1 to 2 MB."""

Positions = NDArray[np.intp]

_FRAME = Struct("<4sI")
_BLOCK = Struct(f"<2I{len(CELL_METRICS)}B")
_FLOAT = np.dtype("<f8")
_POSITION = np.dtype("<u4")


class InvalidBlocks(ValueError):
    """Bytes that are not a body of columnar blocks."""


class CellsAxis(msgspec.Struct, frozen=True):
    """One axis of the table.

    ids: of its audiences, in the order of the positions. first_index: the `row_index` or
    `column_index` of position 0. audiences: as sent; None for the base.
    """

    ids: list[str]
    first_index: int
    audiences: list[dict[str, Any] | None]


class CellsHeader(msgspec.Struct, frozen=True):
    """What all cells of one body share."""

    rows: CellsAxis
    columns: CellsAxis
    metrics: tuple[str, ...] = CELL_METRICS


@dataclass(frozen=True, slots=True)
class CellBlock:
    """Cells of some rows × some columns.

    rows, columns: positions in the header's axes, intp[rows] and intp[columns].
    metrics: one array for each of `CELL_METRICS`, of a shape that broadcasts to
        [rows, columns]. Read-only views of the body's bytes.
    """

    rows: Positions
    columns: Positions
    metrics: tuple[Floats, ...]


def encode_header(rows: CellsAxis, columns: CellsAxis) -> bytes:
    """The first frame of a body."""
    return _frame(b"head", msgspec.json.encode(CellsHeader(rows, columns)))


def encode_block(
    rows: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]],
    metrics: Sequence[NDArray[Any]],
) -> bytes:
    """The frame of a rectangle of cells.

    rows, columns: positions on the axes. metrics: [rows, columns], in the order of `CELL_METRICS`.
    """
    shapes, values = zip(*map(_compact, metrics), strict=True)
    return _frame(
        b"cell",
        _BLOCK.pack(len(rows), len(columns), *shapes),
        rows.astype(_POSITION).tobytes(),
        columns.astype(_POSITION).tobytes(),
        *(each.tobytes() for each in values),
    )


def encode_failure(problem: bytes) -> bytes:
    """The last frame of a body that fails on the way. problem: its document."""
    return _frame(b"fail", problem)


def encode_end() -> bytes:
    """The last frame of a whole body."""
    return _frame(b"done")


def _frame(kind: bytes, *payload: bytes) -> bytes:
    return b"".join((_FRAME.pack(kind, sum(map(len, payload))), *payload))


def _compact(values: NDArray[Any]) -> tuple[int, Floats]:
    """The shape byte of a metric, and its values without those that repeat."""
    kept = without_repeats(values)
    return (kept.shape[0] > 1) | (kept.shape[1] > 1) << 1, kept


class BlockDecoder:
    """Bytes of a body in, cut anywhere; blocks out.

    header: once it has come. problem: how the service failed, if it did.
    is_complete: whether the body has come to its own end.
    """

    def __init__(self) -> None:
        self.header: CellsHeader | None = None
        self.problem: Problem | None = None
        self.is_complete = False
        self._buffer = bytearray()

    @property
    def has_ended(self) -> bool:
        """Whether the last frame has come. A body that ends before it was cut."""
        return self.is_complete or self.problem is not None

    def feed(self, chunk: bytes) -> list[CellBlock]:
        """The blocks that these bytes complete; raises `InvalidBlocks`."""
        if self._buffer:
            self._buffer += chunk
            # Chunks are only collected until a frame is whole: reading again from its start with
            # every one of them would take the square of their number.
            if len(self._buffer) < _frame_size(self._buffer):
                return []
            chunk = bytes(self._buffer)
            self._buffer.clear()
        view = memoryview(chunk)
        blocks: list[CellBlock] = []
        while len(view) >= (size := _frame_size(view)):
            block = self._read(bytes(view[:4]), view[_FRAME.size : size])
            view = view[size:]
            if block is not None:
                blocks.append(block)
        # What is left is a part of a frame, at most.
        self._buffer += view
        return blocks

    def _read(self, kind: bytes, payload: memoryview) -> CellBlock | None:
        # A head is first and only once, and nothing comes after the end.
        if self.has_ended or (self.header is None) != (kind == b"head"):
            raise InvalidBlocks(f"A frame {kind!r} is not expected here.")
        try:
            if kind == b"head":
                self.header = _read_header(payload)
            elif kind == b"cell":
                assert self.header is not None
                return _read_block(payload, self.header)
            elif kind == b"fail":
                self.problem = msgspec.json.decode(payload, type=Problem)
            elif kind == b"done":
                self.is_complete = True
            else:
                raise InvalidBlocks(f"A frame {kind!r} is not known.")
        except (ValueError, struct_error, msgspec.MsgspecError) as error:
            raise InvalidBlocks(f"A frame {kind!r} cannot be read: {error}") from None
        return None


def _frame_size(data: bytearray | memoryview) -> int:
    """Bytes of the frame that the data begins with; of its own header where that is cut."""
    if len(data) < _FRAME.size:
        return _FRAME.size
    _, length = _FRAME.unpack_from(data)
    # Refused before it is collected: a damaged length could ask for 4 GB.
    if length > MAX_PAYLOAD:
        raise InvalidBlocks(f"A frame has {length:,} bytes; the limit is {MAX_PAYLOAD:,}.")
    return _FRAME.size + length


def _read_header(payload: memoryview) -> CellsHeader:
    header = msgspec.json.decode(payload, type=CellsHeader)
    if header.metrics != CELL_METRICS:
        # Values have no names: with other metrics they would be read as something else.
        raise InvalidBlocks("The metrics are not those of this version.")
    for axis in (header.rows, header.columns):
        if len(axis.ids) != len(axis.audiences):
            raise InvalidBlocks("An axis must have one id for each audience.")
    return header


def _read_block(payload: memoryview, header: CellsHeader) -> CellBlock:
    rows, columns, *shapes = _BLOCK.unpack_from(payload)
    start = _BLOCK.size
    positions: list[Positions] = []
    for count, axis in ((rows, header.rows), (columns, header.columns)):
        found = np.frombuffer(payload, _POSITION, count, start).astype(np.intp)
        # Positions are unsigned, so only the upper end can be outside.
        if count and found.max() >= len(axis.ids):
            raise InvalidBlocks("A position is outside the table.")
        positions.append(found)
        start += found.size * _POSITION.itemsize
    metrics: list[Floats] = []
    for shape in shapes:
        height, width = rows if shape & 1 else 1, columns if shape & 2 else 1
        values = np.frombuffer(payload, _FLOAT, height * width, start)
        metrics.append(values.reshape(height, width))
        start += values.nbytes
    if start != len(payload):
        raise InvalidBlocks("A block has more bytes than its shape.")
    return CellBlock(positions[0], positions[1], tuple(metrics))
