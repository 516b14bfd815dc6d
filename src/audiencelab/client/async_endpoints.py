"""The operations in groups, for `await`; what they take and give stands in `endpoints`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from audiencelab.client import endpoints
from audiencelab.client.calls import catalogue
from audiencelab.client.flow import Flow
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.wire import Category, Question, QuestionKey

__all__ = ["AsyncCategories", "AsyncEndpoint", "AsyncQuestions", "AsyncRunner", "documented_by"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class AsyncRunner(Protocol):
    """Runs a flow to its result: the client's own way."""

    def __call__(self, flow: Flow[T]) -> Awaitable[T]: ...


def documented_by(twin: Callable[..., Any]) -> Callable[[F], F]:
    """Takes over the documentation of the blocking method of the same name."""

    def take_over(method: F) -> F:
        method.__doc__ = twin.__doc__
        return method

    return take_over


class AsyncEndpoint:
    """A group of operations of one client."""

    def __init__(self, run: AsyncRunner, session: Session, options: Options) -> None:
        self._run = run
        self._session = session
        self._options = options

    def __repr__(self) -> str:
        names = ", ".join(f".{name}()" for name in vars(type(self)) if not name.startswith("_"))
        return f"<{type(self).__name__} of a client, to be awaited: {names}>"


class AsyncQuestions(AsyncEndpoint):
    """The question operations of a client."""

    @documented_by(endpoints.Questions.filter)
    async def filter(
        self,
        questions: Iterable[str | QuestionKey] | None = None,
        *,
        include: Mapping[str, bool] | Iterable[str] | None = None,
    ) -> QuestionsAnswer:
        return await self._run(
            catalogue.filter_questions(self._session, self._options, questions, include)
        )

    @documented_by(endpoints.Questions.get)
    async def get(self, code: str, *, include: Iterable[str] = ()) -> Question:
        return await self._run(catalogue.get_question(self._session, self._options, code, include))


class AsyncCategories(AsyncEndpoint):
    """The category operations of a client."""

    @documented_by(endpoints.Categories.get)
    async def get(self, category_id: str, *, include: Iterable[str] = ()) -> Category:
        return await self._run(
            catalogue.get_category(self._session, self._options, category_id, include)
        )
