"""When a request is sent again, and after how long. Pure: no clock, no chance of its own.

Whether sending twice does harm belongs to the operation (`Retry`). Reading, calculating and
assigning absolute values do none. Creating does, since no operation could tell afterwards: there
a request is repeated only if it was provably not sent, or if the service says it did nothing.
An idempotency key goes along, but a key that a service may ignore proves nothing.
"""

from __future__ import annotations

import math
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from audiencelab.client.errors import (
    ConnectionFailed,
    InvalidResponse,
    RequestError,
    RequestRefused,
)
from audiencelab.client.messages import Retry

__all__ = [
    "AMBIENT",
    "LONGEST_PAUSE",
    "Ambient",
    "asked_pause",
    "back_off",
    "is_ambiguous",
    "may_repeat",
    "repetitions",
]

LONGEST_PAUSE = 120.0
"""Seconds that a service may ask for; beyond, the caller is told instead of kept waiting."""

_FIRST, _LAST, _FLOOR = 0.5, 8.0, 0.1
"""Back-off in seconds: the first and the last upper end, and the least."""

_PASSING = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses that the same request may not meet again."""

_UNDONE = frozenset({429, 503})
"""Statuses with which a service says that it has done nothing."""

_EPOCH = 1e9
"""From here on a number of seconds is a moment and no duration: 30 years."""


@dataclass(frozen=True, slots=True)
class Ambient:
    """What a flow takes from the world around it; tests give it a world of their own.

    clock: seconds, only ever growing. now: seconds since 1970. chance: from 0 to 1, at random.
    new_id: an id that nobody else has.
    """

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex


AMBIENT = Ambient()


def repetitions(retry: Retry, retries: int) -> int:
    """How many attempts may follow the first; one fewer, and one at most, for what is costly."""
    return min(1, max(0, retries - 1)) if retry is Retry.COSTLY else max(0, retries)


def may_repeat(failure: RequestError, retry: Retry) -> bool:
    """Whether the same request may fare better, and cannot do harm."""
    creates = retry is Retry.CREATE
    if isinstance(failure, RequestRefused):
        return failure.status in (_UNDONE if creates else _PASSING)
    if isinstance(failure, ConnectionFailed):
        return failure.unsent or not creates
    return isinstance(failure, InvalidResponse) and failure.broken and not creates


def is_ambiguous(failure: RequestError, retry: Retry) -> bool:
    """Whether something may have come into being all the same."""
    if retry is not Retry.CREATE:
        return False
    if isinstance(failure, RequestRefused):
        return failure.status in _PASSING - _UNDONE - {408}
    return not (isinstance(failure, ConnectionFailed) and failure.unsent)


def back_off(number: int, chance: float) -> float:
    """Seconds before repetition `number` (from 1): at random, under a roof that doubles."""
    roof = min(_LAST, _FIRST * 2.0 ** min(number - 1, 10))
    return _FLOOR + chance * (roof - _FLOOR)


def asked_pause(status: int, headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the service asks to wait, or None.

    `Retry-After` in seconds, fractions of them, or as an HTTP date; else, with 429,
    `X-RateLimit-Reset` in seconds left or since 1970. Moments are compared with the answer's own
    `Date`, since clocks differ, and with `now` where there is none.
    """
    sent = _moment(headers.get("date", ""))
    here = now if sent is None else sent
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is None and (moment := _moment(after)) is not None:
        seconds = max(0.0, moment - here)
    if seconds is None and status == 429:
        seconds = _number(headers.get("x-ratelimit-reset", ""))
        if seconds is not None and seconds >= _EPOCH:
            seconds = max(0.0, seconds - here)
    return seconds


def _number(written: str) -> float | None:
    try:
        number = float(written)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _moment(written: str) -> float | None:
    try:
        return parsedate_to_datetime(written).timestamp() if written else None
    except (ValueError, OverflowError):
        return None
