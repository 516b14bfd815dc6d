"""Charts: created and updated. `chart_calculation` calculates them.

A chart is checked for its form and stored. Whether its codes exist in the survey is checked by the
calculation, group by group; so a chart outlives a question that is removed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import uuid4

import msgspec

from audiencelab.errors import Fault
from audiencelab.schema import AudienceReplacement, ChartCreated, SavedChart, endpoints
from audiencelab.schema.etags import with_etag
from audiencelab.schema.http import Response
from audiencelab.schema.listing import ListedTuple
from audiencelab.service.context import Operation, RequestContext, ServiceContext
from audiencelab.service.entity_tags import check_unchanged, entity_tag
from audiencelab.service.fields import (
    CODE,
    CODES,
    FLAG,
    IDENTIFIER,
    ExpressionField,
    Field,
    Integer,
    ListOf,
    Record,
    Text,
    is_uuid,
    not_null,
    optional,
    required,
)
from audiencelab.service.responses import (
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    json_response,
)
from audiencelab.service.store import Documents, StoredResponse

OWNER_ID = 1
"""The one user of a service without named credentials, who owns all charts and audiences."""

IDEMPOTENCY_KEY = "Idempotency-Key"

KEPT_SECONDS = 24 * 3600.0
"""How long a stored response is sent again."""

KEY_PATTERN = "[!-~]{1,255}"
"""Visible ASCII characters."""

_ATTRIBUTE = Record(
    {
        "datapoint_code": optional(Text()),
        "namespace_code": optional(Text(), "Absent or empty: the base namespace."),
        "question_code": optional(Text()),
        "suffix_code": optional(Text(), "Absent or empty: with any suffix at all."),
    },
    description="One datapoint, which the calculation answers with one group.",
)

_AUDIENCE = Record(
    {
        "id": optional(IDENTIFIER, "A UUID; anything else is replaced by one."),
        "name": optional(Text()),
        "expression": optional(ExpressionField(check_codes=False), "Absent or null: everyone."),
        "color_index": optional(Integer()),
        "is_hidden": optional(FLAG, "Kept; a hidden audience is calculated all the same."),
    },
    description="An audience in the chart form.",
)

_OPAQUE = "Kept and returned, never interpreted."

_SETTABLE: dict[str, Field] = {
    "attributes": optional(ListOf(_ATTRIBUTE, most="rows")),
    "audiences": optional(ListOf(_AUDIENCE, "columns", lambda audience: audience.get("id"))),
    "base_audience": optional(_AUDIENCE),
    "color": optional(Text()),
    "dataset_codes": optional(CODES),
    "dataset_names": optional(ListOf(Text())),
    "folder_id": optional(Text()),
    "group_type": optional(Integer(), _OPAQUE),
    "location_codes": optional(CODES, "Absent or empty: all."),
    "metrics": optional(ListOf(Text()), "Kept; a calculation always gives all nine."),
    "name": optional(CODE),
    "segmented_base": optional(FLAG, "Each segment is the base of its own figures."),
    "segments": optional(CODES, "Codes of the splitter; absent or empty: all."),
    "sort_parameter_type": optional(Integer(), _OPAQUE),
    "sort_parameter_value": optional(Text()),
    "sort_type": optional(Integer(), _OPAQUE),
    "splitter": optional(Text(), "`waves` or a question code."),
    "view_type": optional(Integer(), _OPAQUE),
    "wave_codes": optional(CODES, "Absent or empty: all accessible waves."),
}

_OF_THE_SERVICE: dict[str, Field] = {
    "created_at": optional(Integer(), "Epoch seconds."),
    "id": optional(Text(), "Ignored; the path has the id."),
    "is_owner": optional(FLAG),
    "is_public": optional(FLAG),
    "is_shared": optional(FLAG),
    "owner_email": optional(Text()),
    "owner_id": optional(Integer()),
    "shared_at": optional(Integer(), "Epoch seconds."),
    "shared_type": optional(Text()),
    "updated_at": optional(Integer(), "Epoch seconds; absent: now."),
}


_CREATE_BODY = Record(_SETTABLE | {"name": required(CODE, "What people read.")})
_UPDATE_BODY = Record(
    _SETTABLE | _OF_THE_SERVICE | {"name": not_null(CODE)},
    description="Only the fields given are changed; null takes a field away.",
    nullable_clears=True,
)


def create_chart(request: RequestContext) -> Response:
    """A new chart; the same idempotency key with the same body gives the same chart again.

    The response is stored under the key in the transaction that makes the chart. Raises
    `ConflictError` if another request had the key.
    """
    key, now = _idempotency_key(request), time.time()
    line = f"{request.http.method} {request.http.path}\n".encode("utf-8", "surrogatepass")
    digest = sha256(line + request.http.body).digest()
    with request.context.store.writing() as documents:
        stored = None if key is None else documents.response(key, now - KEPT_SECONDS)
        if stored is None:
            stored = StoredResponse(digest, msgspec.json.encode(_create(request, documents)))
            if key is not None:
                documents.put_response(key, stored, now, now - KEPT_SECONDS)
        made = msgspec.json.decode(stored.body, type=ChartCreated)
        tag = entity_tag(documents.get("charts", made.id) or b"")
    if stored.request != digest:
        raise ConflictError(
            f"Another request was sent with this {IDEMPOTENCY_KEY}; a new one needs a new key."
        )
    response = json_response(msgspec.Raw(stored.body), headers={"etag": tag})
    response.details["id"] = made.id
    return response


def _idempotency_key(request: RequestContext) -> str | None:
    """The key of a request, apart from those of other callers."""
    key = request.http.headers.get(IDEMPOTENCY_KEY.lower())
    if key is not None and not re.fullmatch(KEY_PATTERN, key):
        raise InvalidRequestError(
            "The header is not valid.",
            [Fault("", f"{IDEMPOTENCY_KEY} takes 1 to 255 visible ASCII characters.")],
        )
    # No key has a space, so the last one ends the name and two callers never share a key.
    return f"{request.caller.name} {key}" if key and request.caller.name else key


def _create(request: RequestContext, documents: Documents) -> ChartCreated:
    chart, now = _document(request.body), int(time.time())
    replaced = list(_give_ids(chart))
    chart["id"] = str(uuid4())
    owner = request.caller.name
    chart["owner_id"] = documents.owner(owner) if owner else OWNER_ID
    chart |= {"owner_email": owner} if "@" in owner else {}
    chart |= {"is_owner": True, "created_at": now, "updated_at": now}
    documents.put("charts", chart["id"], msgspec.json.encode(chart))
    return ChartCreated(chart["id"], replaced)


def update_chart(request: RequestContext) -> Response:
    """Replace the fields given; returns the chart's id."""
    id = request.path["id"]  # noqa: A001 -- the resource's own field name
    given = _document(request.body)
    given.pop("id", None)
    # The response cannot list replacements, so that only missing ids are filled in.
    for audience in _audiences(given):
        audience["id"] = audience.get("id") or str(uuid4())
    with request.context.store.writing() as documents:
        written = documents.get("charts", id)
        if written is None:
            raise NotFoundError("No chart has this id.")
        check_unchanged(request.http, written)
        chart: dict[str, Any] = msgspec.json.decode(written)
        # Also after the clock was set back.
        now = max(int(time.time()), chart.get("created_at") or 0)
        chart |= {"updated_at": now} | given
        left = {name: value for name, value in chart.items() if value is not None}
        document = msgspec.json.encode(left)
        documents.put("charts", id, document)
    response = json_response(id, headers={"etag": entity_tag(document)})
    response.details["id"] = id
    return response


