"""Read CSV and TSV files, also gzipped, with pyarrow and in blocks.

Pyarrow knows little of where a file goes wrong, so a file that it refuses is read once more by
Python's own reader, for the row.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Piece, Progress
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.contents import unreadable
from audiencelab.ingest.readers.csv_dialect import UNREADABLE, open_bytes, usual_delimiter
from audiencelab.ingest.readers.not_respondents import LOOKED_AT, not_respondents
from audiencelab.ingest.readers.platforms import READ_AHEAD, Heading, heading_of
from audiencelab.ingest.readers.written_numbers import Thousands, WrittenNumbers
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

_BLOCK = 8 << 20
_DELIMITER = re.compile(r'[^\r\n\0"\x80-\U0010ffff]')
_DAMAGED = (*UNREADABLE, csv.Error)


class DelimitedFile(SurveyFile):
    """A CSV or TSV file. Everything in it is text."""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        self.encoding = options.encoding or "utf-8"
        self.decimal = options.decimal
        self.delimiter = options.delimiter or usual_delimiter(path)
        if not _DELIMITER.fullmatch(self.delimiter):
            raise SurveyError(f"A delimiter must be one ASCII character; got {self.delimiter!r}.")
        heading, self._skipped = self._read_heading()
        self.name_columns(heading.names)
        self._names = self.header
        self.heading, self._heading_rows = heading.reason, heading.rows
        self.variables = heading.variables

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        import pyarrow as pa

        odd: list[Any] = []

        def refuse(row: Any) -> Literal["error"]:
            odd.append(row)
            return "error"

        self.rows = 0
        try:
            # Where no column is wanted, the rows are still to be counted, and one will do.
            indices = {name: f"{self._names.index(name)}" for name in columns}
            numbers = {
                name: WrittenNumbers(name, self.decimal, in_commas=self.delimiter == ",")
                for name in indices
            }
            for batch in self._batches([*indices.values()] or ["0"], refuse, progress):
                self.rows += batch.num_rows
                for name, index in indices.items():
                    yield from numbers[name].pieces(batch.column(index))
            for name, column in numbers.items():
                yield from column.rest()
                self._tell(name, column.thousands)
        except (pa.ArrowException, UnicodeDecodeError, *UNREADABLE) as error:
            detail = f"{odd[0].text!r}" if odd else str(error).splitlines()[0]
            place = SourcePlace(str(self.path))
            raise self._problem() or SourceError(place, unreadable(self.path, detail)) from None

    def _batches(self, indices: Sequence[str], refuse: Any, progress: Progress) -> Iterator[Any]:
        """Batches of some columns, which are named by their indices here."""
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
                    # Names in the file may repeat, which pyarrow does not include by name; indices
                    # do not.
                    column_names=[f"{index}" for index in range(len(self._names))],
                    skip_rows_after_names=self._skipped,
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=refuse
                ),
                convert_options=pacsv.ConvertOptions(
                    include_columns=list(indices),
                    # As text: guessed types would make 1 of "01" and a date of a code.
                    column_types={index: pa.string() for index in indices},
                    # "NA" and "null" may be answers; an empty cell stays an empty text.
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                yield batch
                progress.at(file.tell())
            if counted.quotes % 2 and (problem := self._problem(is_quote_open=True)):
                raise problem

    def _tell(self, name: str, found: Thousands | None) -> None:
        """Note how the numbers of a column were understood, if they have groups of digits."""
        if found is None or any(each.about == name for each in self.guesses):
            return
        said = f"{found.example!r} is read as {found.number if found.is_certain else found.as_is}"
        said += f", with {found.mark!r} between thousands" if found.is_certain else ""
        code = self._code(f'decimal="{self.decimal}", dtype={{{quoted(name)}: str}}')
        if not found.is_certain:
            said += f", and may be {found.number}: {found.mark!r} may be between thousands"
            code = self._code(f'thousands="{found.mark}", decimal="{found.decimal}"')
        severity = 2 if found.is_certain else 0
        self.guesses += (Guess(name, "numbers", said, code, severity),)

    def _code(self, arguments: str) -> str:
        """Code that opens the file as pandas reads it."""
        encoding = "" if self.encoding == "utf-8" else f", encoding={quoted(self.encoding)}"
        given = f"{quoted(str(self.path))}, sep={quoted(self.delimiter)}{encoding}, {arguments}"
        return f"al.open(pandas.read_csv({given}))"

    def _read_heading(self) -> tuple[Heading, int]:
        """The heading, and how many rows are to be skipped for it, empty lines among them."""
        place = SourcePlace(str(self.path))
        first: list[list[str]] = []
        ends: list[int] = []
        try:
            with _csv_text(self.path, self.encoding) as lines:
                rows = enumerate(csv.reader(lines, delimiter=self.delimiter), start=1)
                number, cells = next(rows, (1, list[str]()))
                first, ends = [cells], [number]
                # What is wrong with the rows below the header is found where they are read.
                with suppress(*_DAMAGED, UnicodeDecodeError):
                    while len(first) < LOOKED_AT and (row := next(rows, None)):
                        if row[1]:
                            ends.append(row[0])
                            first.append(row[1])
        except UnicodeDecodeError as error:
            raise _encoding_error(self.path, self.encoding, error) from None
        except (LookupError, ValueError):
            raise SurveyError(
                f"encoding={self.encoding!r} is not valid: there is no such encoding. Write "
                'encoding="utf-8", or encoding="windows-1252".'
            ) from None
        except _DAMAGED as error:
            raise SourceError(place, unreadable(self.path, str(error))) from None
        if not first[0]:
            raise SourceError(place, "the file is empty; a header line is needed.")
        if "\0" in first[0][0]:
            advice = 'looks like UTF-16: write [source] encoding = "utf-16".'
            raise SourceError(place, f"is not {self.encoding}, but {advice}")
        self.guesses = not_respondents(first, self.path.name)
        heading = heading_of(first[:READ_AHEAD])
        return heading, ends[heading.rows - 1]

    def _problem(self, *, is_quote_open: bool = False) -> SourceError | None:
        """The first row that is wrong, if one is, found by Python's reader.

        is_quote_open: the file may end inside quotation marks, which is an error then.
        """
        origin, width = str(self.path), len(self._names)
        row = -self._heading_rows
        try:
            with _csv_text(self.path, self.encoding) as lines:
                for cells in csv.reader(lines, delimiter=self.delimiter, strict=is_quote_open):
                    row += bool(cells)  # pyarrow skips empty lines too
                    if cells and len(cells) != width:
                        # Damage shows at the end of a packed file, and is what to report.
                        deque(lines, maxlen=0)
                        return SourceError(
                            SourcePlace(origin, row=row),
                            f"it has {len(cells)} cells where the header has {width}. "
                            "A quotation mark or a delimiter is probably amiss.",
                        )
        except UnicodeDecodeError as error:
            return _encoding_error(self.path, self.encoding, error)
        except _DAMAGED as error:
            if is_quote_open and isinstance(error, csv.Error):
                detail = "a quotation mark opens here and is never closed."
                return SourceError(SourcePlace(origin, row=row + 1), detail)
            return SourceError(SourcePlace(origin), f"is damaged or cut short: {error}.")
        return None


class _QuoteCounter:
    """A stream that counts the quotation marks passing by.

    Pyarrow takes a mark that is never closed for the beginning of one long last cell, and so
    loses every row after it without an error. An odd count is the sign to look closer.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.close = stream.close
        self.quotes = 0

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def read(self, octets: int = -1) -> bytes:  # pragma: no cover - in threads of pyarrow's
        piece = self._stream.read(octets)
        self.quotes += piece.count(b'"')
        return piece


