"""The sources of one draft or import: files or a frame, found, opened once and read once.

Files are named one by one, as folders, and as patterns such as `data/*/*.parquet`. The files of one
folder that was found by looking into it are parts of one table, so they must have the same columns;
files that are named one by one may be waves that asked different things.
"""

from __future__ import annotations

import glob
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from audiencelab.ingest.archives import survey_in
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress, ResponseSet
from audiencelab.ingest.dictionaries import (
    dictionary_file,
    read_dictionary,
    sheet_dictionaries,
)
from audiencelab.ingest.drift.record import Decide, Drift
from audiencelab.ingest.markup import plain_text
from audiencelab.ingest.readers import (
    ReadColumns,
    SurveyFile,
    is_survey_file,
    open_file,
    read_columns,
)
from audiencelab.ingest.readers.contents import READ
from audiencelab.ingest.readers.csv_dialect import Dialect, dialect_of
from audiencelab.ingest.readers.frames import frame_source
from audiencelab.ingest.records import RecordsOfFile, as_records
from audiencelab.ingest.wide import WaveOfFile, split_waves
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed


class Sources:
    """Opened sources and what has been read of them.

    options: how the files are read. name: what a draft calls the study.
    is_one_table: whether they are parts of one table, and not waves by themselves.
    decide: how columns that differ between files are read. drift: what has been read otherwise than
    its file has it, so that a codebook of the first file reads it; None where nothing was compared.
    """

    def __init__(
        self, files: Sequence[SurveyFile], options: Source, name: str, *, is_one_table: bool
    ) -> None:
        self.files = files
        self.options = options
        self.name = name
        self.is_one_table = is_one_table
        self.tables: list[ReadColumns] = []
        self.decide: Decide = {}
        self.drift: list[Drift] | None = None

    @classmethod
    def open(
        cls,
        given: Any,
        options: Source | Dialect | None = None,
        encoding: str | None = None,
        labels: str | Path | None = None,
        sheet: str | int | None = None,
    ) -> Sources:
        """Open files, folders and patterns, or a data frame; opened sources are returned as is.

        options: how files are read, by default detected from the first CSV file.
        encoding: of their text, instead of the one in the options.
        labels: a file with the labels of columns and values.
        sheet: of workbooks, instead of the one in the options.
        """
        if isinstance(given, Sources):
            sources = given
        elif not isinstance(given, str | Path | list | tuple):
            if sheet is not None:
                raise SurveyError(
                    f"sheet={sheet!r} is not valid: a frame has no sheets. Leave sheet= out."
                )
            sources = cls.open_frame(given, _options(options))
        else:
            sources = cls._open_files(given, options, encoding, sheet, labels)
        files = sources.files
        for each in sheet_dictionaries(files) if labels is None else [read_dictionary(labels)]:
            each.describe(files)
        sources.files = [*map(as_records, files)]
        # A structure has the title of its survey.
        sources.name = plain_text(files[0].title or sources.name)
        if wide := _options(options).wide:
            sources.split_waves(wide)
        return sources

    @classmethod
    def _open_files(
        cls,
        given: Any,
        options: Source | Dialect | None,
        encoding: str | None,
        sheet: str | int | None,
        labels: str | Path | None,
    ) -> Sources:
        paths = cast(Sequence[str | Path], [given] if isinstance(given, str | Path) else given)
        found = find_files(paths)
        options = options or dialect_of([file.path for file in found], encoding)
        chosen = _options(options)
        if encoding is not None:
            chosen = replace(chosen, encoding=encoding)
        if sheet is not None:
            chosen = replace(chosen, sheet=sheet)
        # Before the data, which may be read by it.
        described_by = None if labels is None else dictionary_file(labels)
        opened = open_all(found, chosen, described_by)
        first = found[0]
        name = first.part_of.resolve().name if first.part_of else first.path.name.partition(".")[0]
        is_one = all(each.part_of and each.path.parent == first.path.parent for each in found)
        if not isinstance(options, Source):
            opened[0].guesses += options.encoding.guesses
        return cls(opened, chosen, name, is_one_table=is_one)

    @classmethod
    def open_frame(cls, frame: Any, options: Source | None = None) -> Sources:
        """Open a data frame."""
        source = frame_source(frame)
        return cls([as_records(source)], options or Source(), source.path.name, is_one_table=True)

    def split_waves(self, pattern: str) -> str:
        """Make a source for each wave of wide files, unless that is done.

        pattern: how the columns of a wave end or begin, as in "_w*". Returns the column that has
        the wave. Raises `SurveyError` if the columns are not those of two waves.
        """
        if not isinstance(self.files[0], WaveOfFile):
            self.files = [each for file in self.files for each in split_waves(file, pattern)]
            self.tables = []
            self.is_one_table = True
        self.options = replace(self.options, wide=pattern)
        return self.files[0].header[-1]

    @property
    def person(self) -> str | None:
        """The column of persons that wide files have; None of other files."""
        first = self.files[0]
        return first.person if isinstance(first, WaveOfFile) else None

    @property
    def records(self) -> RecordsOfFile | None:
        """The first file, if its rows are events of records."""
        first = self.files[0]
        return first if isinstance(first, RecordsOfFile) and first.event else None

    @property
    def study(self) -> dict[str, str]:
        """What the files say of their study, by `STUDY_FIELDS`; the first file wins."""
        return {name: text for file in reversed(self.files) for name, text in file.study.items()}

    @property
    def sets(self) -> list[ResponseSet]:
        """The multiple-response sets that the files declare, by name; the first file wins."""
        # Reversed, so that the first file is written last and stays.
        named = {each.name: each for file in reversed(self.files) for each in file.sets}
        return list(named.values())

    @property
    def names(self) -> list[str]:
        """All columns, in the order of the first source that has them."""
        return list(dict.fromkeys(name for file in self.files for name in file.header))

    @property
    def notes(self) -> list[str]:
        """What the report of an import says of the files, once for all that it is true of."""
        named: defaultdict[str, list[str]] = defaultdict(list)
        for file in self.files:
            for note in file.notes:
                named[note].append(file.name)
        return [f"{listed(names, 2)}: {note}" for note, names in named.items()]

    def read_all(self, progress: Progress | None = None) -> list[ReadColumns]:
        """Read every column."""
        return self.read(self.names, progress)

    def read(self, columns: Sequence[str], progress: Progress | None = None) -> list[ReadColumns]:
        """A table of some columns for each source; only what was not read before is read.

        Raises `SourceError` for a source that is damaged or cannot be understood.
        """
        known = self.tables or [None] * len(self.files)
        self.tables = [
            _read(file, table, columns, progress)
            for file, table in zip(self.files, known, strict=True)
        ]
        # What was read before stays with the sources, and is not in a table that did not ask for
        # it.
        return [table.only(columns) for table in self.tables]

    def release(self, columns: Iterable[str]) -> None:
        """Forget all columns but these."""
        self.tables = [table.only(columns) for table in self.tables]


