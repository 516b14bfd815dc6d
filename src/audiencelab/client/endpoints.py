"""The operations in groups, under the names that a client gives them (`client.questions.get`).

What they do stands in `calls`; here they have their arguments and their documentation.
`async_endpoints` is the same for `await`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from audiencelab.client.calls import catalogue
from audiencelab.client.flow import Flow
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.wire import Category, Question, QuestionKey

__all__ = ["Categories", "Endpoint", "Questions", "Runner"]

T = TypeVar("T")


class Runner(Protocol):
    """Runs a flow to its result: the client's own way."""

    def __call__(self, flow: Flow[T]) -> T: ...


class Endpoint:
    """A group of operations of one client."""

    def __init__(self, run: Runner, session: Session, options: Options) -> None:
        self._run = run
        self._session = session
        self._options = options

    def __repr__(self) -> str:
        names = ", ".join(f".{name}()" for name in vars(type(self)) if not name.startswith("_"))
        return f"<{type(self).__name__} of a client: {names}>"


class Questions(Endpoint):
    """The question operations of a client."""

    def filter(
        self,
        questions: Iterable[str | QuestionKey] | None = None,
        *,
        include: Mapping[str, bool] | Iterable[str] | None = None,
    ) -> QuestionsAnswer:
        """Questions by code, or all accessible ones (POST /v3/questions/filter).

        include: any of "datapoints", "categories" and "taxonomy_paths", as a list or as
            `{"datapoints": True, …}`.

        Raises `UnknownCodeError` if the service leaves some of `questions` out of its answer.
        """
        return self._run(
            catalogue.filter_questions(self._session, self._options, questions, include)
        )

    def get(self, code: str, *, include: Iterable[str] = ()) -> Question:
        """One question (GET /v2/questions/{question_code}).

        include: any of "categories" and "datapoints". Raises `NotFound`.
        """
        return self._run(catalogue.get_question(self._session, self._options, code, include))


class Categories(Endpoint):
    """The category operations of a client."""

    def get(self, category_id: str, *, include: Iterable[str] = ()) -> Category:
        """One category (GET /v2/categories/{category_id}).

        include: any of "children", "lineage", "attribute_count", "datasets" and
        "descendant_attributes". Raises `NotFound`.
        """
        return self._run(catalogue.get_category(self._session, self._options, category_id, include))
