"""Reading survey files, one module a format; each file becomes a `Table` of the columns asked for.

`delimited` CSV and TSV, `columnar` Parquet and Arrow, `statistical` SPSS, Stata and SAS, `frames`
what Python already holds; `reader` is what they have in common.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from audiencelab.panel.errors import PanelError
from audiencelab.panel.importing.codebook import Source
from audiencelab.panel.importing.files.reader import SurveyFile
from audiencelab.panel.importing.tables import ColumnCoder, Progress, Table

__all__ = ["FORMATS", "SurveyFile", "open_file", "read_columns", "read_table"]


class _Format(NamedTuple):
    """Where the files of some endings are read, and the library that it takes."""

    suffixes: tuple[str, ...]
    module: str
    opener: str
    library: str


_FORMATS = (
    _Format((".csv", ".csv.gz", ".tsv", ".tsv.gz"), "delimited", "DelimitedFile", "pyarrow"),
    _Format((".parquet", ".pq"), "columnar", "ParquetFile", "pyarrow"),
    _Format((".feather", ".arrow", ".ipc"), "columnar", "ArrowFile", "pyarrow"),
    _Format((".sav", ".zsav"), "statistical", "SpssFile", "pyreadstat"),
    _Format((".dta",), "statistical", "StataFile", "pyreadstat"),
    _Format((".sas7bdat", ".xpt"), "statistical", "SasFile", "pyreadstat"),
)
_SUFFIXES = [suffix for each in _FORMATS for suffix in each.suffixes]
FORMATS = f"{', '.join(_SUFFIXES[:-1])} and {_SUFFIXES[-1]}"


def open_file(path: Path, options: Source) -> SurveyFile:
    """A survey file, its header read.

    Raises `PanelError` for a file that is not there or of an unknown format; `SourceError` for
    one that cannot be read.
    """
    if not path.is_file():
        why = "is a folder, not a survey file" if path.is_dir() else "there is no such file"
        raise PanelError(f"{path}: {why}.")
    name = path.name.lower()
    found = next((each for each in _FORMATS if name.endswith(each.suffixes)), None)
    if found is None:
        raise PanelError(f"{path}: of an unknown format; {FORMATS} can be read.")
    if find_spec(found.library) is None:
        raise PanelError(
            f"{path}: reading it needs {found.library}: pip install 'audiencelab[panel]'."
        )
    module = import_module(f"{__name__}.{found.module}")
    opener: Callable[[Path, Source], SurveyFile] = getattr(module, found.opener)
    return opener(path, options)


def read_table(
    path: Path, columns: Sequence[str], options: Source, progress: Progress | None = None
) -> Table:
    """The named columns of a file, as far as the file has them.

    Raises `SourceError` for a file that is damaged or cut short, for a row with too few or too
    many cells, for text in another encoding, and for a column named twice; `PanelError` for a
    file that is not there or of an unknown format.
    """
    table = read_columns(open_file(path, options), columns, progress)
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    return table.with_checksum(checksum)


def read_columns(
    source: SurveyFile, columns: Sequence[str], progress: Progress | None = None
) -> Table:
    """The named columns of an opened source, as far as it has them."""
    told = progress or Progress()
    found = source.present(columns)
    coders = {name: ColumnCoder(source.variables.get(name)) for name in found}
    told.start(source.name, source.octets)
    for name, codes, values in source.pieces(found, told):
        coders[name].add(codes, values)
    told.done()
    return Table(
        place=source.place,
        name=source.name,
        rows=source.rows,
        header=source.header,
        columns={name: coder.finish() for name, coder in coders.items()},
        dated=source.dated,
    )
