"""The OpenAPI 3.1 document of the service, made from what validates and what is sent.

It contains no codes of a survey: it is the same for every one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, cast

import msgspec

from audiencelab._version import __version__
from audiencelab.expressions.number_range import ENDS
from audiencelab.schema import Problem
from audiencelab.schema.arrays import FloatArray
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import JSON, PROBLEM, WEIGHT
from audiencelab.service.context import INCLUDE, Operation
from audiencelab.service.fields import Schema
from audiencelab.service.limits import Limits
from audiencelab.service.openapi_examples import BODIES, PARAMETERS
from audiencelab.service.operations import OPERATIONS
from audiencelab.service.operations.charts import IDEMPOTENCY_KEY, KEPT_SECONDS, KEY_PATTERN

_SCHEMAS = "#/components/schemas/{name}"

_REQUEST_ONLY = {"SavedAudience": ("folder",)}
"""Fields that a type of answers has for reading, and the service never sends."""

_DESCRIPTIONS = {
    **{
        (kind, "suppressed"): "True where figures are withheld; absent otherwise."
        for kind in ("CalcData", "CrosstabCell", "StatsRow")
    },
    ("StatsRow", "suffixes"): "Integers; a string where the survey's own code is not a number.",
}

_WITHHOLDING = ("AxisFigures", "BaseFigures", "IntersectFigures", "Metrics")

_WITHHELD = "Null where it is withheld: it counts or rests on too few respondents."

_REFUSALS = {
    400: "Something in the request is wrong; `errors` lists every fault with its JSON pointer.",
    401: "There is no credential, or none that the service knows.",
    403: "The request is right, but the caller may not write, or not use its codes.",
    404: "There is nothing of this name.",
    408: "The body did not arrive.",
    409: "The request does not go together with an earlier one.",
    412: "The survey is not in the version that `If-Survey-Version` names (the problem's `type` is "
    "`survey_changed`), or the resource is no longer the one that `If-Match` names.",
    413: "The body is longer than the service takes.",
    415: "The body is compressed.",
    429: "Too many requests; `Retry-After` has the seconds to wait.",
    500: "The service failed; its log has the cause, under the id of the request.",
    503: "The service is busy; `Retry-After` has the seconds to wait.",
    507: "The disk of the store is full or fails. Nothing was changed.",
}

_ALWAYS = (400, 401, 412, 429, 500, 503)
"""How any operation may refuse: 400 because of query parameters that it does not have."""

_WITH_BODY = (408, 413, 415)

_LEAF_FIELDS = ("datapoints", "options", "suffixes", "min_count")


def document(
    limits: Limits | None = None,
    operations: Sequence[Operation] = OPERATIONS,
    minimum_base: int = 0,
) -> dict[str, Any]:
    """The OpenAPI 3.1 document of a service with these limits, ready to be written as JSON."""
    limits = limits or Limits()
    written, named = msgspec.json.schema_components(
        [*(operation.answers for operation in operations), Problem, FloatArray],
        schema_hook=_array,
        ref_template=_SCHEMAS,
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation, answer in zip(operations, written, strict=False):
        described = _operation(operation, limits, answer)
        paths.setdefault(operation.endpoint.path, {})[operation.endpoint.method.lower()] = described
    schemas = {name: _as_sent(name, schema) for name, schema in named.items()}
    if minimum_base:
        for name in _WITHHOLDING:
            for field in schemas[name]["properties"].values():
                if field.get("type") == "number":
                    field |= {"type": ["number", "null"], "description": _WITHHELD}
    limited = "\n".join(f"- {name}: {value:,}" for name, value in asdict(limits).items())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "audiencelab service",
            "version": __version__,
            "description": "Weighted tables of one survey. Requests beyond these limits are "
            f"refused:\n\n{limited}",
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}, {"token": []}],
        "paths": paths | _OTHER_PATHS,
        "components": {
            "schemas": {**schemas, "AudienceExpression": _expression(limits)},
            "headers": _HEADERS,
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


def _array(_: type) -> Schema:
    """What msgspec does not describe: the arrays of answers."""
    return {"$ref": _SCHEMAS.format(name="FloatArray")}


def _header(description: str, kind: str = "string", *, required: bool = False) -> dict[str, Any]:
    return {"description": description, "required": required, "schema": {"type": kind}}


_HEADERS = {
    "X-Request-Id": _header("The caller's own id, or a new one.", required=True),
    "X-RateLimit-Limit": _header("Requests that the credential may send at once.", "integer"),
    "X-RateLimit-Remaining": _header("How many of them are left now.", "integer"),
    "X-RateLimit-Reset": _header("Seconds until all of them are available again.", "integer"),
}
"""Headers of every answer to a known credential; those of the rate only where there is a limit."""

_HEADER_REFERENCES = {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS}

_SURVEY_VERSION = {
    "Survey-Version": _header(
        "The version of the survey that the answer is of, 32 hexadecimal digits: the same after a "
        "restart and from every worker, another one once a figure may differ.",
        required=True,
    )
}

_BASE_OF = {"Base-Of": _header("`valid` where the query has `base_of: valid`, else absent.")}
_SURVEY_SCOPE = {
    "Survey-Scope": _header(
        "What queries are to name, as percent-encoded JSON: `base_of`, `waves`; and `sizes`, "
        "`routed_known` (all questions have the flag that some were not asked), `wave_names`, "
        "`minimum_base`.",
        required=True,
    )
}
_ETAG = {
    "ETag": _header("Names this state of the resource, or this answer of a read.", required=True)
}
_CACHE_CONTROL = {"Cache-Control": _header("May be kept, and asked for again by its `ETag`.")}
_RETRY_AFTER = {
    "Retry-After": _header("Seconds after which to try again.", "integer", required=True)
}
_REFUSAL_HEADERS = {
    412: _SURVEY_VERSION,
    401: {"WWW-Authenticate": _header("How to send the credential.", required=True)},
    429: _RETRY_AFTER,
    503: _RETRY_AFTER,
}


def _public(
    name: str,
    summary: str,
    description: str,
    schema: Schema,
    unavailable: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """An operation of the HTTP server itself, which needs no credential."""
    done = {"description": description, "content": {JSON: {"schema": schema}}}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "security": [],
            "responses": {"200": done} | ({"503": unavailable} if unavailable else {}),
        }
    }


_OTHER_PATHS = {
    "/health": _public(
        "health",
        "Whether the service runs",
        "It does.",
        {
            "type": "object",
            "properties": {"status": {"const": "ok"}, "version": {"type": "string"}},
            "required": ["status", "version"],
        },
    ),
    "/ready": _public(
        "ready",
        "Whether a request would be answered now",
        "It would.",
        {
            "type": "object",
            "properties": {"status": {"const": "ready"}, "in_progress": {"type": "integer"}},
            "required": ["status", "in_progress"],
        },
        {
            "description": "It would not; `reasons` by part: survey, store, disk, requests, "
            "connections.",
            "content": {
                JSON: {
                    "schema": {
                        "type": "object",
                        "properties": {
                            "status": {"const": "not ready"},
                            "reasons": {
                                "type": "object",
                                "additionalProperties": {"type": "string"},
                            },
                        },
                        "required": ["status", "reasons"],
                    }
                }
            },
        },
    ),
    "/openapi.json": _public(
        "interface",
        "This document",
        "The interface, with the limits of this service.",
        {"type": "object"},
    ),
}


def _as_sent(kind: str, schema: Schema) -> Schema:
    """The schema of an answer: fields may be added, and defaults belong to readers."""
    properties: dict[str, Schema] = {}
    for name, each in schema["properties"].items():
        if name not in _REQUEST_ONLY.get(kind, ()):
            described = _DESCRIPTIONS.get((kind, name))
            properties[name] = {key: value for key, value in each.items() if key != "default"}
            properties[name] |= {"description": described} if described else {}
    dropped = ("additionalProperties", "properties")
    sent = {k: value for k, value in schema.items() if k not in dropped and value != []}
    if "description" in sent:
        sent["description"] = " ".join(cast(str, sent["description"]).split())
    return {**sent, "properties": properties}


def _expression(limits: Limits) -> Schema:
    def list_of(items: Schema, description: str) -> Schema:
        nullable = {"type": ["array", "null"], "items": items, "minItems": 1}
        return {**nullable, "description": description}

    code: Schema = {"type": "string", "minLength": 1}
    node = {"$ref": _SCHEMAS.format(name="AudienceExpression")}
    both_given: Schema = {"type": "array"}
    return {
        "title": "AudienceExpression",
        "description": (
            "Who belongs to an audience: a node that combines others (`and`, `or`), or a leaf "
            "with a `question`. A field that is null counts as left out. At most "
            f"{limits.depth} levels and {limits.nodes:,} nodes."
        ),
        "type": "object",
        "properties": {
            "and": list_of(node, "All of these hold."),
            "or": list_of(node, "At least one of these holds."),
            "question": {**code, "type": ["string", "null"], "description": "A question code."},
            "datapoints": list_of(code, "Datapoint codes; left out: any of the question's."),
            "options": list_of(code, "The name of `datapoints` in saved audiences."),
            "suffixes": list_of(
                {"type": ["string", "integer"], "minLength": 1},
                "A datapoint holds if it was given with any of these.",
            ),
            "min_count": {
                "type": ["integer", "null"],
                "minimum": 1,
                "description": "How many of the listed datapoints must hold; 1 if left out.",
            },
            "numbers": {
                "type": ["object", "null"],
                "description": (
                    "Whose own number is in a range, in place of datapoints; of a question with "
                    "the flag `form:numeric`. `min` and `max` belong to it, `above` and `below` "
                    "do not."
                ),
                "properties": {name: {"type": ["number", "null"]} for name in ENDS},
                "additionalProperties": False,
                "minProperties": 1,
            },
            "not": {"type": ["boolean", "null"], "description": "Everyone else instead."},
        },
        "additionalProperties": False,
        "oneOf": [
            _kind("and", "array", without=("or", "question", "numbers", *_LEAF_FIELDS)),
            _kind("or", "array", without=("and", "question", "numbers", *_LEAF_FIELDS)),
            _kind("numbers", "object", without=("and", "or", *_LEAF_FIELDS), beside="question"),
            _kind("question", "string", without=("and", "or", "numbers"))
            | {
                "not": {
                    "required": ["datapoints", "options"],
                    "properties": {"datapoints": both_given, "options": both_given},
                }
            },
        ],
    }


def _kind(name: str, of: str, *, without: Iterable[str], beside: str = "") -> Schema:
    """A node with this field and none of the others; null counts as left out.

    beside: a field of text that it needs too.
    """
    null: dict[str, Any] = {other: {"type": "null"} for other in without}
    text = {beside: {"type": "string"}} if beside else {}
    return {"required": [*text, name], "properties": {name: {"type": of}, **text, **null}}


def _operation(operation: Operation, limits: Limits, answer: Schema) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": _responses(operation, answer),
    }
    if operation.body is not None:
        content: dict[str, Any] = {"schema": operation.body.schema(limits)}
        if example := BODIES.get(operation.endpoint):
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
        for name in operation.endpoint.parameters
    ]
    if operation.includes is not None:
        names = {"type": "string", "enum": list(operation.includes)}
        listed.append(
            {
                "name": INCLUDE,
                "in": "query",
                "description": "Relationships to add, separated by commas; empty: none.",
                "allowEmptyValue": True,
                "schema": {"type": "array", "items": names},
                "style": "form",
                "explode": False,
                "example": list(operation.includes[:1]),
            }
        )
    listed.append(
        {
            "name": "If-Survey-Version",
            "in": "header",
            "description": "The `Survey-Version` of an earlier answer; the request is refused if "
            "this one would be of another.",
            "schema": {"type": "string"},
        }
    )
    if operation.endpoint.weighted:
        listed.append(
            {
                "name": WEIGHT,
                "in": "header",
                "description": "The name of one of the survey's weights, percent-encoded; empty: "
                "every respondent counts as one. Absent: the survey's usual weight.",
                "schema": {"type": "string"},
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
    if operation.endpoint.tagged:
        listed.append(
            {
                "name": "If-None-Match",
                "in": "header",
                "description": "The `ETag` of an earlier answer; 304 if this one is the same.",
                "schema": {"type": "string"},
            }
        )
    if operation.is_conditional:
        listed.append(
            {
                "name": "If-Match",
                "in": "header",
                "description": "The `ETag` of the last answer about the resource; the request is "
                "refused if it was changed since.",
                "schema": {"type": "string"},
            }
        )
    return listed


def _responses(operation: Operation, answer: Schema) -> dict[str, Any]:
    answered = _HEADER_REFERENCES | _SURVEY_VERSION
    if operation.describes_survey:
        answered |= _SURVEY_SCOPE
    if operation.endpoint.weighted and operation.body is not None:
        answered |= _BASE_OF
    done: dict[str, Any] = {
        "description": "Done.",
        "headers": answered,
        "content": {operation.media: {"schema": answer}},
    }
    if operation.media != JSON:
        # The body as a whole is text; OpenAPI 3.1 cannot give a schema for each line.
        done["description"] = "A stream of JSON objects, one a line, in any order."
        done["content"][operation.media] = {
            "schema": {"type": "string", "contentMediaType": operation.media},
            "x-itemSchema": {"anyOf": [answer, {"$ref": _SCHEMAS.format(name="Problem")}]},
        }
    if operation.blocks:
        done["content"][CELLS] = {"schema": {"type": "string", "contentMediaType": CELLS}}
    if operation.name == "create_chart":
        done["links"] = {
            each.name: {"operationId": each.name, "parameters": {"id": "$response.body#/id"}}
            for each in OPERATIONS
            if each.endpoint.path.startswith(f"{operation.endpoint.path}/{{")
        }
    unchanged: dict[str, Any] = {}
    if operation.endpoint.tagged:
        done["headers"] = answered | _ETAG | _CACHE_CONTROL
        described = "The answer is the one that `If-None-Match` names; it has no body."
        unchanged["304"] = {"description": described, "headers": answered | _ETAG}
    elif operation.endpoint.writes:
        done["headers"] = answered | _ETAG
    refusals = {*_ALWAYS, *operation.errors, *(_WITH_BODY if operation.body else ())}
    names = {status: _refusal_name(status) for status in sorted(refusals)}
    references = {
        str(status): {"$ref": f"#/components/responses/{name}"} for status, name in names.items()
    }
    return {"200": done, **unchanged, **references}


def _refusal(status: int) -> dict[str, Any]:
    return {
        "description": _REFUSALS[status],
        "headers": _HEADER_REFERENCES | _REFUSAL_HEADERS.get(status, {}),
        "content": {PROBLEM: {"schema": {"$ref": _SCHEMAS.format(name="Problem")}}},
    }


def _refusal_name(status: int) -> str:
    return HTTPStatus(status).name.title().replace("_", "")
