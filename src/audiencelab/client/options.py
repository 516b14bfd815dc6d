"""How calls are made: timeouts, attempts, headers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

from msgspec import UNSET, UnsetType

from audiencelab.client.names import WavesLike, as_codes
from audiencelab.expressions import Audience, Expression
from audiencelab.schema.scope import DEFAULT_SCOPE, BaseOf, Scope
from audiencelab.words import ARGUMENTS

INCLUDE_PARAMETER = "include"
"""The query parameter that lists relationships; the specification does not name it."""

_OURS = ("authorization", "content-length", "cookie", "host", "idempotency-key", "x-request-id")
"""Headers that the client sets itself."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The names that a header may have (RFC 9110, 5.1)."""


_BY_CALL = (
    "waves",
    "weight",
    "base_of",
    "base_audience",
    "timeout",
    "deadline",
    "retries",
    "headers",
)
"""Options of `Client.with_options` that people try to assign."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How a client makes its calls.

    timeout: seconds without a byte from the service before an attempt is given up.
    deadline: seconds for a whole call, with all its attempts and the waits between them.
    retries: attempts after the first; unless this is 0, a stream is resumed as long as each attempt
        brings something.
    headers: sent with every request in addition to the client's own.
    pauses: whether to wait between attempts; a replayed service needs no pause.
    credential: a description of where the credential comes from, for the error of a refused one.
    max_body: maximum bytes of a response after decompression, except streams; a response may hold
        an item for every 16 of them.
    scope: whom calls count that name nothing themselves; its waves are as they were given, by what
        `client.names` reads, and None where they are the survey's. The base that a call names is
        within its base.
    base_of: who of the base counts in a cell of such a call; None leaves it to the survey, and the
        `base_of` of `scope` means nothing. `ClientContext.own_scope` has it all.

    None for either time means no limit.
    """

    timeout: float | None = 60.0
    deadline: float | None = 600.0
    retries: int = 2
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    credential: str = ""
    pauses: bool = True
    max_body: int = 64 * 1024 * 1024
    scope: Scope = DEFAULT_SCOPE
    base_of: BaseOf | None = None

    @property
    def waves(self) -> str | tuple[str, ...] | None:
        """The waves of calls that name none; None means those that the survey takes then."""
        given = self.scope.waves
        return given[0] if given is not None and len(given) == 1 else given

    @property
    def weight(self) -> str | UnsetType | None:
        """The weight of the survey that calls use; None counts every respondent as one."""
        return self.scope.weight

    def with_scope(self, scope: Scope) -> Self:
        """The options with another scope."""
        return replace(self, scope=scope)


OWN_BODY = 512 * 1024 * 1024
"""`max_body` for responses that this package has written itself."""

EMBEDDED = ClientOptions(timeout=None, deadline=None, max_body=OWN_BODY)
"""For a service in this process: it works until it is done or cancelled."""


def change_options(
    options: ClientOptions,
    *,
    timeout: float | UnsetType | None = UNSET,
    deadline: float | UnsetType | None = UNSET,
    retries: int | UnsetType = UNSET,
    headers: Mapping[str, str] | UnsetType = UNSET,
    max_body: int | UnsetType = UNSET,
    waves: WavesLike | UnsetType = UNSET,
    base_of: BaseOf | UnsetType | None = UNSET,
    base_audience: Audience | UnsetType | None = UNSET,
) -> ClientOptions:
    """The options with changes; raises `ValueError` or `TypeError` for invalid values."""
    changed: dict[str, Any] = {}
    if timeout is not UNSET:
        changed["timeout"] = _seconds("timeout", timeout)
    if deadline is not UNSET:
        changed["deadline"] = _seconds("deadline", deadline)
    if max_body is not UNSET:
        changed["max_body"] = _integer("max_body", max_body, 1, "bytes")
    if retries is not UNSET:
        changed["retries"] = _integer("retries", retries, 0, "attempts after the first")
    if waves is not UNSET:
        listed = as_codes(waves)
        window = None if listed is None else tuple(listed)
        changed["scope"] = replace(options.scope, waves=window)
    if base_audience is not UNSET:
        changed["scope"] = replace(changed.get("scope", options.scope), base=base_audience)
    if base_of is not UNSET:
        changed["base_of"] = base_of and Scope(base_of=base_of).base_of
    if headers is not UNSET:
        changed["headers"] = {**options.headers, **_checked_headers(headers)}
    return replace(options, **changed)


def differences(options: ClientOptions, usual: ClientOptions) -> str:
    """How options differ from the usual ones, as arguments; headers by their names alone."""
    changed = [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name in ("timeout", "deadline", "retries", "max_body")
        if (value := getattr(options, name)) != getattr(usual, name)
    ]
    added = [name for name, value in options.headers.items() if usual.headers.get(name) != value]
    return ", ".join([*changed, *([f"headers {', '.join(added)}"] if added else [])])


def _integer(name: str, given: int, least: int, unit: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"{name} must be an int, a number of {unit}; got {type(given).__name__}.")
    if given < least:
        raise ValueError(f"{name} must be at least {least}; got {given}.")
    return given


def _seconds(name: str, given: float | None) -> float | None:
    if given is None:
        return None
    if not isinstance(given, (int, float)) or isinstance(given, bool):
        raise TypeError(f"{name} must be a number of seconds, or None; got {type(given).__name__}.")
    if not (math.isfinite(given) and given > 0):
        raise ValueError(f"{name} must be a positive number of seconds; None means no limit.")
    return float(given)


def _checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(headers, Mapping):
        raise TypeError("headers must map names to values, both str: {'X-Team': 'insight'}.")
    given = cast(Mapping[object, object], headers)
    if not all(isinstance(each, str) for pair in given.items() for each in pair):
        raise TypeError("headers must map names to values, both str: {'X-Team': 'insight'}.")
    for name, value in headers.items():
        if name.lower() in _OURS:
            hint = " Give the credential to connect(token=…)." if name.lower() == _OURS[0] else ""
            raise ValueError(f"The header {name!r} is set by the client.{hint}")
        # Also keeps line breaks out of both.
        if not (
            _NAME.fullmatch(name)
            and value.isascii()
            and value.isprintable()
            and value == value.strip()
        ):
            raise ValueError(
                f"The header {name!r} cannot be sent: a name has letters, digits and hyphens, and "
                "a value is printable ASCII text without line breaks and spaces around it."
            )
    return {name.lower(): value for name, value in headers.items()}


def not_added(name: str, value: object) -> str:
    """Why a question of a client is not assigned, and what to write in place of it."""
    added = (
        f"A client does not take client[{name!r}] = …: a question is added by a method, which "
        "other programs then find in the survey. "
    )
    if isinstance(value, Audience | Expression):
        code = value.to_code() if isinstance(value, Audience) else repr(value)
        return f"{added}Write client.derive({name!r}, {{{name!r}: {code}}})."
    return f"{added}Write client.with_columns(frame[['key', {name!r}]], key='key')."


def not_assigned(name: str, value: object) -> str:
    """Why an attribute of a client is not assigned, and what to write in place of it."""
    meant = next((each for each in (name, *ARGUMENTS.get(name, ())) if each in _BY_CALL), "")
    if meant:
        return (
            f"A client does not change: client.{name} = … is not valid. Another one has the "
            f"option. Write client.with_options({meant}={value!r})."
        )
    return (
        f"A client does not change: client.{name} = … is not valid. Columns are added by "
        "client.with_columns(frame, key=…), questions by client.derive(code, audiences), and "
        "options are those of another client. Write client.with_options()."
    )
