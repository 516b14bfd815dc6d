"""The codebook: how columns of a survey file become questions. TOML or JSON, read and checked.

`docs/reference/codebook.md` documents every field. What stands in the files is not known here;
columns that are in none of them are found later.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.panel.catalogue import Kind, PanelCategory, PanelNamespace
from audiencelab.panel.errors import PanelError
from audiencelab.wire import Dataset

__all__ = [
    "Codebook",
    "CodedDatapoint",
    "CodedQuestion",
    "CodedSuffix",
    "CodedWave",
    "ColumnOf",
    "DesignColumns",
    "Period",
    "Scalar",
    "Source",
    "Study",
    "WaveColumn",
    "canonical_value",
    "datapoint_codes",
    "load_codebook",
    "meanings_of",
    "parse_codebook",
    "suffix_codes",
]

_WHOLE = re.compile(r"(-?\d+)\.0+")

Scalar = str | int | float | bool
"""A value as a codebook may write it; `canonical_value` is how all of them are compared."""


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a codebook; a field that it does not know is a slip of the pen."""


class Study(_Part, frozen=True):
    """What the panel is called, and where its questions live.

    namespace: of every question that names none; also the panel's base namespace.
    location: code of the question whose datapoints are the locations; without one, everybody
    is in the one location "All".
    """

    name: str = ""
    description: str = ""
    namespace: str = "core"
    location: str | None = None


class Source(_Part, frozen=True):
    """How the files are read, and which values mean the same in all columns.

    encoding, delimiter: of CSV files; the delimiter of a .tsv file is the tab. Files of statistics
    programs name their own encoding; another one said here is believed instead.
    decimal: of CSV files, what stands before the fraction of a number.
    catalogue: of formats, beside a SAS file.
    not_asked: the respondent was not asked. An empty cell means that too, unless "" is listed
    under not_selected. not_selected: asked, and not chosen (or no answer given).
    """

    encoding: str = "utf-8"
    delimiter: str | None = None
    decimal: Literal[".", ","] = "."
    catalogue: str = ""
    not_asked: tuple[Scalar, ...] = ()
    not_selected: tuple[Scalar, ...] = ()


class ColumnOf(_Part, frozen=True):
    """The column that a weight or a wave stands in."""

    column: str


Period = Literal["day", "month", "quarter", "year"]


class WaveColumn(ColumnOf, frozen=True):
    """The column that says each respondent's wave.

    by: the column holds dates, and each such period is a wave of its own.
    """

    by: Period | None = None


class DesignColumns(_Part, frozen=True):
    """How the sample was drawn, as variances need it: columns of strata and of clusters.

    strata: the stratum that each respondent was drawn from. clusters: the primary sampling unit;
    the same number in two strata is two units.
    """

    strata: str | None = None
    clusters: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the two that are named."""
        return tuple(column for column in (self.strata, self.clusters) if column is not None)


class CodedWave(_Part, frozen=True):
    """A wave, and which rows belong to it.

    value(s): in the wave column. files: a pattern such as `*week47*` for file names. With
    neither, waves and sources pair off in the order given.
    """

    code: str
    starts: date
    ends: date | None = None
    name: str = ""
    accessible: bool = True
    value: Scalar | None = None
    values: tuple[Scalar, ...] = ()
    files: str | None = None


class CodedDatapoint(_Part, frozen=True):
    """A datapoint, and what stands for it in the files.

    value(s): the values that mean it; of a multiple question, those that mean "selected".
    min, max, below: a band of numbers, both ends included but `below`.
    column: of an item of a multiple question or a grid.
    columns: of a grid with a column for every cell, the column of each suffix by its code.
    """

    name: str
    code: str | None = None
    value: Scalar | None = None
    values: tuple[Scalar, ...] = ()
    min: float | None = None
    max: float | None = None
    below: float | None = None
    column: str | None = None
    columns: dict[str, str] = {}
    midpoint: float | None = None
    accessible: bool = True

    @property
    def is_band(self) -> bool:
        return not (self.min is None and self.max is None and self.below is None)

    def holds(self, number: float) -> bool:
        """Whether a number falls into the band."""
        return (
            (self.min is None or number >= self.min)
            and (self.max is None or number <= self.max)
            and (self.below is None or number < self.below)
        )


class CodedSuffix(_Part, frozen=True):
    """A suffix of a grid, and the values that mean it."""

    name: str
    code: str | None = None
    value: Scalar | None = None
    values: tuple[Scalar, ...] = ()
    midpoint: float | None = None


class CodedQuestion(_Part, frozen=True):
    """A question, and where its answers stand.

    column: of a single question, or of a multiple one whose cell holds several values.
    separator: what stands between several values in one cell (";").
    across: of a multiple question, columns that hold one of the chosen values each.
    labels: short for datapoints: value = name. Neither labels nor datapoints: every value found
    is a datapoint (single questions only).
    selected: values that mean "selected" in the columns of a multiple question; without them
    every value does that means nothing else.
    The other fields are the catalogue's.
    """

    code: str
    name: str
    kind: Kind = "single"
    column: str | None = None
    separator: str | None = None
    across: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    datapoints: tuple[CodedDatapoint, ...] = ()
    suffixes: tuple[CodedSuffix, ...] = ()
    not_asked: tuple[Scalar, ...] | None = None
    not_selected: tuple[Scalar, ...] | None = None
    selected: tuple[Scalar, ...] = ()
    namespace: str | None = None
    categories: tuple[str, ...] = ()
    datasets: tuple[str, ...] | None = None
    accessible: bool = True
    description: str = ""
    knowledge_base: str = ""
    message: str = ""
    notice: str = ""
    warning: str = ""
    unit: str = ""
    flags: tuple[str, ...] = ()

    @property
    def points(self) -> tuple[CodedDatapoint, ...]:
        """The datapoints, however they are written."""
        short = (CodedDatapoint(name=name, value=value) for value, name in self.labels.items())
        return self.datapoints or tuple(short)

    @property
    def shares_values(self) -> bool:
        """Whether one column holds the values of all datapoints, so that these must differ."""
        return self.column is not None or bool(self.across)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the question reads."""
        own = [*self.across] if self.column is None else [self.column, *self.across]
        for point in self.points:
            own += [point.column] if point.column is not None else []
            own += point.columns.values()
        return tuple(own)


