"""Rows of REDCap's exports: which are respondents, and which forms they did not get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.columns import MISSING, Codes, Column, Piece, Progress, Variable
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.readers import redcap
from audiencelab.ingest.readers.base import ReadColumns, SurveyFile, read_columns
from audiencelab.survey.errors import SourceError, SourcePlace, listed
from audiencelab.wording import plural

_Mask = npt.NDArray[np.bool_]
_UNTICKED = ("0", "Unchecked")
_NOT_BEGUN = ("0", "Incomplete")


def as_records(file: SurveyFile) -> SurveyFile:
    """The file with a row for each record and event, if it is an export of REDCap."""
    if isinstance(file, RecordsOfFile) or not redcap.is_redcap(file.header):
        return file
    return RecordsOfFile(file)


def frame_code(file: SurveyFile) -> str:
    """The code that reads a file as a frame of pandas; of any other source "frame"."""
    readers = {".csv": "read_csv", ".xlsx": "read_excel"}
    found = readers.get(file.path.suffix.lower())
    return f"pandas.{found}({quoted(str(file.path))})" if found else "frame"


class RecordsOfFile(SurveyFile):
    """The rows of records: those of repeating instruments are left out.

    Checkboxes are empty in rows in which nothing was entered into their form: it may be 0 there.
    record: the column of records, and records how many there are. event: the column of events, if a
    record has several; else None. frame: the code that reads the file as a frame of pandas.
    """

    def __init__(self, file: SurveyFile) -> None:
        super().__init__(file.path)
        self._file = file
        self.origin, self.name, self.header = file.origin, file.name, file.header
        self.sets, self.title, self.declared_weight = file.sets, file.title, file.declared_weight
        self.study = file.study
        self.heading, self.notes, self.partitions = file.heading, file.notes, file.partitions
        own = [name for name in file.header if name not in file.partitions]
        self.frame = frame_code(file)
        table = read_columns(file, own)
        rows = _Rows(table, redcap.row_columns(file.header))
        kept, found = rows.kept()
        self.rows, self.record = len(kept), rows.record
        self.records = rows.records(kept)
        self.event = rows.event if self.records < self.rows else None
        variables = dict(file.variables)
        if rows.event and not self.event and len(table.columns[rows.event].values) > 1:
            # Each record has one event, so the events are groups of records, such as arms.
            variables.pop(rows.event, None)
        if not rows.event and not rows.is_named and self.records < self.rows:
            # The columns are in another order than REDCap's, and the first is a question.
            variables.pop(self.record, None)
            found = []
        self.variables: Mapping[str, Variable] = variables
        columns = {name: column.take(kept) for name, column in table.columns.items()}
        masks = [*_not_entered(columns, redcap.forms(file.header), self.rows)]
        self._columns = columns
        for each in masks:
            for name in each.boxes:
                column = columns[name]
                codes = np.where(each.rows, MISSING, column.codes).astype(column.codes.dtype)
                columns[name] = Column(codes, column.values, column.missing, column.not_asked)
        told = (each.told(self.rows, self.frame) for each in masks)
        self.guesses = (*file.guesses, *found, *(guess for guess in told if guess))

    @property
    def octets(self) -> int:
        return self._file.octets

    def checksum(self) -> str:
        return self._file.checksum()

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        for name in columns:
            yield Piece(name, self._columns[name].codes, self._columns[name].values)
        progress.at(self.octets)


class _Rows:
    """Which rows a file has of each record."""

    def __init__(self, table: ReadColumns, roles: Mapping[str, str]) -> None:
        self._table = table
        self.record = redcap.record_column(table.source.header)
        self.is_named = self.record.strip().lower() in redcap.RECORDS
        self.event = roles.get("event")
        self._instrument = roles.get("instrument")
        self._instance = roles.get("instance")
        keys = [_codes(table, self.record)]
        keys += [_codes(table, self.event)] if self.event else []
        # One number for each record, or for each record in each event.
        values = len(table.columns[self.event].values) + 1 if self.event else 1
        joint = keys[0].astype(np.int64) * values + (keys[1] + 1 if self.event else 0)
        self._frame = frame_code(table.source)
        self._keys = np.unique(joint, return_inverse=True)[1].reshape(-1)

    def kept(self) -> tuple[npt.NDArray[np.intp], list[Guess]]:
        """The rows that are respondents, and what is left out of the others: int[n].

        The first row of each record and event that repeats no instrument; also one that is the only
        one. If every row repeats an instrument, all of them.
        """
        rows, name = len(self._keys), self._instrument
        is_base = np.ones(rows, bool) if name is None else _codes(self._table, name) == MISSING
        if name is None or not is_base.any():
            if self.event:
                self._check_keys(is_base)
            return np.arange(rows), self._several(rows)
        self._check_keys(is_base)
        is_alone = np.bincount(self._keys)[self._keys] == 1
        places = np.flatnonzero(is_base | is_alone)
        kept = places[np.sort(np.unique(self._keys[places], return_index=True)[1])]
        if len(kept) == rows:
            return kept, []
        values = self._table.columns[name].values
        said = f"{rows - len(kept):,} of {rows:,} rows, which repeat an instrument or an event"
        said += f" of a record ({listed(values, 3)})" if values else " of a record"
        query = f"`{name}` == {quoted(values[0])}" if values else ""
        code = f"al.open({self._frame}.query({query!r}))" if values else ""
        return kept, [Guess("file", "left out", said, code, 1)]

    def records(self, kept: npt.NDArray[np.intp]) -> int:
        """How many records some rows are of."""
        return len(np.unique(_codes(self._table, self.record)[kept]))

    def _check_keys(self, is_base: _Mask) -> None:
        """Raise `SourceError` for two rows of a record that nothing tells apart."""
        name = self._instance
        if name is not None:
            is_base = is_base & (_codes(self._table, name) == MISSING)
        rows = np.flatnonzero(is_base)
        _, first = np.unique(self._keys[rows], return_index=True)
        if len(first) == len(rows):
            return
        row = int(rows[np.setdiff1d(np.arange(len(rows)), first)[0]])
        column = self._table.columns[self.record]
        code = int(column.codes[row])
        value = None if code == MISSING else column.values[code]
        raise SourceError(
            SourcePlace(self._table.origin, row + 1, self.record, value),
            "another row has the same record, and no event or instance tells them apart. The "
            "first column must be the record, as REDCap exports it; without the columns redcap_… "
            "each row is a respondent.",
        )

    def _several(self, rows: int) -> list[Guess]:
        """That records count several times, where they do."""
        if len(np.unique(self._keys)) == rows:
            return []
        records = self.records(np.arange(rows))
        said = f"records count several times: {rows:,} rows of {plural(records, 'record')}"
        code = f"al.open({self._frame}.drop_duplicates({quoted(self.record)}))"
        return [Guess("file", "rows", said, code, 0)]


class _NotEntered(NamedTuple):
    """Rows in which nothing was entered into a form. begun: those of them with a status."""

    form: redcap.Form
    boxes: Sequence[str]
    rows: _Mask
    begun: _Mask

    def told(self, rows: int, frame: str) -> Guess | None:
        if not self.begun.any():
            return None
        status = self.form.status
        said = f"{self.begun.sum():,} of {rows:,} rows have nothing in the form of {status}, which "
        said += f"is incomplete: taken as not asked in {listed(self.boxes, 3)}"
        code = f"al.open({frame}.assign(**{{{quoted(status)}: 2}}))"
        return Guess("file", "rows", said, code, 1)


def _not_entered(
    columns: Mapping[str, Column], forms: Sequence[redcap.Form], rows: int
) -> Iterator[_NotEntered]:
    for form in forms:
        boxes = [name for name in form.columns if redcap.is_checkbox(name)]
        if not boxes:
            continue
        nothing = np.ones(rows, bool)
        for name in form.columns:
            nothing &= _is_one_of(columns[name], _UNTICKED if name in boxes else ())
        nothing &= _is_one_of(columns[form.status], _NOT_BEGUN)
        begun = nothing & (columns[form.status].codes != MISSING)
        if nothing.any():
            yield _NotEntered(form, boxes, nothing, begun)


def _is_one_of(column: Column, values: Sequence[str]) -> _Mask:
    """Whether each row is empty or has one of some values."""
    # One more entry at the end: an empty cell has the code -1.
    return np.array([*(value in values for value in column.values), True])[column.codes]


def _codes(table: ReadColumns, name: str) -> Codes:
    return table.columns[name].codes
