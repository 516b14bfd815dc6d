"""Read SPSS, Stata and SAS files with pyreadstat, a block of rows at a time.

Labels, missing values, multiple-response sets and dates of these files are kept, in canonical
values, as `Variable`s and `ResponseSet`s.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any, ClassVar

import numpy as np

from audiencelab.ingest.codebook import Source, canonical_value
from audiencelab.ingest.columns import Piece, Progress, ResponseSet, Variable
from audiencelab.ingest.readers.base import SurveyFile, canonical_text, widened
from audiencelab.ingest.readers.contents import unreadable
from audiencelab.ingest.readers.epochs import calendar_of, iso_texts
from audiencelab.ingest.study import in_notes
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

_BLOCK = 32 << 20
"""Bytes of a block of rows: a file of half a gigabyte reports its progress 16 times."""

_NUMBER = 8
"""Bytes of a number; a text takes as many as its column is wide."""

_SPSS_HEADER = 80
_SEGMENT = 252
"""Bytes of a long text that SPSS stores in one of the segments that it is cut into."""


def open_statistical(path: Path, options: Source) -> SurveyFile:
    """A file of SPSS, Stata or SAS, its header read."""
    suffix = path.suffix.lower()
    kinds = {".sav": SpssFile, ".zsav": SpssFile, ".por": PortableFile, ".dta": StataFile}
    return kinds.get(suffix, SasFile)(path, options)


class _StatisticalFile(SurveyFile):
    """What the three have in common. pyreadstat knows rows and labels before it reads values."""

    kind: ClassVar[str]
    readers: ClassVar[Mapping[str, str]]
    tags: ClassVar[str] = ""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        # The codebook's encoding goes before the one that the file declares.
        self._encoding = options.encoding
        self._catalogue = options.catalogue
        # Without a frame, pandas is not imported: that takes longer than all the rest.
        about = self._read(metadataonly=True, output_format="dict")[1]
        if None in about.column_names:
            raise self._refusal(self.path, "a column has no name, or one in no encoding")
        if len(set(about.column_names)) < len(about.column_names):
            raise self._refusal(self.path, "two columns have one name")
        self.name_columns(about.column_names)
        # As the file writes them, which may not be in the form NFC.
        self._own = dict(zip(self.header, about.column_names, strict=True))
        self.rows = int(about.number_rows or 0)
        widths: Mapping[str, int] = getattr(about, "variable_storage_width", None) or {}
        self._widths = {name: widths[own] for name, own in self._own.items() if own in widths}
        self.title = (about.file_label or "").strip()
        self.study = in_notes(about.notes or ())
        types: Mapping[str, str] = about.readstat_variable_types
        self._numeric = {name for name, own in self._own.items() if types[own] != "string"}
        self._narrow = {name for name, own in self._own.items() if types[own] == "float"}
        forms: Mapping[str, str | None] = about.original_variable_types
        self._calendars = {
            name: found
            for name in self._numeric
            if (found := calendar_of(self.kind, forms.get(self._own[name]) or ""))
        }
        labels = self._labels(about)
        self.variables = {
            name: self._variable(name, about, labels.get(own) or {})
            for name, own in self._own.items()
        }
        declared: Mapping[str, Mapping[str, Any]] = getattr(about, "mr_sets", None) or {}
        self.sets = tuple(
            ResponseSet(
                name=name,
                label=(each["label"] or "").strip(),
                columns=tuple(each["variable_list"]),
                counted=_counted(each),
            )
            for name, each in declared.items()
        )

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        import pandas

        if not columns:
            self.rows = self.rows or len(self._read(usecols=[*self._own.values()][:1])[0])
            return
        widths = (max(_NUMBER, self._widths.get(name) or _NUMBER) for name in columns)
        size = max(1, _BLOCK // sum(widths))
        known, self.rows = max(1, self.rows), 0
        library: Any = pandas
        while True:
            wanted = [self._own[name] for name in columns]
            found, _ = self._read(usecols=wanted, row_offset=self.rows, row_limit=size)
            for name, own in zip(columns, wanted, strict=True):
                # By hash and not by order: numbers may be mixed with tags of missing values.
                codes, values = library.factorize(found[own].array)
                yield Piece(name, codes, self._canonical(name, values.tolist()))
            self.rows += len(found)
            progress.at(min(self.octets, self.octets * self.rows // known))
            # Some files do not record their number of rows; a block that is not full is the last.
            if len(found) < size:
                return

    def _read(self, path: Path | None = None, **options: Any) -> tuple[Any, Any]:
        import pyreadstat

        library: Any = pyreadstat
        file = path or self.path
        read = getattr(library, self.readers[file.suffix.lower()])
        options |= self._options() if file == self.path else {"encoding": self._encoding}
        try:
            return read(str(file), **options)
        except (library.ReadstatError, library.PyreadstatError, UnicodeError) as error:
            raise self._refusal(file, str(error)) from None
        except MemoryError:  # pragma: no cover - no test takes all memory
            raise
        except Exception as error:
            # The library does not expect all that may be wrong with a file.
            kind = type(error).__name__
            raise self._refusal(file, f"it is damaged; reading it raised {kind}") from None

    def _options(self) -> dict[str, Any]:
        """How values are read: the file's missing values as they are, dates as numbers."""
        return {
            "encoding": self._encoding,
            "user_missing": True,
            "disable_datetime_conversion": True,
        }

    def _refusal(self, file: Path, detail: str) -> SourceError:
        advice = ""
        if any(word in detail.lower() for word in ("convert", "encoding", "codec", "character")):
            advice = (
                " Its text is in another encoding than it declares: name that, as in "
                'encoding="windows-1252", or in the codebook: [source] encoding = "windows-1252".'
            )
        origin = self.origin if file == self.path else str(file)
        said = f"cannot be read: {detail.strip()}.{advice}" if advice else unreadable(file, detail)
        return SourceError(SourcePlace(origin), said)

    def _labels(self, about: Any) -> Mapping[str, Mapping[Any, str]]:
        """The labels of each column's values, as the file has them."""
        return about.variable_value_labels

    def _variable(self, name: str, about: Any, labels: Mapping[Any, str]) -> Variable:
        own = self._own[name]
        ranges: Sequence[Mapping[str, Any]] = about.missing_ranges.get(own) or []
        discrete = [each["lo"] for each in ranges if each["lo"] == each["hi"]]
        # An empty text is a value, which may have a label or be missing; an empty number is not.
        is_text = name not in self._numeric
        tags = () if is_text else self.tags
        measure = about.variable_measure.get(own) or ""
        values = self._canonical(name, list(labels))
        return Variable(
            label=(about.column_names_to_labels.get(own) or "").strip(),
            labels={
                value: label.strip()
                for value, label in zip(values, labels.values(), strict=True)
                if value or is_text
            },
            missing=frozenset(
                value for value in self._canonical(name, [*discrete, *tags]) if value or is_text
            ),
            missing_ranges=tuple(
                (float(each["lo"]), float(each["hi"]))
                for each in ranges
                if each["lo"] != each["hi"] and name not in self._calendars
            ),
            measure="" if measure == "unknown" else measure,
            is_date=name in self._calendars and self._calendars[name].has_days,
        )

    def _canonical(self, name: str, values: Sequence[Any]) -> list[str]:
        """Values of a column, or of its labels, as canonical text; "" for none."""
        if name not in self._numeric:
            return ["" if value is None else canonical_value(value) for value in values]
        numbers = np.array(
            [np.nan if value is None or isinstance(value, str) else value for value in values],
            np.float64,
        )
        texts: Iterable[str | None]
        if calendar := self._calendars.get(name):
            texts = iso_texts(numbers, calendar)
        else:
            known = map(widened, numbers.tolist()) if name in self._narrow else numbers.tolist()
            texts = map(canonical_text, known)
        return [
            # A tagged missing value is a letter here, and is written as its program does: .a, .b.
            f".{value}" if isinstance(value, str) else text or ""
            for value, text in zip(values, texts, strict=True)
        ]