class Codebook(_Part, frozen=True):
    """A whole codebook."""

    questions: tuple[CodedQuestion, ...]
    study: Study = Study()
    source: Source = Source()
    weight: ColumnOf | None = None
    wave: WaveColumn | None = None
    waves: tuple[CodedWave, ...] = ()
    design: DesignColumns = DesignColumns()
    categories: tuple[PanelCategory, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    namespaces: tuple[PanelNamespace, ...] = ()


def load_codebook(path: Path) -> Codebook:
    """The codebook of a .toml or .json file; `PanelError` names the file and the place."""
    if path.suffix.lower() not in (".toml", ".json"):
        raise PanelError(f"{path}: a codebook is a .toml or a .json file.")
    try:
        text = path.read_text("utf-8")
        data = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except FileNotFoundError:
        raise PanelError(f"{path}: there is no such codebook.") from None
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise PanelError(f"{path}: {error}") from None
    return parse_codebook(data, str(path))


def parse_codebook(data: Any, origin: str = "codebook") -> Codebook:
    """The codebook of decoded TOML or JSON; `PanelError` with every fault of meaning."""
    try:
        codebook = msgspec.convert(data, Codebook, strict=False, str_keys=True)
    except msgspec.ValidationError as error:
        raise PanelError(f"{origin}: {_in_words(str(error))}.") from None
    if faults := list(_faults(codebook)):
        raise PanelError(list_faults(f"{origin} does not hold together:", faults))
    return codebook


def _in_words(message: str) -> str:
    """A message of msgspec, with what would be right where it does not say."""
    if "enum value" in message:
        return f"{message}; a kind is {', '.join(map(repr, get_args(Kind)))}"
    if "RFC3339" in message:
        return f"{message}; a date is written 2024-03-31"
    return message


def canonical_value(value: Scalar) -> str:
    """A value as all values are compared: text without blanks around it, numbers without `.0`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    text = str(value).strip()
    # A column of whole numbers with gaps is often written as "1.0", "2.0" …
    return whole.group(1) if (whole := _WHOLE.fullmatch(text)) else text


def _faults(codebook: Codebook) -> Iterator[Fault]:
    if not codebook.questions:
        yield Fault("/questions", "A codebook needs at least one question.")
    for place, question in enumerate(codebook.questions):
        for fault in _question_faults(question):
            detail = f"{question.code}: {fault.detail}"
            yield Fault(f"/questions/{place}{fault.pointer}", detail)
    location = codebook.study.location
    if location is not None and location not in _codes(codebook):
        yield Fault("/study/location", f"There is no question {location!r}.")
    if codebook.wave is not None and codebook.wave.by is not None and codebook.waves:
        yield Fault("/waves", "Waves by day, month, quarter or year are not listed: leave one out.")
    if codebook.wave is not None and any(wave.files for wave in codebook.waves):
        yield Fault("/waves", "Give a wave column or patterns for files, not both.")


def _codes(codebook: Codebook) -> set[str]:
    full = {
        f"{question.namespace or codebook.study.namespace}.{question.code}"
        for question in codebook.questions
    }
    return full | {question.code for question in codebook.questions}


def _question_faults(question: CodedQuestion) -> Iterator[Fault]:
    if question.labels and question.datapoints:
        yield Fault("/labels", "Give labels or datapoints, not both.")
    check = {"single": _single_faults, "multiple": _multiple_faults, "grid": _grid_faults}
    yield from check[question.kind](question)
    if question.kind != "multiple" and question.across:
        yield Fault("/across", "Only a multiple question has values across columns.")
    if question.kind != "grid" and question.suffixes:
        yield Fault("/suffixes", "Only a grid has suffixes.")
    yield from _value_faults(
        "/datapoints",
        [meanings_of(point) for point in question.points] if question.shares_values else [],
    )
    yield from _value_faults("/suffixes", [meanings_of(suffix) for suffix in question.suffixes])


def _single_faults(question: CodedQuestion) -> Iterator[Fault]:
    if question.column is None:
        yield Fault("/column", "A single question needs its column.")
    for place, point in enumerate(question.points):
        if not meanings_of(point) and not point.is_band:
            yield Fault(f"/datapoints/{place}", "Needs a value, values, or a band (min, max).")


def _multiple_faults(question: CodedQuestion) -> Iterator[Fault]:
    if not question.points:
        yield Fault("/datapoints", "A multiple question needs its datapoints.")
    if question.column is not None and question.separator is None:
        yield Fault(
            "/separator",
            f"Column {question.column} is to hold several values: say what stands between them, "
            'such as separator = ";". Where each datapoint has a column, name it there instead.',
        )
    if question.column is None and question.separator is not None:
        yield Fault("/column", "A separator is for one column that holds several values: name it.")
    if question.across and question.column is not None:
        yield Fault("/across", "Give a column or the columns across which values are spread.")
    for place, point in enumerate(question.points):
        if not question.shares_values and point.column is None:
            yield Fault(f"/datapoints/{place}", "Needs its column.")
        if question.shares_values and not meanings_of(point):
            yield Fault(f"/datapoints/{place}", "Needs its value within the cell.")


def _grid_faults(question: CodedQuestion) -> Iterator[Fault]:
    if not question.points or not question.suffixes:
        yield Fault("/suffixes", "A grid needs datapoints (its items) and suffixes (its scale).")
    known = set(suffix_codes(question.suffixes))
    for place, point in enumerate(question.points):
        if (point.column is None) == (not point.columns):
            yield Fault(f"/datapoints/{place}", "Needs a column, or columns by suffix code.")
        for code in point.columns.keys() - known:
            yield Fault(f"/datapoints/{place}/columns", f"There is no suffix {code!r}.")
        if point.column is not None:
            for number, suffix in enumerate(question.suffixes):
                if place == 0 and not meanings_of(suffix):
                    yield Fault(f"/suffixes/{number}", "Needs the value that means it.")


def _value_faults(pointer: str, meanings: list[tuple[str, ...]]) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, values in enumerate(meanings):
        for value in values:
            if value in seen:
                yield Fault(f"{pointer}/{place}", f"The value {value!r} means two things.")
            seen.add(value)


def meanings_of(part: CodedDatapoint | CodedSuffix | CodedWave) -> tuple[str, ...]:
    """The canonical values that mean a datapoint, a suffix or a wave."""
    own = () if part.value is None else (part.value,)
    return tuple(canonical_value(value) for value in (*own, *part.values))


def datapoint_codes(question: CodedQuestion, points: Sequence[CodedDatapoint]) -> list[str]:
    """Codes as given, else question and value where all values are numbers, else and place."""
    numbers = _numbers(points if question.shares_values else []) or range(1, len(points) + 1)
    return [
        point.code or f"{question.code}_{number}"
        for point, number in zip(points, numbers, strict=True)
    ]


def suffix_codes(suffixes: Sequence[CodedSuffix]) -> list[str]:
    """The suffixes' codes: as given, else the value where all are numbers, else the place."""
    numbers = _numbers(suffixes) or range(1, len(suffixes) + 1)
    return [suffix.code or f"{number}" for suffix, number in zip(suffixes, numbers, strict=True)]


def _numbers(parts: Sequence[CodedDatapoint | CodedSuffix]) -> list[str] | None:
    """The one value of each part, if each has one and all are whole numbers of at least 0."""
    values = [meanings_of(part) for part in parts]
    whole = [value[0] for value in values if len(value) == 1 and value[0].isdecimal()]
    return whole if parts and len(whole) == len(parts) else None
