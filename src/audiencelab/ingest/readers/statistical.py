"""Reading SPSS, Stata and SAS files with pyreadstat, some rows at a time.

These files say much of their columns: labels, values that are no answers, multiple-response sets,
dates. All of it is kept, in canonical values, as `Variable`s and `ResponseSet`s.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any, ClassVar

import numpy as np

from audiencelab.ingest.codebook import Source, canonical_value
from audiencelab.ingest.readers.bounds import ALWAYS, check_octets, check_rows
from audiencelab.ingest.readers.dates import calendar_of, iso_texts
from audiencelab.ingest.readers.reader import SurveyFile, widened
from audiencelab.ingest.readers.spss_records import declared_weight, labels_of_no_text
from audiencelab.ingest.tables import Piece, Progress, ResponseSet, Variable
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

__all__ = ["SasFile", "SpssFile", "StataFile"]

_CELLS_AT_ONCE = 4_000_000
"""Some 32 MB as numbers; the rows before a piece are skipped quickly, so pieces may be small."""

_NUMBER = 8
"""Bytes of a number; a text takes as many as its column is wide."""


class _StatisticalFile(SurveyFile):
    """What the three have in common. pyreadstat knows rows and labels before it reads values."""

    kind: ClassVar[str]
    readers: ClassVar[Mapping[str, str]]
    tags: ClassVar[str] = ""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        # Such files name their own encoding; the codebook's counts where it says another one.
        self._forced = options.encoding
        self._named = options.catalogue
        self._check()
        about = self._read(metadataonly=True)[1]
        if None in about.column_names:
            raise self._refusal(self.path, "a column has no name, or one in no encoding")
        self.header = tuple(about.column_names)
        self.rows = int(about.number_rows or 0)
        check_rows(path, self.rows)
        self._widths: Mapping[str, int] = getattr(about, "variable_storage_width", None) or {}
        check_octets(path, self.rows * self._width(self.header))
        self.title = (about.file_label or "").strip()
        self.encoding = about.file_encoding or ""
        self._numeric = {
            name for name, kind in about.readstat_variable_types.items() if kind != "string"
        }
        self._narrow = {
            name for name, kind in about.readstat_variable_types.items() if kind == "float"
        }
        self._calendars = {
            name: found
            for name in self._numeric
            if (found := calendar_of(self.kind, about.original_variable_types.get(name) or ""))
        }
        labels = self._labels(about)
        self.variables = {
            name: self._variable(name, about, labels.get(name) or {}) for name in self.header
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
        if not columns:
            self.rows = self.rows or self._counted_rows()
            return
        width = self._width(columns)
        size = max(1, min(1_000, ALWAYS // width), _CELLS_AT_ONCE * _NUMBER // width)
        known, self.rows = max(1, self.rows), 0
        while True:
            found, _ = self._read(usecols=list(columns), row_offset=self.rows, row_limit=size)
            for name in columns:
                yield self._piece(name, found[name])
            rows = len(found[columns[0]])
            self.rows += rows
            progress.at(min(self.octets, self.octets * self.rows // known))
            if rows < size:
                return

    def _width(self, columns: Sequence[str]) -> int:
        """Bytes of a row."""
        return sum(max(_NUMBER, self._widths.get(name) or _NUMBER) for name in columns)

    def _counted_rows(self) -> int:
        found, _ = self._read(usecols=list(self.header[:1]))
        return len(found[self.header[0]]) if found else 0

    def _check(self) -> None:
        """Refuse what would end the process in pyreadstat."""

    def _options(self, suffix: str) -> dict[str, Any]:
        """How values are read: the file's missing values as they stand, dates as numbers."""
        return {
            "user_missing": True,
            "disable_datetime_conversion": True,
            "output_format": "dict",
        }

    def _read(self, path: Path | None = None, **options: Any) -> tuple[Any, Any]:
        import pyreadstat

        file = path or self.path
        suffix = file.suffix.lower()
        read = getattr(pyreadstat, self.readers[suffix])
        try:
            return read(str(file), encoding=self._forced, **self._options(suffix), **options)
        except _refusals() as error:
            raise self._refusal(file, str(error)) from None
        except MemoryError:  # pragma: no cover - no test takes all memory
            raise
        except Exception as error:
            # The library does not expect all that may be wrong with a file.
            kind = type(error).__name__
            detail = f"it is damaged, and reading it ended with a {kind}"
            raise self._refusal(file, detail) from None

    def _refusal(self, file: Path, detail: str) -> SourceError:
        advice = ""
        if any(word in detail.lower() for word in ("convert", "encoding", "codec")):
            advice = (
                " Its text is in another encoding than it says: name that with --encoding "
                'windows-1252, for example, or in the codebook: [source] encoding = "windows-1252".'
            )
        place = self.place if file == self.path else str(file)
        return SourceError(SourcePlace(place), f"cannot be read: {detail.strip()}.{advice}")

    def _labels(self, about: Any) -> Mapping[str, Mapping[Any, str]]:
        """The labels of each column's values, as the file has them."""
        return about.variable_value_labels

    def _variable(self, name: str, about: Any, labels: Mapping[Any, str]) -> Variable:
        ranges: Sequence[Mapping[str, Any]] = about.missing_ranges.get(name) or []
        discrete = [each["lo"] for each in ranges if each["lo"] == each["hi"]]
        # An empty text is a value, which may have a label or be missing; an empty number is none.
        is_text = name not in self._numeric
        tags = () if is_text else self.tags
        measure = about.variable_measure.get(name) or ""
        return Variable(
            label=(about.column_names_to_labels.get(name) or "").strip(),
            labels={
                value: label.strip()
                for value, label in zip(
                    self._canonical(name, list(labels)), labels.values(), strict=True
                )
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
            is_date=name in self._calendars,
        )

    def _piece(self, name: str, values: Sequence[Any]) -> Piece:
        # By hash and not by order: a column of numbers may hold the tags of missing values too.
        known: defaultdict[Any, int] = defaultdict(count().__next__)
        codes = np.fromiter(map(known.__getitem__, values), np.int32, len(values))
        return Piece(name, codes, self._canonical(name, list(known)))

    def _canonical(self, name: str, values: Sequence[Any]) -> list[str]:
        """Values of a column, or of its labels, as canonical text; "" for none."""
        if name not in self._numeric:
            return ["" if value is None else canonical_value(value) for value in values]
        numbers = np.array([_number(value) for value in values], np.float64)
        calendar = self._calendars.get(name)
        known = map(widened, numbers.tolist()) if name in self._narrow else numbers.tolist()
        texts = iso_texts(numbers, calendar) if calendar else map(_canonical_number, known)
        return [
            f".{value}" if isinstance(value, str) else text or ""
            for value, text in zip(values, texts, strict=True)
        ]


class SpssFile(_StatisticalFile):
    """A .sav or .zsav file."""

    kind = "spss"
    readers: ClassVar = {".sav": "read_sav", ".zsav": "read_sav"}

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path, options)
        weight = declared_weight(path, self._forced)
        self.declared_weight = weight if weight in self._numeric else ""

    def _check(self) -> None:
        name = labels_of_no_text(self.path, self._forced)
        if name is not None:
            raise SourceError(
                SourcePlace(self.place, column=name or None),
                "holds texts, and its labels are for values that are no texts. Save the file again "
                "in SPSS or PSPP. Or its text is in another encoding than "
                'it says: name that in the codebook, [source] encoding = "windows-1252", for '
                "example.",
            )


