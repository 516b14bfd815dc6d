"""Excel workbooks: which sheet has the respondents, and its cells."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from audiencelab.ingest.codebook import Source, number_of
from audiencelab.ingest.columns import Piece, Progress
from audiencelab.ingest.label_tables import label_columns
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.contents import unreadable
from audiencelab.ingest.readers.csv_dialect import UNREADABLE
from audiencelab.ingest.readers.frames import PandasFrame
from audiencelab.ingest.readers.not_respondents import LOOKED_AT, not_respondents
from audiencelab.ingest.readers.packed import check_workbook
from audiencelab.ingest.readers.platforms import READ_AHEAD, heading_of
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed

_NOT_ANSWERS = re.compile(
    r"(?i)[\W_]*(read ?me|info(rmation)?|about|notes?|cover|title|(table of )?contents?|index|"
    r"instructions?|legend|glossary|hinweise|lies ?mich|inhalt|notice|lisez.?moi|leeme)[\W\d_]*"
)
"""Names of sheets about the others."""

_FEWEST_COLUMNS = 2
_FEWEST_ROWS = 2


class ExcelFile(SurveyFile):
    """A sheet of a workbook, whose first row names the columns.

    sheet: its name.
    """

    def __init__(self, path: Path, options: Source) -> None:
        import pandas

        super().__init__(path)
        with excel_errors(path), pandas.ExcelFile(path, engine="openpyxl") as book:
            first = _FirstRows(book)
            self.sheet, note = _chosen_sheet(first, options.sheet, path)
            looked_at = [self.sheet] if options.sheet is not None else first.sheets
            warnings = (
                each
                for sheet in looked_at
                for each in not_respondents(first.of(sheet), f"the sheet {sheet!r}")
                # A sheet of labels beside the answers describes them.
                if sheet == self.sheet or "results" in each.said
            )
            self.guesses = tuple(islice(warnings, 1))
            heading = heading_of(first.of(self.sheet)[:READ_AHEAD])
            cells = _cells(book, self.sheet, skiprows=heading.rows)
        names = [*heading.names, *[""] * (cells.shape[1] - len(heading.names))]
        # The cells below the header may reach less far than its names.
        frame = cells.reindex(columns=range(len(names)))
        is_one_row = heading.rows == 1
        frame.columns = [
            f"Unnamed: {place}" if is_one_row and not name else name
            for place, name in enumerate(names)
        ]
        self._frame = PandasFrame(frame)
        self.header, self.rows = self._frame.header, self._frame.rows
        self.heading, self.variables = heading.reason, heading.variables
        self.notes = (*note, *self._frame.notes)

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        return self._frame.pieces(columns, progress)


@contextmanager
def excel_errors(path: Path) -> Generator[None]:
    """Raise errors of the library as `SourceError` that names the workbook.

    Also for a workbook that unpacks to more than is plausible.
    """
    try:
        check_workbook(path)
        yield
    except (ValueError, KeyError, SyntaxError, *UNREADABLE, zipfile.BadZipFile) as error:
        # XML that is damaged is a syntax error.
        raise SourceError(SourcePlace(str(path)), unreadable(path, str(error))) from None


def _cells(book: Any, sheet: str, **options: Any) -> Any:
    """A sheet without a header. "NA" and "None" may be answers."""
    import pandas

    library: Any = pandas
    options |= {"header": None, "keep_default_na": False, "na_values": [""]}
    return library.read_excel(book, sheet_name=sheet, **options)


class _FirstRows:
    """The first rows of sheets, as texts; of each sheet they are read once."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self.sheets: list[str] = [*map(str, book.sheet_names)]
        self._read: dict[str, list[list[str]]] = {}

    def of(self, sheet: str) -> list[list[str]]:
        if sheet not in self._read:
            cells = _cells(self._book, sheet, nrows=LOOKED_AT, dtype=str)
            self._read[sheet] = cells.fillna("").to_numpy().tolist()
        return self._read[sheet]


def _chosen_sheet(
    first_rows: _FirstRows, asked_for: str | int | None, path: Path
) -> tuple[str, list[str]]:
    """The sheet to read, and what the report says of the choice.

    Raises `SurveyError` for a sheet that is not there, and where it is not clear which is meant.
    """
    names = first_rows.sheets
    if asked_for is not None:
        return _named_sheet(names, asked_for, path), []
    filled = {name: rows for name in names if (rows := first_rows.of(name))}
    tables = [name for name, rows in filled.items() if _is_table(name, rows)]
    first = names[0]
    if len(filled) < 2:
        return next(iter(filled), first), []
    # The first sheet is what other programs read, and what people expect.
    if first in tables:
        others = [name for name in tables if name != first]
        shown = f"; sheet={others[0]!r} reads another one" if others else ""
        return first, [f"the sheet {first!r} is read{shown}"] if others else []
    if len(tables) == 1:
        return tables[0], [
            f"the sheet {tables[0]!r} is read: {first!r} is not a table of respondents "
            f"(sheet={first!r} reads it)"
        ]
    found = "several sheets that may be" if tables else "no sheet that looks like"
    shown = listed([f"sheet={name!r}" for name in tables or filled])
    raise SurveyError(
        f"{path}: the workbook has {found} the table of respondents. Name it: {shown}."
    )


def _named_sheet(names: Sequence[str], asked_for: str | int, path: Path) -> str:
    """The sheet of a name, or of a number from 0."""
    if asked_for in names:
        return str(asked_for)
    number = int(asked_for) if str(asked_for).isdecimal() else len(names)
    if number < len(names):
        return names[number]
    raise SurveyError(
        f"sheet={asked_for!r} is not valid: {path.name} has no such sheet. It has "
        f"{listed([repr(name) for name in names])}; numbers count from 0."
    )


def _is_table(name: str, rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first rows of a sheet look like respondents below the names of columns."""
    header = [cell.strip() for cell in rows[0]]
    named = [cell for cell in header if cell and number_of(cell) is None]
    return (
        len(named) >= _FEWEST_COLUMNS
        and len(named) >= len(header) / 2
        and len(rows) > _FEWEST_ROWS
        and not _NOT_ANSWERS.fullmatch(name)
        and label_columns(header) is None
    )
