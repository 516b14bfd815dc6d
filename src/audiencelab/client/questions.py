"""Questions and categories: building the requests, reading the responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

import msgspec

from audiencelab.client.arguments import code, codes
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.decoding import check_about, reader
from audiencelab.client.exchange import Call
from audiencelab.expressions import join_code, split_code
from audiencelab.schema import Category, Question, QuestionKey, QuestionsFilter, Resource
from audiencelab.schema.endpoints import FILTER_QUESTIONS, GET_CATEGORY, GET_QUESTION

QUESTION_INCLUDES = ("categories", "datapoints", "taxonomy_paths")
EVERYTHING = dict.fromkeys(QUESTION_INCLUDES, True)


class QuestionsAnswer(Resource, frozen=True):
    """The response to `questions.filter()`."""

    questions: list[Question]

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        # In full it would be hundreds of kilobytes of output in a notebook.
        count = len(self)
        return f"<QuestionsAnswer: {count:,} question{'s' * (count != 1)}, as .questions>"


class _QuestionAnswer(msgspec.Struct, frozen=True):
    question: Question


class _CategoryAnswer(msgspec.Struct, frozen=True):
    category: Category


R = TypeVar("R", Question, Category)

_FIELDS = {"children": ("child_categories", "child_questions")}
"""The fields of a relationship whose name differs from them."""

_read_questions = reader(QuestionsAnswer)
_read_question = reader(_QuestionAnswer)
_read_category = reader(_CategoryAnswer)


def build_questions_filter(
    questions: Iterable[QuestionKey] | None, include: Mapping[str, bool] | Iterable[str] | None
) -> Call[QuestionsAnswer]:
    """POST /v3/questions/filter; no questions means all accessible ones."""
    if include is not None:
        if not isinstance(include, Mapping):
            include = dict.fromkeys(_names(include), True)
        include = dict(cast(Mapping[str, bool], include))
        if unknown := sorted(include.keys() - set(QUESTION_INCLUDES)):
            raise ValueError(
                f"Unknown relationship {', '.join(map(repr, unknown))}; include may hold "
                f"{', '.join(map(repr, QUESTION_INCLUDES))}."
            )
    body = QuestionsFilter(include, None if questions is None else list(questions))
    request = FILTER_QUESTIONS.request(body=msgspec.json.encode(body))
    return Call(request, _read_questions)


def build_question(code: str, include: Iterable[str], parameter: str) -> Call[Question]:
    """GET /v2/questions/{question_code}.

    code: the full one, with its namespace. parameter: the query parameter that takes `include`.
    """
    asked = _include(include, parameter)
    namespace, bare = split_code(code)

    def read(body: bytes) -> Question:
        question = _read_question(body).question
        # Either field may hold the namespace, or none does.
        came = split_code(question.code, question.namespace_code or namespace)
        check_about("question", join_code(*came), join_code(namespace, bare))
        return _included(question, body, asked)

    return Call(GET_QUESTION.request(code, query=urlencode(asked)), read)


def build_category(category_id: str, include: Iterable[str], parameter: str) -> Call[Category]:
    """GET /v2/categories/{category_id}; `parameter` is the query parameter for `include`."""
    if not isinstance(category_id, (str, int)):
        raise TypeError(
            f"category_id must be a str or int, such as catalogue.tree['Media'].id; "
            f"got {type(category_id).__name__}."
        )
    asked = _include(include, parameter)

    def read(body: bytes) -> Category:
        category = _read_category(body).category
        check_about("category", category.id, str(category_id))
        return _included(category, body, asked)

    return Call(GET_CATEGORY.request(str(category_id), query=urlencode(asked)), read)


def question_keys(
    questions: Iterable[str | QuestionKey], canonical: Callable[[str], str]
) -> list[QuestionKey]:
    """Codes as pairs of namespace and code; `canonical` adds the namespace to a code."""
    if isinstance(questions, (str, CatalogueQuestion)) or not isinstance(questions, Iterable):
        raise TypeError(
            "questions must be a list of codes, such as ['q4']; got "
            f"{type(cast(object, questions)).__name__}."
        )
    return [
        each
        if isinstance(each, QuestionKey)
        else QuestionKey(*split_code(canonical(code(f"questions[{position}]", each))))
        for position, each in enumerate(questions)
    ]


def _include(include: Iterable[str], parameter: str) -> dict[str, str]:
    listed = _names(include)
    return {parameter: ",".join(listed)} if listed else {}


def _names(include: Iterable[str]) -> list[str]:
    """The relationships of a list, a mapping or a single name."""
    if isinstance(include, Mapping):
        return [name for name, wanted in cast(Mapping[str, bool], include).items() if wanted]
    return codes("include", [include] if isinstance(include, str) else include) or []


def _included(resource: R, body: bytes, asked: Mapping[str, str]) -> R:
    """The resource; raises if none of the requested relationships came."""
    for parameter, listed in asked.items():
        names = [field for name in listed.split(",") for field in _FIELDS.get(name, (name,))]
        known = [name for name in names if hasattr(resource, name)]
        if not known or any(getattr(resource, name) is not None for name in known):
            continue
        # A null counts as present.
        (written,) = msgspec.json.decode(body, type=dict[str, dict[str, Any]]).values()
        if not written.keys() & set(known):
            raise msgspec.ValidationError(
                f"it holds none of {listed}, so the service seems to ignore the query parameter "
                f"{parameter!r}; if the service uses another name, give "
                "connect(…, include_parameter=…)"
            )
    return resource
