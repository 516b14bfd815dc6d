"""What each cell of a notebook did while it ran: clients, answers of a snapshot, files.

The kernel adds lines to a file that an environment variable names.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from audiencelab.client.noting import LOG_VARIABLE
from audiencelab.notebook import kernel_hook

RESTORED = (
    *(".csv", ".docx", ".gif", ".htm", ".html", ".jpeg", ".jpg", ".json", ".jsonl", ".md", ".pdf"),
    *(".png", ".pptx", ".svg", ".tex", ".tsv", ".txt", ".xlsx"),
)
"""Endings of files that are put back after a run as they were before it."""

_NAME = "audiencelab-run.jsonl"

_MOST = 50_000_000
"""Bytes of a file that is kept."""


class Connected(msgspec.Struct, frozen=True):
    """A client. source: the service or survey; snapshot: the file that it replays, if any."""

    source: str
    snapshot: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that a cell wrote.

    path: where it lies. before, now: what it held before the run and after it; None where there was
        none, or it is too large.
    """

    path: Path
    before: bytes | None
    now: bytes | None


@dataclass(frozen=True, slots=True)
class CellLog:
    """What one code cell did.

    connected: the clients that it made. exchanges: the answers of snapshots that it used, as the
    file and the position. written: the files that it wrote last.
    """

    connected: tuple[Connected, ...] = ()
    exchanges: frozenset[tuple[str, int]] = frozenset()
    written: tuple[WrittenFile, ...] = ()


class _Line(msgspec.Struct, frozen=True):
    source: str = ""
    snapshot: str | None = None
    exchange: int | None = None
    wrote: str = ""
    kept: str = ""


class RunLog:
    """A file in which a kernel notes what its cells do; a context manager.

    Files that cells wrote are put back as they were before.

    environment: the variables of the kernel that name the file.
    by_cell: what each cell did, once the log is closed.
    """

    def __init__(self, notebook: Path) -> None:
        self._root = notebook.resolve().parent
        self._folder = tempfile.TemporaryDirectory()
        self._file = Path(self._folder.name) / _NAME
        self._begun: list[int] = []
        self.environment = {LOG_VARIABLE: str(self._file)}
        self.by_cell: tuple[CellLog, ...] = ()

    def hook(self) -> str:
        """Python that notes files which are written, for the kernel to run before the cells."""
        parents = self._root.parents
        # Results often lie in a folder beside that of the notebooks.
        root = parents[0] if len(parents) > 1 else self._root
        given = (str(self._file), self._folder.name, str(root), RESTORED, _MOST)
        source = f"{inspect.getsource(kernel_hook)}\nwatch(*{given!r})\n"
        # In a namespace of its own: a cell that lacks an import must fail as it did.
        return f"exec({source!r}, {{'__name__': 'audiencelab_hook'}})"

    def next_cell(self) -> None:
        """Note that the next cell begins; the one before is done."""
        self._begun.append(len(self._lines()))

    def _lines(self) -> list[bytes]:
        return self._file.read_bytes().splitlines() if self._file.exists() else []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        lines = (msgspec.json.decode(line, type=_Line) for line in self._lines())
        # Logs of notebooks that cells run lie in a temporary folder, and so may this notebook. The
        # lines of a cell are known by their positions.
        found = [_Line() if line.wrote.endswith(_NAME) else line for line in lines]
        files = {line.wrote: line.kept for line in reversed(found) if line.wrote}
        written = {path: _written(Path(path), kept) for path, kept in files.items()}
        for path, file in written.items():
            if files[path] and file.before != file.now:
                file.path.write_bytes(file.before or b"")
        ends = [*self._begun[1:], len(found)]
        parts = (found[begin:end] for begin, end in zip(self._begun, ends, strict=False))
        self.by_cell = tuple(_by_cell(parts, written))
        self._folder.cleanup()


def _written(path: Path, kept: str) -> WrittenFile:
    fits = path.is_file() and path.stat().st_size <= _MOST
    before = Path(kept).read_bytes() if kept else None
    return WrittenFile(path, before, path.read_bytes() if fits else None)


def _by_cell(parts: Iterable[list[_Line]], written: Mapping[str, WrittenFile]) -> Iterator[CellLog]:
    cells = list(parts)
    last = {line.wrote: number for number, lines in enumerate(cells) for line in lines}
    for number, lines in enumerate(cells):
        mine = dict.fromkeys(line.wrote for line in lines if line.wrote)
        yield CellLog(
            tuple(Connected(line.source, line.snapshot) for line in lines if line.source),
            frozenset(
                (line.snapshot, line.exchange)
                for line in lines
                if line.snapshot and line.exchange is not None
            ),
            tuple(written[path] for path in mine if last[path] == number),
        )
