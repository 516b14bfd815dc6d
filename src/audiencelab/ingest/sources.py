"""The sources of one draft or import: files or a frame, opened once and read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress, ResponseSet
from audiencelab.ingest.readers import SurveyFile, Table, read_columns
from audiencelab.ingest.readers.csv_dialect import sniffed
from audiencelab.ingest.readers.discover import find_files, open_all
from audiencelab.ingest.readers.frames import frame_source


class Sources:
    """Opened sources and what has been read of them.

    options: how the files are read. name: what a draft calls the study.
    is_one_table: whether they are parts of one table, and not waves by themselves.
    """

    def __init__(
        self, files: Sequence[SurveyFile], options: Source, name: str, *, is_one_table: bool
    ) -> None:
        self.files = files
        self.options = options
        self.name = name
        self.is_one_table = is_one_table
        self.tables: list[Table] = []

    @classmethod
    def open(
        cls, given: Any, options: Source | None = None, encoding: str | None = None
    ) -> Sources:
        """Open files, folders and patterns, or a data frame; opened sources are returned as is.

        options: how files are read, by default detected from the first CSV file.
        encoding: of their text, instead of the one in the options.
        """
        if isinstance(given, Sources):
            return given
        if not isinstance(given, str | Path | list | tuple):
            return cls.open_frame(given, options)
        paths = cast(Sequence[str | Path], [given] if isinstance(given, str | Path) else given)
        found = find_files(paths)
        chosen = options or sniffed([file.path for file in found])
        if encoding is not None:
            chosen = replace(chosen, encoding=encoding)
        opened = open_all(found, chosen)
        first = found[0]
        name = first.part_of.resolve().name if first.part_of else first.path.name.partition(".")[0]
        is_one = all(each.part_of and each.path.parent == first.path.parent for each in found)
        return cls(opened, chosen, opened[0].title or name, is_one_table=is_one)

    @classmethod
    def open_frame(cls, frame: Any, options: Source | None = None) -> Sources:
        """Open a data frame."""
        source = frame_source(frame)
        return cls([source], options or Source(), source.path.name, is_one_table=True)

    @cached_property
    def sets(self) -> list[ResponseSet]:
        """The multiple-response sets that the files declare, by name; the first file wins."""
        named = {each.name: each for file in reversed(self.files) for each in file.sets}
        return list(named.values())

    @cached_property
    def names(self) -> list[str]:
        """All columns, in the order of the first source that has them."""
        return list(dict.fromkeys(name for file in self.files for name in file.header))

    @cached_property
    def repeated(self) -> list[str]:
        """Columns that a header names more than once, and that cannot be read."""
        counts = [Counter(file.header) for file in self.files]
        return [name for name in self.names if any(each[name] > 1 for each in counts)]

    def read_all(self, progress: Progress | None = None) -> list[Table]:
        """Read every column that the headers name once."""
        repeated = set(self.repeated)
        return self.read([name for name in self.names if name not in repeated], progress)

    def read(self, columns: Sequence[str], progress: Progress | None = None) -> list[Table]:
        """A table of some columns for each source; only what was not read before is read.

        Raises `SourceError` for a source that is damaged or cannot be understood.
        """
        known = self.tables or [None] * len(self.files)
        self.tables = [
            _read(file, table, columns, progress)
            for file, table in zip(self.files, known, strict=True)
        ]
        return [table.only(columns) for table in self.tables]

    def release(self, columns: Iterable[str]) -> None:
        """Forget all columns but these."""
        self.tables = [table.only(columns) for table in self.tables]


def _read(
    file: SurveyFile, known: Table | None, columns: Sequence[str], progress: Progress | None
) -> Table:
    """A table with some columns, as far as the file has them."""
    if known is None:
        return read_columns(file, columns, progress)
    missing = [each for each in file.present(columns) if each not in known.columns]
    if not missing:
        return known
    read = read_columns(file, missing, progress)
    return Table(file, read.rows, {**known.columns, **read.columns})
