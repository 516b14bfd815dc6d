"""Questions and categories: building the requests, reading the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import quote

import msgspec

from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.messages import Call, Request
from audiencelab.client.operations.codes import code, codes
from audiencelab.client.operations.reading import reader
from audiencelab.expressions import split_code
from audiencelab.schema import Category, Question, QuestionKey, QuestionsFilter, Resource

__all__ = [
    "CATEGORY_INCLUDES",
    "EVERYTHING",
    "QUESTION_INCLUDES",
    "QuestionsAnswer",
    "category",
    "question",
    "question_keys",
    "questions_filter",
]

QUESTION_INCLUDES = ("categories", "datapoints", "taxonomy_paths")
EVERYTHING = dict.fromkeys(QUESTION_INCLUDES, True)
CATEGORY_INCLUDES = ("children", "lineage", "attribute_count", "datasets", "descendant_attributes")


class QuestionsAnswer(Resource, frozen=True):
    """Answer to the question filter."""

    questions: list[Question]

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        # In full it would be hundreds of kilobytes at the end of a notebook's cell.
        count = len(self)
        return f"<QuestionsAnswer: {count:,} question{'s' * (count != 1)}, as .questions>"


class _QuestionAnswer(msgspec.Struct, frozen=True):
    question: Question


class _CategoryAnswer(msgspec.Struct, frozen=True):
    category: Category


R = TypeVar("R", Question, Category)

_FIELDS = {"children": ("child_categories", "child_questions")}
"""Where a relationship is found that is not called as its field."""

_read_questions = reader(QuestionsAnswer)
_read_question = reader(_QuestionAnswer)
_read_category = reader(_CategoryAnswer)


def questions_filter(
    questions: Iterable[QuestionKey] | None, include: Mapping[str, bool] | Iterable[str] | None
) -> Call[QuestionsAnswer]:
    """POST /v3/questions/filter; no questions means all accessible ones."""
    body = QuestionsFilter(
        include=None if include is None else _checked(include),
        questions=None if questions is None else list(questions),
    )
    request = Request("POST", "/v3/questions/filter", {}, msgspec.json.encode(body))
    return Call(request, _read_questions)


def question(code: str, include: Iterable[str], parameter: str) -> Call[Question]:
    """GET /v2/questions/{question_code}.

    code: the full one, with its namespace. parameter: the query parameter that takes `include`.
    """
    asked = _include(include, parameter)
    request = Request("GET", f"/v2/questions/{quote(code, safe='')}", asked)
    return Call(request, lambda body: _included(_read_question(body).question, body, asked))


def category(category_id: str, include: Iterable[str], parameter: str) -> Call[Category]:
    """GET /v2/categories/{category_id}; `parameter` is the query parameter for `include`."""
    asked = _include(include, parameter)
    request = Request("GET", f"/v2/categories/{quote(_id(category_id), safe='')}", asked)
    return Call(request, lambda body: _included(_read_category(body).category, body, asked))


def question_keys(
    questions: Iterable[str | QuestionKey], canonical: Callable[[str], str]
) -> list[QuestionKey]:
    """Codes as pairs of namespace and code; `canonical` adds the namespace to a code."""
    if isinstance(questions, (str, CatalogueQuestion)):
        raise TypeError("Give a list of question codes, such as ['q4'], not a single one.")
    if not isinstance(questions, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"Give a list of question codes, such as ['q4'], not {type(questions).__name__}."
        )
    return [
        each
        if isinstance(each, QuestionKey)
        else QuestionKey(*split_code(canonical(code(f"questions[{place}]", each))))
        for place, each in enumerate(questions)
    ]


def _checked(include: Mapping[str, bool] | Iterable[str]) -> dict[str, bool]:
    if isinstance(include, Mapping):
        asked = dict(cast(Mapping[str, bool], include))
    else:
        asked = dict.fromkeys(_named(include), True)
    if unknown := sorted(asked.keys() - set(QUESTION_INCLUDES)):
        raise ValueError(
            f"Unknown relationship {', '.join(map(repr, unknown))}; include may hold "
            f"{', '.join(map(repr, QUESTION_INCLUDES))}."
        )
    return asked


def _id(category: str | int) -> str:
    if not isinstance(category, (str, int)):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"A category is named by its id, not {type(category).__name__}: "
            "catalogue.tree['Media'].id."
        )
    return str(category)


def _include(include: Iterable[str], parameter: str) -> dict[str, str]:
    listed = _named(include)
    return {parameter: ",".join(listed)} if listed else {}


def _included(resource: R, body: bytes, asked: Mapping[str, str]) -> R:
    """The resource, unless none of the relationships came that were asked for."""
    for parameter, listed in asked.items():
        names = [field for name in listed.split(",") for field in _FIELDS.get(name, (name,))]
        known = [name for name in names if hasattr(resource, name)]
        if not known or any(getattr(resource, name) is not None for name in known):
            continue
        # A null is an answer too.
        (written,) = msgspec.json.decode(body, type=dict[str, dict[str, Any]]).values()
        if not written.keys() & set(known):
            raise msgspec.ValidationError(
                f"it holds nothing of {listed}, and seems to ignore the query parameter "
                f"{parameter!r}; if the service has another name for it, give "
                "connect(…, include_parameter=…)"
            )
    return resource


def _named(include: Iterable[str]) -> list[str]:
    """The relationships of a list, or the one that was given by itself."""
    if isinstance(include, Mapping):
        return [name for name, wanted in cast(Mapping[str, bool], include).items() if wanted]
    return codes("include", [include] if isinstance(include, str) else include) or []
