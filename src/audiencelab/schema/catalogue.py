"""The catalogue on the wire: questions with datapoints and suffixes, categories, datasets."""

from __future__ import annotations

from typing import Any

import msgspec

from audiencelab.schema.resource import Resource, always

KIND_FLAG = "kind:"
"""Prefix of the flag for the kind of a question: "kind:single"."""

LOCATION_FLAG = "location"
"""The flag of the question whose datapoints are the locations."""


class Value(Resource, frozen=True):
    """A number in an object of its own, so that it can be absent as a whole."""

    value: float


class Datapoint(Resource, frozen=True):
    """One possible answer to a question."""

    code: str
    name: str = always("")
    accessible: bool = always(True)
    midpoint: Value | None = None
    order: Value | None = None


class Suffix(Resource, frozen=True):
    """A more detailed form of a datapoint, such as how often."""

    code: str
    name: str = always("")
    midpoint: Value | None = None
    order: Value | None = None


class Dataset(Resource, frozen=True):
    """A survey product that questions belong to."""

    code: str
    name: str = always("")
    description: str = always("")
    base_audience_label: str = always("")
    base_namespace_code: str = always("")
    child_categories: list[Any] | None = None
    depth: int | None = None
    is_syndicated: bool | None = None
    order: int | None = None


class DescendantAttribute(Resource, frozen=True):
    """One datapoint (with its suffix, if any) somewhere below a category."""

    datapoint_code: str = always("")
    datapoint_name: str = always("")
    namespace_code: str = always("")
    question_code: str = always("")
    question_name: str = always("")
    suffix_code: str = always("")
    suffix_name: str = always("")


class Category(Resource, frozen=True):
    """A node of the category tree; the relationships are present only when asked for."""

    id: str
    name: str = always("")
    description: str = always("")
    order: int | None = None
    attribute_count: int | None = None
    child_categories: list[Category] | None = None
    child_questions: list[Question] | None = None
    datasets: list[Dataset] | None = None
    descendant_attributes: list[DescendantAttribute] | None = None
    lineage: list[Category] | None = None
    taxonomy_paths: list[TaxonomyPath] | None = None


class TaxonomyPath(Resource, frozen=True):
    """The path of a question in one dataset: the categories from the root down."""

    categories_lineage: list[Category] = msgspec.field(default_factory=list[Category])
    dataset: Dataset | None = None


class Question(Resource, frozen=True):
    """A survey question; its full code is `<namespace_code>.<code>`."""

    code: str
    namespace_code: str = always("")
    name: str = always("")
    description: str = always("")
    accessible: bool = always(True)
    attribute_count: int | None = None
    categories: list[Category] | None = None
    datapoints: list[Datapoint] | None = None
    datasets: list[Dataset] = msgspec.field(default_factory=list[Dataset])
    flags: list[str] = msgspec.field(default_factory=list[str])
    knowledge_base: str = always("")
    message: str = always("")
    notice: str = always("")
    order: int | None = None
    suffixes: list[Suffix] = msgspec.field(default_factory=list[Suffix])
    taxonomy_paths: list[TaxonomyPath] | None = None
    unit: str = always("")
    warning: str = always("")

    @property
    def kind(self) -> str | None:
        """Whether respondents give one answer or several: "single", "multiple" or "grid".

        None where the service does not say it.
        """
        found = (flag.removeprefix(KIND_FLAG) for flag in self.flags if flag.startswith(KIND_FLAG))
        return next(found, None)


class QuestionKey(msgspec.Struct, frozen=True):
    """A question by namespace and code, as the question filter asks for it."""

    namespace_code: str
    question: str


class QuestionsFilter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Body of the question filter; no `questions` means all of them."""

    include: dict[str, bool] | None = None
    questions: list[QuestionKey] | None = None
