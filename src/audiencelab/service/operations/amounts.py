"""Statistics of amounts by column: means, percentiles, sums and scores of respondents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec

from audiencelab.engine import VarianceError
from audiencelab.engine.statistics import (
    LEVEL,
    PAIRED_KINDS,
    STATISTIC_KINDS,
    NoAmountsError,
    StatisticRow,
    StatisticSpec,
    StatisticsSpec,
)
from audiencelab.engine.variance import LONELY
from audiencelab.errors import Fault
from audiencelab.schema import endpoints
from audiencelab.schema.http import JSON, Response
from audiencelab.schema.queries import AmountsAnswer, RestFigures, StatisticFigures
from audiencelab.service.context import Operation, RequestContext
from audiencelab.service.fields import (
    CODE,
    FLAG,
    NUMBER,
    QUESTION_CODE,
    ExpressionField,
    Field,
    ListOf,
    Record,
    Schema,
    ValidationContext,
    audiences,
    choice,
    optional,
    required,
    scope_fields,
)
from audiencelab.service.limits import Limits
from audiencelab.service.minimum_base import shown_amounts
from audiencelab.service.responses import InvalidRequestError


class _Amounts:
    """Amounts by code."""

    def read(
        self, value: Any, pointer: str, context: ValidationContext
    ) -> tuple[tuple[str, float], ...]:
        if not isinstance(value, dict):
            context.fault(pointer, "Must be an object.")
            return ()
        found: list[tuple[str, float]] = []
        for code, amount in cast("dict[str, Any]", value).items():
            if (number := NUMBER.read(amount, f"{pointer}/{code}", context)) is not None:
                found.append((code, number))
        return tuple(found)

    def schema(self, limits: Limits) -> Schema:
        return {"type": "object", "additionalProperties": NUMBER.schema(limits)}


def _check_row(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    paired, kind = "other" in values, values.get("kind")
    if ("question" in values) == ("expression" in values):
        context.fault(pointer, "Must have either a question or an expression.")
    if "expression" in values and (kind != "sum" or paired):
        context.fault(f"{pointer}/kind", "Must be sum, of an expression.")
    if paired != (kind in PAIRED_KINDS):
        context.fault(
            f"{pointer}/other", f"Belongs to {' and '.join(PAIRED_KINDS)}, and only there."
        )
    _check_codes(values, pointer, context)


def _check_codes(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    question, item = values.get("question"), values.get("datapoint")
    codes = [code for code, _ in values.get("amounts") or ()]
    if question is None:
        return
    if item:
        context.faults += context.codes.in_datapoints(f"{pointer}/datapoint", question, [item])
        context.faults += context.codes.in_suffixes(f"{pointer}/amounts", question, codes)
    else:
        context.faults += context.codes.in_datapoints(f"{pointer}/amounts", question, codes)


_AMOUNTS: dict[str, Field] = {
    "datapoint": optional(CODE),
    "amounts": optional(_Amounts()),
    "exact": optional(FLAG),
}

STATISTIC = Record(
    {
        "kind": required(choice(*STATISTIC_KINDS)),
        "question": optional(QUESTION_CODE),
        **_AMOUNTS,
        "percentile": optional(NUMBER),
        "other": optional(
            Record(
                {
                    "kind": optional(choice(*PAIRED_KINDS)),
                    "question": required(QUESTION_CODE),
                    **_AMOUNTS,
                },
                check=_check_codes,
            ),
            "The second amounts of a correlation, and the divisor of a ratio.",
        ),
        "expression": optional(
            ExpressionField(), "In place of a question: whose weights a sum adds up."
        ),
    },
    check=_check_row,
)


class _Level:
    """A confidence level."""

    def read(self, value: Any, pointer: str, context: ValidationContext) -> float | None:
        level = NUMBER.read(value, pointer, context)
        if level is not None and not 0.5 < level < 1:
            context.fault(pointer, "Must be above 0.5 and below 1.")
            return None
        return level

    def schema(self, limits: Limits) -> Schema:
        return {**NUMBER.schema(limits), "exclusiveMinimum": 0.5, "exclusiveMaximum": 1}


_BODY = Record(
    {
        "rows": required(ListOf(STATISTIC, "rows")),
        "columns": required(audiences("columns")),
        "level": optional(_Level(), "The confidence of the intervals of percentiles: 0.95."),
        "lonely": optional(choice(*LONELY), "How strata of one cluster are treated: adjust."),
        "replicates": optional(FLAG, "False: replicate weights are not used."),
        **scope_fields(no_waves="the last 4 accessible waves"),
    }
)


def statistic_specs(rows: Iterable[Mapping[str, Any]]) -> tuple[StatisticSpec, ...]:
    """Rows of a body as the engine takes them."""
    return tuple(_specification(row) for row in rows)


def _specification(row: Mapping[str, Any]) -> StatisticSpec:
    own: dict[str, Any] = {**row}
    other = own.pop("other", None)
    second = None if other is None else StatisticSpec(**{"kind": row["kind"], **other})
    return StatisticSpec(**own, other=second)


def no_amounts(
    error: NoAmountsError, name: str, rows: Sequence[Mapping[str, Any]]
) -> InvalidRequestError:
    """The refusal of a row without amounts; name: the field with the rows."""
    detail = f"{rows[error.row]['question']} has no numbers, and its answers have no amounts. "
    fault = Fault(f"/{name}/{error.row}/amounts", f"{detail}Give some.")
    return InvalidRequestError("A row has no amounts.", [fault])


def query_amounts(request: RequestContext) -> Response:
    """Each row's figures for the base and every column."""
    body: dict[str, Any] = request.body
    spec = StatisticsSpec(
        rows=statistic_specs(body["rows"]),
        columns=tuple(audience.expression for audience in body["columns"]),
        scope=request.scope,
        level=body.get("level") or LEVEL,
        lonely=body.get("lonely") or "adjust",
        replicates=body.get("replicates", True),
    )
    try:
        found = request.context.engine.statistics(spec)
    except NoAmountsError as error:
        raise no_amounts(error, "rows", body["rows"]) from None
    except VarianceError as error:
        fault = Fault("/lonely", str(error))
        raise InvalidRequestError("The design shows no variance.", [fault]) from None
    rows = shown_amounts(found, request.context.engine, spec, request.context.minimum_base)
    answer = AmountsAnswer(list(map(_figures, rows)))
    return Response(200, {"content-type": JSON}, iter([msgspec.json.encode(answer)]))


def _figures(row: StatisticRow) -> StatisticFigures:
    """A row as it is sent; NaN is written as null."""

    def listed(found: object, *names: str) -> dict[str, Any]:
        return {name: getattr(found, name).tolist() for name in names}

    ends = ("low", "high") if row.kind == "percentile" else ()
    return StatisticFigures(
        **listed(row, "value", "error", "deviation", "size", "sample"),
        **listed(row, "covariance", "freedom", *ends),
        exact=row.exact,
        how=row.how,
        rest=RestFigures(**listed(row.rest, *RestFigures.__struct_fields__)),
        waves=row.waves.tolist(),
    )


QUERY_AMOUNTS = Operation(
    endpoint=endpoints.QUERY_AMOUNTS,
    answer=query_amounts,
    summary="Statistics of amounts by column",
    body=_BODY,
    answers=AmountsAnswer,
    errors=(403,),
)
