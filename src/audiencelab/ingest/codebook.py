"""The codebook: how columns of a survey file become questions.

`docs/reference/codebook.md` documents every field. `codebook_files` reads and checks one. The
survey files are not known here; columns that are in none of them are found by the import.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from math import isfinite
from typing import ClassVar, Literal, get_args
from unicodedata import normalize

from audiencelab.ingest.codebook_parts import CodebookPart, Pinned, Study
from audiencelab.schema import Dataset
from audiencelab.schema.scales import Ends, Form, Top
from audiencelab.survey.catalogue import Kind, SurveyCategory, SurveyNamespace
from audiencelab.survey.errors import SurveyError

_WHOLE = re.compile(r"(-?\d+)\.0+")

Scalar = str | int | float | bool
"""A value as a codebook may write it; `canonical_value` is how all of them are compared."""


class Source(CodebookPart, frozen=True):
    """How the files are read, and which values mean the same in all columns.

    encoding, delimiter: of CSV files, UTF-8 where none is named; the delimiter of a .tsv file is
    the tab. Files of statistics programs name their own encoding; one named here is used instead.
    decimal: of CSV files, the decimal sign of numbers.
    catalogue: of formats, beside a SAS file.
    sheet: of a workbook, by its name or its number from 0; by default the first one that looks like
    a table of respondents.
    wide: where each wave has columns of its own, how their names end or begin, with * for the
    wave: "_w*" for q1_w1, "w*_" for w1_q1.
    not_asked: the respondent was not asked. An empty cell means that too, unless "" is listed
    under not_selected, or no cell of a multiple question means "not chosen": then an empty one
    does. not_selected: asked, and not chosen. missing: asked, and no valid answer, but where a
    question lists the value among its own answers.
    """

    _texts: ClassVar = ("wide",)
    encoding: str | None = None
    delimiter: str | None = None
    decimal: Literal[".", ","] = "."
    catalogue: str = ""
    sheet: str | int | None = None
    wide: str = ""
    not_asked: tuple[Scalar, ...] = ()
    not_selected: tuple[Scalar, ...] = ()
    missing: tuple[Scalar, ...] = ()


class ColumnOf(CodebookPart, frozen=True):
    """A column."""

    _texts: ClassVar = ("column",)
    column: str


class AskedCondition(ColumnOf, frozen=True):
    """What is true of a respondent whose column holds one of `values`, or none of `not_values`.

    "" is an empty cell.
    """

    values: tuple[Scalar, ...] = ()
    not_values: tuple[Scalar, ...] = ()


class CodedBreak(CodebookPart, frozen=True):
    """The first wave, by its code, of a question as it is since, and what is other than before."""

    wave: str
    why: str


class CodedText(ColumnOf, frozen=True):
    """A column of open answers, whose texts are kept apart from all tables.

    label: its wording. question: the code of the question that it belongs to, as "other: which?"
    does.
    """

    _texts: ClassVar = ("column", "label")
    label: str = ""
    question: str = ""


class WeightColumn(ColumnOf, frozen=True):
    """The column of the weight. others: columns of weights that a query may choose instead."""

    _texts: ClassVar = ("column", "others")
    others: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them, the usual one first."""
        return (self.column, *self.others)


Period = Literal["day", "month", "quarter", "year"]


class WaveColumn(ColumnOf, frozen=True):
    """The column that says each respondent's wave.

    by: the column holds dates, and each such period is a wave of its own.
    """

    by: Period | None = None


ReplicateMethod = Literal["BRR", "Fay", "JK1", "JK2", "JKn", "bootstrap", "successive difference"]
METHODS: tuple[str, ...] = get_args(ReplicateMethod)


