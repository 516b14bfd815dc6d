"""Check that a connection's service responds, and advise if it does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from audiencelab.client.errors import (
    AccessDenied,
    AuthenticationError,
    ConnectionChoiceError,
    ConnectionFailed,
    CredentialError,
    InsecureConnectionError,
)
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.connection import (
    Connection,
    credential_status,
    open_client,
    token_advice,
)
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client import Client

Status = Literal["ready", "no credential", "refused", "unreachable", "broken"]

_DEADLINE = 20.0
"""Seconds after which a remote service counts as unreachable."""


@dataclass(frozen=True, slots=True)
class ConnectionCheck:
    """The outcome of a check.

    message: what was found, or what to do. namespaces, questions, waves: how many the caller may
    use. milliseconds: how long it took, opening included.
    """

    status: Status
    message: str
    namespaces: int = 0
    questions: int = 0
    waves: int = 0
    milliseconds: int = 0


def check(
    connection: Connection,
    opened: Callable[[Connection], AbstractContextManager[Client]] = open_client,
) -> ConnectionCheck:
    """Open the connection and request its catalogue and waves; raises nothing."""
    started = time.monotonic()
    try:
        with opened(connection) as client:
            found = _ready(connection, client)
    except Exception as error:
        status, message = _failure(connection, error)
        found = ConnectionCheck(status, message)
    return replace(found, milliseconds=round((time.monotonic() - started) * 1000))


def _ready(connection: Connection, client: Client) -> ConnectionCheck:
    if connection.kind == "deployment":
        client = client.with_options(deadline=_DEADLINE, retries=0)
    # The catalogue may be cached, but waves are always requested: they show a lost service.
    waves = client.waves()
    questions = [each for each in client.catalogue.questions if each.accessible]
    namespaces = {each.canonical.partition(".")[0] for each in questions}
    message = f"Ready: {plural(len(questions), 'question')} in {plural(len(waves), 'wave')}."
    return ConnectionCheck("ready", message, len(namespaces), len(questions), len(waves))


def _failure(connection: Connection, error: Exception) -> tuple[Status, str]:
    # Advice precedes the message in the text of a refused request.
    message = str(getattr(error, "message", error)).partition("\n")[0]
    address = connection.target or ""
    match error:
        case ConnectionChoiceError() | CredentialError() if connection.kind == "deployment":
            return "no credential", credential_status(connection).advice or message
        case AuthenticationError():
            source = credential_status(connection).location
            return "refused", (
                f"The service does not know the token from {source}. {token_advice(address)}"
            )
        case AccessDenied():
            return "refused", f"The service refuses this token: {message}"
        case InsecureConnectionError():
            return "refused", message
        case ConnectionFailed():
            return "unreachable", (
                f"{message} See that the service at {address} runs and can be reached."
            )
        case AudienceError():
            return "broken", message
        case _:  # other errors may quote anything
            return "broken", f"{connection.location} cannot be used ({type(error).__name__})."
