"""When a request is sent again, and after how long. Pure: no clock and no randomness of its own.

Whether sending twice does harm belongs to the operation (`Retry`). Reading, calculating and
assigning absolute values do none. Creating does, since no operation could tell afterwards: such a
request is repeated only if it was provably not sent, or if the service reports that it did nothing.
An idempotency key is sent along, but a key that a service may ignore proves nothing.
"""

from __future__ import annotations

import math
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from audiencelab.client import stopping
from audiencelab.client.errors import (
    ConnectionFailed,
    InvalidResponse,
    RequestError,
    RequestRefused,
)
from audiencelab.schema.endpoints import Retry

LONGEST_PAUSE = 120.0
"""Maximum seconds that a service may ask to wait; beyond, the call raises instead of waiting."""

_FIRST, _LAST, _FLOOR = 0.5, 8.0, 0.1
"""Back-off in seconds: the first and the last upper limit, and the minimum."""

_PASSING = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses that may be temporary."""

_UNDONE = frozenset({429, 503})
"""Statuses by which a service reports that it has done nothing."""

_EPOCH = 1e9
"""From here on a number of seconds is a time since 1970 and not a duration: 30 years."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and randomness; tests provide their own.

    monotonic: seconds that only increase. now: seconds since 1970. chance: from 0 to 1, at random.
    new_id: a unique id. sleep: waits for some seconds,
    or raises `Stopped`.
    """

    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex
    sleep: Callable[[float], Any] = stopping.sleep


CLOCK = Clock()


def repetitions(retry: Retry, retries: int) -> int:
    """How many attempts may follow the first; at most one for a costly operation."""
    return min(1, max(0, retries - 1)) if retry is Retry.COSTLY else max(0, retries)


def may_repeat(failure: RequestError, retry: Retry) -> bool:
    """Whether the same request may succeed later, and cannot do harm."""
    creates = retry is Retry.CREATE
    if isinstance(failure, RequestRefused):
        return failure.status in (_UNDONE if creates else _PASSING)
    if isinstance(failure, ConnectionFailed):
        return failure.unsent or not creates
    return isinstance(failure, InvalidResponse) and failure.broken and not creates


def is_ambiguous(failure: RequestError, retry: Retry) -> bool:
    """Whether something may have been created despite the failure."""
    if retry is not Retry.CREATE:
        return False
    if isinstance(failure, RequestRefused):
        # 408: the request did not arrive as a whole, so it was not carried out (RFC 9110).
        return failure.status in _PASSING - _UNDONE - {408}
    return not (isinstance(failure, ConnectionFailed) and failure.unsent)


def back_off(number: int, chance: float) -> float:
    """Seconds before repetition `number` (from 1): random, below a limit that doubles."""
    # Full jitter: clients that failed together do not come back together. The limit is reached at
    # the fifth; `min` keeps a large number from overflowing.
    limit = min(_LAST, _FIRST * 2.0 ** min(number - 1, 10))
    return _FLOOR + chance * (limit - _FLOOR)


def asked_pause(status: int, headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the service asks to wait, or None.

    `Retry-After` in seconds, fractions of them, or as an HTTP date; else, with 429,
    `X-RateLimit-Reset` in seconds left or since 1970. Times are compared with the response's own
    `Date`, since clocks differ, and with `now` where there is none.
    """
    sent = _timestamp(headers.get("date", ""))
    sent_at = now if sent is None else sent
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is None and (timestamp := _timestamp(after)) is not None:
        seconds = max(0.0, timestamp - sent_at)
    if seconds is None and status == 429:
        seconds = _number(headers.get("x-ratelimit-reset", ""))
        if seconds is not None and seconds >= _EPOCH:
            seconds = max(0.0, seconds - sent_at)
    return seconds


def _number(written: str) -> float | None:
    try:
        number = float(written)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _timestamp(written: str) -> float | None:
    try:
        return parsedate_to_datetime(written).timestamp() if written else None
    except (ValueError, OverflowError):
        return None