@contextmanager
def _csv_text(path: Path, encoding: str, errors: str = "strict") -> Generator[Iterator[str]]:
    """The lines of a file, without a byte order mark."""
    with open_bytes(path) as stream:
        lines = io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline="")
        yield chain([next(lines, "").removeprefix("\ufeff")], lines)


def _mark_bytes(error: UnicodeError) -> tuple[str, int]:
    """Replace each byte that cannot be decoded by a lone surrogate, which no text holds."""
    assert isinstance(error, UnicodeDecodeError)
    invalid = error.object[error.start : error.end]
    return "".join(chr(0xDC00 + byte) for byte in invalid), error.end


codecs.register_error("audiencelab.mark", _mark_bytes)


def _encoding_error(path: Path, encoding: str, error: UnicodeDecodeError) -> SourceError:
    """The error of the first line that is in another encoding."""
    row: int | None = None
    value = error.object[error.start : error.end].decode("latin-1")
    try:
        with _csv_text(path, encoding, "audiencelab.mark") as lines:
            for number, line in enumerate(lines):
                if found := re.search("[\udc00-\udcff]+", line):
                    row, value = number, "".join(chr(ord(each) - 0xDC00) for each in found[0])
                    break
    except _DAMAGED as found:
        # Damage also makes invalid characters, and is what to report.
        return SourceError(SourcePlace(str(path)), f"is damaged or cut short: {found}.")
    return SourceError(
        SourcePlace(str(path), row=row, value=value),
        f'is not {encoding}. Name the file\'s encoding, as in encoding="latin-1", or in '
        'the codebook: [source] encoding = "latin-1".',
    )
