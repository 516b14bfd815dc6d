"""Writing the arrays of a survey, with the checksums of their blocks."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from audiencelab.survey.answers import WORD
from audiencelab.survey.blocks import PIECE, checksum
from audiencelab.survey.layout import writes

Array = npt.NDArray[Any]


class ArrayFiles:
    """The arrays in the folder of a survey that is being written.

    checksums: those of the blocks of each file, by its name in the folder.
    target: where the survey will be, for messages.
    """

    def __init__(self, folder: Path, target: Path) -> None:
        self.checksums: dict[str, tuple[str, ...]] = {}
        self._folder = folder
        self._target = target

    def save(self, name: str, array: Array) -> None:
        """Write an array of one block."""
        with writes(self._target):
            np.save(self._folder / name, array)
        self.checksums[name] = (checksum(array, PIECE),)

    @contextmanager
    def rows(self, name: str, dtype: str, width: int) -> Generator[RowsFile]:
        """An array to which blocks of rows are appended; without any there is no file.

        Not a mapped file, which would count as memory of this process.
        """
        rows = RowsFile(self._folder / name, self._target, dtype, width)
        try:
            yield rows
        finally:
            rows.close()
        if rows.checksums:
            self.checksums[name] = tuple(rows.checksums)


class RowsFile:
    """The file of an array whose number of rows is known at its end. count: of its rows so far."""

    def __init__(self, path: Path, target: Path, dtype: str, width: int) -> None:
        self.checksums = list[str]()
        self.count = 0
        self._path = path
        self._target = target
        self._dtype = dtype
        self._width = width
        # Columns are words of 64 respondents in bits, and single respondents in numbers.
        self._piece = PIECE // 64 if dtype == WORD.str else PIECE
        self._file: BinaryIO | None = None

    def append(self, block: Array) -> None:
        """Write a block of rows, or one row."""
        with writes(self._target):
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("wb")
                self._write_header(self._file)
            block.tofile(self._file)
        self.count += block.size // self._width
        self.checksums.append(checksum(block, self._piece))

    def close(self) -> None:
        """Write how many rows there are."""
        if self._file is None:
            return
        with writes(self._target), self._file as file:
            # The header at the front was written for no rows yet.
            file.seek(0)
            self._write_header(file)

    def _write_header(self, file: BinaryIO) -> None:
        """The header of the rows so far; numpy writes it equally long for any number of them."""
        shape = (self.count, self._width)
        header = {"descr": self._dtype, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
