"""Whether a connection's service answers, and what to do if it does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
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
from audiencelab.jupyter.connections.places import (
    Connection,
    credential_of,
    open_client,
    where_a_token_goes,
)
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client import Client

__all__ = ["Check", "Status", "check", "look_into", "told"]

Status = Literal["ready", "no credential", "refused", "unreachable", "broken"]

_PATIENCE = 20.0
"""Seconds after which a deployment that has not answered is told to be out of reach."""


@dataclass(frozen=True, slots=True)
class Check:
    """What came of asking a service.

    message: what was found, or what to do. namespaces, questions, waves: how many the caller may
    use. milliseconds: how long it took, opening included.
    """

    status: Status
    message: str
    namespaces: int = 0
    questions: int = 0
    waves: int = 0
    milliseconds: int = 0


def check(connection: Connection) -> Check:
    """Open the connection, ask for its catalogue and waves, and close it; raises nothing."""

    def asked() -> Check:
        with open_client(connection) as client:
            return look_into(connection, client)

    return told(connection, asked)


def told(connection: Connection, asked: Callable[[], Check]) -> Check:
    """What `asked` says, or in words why it could not."""
    started = time.monotonic()
    try:
        found = asked()
    except Exception as error:
        status, message = _status_of(connection, error)
        found = Check(status, message)
    milliseconds = round((time.monotonic() - started) * 1000)
    return Check(
        found.status, found.message, found.namespaces, found.questions, found.waves, milliseconds
    )


def look_into(connection: Connection, client: Client) -> Check:
    """What the service of a connection's client holds; raises the client's errors."""
    hasty = client
    if connection.kind == "deployment":
        hasty = client.with_options(deadline=_PATIENCE, retries=0)
    # The waves are asked for each time, so that a service that went away is noticed.
    waves = hasty.waves()
    questions = [each for each in hasty.catalogue.questions if each.accessible]
    namespaces = {each.canonical.partition(".")[0] for each in questions}
    message = f"Ready: {plural(len(questions), 'question')} in {plural(len(waves), 'wave')}."
    return Check("ready", message, len(namespaces), len(questions), len(waves))


def _status_of(connection: Connection, error: Exception) -> tuple[Status, str]:
    address = connection.target or ""
    if isinstance(error, ConnectionChoiceError | CredentialError) and connection.kind == (
        "deployment"
    ):
        credential = credential_of(connection)
        return "no credential", credential.advice or _first_line(error)
    if isinstance(error, AuthenticationError):
        return "refused", (
            f"The service does not know the token from {credential_of(connection).place}. "
            + where_a_token_goes(address)
        )
    if isinstance(error, AccessDenied):
        return "refused", f"The service refuses this token: {_first_line(error)}"
    if isinstance(error, ConnectionFailed):
        return "unreachable", (
            f"{_first_line(error)} See that the service at {address} runs and can be reached."
        )
    if isinstance(error, InsecureConnectionError):
        return "refused", _first_line(error)
    if isinstance(error, AudienceError):
        return "broken", _first_line(error)
    # Not ours: its words may quote anything.
    return "broken", f"{connection.place} cannot be used ({type(error).__name__})."


def _first_line(error: Exception) -> str:
    # Advice stands before the message in the words of a refused request.
    return str(getattr(error, "message", error)).partition("\n")[0]
