"""Reading all sources of an import, several at once where there are processes for it.

A task is a file; a file whose columns can be read apart is several, so that one large file keeps
every process at work. Codes go on a shelf, and what comes back from a process is small.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import SurveyFile, open_file, read_columns
from audiencelab.ingest.shelf import Shelf
from audiencelab.ingest.tables import Progress, Table
from audiencelab.ingest.workers import Tell, Workers

__all__ = ["read_sources"]

_COLUMNS_A_TASK = 64
_MOST_TASKS = 32
"""Of a file whose columns can be read apart: enough for all processes, and each opens the file."""


def read_sources(
    sources: Sequence[SurveyFile],
    columns: Sequence[str],
    options: Source,
    shelf: Path,
    workers: Workers,
    progress: Progress,
) -> list[Table]:
    """The named columns of opened files, a table for each, with its checksum.

    shelf: the folder of the shelf, which is to stay as long as the tables.
    Raises `SourceError` as `read_table` does, for the first file in order that has a fault.
    """
    tasks = [list(_tasks(source, columns, options, shelf)) for source in sources]
    name = sources[0].name if len(sources) == 1 else f"{len(sources)} files"
    progress.start(name, sum(source.octets for source in sources))
    read = workers.map(_read, chain.from_iterable(tasks), progress)
    tables = [_one([next(read) for _ in each]) for each in tasks]
    checksums = workers.map(_checksum, [source.path for source in sources])
    summed = [table.with_checksum(each) for table, each in zip(tables, checksums, strict=True)]
    progress.done()
    return summed


@dataclass(frozen=True)
class _Task:
    """Some columns of a file. octets: its part of the file's bytes, for the progress."""

    path: Path
    name: str
    columns: Sequence[str]
    octets: int
    options: Source
    shelf: Path


def _tasks(
    source: SurveyFile, columns: Sequence[str], options: Source, shelf: Path
) -> Iterator[_Task]:
    found = source.present(columns)
    step = max(_COLUMNS_A_TASK, -(-len(found) // _MOST_TASKS))
    step = step if source.is_columnar else len(found)
    for first in range(0, len(found), step) if found else (0,):
        some = found[first : first + step]
        octets = source.octets * len(some) // max(1, len(found))
        yield _Task(source.path, source.name, some, octets, options, shelf)


def _one(parts: Sequence[Table]) -> Table:
    """The parts of a file as one table."""
    columns = {name: column for part in parts for name, column in part.columns.items()}
    variables = {name: each for part in parts for name, each in part.variables.items()}
    return replace(parts[0], columns=columns, variables=variables)


def _read(task: _Task, tell: Tell) -> Table:
    source = open_file(task.path, task.options, task.name)
    with Shelf(task.shelf) as shelf:
        return read_columns(source, task.columns, _Share(tell, task.octets), shelf)


def _checksum(path: Path, _: Tell) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Share(Progress):
    """Tells further what a reader says of its file, as a share of the file's bytes."""

    def __init__(self, tell: Tell, octets: int) -> None:
        self._tell = tell
        self._octets = octets
        self._file = 1
        self._told = 0

    def start(self, description: str, octets: int) -> None:
        self._file = max(1, octets)

    def at(self, octets: int) -> None:
        told = self._octets * octets // self._file
        self._tell(told - self._told)
        self._told = told
