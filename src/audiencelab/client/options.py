"""How calls are made: time allowed, attempts, headers. One frozen value, handed to every flow.

A caller's wishes become options in one place, `change_options`, which says what cannot be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import UNSET, UnsetType

_OURS = ("authorization", "content-length", "cookie", "host", "idempotency-key", "x-request-id")
"""Headers that nobody else sets: a credential is `connect()`'s, the others are the client's."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The names that a header may have (RFC 9110, 5.1)."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a client makes its calls.

    timeout: seconds without a byte from the service before an attempt is given up.
    deadline: seconds for a whole call, with all its attempts and the waits between them.
    retries: attempts after the first; a stream is gone on with as long as each brings something,
        unless this is 0.
    headers: sent with every request besides the client's own.
    pauses: whether attempts wait for one another; a service that is replayed needs no rest.
    credential: where the credential comes from, in words, for the error that says it was refused.
    max_body: bytes that an answer may take once its compression is undone, streams apart; it may
        hold an item for every 16 of them.

    None for either time means no end.
    """

    timeout: float | None = 60.0
    deadline: float | None = 600.0
    retries: int = 2
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    credential: str = ""
    pauses: bool = True
    max_body: int = 64 * 1024 * 1024


OWN_BODY = 512 * 1024 * 1024
"""`max_body` for what this package has written itself."""

EMBEDDED = Options(timeout=None, deadline=None, max_body=OWN_BODY)
"""For a service in this process: it works until it is done or called off."""


def change_options(
    options: Options,
    *,
    timeout: float | UnsetType | None = UNSET,
    deadline: float | UnsetType | None = UNSET,
    retries: int | UnsetType = UNSET,
    headers: Mapping[str, str] | UnsetType = UNSET,
    max_body: int | UnsetType = UNSET,
) -> Options:
    """The options with what is given changed; raises `ValueError` or `TypeError`, saying how."""
    changed: dict[str, Any] = {}
    if timeout is not UNSET:
        changed["timeout"] = _seconds("timeout", timeout)
    if deadline is not UNSET:
        changed["deadline"] = _seconds("deadline", deadline)
    if max_body is not UNSET:
        if not isinstance(max_body, int) or isinstance(max_body, bool):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(f"max_body must be an int, a number of bytes; got {max_body!r}.")
        if max_body < 1:
            raise ValueError(f"max_body must be at least 1 byte; got {max_body}.")
        changed["max_body"] = max_body
    if retries is not UNSET:
        if not isinstance(retries, int) or isinstance(retries, bool):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(f"retries is a whole number, not {type(retries).__name__}.")
        if retries < 0:
            raise ValueError("retries cannot be below 0, which means one attempt and no more.")
        changed["retries"] = retries
    if headers is not UNSET:
        changed["headers"] = {**options.headers, **_checked_headers(headers)}
    return replace(options, **changed)


def differences(options: Options, usual: Options) -> str:
    """How options differ from the usual ones, as they are written; headers by their names alone."""
    told = [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name in ("timeout", "deadline", "retries", "max_body")
        if (value := getattr(options, name)) != getattr(usual, name)
    ]
    added = [name for name, value in options.headers.items() if usual.headers.get(name) != value]
    return ", ".join([*told, *([f"headers {', '.join(added)}"] if added else [])])


def _seconds(name: str, given: float | None) -> float | None:
    if given is None:
        return None
    if not isinstance(given, (int, float)) or isinstance(given, bool):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"{name} is a number of seconds, or None for no end.")
    if not (math.isfinite(given) and given > 0):
        raise ValueError(f"{name} must be a positive number of seconds; None means no end.")
    return float(given)


def _checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(headers, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError("headers maps names to values, both text: {'X-Team': 'insight'}.")
    checked: dict[str, str] = {}
    for name, value in headers.items():
        if not (isinstance(name, str) and isinstance(value, str)):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError("headers maps names to values, both text: {'X-Team': 'insight'}.")
        if name.lower() in _OURS:
            hint = " Give the credential to connect(token=…)." if name.lower() == _OURS[0] else ""
            raise ValueError(f"The header {name!r} is the client's own.{hint}")
        if not value.isprintable() or not name.isprintable():
            raise ValueError(f"The header {name!r} holds a line break or a control character.")
        if not (_NAME.fullmatch(name) and value.isascii() and value == value.strip()):
            raise ValueError(
                f"The header {name!r} cannot be sent: a name is of letters, digits and hyphens, "
                "and a value plain ASCII text with no space around it."
            )
        checked[name.lower()] = value
    return checked
