"""Reading survey files with pyarrow: CSV and TSV (also gzipped) in blocks, Parquet by columns.

Each file becomes a `Table` of the columns asked for. What a file cannot be read for is told with
the file, and the row and column where those are known; nothing is interpreted here.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import numpy as np

from audiencelab.panel.errors import PanelError, SourceError, SourcePlace
from audiencelab.panel.importing.codebook import Source, canonical_value
from audiencelab.panel.importing.tables import ColumnCoder, Progress, Table

__all__ = ["FORMATS", "read_table"]

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
FORMATS = ".csv, .csv.gz, .tsv, .tsv.gz and .parquet"

_BLOCK = 8 << 20
_COLUMNS_AT_ONCE = 16


def read_table(
    path: Path, columns: Sequence[str], options: Source, progress: Progress | None = None
) -> Table:
    """The named columns of a file, as far as the file has them.

    Raises `SourceError` for a file that is damaged or cut short, for a row with too few or too
    many cells, for text in another encoding, and for a column named twice; `PanelError` for a
    file that is not there or of an unknown format.
    """
    if not path.is_file():
        why = "is a folder, not a survey file" if path.is_dir() else "there is no such file"
        raise PanelError(f"{path}: {why}.")
    if find_spec("pyarrow") is None:
        raise PanelError("Reading survey files needs pyarrow: pip install 'audiencelab[panel]'.")
    told = progress or Progress()
    told.start(path.name, path.stat().st_size)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    kind = (suffixes[:-1] if packed else suffixes)[-1:] or [""]
    if kind[0] in _DELIMITERS:
        delimiter = options.delimiter or _DELIMITERS[kind[0]]
        table = _read_csv(path, columns, options.encoding, delimiter, told)
    elif kind[0] in _PARQUET and not packed:
        table = _read_parquet(path, columns, told)
    else:
        raise PanelError(f"{path}: of an unknown format; {FORMATS} can be read.")
    told.done()
    return table


# ---- CSV ----


def _read_csv(
    path: Path, columns: Sequence[str], encoding: str, delimiter: str, progress: Progress
) -> Table:
    import pyarrow as pa
    from pyarrow import csv as pacsv

    header = _csv_header(path, encoding, delimiter)
    found = _present(path, header, columns)
    if not found:
        return Table(path, _count_rows(path, encoding, delimiter), header, {})
    coders = {name: ColumnCoder() for name in found}
    odd: list[Any] = []

    def refuse(row: Any) -> Literal["error"]:
        odd.append(row)
        return "error"

    rows = 0
    try:
        with path.open("rb") as file, _csv_stream(path, file) as stream:
            counted = _QuoteCounter(stream)
            reader = pacsv.open_csv(
                cast(BinaryIO, counted),
                read_options=pacsv.ReadOptions(
                    use_threads=False, block_size=_BLOCK, encoding=encoding
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse
                ),
                convert_options=pacsv.ConvertOptions(
                    include_columns=found,
                    column_types={name: pa.string() for name in found},
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                rows += batch.num_rows
                for name in found:
                    _add_piece(coders[name], batch.column(name))
                progress.at(file.tell())
            if counted.quotes % 2:
                _refuse_open_quote(path, encoding, delimiter)
    except (pa.ArrowException, EOFError, zlib.error, UnicodeDecodeError, OSError) as error:
        raise _csv_error(path, encoding, delimiter, len(header), odd, error) from None
    return Table(path, rows, header, {name: coder.finish() for name, coder in coders.items()})


class _QuoteCounter:
    """A stream that counts the quotation marks passing by.

    Pyarrow takes a mark that is never closed for the beginning of one long last cell, and so
    loses every row after it without a word. An odd count is the sign to look closer.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.quotes = 0

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def close(self) -> None:
        self._stream.close()

    def read(self, octets: int = -1) -> bytes:
        piece = self._stream.read(octets)
        self.quotes += piece.count(b'"')
        return piece


def _refuse_open_quote(path: Path, encoding: str, delimiter: str) -> None:
    """Raise `SourceError` if the file ends inside quotation marks."""
    row = 0
    with _csv_text(path, encoding) as text:
        try:
            for _ in csv.reader(text, delimiter=delimiter, strict=True):
                row += 1
        except csv.Error:
            place = SourcePlace(str(path), row=row)
            detail = "a quotation mark opens here and is never closed."
            raise SourceError(place, detail) from None


@contextmanager
def _csv_stream(path: Path, file: BinaryIO) -> Generator[Any]:
    """The file's plain bytes. Its own position, in compressed bytes, tells the progress."""
    if path.suffix.lower() != ".gz":
        yield file
        return
    with gzip.open(file, "rb") as plain:
        yield plain


