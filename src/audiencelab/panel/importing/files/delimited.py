"""Reading CSV and TSV files, also gzipped, with pyarrow and in blocks.

Pyarrow knows little of where a file goes wrong, so a file that it refuses is read once more by
Python's own reader, for the row.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast

from audiencelab.panel.errors import PanelError, SourceError, SourcePlace
from audiencelab.panel.importing.codebook import Source, canonical_value
from audiencelab.panel.importing.files.bounds import plain_bytes
from audiencelab.panel.importing.files.reader import SurveyFile, arrow_pieces
from audiencelab.panel.importing.tables import Piece, Progress

__all__ = ["DelimitedFile"]

_BLOCK = 8 << 20
_PART = 64 << 10
"""Bytes that are decoded at once in the search for a row."""

_DELIMITER = re.compile(r'[^\r\n\0"\x80-\U0010ffff]')
_COMMA_NUMBER = re.compile(r"[-+]?\d+,\d+")


class DelimitedFile(SurveyFile):
    """A CSV or TSV file. Everything in it is text."""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        self.encoding = options.encoding
        self.decimal = options.decimal
        is_tsv = path.name.lower().removesuffix(".gz").endswith(".tsv")
        self.delimiter = options.delimiter or ("\t" if is_tsv else ",")
        if not _DELIMITER.fullmatch(self.delimiter):
            raise PanelError(f"A delimiter is one ASCII sign, and {self.delimiter!r} is none.")
        self.header = _csv_header(path, self.encoding, self.delimiter)

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        import pyarrow as pa

        odd: list[Any] = []

        def refuse(row: Any) -> Literal["error"]:
            odd.append(row)
            return "error"

        self.rows = 0
        try:
            # Where no column is wanted, the rows are still to be counted, and one will do.
            for batch in self._batches(columns or self.header[:1], refuse, progress):
                self.rows += batch.num_rows
                for name in columns:
                    yield from map(self._with_points, arrow_pieces(name, batch.column(name)))
        except (pa.ArrowException, EOFError, zlib.error, UnicodeDecodeError, OSError) as error:
            raise _csv_error(
                self.path, self.encoding, self.delimiter, len(self.header), odd, error
            ) from None

    def _with_points(self, piece: Piece) -> Piece:
        """The same piece, decimal points in the place of decimal commas."""
        if self.decimal == ".":
            return piece
        return piece._replace(values=[_with_point(value) for value in piece.values])

    def _batches(self, columns: Sequence[str], refuse: Any, progress: Progress) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as pacsv

        with self.path.open("rb") as file, plain_bytes(self.path, file) as stream:
            counted = _QuoteCounter(stream)
            reader = pacsv.open_csv(
                cast(BinaryIO, counted),
                read_options=pacsv.ReadOptions(
                    use_threads=False, block_size=_BLOCK, encoding=self.encoding
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=refuse
                ),
                convert_options=pacsv.ConvertOptions(
                    include_columns=list(columns),
                    column_types={name: pa.string() for name in columns},
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                yield batch
                progress.at(file.tell())
            if counted.quotes % 2:
                _refuse_open_quote(self.path, self.encoding, self.delimiter)


def _with_point(value: str | None) -> str | None:
    if value is None or not _COMMA_NUMBER.fullmatch(value):
        return value
    return canonical_value(value.replace(",", "."))


class _QuoteCounter:
    """A stream that counts the quotation marks passing by.

    Pyarrow takes a mark that is never closed for the beginning of one long last cell, and so
    loses every row after it without a word. An odd count is the sign to look closer.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.quotes = 0

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def close(self) -> None:  # pragma: no cover - pyarrow calls it in threads that are not counted
        self._stream.close()

    def read(self, octets: int = -1) -> bytes:  # pragma: no cover - as for `close`
        piece = self._stream.read(octets)
        self.quotes += piece.count(b'"')
        return piece


def _refuse_open_quote(path: Path, encoding: str, delimiter: str) -> None:
    """Raise `SourceError` if the file ends inside quotation marks."""
    row = 0
    with _csv_text(path, encoding) as text:
        try:
            for cells in csv.reader(text, delimiter=delimiter, strict=True):
                row += bool(cells)
        except csv.Error:
            place = SourcePlace(str(path), row=row)
            detail = "a quotation mark opens here and is never closed."
            raise SourceError(place, detail) from None


@contextmanager
def _csv_text(path: Path, encoding: str) -> Generator[io.TextIOBase]:
    with path.open("rb") as file, plain_bytes(path, file) as stream:
        yield io.TextIOWrapper(stream, encoding=encoding, newline="")


def _csv_header(path: Path, encoding: str, delimiter: str) -> tuple[str, ...]:
    try:
        with _csv_text(path, encoding) as text:
            header = next(csv.reader(text, delimiter=delimiter), None)
    except UnicodeDecodeError as error:
        raise _encoding_error(path, encoding, error) from None
    except (LookupError, ValueError):
        raise PanelError(f"The codebook's encoding, {encoding!r}, is not known.") from None
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise SourceError(SourcePlace(str(path)), f"cannot be read: {error}.") from None
    if not header:
        raise SourceError(SourcePlace(str(path)), "the file is empty; a header line is needed.")
    header[0] = header[0].removeprefix("\ufeff")
    if "\0" in header[0]:
        raise SourceError(
            SourcePlace(str(path)),
            f'is not {encoding}, but looks like UTF-16: write [source] encoding = "utf-16".',
        )
    return tuple(header)


def _csv_error(
    path: Path, encoding: str, delimiter: str, width: int, odd: list[Any], error: Exception
) -> SourceError:
    """What went wrong, at its row. Pyarrow knows too little of that, so the file is read again."""
    try:
        with _csv_text(path, encoding) as text:
            # Empty lines are no rows: pyarrow passes over them too.
            rows = (cells for cells in csv.reader(text, delimiter=delimiter) if cells)
            for row, cells in enumerate(rows):
                if len(cells) != width:
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
    """The row of the first line that is in another encoding.

    Lines are counted in the text: the bytes of a line's end may be parts of other signs (UTF-16).
    """
    row: int | None = None
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 0
    try:
        with path.open("rb") as file, plain_bytes(path, file) as stream:
            while row is None:
                before, block = decoder.getstate(), stream.read(_PART)
                try:
                    lines += decoder.decode(block, final=not block).count("\n")
                except UnicodeDecodeError as found:
                    decoder.setstate(before)
                    sound = block[: max(0, found.start - len(before[0]))]
                    row, error = lines + decoder.decode(sound).count("\n"), found
                if not block:
                    break
    except (OSError, EOFError, zlib.error) as found:
        # Damage makes odd letters too, and is what to tell of.
        return SourceError(SourcePlace(str(path)), f"is damaged or cut short: {found}.")
    value = error.object[error.start : error.end].decode("latin-1")
    return SourceError(
        SourcePlace(str(path), row=row, value=value),
        f"is not {encoding}. Name the file's encoding in the codebook: "
        '[source] encoding = "latin-1", for example.',
    )
