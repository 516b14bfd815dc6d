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
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast

from audiencelab.ingest.codebook import Source, canonical_value
from audiencelab.ingest.columns import Piece, Progress, Variable
from audiencelab.ingest.readers.arrow import arrow_pieces
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.csv_dialect import (
    READ_AHEAD,
    Heading,
    heading_of,
    open_bytes,
)
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

_BLOCK = 8 << 20
_PART = 64 << 10
"""Bytes that are decoded at once in the search for a row."""

_DELIMITER = re.compile(r'[^\r\n\0"\x80-\U0010ffff]')
_COMMA_NUMBER = re.compile(r"[-+]?\d+,\d+")


class DelimitedFile(SurveyFile):
    """A CSV or TSV file. Everything in it is text."""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        self.encoding = options.encoding or "utf-8"
        self.decimal = options.decimal
        is_tsv = path.name.lower().removesuffix(".gz").endswith(".tsv")
        self.delimiter = options.delimiter or ("\t" if is_tsv else ",")
        if not _DELIMITER.fullmatch(self.delimiter):
            raise SurveyError(f"A delimiter is one ASCII sign, and {self.delimiter!r} is none.")
        heading, self._skipped = _csv_header(path, self.encoding, self.delimiter)
        self.header, self.heading, self._heading_rows = heading.names, heading.reason, heading.rows
        self.variables = {name: Variable(label=label) for name, label in heading.labels.items()}

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        import pyarrow as pa

        odd: list[Any] = []

        def refuse(row: Any) -> Literal["error"]:
            odd.append(row)
            return "error"

        self.rows = 0
        try:
            # Where no column is wanted, the rows are still to be counted, and one will do.
            places = {name: f"{self.header.index(name)}" for name in columns}
            for batch in self._batches(list(places.values()) or ["0"], refuse, progress):
                self.rows += batch.num_rows
                for name, place in places.items():
                    yield from map(self._with_points, arrow_pieces(name, batch.column(place)))
        except (pa.ArrowException, EOFError, zlib.error, UnicodeDecodeError, OSError) as error:
            raise self._error(odd, error) from None

    def _with_points(self, piece: Piece) -> Piece:
        """The same piece, decimal points in the place of decimal commas."""
        if self.decimal == ".":
            return piece
        return piece._replace(values=[_with_point(value) for value in piece.values])

    def _batches(self, places: Sequence[str], refuse: Any, progress: Progress) -> Iterator[Any]:
        """Batches of the columns at some places, by which they are named here."""
        import pyarrow as pa
        from pyarrow import csv as pacsv

        with self.path.open("rb") as file, open_bytes(self.path, file) as stream:
            counted = _QuoteCounter(stream)
            reader = pacsv.open_csv(
                cast(BinaryIO, counted),
                read_options=pacsv.ReadOptions(
                    use_threads=False,
                    block_size=_BLOCK,
                    encoding=self.encoding,
                    column_names=[f"{place}" for place in range(len(self.header))],
                    skip_rows_after_names=self._skipped,
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=refuse
                ),
                convert_options=pacsv.ConvertOptions(
                    include_columns=list(places),
                    column_types={place: pa.string() for place in places},
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                yield batch
                progress.at(file.tell())
            if counted.quotes % 2:
                self._refuse_open_quote()

    def _refuse_open_quote(self) -> None:
        """Raise `SourceError` if the file ends inside quotation marks."""
        row = 1 - self._heading_rows
        with _csv_text(self.path, self.encoding) as lines:
            try:
                for cells in csv.reader(lines, delimiter=self.delimiter, strict=True):
                    row += bool(cells)
            except csv.Error:
                place = SourcePlace(str(self.path), row=row)
                detail = "a quotation mark opens here and is never closed."
                raise SourceError(place, detail) from None

    def _error(self, odd: list[Any], error: Exception) -> SourceError:
        """What went wrong, at its row. Pyarrow knows too little of that: it is read again."""
        path, width = self.path, len(self.header)
        try:
            with _csv_text(path, self.encoding) as lines:
                # Empty lines are not rows: pyarrow skips them too.
                rows = (cells for cells in csv.reader(lines, delimiter=self.delimiter) if cells)
                for row, cells in enumerate(rows, start=1 - self._heading_rows):
                    if len(cells) != width:
                        return SourceError(
                            SourcePlace(str(path), row=row),
                            f"it has {len(cells)} cells where the header has {width}. "
                            "A quotation mark or a delimiter is probably amiss.",
                        )
        except UnicodeDecodeError as found:
            return _encoding_error(path, self.encoding, found)
        except (OSError, EOFError, zlib.error, csv.Error) as found:
            return SourceError(SourcePlace(str(path)), f"is damaged or cut short: {found}.")
        detail = f"{odd[0].text!r}" if odd else str(error).splitlines()[0]
        return SourceError(SourcePlace(str(path)), f"cannot be read: {detail}.")


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


@contextmanager
def _csv_text(path: Path, encoding: str) -> Generator[Iterator[str]]:
    """The lines of a file; a byte order mark before the first of them is none of it."""
    with open_bytes(path) as stream:
        lines = io.TextIOWrapper(stream, encoding=encoding, newline="")
        yield chain([next(lines, "").removeprefix("\ufeff")], lines)


def _csv_header(path: Path, encoding: str, delimiter: str) -> tuple[Heading, int]:
    """The heading, and how many rows are to be skipped for it, empty lines among them."""
    first: list[list[str]] = []
    places: list[int] = []
    try:
        with _csv_text(path, encoding) as lines:
            rows = csv.reader(lines, delimiter=delimiter)
            first.append(next(rows, list[str]()))
            # What is wrong with the rows below the header is found where they are read.
            with suppress(OSError, EOFError, zlib.error, csv.Error, UnicodeDecodeError):
                for place, cells in enumerate(rows, start=1):
                    if cells:
                        first.append(cells)
                        places.append(place)
                    if len(first) == READ_AHEAD:
                        break
    except UnicodeDecodeError as error:
        raise _encoding_error(path, encoding, error) from None
    except (LookupError, ValueError):
        raise SurveyError(f"The codebook's encoding, {encoding!r}, is not known.") from None
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise SourceError(SourcePlace(str(path)), f"cannot be read: {error}.") from None
    if not first[0]:
        raise SourceError(SourcePlace(str(path)), "the file is empty; a header line is needed.")
    if "\0" in first[0][0]:
        raise SourceError(
            SourcePlace(str(path)),
            f'is not {encoding}, but looks like UTF-16: write [source] encoding = "utf-16".',
        )
    heading = heading_of(first)
    return heading, 1 + [0, *places][heading.rows - 1]


def _encoding_error(path: Path, encoding: str, error: UnicodeDecodeError) -> SourceError:
    """The row of the first line that is in another encoding.

    Lines are counted in the text: the bytes of a line's end may be parts of other signs (UTF-16).
    """
    row: int | None = None
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 0
    try:
        with open_bytes(path) as stream:
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
        # Damage also makes invalid characters, and is what to report.
        return SourceError(SourcePlace(str(path)), f"is damaged or cut short: {found}.")
    value = error.object[error.start : error.end].decode("latin-1")
    return SourceError(
        SourcePlace(str(path), row=row, value=value),
        f"is not {encoding}. Name the file's encoding with --encoding latin-1, for example, or in "
        'the codebook: [source] encoding = "latin-1".',
    )