@contextmanager
def _csv_text(path: Path, encoding: str) -> Generator[io.TextIOBase]:
    with path.open("rb") as file, _csv_stream(path, file) as stream:
        yield io.TextIOWrapper(stream, encoding=encoding, newline="")


def _csv_header(path: Path, encoding: str, delimiter: str) -> tuple[str, ...]:
    try:
        with _csv_text(path, encoding) as text:
            header = next(csv.reader(text, delimiter=delimiter), None)
    except LookupError:
        raise PanelError(f"The codebook's encoding, {encoding!r}, is not known.") from None
    except UnicodeDecodeError as error:
        raise _encoding_error(path, encoding, error) from None
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise SourceError(SourcePlace(str(path)), f"cannot be read: {error}.") from None
    if not header:
        raise SourceError(SourcePlace(str(path)), "the file is empty; a header line is needed.")
    header[0] = header[0].removeprefix("\ufeff")
    return tuple(header)


def _count_rows(path: Path, encoding: str, delimiter: str) -> int:
    """Rows of a file of which no column is wanted."""
    with _csv_text(path, encoding) as text:
        return sum(1 for _ in csv.reader(text, delimiter=delimiter)) - 1


def _csv_error(
    path: Path, encoding: str, delimiter: str, width: int, odd: list[Any], error: Exception
) -> SourceError:
    """What went wrong, at its row. Pyarrow knows too little of that, so the file is read again."""
    try:
        with _csv_text(path, encoding) as text:
            for row, cells in enumerate(csv.reader(text, delimiter=delimiter)):
                if cells and len(cells) != width:
                    return SourceError(
                        SourcePlace(str(path), row=row),
                        f"it has {len(cells)} cells where the header has {width}. "
                        "A quotation mark or a delimiter is probably amiss.",
                    )
    except UnicodeDecodeError as found:
        return _encoding_error(path, encoding, found)
    except (OSError, EOFError, zlib.error, csv.Error) as found:
        return SourceError(SourcePlace(str(path)), f"is damaged or cut short: {found}.")
    detail = f"{odd[0].text!r}" if odd else str(error).splitlines()[0]
    return SourceError(SourcePlace(str(path)), f"cannot be read: {detail}.")


def _encoding_error(path: Path, encoding: str, error: UnicodeDecodeError) -> SourceError:
    """The row of the first line that is in another encoding."""
    row: int | None = None
    with path.open("rb") as file, _csv_stream(path, file) as stream:
        for place, line in enumerate(stream):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as found:
                row, error = place, found
                break
    value = error.object[error.start : error.end].decode("latin-1")
    return SourceError(
        SourcePlace(str(path), row=row, value=value),
        f"is not {encoding}. Name the file's encoding in the codebook: "
        '[source] encoding = "latin-1", for example.',
    )


# ---- Parquet ----


def _read_parquet(path: Path, columns: Sequence[str], progress: Progress) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    octets = path.stat().st_size
    try:
        with parquet.ParquetFile(path) as file:
            header = tuple(file.schema_arrow.names)
            found = _present(path, header, columns)
            coders = {name: ColumnCoder() for name in found}
            # A few columns at a time, a row group at a time: memory for those, not for the file.
            for first in range(0, len(found), _COLUMNS_AT_ONCE):
                names = found[first : first + _COLUMNS_AT_ONCE]
                for group in range(file.num_row_groups):
                    piece = file.read_row_group(group, columns=names, use_threads=True)
                    for name in names:
                        _add_piece(coders[name], piece.column(name))
                progress.at(octets * (first + len(names)) // len(found))
            rows = int(file.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        detail = str(error).splitlines()[0]
        raise SourceError(SourcePlace(str(path)), f"cannot be read as Parquet: {detail}") from None
    return Table(path, rows, header, {name: coder.finish() for name, coder in coders.items()})


# ---- both ----


def _present(path: Path, header: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The wanted columns that the file has, in its own order; none may be there twice."""
    wanted = set(columns)
    found = [name for name in header if name in wanted]
    for name in found:
        if found.count(name) > 1:
            place = SourcePlace(str(path), column=name)
            raise SourceError(place, "the header names this column twice.")
    return found


def _add_piece(coder: ColumnCoder, piece: Any) -> None:
    """Put an arrow array, chunked or not, of any type into a coder."""
    for chunk in getattr(piece, "chunks", [piece]):
        plain = chunk if hasattr(chunk, "dictionary") else chunk.dictionary_encode()
        codes = plain.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        values = [_text(value) for value in plain.dictionary.to_pylist()]
        coder.add(codes, values)


def _text(value: Any) -> str | None:
    """A cell's value as canonical text; None for an empty one."""
    if value is None or value != value:  # NaN is an empty cell
        return None
    if isinstance(value, (str, bool, int, float)):
        return canonical_value(value)
    return value.decode("utf-8", "replace").strip() if isinstance(value, bytes) else str(value)
