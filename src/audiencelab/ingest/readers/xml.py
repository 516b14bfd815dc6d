"""Open XML that describes the data beside it: triple-S, or DDI-Codebook with text or a table.

The root element says which. Text of fixed positions (.dat, .asc, .txt) is opened by the description
of the same name beside it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from msgspec.structs import replace

from audiencelab.ingest.codebook import Source, number_of
from audiencelab.ingest.columns import Piece, Progress
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.ingest.readers.csv import DelimitedFile
from audiencelab.ingest.readers.csv_dialect import UNREADABLE, dialect_of, encoding_of, open_bytes
from audiencelab.ingest.readers.ddi import (
    DdiCodebook,
    DdiVariable,
    DescribedFile,
    read_ddi,
    stem_of,
    weights_of,
)
from audiencelab.ingest.readers.fixed_width import LineField, fixed_width_pieces, number
from audiencelab.ingest.readers.triple_s import TripleSFile
from audiencelab.ingest.readers.triple_s import data_file as triple_s_data
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed

TEXT = tuple(f"{suffix}{packed}" for suffix in (".dat", ".asc", ".txt") for packed in ("", ".gz"))
"""Suffixes of text with cells at fixed positions."""

_TABLES = (".csv", ".csv.gz", ".tab", ".tsv", ".tsv.gz")
_DESCRIPTIONS = (".xml", ".sss")
_LIFECYCLE = ("DDIInstance", "FragmentInstance")
_EMPTY = re.compile(r"\.|\*+")
"""What statistics programs write into a cell of numbers that has none, or one that does not fit."""

_LONGEST_LINE = 1 << 20


def open_xml(path: Path, options: Source) -> SurveyFile:
    """The data that a triple-S or a DDI-Codebook file describes, which are beside it.

    Raises `SourceError` for any other XML.
    """
    kind = root_of(path)
    if kind == "sss":
        return TripleSFile(path, options)
    check_codebook(path, kind)
    book = read_ddi(path)
    return _opened(book, _data_of(book), options)


def open_text(path: Path, options: Source, labels: Path | None = None) -> SurveyFile:
    """Text with cells at fixed positions, by its description: labels, else the one beside it.

    labels: a file with labels, which is taken if it is DDI-Codebook.

    Raises `SourceError` where there is none.
    """
    is_given = labels is not None and labels.suffix.lower() == ".xml"
    description = labels if is_given else description_of(path)
    if description is None:
        stem = stem_of(path)
        raise SourceError(
            SourcePlace(str(path)),
            f"has no names of columns. Put its description beside it, as {stem}.xml (DDI-Codebook, "
            f"the DDI file of an extract of IPUMS) or {stem}.sss (triple-S), or name "
            f'it: al.open("{path.name}", labels="codebook.xml"). If it is a table, with '
            "a header line and a delimiter, rename it to .csv or .tab.",
        )
    if root_of(description) == "sss":
        return TripleSFile(description, options)
    check_codebook(description, root_of(description))
    return _opened(read_ddi(description), path, options)


def description_of(path: Path) -> Path | None:
    """The description beside text of fixed positions; None without one."""
    wanted = {stem_of(path).lower() + suffix for suffix in _DESCRIPTIONS}
    found = [each for each in path.parent.iterdir() if each.name.lower() in wanted]
    return next(iter(sorted(found)), None)


def described_data(path: Path) -> list[Path]:
    """The data that an XML file describes, for checksums; none where it is not read as data."""
    kind = root_of(path)
    if kind == "sss":
        return [triple_s_data(path)]
    return [_data_of(read_ddi(path))] if kind == "codeBook" else []


def root_of(path: Path) -> str:
    """The name of the root element, without its namespace; `SourceError` for what is not XML."""
    try:
        for _, element in ElementTree.iterparse(path, events=("start",)):
            return element.tag.rpartition("}")[2]
    except ElementTree.ParseError as error:
        is_plain = path.read_bytes().lstrip()[:3].upper() == b"SSS"
        why = "is of triple-S 1.0, which is not XML; export it as triple-S XML" if is_plain else ""
        raise SourceError(SourcePlace(str(path)), f"{why or f'is not XML: {error}'}.") from None
    raise AssertionError(path)  # XML without a root is an error


def check_codebook(path: Path, kind: str) -> None:
    """Raise `SourceError` for XML that is not DDI-Codebook."""
    if kind in _LIFECYCLE:
        raise SourceError(
            SourcePlace(str(path)),
            f"is DDI-Lifecycle (<{kind}>), which is not read. Export DDI-Codebook (DDI 2.5), or "
            "open the data alone, as .csv or .sav.",
        )
    if kind != "codeBook":
        raise SourceError(
            SourcePlace(str(path)),
            "is XML, but neither triple-S nor DDI-Codebook: it begins with "
            f"<{kind}>, not with <sss> or <codeBook>.",
        )


# ---- the data of a codebook ----


def _data_of(book: DdiCodebook) -> Path:
    """The data beside a codebook.

    Raises `SourceError` where there are none, and `SurveyError` where there are several.
    """
    # Written on Windows, where the case of names does not matter.
    beside = {each.name.lower(): each for each in sorted(book.path.parent.iterdir())}
    stems = [stem_of(each.name) for each in book.files]
    found = [
        data
        for name, stem in zip((each.name for each in book.files), stems, strict=True)
        if (data := _beside(beside, name, f"{name}.gz", *(stem + each for each in TEXT + _TABLES)))
    ]
    own = book.path.stem.removesuffix("-ddi")
    data = _beside(beside, *(own + each for each in TEXT + _TABLES))
    found = [*dict.fromkeys(found or filter(None, [data]))]
    if len(found) == 1:
        return found[0]
    names = listed([each.name for each in book.files if each.name] or [f"{own}.dat"])
    if not found:
        raise SourceError(
            SourcePlace(str(book.path)),
            f"is a codebook without its data: {names} is not beside it, nor {own}.dat or {own}.csv "
            "(or gzipped). Put the data there, or open a file of data with it: "
            f'al.open("answers.csv", labels="{book.path.name}").',
        )
    raise SurveyError(
        f"{book.path}: describes {len(found)} files of data that are beside it: "
        f"{listed([each.name for each in found])}. Open one of them with it: "
        f'al.open("{found[0].name}", labels="{book.path.name}").'
    )


def _beside(files: dict[str, Path], *names: str) -> Path | None:
    return next((files[name.lower()] for name in names if name.lower() in files), None)


def _opened(book: DdiCodebook, data: Path, options: Source) -> SurveyFile:
    file = book.file_of(data)
    fields = book.of(file)
    name = data.name.lower()
    if name.endswith(_TABLES):
        return DescribedTable(book, fields, data, options)
    if name.endswith(TEXT):
        return DescribedText(book, file, fields, data, options)
    raise SurveyError(
        f"{book.path}: its data, {data.name}, are not text. Open them with it: "
        f'al.open("{data.name}", labels="{book.path.name}").'
    )


class _Described(SurveyFile):
    """Data that a codebook of DDI describes."""

    def __init__(self, book: DdiCodebook, fields: Sequence[DdiVariable], data: Path) -> None:
        super().__init__(book.path)
        self._data = data
        self.title, self.guesses, self.study = book.title, book.guesses, book.study
        self._declare(fields)
        version = " ".join(filter(None, ["DDI-Codebook", book.version]))
        self.heading = f"{version}, {len(fields):,} variables, data in {data.name}"

    def _declare(self, fields: Sequence[DdiVariable]) -> None:
        weights = weights_of(fields)
        self.declared_weight = weights[0] if len(weights) == 1 else ""
        self.other_weights = weights if len(weights) > 1 else ()

    @property
    def octets(self) -> int:
        return self._data.stat().st_size

    def checksum(self) -> str:
        found = hashlib.sha256(self.path.read_bytes())
        with self._data.open("rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
        return found.hexdigest()


class DescribedTable(_Described):
    """A table in CSV whose columns a codebook describes. Numbers are those of the table."""

    def __init__(
        self, book: DdiCodebook, fields: Sequence[DdiVariable], data: Path, options: Source
    ) -> None:
        super().__init__(book, fields, data)
        found = dialect_of([data]).options
        self._table = DelimitedFile(
            data,
            replace(
                options,
                encoding=options.encoding or found.encoding,
                delimiter=options.delimiter or found.delimiter,
                decimal=options.decimal if options.decimal != "." else found.decimal,
            ),
        )
        self.header, self.notes = self._table.header, self._table.notes
        known = {each.name.lower(): each for each in fields}
        self._fields = {name: known[name.lower()] for name in self.header if name.lower() in known}
        if not self._fields:
            raise SurveyError(
                f"{book.path} describes none of the columns of {data.name}: it has "
                f"{listed([each.name for each in fields])}, and the file has {listed(self.header)}."
            )
        self.variables = {name: each.variable for name, each in self._fields.items()}
        self.declared_weight = self._in_header(self.declared_weight)
        self.other_weights = tuple(filter(None, map(self._in_header, self.other_weights)))

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        for piece in self._table.pieces(columns, progress):
            field = self._fields.get(piece.column)
            # 01 in the table is 1, as in the codebook.
            is_number = field is not None and field.kind == "numeric"
            values = (number(each) if each else each for each in piece.values)
            yield piece._replace(values=[*values]) if is_number else piece
        self.rows = self._table.rows
        new = (each for each in self._table.guesses if each not in self.guesses)
        self.guesses = (*self.guesses, *new)

    def _in_header(self, column: str) -> str:
        return next((name for name in self.header if name.lower() == column.lower()), "")


class DescribedText(_Described):
    """Lines of text whose cells are where a codebook says."""

    def __init__(
        self,
        book: DdiCodebook,
        file: DescribedFile | None,
        fields: Sequence[DdiVariable],
        data: Path,
        options: Source,
    ) -> None:
        super().__init__(book, fields, data)
        _check_layout(book, file, fields)
        self._encoding = (
            options.encoding or (file and file.charset) or encoding_of(data) or "utf-8-sig"
        )
        self.name_columns([each.name for each in fields])
        self._fields = dict(zip(self.header, fields, strict=True))
        self.variables = {name: each.variable for name, each in self._fields.items()}
        described, length = max(each.stop for each in fields), self._first_length()
        if length > described:
            said = (
                f"lines of {length:,} characters, and the codebook describes the first "
                f"{described:,}"
            )
            self.guesses = (*self.guesses, Guess("file", "file", said, severity=1))

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        # Where no column is wanted, the rows are still to be counted, and one will do.
        names = [*columns] or [self.header[0]]
        cells = [
            LineField(name, each.start, each.stop, each.decimals, each.kind == "character")
            for name in names
            for each in (self._fields[name],)
        ]
        done = dict.fromkeys(names, 0)
        self.rows = 0
        for piece in fixed_width_pieces(
            self._data, self._encoding, cells, progress, str(self._data)
        ):
            if self._fields[piece.column].kind == "numeric":
                piece = self._numbers(piece, done[piece.column])
            done[piece.column] += len(piece.codes)
            self.rows = done[names[0]]
            if piece.column in columns:
                yield piece

    def _numbers(self, piece: Piece, before: int) -> Piece:
        """The piece without signs of empty cells; `SourceError` for what is not a number.

        before: rows that have been read.
        """
        values = [each if each and not _EMPTY.fullmatch(each) else "" for each in piece.values]
        for code, value in enumerate(values):
            if value and number_of(value) is None:
                field = self._fields[piece.column]
                place = SourcePlace(
                    str(self._data),
                    before + int(np.flatnonzero(piece.codes == code)[0]) + 1,
                    piece.column,
                    value,
                )
                raise SourceError(
                    place,
                    f"is not a number, which the codebook says that characters {field.start + 1} "
                    f"to {field.stop} are. The codebook is that of another file, or of another "
                    "version of it.",
                )
        return piece._replace(values=values)

    def _first_length(self) -> int:
        """How many characters the first line has."""
        try:
            with open_bytes(self._data) as stream:
                line = stream.readline(_LONGEST_LINE).rstrip(b"\r\n")
                return len(line.decode(self._encoding, "replace").rstrip())
        except (*UNREADABLE, LookupError):
            return 0  # the reader reports a damaged file


def _check_layout(
    book: DdiCodebook, file: DescribedFile | None, fields: Sequence[DdiVariable]
) -> None:
    """Raise an error for data that are not one line for each respondent at known positions."""
    place = SourcePlace(str(book.path))
    if file is None:
        names = listed([each.name for each in book.files])
        raise SourceError(
            place, f"describes {len(book.files)} files: {names}. Name the data like one of them."
        )
    if not fields:
        raise SourceError(place, f"describes no variables of {file.name}.")
    records = {each for field in fields for each in field.record.split()}
    if len(records) > 1 or len(file.records) > 1:
        shown = listed(file.records or sorted(records))
        raise SourceError(
            place,
            f"describes lines of {max(len(records), len(file.records))} types: {shown}. Such a "
            "hierarchy is not read: get one line for each person. In IPUMS, choose the data "
            'structure "rectangular" and submit the extract again.',
        )
    if len(lines := {each.segment for each in fields} - {""}) > 1:
        raise SourceError(
            place,
            f"describes {len(lines)} lines for each respondent, which are not read. Get the data "
            "as .csv, .sav or .dta.",
        )
    if without := next((each.name for each in fields if not each.stop), None):
        raise SourceError(
            SourcePlace(str(book.path), column=without),
            "has no position in the line (StartPos and EndPos, or width, in <location>). Get the "
            "data as .csv, or the codebook of the text file.",
        )
