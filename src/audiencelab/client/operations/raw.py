"""A request that a caller writes out: any path of the service, with the client's own ways."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

import msgspec

from audiencelab.client.messages import Request, Retry
from audiencelab.client.operations.known import operation_of

__all__ = ["written_out"]

_METHOD = re.compile(r"[A-Z]+")
_PATH = re.compile(r"/(?!/)[!$&-;=@-Z_a-z~%]*")


def written_out(method: str, path: str, query: Mapping[str, Any] | None, json: Any) -> Request:
    """The request; raises `ValueError` for anything but a path of the service.

    Parameters without names are a `TypeError`. How often it may be sent goes by what it does: an
    unknown POST may create something.
    """
    method = str(method).upper()
    if not _METHOD.fullmatch(method):
        raise ValueError("method is one word, such as 'GET' or 'POST'.")
    if not _PATH.fullmatch(str(path)) or ".." in path.split("/"):
        raise ValueError(
            "path is a path of the service, such as '/v2/questions/core.q4', and no address: "
            "connect() says where the service is. Parameters belong into query={…}."
        )
    if query is not None and not isinstance(query, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError("query maps the names of parameters to their values: {'include': 'x'}.")
    retry = operation_of(method, path).retry
    headers = {"idempotency-key": uuid.uuid4().hex} if retry is Retry.CREATE else {}
    body = None if json is None else msgspec.json.encode(json)
    parameters = {name: str(value) for name, value in (query or {}).items()}
    return Request(method, path, parameters, body, headers, retry)
