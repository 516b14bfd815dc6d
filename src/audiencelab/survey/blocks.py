"""Checksums of the blocks of an array, compared when a block is first read.

A block is what is read at once: a question's rows in the file of bits, one row of numbers, or the
whole array in any other file. Its checksum is a CRC-32 for each `PIECE` of its respondents, so that
a part of a wave is checked without the rest. CRC-32 finds every flipped bit and costs a few percent
of a first table; the SHA-256 of whole files, which `Survey.verify` compares, finds the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from audiencelab.survey.errors import DamagedSurveyError

PIECE = 1 << 16
"""Respondents of a piece, 1,024 words of bits."""

Array = npt.NDArray[Any]

_DIGITS = 8


def pieces_of(respondents: int) -> int:
    """The number of pieces that have a checksum each."""
    return -(-respondents // PIECE)


def checksum(block: Array, width: int) -> str:
    """The checksums of a block's pieces, one after the other, 8 hex digits each.

    width: columns of a piece. A block of one dimension is one row.
    """
    rows = block if block.ndim > 1 else block[None]
    pieces = (rows[:, first : first + width] for first in range(0, rows.shape[1], width))
    return "".join(f"{_crc(piece):08x}" for piece in pieces)


def _crc(rows: Array) -> int:
    if rows.flags.c_contiguous:
        return crc32(rows.data)
    found = 0
    for row in rows:
        # CRC-32 goes on from row to row: the same number as of the rows in one piece.
        found = crc32(np.ascontiguousarray(row).data, found)
    return found


class RowBlock(NamedTuple):
    """The first row of a block, its number of rows, and what it is, for messages."""

    first: int
    rows: int
    what: str


def by_row(rows: Mapping[str, int]) -> list[tuple[str, int]]:
    """Questions with the rows where their blocks begin, in the order of their checksums."""
    return sorted(rows.items(), key=itemgetter(1))


class RowBlocks:
    """The blocks of one array, of which some columns are read, and their checksums.

    blocks: gives them, when the first one is compared. checksums: of each, in their order.
    start, stop: the columns that are read; None for all to the last. Pieces that they divide are
    not compared. width: columns of a piece.
    """

    def __init__(
        self,
        file: object,
        blocks: Callable[[], Sequence[RowBlock]],
        checksums: Sequence[str],
        start: int,
        stop: int | None,
        width: int,
    ) -> None:
        self._file = file
        # Rounded inwards: only pieces that are read whole have a checksum to compare with.
        first, last = -(-start // width), None if stop is None else stop // width
        self._named = blocks
        # A part without a whole piece has nothing to compare.
        self._checksums = checksums if last is None or last > first else ()
        self._skipped = first * width - start
        self._digits = slice(_DIGITS * first, None if last is None else _DIGITS * last)
        self._stop = None if last is None else last * width - start
        self._width = width

    @cached_property
    def _blocks(self) -> dict[int, tuple[RowBlock, str]]:
        """The blocks that are compared, with their checksums, by their first rows."""
        named = zip(self._named(), self._checksums, strict=True) if self._checksums else ()
        return {block.first: (block, found) for block, found in named}

    def check(self, first: int, rows: Array) -> None:
        """Compare the blocks in some rows, the first of them in row `first`.

        Blocks that do not end in these rows are not compared. Raises `DamagedSurveyError`.
        """
        for block, expected in self._within(first, first + len(rows)):
            start = block.first - first
            piece = rows[start : start + block.rows, self._skipped : self._stop]
            if checksum(piece, self._width) != expected[self._digits]:
                raise DamagedSurveyError(
                    f"{self._file} is damaged: {block.what} differ from their checksum. Import "
                    "the survey again."
                )

    def _within(self, first: int, stop: int) -> Iterator[tuple[RowBlock, str]]:
        # The rows of a block begin where those of the one before end.
        while (found := self._blocks.get(first)) and first + found[0].rows <= stop:
            yield found
            first += found[0].rows


class CheckedArray:
    """The rows of a mapped array, compared with their checksums when they are first read.

    array: of two dimensions. check: is called with the number of the first row, and the rows.
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        self.shape: tuple[int, ...] = array.shape
        self.check: Callable[[int, Array], None] | None = None
        self._checked = set[tuple[int, int]]()

    def __getitem__(self, rows: slice) -> Array:
        first, stop, _ = rows.indices(self.shape[0])
        found = self.array[first:stop]
        # Two threads may both compare a block.
        if self.check is not None and (first, stop) not in self._checked:
            self.check(first, found)
            self._checked.add((first, stop))
        return found
