"""Requests with hints for refusals, and names for codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from audiencelab.client import hints
from audiencelab.client._async.sending import AsyncSender
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.errors import RequestLine, RequestRefused
from audiencelab.client.exchange import Call
from audiencelab.client.operations.catalogue import (
    EVERYTHING,
    build_questions_filter,
    question_keys,
)
from audiencelab.client.session import Session
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Leaf, walk
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.schema import Question
from audiencelab.schema.http import Request

T = TypeVar("T")

_LONGEST = 10.0
"""Maximum seconds to wait for names."""

# Not 403: questions that may not be used are missing from the catalogue, which would call them
# unknown.
_WITH_HINTS = (400, 404, 422)


async def ask(sender: AsyncSender, call: Call[T]) -> T:
    """The value of one response; a refusal gets hints from the catalogue."""
    return (await ask_with_line(sender, call))[0]


async def ask_with_line(sender: AsyncSender, call: Call[T]) -> tuple[T, RequestLine]:
    """The same with what identifies the request, for errors that are found later."""
    try:
        return await sender.fetch(call)
    except RequestRefused as error:
        await add_hints(sender, error, call.request)
        raise


async def add_hints(sender: AsyncSender, error: RequestRefused, request: Request) -> None:
    """Add to an error what the catalogue knows about the codes of its request."""
    if error.status in _WITH_HINTS and (catalogue := await catalogue_for_hints(sender)):
        error.hints += hints.find_hints(request, error.faults, catalogue)


async def catalogue_for_hints(sender: AsyncSender) -> Catalogue | None:
    """The catalogue, if it is in this process or already loaded."""
    if not sender.session.embedded and sender.session.catalogue is None:
        return None
    try:
        return await load_catalogue(sender)
    except AudienceError:
        return None


async def load_catalogue(sender: AsyncSender) -> Catalogue:
    """Every question with its datapoints and its categories, requested once a session."""
    session = sender.session
    if session.catalogue is not None:
        return session.catalogue
    answer, _ = await sender.fetch(build_questions_filter(None, EVERYTHING))
    return session.keep_catalogue(answer.questions)


async def learn_names(sender: AsyncSender, codes: Iterable[str]) -> bool:
    """Request the names of these questions and their datapoints unless all are known.

    Returns whether anything was requested. Never raises for a failure, and waits 10 s at most. If
    one is unknown, all are requested, in the order of their codes: so the request depends on the
    codes alone, and a snapshot of it can answer again.
    """
    book, wanted = sender.session.book, set(codes)
    if book.knows(wanted):
        return False
    keys = sorted({book.canonical(code) for code in wanted if code != WAVES})
    call = build_questions_filter(question_keys(keys, book.canonical), ["datapoints"])
    deadline = sender.options.deadline
    options = replace(sender.options, retries=0, deadline=deadline and min(deadline, _LONGEST))
    try:
        answer, _ = await sender.with_options(options).fetch(call)
    except RequestRefused as error:
        # A refusal is final; a service that is busy is asked again later.
        if error.status is not None and error.status < 500 and error.status != 429:
            book.add_unknown(keys)
        return True
    except AudienceError:
        return True
    book.add(answer.questions)
    book.add_unknown(keys)
    return True


async def look_up(sender: AsyncSender, code: str) -> Question | None:
    """The question of that code, accessible or not; None if it is unknown."""
    await learn_names(sender, [code])
    return sender.session.book.question(code)


def require_respondents(session: Session, audiences: Iterable[Audience | None]) -> None:
    """Raise `LookupError` for audiences with `asked`, which only respondents can answer.

    A snapshot holds the responses that the respondents gave when it was recorded.
    """
    if session.service is not None or session.snapshot is not None:
        return
    for audience in audiences:
        if audience is None or audience.expression is None:
            continue
        for _, node in walk(audience.expression):
            if isinstance(node, Leaf) and ASKED in node.datapoints:
                raise LookupError(
                    f"al.asked({node.question!r}) is not valid for {session}: only respondents "
                    "tell who was asked and gave no answer, and they are not in this process. Use "
                    f"al.answered({node.question!r}), or open the survey itself: "
                    "connect(survey=folder)."
                )
