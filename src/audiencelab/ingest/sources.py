"""The sources of one draft or import: files or a frame, opened once and read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec.structs import replace as struct_replace

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress, ResponseSet
from audiencelab.ingest.readers import SurveyFile, Table, read_columns
from audiencelab.ingest.readers.csv_dialect import sniffed
from audiencelab.ingest.readers.discover import find_files, open_all
from audiencelab.ingest.readers.frames import frame_source
from audiencelab.survey.errors import SurveyError

Given = str | Path | Sequence[str | Path]


@dataclass
class Sources:
    """Opened sources and what has been read of them.

    options: how the files are read. name: what a draft calls the study.
    is_one_table: whether they are parts of one table, and not waves by themselves.
    """

    files: Sequence[SurveyFile]
    options: Source
    name: str
    is_one_table: bool
    tables: list[Table] = field(default_factory=list[Table])

    @classmethod
    def open_files(
        cls, given: Given, options: Source | None = None, encoding: str | None = None
    ) -> Sources:
        """Open files, folders and patterns.

        options: how they are read, by default found out from the first CSV file.
        encoding: of their text, instead of the one in the options.
        """
        paths = [given] if isinstance(given, str | Path) else given
        found = find_files([Path(each) for each in paths])
        chosen = options or sniffed([file.path for file in found])
        if encoding is not None:
            chosen = struct_replace(chosen, encoding=encoding)
        opened = open_all(found, chosen)
        first = found[0]
        name = first.part_of.resolve().name if first.part_of else first.path.name.partition(".")[0]
        is_one = all(each.part_of and each.path.parent == first.path.parent for each in found)
        return cls(opened, chosen, opened[0].title or name, is_one)

    @classmethod
    def open_frame(cls, frame: Any, options: Source | None = None) -> Sources:
        """Open a data frame."""
        source = frame_source(frame)
        return cls([source], options or Source(), source.path.name, is_one_table=True)

    @classmethod
    def open(
        cls, given: Any, options: Source | None = None, encoding: str | None = None
    ) -> Sources:
        """Open paths or a data frame; opened sources are returned as they are."""
        if isinstance(given, Sources):
            return given
        if isinstance(given, str | Path | list | tuple):
            if not given:
                raise SurveyError("A draft needs at least one source file.")
            return cls.open_files(given, options, encoding)  # pyright: ignore[reportUnknownArgumentType] -- Path raises for what is not a path
        return cls.open_frame(given, options)

    @cached_property
    def sets(self) -> list[ResponseSet]:
        """The multiple-response sets that the files declare, by name; the first file wins."""
        named = {each.name: each for file in reversed(self.files) for each in file.sets}
        return list(named.values())

    @cached_property
    def repeated(self) -> list[str]:
        """Columns that a header names more than once, and that cannot be read."""
        times = [Counter(file.header) for file in self.files]
        return [name for name in self.names if any(counted[name] > 1 for counted in times)]

    @cached_property
    def names(self) -> list[str]:
        """All columns, in the order of the first source that has them."""
        return list(dict.fromkeys(name for file in self.files for name in file.header))

    def read_all(self, progress: Progress | None = None) -> list[Table]:
        """Read every column that the headers name once."""
        repeated = set(self.repeated)
        return self.read([name for name in self.names if name not in repeated], progress)

    def read(self, columns: Sequence[str], progress: Progress | None = None) -> list[Table]:
        """A table of some columns for each source; only what was not read before is read.

        Raises `SourceError` for a source that is damaged or cannot be understood.
        """
        self.tables = [
            _complete(file, known, columns, progress)
            for file, known in zip(self.files, self.tables or [None] * len(self.files), strict=True)
        ]
        return [_only(table, columns) for table in self.tables]

    def release(self, columns: Iterable[str]) -> None:
        """Forget all columns but these."""
        self.tables = [_only(table, columns) for table in self.tables]


def _complete(
    file: SurveyFile, known: Table | None, columns: Sequence[str], progress: Progress | None
) -> Table:
    """A table with some columns, as far as the file has them."""
    if known is None:
        return read_columns(file, columns, progress)
    missing = [each for each in file.present(columns) if each not in known.columns]
    if not missing:
        return known
    read = read_columns(file, missing, progress)
    return replace(read, columns={**known.columns, **read.columns})


def _only(table: Table, columns: Iterable[str]) -> Table:
    wanted = set(columns)
    return replace(
        table, columns={name: each for name, each in table.columns.items() if name in wanted}
    )
