"""How sure the figures of a query are: what tests and intervals need of the respondents.

The body of each operation is that of a query, with fields of its own. Answers hold aggregates
only; those on few respondents are withheld, see `minimum_base`.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from audiencelab.engine import VarianceError
from audiencelab.engine.statistics import NoAmountsError, StatisticsSpec
from audiencelab.engine.variance import LONELY
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import endpoints
from audiencelab.schema.arrays import encode
from audiencelab.schema.http import JSON, Response
from audiencelab.schema.local import (
    AdjustedAnswer,
    ItemsAnswer,
    NumbersAnswer,
    PairsAnswer,
    Precision,
)
from audiencelab.service.context import Operation, RequestContext
from audiencelab.service.fields import (
    FLAG,
    QUESTION_CODE,
    ListOf,
    Record,
    ValidationContext,
    choice,
    optional,
    required,
)
from audiencelab.service.minimum_base import (
    shown_adjusted,
    shown_cells,
    shown_numbers,
    shown_pairs,
    shown_precision,
)
from audiencelab.service.operations.amounts import STATISTIC, no_amounts, statistic_specs
from audiencelab.service.operations.crosstab import CROSSTAB_BODY, check_size, crosstab_spec
from audiencelab.service.operations.stats import (
    STATS_BODY,
    check_codes,
    question_numbers,
    stats_spec,
)


def _check_precision(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    """Fields of both queries together mean nothing."""
    own, other, check = CROSSTAB_BODY, STATS_BODY, check_size
    if "question" in values:
        own, other, check = STATS_BODY, CROSSTAB_BODY, check_codes
    for name in other.fields.keys() - own.fields.keys() & values.keys():
        of = "with" if own is STATS_BODY else "without"
        context.fault(f"{pointer}/{name}", f"Must be left out of a query {of} a question.")
    check(values, pointer, context)


_LONELY = optional(choice(*LONELY), "How strata of one cluster are treated: adjust.")

_PRECISION_BODY = Record(
    {
        **CROSSTAB_BODY.fields,
        **STATS_BODY.fields,
        "question": optional(QUESTION_CODE, "Of a statistics query; absent: of a crosstab."),
        "effects": optional(FLAG, "False: Kish's design effects alone."),
        "lonely": _LONELY,
        "replicates": optional(FLAG, "False: replicate weights are not used."),
    },
    check=_check_precision,
)


def _check_pairs(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    rows, columns = (max(1, len(values.get(axis) or ())) for axis in ("rows", "columns"))
    if statistics := values.get("statistics"):
        if "rows" in values:
            context.fault(f"{pointer}/rows", "Must be left out of a query with statistics.")
        rows = len(statistics)
    if rows**2 * columns > context.limits.cells:
        context.fault(
            pointer,
            f"{rows:,} rows compared with each other in {columns:,} columns are "
            f"{rows**2 * columns:,} pairs; the limit (cells) is {context.limits.cells:,}.",
        )


_PAIRS_BODY = Record(
    {
        **CROSSTAB_BODY.fields,
        "statistics": optional(ListOf(STATISTIC, "rows"), "Rows of means or scores."),
        "lonely": _LONELY,
    },
    check=_check_pairs,
)


def _check_adjusted(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    check_size(values, pointer, context)
    given = values.get("adjust")
    if given == []:
        context.fault(f"{pointer}/adjust", "Must name a question.")
    if given and WAVES in given:
        at = given.index(WAVES)
        context.fault(f"{pointer}/adjust/{at}", "Must be a question of the survey, not the waves.")


_ADJUSTED_BODY = Record(
    {
        **CROSSTAB_BODY.fields,
        "adjust": required(ListOf(QUESTION_CODE), "Questions of one answer, which are crossed."),
    },
    check=_check_adjusted,
)

_ITEMS_BODY = Record({**CROSSTAB_BODY.fields, "lonely": _LONELY}, check=check_size)


def query_precision(request: RequestContext) -> Response:
    """Variances, design effects and degrees of freedom of the shares of a query."""
    body, context = request.body, request.context
    spec = stats_spec(request) if "question" in body else crosstab_spec(request)
    lonely = (body.get("lonely") or "adjust") if body.get("effects", True) else None
    try:
        found = context.engine.precision(spec, lonely, replicates=body.get("replicates", True))
    except VarianceError as error:
        found = structs.replace(context.engine.precision(spec, None), refused=str(error))
    return _answer(shown_precision(found, context.engine, spec, context.minimum_base))


def query_pairs(request: RequestContext) -> Response:
    """Every two rows of a crosstab in each column."""
    body, context = request.body, request.context
    spec, lonely = crosstab_spec(request), body.get("lonely") or "adjust"
    if body.get("statistics"):
        rows = statistic_specs(body["statistics"])
        spec = StatisticsSpec(rows, spec.columns, spec.scope, lonely=lonely)
    engine = context.engine
    try:
        if isinstance(spec, StatisticsSpec):
            found = engine.statistic_pairs(spec)
        else:
            found = engine.row_pairs(spec, lonely)
    except VarianceError as error:
        return _answer(PairsAnswer(refused=str(error)))
    except NoAmountsError as error:
        raise no_amounts(error, "statistics", body["statistics"]) from None
    return _answer(PairsAnswer(shown_pairs(found, engine, spec, context.minimum_base)))


def query_items(request: RequestContext) -> Response:
    """Shares of cells whose rows, and whose columns, share no respondents."""
    context = request.context
    lonely = request.body.get("lonely") or "adjust"
    try:
        found = context.engine.cells(crosstab_spec(request), lonely)
    except VarianceError as error:
        return _answer(ItemsAnswer(refused=str(error)))
    return _answer(ItemsAnswer(shown_cells(found, context.minimum_base)))


def query_numbers(request: RequestContext) -> Response:
    """The numbers behind the bins of a question."""
    ids = [audience.id for audience in request.body.get("audiences") or ()]
    found = question_numbers(request.context, stats_spec(request), ids)
    return _answer(NumbersAnswer(shown_numbers(found, request.context.minimum_base)))


def query_adjusted(request: RequestContext) -> Response:
    """Shares of a crosstab's columns as if they had the composition of the base."""
    context, spec = request.context, crosstab_spec(request)
    try:
        found = context.engine.adjusted(spec, request.body["adjust"])
    except VarianceError as error:
        return _answer(AdjustedAnswer(refused=str(error)))
    return _answer(
        AdjustedAnswer(shown_adjusted(found, context.engine, spec, context.minimum_base))
    )


