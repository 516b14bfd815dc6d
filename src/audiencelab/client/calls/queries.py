"""The stats and crosstab queries with names for their codes, and what is read off them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

import msgspec

from audiencelab.client import flow
from audiencelab.client.calls.asking import advise, ask, ask_with_line, require_respondents
from audiencelab.client.calls.catalogue import filter_questions
from audiencelab.client.calls.designing import respondents_of
from audiencelab.client.calls.names import learn
from audiencelab.client.catalogue.labels import QuestionBook, wave_name
from audiencelab.client.errors import IncompleteStream, RequestRefused, UnknownCodeError
from audiencelab.client.flow import Flow
from audiencelab.client.listing import Listing
from audiencelab.client.operations.catalogue import questions_filter
from audiencelab.client.operations.queries import CrosstabPlan, StatsPlan
from audiencelab.client.operations.queries import stats as plan_stats
from audiencelab.client.options import Options
from audiencelab.client.session import LOCATION_QUESTION, Session
from audiencelab.expressions import join_code
from audiencelab.expressions.codes import WAVES
from audiencelab.results.coverage import questions_of
from audiencelab.schema import Metrics
from audiencelab.schema.catalogue import LOCATION_FLAG
from audiencelab.schema.numbers import NUMBERS, QuestionNumbers
from audiencelab.schema.resource import ByAttribute
from audiencelab.tables import CrosstabResult, StatsLabels, StatsResult
from audiencelab.wording import plural

__all__ = [
    "Location",
    "Wave",
    "crosstab",
    "crosstab_table",
    "location_question",
    "locations",
    "stats",
    "stats_labels",
    "waves",
]


_SHOWN = 5
"""Rows that are named where more are missing."""


@dataclass(frozen=True, slots=True)
class Wave(ByAttribute):
    """A wave of the survey. sample: its respondents; size: the people they stand for.

    The sample is None, and the size NaN, where a service does not tell.
    """

    code: str
    name: str
    sample: int | None
    size: float


@dataclass(frozen=True, slots=True)
class Location(ByAttribute):
    """A location of the survey, by the code that `locations=` takes."""

    code: str
    name: str


def stats(session: Session, options: Options, plan: StatsPlan) -> Flow[StatsResult]:
    """See `Client.stats`."""
    require_respondents(session, (*plan.audiences, plan.base_audience))
    query = plan.query
    shown = [query.question, query.splitter] if query.splitter else [query.question]
    if nameless := plan.questions_to_name():
        yield from learn(session, options, [*nameless, *shown])
    plan = plan.named(session.book)
    answer, line = yield from ask_with_line(session, options, plan.call())
    # Asked for now at the latest: a request that is refused needs no names.
    yield from learn(session, options, shown)
    result = StatsResult(
        question=answer.meta.question or query.question,
        rows=tuple(answer.data),
        splitter=query.splitter,
        audiences=plan.audiences,
        base_audience=plan.base_audience,
        labels=stats_labels(
            session.book, query.question, query.splitter, (row.segment for row in answer.data)
        ),
        meta=answer.meta,
        kind=session.book.kind(query.question),
        respondents=respondents_of(session),
        extra={name: each for name, each in answer.extra.items() if name != NUMBERS},
        numbers=_numbers(session, answer.extra.get(NUMBERS)),
    )
    result.provenance.update(
        session.provenance("stats", plan.base_audience, query.locations),
        question=query.question,
        waves=list(result.waves),
    )
    if missing := plan.missing(answer):
        shown = "; ".join(missing[:_SHOWN]) + "; …" * (len(missing) > _SHOWN)
        raise IncompleteStream(
            f"The answer is not whole: {plural(len(missing), 'row')} did not come: {shown}. The "
            "error's `result` holds the others.",
            line,
            result,
        )
    return result


def _numbers(session: Session, given: object) -> QuestionNumbers | None:
    """The numbers behind bands, of a service or a recording in this process."""
    if given is None or (session.service is None and session.snapshot is None):
        return None
    return msgspec.convert(given, QuestionNumbers)


def crosstab_table(session: Session, plan: CrosstabPlan) -> CrosstabResult:
    """The empty table of a plan, to be filled by `crosstab`."""
    require_respondents(session, (*plan.rows, *plan.columns, plan.base_audience))
    plan = plan.named(session.book)
    return CrosstabResult(
        plan.rows,
        plan.columns,
        plan.base_audience,
        plan.rows_requested,
        plan.columns_requested,
        session.provenance("crosstab", plan.base_audience, plan.locations)
        | {"waves": plan.waves or "the last four accessible"},
        plan.row_heads,
        plan.column_heads,
        labels=session.book,
        respondents=respondents_of(session),
    )


def crosstab(
    session: Session, options: Options, plan: CrosstabPlan, table: CrosstabResult
) -> Flow[CrosstabResult]:
    """See `Client.crosstab`; emits a `CrosstabUpdate` as cells arrive."""
    asked = {code for each in (*plan.rows, *plan.columns) for code in questions_of(each)}
    # Kinds cost nothing in this process; elsewhere no request is made for them alone.
    free = asked if session.service is not None else set[str]()
    yield from learn(session, options, plan.questions_to_name() | free)
    plan = plan.named(session.book)
    table.kinds = session.book.kinds_of(asked)
    table.rows, table.columns, table.base_audience = plan.rows, plan.columns, plan.base_audience
    table.provenance.update(session.provenance("crosstab", plan.base_audience, plan.locations))
    try:
        return (yield from flow.crosstab(plan.request_for, table, options))
    except RequestRefused as error:
        yield from advise(session, options, error, plan.request())
        raise


def location_question(session: Session, options: Options) -> Flow[str]:
    """The code of the question whose datapoints are the locations, found in the catalogue.

    It is the one with the flag for it, else the one of the usual code. Raises `UnknownCodeError`
    where there is neither.
    """
    if session.location_question:
        return session.location_question
    if session.catalogue is not None:
        questions = [each.record for each in session.catalogue]
    else:
        questions = (yield from ask(session, options, questions_filter(None, None))).questions
    base = session.base_namespace
    names = [each.namespace_code or base for each in questions]
    named = list(zip(names, questions, strict=True))
    found = [each for each in named if LOCATION_FLAG in each[1].flags] or [
        each for each in named if (each[0], each[1].code) == (base, LOCATION_QUESTION)
    ]
    if not found:
        raise UnknownCodeError(
            "The service does not say which question holds the locations: none has the flag "
            f"{LOCATION_FLAG!r}, and none is called {LOCATION_QUESTION!r}. Name it: "
            "connect(…, location_question=…).",
            [LOCATION_QUESTION],
        )
    namespace, question = found[0]
    session.location_question = (
        question.code if namespace == base else join_code(namespace, question.code)
    )
    return session.location_question


def waves(session: Session, options: Options) -> Flow[Listing[Wave]]:
    """See `Client.waves`."""
    question = yield from location_question(session, options)
    plan = plan_stats(question, splitter=WAVES)
    result = yield from stats(session, options, plan)
    first = {row.segment: row.metrics for row in reversed(result.rows) if row.segment}
    found = (
        Wave(code, wave_name(code), _sample(first[code]), first[code].audience_size)
        for code in result.segments
    )
    return Listing(found, ("code", "name", "sample", "size"))


def locations(session: Session, options: Options) -> Flow[Listing[Location]]:
    """See `Client.locations`."""
    code = yield from location_question(session, options)
    # Asked in the operation of which the specification names every field.
    answer = yield from filter_questions(session, options, [code], ["datapoints"])
    known = next((each.datapoints for each in answer.questions if each.datapoints), None)
    if known is None:
        raise UnknownCodeError(f"{code!r}, the location question, has no datapoints.", [code])
    return Listing(Location(each.code, each.name) for each in known if each.accessible)


def _sample(metrics: Metrics) -> int | None:
    """The respondents of an audience as a whole number; None where the service does not tell."""
    return None if isnan(metrics.audience_sample) else int(metrics.audience_sample)


def stats_labels(
    book: QuestionBook, question: str, splitter: str | None, segments: Iterable[str | None]
) -> StatsLabels:
    """The names of one result's question, datapoints and segments, as far as the book has them."""
    return StatsLabels(
        question=book.question_name(question) or "",
        datapoints=book.datapoints(question) if question != WAVES else {},
        segments={code: wave_name(code) for code in segments if code}
        if splitter is None or splitter == WAVES
        else book.datapoints(splitter),
        splitter=(book.question_name(splitter) or "") if splitter else "",
    )
