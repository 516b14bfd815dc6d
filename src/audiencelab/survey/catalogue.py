"""The catalogue of a survey: what was asked, in which words, and where it stands in the tree.

Plain frozen records with look-ups. A datapoint, a suffix and a dataset are the wire's own types,
so that a service can send them as they are. Who answered what stands in the bit files, not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from math import isfinite
from typing import Literal

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.expressions import join_code, split_code
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import Datapoint, Dataset, Suffix
from audiencelab.survey.errors import SurveyError

__all__ = [
    "Catalogue",
    "CatalogueLabels",
    "Kind",
    "SurveyCategory",
    "SurveyNamespace",
    "SurveyQuestion",
]

Kind = Literal["single", "multiple", "grid"]
"""`single`: one datapoint at most; `multiple`: any number; `grid`: datapoints with suffixes."""

_CODE = re.compile(r"[A-Za-z0-9_-]+")


class SurveyQuestion(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """A question of the survey.

    waves: codes of the waves that asked it, by date; the builder fills them in.
    categories: ids of the categories it hangs under; datasets: codes.
    order: its place among its siblings.
    The text fields are the service's own (`notice`, `warning`, `knowledge_base` …).
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
        """How many answers it can take: datapoints, times suffixes where there are any."""
        return len(self.datapoints) * max(1, len(self.suffixes))

    @cached_property
    def datapoint_positions(self) -> dict[str, int]:
        """Place of each datapoint by code."""
        return {datapoint.code: place for place, datapoint in enumerate(self.datapoints)}

    @cached_property
    def suffix_positions(self) -> dict[str, int]:
        """Place of each suffix by code."""
        return {suffix.code: place for place, suffix in enumerate(self.suffixes)}

    def datapoint(self, code: str) -> Datapoint:
        """The datapoint of that code; `KeyError` if the question has none."""
        return self.datapoints[self.datapoint_positions[code]]

    def suffix(self, code: str) -> Suffix:
        """The suffix of that code; `KeyError` if the question has none."""
        return self.suffixes[self.suffix_positions[code]]


class SurveyCategory(msgspec.Struct, frozen=True, omit_defaults=True):
    """A node of the category tree. `parent` is None at the root.

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


class Catalogue(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """Everything that was asked in a survey.

    base_namespace: where a question code without namespace belongs.
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
        return f"<Catalogue of {len(self.questions):,} questions, {count:,} datapoints>"

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

    def category(self, id: str) -> SurveyCategory:  # noqa: A002 -- a category's own word
        """The category of that id; `KeyError` if there is none."""
        return self._categories[id]

    def dataset(self, code: str) -> Dataset:
        """The dataset of that code; `KeyError` if there is none."""
        return self._datasets[code]

    def child_categories(self, id: str | None = None) -> tuple[SurveyCategory, ...]:  # noqa: A002 -- a category's own word
        """The categories right under one, in order; under None stand the roots."""
        return self._children.get(id, ())

    def child_questions(self, id: str) -> tuple[SurveyQuestion, ...]:  # noqa: A002 -- a category's own word
        """The questions right under a category, in order."""
        return self._members.get(id, ())

    def lineage(self, id: str) -> tuple[SurveyCategory, ...]:  # noqa: A002 -- a category's own word
        """A category and those above it, the root first."""
        found = [self.category(id)]
        while (parent := found[-1].parent) is not None:
            found.append(self.category(parent))
        return tuple(reversed(found))

    def taxonomy(
        self, question: SurveyQuestion
    ) -> tuple[tuple[Dataset, tuple[SurveyCategory, ...]], ...]:
        """Where a question stands: each of its datasets with the categories from the root down.

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
        """Where a category stands: each of its datasets with the categories from the root down."""
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

    def with_waves(self, asked: dict[str, tuple[str, ...]]) -> Catalogue:
        """The same catalogue, each question with the waves that asked it (by full code)."""
        return msgspec.structs.replace(
            self,
            questions=tuple(
                msgspec.structs.replace(question, waves=asked.get(question.canonical, ()))
                for question in self.questions
            ),
        )

    def check(self) -> None:
        """Raise `SurveyError` with every fault: codes given twice, names that point nowhere."""
        if faults := list(_faults(self)):
            raise SurveyError(list_faults("The catalogue does not hold together:", faults))


class CatalogueLabels:
    """The `Labels` of a catalogue; an unknown code has no name."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def question_name(self, code: str) -> str | None:
        found = self._find(code)
        return found and found.name

    def datapoint_name(self, question: str, code: str) -> str | None:
        found = self._find(question)
        known = found is not None and code in found.datapoint_positions
        return found.datapoint(code).name if found and known else None

    def suffix_name(self, question: str, code: str) -> str | None:
        found = self._find(question)
        known = found is not None and code in found.suffix_positions
        return found.suffix(code).name if found and known else None

    def _find(self, code: str) -> SurveyQuestion | None:
        try:
            return self._catalogue.question(code)
        except KeyError:
            return None


