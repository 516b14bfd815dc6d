"""The OpenAPI 3.1 document of the service, made from what validates and what is sent.

It has no codes of a survey: it is the same for every one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from http import HTTPStatus
from typing import Any, cast

import msgspec

from audiencelab._version import __version__
from audiencelab.schema import Problem
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import JSON, PROBLEM
from audiencelab.service.context import INCLUDE, Operation
from audiencelab.service.fields import Schema
from audiencelab.service.limits import Limits
from audiencelab.service.openapi_examples import BODIES, PARAMETERS
from audiencelab.service.operations import OPERATIONS
from audiencelab.service.operations.charts import IDEMPOTENCY_KEY, KEPT_SECONDS, KEY_PATTERN

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


_REFUSALS = {
    400: "Something in the request is wrong; `errors` tells every fault and its place.",
    401: "There is no credential, or none that the service knows.",
    403: "The request is right, but names codes that the caller may not use.",
    404: "There is nothing of this name.",
    408: "The body did not arrive.",
    409: "The request does not go together with an earlier one.",
    413: "The body is longer than the service takes.",
    415: "The body is compressed.",
    429: "Too many requests; `Retry-After` tells when to come again.",
    500: "The service failed; its log tells why, under the id of the request.",
    503: "The service is busy; `Retry-After` tells when to come again.",
    507: "The disk of the store is full or fails. Nothing was changed.",
}

_ALWAYS = (400, 401, 429, 500, 503)
"""How any operation may refuse: 400 because of query parameters that it has not."""

_WITH_BODY = (408, 413, 415)

_EVERYWHERE = {
    "X-Request-Id": ("The caller's own id, or one that was made.", "string"),
    "X-RateLimit-Limit": ("Requests that the credential may send at once.", "integer"),
    "X-RateLimit-Remaining": ("How many of them are left now.", "integer"),
    "X-RateLimit-Reset": ("Seconds until all of them are there again.", "integer"),
}
"""Headers of every answer to a known credential; those of the rate only where there is a limit."""

_COME_AGAIN = ("Retry-After", "Seconds after which to try again.")
_HEADERS_OF = {
    401: ("WWW-Authenticate", "How to send the credential."),
    429: _COME_AGAIN,
    503: _COME_AGAIN,
}


def document(
    limits: Limits | None = None, operations: Sequence[Operation] = OPERATIONS
) -> dict[str, Any]:
    """The OpenAPI 3.1 document of a service with these limits, ready to be written as JSON."""
    limits = limits or Limits()
    answers, schemas = components(operations, limits)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        described = _operation(operation, limits, answers.get(operation.name, {}))
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "audiencelab service",
            "version": __version__,
            "description": _description(limits),
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}, {"token": []}],
        "paths": {
            **paths,
            "/health": {"get": _health()},
            "/openapi.json": {"get": _interface()},
        },
        "components": {
            "schemas": schemas,
            "headers": {name: _header(*described) for name, described in _EVERYWHERE.items()},
            "responses": {_refusal_name(status): _refusal(status) for status in _REFUSALS},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "The token alone, without the word Bearer.",
                },
            },
        },
    }


def _description(limits: Limits) -> str:
    numbers = [f"- {each.name}: {getattr(limits, each.name):,}" for each in fields(limits)]
    return "\n".join(
        [
            "Audience research over one survey. Beyond these limits of one request it is refused:",
            "",
            *numbers,
        ]
    )


def _operation(operation: Operation, limits: Limits, answer: Schema) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": _responses(operation, answer),
    }
    if operation.body is not None:
        content: dict[str, Any] = {"schema": operation.body.schema(limits)}
        example = BODIES.get((operation.method, operation.path))
        if example is not None:
            content["example"] = example
        described["requestBody"] = {
            "required": not operation.may_be_empty,
            "content": {JSON: content},
        }
    return described


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1},
            "example": PARAMETERS[name],
        }
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    if operation.includes is not None:
        listed.append(
            {
                "name": INCLUDE,
                "in": "query",
                "description": "Relationships to add, separated by commas; empty: none.",
                "allowEmptyValue": True,
                "schema": {
                    "type": "array",
                    "items": {"type": "string", "enum": list(operation.includes)},
                },
                "style": "form",
                "explode": False,
                "example": list(operation.includes[:1]),
            }
        )
    if operation.may_repeat:
        listed.append(
            {
                "name": IDEMPOTENCY_KEY,
                "in": "header",
                "description": "The same request under the same key does its work once, and is "
                f"answered the same for {KEPT_SECONDS / 3600:.0f} hours.",
                "schema": {"type": "string", "pattern": f"^{KEY_PATTERN}$"},
            }
        )
    return listed


def _responses(operation: Operation, answer: Schema) -> dict[str, Any]:
    done: dict[str, Any] = {
        "description": "Done.",
        "headers": _headers(),
        "content": {operation.media: {"schema": answer}},
    }
    if operation.media != JSON:
        # The body as a whole is text; OpenAPI 3.1 has no word for the schema of each line.
        done["description"] = "A stream of JSON objects, one a line, in any order."
        done["content"][operation.media] = {
            "schema": {"type": "string", "contentMediaType": operation.media},
            "x-itemSchema": {"anyOf": [answer, reference("Problem")]},
        }
    if operation.blocks:
        done["content"][CELLS] = {"schema": {"type": "string", "contentMediaType": CELLS}}
    if links := _links(operation):
        done["links"] = links
    refusals = {*_ALWAYS, *operation.errors, *(_WITH_BODY if operation.body else ())}
    return {
        "200": done,
        **{
            str(status): {"$ref": f"#/components/responses/{_refusal_name(status)}"}
            for status in sorted(refusals)
        },
    }


def _links(operation: Operation) -> dict[str, Any]:
    """From a chart that was created to what can be done with it."""
    if (operation.method, operation.path) != ("POST", "/v1/charts"):
        return {}
    return {
        name: {"operationId": name, "parameters": {"id": "$response.body#/id"}}
        for name in _names_below(operation.path)
    }


def _names_below(path: str) -> list[str]:
    return [each.name for each in OPERATIONS if each.path.startswith(f"{path}/{{")]


def _health() -> dict[str, Any]:
    told = {"status": {"const": "ok"}, "version": {"type": "string"}}
    schema = {"type": "object", "properties": told, "required": list(told)}
    return {
        "operationId": "health",
        "summary": "Whether the service runs",
        "security": [],
        "responses": {"200": {"description": "It does.", "content": {JSON: {"schema": schema}}}},
    }


def _interface() -> dict[str, Any]:
    return {
        "operationId": "interface",
        "summary": "This document",
        "security": [],
        "responses": {
            "200": {
                "description": "The interface, with the limits of this service.",
                "content": {JSON: {"schema": {"type": "object"}}},
            }
        },
    }


def _headers() -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in _EVERYWHERE}


def _refusal(status: int) -> dict[str, Any]:
    headers = _headers()
    if status in _HEADERS_OF:
        name, description = _HEADERS_OF[status]
        headers[name] = _header(description)
    return {
        "description": _REFUSALS[status],
        "headers": headers,
        "content": {PROBLEM: {"schema": reference("Problem")}},
    }


def _refusal_name(status: int) -> str:
    return HTTPStatus(status).name.title().replace("_", "")


def _header(description: str, kind: str = "string") -> dict[str, Any]:
    return {"description": description, "schema": {"type": kind}}
