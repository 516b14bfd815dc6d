"""Schemas of the document: answers from the wire types, the expression as its parser reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import msgspec

from audiencelab.schema import Problem
from audiencelab.service.fields import Schema
from audiencelab.service.limits import Limits
from audiencelab.service.operations import Operation

__all__ = ["components", "reference"]

_PLACE = "#/components/schemas/{name}"


def reference(name: str) -> Schema:
    """A reference to the component of this name."""
    return {"$ref": _PLACE.format(name=name)}


def components(
    operations: Sequence[Operation], limits: Limits
) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """The schema of each operation's answer, by the operation's name, and all components."""
    answering = [operation for operation in operations if operation.answers is not None]
    kinds = [operation.answers for operation in answering]
    written, named = msgspec.json.schema_components([*kinds, Problem], ref_template=_PLACE)
    answers = {
        operation.name: schema for operation, schema in zip(answering, written, strict=False)
    }
    schemas = {name: _open(name, schema) for name, schema in named.items()}
    return answers, {**schemas, "AudienceExpression": _expression(limits)}


_REQUEST_ONLY = {"SavedAudience": ("folder",)}
"""Fields that a type of answers has for reading, and the service never sends."""

_SAID = {
    ("StatsRow", "suffixes"): "Integers; a string where the survey's own code is not a number.",
}


def _open(kind: str, schema: Schema) -> Schema:
    """The schema of an answer as a reader needs it.

    Fields may be added to answers. And what a reader of ours takes for a missing field is no
    default of the service: it left the field out.
    """
    properties: dict[str, Schema] = schema["properties"]
    plain = {
        name: {key: value for key, value in each.items() if key != "default"}
        | ({"description": _SAID[kind, name]} if (kind, name) in _SAID else {})
        for name, each in properties.items()
        if name not in _REQUEST_ONLY.get(kind, ())
    }
    kept = {
        key: value
        for key, value in schema.items()
        if key not in ("additionalProperties", "properties") and value != []
    }
    if "description" in kept:
        kept["description"] = " ".join(cast(str, kept["description"]).split())
    return {**kept, "properties": plain}


def _expression(limits: Limits) -> Schema:
    code: Schema = {"type": "string", "minLength": 1}
    node = reference("AudienceExpression")
    return {
        "title": "AudienceExpression",
        "description": (
            "Who belongs to an audience: a node that combines others (`and`, `or`), or a leaf "
            "with a `question`. A field that is null counts as left out. At most "
            f"{limits.depth} levels and {limits.nodes:,} nodes."
        ),
        "type": "object",
        "properties": {
            "and": _list_of(node, "All of these hold."),
            "or": _list_of(node, "At least one of these holds."),
            "question": {**code, "type": ["string", "null"], "description": "A question code."},
            "datapoints": _list_of(code, "Datapoint codes; left out: any of the question's."),
            "options": _list_of(code, "Stands for `datapoints` in saved audiences."),
            "suffixes": _list_of(
                {"type": ["string", "integer"], "minLength": 1},
                "A datapoint holds if it was given with any of these.",
            ),
            "min_count": {
                "type": ["integer", "null"],
                "minimum": 1,
                "description": "How many of the listed datapoints must hold; 1 if left out.",
            },
            "not": {"type": ["boolean", "null"], "description": "Everyone else instead."},
        },
        "additionalProperties": False,
        "oneOf": [
            _kind("and", without=("or", "question", *_OF_LEAVES)),
            _kind("or", without=("and", "question", *_OF_LEAVES)),
            _kind("question", without=("and", "or"), of="string")
            | {"not": _all_given(("datapoints", "options"), "array")},
        ],
    }


_OF_LEAVES = ("datapoints", "options", "suffixes", "min_count")


def _list_of(items: Schema, description: str) -> Schema:
    return {
        "type": ["array", "null"],
        "items": items,
        "minItems": 1,
        "description": description,
    }


def _kind(name: str, *, without: Iterable[str], of: str = "array") -> Schema:
    """A node with this field and none of the others; null is as good as nothing."""
    null: dict[str, Any] = {other: {"type": "null"} for other in without}
    return {"required": [name], "properties": {name: {"type": of}, **null}}


def _all_given(names: Iterable[str], of: str) -> Schema:
    listed = list(names)
    return {"required": listed, "properties": {name: {"type": of} for name in listed}}
