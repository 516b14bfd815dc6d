"""The stats and crosstab queries, and the waves and locations that are read from them.

A query is built before anything is sent, so that wrong arguments cost no request; audiences
without a name are named once the names of their questions are known.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import replace
from functools import partial
from math import isnan
from typing import TypedDict, Unpack

import msgspec

from audiencelab.client.audiences import (
    NO_NAMES,
    AudiencesLike,
    AxisLike,
    assign_base_id,
    assign_ids,
    assign_names,
    flatten_banner,
    question_codes,
    to_audiences,
)
from audiencelab.client.catalogue.table_code import TableLabels
from audiencelab.client.context import LOCATION_QUESTION, ClientContext
from audiencelab.client.decoding import reader
from audiencelab.client.errors import IncompleteStream, RequestRefused, UnknownCodeError
from audiencelab.client.exchange import Call
from audiencelab.client.local import local_operations
from audiencelab.client.names import Names, QuestionLike
from audiencelab.client.operations.amounts import fetch_statistics, require_amounts
from audiencelab.client.operations.call_code import counted_codes, scope_arguments, stats_code
from audiencelab.client.operations.crosstab_request import CrosstabRequest, alone
from audiencelab.client.operations.who_counts import (
    ask_not_asked,
    ask_whole,
    compare_with_all_waves,
    who_of,
)
from audiencelab.client.responses import Listing, Location, Wave
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import (
    Sender,
    add_hints,
    ask_with_line,
    load_catalogue,
    load_names,
    require_respondents,
)
from audiencelab.client.stats_rows import Position, missing_rows, rows_by_position
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.client.streams import Progress, reporting
from audiencelab.expressions import Audience
from audiencelab.expressions.codes import WAVES
from audiencelab.results.asked_waves import waves_counted_in
from audiencelab.results.stats import StatsLabels
from audiencelab.schema import StatsRow
from audiencelab.schema.catalogue import LOCATION_FLAG
from audiencelab.schema.endpoints import QUERY_STATS
from audiencelab.schema.queries import RecordedStatsResult
from audiencelab.schema.query import CrosstabQuery, StatsQuery
from audiencelab.schema.scales import scale_of, scores_of
from audiencelab.schema.scope import Scope
from audiencelab.tables import CrosstabResult, StatsResult
from audiencelab.wording import plural

_SHOWN = 5
"""Rows that are named where more are missing."""

_read_stats = reader(RecordedStatsResult)


class OwnGridArguments(TypedDict, total=False):
    """The keyword arguments of a grid, without those of its scope."""

    datapoints: str | Iterable[str] | None
    suffixes: str | Iterable[str | int] | None
    audiences: AudiencesLike | None


class OwnStatsArguments(OwnGridArguments, total=False):
    """The keyword arguments of a statistics query, without those of its scope."""

    splitter: QuestionLike | None
    segments: str | Iterable[str] | None
    segmented_base: bool | None


class GridArguments(OwnGridArguments, ScopeArguments, total=False):
    """The keyword arguments of a grid."""


class StatsArguments(OwnStatsArguments, ScopeArguments, total=False):
    """The keyword arguments of a statistics query."""


def build_stats(
    question: QuestionLike,
    scope: Scope,
    names: Names = NO_NAMES,
    **given: Unpack[OwnStatsArguments],
) -> StatsQuery:
    """A statistics query; raises `TypeError` for arguments of the wrong type.

    Its audiences and its base have ids, and their names only where they were given.
    """
    taken: set[str] = set()
    audiences = to_audiences("audiences", given.get("audiences"), names)
    audiences = assign_ids(audiences, "audiences", taken)
    about = names.question_code("question", question)
    splitter = given.get("splitter")
    if splitter is not None:
        splitter = names.question_code("splitter", splitter)
    return StatsQuery(
        question=about,
        datapoints=_codes(names.answer_codes("datapoints", about, given.get("datapoints"))),
        suffixes=_codes(names.answer_codes("suffixes", about, given.get("suffixes"))),
        splitter=splitter,
        segments=_codes(names.answer_codes("segments", splitter or WAVES, given.get("segments"))),
        segmented_base=given.get("segmented_base"),
        audiences=audiences,
        scope=replace(scope, base=assign_base_id(scope.base, taken)),
    )


def _codes(listed: list[str] | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(listed)


def build_crosstab(
    rows: AxisLike | None, columns: AxisLike | None, scope: Scope, names: Names = NO_NAMES
) -> CrosstabRequest:
    """A crosstab query; see `flatten_banner` for what rows and columns may be."""
    taken: set[str] = set()
    row_banner = flatten_banner("rows", rows, names)
    column_banner = flatten_banner("columns", columns, names)
    row_audiences = assign_ids(row_banner.audiences, "rows", taken)
    column_audiences = assign_ids(column_banner.audiences, "columns", taken)
    scope = replace(scope, base=assign_base_id(scope.base, taken))
    return CrosstabRequest(
        rows=row_audiences or alone(scope),
        columns=column_audiences or alone(scope),
        scope=scope,
        rows_requested=bool(row_audiences),
        columns_requested=bool(column_audiences),
        row_groups=tuple(row_banner.groups),
        column_groups=tuple(column_banner.groups),
        statistics=row_banner.statistics,
    )


def fetch_stats(sender: Sender, query: StatsQuery, *, asks_who: bool = True) -> StatsResult:
    """See `Client.stats`. asks_who: whether it is asked how many were not asked the question."""
    context, base = sender.context, query.scope.base
    every = query.audiences if base is None else (*query.audiences, base)
    require_respondents(sender, every)
    load_names(sender, question_codes(every, nameless=True))
    named = assign_names(every, context.describe)
    audiences = named[: len(query.audiences)]
    scope = replace(query.scope, base=None if base is None else named[-1])
    query = replace(query, audiences=audiences, scope=scope)
    body = msgspec.json.encode(query.to_wire())
    sent = QUERY_STATS.request(headers=scope.headers(), body=body)

    def parse(body: bytes) -> tuple[RecordedStatsResult, dict[Position, StatsRow]]:
        answer = _read_stats(body)
        return answer, rows_by_position(answer.data, query)

    (answer, rows), line = ask_with_line(sender, Call(sent, parse))
    # After the response: a request that is refused needs no names.
    load_names(sender, (query.question, query.splitter or WAVES))
    about = context.names.of_code(query.question)
    operations = local_operations(sender, scope.weight)
    if operations is not None and context.snapshot is not None and answer.numbers is not None:
        operations.remember_numbers(query, answer.numbers)
    result = StatsResult(
        question=answer.meta.question or query.question,
        rows=tuple(rows.values()),
        splitter=query.splitter,
        audiences=audiences,
        base_audience=scope.base,
        labels=_labels(context, query, answer.data),
        meta=answer.meta,
        kind=about.record.kind if about else None,
        ask=operations,
        asked=query,
        made=stats_code(sender, "stats", query),
    )
    result.provenance.update(
        context.provenance("stats", scope) | sender.version_fact,
        question=query.question,
        waves=list(result.waves),
    )
    result = _with_who(sender, result, scope, asks_who)
    if missing := missing_rows(rows, query):
        listed = "; ".join(missing[:_SHOWN]) + "; …" * (len(missing) > _SHOWN)
        raise IncompleteStream(
            f"The response is incomplete: {plural(len(missing), 'row')} did not come: {listed}. "
            "The error's `result` holds the others.",
            line,
            result,
        )
    return result


def _with_who(sender: Sender, result: StatsResult, scope: Scope, asks_who: bool) -> StatsResult:
    """The result with who counts in it."""
    asked = {result.question, *question_codes(result.audiences)}
    asked |= {result.splitter} if result.splitter else set[str]()
    who = who_of(sender.context, asked, scope)
    return replace(result, who=ask_not_asked(sender, who, scope) if asks_who else who)


def empty_crosstab(sender: Sender, request: CrosstabRequest) -> CrosstabResult:
    """The table of a request, to be filled by `fill_crosstab`; its audiences have names."""
    require_respondents(sender, (*request.rows, *request.columns, request.scope.base))
    if request.statistics:
        require_amounts(sender, request.statistics[0].statistic.name)
    table = CrosstabResult(
        request.rows,
        request.columns,
        request.scope.base,
        request.rows_requested,
        request.columns_requested,
        row_groups=request.row_groups,
        column_groups=request.column_groups,
        ask=local_operations(sender, request.scope.weight),
    )
    _name(sender, request, table)
    return table


def fill_crosstab(
    sender: Sender,
    request: CrosstabRequest,
    table: CrosstabResult,
    *,
    all_waves: bool = True,
) -> Generator[CrosstabUpdate, None]:
    """Fill the table that `empty_crosstab` returned; yields updates as cells arrive.

    all_waves: whether cells are set against all waves that are requested and all who could be in
        their rows, and it is asked who was not asked a question.
    """
    context = sender.context
    asked = question_codes((*request.rows, *request.columns))
    asked |= {code for each in request.statistics for code in each.statistic.questions}
    every = (*request.rows, *request.columns, request.scope.base)
    # In this process kinds need no network; elsewhere no request is made for them alone.
    named = asked if context.service is not None else set[str]()
    if load_names(sender, named | question_codes(every, nameless=True)):
        _name(sender, request, table)
    table.kinds, table.scales = context.kinds_of(asked), context.scales_of(asked)
    table.who = who_of(context, asked, replace(request.scope, base=table.base_audience))
    amounts = (each.statistic.questions for each in request.statistics)
    window = context.counted_waves(request.scope)
    table.provenance["waves"] = waves_counted_in(table, window, amounts)

    request_for = partial(request.part, table)
    if all_waves:
        compare_with_all_waves(sender, request, table)
        ask_whole(sender, request, table)
    try:
        # Closed in any case: a caller may stop before the last update.
        with closing(sender.crosstab(request_for, table)) as updates:
            yield from updates
        # The first answer says whether a service elsewhere has them.
        table.ask = table.ask or local_operations(sender, request.scope.weight)
        if request.statistics:
            table.statistics = fetch_statistics(sender, request.statistics, table, request.scope)
        if all_waves:
            scope = replace(request.scope, base=table.base_audience)
            table.who = ask_not_asked(sender, table.who, scope)
    except RequestRefused as error:
        whole = request_for(range(len(table.rows)), range(len(table.columns)))
        add_hints(sender, error, whole)
        raise


def fetch_crosstab(
    sender: Sender,
    request: CrosstabRequest,
    progress: Progress = None,
    *,
    all_waves: bool = True,
) -> CrosstabResult:
    """The whole table of a request; all_waves: as for `fill_crosstab`."""
    sender.check_usable()
    table = empty_crosstab(sender, request)
    with reporting(progress, table.expected) as report:
        updates = fill_crosstab(sender, request, table, all_waves=all_waves)
        with closing(updates):
            for update in updates:
                report(update)
    return table


def _name(sender: Sender, request: CrosstabRequest, table: CrosstabResult) -> None:
    """Give the audiences of a table their names, as far as those of questions are known."""
    context, scope = sender.context, request.scope
    table.rows = assign_names(request.rows, context.describe)
    table.columns = assign_names(request.columns, context.describe)
    if scope.base is not None:
        [table.base_audience] = assign_names([scope.base], context.describe)
    table.asked = CrosstabQuery(
        table.rows if request.rows_requested else (),
        table.columns if request.columns_requested else (),
        replace(scope, base=table.base_audience),
    )
    scope = table.asked.scope
    arguments = scope_arguments(context, sender.options, scope)
    table.labels = TableLabels(context.names, arguments, counted_codes(context, scope))
    table.provenance |= context.provenance("crosstab", scope)
    table.provenance["waves"] = context.counted_waves(scope)


def _labels(context: ClientContext, query: StatsQuery, rows: Iterable[StatsRow]) -> StatsLabels:
    """The names of a result's question, datapoints and segments, as far as they are known."""
    names, splitter = context.names, query.splitter
    about = names.of_code(query.question)
    return StatsLabels(
        question=names.question_name(query.question) or "",
        datapoints=names.datapoint_names(query.question),
        segments={row.segment: names.wave_name(row.segment) for row in rows if row.segment}
        if splitter is None or splitter == WAVES
        else names.datapoint_names(splitter),
        splitter=(names.question_name(splitter) or "") if splitter else "",
        midpoints=scores_of(about.record) if about and not about.suffixes else {},
        scale=scale_of(about.record) if about else None,
    )


