"""The stats and crosstab queries, and the waves and locations that are read from them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from math import isnan

from audiencelab.client._async.asking import (
    add_hints,
    ask,
    ask_with_line,
    learn_names,
    require_respondents,
)
from audiencelab.client._async.catalogue import AsyncQuestions
from audiencelab.client._async.sending import AsyncSender
from audiencelab.client.catalogue.labels import wave_name
from audiencelab.client.errors import IncompleteStream, RequestRefused, UnknownCodeError
from audiencelab.client.listing import Listing
from audiencelab.client.operations.catalogue import build_questions_filter
from audiencelab.client.operations.queries import (
    CrosstabRequest,
    Location,
    StatsRequest,
    Wave,
    build_stats,
    stats_labels,
)
from audiencelab.client.session import LOCATION_QUESTION, Session
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.client.streams import Sleep
from audiencelab.expressions import join_code
from audiencelab.expressions.codes import WAVES
from audiencelab.results.coverage import questions_of
from audiencelab.schema.catalogue import LOCATION_FLAG
from audiencelab.tables import CrosstabResult, StatsResult
from audiencelab.wording import plural

_SHOWN = 5
"""Rows that are named where more are missing."""


async def fetch_stats(sender: AsyncSender, request: StatsRequest) -> StatsResult:
    """See `Client.stats`."""
    session, query = sender.session, request.query
    require_respondents(session, (*request.audiences, request.base_audience))
    shown = [query.question, query.splitter] if query.splitter else [query.question]
    if nameless := request.questions_to_name():
        await learn_names(sender, [*nameless, *shown])
    request = request.named(session.book)
    answer, line = await ask_with_line(sender, request.call())
    # After the response: a request that is refused needs no names.
    await learn_names(sender, shown)
    result = StatsResult(
        question=answer.meta.question or query.question,
        rows=tuple(answer.data),
        splitter=query.splitter,
        audiences=request.audiences,
        base_audience=request.base_audience,
        labels=stats_labels(
            session.book, query.question, query.splitter, (row.segment for row in answer.data)
        ),
        meta=answer.meta,
        kind=session.book.kind(query.question),
        respondents=session.respondents,
        # A service elsewhere has no say in what this process computes from respondents.
        numbers=answer.numbers if session.service or session.snapshot else None,
    )
    result.provenance.update(
        session.provenance("stats", request.base_audience, query.locations),
        question=query.question,
        waves=list(result.waves),
    )
    if missing := request.missing(answer):
        rows = "; ".join(missing[:_SHOWN]) + "; …" * (len(missing) > _SHOWN)
        raise IncompleteStream(
            f"The response is incomplete: {plural(len(missing), 'row')} did not come: {rows}. The "
            "error's `result` holds the others.",
            line,
            result,
        )
    return result


def empty_crosstab(session: Session, request: CrosstabRequest) -> CrosstabResult:
    """The table of a request, to be filled by `fill_crosstab`; its audiences have names."""
    require_respondents(session, (*request.rows, *request.columns, request.base_audience))
    request = request.named(session.book)
    return CrosstabResult(
        request.rows,
        request.columns,
        request.base_audience,
        request.rows_requested,
        request.columns_requested,
        session.provenance("crosstab", request.base_audience, request.locations)
        | {"waves": request.waves or "the last four accessible"},
        request.row_heads,
        request.column_heads,
        labels=session.book,
        respondents=session.respondents,
    )


async def fill_crosstab(
    sender: AsyncSender,
    request: CrosstabRequest,
    table: CrosstabResult,
    sleep: Sleep | None = None,
) -> AsyncGenerator[CrosstabUpdate, None]:
    """Fill the table that `empty_crosstab` returned; yields updates as cells arrive."""
    session = sender.session
    questions = {code for each in (*request.rows, *request.columns) for code in questions_of(each)}
    # Kinds cost nothing in this process; elsewhere no request is made for them alone.
    free = questions if session.service is not None else set[str]()
    if await learn_names(sender, request.questions_to_name() | free):
        request = request.named(session.book)
        table.rows, table.columns = request.rows, request.columns
        table.base_audience = request.base_audience
    else:
        request = request.with_names_of(table)
    table.kinds = session.book.kinds_of(questions)
    table.provenance.update(
        session.provenance("crosstab", request.base_audience, request.locations)
    )
    try:
        async with aclosing(sender.crosstab(request.request_for, table, sleep=sleep)) as updates:
            async for update in updates:
                yield update
    except RequestRefused as error:
        await add_hints(sender, error, request.request())
        raise


async def fetch_crosstab(sender: AsyncSender, request: CrosstabRequest) -> CrosstabResult:
    """The whole table of a request."""
    table = empty_crosstab(sender.session, request)
    async with aclosing(fill_crosstab(sender, request, table)) as updates:
        async for _ in updates:
            pass
    return table


async def location_question(sender: AsyncSender) -> str:
    """The code of the question whose datapoints are the locations, found in the catalogue.

    It is the one with the flag for it, else the one with the usual code. Raises `UnknownCodeError`
    where there is neither.
    """
    session = sender.session
    if session.location_question:
        return session.location_question
    if session.catalogue is not None:
        questions = [each.record for each in session.catalogue]
    else:
        questions = (await ask(sender, build_questions_filter(None, None))).questions
    base = session.base_namespace
    named = [(each.namespace_code or base, each) for each in questions]
    found = [each for each in named if LOCATION_FLAG in each[1].flags] or [
        each for each in named if (each[0], each[1].code) == (base, LOCATION_QUESTION)
    ]
    if not found:
        raise UnknownCodeError(
            "The service does not say which question holds the locations: none has the flag "
            f"{LOCATION_FLAG!r}, and none has the code {LOCATION_QUESTION!r}. Name it: "
            "connect(…, location_question=…).",
            [LOCATION_QUESTION],
        )
    namespace, question = found[0]
    session.location_question = (
        question.code if namespace == base else join_code(namespace, question.code)
    )
    return session.location_question


async def fetch_waves(sender: AsyncSender) -> Listing[Wave]:
    """See `Client.waves`."""
    question = await location_question(sender)
    result = await fetch_stats(sender, build_stats(question, splitter=WAVES))
    first = {row.segment: row.metrics for row in reversed(result.rows) if row.segment}
    found = (
        Wave(code, wave_name(code), _sample(first[code].audience_sample), first[code].audience_size)
        for code in result.segments
    )
    return Listing(found, ("code", "name", "sample", "size"))


async def fetch_locations(sender: AsyncSender) -> Listing[Location]:
    """See `Client.locations`."""
    code = await location_question(sender)
    # By the operation of which the specification names every field.
    answer = await AsyncQuestions(sender).filter([code], include=["datapoints"])
    known = next((each.datapoints for each in answer.questions if each.datapoints), None)
    if known is None:
        raise UnknownCodeError(f"{code!r}, the location question, has no datapoints.", [code])
    return Listing(Location(each.code, each.name) for each in known if each.accessible)


def _sample(count: float) -> int | None:
    return None if isnan(count) else int(count)
