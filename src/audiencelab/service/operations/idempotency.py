"""`Idempotency-Key`: a repeated request does its work once, and gets the same response.

The response is stored in the transaction that does the work. A key belongs to its request for a
day; with another request it is refused.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from hashlib import sha256

import msgspec

from audiencelab.errors import Fault
from audiencelab.schema.http import Request, Response
from audiencelab.service.context import RequestContext
from audiencelab.service.responses import ConflictError, InvalidRequestError, json_response
from audiencelab.service.store import Documents, StoredResponse

IDEMPOTENCY_KEY = "Idempotency-Key"

KEPT_SECONDS = 24 * 3600.0
"""How long a stored response is sent again."""

KEY_PATTERN = "[!-~]{1,255}"
"""Visible ASCII characters."""

_KEY = re.compile(KEY_PATTERN)


def idempotent_response(
    request: RequestContext, work: Callable[[RequestContext, Documents], object]
) -> Response:
    """The response of `work`, or the stored one if the same request came before with its key.

    Raises `ConflictError` if another request had the key.
    """
    key, digest, now = _key_of(request.http), _digest(request.http), time.time()
    with request.context.store.writing() as documents:
        stored = None if key is None else documents.response(key, now - KEPT_SECONDS)
        if stored is None:
            stored = StoredResponse(digest, msgspec.json.encode(work(request, documents)))
            if key is not None:
                documents.put_response(key, stored, now, now - KEPT_SECONDS)
    if stored.request != digest:
        raise ConflictError(
            f"Another request was sent with this {IDEMPOTENCY_KEY}; a new one needs a new key."
        )
    return json_response(msgspec.Raw(stored.body))


def _key_of(request: Request) -> str | None:
    key = request.headers.get(IDEMPOTENCY_KEY.lower())
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidRequestError(
            "The header is not valid.",
            [Fault("", f"{IDEMPOTENCY_KEY} takes 1 to 255 visible ASCII characters.")],
        )
    return key


def _digest(request: Request) -> bytes:
    line = f"{request.method} {request.path}\n"
    return sha256(line.encode("utf-8", "surrogatepass") + request.body).digest()
