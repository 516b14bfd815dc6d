"""Questions and categories: the catalogue as resources, with the relationships asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import msgspec

from audiencelab.expressions import join_code
from audiencelab.schema import Category, Dataset, DescendantAttribute, Question, TaxonomyPath
from audiencelab.schema.catalogue import KIND_FLAG, LOCATION_FLAG
from audiencelab.schema.http import Response
from audiencelab.service.context import Operation, RequestContext
from audiencelab.service.fields import CODE, FLAG, ListOf, Record, optional, required
from audiencelab.service.responses import NotFoundError, json_response
from audiencelab.survey import Catalogue, SurveyCategory, SurveyQuestion

QUESTIONS_FILTER_INCLUDES = ("categories", "datapoints", "taxonomy_paths")
QUESTION_INCLUDES = ("categories", "datapoints")
CATEGORY_INCLUDES = ("children", "lineage", "attribute_count", "datasets", "descendant_attributes")


def question_resource(
    catalogue: Catalogue, question: SurveyQuestion, include: Collection[str] = ()
) -> Question:
    """A question, with those of `QUESTIONS_FILTER_INCLUDES` that `include` names."""
    return Question(
        code=question.code,
        namespace_code=question.namespace_code,
        name=question.name,
        description=question.description,
        accessible=question.accessible,
        attribute_count=question.rows,
        categories=_categories(catalogue, question) if "categories" in include else None,
        datapoints=list(question.datapoints) if "datapoints" in include else None,
        datasets=[catalogue.dataset(code) for code in question.datasets],
        flags=_flags(catalogue, question),
        knowledge_base=question.knowledge_base,
        message=question.message,
        notice=question.notice,
        order=question.order,
        suffixes=list(question.suffixes),
        taxonomy_paths=_taxonomy(catalogue, question) if "taxonomy_paths" in include else None,
        unit=question.unit,
        warning=question.warning,
    )


def _flags(catalogue: Catalogue, question: SurveyQuestion) -> list[str]:
    """The question's own flags, its kind, and whether its datapoints are the locations."""
    is_location = question.canonical == catalogue.location_question
    flags = [*question.flags, f"{KIND_FLAG}{question.kind}", *[LOCATION_FLAG] * is_location]
    return list(dict.fromkeys(flags))


def category_resource(
    catalogue: Catalogue, category: SurveyCategory, include: Collection[str] = ()
) -> Category:
    """A category, with those of `CATEGORY_INCLUDES` that `include` names.

    `lineage` runs from the root to the category itself. A question that hangs in several places
    below the category counts once. Its datasets come with their root categories, and its taxonomy
    paths always.
    """
    resource = {
        "attribute_count": lambda: count_attributes(catalogue, category),
        "lineage": lambda: [plain_category(each) for each in catalogue.lineage(category.id)],
        "datasets": lambda: [
            _dataset(catalogue, dataset) for dataset, _ in catalogue.places_of(category)
        ],
        "descendant_attributes": lambda: [
            attribute
            for question in _questions_below(catalogue, category)
            for attribute in _attributes(question)
        ],
        "child_categories": lambda: [
            plain_category(child) for child in catalogue.child_categories(category.id)
        ],
        "child_questions": lambda: [
            question_resource(catalogue, question)
            for question in catalogue.child_questions(category.id)
        ],
    }
    wanted = {
        name
        for included in include
        for name in (
            ("child_categories", "child_questions") if included == "children" else (included,)
        )
    }
    return plain_category(
        category,
        taxonomy_paths=[
            _path(dataset, lineage) for dataset, lineage in catalogue.places_of(category)
        ],
        **{name: resource[name]() for name in sorted(wanted)},
    )


def plain_category(category: SurveyCategory, **relationships: object) -> Category:
    """A category with the given relationships and no others."""
    return Category(
        id=category.id,
        name=category.name,
        description=category.description,
        order=category.order,
        **relationships,  # pyright: ignore[reportArgumentType] -- each is made for its own field
    )


def _categories(catalogue: Catalogue, question: SurveyQuestion) -> list[Category]:
    return [plain_category(catalogue.category(each)) for each in question.categories]


def _taxonomy(catalogue: Catalogue, question: SurveyQuestion) -> list[TaxonomyPath]:
    return [_path(dataset, lineage) for dataset, lineage in catalogue.taxonomy(question)]


def _path(dataset: Dataset, lineage: Iterable[SurveyCategory]) -> TaxonomyPath:
    return TaxonomyPath([plain_category(category) for category in lineage], dataset)


def _dataset(catalogue: Catalogue, dataset: Dataset) -> Dataset:
    """A dataset with its root categories."""
    roots = [plain_category(each) for each in catalogue.categories_of(dataset.code)]
    return msgspec.structs.replace(dataset, child_categories=roots)


