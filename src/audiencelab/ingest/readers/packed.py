"""How much a packed file may hold: a few kB that unpack to gigabytes fill memory or disk."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO

_SMALL = 128 << 20
_MOST_TIMES = 200
"""Answers that take more than `_SMALL` bytes are at most so many times as large as their file."""

_SIZE = 4
"""Bytes at the end of a gzip file with the size of what is packed, modulo 4 GiB."""


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
        if _holds_too_much(path):
            raise gzip.BadGzipFile(too_large(path))

    def read(self, size: int | None = -1) -> bytes:
        return self._bounded(super().read(size))

    def read1(self, size: int = -1) -> bytes:
        return self._bounded(super().read1(size))

    def _bounded(self, data: bytes) -> bytes:
        if self.tell() > self._most:
            raise gzip.BadGzipFile(too_large(self._path))
        return data


def _holds_too_much(path: Path) -> bool:
    """Whether a gzip file says so, and does.

    To unpack it alone takes a second; to find no respondents in it, minutes.
    """
    most, size = most_unpacked(path), 0
    with path.open("rb") as end:
        end.seek(max(0, path.stat().st_size - _SIZE))
        if int.from_bytes(end.read(_SIZE), "little") <= most:
            return False
    # The end of a file that is cut short says nothing; that is found where it is read.
    with suppress(OSError, EOFError, zlib.error), gzip.open(path) as packed:
        while size <= most and (data := packed.read(1 << 20)):
            size += len(data)
    return size > most


def check_workbook(path: Path) -> None:
    """Raise `ValueError` for a workbook that unpacks to more than is plausible."""
    with zipfile.ZipFile(path) as book:
        if sum(part.file_size for part in book.infolist()) > most_unpacked(path):
            raise ValueError(too_large(path))
