"""One request and its answer; a refusal is given the advice that the catalogue has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from audiencelab.client.calls import hints
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.errors import RequestLine, RequestRefused
from audiencelab.client.flow import Flow, exchange_whole, fetch, fetch_with_line
from audiencelab.client.messages import Call, Request
from audiencelab.client.operations.catalogue import EVERYTHING, questions_filter
from audiencelab.client.options import Options
from audiencelab.client.raw import RawAnswer
from audiencelab.client.session import Session
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Leaf, walk
from audiencelab.expressions.codes import ASKED

__all__ = [
    "advise",
    "ask",
    "ask_raw",
    "ask_with_line",
    "catalogue_for_advice",
    "load_catalogue",
    "require_respondents",
]

T = TypeVar("T")

# Not 403: what may not be used is missing from the catalogue, which would call it unknown.
_ADVISABLE = (400, 404, 422)


def require_respondents(session: Session, audiences: Iterable[Audience | None]) -> None:
    """Raise `LookupError` for audiences of who was asked, of a service that cannot know it.

    A replay has the answers that the respondents gave when it was recorded.
    """
    if session.service is not None or session.snapshot is not None:
        return
    for audience in audiences:
        if audience is None or audience.expression is None:
            continue
        for _, node in walk(audience.expression):
            if isinstance(node, Leaf) and ASKED in node.datapoints:
                raise LookupError(_no_respondents(session, node.question))


def _no_respondents(session: Session, question: str) -> str:
    code = repr(question)
    return (
        f"al.asked({code}) is not valid for {session}: only respondents tell who was asked and "
        f"gave no answer, and they are not in this process. Use al.answered({code}), or open the "
        "survey itself: connect(survey=folder)."
    )


def ask(session: Session, options: Options, call: Call[T]) -> Flow[T]:
    """The answer to one call."""
    return (yield from ask_with_line(session, options, call))[0]


def ask_with_line(session: Session, options: Options, call: Call[T]) -> Flow[tuple[T, RequestLine]]:
    """The same with what identifies the request, for errors that are found out later."""
    try:
        return (yield from fetch_with_line(call, options))
    except RequestRefused as error:
        yield from advise(session, options, error, call.request)
        raise


def ask_raw(session: Session, options: Options, request: Request) -> Flow[RawAnswer]:
    """The answer to a request as it came."""
    try:
        return (yield from exchange_whole(request, options))
    except RequestRefused as error:
        yield from advise(session, options, error, request)
        raise


def advise(
    session: Session, options: Options, error: RequestRefused, request: Request
) -> Flow[None]:
    """Add to the error what the catalogue knows better."""
    if error.status not in _ADVISABLE:
        return
    if catalogue := (yield from catalogue_for_advice(session, options)):
        error.hints += hints.find_hints(request, error.faults, catalogue)


def catalogue_for_advice(session: Session, options: Options) -> Flow[Catalogue | None]:
    """The catalogue if advice may cost it: one in this process, or one that is known already."""
    if not session.embedded and session.catalogue is None:
        return None
    try:
        return (yield from load_catalogue(session, options))
    except AudienceError:
        return None


def load_catalogue(session: Session, options: Options) -> Flow[Catalogue]:
    """Every question with its datapoints and its place in the tree, asked for once a session."""
    if session.catalogue is not None:
        return session.catalogue
    answer = yield from fetch(questions_filter(None, EVERYTHING), options)
    return session.keep_catalogue(answer.questions)
