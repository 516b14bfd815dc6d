"""Open and read survey files of every format.

`csv`, `arrow`, `triple_s`, `xml` and `spss_stata_sas` are the formats, the last of them read in a
`child_process`; `frames` reads data frames and `excel` workbooks; `ddi` parses codebooks, and
`fixed_width` lines of text;
`base` is what all sources have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers.base import (
    ReadColumns,
    SurveyFile,
    partition_columns,
    read_columns,
)
from audiencelab.ingest.readers.contents import missing_file, unknown_format
from audiencelab.ingest.readers.platforms import recognise
from audiencelab.survey.errors import SourceError, SurveyError

__all__ = [
    "SUFFIXES",
    "ReadColumns",
    "SurveyFile",
    "companions",
    "is_survey_file",
    "open_file",
    "read_columns",
]


class _Format(NamedTuple):
    """The module that reads files of some suffixes, and the library that it needs.

    may_crash: whether a damaged file may crash the library, so that a child process reads it.
    """

    suffixes: tuple[str, ...]
    module: str
    opener: str
    library: str
    may_crash: bool = False


_STATISTICAL = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")
_TEXT = (".dat", ".dat.gz", ".asc", ".asc.gz", ".txt", ".txt.gz")
_FORMATS = (
    _Format((".csv", ".csv.gz", ".tsv", ".tsv.gz", ".tab"), "csv", "DelimitedFile", "pyarrow"),
    _Format((".parquet", ".pq"), "arrow", "ParquetFile", "pyarrow"),
    _Format((".feather", ".arrow", ".ipc"), "arrow", "ArrowFile", "pyarrow"),
    _Format((".xlsx",), "excel", "ExcelFile", "openpyxl"),
    _Format((".sss",), "triple_s", "TripleSFile", "pyarrow"),
    _Format((".xml",), "xml", "open_xml", "pyarrow"),
    _Format(_TEXT, "xml", "open_text", "pyarrow"),
    _Format(_STATISTICAL, "spss_stata_sas", "open_statistical", "pyreadstat", may_crash=True),
)
SUFFIXES = tuple(suffix for each in _FORMATS for suffix in each.suffixes)
"""Of the files that can be read."""

_PACKED = (".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar")

_Opener = Callable[[Path, Source], SurveyFile]


def is_survey_file(path: Path) -> bool:
    """Whether a file has the suffix of a format that can be read, and of nothing else."""
    name = path.name.lower()
    if name.endswith(_TEXT):
        # Any other text may be a note; beside a .sss that describes it, that is the survey.
        description = _description_of(path)
        return description is not None and description.suffix.lower() == ".xml"
    # An .xml beside data may be anything, so it is read only where it is named.
    return name.endswith(SUFFIXES) and not name.endswith(".xml")


def companions(path: Path) -> list[Path]:
    """The files beside a survey file that are read with it."""
    suffix = path.suffix.lower()
    if suffix == ".sas7bdat":  # catalogues of formats, with the labels
        return sorted(path.parent.glob("*.sas7bcat"))
    if path.name.lower().endswith(_TEXT):
        description = _description_of(path)
        return [description] if description else []
    if suffix not in (".sss", ".xml"):
        return []
    from audiencelab.ingest.readers.xml import described_data

    return described_data(path)


def _description_of(path: Path) -> Path | None:
    from audiencelab.ingest.readers.xml import description_of

    return description_of(path)


def open_file(
    path: Path, options: Source, name: str = "", labels: Path | None = None
) -> SurveyFile:
    """Open a survey file and read its header; columns in the names of its folders are added.

    name: what messages call it, by default the file's name. labels: a file with labels, by which
    text of fixed positions is read.

    Raises `SurveyError` for a file that does not exist or has an unknown format; `SourceError` for
    one that cannot be read.
    """
    if not path.is_file():
        if path.is_dir():
            raise SurveyError(f"{path}: is a folder, not a survey file.")
        raise SurveyError(missing_file(path))
    lower = path.name.lower()
    found = next((each for each in _FORMATS if lower.endswith(each.suffixes)), None)
    if found is None and lower.endswith(_PACKED):
        raise SurveyError(f"{path}: is packed. Unpack it first, and open the file in it.")
    if found is None:
        raise SurveyError(unknown_format(path))
    if find_spec(found.library) is None:  # pragma: no cover - where the extra is not installed
        extra = "excel" if found.library == "openpyxl" else "survey"
        raise SurveyError(
            f'{path}: reading it needs {found.library}: pip install "audiencelab[{extra}]".'
        )
    if options.sheet is not None and found.opener != "ExcelFile":
        raise SurveyError(
            f"sheet={options.sheet!r} is not valid: {path.name} has no sheets. "
            f"Write al.open({str(path)!r})."
        )
    named = getattr(import_module(f"{__name__}.{found.module}"), found.opener)
    opener: _Opener = partial(named, labels=labels) if found.opener == "open_text" else named
    file = _open_in_child(path, options, opener) if found.may_crash else opener(path, options)
    if found.module == "csv" and labels is None:
        file.guesses = (*file.guesses, *_codebook_beside(path))
    recognise(file, has_metadata=found.module in ("triple_s", "xml", "spss_stata_sas"))
    found_in = partition_columns(path).items()
    file.partitions = {name: value for name, value in found_in if name not in file.header}
    file.header = (*file.header, *file.partitions)
    file.name = name or file.name
    return file


def _codebook_beside(path: Path) -> Iterator[Guess]:
    """That a codebook of DDI of the same name is not read."""
    from audiencelab.ingest.readers.xml import root_of, stem_of

    book = path.with_name(f"{stem_of(path)}.xml")
    with suppress(SourceError):
        if book.is_file() and root_of(book) == "codeBook":
            said = f"{book.name} beside it has labels and missing codes, and is not read"
            yield Guess("file", "labels", said, f"al.open({str(book)!r})", 0)


def _open_in_child(path: Path, options: Source, opener: _Opener) -> SurveyFile:
    from audiencelab.ingest.readers.child_process import ChildFile, NoProcessError

    try:
        return ChildFile(path, options)
    except NoProcessError:
        # Where no process can be started, as in a browser, a damaged file may crash this one.
        return opener(path, options)
