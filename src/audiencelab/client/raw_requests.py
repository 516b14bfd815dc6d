"""Requests to any path of the service, for `client.request()`."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec

from audiencelab.schema.endpoints import Retry, endpoint_of
from audiencelab.schema.http import Request

_METHOD = re.compile(r"[A-Z]+")
_PATH = re.compile(r"/(?!/)[!$&-;=@-Z_a-z~%]*")


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
    creates = endpoint_of(method, path).retry is Retry.CREATE
    headers = {"idempotency-key": uuid.uuid4().hex} if creates else {}
    body = b"" if json is None else msgspec.json.encode(json)
    return Request(method, path, urlencode(query or {}), headers, body)
