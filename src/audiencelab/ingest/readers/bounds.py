"""What a file may unpack to: one of kilobytes can be made that fills any memory and any disk.

No survey is packed so tight. The bounds are far above what people's files do, and each is named
where it is met.
"""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, cast

from audiencelab.survey.errors import SourceError, SourcePlace

__all__ = ["ALWAYS", "check_octets", "check_rows", "plain_bytes"]

LONGEST_LINE = 8 << 20
"""Bytes of a line of text. One must be held whole to be taken apart."""

MOST_TIMES = 500
"""How many times its size a packed file may unpack to; surveys come to some thirty."""

ALWAYS = 256 << 20
"""Bytes that any file may unpack to."""

ROWS_A_BYTE, ROWS_ALWAYS = 100, 50_000_000
"""Rows that a byte of a file may stand for, and rows that any file may have."""


@contextmanager
def plain_bytes(path: Path, file: IO[bytes]) -> Generator[IO[bytes]]:
    """The text of a file, gzipped or not, as bytes; `file` is what is read of the disk.

    Reading raises `SourceError` for a line that is too long, and for what unpacks to too much.
    """
    with ExitStack() as held:
        source, most = file, None
        if path.suffix.lower() == ".gz":
            import gzip

            source = cast(IO[bytes], held.enter_context(gzip.open(file, "rb")))
            most = _most(path)
        yield held.enter_context(io.BufferedReader(_Bounded(path, source, most), 1 << 16))


class _Bounded(io.RawIOBase):
    """A stream that counts what passes by; it does not close what it reads."""

    def __init__(self, path: Path, source: IO[bytes], most: int | None) -> None:
        self._path = path
        self._source = source
        self._most = most
        self._all = 0
        self._line = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer)
        piece = self._source.read(min(len(room), LONGEST_LINE))
        room[: len(piece)] = piece
        self._count(piece)
        return len(piece)

    def _count(self, piece: bytes) -> None:
        self._all += len(piece)
        if self._most is not None and self._all > self._most:
            self._refuse(f"{_too_much(self._most)} Unpack it yourself if it is one.")
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        self._line = self._line + len(piece) if end < 0 else len(piece) - end - 1
        if self._line > LONGEST_LINE:
            self._refuse(f"has a line of more than {LONGEST_LINE:,} bytes, the most that is read.")

    def _refuse(self, detail: str) -> None:
        raise SourceError(SourcePlace(str(self._path)), detail)


def check_rows(path: Path, rows: int) -> None:
    """Raise `SourceError` for more rows than a file of its size can have."""
    size = path.stat().st_size
    if rows > max(ROWS_ALWAYS, ROWS_A_BYTE * size):
        raise SourceError(
            SourcePlace(str(path)),
            f"has {rows:,} rows in {size:,} bytes; more than {ROWS_A_BYTE} a byte are not read, "
            "since no survey is packed so tight.",
        )


def check_octets(path: Path, octets: int) -> None:
    """Raise `SourceError` for a packed file whose cells take more than it may unpack to."""
    most = _most(path)
    if octets > most:
        raise SourceError(
            SourcePlace(str(path)), f"{_too_much(most)} Save it unpacked if it is one."
        )


def _most(path: Path) -> int:
    return max(ALWAYS, MOST_TIMES * path.stat().st_size)


def _too_much(most: int) -> str:
    return (
        f"unpacks to more than {most:,} bytes, over {MOST_TIMES} times its size, "
        "which no survey does."
    )
