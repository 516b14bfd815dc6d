"""The catalogue of a survey: questions and their tree; waves and insights.

Frozen records with look-ups. Datapoints, suffixes and datasets are the types of the schema, so
that a service can send them unchanged. Answers are in the bit files, not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property
from math import isfinite
from typing import Literal

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.expressions import join_code, split_code
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import Datapoint, Dataset, Insight, Suffix
from audiencelab.survey.errors import SurveyError

Kind = Literal["single", "multiple", "grid"]
"""`single`: one datapoint at most; `multiple`: any number; `grid`: datapoints with suffixes."""

# No dot, which separates the namespace from the code.
_CODE = re.compile(r"[A-Za-z0-9_-]+")


def placeholder(number: int) -> date:
    """The date of the wave of that number, from 1, whose fieldwork is not dated.

    A month each from January 1900, which keeps the order and is the same at every import.
    """
    years, months = divmod(number - 1, 12)
    return date(1900 + years, months + 1, 1)


def placeholder_number(day: date) -> int:
    """Of which wave a placeholder is."""
    return (day.year - 1900) * 12 + day.month


# December 1919: no fieldwork is as old as twenty years of placeholders.
_LAST_PLACEHOLDER = placeholder(240)


class SurveyWave(msgspec.Struct, frozen=True, omit_defaults=True):
    """A round of fieldwork.

    starts, ends: first and last day; waves sort by them, never by their codes.
    respondents: how many answered; a builder counts them itself.
    """

    code: str
    name: str
    starts: date
    ends: date
    accessible: bool = True
    respondents: int = 0

    @property
    def dates(self) -> tuple[date, date]:
        """The first and the last day, by which waves are in order."""
        return self.starts, self.ends

    @property
    def is_dated(self) -> bool:
        """Whether its dates are those of the fieldwork, rather than placeholders."""
        return self.starts > _LAST_PLACEHOLDER


class InsightRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """An insight with the fields that it can be filtered and sorted by.

    categories: category ids as numbers. type: `report`, `infographic`, `powerpoint` or `chart`.
    The three times are ISO 8601; `trending` and `popularity` are scores, higher is more.
    """

    insight: Insight
    type: str
    categories: tuple[int, ...] = ()
    is_trending: bool = False
    published_at: str = ""
    created_at: str = ""
    updated_at: str = ""
    trending: float = 0.0
    popularity: float = 0.0


class SurveyQuestion(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """A question of the survey.

    waves: codes of the waves that asked it, by date; the builder fills them in.
    categories: ids of the categories it is in; datasets: codes.
    order: its position among its siblings.
    The text fields are those of the service (`notice`, `warning`, `knowledge_base` …).
    """

    namespace_code: str
    code: str
    name: str
    kind: Kind
    datapoints: tuple[Datapoint, ...]
    suffixes: tuple[Suffix, ...] = ()
    waves: tuple[str, ...] = ()
    accessible: bool = True
    categories: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    description: str = ""
    knowledge_base: str = ""
    message: str = ""
    notice: str = ""
    warning: str = ""
    unit: str = ""
    flags: tuple[str, ...] = ()
    order: int = 0

    @property
    def canonical(self) -> str:
        """The full code, `core.q4`."""
        return join_code(self.namespace_code, self.code)

    @property
    def rows(self) -> int:
        """The number of possible answers: datapoints, times suffixes where there are any."""
        return len(self.datapoints) * max(1, len(self.suffixes))

    @cached_property
    def datapoint_positions(self) -> dict[str, int]:
        """The position of each datapoint by code."""
        return {datapoint.code: index for index, datapoint in enumerate(self.datapoints)}

    @cached_property
    def suffix_positions(self) -> dict[str, int]:
        """The position of each suffix by code."""
        return {suffix.code: index for index, suffix in enumerate(self.suffixes)}

    def datapoint(self, code: str) -> Datapoint:
        """The datapoint of that code; `KeyError` if the question has none."""
        return self.datapoints[self.datapoint_positions[code]]

    def suffix(self, code: str) -> Suffix:
        """The suffix of that code; `KeyError` if the question has none."""
        return self.suffixes[self.suffix_positions[code]]


class SurveyCategory(msgspec.Struct, frozen=True, omit_defaults=True):
    """A node of the category tree. A root has no `parent`.

    Ids are digits, since insights refer to categories by number.
    """

    id: str
    name: str
    parent: str | None = None
    description: str = ""
    order: int = 0
    datasets: tuple[str, ...] = ()


class SurveyNamespace(msgspec.Struct, frozen=True, omit_defaults=True):
    """A namespace of question codes: one questionnaire, or one provider of data."""

    code: str
    name: str = ""
    description: str = ""


class SurveyCatalogue(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """Everything that was asked in a survey.

    base_namespace: the namespace of a question code without one.
    location_question: the full code of the question whose datapoints are the locations.
    """

    questions: tuple[SurveyQuestion, ...]
    location_question: str
    base_namespace: str = "core"
    namespaces: tuple[SurveyNamespace, ...] = ()
    categories: tuple[SurveyCategory, ...] = ()
    datasets: tuple[Dataset, ...] = ()

    def __repr__(self) -> str:
        count = sum(len(each.datapoints) for each in self.questions)
        return f"<SurveyCatalogue of {len(self.questions):,} questions, {count:,} datapoints>"

    @cached_property
    def _questions(self) -> dict[str, SurveyQuestion]:
        return {question.canonical: question for question in self.questions}

    @cached_property
    def _categories(self) -> dict[str, SurveyCategory]:
        return {category.id: category for category in self.categories}

    @cached_property
    def _datasets(self) -> dict[str, Dataset]:
        return {dataset.code: dataset for dataset in self.datasets}

    @cached_property
    def _children(self) -> dict[str | None, tuple[SurveyCategory, ...]]:
        children: dict[str | None, list[SurveyCategory]] = {}
        for category in sorted(self.categories, key=lambda each: each.order):
            children.setdefault(category.parent, []).append(category)
        return {parent: tuple(found) for parent, found in children.items()}

    @cached_property
    def _members(self) -> dict[str, tuple[SurveyQuestion, ...]]:
        members: dict[str, list[SurveyQuestion]] = {}
        for question in sorted(self.questions, key=lambda each: each.order):
            for category in question.categories:
                members.setdefault(category, []).append(question)
        return {category: tuple(found) for category, found in members.items()}

    def canonical(self, code: str) -> str:
        """The full code of a question code with or without namespace; it need not exist."""
        return join_code(*split_code(code, self.base_namespace))

    def question(self, code: str) -> SurveyQuestion:
        """The question of a code with or without namespace; `KeyError` if there is none."""
        return self._questions[self.canonical(code)]

    def category(self, id: str) -> SurveyCategory:  # noqa: A002 -- the field's name
        """The category of that id; `KeyError` if there is none."""
        return self._categories[id]

    def dataset(self, code: str) -> Dataset:
        """The dataset of that code; `KeyError` if there is none."""
        return self._datasets[code]

    def child_categories(self, id: str | None = None) -> tuple[SurveyCategory, ...]:  # noqa: A002 -- the field's name
        """The categories directly under one, in order; those under None are the roots."""
        return self._children.get(id, ())

    def child_questions(self, id: str) -> tuple[SurveyQuestion, ...]:  # noqa: A002 -- the field's name
        """The questions directly under a category, in order."""
        return self._members.get(id, ())

    def lineage(self, id: str) -> tuple[SurveyCategory, ...]:  # noqa: A002 -- the field's name
        """A category and those above it, the root first."""
        found = [self.category(id)]
        while (parent := found[-1].parent) is not None:
            found.append(self.category(parent))
        return tuple(reversed(found))

    def taxonomy(
        self, question: SurveyQuestion
    ) -> tuple[tuple[Dataset, tuple[SurveyCategory, ...]], ...]:
        """The paths of a question: each of its datasets with the categories from the root down.

        A category that names no datasets belongs to all of them.
        """
        return tuple(
            (self.dataset(code), self.lineage(category.id))
            for code in question.datasets
            for category in map(self.category, question.categories)
            if not category.datasets or code in category.datasets
        )

    def places_of(
        self, category: SurveyCategory
    ) -> tuple[tuple[Dataset, tuple[SurveyCategory, ...]], ...]:
        """The paths of a category: each of its datasets with the categories from the root down."""
        lineage = self.lineage(category.id)
        return tuple(
            (dataset, lineage)
            for dataset in self.datasets
            if not category.datasets or dataset.code in category.datasets
        )

    def categories_of(self, dataset: str) -> tuple[SurveyCategory, ...]:
        """The root categories that belong to a dataset, in order."""
        roots = self.child_categories()
        return tuple(each for each in roots if not each.datasets or dataset in each.datasets)

    @cached_property
    def labels(self) -> CatalogueLabels:
        """Names in place of codes, for `Expression.describe`."""
        return CatalogueLabels(self)

    def with_waves(self, asked: dict[str, tuple[str, ...]]) -> SurveyCatalogue:
        """The same catalogue, each question with the waves that asked it (by full code)."""
        return msgspec.structs.replace(
            self,
            questions=tuple(
                msgspec.structs.replace(question, waves=asked.get(question.canonical, ()))
                for question in self.questions
            ),
        )

    def check(self) -> None:
        """Raise `SurveyError` with every fault: duplicate codes, references to nothing."""
        if faults := list(_faults(self)):
            raise SurveyError(list_faults("The catalogue is not valid:", faults))


class CatalogueLabels:
    """The `Labels` of a catalogue; an unknown code has no name."""

    def __init__(self, catalogue: SurveyCatalogue) -> None:
        self._catalogue = catalogue

    def question_name(self, code: str) -> str | None:
        found = self._find(code)
        return found and found.name

    def datapoint_name(self, question: str, code: str) -> str | None:
        found = self._find(question)
        return found.datapoint(code).name if found and code in found.datapoint_positions else None

    def suffix_name(self, question: str, code: str) -> str | None:
        found = self._find(question)
        return found.suffix(code).name if found and code in found.suffix_positions else None

    def _find(self, code: str) -> SurveyQuestion | None:
        try:
            return self._catalogue.question(code)
        except KeyError:
            return None


def _faults(catalogue: SurveyCatalogue) -> Iterator[Fault]:
    yield from _duplicates("/questions", (question.canonical for question in catalogue.questions))
    yield from _duplicates("/categories", (category.id for category in catalogue.categories))
    yield from _duplicates("/datasets", (dataset.code for dataset in catalogue.datasets))
    for number, question in enumerate(catalogue.questions):
        for fault in _question_faults(catalogue, question):
            yield fault.under(f"/questions/{number}")
    yield from _category_faults(catalogue)
    # Respondents are sorted by it, so each has one location at most.
    pointer, code = "/location_question", catalogue.location_question
    found = [question for question in catalogue.questions if question.canonical == code]
    if not found:
        yield Fault(pointer, f"There is no question {code!r} (give its full code).")
    elif found[0].kind != "single":
        yield Fault(pointer, f"{code} is {found[0].kind}; a location question is single.")


def _duplicates(pointer: str, codes: Iterable[str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for code in codes:
        if code in seen:
            yield Fault(pointer, f"{code!r} is given twice; codes must differ.")
        seen.add(code)


def _question_faults(catalogue: SurveyCatalogue, question: SurveyQuestion) -> Iterator[Fault]:
    if not _CODE.fullmatch(question.code) or not _CODE.fullmatch(question.namespace_code):
        yield Fault("/code", f"{question.canonical!r}: codes are letters, digits, _ and - only.")
    if question.canonical == join_code(catalogue.base_namespace, WAVES):
        yield Fault("/code", f"{WAVES!r} means the waves in every query; choose another code.")
    yield from _answer_faults(question)
    namespaces = {namespace.code for namespace in catalogue.namespaces}
    if namespaces and question.namespace_code not in namespaces:
        yield Fault("/namespace_code", f"There is no namespace {question.namespace_code!r}.")
    categories = {category.id for category in catalogue.categories}
    for category in question.categories:
        if category not in categories:
            yield Fault("/categories", f"There is no category {category!r}.")
    datasets = {dataset.code for dataset in catalogue.datasets}
    for dataset in question.datasets:
        if dataset not in datasets:
            yield Fault("/datasets", f"There is no dataset {dataset!r}.")


def _answer_faults(question: SurveyQuestion) -> Iterator[Fault]:
    if not question.datapoints:
        yield Fault("/datapoints", f"{question.canonical} has no datapoints.")
    if (question.kind == "grid") != bool(question.suffixes):
        yield Fault("/suffixes", f"{question.canonical}: a grid has suffixes, other kinds do not.")
    for pointer, answers in (
        ("/datapoints", question.datapoints),
        ("/suffixes", question.suffixes),
    ):
        yield from _duplicates(pointer, (answer.code for answer in answers))
        for answer in answers:
            # JSON cannot express others, so that the survey could not be read again.
            if answer.midpoint is not None and not isfinite(answer.midpoint.value):
                name = f"{question.canonical}, {answer.code}"
                yield Fault(pointer, f"{name}: its midpoint is not finite.")


def _category_faults(catalogue: SurveyCatalogue) -> Iterator[Fault]:
    parents = {category.id: category.parent for category in catalogue.categories}
    for number, category in enumerate(catalogue.categories):
        pointer = f"/categories/{number}"
        if not (category.id.isascii() and category.id.isdigit()):
            yield Fault(f"{pointer}/id", f"{category.id!r}: a category's id is digits only.")
        above, seen = category.parent, {category.id}
        # It ends at the root, at a gap, or where a circle closes.
        while above is not None and above not in seen:
            seen.add(above)
            if above not in parents:
                yield Fault(f"{pointer}/parent", f"There is no category {above!r}.")
            above = parents.get(above)
        if above is not None:
            yield Fault(f"{pointer}/parent", f"{category.id!r} is under itself.")
