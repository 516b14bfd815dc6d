"""Reading survey files, one module a format; each file becomes a `Table` of the columns asked for.

`delimited` CSV and TSV, `columnar` Parquet and Arrow, `statistical` SPSS, Stata and SAS (these in a
process of their own: `isolated`), `frames` what Python already holds; `reader` is what they have in
common. `finding` tells which files a
folder or a pattern means, `partitions` reads the columns in the names of folders.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers.isolated import IsolatedFile, NoProcessError
from audiencelab.ingest.readers.partitions import PartitionedFile, columns_above
from audiencelab.ingest.readers.reader import SurveyFile
from audiencelab.ingest.shelf import Place, Shelf, ShelvedColumn
from audiencelab.ingest.tables import (
    CodedColumn,
    Codes,
    Column,
    ColumnCoder,
    Progress,
    Table,
)
from audiencelab.survey.errors import SurveyError

__all__ = [
    "FORMATS",
    "SurveyFile",
    "is_survey_file",
    "open_file",
    "read_columns",
    "read_table",
]

_CELLS_HELD = 32 << 20
"""Cells that are held, of all columns that are read, before they are put away."""


class _Format(NamedTuple):
    """Where the files of some endings are read, and the library that it takes.

    is_isolated: in a process of its own, since a damaged file may end the library's.
    """

    suffixes: tuple[str, ...]
    module: str
    opener: str
    library: str
    is_isolated: bool = False


_FORMATS = (
    _Format((".csv", ".csv.gz", ".tsv", ".tsv.gz"), "delimited", "DelimitedFile", "pyarrow"),
    _Format((".parquet", ".pq"), "columnar", "ParquetFile", "pyarrow"),
    _Format((".feather", ".arrow", ".ipc"), "columnar", "ArrowFile", "pyarrow"),
    _Format((".sav", ".zsav"), "statistical", "SpssFile", "pyreadstat", is_isolated=True),
    _Format((".dta",), "statistical", "StataFile", "pyreadstat", is_isolated=True),
    _Format((".sas7bdat", ".xpt"), "statistical", "SasFile", "pyreadstat", is_isolated=True),
)
_SUFFIXES = [suffix for each in _FORMATS for suffix in each.suffixes]
FORMATS = f"{', '.join(_SUFFIXES[:-1])} and {_SUFFIXES[-1]}"


def is_survey_file(path: Path) -> bool:
    """Whether a file's name is that of a format which is read."""
    return path.name.lower().endswith(tuple(_SUFFIXES))


def open_file(path: Path, options: Source, name: str = "") -> SurveyFile:
    """A survey file, its header read; columns in the names of its folders are among its own.

    name: what messages call it, where that is not the file's name.

    Raises `SurveyError` for a file that is not there or of an unknown format; `SourceError` for
    one that cannot be read.
    """
    if not path.is_file():
        why = "is a folder, not a survey file" if path.is_dir() else "there is no such file"
        raise SurveyError(f"{path}: {why}.")
    written = path.name.lower()
    found = next((each for each in _FORMATS if written.endswith(each.suffixes)), None)
    if found is None:
        raise SurveyError(f"{path}: of an unknown format; {FORMATS} can be read.")
    if find_spec(found.library) is None:  # pragma: no cover - where the extra is not installed
        raise SurveyError(
            f'{path}: reading it needs {found.library}: pip install "audiencelab[survey]".'
        )
    module = import_module(f"{__name__}.{found.module}")
    opener: Callable[[Path, Source], SurveyFile] = getattr(module, found.opener)
    file = _isolated(path, options, opener) if found.is_isolated else opener(path, options)
    above = columns_above(path)
    opened = PartitionedFile(file, above) if above else file
    opened.name = name or file.name
    return opened


def _isolated(
    path: Path, options: Source, opener: Callable[[Path, Source], SurveyFile]
) -> SurveyFile:
    try:
        return IsolatedFile(path, options, opener)
    except NoProcessError:
        return opener(path, options)


def read_table(
    path: Path, columns: Sequence[str], options: Source, progress: Progress | None = None
) -> Table:
    """The named columns of a file, as far as the file has them.

    Raises `SourceError` for a file that is damaged or cut short, for a row with too few or too
    many cells, for text in another encoding, and for a column named twice; `SurveyError` for a
    file that is not there or of an unknown format.
    """
    table = read_columns(open_file(path, options), columns, progress)
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    return table.with_checksum(checksum)


def read_columns(
    source: SurveyFile,
    columns: Sequence[str],
    progress: Progress | None = None,
    shelf: Shelf | None = None,
) -> Table:
    """The named columns of an opened source, as far as it has them.

    shelf: where their codes are put away; they are held in memory without one.
    """
    told = progress or Progress()
    found = source.present(columns)
    coders = {name: ColumnCoder(source.variables.get(name)) for name in found}
    shelving = _Shelving(shelf, _CELLS_HELD // max(1, len(found))) if shelf else None
    told.start(source.name, source.octets)
    for name, codes, values in source.pieces(found, told):
        coders[name].add(codes, values)
        if shelving is not None:
            shelving.look_at(name, coders[name])
    told.done()
    finish: Callable[[str, ColumnCoder], Column] = shelving.finish if shelving else _in_memory
    return Table(
        place=source.place,
        name=source.name,
        rows=source.rows,
        header=source.header,
        columns={name: finish(name, coder) for name, coder in coders.items()},
        dated=source.dated,
        variables={name: source.variables[name] for name in found if name in source.variables},
    )


def _in_memory(name: str, coder: ColumnCoder) -> CodedColumn:
    return coder.finish()


class _Shelving:
    """Puts codes on a shelf, each time that `most` of a column have come together."""

    def __init__(self, shelf: Shelf, most: int) -> None:
        self._shelf = shelf
        self._most = most
        self._places: dict[str, list[Place]] = {}

    def look_at(self, name: str, coder: ColumnCoder) -> None:
        if coder.rows >= self._most:
            self._put(name, coder.let_go())

    def finish(self, name: str, coder: ColumnCoder) -> ShelvedColumn:
        column = coder.finish()
        self._put(name, column.codes)
        places = tuple(self._places[name])
        return ShelvedColumn(
            self._shelf.path, places, column.values, column.missing, column.not_asked
        )

    def _put(self, name: str, codes: Codes) -> None:
        self._places.setdefault(name, []).append(self._shelf.put(codes))