class StataFile(_StatisticalFile):
    """A .dta file. Its missing values .a to .z are values that are no answers."""

    kind = "stata"
    readers: ClassVar = {".dta": "read_dta"}
    tags = ascii_lowercase


class SasFile(_StatisticalFile):
    """A .sas7bdat or .xpt file.

    Labels of values stand in a catalogue of formats: the one that the codebook names, else a
    .sas7bcat file of the same name beside the file, or `formats.sas7bcat`.
    """

    kind = "sas"
    readers: ClassVar = {
        ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport",
        ".sas7bcat": "read_sas7bcat",
    }
    tags = ascii_uppercase + "_"

    def _options(self, suffix: str) -> dict[str, Any]:
        known = {
            ".sas7bcat": ("output_format",),
            ".xpt": ("output_format", "disable_datetime_conversion"),
        }
        options = super()._options(suffix)
        return {name: options[name] for name in known.get(suffix, options)}

    def _labels(self, about: Any) -> Mapping[str, Mapping[Any, str]]:
        catalogue = self._catalogue()
        if catalogue is None:
            return super()._labels(about)
        formats = self._read(catalogue)[1].value_labels
        return {  # pragma: no cover - nothing but SAS writes a catalogue that can be read
            name: formats.get(form.lstrip("$"), formats.get(form, {}))
            for name, form in about.variable_to_label.items()
        }

    def _catalogue(self) -> Path | None:
        if self._named:
            named = self.path.parent / self._named
            if not named.is_file():
                raise SurveyError(f"{named}: there is no such catalogue of formats.")
            return named
        beside = (self.path.with_suffix(".sas7bcat"), self.path.with_name("formats.sas7bcat"))
        return next((path for path in beside if path.is_file()), None)


def _refusals() -> tuple[type[Exception], ...]:
    import pyreadstat

    own: Any = pyreadstat
    return (own.ReadstatError, own.PyreadstatError, UnicodeError)


def _number(value: Any) -> float:
    return float("nan") if value is None or isinstance(value, str) else float(value)


def _canonical_number(number: float | None) -> str:
    return "" if number is None or number != number else canonical_value(number)


def _counted(response_set: Mapping[str, Any]) -> str | None:
    """What means "selected" in a set of dichotomies; in one of text columns it is not told."""
    if not response_set["is_dichotomy"]:
        return None
    counted = response_set["counted_value"]
    return "" if counted is None else canonical_value(counted)