class DesignColumns(CodebookPart, frozen=True):
    """How the sample was drawn, as variances need it: columns of strata and of clusters.

    strata: the stratum that each respondent was drawn from. clusters: the primary sampling unit;
    the same number in two strata is two units.
    fpc: how many units the stratum of each respondent has in the population (clusters, or people
    where these were drawn one by one), or which part of them was drawn; variances are smaller then.
    clusters_recur: whether the same code is the same unit in several waves, which have these units
    in common then.
    person: of a panel, what is the same for a person in all waves, so that tests between waves use
    the pairs.
    replicates: replicate weights, and replicate_method how they were made: `METHODS`.
    fay: of Fay's method, the factor that weights are not reduced below, from 0 to 1.
    replicate_scale: what squared deviations count together, in place of that of the method.
    replicate_scales: what each of them counts, by default 1; "JKn" needs them.
    """

    _texts: ClassVar = ("strata", "clusters", "fpc", "replicates", "person")
    strata: str | None = None
    clusters: str | None = None
    fpc: str | None = None
    replicates: tuple[str, ...] = ()
    replicate_method: ReplicateMethod | None = None
    fay: float | None = None
    replicate_scale: float | None = None
    replicate_scales: tuple[float, ...] = ()
    person: str | None = None
    clusters_recur: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """All that are named."""
        named = (self.strata, self.clusters, self.fpc, self.person)
        return (*(column for column in named if column is not None), *self.replicates)

    @property
    def has_common_units(self) -> bool:
        """Whether strata and clusters are the same in several waves."""
        return self.person is not None or self.clusters_recur

    def scales(self) -> list[float]:
        """What the squared deviation of each replicate counts.

        Raises `SurveyError` for a method that needs more than is declared.
        """
        count, method = len(self.replicates), self.replicate_method
        if method is None:
            raise SurveyError(f"Replicate weights need their method: {', '.join(METHODS)}.")
        needs_fay = method == "Fay" and self.replicate_scale is None
        if (needs_fay and self.fay is None) or not 0 <= (self.fay or 0) < 1:
            raise SurveyError('The method "Fay" needs `fay`, from 0 to less than 1.')
        if method == "JKn" and not self.replicate_scales:
            raise SurveyError('The method "JKn" needs replicate_scales, one for each replicate.')
        if self.replicate_scales and len(self.replicate_scales) != count:
            raise SurveyError(
                f"replicate_scales has {len(self.replicate_scales)} numbers for {count} replicates."
            )
        # The factors of R's `svrepdesign`; successive differences count 4 ÷ R, as the Census Bureau
        # has it.
        usual = {
            "BRR": 1 / count,
            "Fay": 1 / (count * (1 - (self.fay or 0)) ** 2),
            "JK1": (count - 1) / count,
            "JK2": 1.0,
            "JKn": 1.0,
            "bootstrap": 1 / max(1, count - 1),
            "successive difference": 4 / count,
        }[method]
        scale = usual if self.replicate_scale is None else self.replicate_scale
        return [scale * each for each in self.replicate_scales or [1.0] * count]


class CodedWave(CodebookPart, frozen=True):
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


EVERY_WAVE = "*"
"""All waves, those that are added later too."""


class CodedDatapoint(CodebookPart, frozen=True):
    """A datapoint, and the values that mean it in the files.

    value(s): the values that mean it; of a multiple question, those that mean "selected".
    min, max, below: a band of numbers, both ends included but `below`.
    column: of an item of a multiple question or a grid.
    columns: of a grid with a column for every cell, the column of each suffix by its code.
    waves: codes of the waves that offered it, or "*" for all; by default the files decide.
    """

    _texts: ClassVar = ("name", "column", "columns")
    name: str
    code: str | None = None
    value: Scalar | None = None
    values: tuple[Scalar, ...] = ()
    min: float | None = None
    max: float | None = None
    below: float | None = None
    column: str | None = None
    columns: dict[str, str] = {}  # noqa: RUF012 -- each struct has a copy of its own
    midpoint: float | None = None
    accessible: bool = True
    waves: tuple[str, ...] = ()

    def offered_in(self, wave: str) -> bool:
        """Whether a wave offered it, as far as `waves` says so."""
        return not self.waves or wave in self.waves or EVERY_WAVE in self.waves

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


class CodedSuffix(CodebookPart, frozen=True):
    """A suffix of a grid, and the values that mean it."""

    _texts: ClassVar = ("name",)
    name: str
    code: str | None = None
    value: Scalar | None = None
    values: tuple[Scalar, ...] = ()
    midpoint: float | None = None


CodedTop = Top | Literal["unknown"]
"""The top of a scale; unknown where neither the words nor the numbers of its answers show it."""


