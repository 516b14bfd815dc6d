"""`Idempotency-Key`: a request that is sent again does its work once, and is answered the same.

The answer is kept in the transaction that does the work, so that there is never one without the
other. A key stands for its request for a day; with another request it is refused.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from hashlib import sha256

import msgspec

from audiencelab.errors import Fault
from audiencelab.schema.http import Request, Response
from audiencelab.service.operations.base import Call, json_response
from audiencelab.service.problems import ConflictError, InvalidRequestError
from audiencelab.service.store import Documents, Kept

__all__ = ["IDEMPOTENCY_KEY", "KEPT_SECONDS", "KEY_PATTERN", "answered_once"]

IDEMPOTENCY_KEY = "Idempotency-Key"

KEPT_SECONDS = 24 * 3600.0
"""How long the answer to a key is given again."""

KEY_PATTERN = "[!-~]{1,255}"
"""Visible ASCII characters."""

_KEY = re.compile(KEY_PATTERN)


def answered_once(call: Call, work: Callable[[Call, Documents], object]) -> Response:
    """What `work` answers, or what it answered when the request came before under its key.

    Raises `ConflictError` if another request had the key.
    """
    key, request, now = _key_of(call.request), _digest(call.request), time.time()
    with call.rooms.store.writing() as documents:
        kept = None if key is None else documents.answer(key, now - KEPT_SECONDS)
        if kept is None:
            kept = Kept(request, msgspec.json.encode(work(call, documents)))
            if key is not None:
                documents.keep_answer(key, kept, now, now - KEPT_SECONDS)
    if kept.request != request:
        raise ConflictError(
            f"Another request was sent with this {IDEMPOTENCY_KEY}; a new one needs a new key."
        )
    return json_response(msgspec.Raw(kept.body))


def _key_of(request: Request) -> str | None:
    key = request.header(IDEMPOTENCY_KEY)
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidRequestError(
            "The header is not valid.",
            [Fault("", f"{IDEMPOTENCY_KEY} takes 1 to 255 visible ASCII characters.")],
        )
    return key


def _digest(request: Request) -> bytes:
    line = f"{request.method} {request.path}\n"
    return sha256(line.encode("utf-8", "surrogatepass") + request.body).digest()