def location_question(sender: Sender) -> str:
    """The code of the question whose datapoints are the locations, found in the catalogue.

    It is the one with the flag for it, else the one with the usual code. Raises `UnknownCodeError`
    where there is neither.
    """
    context = sender.context
    if not context.location_question:
        catalogue = load_catalogue(sender)
        flagged = (each for each in catalogue if LOCATION_FLAG in each.record.flags)
        found = next(flagged, catalogue.of_code(LOCATION_QUESTION))
        if found is None:
            raise UnknownCodeError(
                "The service does not say which question holds the locations: none has the flag "
                f"{LOCATION_FLAG!r}, and none has the code {LOCATION_QUESTION!r}. Name it: "
                "connect(…, location_question=…).",
                [LOCATION_QUESTION],
            )
        context.location_question = found.canonical.removeprefix(f"{context.base_namespace}.")
    return context.location_question


def whole_survey(sender: Sender) -> Scope:
    """Everyone in all waves, by the client's own weight."""
    return Scope(weight=sender.options.scope.weight)


def fetch_waves_in_base(sender: Sender) -> Listing[Wave]:
    """See `Client.waves`."""
    listed, base = fetch_waves(sender), sender.options.scope.base
    if base is None:
        return listed
    # A wave that the base was not asked in is a wave of the survey all the same.
    counted = {each.code: each for each in fetch_waves(sender, base)}
    every = (counted.get(each.code, Wave(each.code, each.name, 0, 0.0)) for each in listed)
    return Listing(every, ("code", "name", "sample", "size"))


def fetch_waves(sender: Sender, base: Audience | None = None) -> Listing[Wave]:
    """All accessible waves, with samples and sizes of everyone, or of a base."""
    question = location_question(sender)
    scope = replace(whole_survey(sender), base=base)
    result = fetch_stats(sender, build_stats(question, scope, splitter=WAVES), asks_who=False)
    # Reversed, so that each wave keeps its first row.
    first = {row.segment: row.metrics for row in reversed(result.rows) if row.segment}
    waves: list[Wave] = []
    name_of = sender.context.names.wave_name
    for wave in result.segments:
        sample = first[wave].audience_sample
        known = None if isnan(sample) else int(sample)
        waves.append(Wave(wave, name_of(wave), known, first[wave].audience_size))
    return Listing(waves, ("code", "name", "sample", "size"))


def fetch_locations(sender: Sender) -> Listing[Location]:
    """See `Client.locations`."""
    code = location_question(sender)
    load_names(sender, [code])
    found = sender.context.names.of_code(code) or load_catalogue(sender)[code]
    if not found.datapoints:
        raise UnknownCodeError(f"{code!r}, the location question, has no datapoints.", [code])
    return Listing(Location(each.code, each.name) for each in found.datapoints if each.accessible)
