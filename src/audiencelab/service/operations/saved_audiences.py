"""Saved audiences: updated over the wire, created and listed from Python.

They come with the survey; those that are changed or created are in the store, which has precedence.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

import msgspec

from audiencelab.expressions import Audience, Condition, Expression, walk
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import Permissions, SavedAudience, endpoints
from audiencelab.schema.etags import with_etag
from audiencelab.schema.http import Response
from audiencelab.schema.listing import ListedTuple
from audiencelab.service.context import Operation, RequestContext, ServiceContext
from audiencelab.service.entity_tags import check_unchanged, entity_tag
from audiencelab.service.fields import (
    CODE,
    DATASET_CODES,
    FLAG,
    NUMBER,
    ExpressionField,
    Integer,
    ListOf,
    Record,
    ValidationContext,
    choice,
    not_null,
    optional,
)
from audiencelab.service.fields import (
    UUID as UUID_FIELD,
)
from audiencelab.service.operations.charts import OWNER_ID
from audiencelab.service.responses import NotFoundError, json_response
from audiencelab.service.store import Documents

FLAGS = ("authored", "curated", "isP2")

NIL_FOLDER = str(UUID(int=0))
"""The folder id of an audience without a folder."""

_ABSENT: dict[str, Any] = {"datasets": [], "flags": [], "folder_id": NIL_FOLDER, "shared": False}
"""Values of fields that an update removes; other fields are then absent."""

_LEGACY_FOLDERS = UUID("8d5a3c0e-2f55-4f0e-9c41-6f0b7a1d2e93")


def _check(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    if values.get("folder") is not None and values.get("folder_id") is not None:
        context.fault(f"{pointer}/folder", "Give folder_id alone; folder is its legacy form.")


_BODY = Record(
    {
        "datasets": optional(DATASET_CODES, "Absent: those of a new expression."),
        "expression": optional(ExpressionField(), "Absent: everyone."),
        "flags": optional(ListOf(choice(*FLAGS))),
        "folder": optional(Integer(least=0), "Legacy; 0 is no folder. Use folder_id."),
        "folder_id": optional(UUID_FIELD, "The nil UUID means none."),
        "name": not_null(CODE),
        "position": optional(NUMBER),
        "shared": optional(FLAG),
    },
    check=_check,
    description="Only the fields given are changed; null takes a field away.",
    nullable_clears=True,
)


def update_saved_audience(request: RequestContext) -> Response:
    """Replace the fields given; returns the whole audience."""
    given = {name: each for name, each in request.body.items() if each is not None}
    absent = {name: _ABSENT.get(name) for name in request.body.keys() - given.keys()}
    for changes in (given, absent):
        if "folder" in changes:
            changes["folder_id"] = _folder_id(changes.pop("folder") or 0)
    expression = given.pop("expression", None)
    described = _described(request.context, expression) if "expression" in request.body else {}
    changes: dict[str, Any] = absent | described | given
    if changes.get("flags"):
        changes["flags"] = list(dict.fromkeys(changes["flags"]))
    with request.context.store.writing() as documents:
        audience = _find(request.context, documents, request.path["id"])
        if audience is None:
            raise NotFoundError("No saved audience has this id.")
        check_unchanged(request.http, msgspec.json.encode(audience))
        # Also after the clock was set back.
        changes["updated_at"] = max(_now(), audience.created_at or "")
        # Responses do not have the legacy folder.
        audience = msgspec.structs.replace(audience, **changes, folder=None)
        document = msgspec.json.encode(audience)
        documents.put("audiences", audience.id, document)
    response = json_response(msgspec.Raw(document), headers={"etag": entity_tag(document)})
    response.details["id"] = audience.id
    return response


def make_saved_audience(
    context: ServiceContext,
    audience: Audience,
    *,
    folder_id: str | None,
    flags: Iterable[str],
    datasets: Iterable[str] | None,
    shared: bool,
) -> SavedAudience:
    """Save a new audience under a new id."""
    parts = _described(context, audience.expression)
    if datasets is not None:
        parts["datasets"] = list(datasets)
    with context.store.writing() as documents:
        others = _every(context, documents).values()
        now = _now()
        made = SavedAudience(
            id=str(uuid4()),
            v1_id=max((other.v1_id or 0 for other in others), default=0) + 1,
            user_id=OWNER_ID,
            name=audience.name or parts["description"],
            flags=list(dict.fromkeys(flags)),
            folder_id=folder_id or NIL_FOLDER,
            position=max((other.position or 0.0 for other in others), default=0.0) + 1.0,
            shared=shared,
            sharings={},
            permissions=Permissions(audience_overall="accessible", meta={}),
            created_at=now,
            updated_at=now,
            **parts,
        )
        document = msgspec.json.encode(made)
        documents.put("audiences", made.id, document)
    return with_etag(made, entity_tag(document))


def saved_audience_of(context: ServiceContext, id: str) -> SavedAudience | None:  # noqa: A002 -- the resource's own field name
    """The saved audience of an id with its entity tag, or None."""
    with context.store.reading() as documents:
        found = _find(context, documents, id)
    return None if found is None else _tagged(found)


def saved_audiences_of(context: ServiceContext) -> ListedTuple[SavedAudience]:
    """Every saved audience, the survey's first."""
    with context.store.reading() as documents:
        every = _every(context, documents).values()
    return ListedTuple(map(_tagged, every), ("id", "name", "description"))


def _tagged(audience: SavedAudience) -> SavedAudience:
    # A copy: those of the survey are shared.
    return with_etag(audience.__replace__(), entity_tag(msgspec.json.encode(audience)))


def _find(context: ServiceContext, documents: Documents, id: str) -> SavedAudience | None:  # noqa: A002 -- as above
    written = documents.get("audiences", id)
    if written is not None:
        return msgspec.json.decode(written, type=SavedAudience)
    return next((each for each in context.survey.saved_audiences if each.id == id), None)


def _every(context: ServiceContext, documents: Documents) -> dict[str, SavedAudience]:
    stored = {
        key: msgspec.json.decode(written, type=SavedAudience)
        for key, written in documents.every("audiences")
    }
    return {each.id: each for each in context.survey.saved_audiences} | stored


def _described(context: ServiceContext, expression: Expression | None) -> dict[str, Any]:
    """What follows from an expression: its saved form, its sentence, the datasets it uses."""
    catalogue = context.survey.catalogue
    if expression is None:
        return {"expression": None, "description": "everyone", "datasets": []}
    codes = {
        node.question
        for _, node in walk(expression)
        if isinstance(node, Condition) and node.question != WAVES
    }
    used = {dataset for code in codes for dataset in catalogue.question(code).datasets}
    return {
        "expression": expression.to_wire("saved"),
        "description": expression.describe(catalogue.labels),
        "datasets": [each.code for each in catalogue.datasets if each.code in used],
    }


def _folder_id(folder: int) -> str:
    """The folder of a legacy number, always the same."""
    return str(uuid5(_LEGACY_FOLDERS, str(folder))) if folder else NIL_FOLDER


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


UPDATE_SAVED_AUDIENCE = Operation(
    endpoint=endpoints.UPDATE_SAVED_AUDIENCE,
    answer=update_saved_audience,
    summary="Update a saved audience",
    answers=SavedAudience,
    body=_BODY,
    is_conditional=True,
    errors=(403, 404, 412, 507),
)
