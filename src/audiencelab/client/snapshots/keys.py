"""By what a request is found again: a digest of what was asked, and of nothing else.

Left out is all that may differ between two runs of the same notebook: the address, the
credential, the request's id, the idempotency key, and how the body's JSON happens to be written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

from audiencelab.schema.http import Request

__all__ = ["canonical", "canonical_json", "key_of", "request_key"]


def request_key(request: Request) -> str:
    """The key of a request, 64 hexadecimal digits."""
    query = dict(parse_qsl(request.query, keep_blank_values=True))
    return key_of(request.method, request.path, query, canonical(request.body) or request.body)


def key_of(method: str, path: str, query: Mapping[str, str], body: bytes) -> str:
    """The key of a request's parts; `body` is canonical JSON where it is JSON at all."""
    asked = json.dumps(sorted(query.items()), ensure_ascii=True, separators=(",", ":"))
    return sha256(b"\n".join((f"{method} {path}".encode(), asked.encode(), body))).hexdigest()


def canonical(body: bytes) -> bytes | None:
    """The JSON of a body in the one form that RFC 8785 gives it.

    None for what has no such form: no JSON, or whole numbers that a double does not hold. Such a
    body stands for itself, byte for byte.
    """
    try:
        return canonical_json(json.loads(body))
    except (ValueError, RecursionError):
        return None


def canonical_json(value: Any) -> bytes:
    """A decoded JSON value in its one written form; raises `ValueError` where there is none."""
    # Only those who record or replay need it.
    import rfc8785

    return rfc8785.dumps(value)