class CodedQuestion(CodebookPart, frozen=True):
    """A question, and the columns of its answers.

    column: of a single question, or of a multiple one whose cell holds several values.
    separator: the sign between several values in one cell (";").
    across: of a multiple question, columns that hold one of the chosen values each.
    labels: short for datapoints: value = name. Neither labels nor datapoints: every value found
    is a datapoint (single questions only).
    selected: values that mean "selected" in the columns of a multiple question; without them
    every value does that means nothing else.
    missing: values of people who were asked and gave no valid answer, as those are that a file
    declares missing: in an item, neither chosen nor not chosen. They are added to those of
    [source]; not_asked and not_selected replace those of [source].
    top: the end of the scale, as listed, that is its top: "first", "last", or "none" for neither;
    "unknown" where it is not known, so that the question has no mean.
    ends: "opposite" where the scale runs from an attitude to its opposite (agree to disagree),
    "amount" where it runs from none to most (never to always).
    form: what the answers are, where they are neither categories nor a scale: "numeric", "rank" or
    "sum" (parts of a constant sum).
    universe: who the question is about, as text. asked_of: conditions that are all true of those
    who were asked; others were not asked, whatever their cells hold, unless they gave an answer.
    off_scale: values of answers that are not points of the scale. Where one of the two is left out,
    the words of the answers decide.
    breaks: waves from which the question is another one than before, so that figures of earlier
    waves do not compare.
    The other fields are the catalogue's.
    """

    _texts: ClassVar = ("name", "column", "across", "labels")
    code: str
    name: str
    kind: Kind = "single"
    column: str | None = None
    separator: str | None = None
    across: tuple[str, ...] = ()
    labels: dict[str, str] = {}  # noqa: RUF012 -- as above
    datapoints: tuple[CodedDatapoint, ...] = ()
    suffixes: tuple[CodedSuffix, ...] = ()
    not_asked: tuple[Scalar, ...] | None = None
    not_selected: tuple[Scalar, ...] | None = None
    missing: tuple[Scalar, ...] = ()
    selected: tuple[Scalar, ...] = ()
    top: CodedTop | None = None
    off_scale: tuple[Scalar, ...] | None = None
    ends: Ends | None = None
    form: Form | None = None
    universe: str = ""
    asked_of: tuple[AskedCondition, ...] = ()
    breaks: tuple[CodedBreak, ...] = ()
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


class Codebook(CodebookPart, frozen=True):
    """A whole codebook. key: the column that names respondents; without one, their row does."""

    questions: tuple[CodedQuestion, ...]
    study: Study = Study()
    source: Source = Source()
    weight: WeightColumn | None = None
    wave: WaveColumn | None = None
    waves: tuple[CodedWave, ...] = ()
    design: DesignColumns = DesignColumns()
    key: ColumnOf | None = None
    categories: tuple[SurveyCategory, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    namespaces: tuple[SurveyNamespace, ...] = ()
    texts: tuple[CodedText, ...] = ()
    pinned: Pinned | None = None

    @property
    def columns(self) -> list[str]:
        """Every column that the codebook names, each once."""
        parts = [*self.weight.columns] if self.weight else []
        parts += [each.column for each in (self.wave, self.key) if each]
        answers = [column for question in self.questions for column in question.columns]
        answers += [each.column for question in self.questions for each in question.asked_of]
        texts = [each.column for each in self.texts]
        return list(dict.fromkeys([*parts, *self.design.columns, *answers, *texts]))


def canonical_value(value: Scalar) -> str:
    """A value as all values are compared: text without blanks around it, numbers without `.0`.

    Text is in Unicode's form NFC: an accent is part of its letter, however the file writes it.
    """
    # Before numbers: in Python True is an `int`.
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # `repr` is the shortest text that is read back as the same float.
        return str(int(value)) if value.is_integer() else repr(value)
    text = normalize("NFC", str(value).strip())
    # A column of integers with gaps is often written as "1.0", "2.0" …
    return whole.group(1) if (whole := _WHOLE.fullmatch(text)) else text


def number_of(value: str) -> float | None:
    """The number that a canonical value writes, also nan and inf; None for any other text.

    Python ignores an underscore, which surveys use in codes: 18_24 is not 1,824.
    """
    if "_" in value:
        return None
    try:
        return float(value)
    except ValueError:
        return None


def natural(value: str) -> tuple[bool, float, str]:
    """A key to sort values by: numbers first, by size."""
    number = number_of(value)
    # "nan" and "inf" are words like others, and "nan" has no order among numbers.
    return (False, number, value) if number is not None and isfinite(number) else (True, 0.0, value)


def distinct_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels by value; where several values have the same one, the value is added."""
    often = Counter(labels.values())
    return {
        value: name if often[name] == 1 else f"{name} ({value})" for value, name in labels.items()
    }


def meanings_of(part: CodedDatapoint | CodedSuffix | CodedWave) -> tuple[str, ...]:
    """The canonical values that mean a datapoint, a suffix or a wave."""
    own = () if part.value is None else (part.value,)
    return tuple(canonical_value(value) for value in (*own, *part.values))


def wave_values(wave: CodedWave) -> tuple[str, ...]:
    """The canonical values that mean a wave in the wave column; its code where it names none."""
    return meanings_of(wave) or (canonical_value(wave.code),)


def datapoint_codes(question: CodedQuestion, points: Sequence[CodedDatapoint]) -> list[str]:
    """Codes as given, else question and value where all values are numbers, else and place."""
    # Items have columns of their own, and their values all mean the same.
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
    """The one value of each part, if each has one and all are integers of at least 0."""
    values = [meanings_of(part) for part in parts]
    whole = [value[0] for value in values if len(value) == 1 and value[0].isdecimal()]
    return whole if parts and len(whole) == len(parts) else None
