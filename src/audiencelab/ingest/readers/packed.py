"""How much a packed file may hold: a few kB that unpack to gigabytes fill memory or disk."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import IO

_SMALL = 128 << 20
_MOST_TIMES = 200
"""Answers that take more than `_SMALL` bytes are at most so many times as large as their file."""


def most_unpacked(path: Path) -> int:
    """The most bytes that a packed file may hold."""
    return max(_SMALL, _MOST_TIMES * path.stat().st_size)


def too_large(path: Path) -> str:
    """The message that a file holds more."""
    return (
        f"it unpacks to more than {most_unpacked(path):,} bytes, which is not plausible for a file "
        f"of {path.stat().st_size:,} bytes. If it is right, unpack it first"
    )


class BoundedGzip(gzip.GzipFile):
    """A gzip file that is read up to what is plausible.

    Raises `OSError` beyond that, as it does for a file that is damaged.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        super().__init__(fileobj=file, mode="rb")
        self._path, self._most = path, most_unpacked(path)

    def read(self, size: int | None = -1) -> bytes:
        return self._bounded(super().read(size))

    def read1(self, size: int = -1) -> bytes:
        return self._bounded(super().read1(size))

    def _bounded(self, data: bytes) -> bytes:
        if self.tell() > self._most:
            raise gzip.BadGzipFile(too_large(self._path))
        return data


def check_workbook(path: Path) -> None:
    """Raise `ValueError` for a workbook that unpacks to more than is plausible."""
    with zipfile.ZipFile(path) as book:
        if sum(part.file_size for part in book.infolist()) > most_unpacked(path):
            raise ValueError(too_large(path))
