"""Questions and categories: the catalogue as resources, with the relationships requested."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

from audiencelab.expressions import join_code
from audiencelab.schema import (
    Category,
    Dataset,
    DescendantAttribute,
    Question,
    TaxonomyPath,
    endpoints,
)
from audiencelab.schema.catalogue import KIND_FLAG, LOCATION_FLAG
from audiencelab.schema.coverage import asked_flag, offered_flags
from audiencelab.schema.http import Response
from audiencelab.schema.scales import FORM_FLAG
from audiencelab.schema.survey_scope import ROUTED_FLAG
from audiencelab.service.context import Operation, RequestContext
from audiencelab.service.fields import CODE, FLAG, ListOf, Record, optional, required
from audiencelab.service.responses import NotFoundError, json_response
from audiencelab.survey import Survey, SurveyCatalogue, SurveyCategory, SurveyQuestion

QUESTIONS_FILTER_INCLUDES = ("categories", "datapoints", "taxonomy_paths")
QUESTION_INCLUDES = ("categories", "datapoints")
CATEGORY_INCLUDES = ("children", "lineage", "attribute_count", "datasets", "descendant_attributes")


class QuestionsFound(msgspec.Struct):
    """Questions in the order they were asked for."""

    questions: list[Question]


class QuestionFound(msgspec.Struct):
    """One question."""

    question: Question


class CategoryFound(msgspec.Struct):
    """One category."""

    category: Category


def filter_questions(request: RequestContext) -> Response:
    """The questions requested, in that order, without unknown ones; by default all accessible."""
    survey = request.context.survey
    catalogue = survey.catalogue
    flags: dict[str, bool | None] = request.body.get("include") or {}
    include = [name for name, wanted in flags.items() if wanted]
    keys: list[dict[str, Any]] = request.body.get("questions") or []
    if keys:
        found = _known(catalogue, keys)
    else:
        found = [question for question in catalogue.questions if question.accessible]
    return json_response(
        QuestionsFound([question_resource(survey, question, include) for question in found])
    )


def get_question(request: RequestContext) -> Response:
    """One question; with `accessible`, whether queries may use it."""
    survey = request.context.survey
    try:
        question = survey.catalogue.question(request.path["question_code"])
    except KeyError:
        raise NotFoundError("No question has this code.") from None
    return json_response(QuestionFound(question_resource(survey, question, request.include)))


def get_category(request: RequestContext) -> Response:
    """One category."""
    survey = request.context.survey
    try:
        category = survey.catalogue.category(request.path["category_id"])
    except KeyError:
        raise NotFoundError("No category has this id.") from None
    return json_response(CategoryFound(category_resource(survey, category, request.include)))


def _known(catalogue: SurveyCatalogue, keys: list[dict[str, Any]]) -> list[SurveyQuestion]:
    """The questions of these keys that exist, each once."""
    found: dict[str, SurveyQuestion] = {}
    for key in keys:
        namespace, code = key.get("namespace_code"), key["question"]
        if namespace is not None and not code.startswith(f"{namespace}."):
            code = join_code(namespace, code)
        with suppress(KeyError):
            question = catalogue.question(code)
            found[question.canonical] = question
    return list(found.values())


def question_resource(
    survey: Survey, question: SurveyQuestion, include: Collection[str] = ()
) -> Question:
    """A question, with those of `QUESTIONS_FILTER_INCLUDES` that `include` names."""
    catalogue = survey.catalogue
    related: dict[str, Any] = {}
    if "categories" in include:
        related["categories"] = [_plain(catalogue.category(each)) for each in question.categories]
    if "datapoints" in include:
        related["datapoints"] = list(question.datapoints)
    if "taxonomy_paths" in include:
        related["taxonomy_paths"] = _paths(catalogue.taxonomy(question))
    is_location = question.canonical == catalogue.location_question
    flags = [*question.flags, f"{KIND_FLAG}{question.kind}", *[LOCATION_FLAG] * is_location]
    # Surveys of 2.0 have numbers without the flag.
    flags += [f"{FORM_FLAG}numeric"] * (question.canonical in survey.numbered)
    flags += _coverage_flags(survey, question)
    return Question(
        code=question.code,
        namespace_code=question.namespace_code,
        name=question.name,
        description=question.description,
        accessible=question.accessible,
        attribute_count=question.rows,
        datasets=[catalogue.dataset(code) for code in question.datasets],
        flags=list(dict.fromkeys(flags)),
        knowledge_base=question.knowledge_base,
        message=question.message,
        notice=question.notice,
        order=question.order,
        suffixes=list(question.suffixes),
        unit=question.unit,
        warning=question.warning,
        **related,
    )


def _coverage_flags(survey: Survey, question: SurveyQuestion) -> Iterator[str]:
    """Which accessible waves asked it or offered an answer, and whether some were not asked it."""
    record, code = survey.record, question.canonical
    if code in (record.routed or ()):
        yield ROUTED_FLAG
    accessible = {each.code for each in survey.waves if each.accessible}
    waves = [wave for wave in question.waves if wave in accessible]
    if len(waves) < len(accessible):
        yield asked_flag(waves)
    missing = {
        wave: answers[code] for wave, answers in record.not_offered.items() if code in answers
    }
    if not missing:
        return
    answers = dict.fromkeys(answer for wave in waves for answer in missing.get(wave, ()))
    yield from offered_flags(
        {each: [wave for wave in waves if record.offers(wave, code, each)] for each in answers}
    )


def category_resource(
    survey: Survey, category: SurveyCategory, include: Collection[str] = ()
) -> Category:
    """A category, with its taxonomy paths and those of `CATEGORY_INCLUDES` that `include` names.

    `lineage` runs from the root to the category itself. A question at several paths below the
    category counts once. Datasets come with their root categories.
    """
    catalogue = survey.catalogue
    paths = list(catalogue.places_of(category))
    related: dict[str, Any] = {}
    if "attribute_count" in include:
        related["attribute_count"] = count_attributes(catalogue, category)
    if "children" in include:
        children = catalogue.child_categories(category.id)
        related["child_categories"] = [_plain(child) for child in children]
        related["child_questions"] = [
            question_resource(survey, question)
            for question in catalogue.child_questions(category.id)
        ]
    if "datasets" in include:
        related["datasets"] = [_with_roots(catalogue, dataset) for dataset, _ in paths]
    if "descendant_attributes" in include:
        related["descendant_attributes"] = [
            attribute
            for question in _questions_below(catalogue, category)
            for attribute in _attributes(question)
        ]
    if "lineage" in include:
        related["lineage"] = [_plain(each) for each in catalogue.lineage(category.id)]
    return _plain(category, taxonomy_paths=_paths(paths), **related)


def _plain(category: SurveyCategory, **related: Any) -> Category:
    """A category with the given relationships and no others."""
    return Category(
        id=category.id,
        name=category.name,
        description=category.description,
        order=category.order,
        **related,
    )


def _paths(paths: Iterable[tuple[Dataset, Iterable[SurveyCategory]]]) -> list[TaxonomyPath]:
    return [
        TaxonomyPath([_plain(category) for category in lineage], dataset)
        for dataset, lineage in paths
    ]


def _with_roots(catalogue: SurveyCatalogue, dataset: Dataset) -> Dataset:
    roots = [_plain(each) for each in catalogue.categories_of(dataset.code)]
    return msgspec.structs.replace(dataset, child_categories=roots)


def count_attributes(catalogue: SurveyCatalogue, category: SurveyCategory) -> int:
    """How many attributes the questions of a category, and of all below it, have."""
    return sum(question.rows for question in _questions_below(catalogue, category))


def _questions_below(catalogue: SurveyCatalogue, category: SurveyCategory) -> list[SurveyQuestion]:
    """The questions of a category and of all below it, each once, in the order of the tree."""

    def walk(category: SurveyCategory) -> Iterator[SurveyQuestion]:
        yield from catalogue.child_questions(category.id)
        for child in catalogue.child_categories(category.id):
            yield from walk(child)

    return list({each.canonical: each for each in walk(category)}.values())


def _attributes(question: SurveyQuestion) -> Iterator[DescendantAttribute]:
    suffixes = [(suffix.code, suffix.name) for suffix in question.suffixes] or [("", "")]
    for datapoint in question.datapoints:
        for suffix_code, suffix_name in suffixes:
            yield DescendantAttribute(
                datapoint_code=datapoint.code,
                datapoint_name=datapoint.name,
                namespace_code=question.namespace_code,
                question_code=question.code,
                question_name=question.name,
                suffix_code=suffix_code,
                suffix_name=suffix_name,
            )


_QUESTION_KEY = Record(
    {
        "namespace_code": optional(CODE, "Absent: the base namespace."),
        "question": required(CODE, "The question's code."),
    }
)

FILTER_QUESTIONS = Operation(
    endpoint=endpoints.FILTER_QUESTIONS,
    answer=filter_questions,
    summary="Questions matching the criteria",
    body=Record(
        {
            "include": optional(
                Record({name: optional(FLAG) for name in QUESTIONS_FILTER_INCLUDES}),
                "Relationships to add to every question.",
            ),
            "questions": optional(
                ListOf(_QUESTION_KEY), "Absent or empty: all accessible questions."
            ),
        }
    ),
    may_be_empty=True,
    answers=QuestionsFound,
    describes_survey=True,
)

GET_QUESTION = Operation(
    endpoint=endpoints.GET_QUESTION,
    answer=get_question,
    summary="One question",
    includes=QUESTION_INCLUDES,
    answers=QuestionFound,
    describes_survey=True,
    errors=(404,),
)

GET_CATEGORY = Operation(
    endpoint=endpoints.GET_CATEGORY,
    answer=get_category,
    summary="One category",
    includes=CATEGORY_INCLUDES,
    answers=CategoryFound,
    errors=(404,),
)
