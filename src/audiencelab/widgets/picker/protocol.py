"""The operations and traits of the question picker, and those of every page with a catalogue."""

from __future__ import annotations

from types import NoneType
from typing import Literal, TypedDict

import msgspec

from audiencelab.widgets.audience_size import NodeSize
from audiencelab.widgets.rpc_types import Args, Code, Data, NoArgs, PageOperation

Mode = Literal["datapoints", "question", "audience"]


class Picked(TypedDict):
    """One picked question; without datapoints the question as a whole, without suffixes any."""

    question: str
    datapoints: list[str]
    suffixes: list[str]


# -- the catalogue --------------------------------------------------------------------------------


class CatalogueStart(Args):
    """start: the number of the first question of the part."""

    start: int = 0


class QuestionCode(Args):
    """question: the canonical code."""

    question: str


class Labelled(Data):
    """Codes and names; the same index is the same item."""

    codes: list[str]
    names: list[str]


class QuestionRecord(Data):
    """A question of the catalogue.

    code: as in expressions, without the base namespace. numeric: answers or suffixes are
    numbers. own_numbers: the survey keeps respondents' own, so that ranges can be asked for.
    categories: positions in `categories`.
    """

    code: str
    canonical: str
    name: str
    description: str | None
    accessible: bool
    numeric: bool
    own_numbers: bool
    categories: list[int]
    datasets: list[str]
    datapoints: Labelled
    suffixes: Labelled


class CategoryRecord(Data):
    """A category; parent: its position, always an earlier one; -1 for a root."""

    id: str
    name: str
    parent: int


class CodeName(Data):
    """A code and its name."""

    code: str
    name: str


class SearchWords(msgspec.Struct, frozen=True):
    """What a search takes for one another.

    synonyms: groups of folded words, of a language between bars, languages between semicolons.
    ranges: a regular expression of ranges in folded texts.
    """

    synonyms: tuple[str, ...]
    ranges: str


class CataloguePart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of the catalogue; only the first has categories, datasets and words.

    next: where the next part begins; None after the last.
    """

    questions: list[QuestionRecord]
    total: int
    next: int | None
    categories: tuple[CategoryRecord, ...] = ()
    datasets: tuple[CodeName, ...] = ()
    words: SearchWords | None = None


class QuestionDetails(Data):
    """The texts of a question."""

    description: str | None
    knowledge_base: str | None
    notice: str | None
    warning: str | None
    message: str | None
    unit: str | None
    datasets: list[str]


class AnswerShare(Data):
    """The share of an answer; percentage: of the base, 0 to 100; None without a base.

    offered: the names of the waves that offered it, where others of its question did not.
    """

    datapoint: str
    percentage: float | None
    offered: list[str] | None = None


class ItemShares(Data):
    """The shares of the points of the scale for an item of a grid, in the order of the scale.

    percentages: of the base, 0 to 100; None without a base.
    """

    datapoint: str
    percentages: list[float | None]


class QuestionFigures(Data):
    """Counts of a question over the waves in which it was asked.

    base: who counts. size, sample: the base; least_sample: that of the answer with the smallest
    base. waves: their names by date, of `wave_count` accessible ones. shares:
    of all answers in order, or the largest; `more` is the number of the others. items: of a grid,
    which has no shares, the first of its items.
    """

    base: str
    size: float
    sample: float
    least_sample: float
    waves: list[str]
    wave_count: int
    shares: list[AnswerShare]
    more: int
    items: list[ItemShares]


class QuestionWaves(Data):
    """asked: by canonical code, a "1" or "0" for each wave; waves by date."""

    waves: list[CodeName]
    asked: dict[str, str]


class CatalogueOperations:
    """Operations of every page with a catalogue."""

    catalogue = PageOperation("catalogue", CatalogueStart, NoneType, body=CataloguePart)
    question = PageOperation("question", QuestionCode, QuestionDetails)
    figures = PageOperation("figures", QuestionCode, QuestionFigures)
    coverage = PageOperation("coverage", NoArgs, QuestionWaves)
    search_words = PageOperation("search_words", NoArgs, SearchWords)


# -- the picker -----------------------------------------------------------------------------------


class SelectionArgs(Args):
    """The selection of the page, which may be newer than the trait."""

    selection: list[Picked]


class PickerTraits(msgspec.Struct):
    """The traits of a question picker."""

    mode: Mode
    selection: list[Picked]


class Picker(CatalogueOperations):
    """Operations of a question picker."""

    size = PageOperation("size", SelectionArgs, NodeSize)
    code = PageOperation("code", SelectionArgs, Code)
