"""Names for codes, asked for before a result is shown by them; never worth an error or a wait."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from audiencelab.client.errors import RequestRefused
from audiencelab.client.flow import Flow, fetch
from audiencelab.client.operations.catalogue import question_keys, questions_filter
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.errors import AudienceError
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import Question

__all__ = ["learn", "look_up"]

_LONGEST = 10.0
"""Seconds that names are worth waiting for."""


def learn(session: Session, options: Options, codes: Iterable[str]) -> Flow[None]:
    """Ask for the names of these questions and their datapoints, in one request, if need be.

    All of them are asked for as soon as one is not known, in the order of their codes: so the
    request depends on the codes alone, and a record of it answers again.
    """
    book, codes = session.book, set(codes)
    if book.knows(codes):
        return
    wanted = sorted({book.canonical(code) for code in codes if code != WAVES})
    call = questions_filter(question_keys(wanted, book.canonical), ["datapoints"])
    try:
        answer = yield from fetch(call, _briefly(options))
    except RequestRefused as error:
        # What is forbidden or not offered stays so; a service that is busy is asked again later.
        if error.status is not None and error.status < 500 and error.status != 429:
            book.add_unknown(wanted)
        return
    except AudienceError:
        return
    book.add(answer.questions)
    book.add_unknown(wanted)


def look_up(session: Session, options: Options, code: str) -> Flow[Question | None]:
    """The question of that code, accessible or not; None if there is none, or nobody tells."""
    yield from learn(session, options, [code])
    return session.book.question(code)


def _briefly(options: Options) -> Options:
    if options.deadline is None:
        return replace(options, retries=0)
    return replace(options, retries=0, deadline=min(options.deadline, _LONGEST))