def chart_of(context: ServiceContext, id: str) -> SavedChart | None:  # noqa: A002 -- the resource's own field name
    """The chart of an id with its entity tag, or None."""
    with context.store.reading() as documents:
        written = documents.get("charts", id)
    return None if written is None else _chart(written)


def charts_of(context: ServiceContext) -> ListedTuple[SavedChart]:
    """Every chart, the first created first."""
    with context.store.reading() as documents:
        written = list(documents.every("charts"))
    return ListedTuple((_chart(each) for _, each in written), ("id", "name"))


def _chart(written: bytes) -> SavedChart:
    return with_etag(msgspec.json.decode(written, type=SavedChart), entity_tag(written))


def _document(body: dict[str, Any]) -> dict[str, Any]:
    """A body as it is stored: expressions in the chart form again."""
    chart = dict(body)
    for audience in _audiences(chart):
        expression = audience.get("expression")
        if expression is not None:
            audience["expression"] = expression.to_wire("chart")
    return chart


def _audiences(chart: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The audiences of a chart, the base audience last."""
    yield from chart.get("audiences") or ()
    if chart.get("base_audience") is not None:
        yield chart["base_audience"]


def _give_ids(chart: dict[str, Any]) -> Iterator[AudienceReplacement]:
    """Give a UUID to every audience without one; yields the ids that were replaced."""
    for audience in _audiences(chart):
        given = audience.get("id") or ""
        if not is_uuid(given):
            audience["id"] = str(uuid4())
            if given:
                yield AudienceReplacement(given, audience["id"])


CREATE_CHART = Operation(
    endpoint=endpoints.CREATE_CHART,
    answer=create_chart,
    summary="Create a chart",
    answers=ChartCreated,
    body=_CREATE_BODY,
    may_repeat=True,
    errors=(409, 507),
)

UPDATE_CHART = Operation(
    endpoint=endpoints.UPDATE_CHART,
    answer=update_chart,
    summary="Update a chart",
    answers=str,
    body=_UPDATE_BODY,
    is_conditional=True,
    errors=(404, 412, 507),
)
