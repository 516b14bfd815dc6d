"""What the blocking and the asynchronous client have in common: everything but how they wait."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import UNSET, UnsetType

from audiencelab.client.options import Options
from audiencelab.client.session import Session

if TYPE_CHECKING:
    from audiencelab.service import Service

__all__ = ["Face", "change_options"]

OURS = ("authorization", "content-length", "cookie", "host", "idempotency-key", "x-request-id")
"""Headers that nobody else sets: a credential is `connect()`'s, the others are the client's."""


class Face:
    """A client's session and options.

    owner: whether it holds the connections; a copy made by `with_options` borrows them.
    """

    def __init__(self, session: Session, options: Options, *, owner: bool) -> None:
        self._session = session
        self._options = options
        self._owner = owner

    @property
    def service(self) -> Service:
        """The embedded service itself, to add saved audiences and insights to, for one.

        Raises `LookupError` for a client of a deployment.
        """
        if self._session.service is None:
            raise LookupError(
                f"{self!r} has no embedded service; only connect() without an address makes one."
            )
        return self._session.service

    def _check_open(self) -> None:
        if self._session.closed:
            raise RuntimeError("This client is closed. Call connect() for another one.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._session}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A client holds connections and a credential and is not pickled. Call connect() "
            "where it is needed."
        )


def change_options(
    options: Options,
    *,
    timeout: float | UnsetType | None = UNSET,
    deadline: float | UnsetType | None = UNSET,
    retries: int | UnsetType = UNSET,
    headers: Mapping[str, str] | UnsetType = UNSET,
) -> Options:
    """The options with what is given changed; raises `ValueError` or `TypeError`, saying how."""
    changed: dict[str, Any] = {}
    if timeout is not UNSET:
        changed["timeout"] = _seconds("timeout", timeout)
    if deadline is not UNSET:
        changed["deadline"] = _seconds("deadline", deadline)
    if retries is not UNSET:
        if not isinstance(retries, int) or isinstance(retries, bool):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(f"retries is a whole number, not {type(retries).__name__}.")
        if retries < 0:
            raise ValueError("retries cannot be below 0, which means one attempt and no more.")
        changed["retries"] = retries
    if headers is not UNSET:
        changed["headers"] = {**options.headers, **_checked_headers(headers)}
    return replace(options, **changed)


def _seconds(name: str, given: float | None) -> float | None:
    if given is None:
        return None
    if not isinstance(given, (int, float)) or isinstance(given, bool):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"{name} is a number of seconds, or None for no end.")
    if not (math.isfinite(given) and given > 0):
        raise ValueError(f"{name} must be a positive number of seconds; None means no end.")
    return float(given)


def _checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    checked: dict[str, str] = {}
    for name, value in headers.items():
        if not (isinstance(name, str) and isinstance(value, str)):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError("headers maps names to values, both text: {'X-Team': 'insight'}.")
        if name.lower() in OURS:
            hint = " Give the credential to connect(token=…)." if name.lower() == OURS[0] else ""
            raise ValueError(f"The header {name!r} is the client's own.{hint}")
        if not value.isprintable() or not name.isprintable():
            raise ValueError(f"The header {name!r} holds a line break or a control character.")
        checked[name.lower()] = value
    return checked
