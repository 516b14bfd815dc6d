"""Read triple-S files: definitions in XML (.sss or .xml), and data beside them (.asc or .csv).

Versions 1.1 to 3.0 of the standard (triple-s.org), one level of data. A variable of type multiple
becomes one column of cells such as `1;3;`, where `;` is an answer that chooses nothing.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import isfinite
from pathlib import Path, PureWindowsPath
from typing import IO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import Source, canonical_value, number_of
from audiencelab.ingest.columns import Piece, Progress, Variable
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.csv_dialect import open_bytes
from audiencelab.ingest.readers.encodings import Encoding, encoding_of_files
from audiencelab.ingest.readers.fixed_width import LineField, fixed_width_pieces, number
from audiencelab.survey.errors import SourceError, SourcePlace

_BLOCK = 20_000
_DATA = (".asc", ".csv", ".dat", ".txt")
_DECLARED = re.compile(rb"""<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)""")
_SEPARATOR = ";"
_NO_ANSWER = "blank"
"""The value of a blank cell of those who were asked, where that is known."""


class TripleSFile(SurveyFile):
    """A triple-S survey. Logical variables are 1 for yes, 0 for no.

    Blank cells were not asked; where a variable names a logical one as its filter, those for whom
    that is not true were not asked, and the others with a blank gave no answer.
    """

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        root = _parsed(path)
        record = _record(root, path)
        self._data = _data_of(record, path)
        self._is_csv = (
            record.get("format", "").lower() == "csv" or self._data.suffix.lower() == ".csv"
        )
        self._skipped = int(record.get("skip") or 0)
        found = Encoding(options.encoding) if options.encoding else _encoding(path, self._data)
        self.guesses = found.guesses
        # With or without a byte order mark, which `utf-8-sig` removes.
        self._encoding = found.name or "utf-8-sig"
        try:
            found = [_Field.of(each) for each in record.iter("variable")]
        except (AttributeError, TypeError, ValueError) as error:
            raise SourceError(SourcePlace(self.origin), f"is not triple-S: {error}.") from None
        self.name_columns([each.name for each in found])
        self._fields = dict(zip(self.header, _filtered(found), strict=True))
        self.variables = {name: each.variable for name, each in self._fields.items()}
        self.declared_weight = next(
            (name for name, each in self._fields.items() if each.use == "weight"), ""
        )
        self.title = _text(root.find("survey/title"))
        version = root.get("version", "")
        self.heading = f"triple-S {version}, {len(found):,} variables, data in {self._data.name}"

    @property
    def octets(self) -> int:
        return self._data.stat().st_size

    def checksum(self) -> str:
        return hashlib.sha256(self.path.read_bytes() + self._data.read_bytes()).hexdigest()

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        self.rows = 0
        # Where no column is wanted, the rows are still to be counted, and one will do.
        wanted = {name: self._fields[name] for name in columns or self.header[:1]}
        # First, since they decide what a blank means in the rows that are read with them.
        filters = [each.asks for each in wanted.values() if each.asks in self._fields]
        fields = {name: self._fields[name] for name in dict.fromkeys([*filters, *wanted])}
        found = self._cells(fields, progress) if self._is_csv else self._lines(fields, progress)
        first = next(iter(fields))
        asked: dict[str, npt.NDArray[np.bool_]] = {}
        for piece in found:
            if piece.column == first:
                self.rows += len(piece.codes)
            asks = fields[piece.column].asks
            if piece.column in filters:
                asked[piece.column] = np.array([value == "1" for value in piece.values])[
                    piece.codes
                ]
            if columns and piece.column in wanted:
                yield (
                    _of_asked(piece, asked[asks], fields[piece.column].kind)
                    if asks in asked
                    else piece
                )

    def _lines(self, fields: Mapping[str, _Field], progress: Progress) -> Iterator[Piece]:
        """Columns of lines with fixed positions."""
        cells = [
            LineField(name, field.cells.start, field.cells.stop, is_text=not field.is_number)
            for name, field in fields.items()
        ]
        return fixed_width_pieces(
            self._data,
            self._encoding,
            cells,
            progress,
            skipped=self._skipped,
            value=lambda cell, text: fields[cell.name].value(text.strip(), text),
        )

    def _cells(self, fields: Mapping[str, _Field], progress: Progress) -> Iterator[Piece]:
        """Columns of a CSV file."""
        try:
            with self._data.open("rb") as opened:
                lines = io.TextIOWrapper(opened, self._encoding, newline="")
                rows = self._rows(lines)
                while block := list(islice(rows, _BLOCK)):
                    for name, field in fields.items():
                        known: dict[str, int] = {}
                        # A variable takes one cell, or several of one character.
                        cells = map("".join, (row[field.cells] for row in block))
                        codes = [known.setdefault(cell, len(known)) for cell in cells]
                        values = [field.value(cell.strip(), cell) for cell in known]
                        yield Piece(name, np.array(codes, np.int32), values)
                    progress.at(opened.tell())
        except UnicodeDecodeError:
            raise SourceError(
                SourcePlace(str(self._data)),
                f"is not {self._encoding}. Name the file's encoding: [source] encoding = "
                '"windows-1252", for example.',
            ) from None
        except (OSError, LookupError, csv.Error) as error:
            raise SourceError(SourcePlace(str(self._data)), f"cannot be read: {error}.") from None

    def _rows(self, file: IO[str]) -> Iterator[Sequence[str]]:
        """The rows with anything in them, each with enough cells."""
        width = max(field.cells.stop for field in self._fields.values())
        rows = (row for row in csv.reader(file) if row)
        for place, row in enumerate(islice(rows, self._skipped, None), start=1):
            if len(row) < width:
                detail = f"it has {len(row)} cells; the definitions name {width}."
                raise SourceError(SourcePlace(str(self._data), row=place), detail)
            yield row


def data_file(path: Path) -> Path:
    """The file with the data that triple-S definitions describe."""
    return _data_of(_record(_parsed(path), path), path)


@dataclass(frozen=True)
class _Field:
    """A variable and where it is in a row.

    cells: characters of a line, or cells of a CSV row. width: of one of the subfields that hold
    codes, 0 where a multiple has a character for each code. asks: the name of the logical variable
    that is true for the respondents who were asked; "" where there is none.
    """

    name: str
    ident: str
    kind: str
    use: str
    asks: str
    cells: slice
    width: int
    is_number: bool
    variable: Variable

    @classmethod
    def of(cls, found: Element) -> _Field:
        kind, name = found.get("type", "").lower(), _text(found.find("name"))
        is_number = kind in ("single", "quantity") and found.get("format") != "literal"
        position = found.find("position")
        if not name or position is None:
            raise ValueError(f"the variable {name or found.get('ident')} has no name or position")
        start = int(position.get("start", ""))
        finish = int(position.get("finish") or start)
        spread = found.find("spread")
        labels = {"1": "Yes", "0": "No"} if kind == "logical" else {}
        scores: dict[str, float] = {}
        for value in found.iter("value"):
            code = value.get("code", "").strip()
            code = number(code) if is_number else canonical_value(code)
            labels[code] = _text(value)
            score = number_of(value.get("score", ""))
            if score is not None and isfinite(score):
                scores[code] = score
        return cls(
            name,
            found.get("ident", ""),
            kind,
            found.get("use", ""),
            _text(found.find("filter")) or found.get("filter", ""),
            # Positions count from 1, and `finish` is the last one.
            slice(start - 1, finish),
            0 if spread is None else int(spread.get("width") or _width(found)),
            is_number,
            Variable(
                label=_text(found.find("label")),
                labels=labels,
                is_date=kind == "date",
                no_question="the serial number" if found.get("use") == "serial" else "",
                separator=_SEPARATOR if kind == "multiple" else "",
                holds_one=kind != "multiple",
                scores=scores,
            ),
        )

    def value(self, cell: str, padded: str) -> str:
        """The canonical value of a cell, as it is and without blanks; "" for an empty one."""
        if not cell:
            return ""
        if self.kind == "multiple":
            return self._several(padded)
        if self.is_number:
            return number(cell)
        if self.kind == "date" and len(cell) == len("20240331"):
            return f"{cell[:4]}-{cell[4:6]}-{cell[6:]}"
        # Some programs leave the seconds out.
        if self.kind == "time" and len(cell) in (len("1705"), len("170500")):
            return ":".join(cell[start : start + 2] for start in range(0, len(cell), 2))
        return canonical_value(cell)

    def _several(self, cell: str) -> str:
        if self.width:
            starts = range(0, len(cell), self.width)
            codes = [number(cell[start : start + self.width].strip()) for start in starts]
            # Subfields that are not needed are blank or 0.
            chosen = [code for code in dict.fromkeys(codes) if code not in ("", "0")]
        else:
            codes = (str(position) for position, sign in enumerate(cell, start=1) if sign == "1")
            # Codes without a value take a character too, and mean nothing.
            chosen = [code for code in codes if code in self.variable.labels]
        return "".join(f"{code}{_SEPARATOR}" for code in chosen) or _SEPARATOR


def _filtered(fields: Sequence[_Field]) -> Iterator[_Field]:
    """The variables, with who was asked them as text.

    A filter names a variable, which is logical as a rule: what it is true for was asked.
    """
    known = {each.ident: each for each in fields} | {each.name: each for each in fields}
    for each in fields:
        by = known.get(each.asks)
        if by is None or by.kind != "logical":
            said = f"by {by.name}: {by.variable.label}" if by else each.asks
            yield replace(each, asks="", variable=replace(each.variable, universe=said))
            continue
        said = f"{by.variable.label or by.name}: Yes"
        missing = frozenset([_NO_ANSWER] if each.kind != "multiple" else ())
        variable = replace(each.variable, universe=said, missing=missing)
        yield replace(each, asks=by.name, variable=variable)


def _of_asked(piece: Piece, asked: npt.NDArray[np.bool_], kind: str) -> Piece:
    """The values of a variable with a filter, of which `asked` says who was asked.

    Those who were asked and have a blank gave no answer, or chose nothing of several. Programs
    write that nothing is chosen also for those who were not asked.
    """
    blank = _SEPARATOR if kind == "multiple" else _NO_ANSWER
    values = [value or "" for value in piece.values]
    is_blank = np.array([not value for value in values])[piece.codes]
    is_none = np.array([value == _SEPARATOR for value in values])[piece.codes]
    codes = np.where(is_blank & asked, len(values), piece.codes)
    codes = np.where(is_none & ~asked, len(values) + 1, codes)
    return Piece(piece.column, codes, [*values, blank, ""])


def _width(variable: Element) -> int:
    return max(len(value.get("code", "")) for value in variable.iter("value"))


def _text(element: Element | None) -> str:
    """The text of an element, in the first of its languages; <br/> is a blank."""
    if element is None:
        return ""
    first = element.find("text")
    return " ".join(" ".join((element if first is None else first).itertext()).split())


def _parsed(path: Path) -> Element:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        is_plain = path.read_bytes().lstrip()[:3].upper() == b"SSS"
        why = "is of triple-S 1.0, which is not XML; export it as triple-S XML" if is_plain else ""
        why = why or f"is not XML: {error}"
        raise SourceError(SourcePlace(str(path)), f"{why}.") from None
    if root.tag != "sss":
        detail = f"is XML, but not triple-S: it begins with <{root.tag}>, not with <sss>."
        raise SourceError(SourcePlace(str(path)), detail)
    return root


def _record(root: Element, path: Path) -> Element:
    records = root.findall("survey/record")
    if len(records) != 1:
        detail = f"it describes {len(records)} records of a hierarchy. Export one level of it."
        raise SourceError(SourcePlace(str(path)), detail)
    return records[0]


def _data_of(record: Element, path: Path) -> Path:
    # A path of Windows or another machine; only the file's name is looked for, beside the
    # definitions.
    named = PureWindowsPath(record.get("href") or "").name
    is_csv = record.get("format", "").lower() == "csv"
    suffixes = sorted(_DATA, key=lambda suffix: suffix != ".csv") if is_csv else _DATA
    # Written on Windows, where the case of names does not matter.
    beside = {each.name.lower(): each for each in path.parent.iterdir()}
    for name in (named, *(path.stem + suffix for suffix in suffixes)):
        if found := beside.get(name.lower()):
            return found
    missing = named or f"{path.stem}.asc or {path.stem}.csv"
    detail = f"its data are not beside it: there is no {missing}."
    raise SourceError(SourcePlace(str(path)), detail)


def _encoding(path: Path, data: Path) -> Encoding:
    """UTF-8 where the data are that, else what the definitions declare, else a guess."""
    guessed = encoding_of_files([data], open_bytes)
    declared = _DECLARED.search(path.read_bytes()[:200])
    is_other = declared is not None and declared[1].lower() not in (b"utf-8", b"utf8")
    return Encoding(declared[1].decode()) if guessed.name and declared and is_other else guessed
