"""The first table of a survey that one has not seen: which question in rows, which in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audiencelab.client.catalogue.matching import is_about
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.catalogue.search_words import words_about
from audiencelab.markup import shorten
from audiencelab.schema.scales import scale_of

_ABOUT_PEOPLE = (
    *("gender", "age", "marriage", "children", "household", "education", "job", "income"),
    *("region", "country", "urban", "rural"),
)
"""What a question about the person asks for, as `search_words.toml` names it."""

_BY_ANSWERS = (("women", "men"), ("urban", "rural"))
"""What answers name together where the question's name says nothing."""

_FEWEST, _MOST_COLUMNS, _MOST_ROWS = 2, 8, 100
"""Answers of a question in columns, and in rows."""

_SHOWN = 40
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class FirstTable:
    """The questions of a first table.

    rows, columns: None where the survey has no such question. why: of the rows, in some words.
    """

    rows: CatalogueQuestion | None
    columns: CatalogueQuestion | None
    why: str = ""

    @property
    def axes(self) -> tuple[str | None, list[str | None]]:
        """Rows and columns as a table takes them, by codes: everyone comes first in the columns."""
        columns = [] if self.columns is None else [self.columns.code]
        return (None if self.rows is None else self.rows.code), [None, *columns]

    def __str__(self) -> str:
        if self.rows is None:
            return "No question has answers to show in rows."
        columns = (
            "all" if self.columns is None else f"all, and {shorten(self.columns.name, _SHOWN)}"
        )
        return f"Rows: {shorten(self.rows.name, _SHOWN)}, {self.why}. Columns: {columns}."


def first_table(questions: Sequence[CatalogueQuestion]) -> FirstTable:
    """The questions of a first table of these, in their order."""
    usable = [each for each in questions if each.accessible and len(each.datapoints) >= _FEWEST]
    people = [each.code for each in usable if _is_about_people(each)]
    listed = [each for each in usable if not _is_of_numbers(each)]
    rows, why = next(_rows(listed, people), (None, ""))
    single = [each for each in usable if each.record.kind == "single" and each is not rows]
    few = [each for each in single if len(each.datapoints) <= _MOST_COLUMNS]
    # Where no name is understood, the first question of few answers without a scale.
    about = [each for each in few if each.code in people]
    about = about or [each for each in few if each in listed and not _is_scale(each)]
    return FirstTable(rows, about[0] if about else None, why)


def _rows(
    usable: Sequence[CatalogueQuestion], people: Sequence[str]
) -> Iterator[tuple[CatalogueQuestion, str]]:
    """What may be in rows, the best first, and why."""
    others = [each for each in usable if each.code not in people]
    fitting = [each for each in others if _lines(each) <= _MOST_ROWS]
    for each in fitting:
        if each.record.kind == "multiple":
            yield each, "the first question with several answers"
        elif each.record.kind == "grid" or _is_scale(each):
            yield each, "the first question with a scale"
    for each in others:
        yield each, "the first question that is not about the person"
    for each in usable:
        yield each, "the first question"


def _is_of_numbers(question: CatalogueQuestion) -> bool:
    """Whether the answers are numbers in bands, ranks or parts of a sum, or the locations."""
    return any(each.startswith("form:") or each == "location" for each in question.record.flags)


def _lines(question: CatalogueQuestion) -> int:
    return len(question.datapoints) * max(1, len(question.suffixes))


def _is_scale(question: CatalogueQuestion) -> bool:
    """Whether the answers say how much, or for or against; Yes and No alone do not."""
    scale = scale_of(question.record)
    return scale.is_worded and scale.is_ordered and len(scale.points) > _FEWEST


def _is_about_people(question: CatalogueQuestion) -> bool:
    if "location" in question.record.flags:
        return True
    if question.record.kind == "grid" or scale_of(question.record).ends == "opposite":
        return False
    if is_about(question.name, words_about(*_ABOUT_PEOPLE)):
        return True
    names = [each.name for each in question.datapoints[:_MOST_COLUMNS]]
    return any(
        all(any(is_about(name, words_about(topic)) for name in names) for topic in topics)
        for topics in _BY_ANSWERS
    )