def _answer(
    found: Precision | PairsAnswer | ItemsAnswer | NumbersAnswer | AdjustedAnswer,
) -> Response:
    body = encode(found)
    headers = {"content-type": JSON, "content-length": str(len(body)), "cache-control": "no-store"}
    return Response(200, headers, iter((body,)))


QUERY_PRECISION = Operation(
    endpoint=endpoints.QUERY_PRECISION,
    answer=query_precision,
    summary="How sure the shares of a crosstab or a statistics query are",
    body=_PRECISION_BODY,
    answers=Precision,
    errors=(403,),
)
QUERY_PAIRS = Operation(
    endpoint=endpoints.QUERY_PAIRS,
    answer=query_pairs,
    summary="Every two rows of a crosstab, or of statistics, in each column",
    body=_PAIRS_BODY,
    answers=PairsAnswer,
    errors=(403,),
)
QUERY_ITEMS = Operation(
    endpoint=endpoints.QUERY_ITEMS,
    answer=query_items,
    summary="Cells of separate rows and columns, to be tested together",
    body=_ITEMS_BODY,
    answers=ItemsAnswer,
    errors=(403,),
)
QUERY_NUMBERS = Operation(
    endpoint=endpoints.QUERY_NUMBERS,
    answer=query_numbers,
    summary="The numbers behind the bins of a question",
    body=STATS_BODY,
    answers=NumbersAnswer,
    errors=(403,),
)
QUERY_ADJUSTED = Operation(
    endpoint=endpoints.QUERY_ADJUSTED,
    answer=query_adjusted,
    summary="Column shares as if columns had the composition of the base",
    body=_ADJUSTED_BODY,
    answers=AdjustedAnswer,
    errors=(403,),
)