def _faults(catalogue: Catalogue) -> Iterator[Fault]:
    yield from _twice("/questions", (question.canonical for question in catalogue.questions))
    yield from _twice("/categories", (category.id for category in catalogue.categories))
    yield from _twice("/datasets", (dataset.code for dataset in catalogue.datasets))
    for place, question in enumerate(catalogue.questions):
        for fault in _question_faults(catalogue, question):
            yield fault.under(f"/questions/{place}")
    yield from _category_faults(catalogue)
    yield from _location_faults(catalogue)


def _twice(pointer: str, codes: Iterable[str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for code in codes:
        if code in seen:
            yield Fault(pointer, f"{code!r} is given twice; codes must differ.")
        seen.add(code)


def _question_faults(catalogue: Catalogue, question: SurveyQuestion) -> Iterator[Fault]:
    if not _CODE.fullmatch(question.code) or not _CODE.fullmatch(question.namespace_code):
        yield Fault("/code", f"{question.canonical!r}: codes are letters, digits, _ and - only.")
    if question.canonical == join_code(catalogue.base_namespace, WAVES):
        yield Fault("/code", f"{WAVES!r} means the waves in every query; choose another code.")
    yield from _answer_faults(question)
    namespaces = {namespace.code for namespace in catalogue.namespaces}
    if namespaces and question.namespace_code not in namespaces:
        yield Fault("/namespace_code", f"There is no namespace {question.namespace_code!r}.")
    known = {category.id for category in catalogue.categories}
    for category in question.categories:
        if category not in known:
            yield Fault("/categories", f"There is no category {category!r}.")
    known = {dataset.code for dataset in catalogue.datasets}
    for dataset in question.datasets:
        if dataset not in known:
            yield Fault("/datasets", f"There is no dataset {dataset!r}.")


def _answer_faults(question: SurveyQuestion) -> Iterator[Fault]:
    if not question.datapoints:
        yield Fault("/datapoints", f"{question.canonical} has no datapoints.")
    yield from _twice("/datapoints", (datapoint.code for datapoint in question.datapoints))
    yield from _twice("/suffixes", (suffix.code for suffix in question.suffixes))
    if (question.kind == "grid") != bool(question.suffixes):
        yield Fault("/suffixes", f"{question.canonical}: a grid has suffixes, nothing else has.")
    for pointer, answers in (
        ("/datapoints", question.datapoints),
        ("/suffixes", question.suffixes),
    ):
        for answer in answers:
            # JSON has no word for others, so that the survey could not be read again.
            if answer.midpoint is not None and not isfinite(answer.midpoint.value):
                place = f"{question.canonical}, {answer.code}"
                yield Fault(pointer, f"{place}: its midpoint is not finite.")


def _category_faults(catalogue: Catalogue) -> Iterator[Fault]:
    parents = {category.id: category.parent for category in catalogue.categories}
    for place, category in enumerate(catalogue.categories):
        pointer = f"/categories/{place}"
        if not (category.id.isascii() and category.id.isdigit()):
            yield Fault(f"{pointer}/id", f"{category.id!r}: a category's id is digits only.")
        above, seen = category.parent, {category.id}
        while above is not None and above not in seen:
            seen.add(above)
            if above not in parents:
                yield Fault(f"{pointer}/parent", f"There is no category {above!r}.")
            above = parents.get(above)
        if above is not None:
            yield Fault(f"{pointer}/parent", f"{category.id!r} stands under itself.")


def _location_faults(catalogue: Catalogue) -> Iterator[Fault]:
    pointer, code = "/location_question", catalogue.location_question
    found = [question for question in catalogue.questions if question.canonical == code]
    if not found:
        yield Fault(pointer, f"There is no question {code!r} (give its full code).")
    elif found[0].kind != "single":
        yield Fault(pointer, f"{code} is {found[0].kind}; a location question is single.")