class SpssFile(_StatisticalFile):
    """A .sav or .zsav file."""

    kind = "spss"
    readers: ClassVar = {".sav": "read_sav", ".zsav": "read_sav"}

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path, options)
        weight = self._weight()
        self.declared_weight = weight if weight in self._numeric else ""

    def _weight(self) -> str:
        """The column that the file is weighted by; "" for none. pyreadstat does not report it.

        The header counts columns in units of eight bytes.
        """
        with self.path.open("rb") as file:
            header = file.read(_SPSS_HEADER)
        # The layout code at byte 64 is 2 or 3, in the byte order of the file; the weight is at byte
        # 76.
        order = "<" if header[64:68] in (b"\2\0\0\0", b"\3\0\0\0") else ">"
        wanted = struct.unpack(f"{order}i", header[76:80])[0]
        index = 1
        for name in self.header:
            if index == wanted:
                return name
            # A text of more than 255 bytes is cut into segments of 32 units.
            width = 8 if name in self._numeric else self._widths.get(name) or 1
            segments = -(-width // _SEGMENT) - 1 if width > 255 else 0
            index += segments * 32 + ceil((width - segments * _SEGMENT) / 8)
        return ""


class PortableFile(_StatisticalFile):
    """A .por file: always UTF-8, and a user-missing value is an empty one."""

    kind = "spss"
    readers: ClassVar = {".por": "read_por"}

    def _options(self) -> dict[str, Any]:
        return {"disable_datetime_conversion": True}


class StataFile(_StatisticalFile):
    """A .dta file. Its missing values .a to .z are user-missing values."""

    kind = "stata"
    readers: ClassVar = {".dta": "read_dta"}
    tags = ascii_lowercase


class SasFile(_StatisticalFile):
    """A .sas7bdat or .xpt file.

    Value labels are in a catalogue of formats: the one that the codebook names, else a .sas7bcat
    file of the same name beside the file, or `formats.sas7bcat`.
    """

    kind = "sas"
    readers: ClassVar = {
        ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport",
        ".sas7bcat": "read_sas7bcat",
    }
    tags = ascii_uppercase + "_"

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if self.path.suffix.lower() == ".xpt":
            del options["user_missing"]
        return options

    def _labels(self, about: Any) -> Mapping[str, Mapping[Any, str]]:
        catalogue = self.path.parent / self._catalogue if self._catalogue else None
        if catalogue is None:
            beside = self.path.with_suffix(".sas7bcat"), self.path.with_name("formats.sas7bcat")
            catalogue = next((path for path in beside if path.is_file()), None)
        elif not catalogue.is_file():
            raise SurveyError(f"{catalogue}: there is no such catalogue of formats.")
        if catalogue is None:
            return super()._labels(about)
        formats = self._read(catalogue)[1].value_labels
        return {  # pragma: no cover - only SAS writes a catalogue that can be read
            name: formats.get(form.lstrip("$"), formats.get(form, {}))
            for name, form in about.variable_to_label.items()
        }


def _counted(declared: Mapping[str, Any]) -> str | None:
    """The value that means "selected" in a set of dichotomies; "" if the file does not say."""
    if not declared["is_dichotomy"]:
        return None
    counted = declared["counted_value"]
    return "" if counted is None else canonical_value(counted)