def _options(given: Source | Dialect | None) -> Source:
    if given is None or isinstance(given, Source):
        return given or Source()
    return given.options


def _read(
    file: SurveyFile, known: ReadColumns | None, columns: Sequence[str], progress: Progress | None
) -> ReadColumns:
    """A table with some columns, as far as the file has them."""
    if known is None:
        return read_columns(file, columns, progress)
    missing = [each for each in file.present(columns) if each not in known.columns]
    if not missing:
        return known
    read = read_columns(file, missing, progress)
    return ReadColumns(file, read.rows, {**known.columns, **read.columns})


# ---- which files are meant ----


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A source file. name: what messages and reports call it, different for each file.

    part_of: the folder that was looked into, where it was found so.
    """

    path: Path
    name: str
    part_of: Path | None = None


def find_files(sources: Sequence[str | Path]) -> list[FoundFile]:
    """All files that some sources mean: those of a folder, and of the folders in it, by name.

    Files and folders whose name begins with a dot or an underscore are not data. Raises
    `SurveyError` for a folder or a pattern without survey files, and for a file that is meant
    twice.
    """
    if odd := next((each for each in sources if not isinstance(each, str | Path)), None):
        raise SurveyError(
            f"A list of {type(odd).__name__} is not valid: al.open takes the names of files, or a "
            "frame. Lists and dictionaries make one. Write al.open(pandas.DataFrame(rows))."
        )
    found = [each for source in sources for each in _found(Path(source).expanduser())]
    if not found:
        raise SurveyError("An import needs at least one source file.")
    paths = [path for path, _ in found]
    if len({path.resolve() for path in paths}) < len(paths):
        raise SurveyError("A source file is given twice.")
    return [
        FoundFile(path, name, folder)
        for (path, folder), name in zip(found, _names(paths), strict=True)
    ]


def open_all(
    files: Sequence[FoundFile], options: Source, labels: Path | None = None
) -> list[SurveyFile]:
    """All files, their headers read. labels: a file with the labels of columns and values.

    Raises `SourceError` for a file that cannot be read, or has other columns than those beside it.
    """
    opened = [open_file(file.path, options, file.name, labels) for file in files]
    first: dict[Path, SurveyFile] = {}
    for file, source in zip(files, opened, strict=True):
        if file.part_of is not None:
            _check_alike(first.setdefault(file.path.parent, source), source)
    return opened


def _found(source: Path) -> Iterator[tuple[Path, Path | None]]:
    """Files, and the folder that was looked into for them."""
    if source.is_dir():
        for path in _inside(source):
            yield path, source
    elif not source.exists() and glob.has_magic(str(source)):
        # A pattern may be absolute, which Path.glob refuses.
        matching = sorted(map(Path, glob.glob(str(source), recursive=True)))  # noqa: PTH207 -- may be absolute
        if not matching:
            raise SurveyError(f"{source}: no file has such a name.")
        for path in matching:
            yield from _found(path)
    elif source.suffix.lower() == ".zip" and source.is_file():
        yield survey_in(source), None
    else:
        yield source, None


def _inside(folder: Path) -> list[Path]:
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and is_survey_file(path)
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    if not found:
        raise SurveyError(f"{folder}: is a folder without files of {READ}.")
    if len(kinds := sorted({path.suffix.lower() for path in found})) > 1:
        raise SurveyError(
            f"{folder}: holds files of several formats ({listed(kinds)}), which may be the same "
            "survey twice. Name the files that are meant, as a pattern perhaps: "
            f"'{folder}/*{kinds[0]}'."
        )
    return found


def _names(paths: Sequence[Path]) -> list[str]:
    """The names of files; with their folders, as far as these differ, where names do not."""
    names = [path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    # Not resolved: a link is called as the user calls it.
    absolute = [path.absolute() for path in paths]
    common = os.path.commonpath([path.parent for path in absolute])
    return [path.relative_to(common).as_posix() for path in absolute]


def _check_alike(first: SurveyFile, other: SurveyFile) -> None:
    """Raise `SourceError` unless two files beside each other have the same columns."""
    for has, lacks in ((first, other), (other, first)):
        known = set(lacks.header)
        if odd := [name for name in has.header if name not in known]:
            raise SourceError(
                SourcePlace(other.origin, column=odd[0]),
                f"{has.name} has {listed(odd)}, and {lacks.name} beside it does not, so they are "
                "not parts of one table. Put other waves into folders of their own, or name the "
                "files one by one.",
            )
