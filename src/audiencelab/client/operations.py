"""The service's operations by method and path, for requests that a caller wrote or a file holds."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec

from audiencelab.client.retries import Retry
from audiencelab.schema.http import Request


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation by its name in the client.

    retry: what sending it twice does. is_known: whether it is one of the service's; else `retry`
        follows from the HTTP method.
    """

    name: str
    retry: Retry
    is_known: bool = True

    @property
    def reads(self) -> bool:
        """Whether it is known to change nothing; of an unknown GET that is not certain."""
        return self.is_known and self.retry in (Retry.READ, Retry.COSTLY)


_OPERATIONS = [
    (re.compile(f"{method} {path}"), Operation(name, retry))
    for method, path, name, retry in (
        ("POST", "/v3/questions/filter", "questions.filter", Retry.READ),
        ("GET", "/v2/questions/[^/]+", "questions.get", Retry.READ),
        ("GET", "/v2/categories/[^/]+", "categories.get", Retry.READ),
        ("POST", "/v2/query/stats", "stats", Retry.READ),
        ("POST", "/v2/query/crosstab", "crosstab", Retry.READ),
        ("POST", "/local/amounts", "amounts", Retry.READ),
        ("POST", "/v1/charts", "charts.create", Retry.CREATE),
        ("PUT", "/v1/charts/[^/]+", "charts.update", Retry.ASSIGN),
        ("POST", "/v1/charts/[^/]+/calculate", "charts.calculate", Retry.COSTLY),
        ("PATCH", "/v2/saved/audiences/[^/]+", "audiences.update", Retry.ASSIGN),
        ("POST", "/v3/insights/filter", "insights.filter", Retry.READ),
    )
]
_OTHERS = {"GET": Retry.READ, "HEAD": Retry.READ, "OPTIONS": Retry.READ, "POST": Retry.CREATE}
_METHOD = re.compile(r"[A-Z]+")
_PATH = re.compile(r"/(?!/)[!$&-;=@-Z_a-z~%]*")


def operation_of(method: str, path: str) -> Operation:
    """The operation; an unknown request is named by its method and path."""
    request = f"{method} {path}"
    for pattern, operation in _OPERATIONS:
        if pattern.fullmatch(request):
            return operation
    return Operation(request, _OTHERS.get(method, Retry.ASSIGN), is_known=False)


def build_raw_request(
    method: str, path: str, query: Mapping[str, Any] | None, json: Any
) -> Request:
    """A request to any path of the service.

    Raises `ValueError` for anything but a path, and `TypeError` for parameters without names.
    """
    method = str(method).upper()
    if not _METHOD.fullmatch(method):
        raise ValueError("method must be one word, such as 'GET' or 'POST'.")
    if not _PATH.fullmatch(str(path)) or ".." in path.split("/"):
        raise ValueError(
            "path must be a path of the service, such as '/v2/questions/core.q4', not an address: "
            "connect() takes the address. Parameters belong in query={…}."
        )
    if query is not None and not isinstance(query, Mapping):
        raise TypeError("query must map names of parameters to values: {'include': 'x'}.")
    creates = operation_of(method, path).retry is Retry.CREATE
    headers = {"idempotency-key": uuid.uuid4().hex} if creates else {}
    body = b"" if json is None else msgspec.json.encode(json)
    return Request(method, path, urlencode(query or {}), headers, body)
