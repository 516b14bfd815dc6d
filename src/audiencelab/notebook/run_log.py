"""What each cell of a notebook did while it ran: the clients that it made.

The processes of a run add lines to a file that an environment variable names.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from audiencelab.client.connection.target import LOG_VARIABLE


class Connected(msgspec.Struct, frozen=True):
    """A client. source: the service or survey; snapshot: the file that it replays, if any."""

    source: str
    snapshot: str | None = None


@dataclass(frozen=True, slots=True)
class CellLog:
    """What one code cell did. connected: the clients that it made."""

    connected: tuple[Connected, ...] = ()


class RunLog:
    """A file in which a kernel notes what its cells do; a context manager.

    environment: the variables of the kernel that name the file.
    by_cell: what each cell did, once the log is closed.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._file = Path(self._folder.name) / "run.jsonl"
        self._begun: list[int] = []
        self.environment = {LOG_VARIABLE: str(self._file)}
        self.by_cell: tuple[CellLog, ...] = ()

    def next_cell(self) -> None:
        """Note that the next cell begins; the one before is done."""
        self._begun.append(len(self._lines()))

    def _lines(self) -> list[bytes]:
        return self._file.read_bytes().splitlines() if self._file.exists() else []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        made = [msgspec.json.decode(line, type=Connected) for line in self._lines()]
        ends = [*self._begun[1:], len(made)]
        self.by_cell = tuple(
            CellLog(tuple(made[begin:end])) for begin, end in zip(self._begun, ends, strict=False)
        )
        self._folder.cleanup()