def count_attributes(catalogue: Catalogue, category: SurveyCategory) -> int:
    """How many attributes the questions of a category, and of all below it, have."""
    return sum(question.rows for question in _questions_below(catalogue, category))


def _questions_below(catalogue: Catalogue, category: SurveyCategory) -> list[SurveyQuestion]:
    """The questions of a category and of all below it, each once, in the order of the tree."""
    return list({each.canonical: each for each in _walk(catalogue, category)}.values())


def _walk(catalogue: Catalogue, category: SurveyCategory) -> Iterator[SurveyQuestion]:
    yield from catalogue.child_questions(category.id)
    for child in catalogue.child_categories(category.id):
        yield from _walk(catalogue, child)


def _attributes(question: SurveyQuestion) -> Iterator[DescendantAttribute]:
    for datapoint in question.datapoints:
        for suffix_code, suffix_name in [
            (suffix.code, suffix.name) for suffix in question.suffixes
        ] or [("", "")]:
            yield DescendantAttribute(
                datapoint_code=datapoint.code,
                datapoint_name=datapoint.name,
                namespace_code=question.namespace_code,
                question_code=question.code,
                question_name=question.name,
                suffix_code=suffix_code,
                suffix_name=suffix_name,
            )


_FILTER_BODY = Record(
    {
        "include": optional(
            Record({name: optional(FLAG) for name in QUESTIONS_FILTER_INCLUDES}),
            "Relationships to add to every question.",
        ),
        "questions": optional(
            ListOf(
                Record(
                    {
                        "namespace_code": optional(CODE, "Absent: the base namespace."),
                        "question": required(CODE, "The question's code."),
                    }
                )
            ),
            "Absent or empty: all accessible questions.",
        ),
    }
)


class QuestionsFound(msgspec.Struct):
    """Questions in the order they were asked for."""

    questions: list[Question]


class QuestionFound(msgspec.Struct):
    """One question."""

    question: Question


def filter_questions(request: RequestContext) -> Response:
    """The questions asked for, in that order, unknown ones left out; by default all accessible."""
    catalogue = request.context.survey.catalogue
    asked: dict[str, bool | None] = request.body.get("include") or {}
    include = [name for name, wanted in asked.items() if wanted]
    keys: list[dict[str, Any]] = request.body.get("questions") or []
    if keys:
        found = _known(catalogue, keys)
    else:
        found = [question for question in catalogue.questions if question.accessible]
    return json_response(
        QuestionsFound([question_resource(catalogue, question, include) for question in found])
    )


def get_question(request: RequestContext) -> Response:
    """One question; `accessible` says whether queries may use it."""
    catalogue = request.context.survey.catalogue
    try:
        question = catalogue.question(request.path["question_code"])
    except KeyError:
        raise NotFoundError("No question has this code.") from None
    return json_response(QuestionFound(question_resource(catalogue, question, request.include)))


def _known(catalogue: Catalogue, keys: list[dict[str, Any]]) -> list[SurveyQuestion]:
    """The questions of these keys that exist, each once."""
    found: dict[str, SurveyQuestion] = {}
    for key in keys:
        namespace = key.get("namespace_code")
        code = key["question"] if namespace is None else _full(namespace, key["question"])
        try:
            question = catalogue.question(code)
        except KeyError:
            continue
        found[question.canonical] = question
    return list(found.values())


def _full(namespace: str, code: str) -> str:
    """The full code of a pair; a code that carries its namespace already must name the same."""
    return code if code.startswith(f"{namespace}.") else join_code(namespace, code)


FILTER_QUESTIONS = Operation(
    name="filter_questions",
    method="POST",
    path="/v3/questions/filter",
    answer=filter_questions,
    summary="Questions matching the criteria",
    body=_FILTER_BODY,
    may_be_empty=True,
    answers=QuestionsFound,
)

GET_QUESTION = Operation(
    name="get_question",
    method="GET",
    path="/v2/questions/{question_code}",
    answer=get_question,
    summary="One question",
    includes=QUESTION_INCLUDES,
    answers=QuestionFound,
    errors=(404,),
)


class CategoryFound(msgspec.Struct):
    """One category."""

    category: Category


def get_category(request: RequestContext) -> Response:
    """One category."""
    catalogue = request.context.survey.catalogue
    try:
        category = catalogue.category(request.path["category_id"])
    except KeyError:
        raise NotFoundError("No category has this id.") from None
    return json_response(CategoryFound(category_resource(catalogue, category, request.include)))


GET_CATEGORY = Operation(
    name="get_category",
    method="GET",
    path="/v2/categories/{category_id}",
    answer=get_category,
    summary="One category",
    includes=CATEGORY_INCLUDES,
    answers=CategoryFound,
    errors=(404,),
)
