"""A connection: a name for a service, and the Python code that connects to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from audiencelab.client.connection.connect import connect
from audiencelab.client.connection.credential_chain import (
    find_credential,
    no_prompt,
    user_token_file,
)
from audiencelab.client.connection.target import checked_address, origin
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.errors import AudienceError

if TYPE_CHECKING:
    from audiencelab.client import Client

Kind = Literal["demo", "survey", "deployment", "snapshot"]

Source = Literal["built in", "environment", "configuration", "file", "server folder"]

DEMO = "demo"
ENVIRONMENT = "environment"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class ConnectionFault(AudienceError, ValueError):
    """A connection is not valid; the message says how to write it."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A service by name.

    location: the address, folder or file, for people. code: Python that connects to it, with
        `audiencelab` as `al`. source: where the connection was named.
    target: the address, survey or snapshot; None for the demo survey.
    is_one_of_several: whether other remote services are named as well.
    """

    name: str
    kind: Kind
    title: str
    location: str
    code: str
    source: Source
    target: str | None = None
    is_one_of_several: bool = False


@dataclass(frozen=True, slots=True)
class CredentialStatus:
    """Whether a connection's credential is found, and where; never the credential.

    location: where it was found, else where it can be put. advice: what to do if it is missing.
    """

    needed: bool
    found: bool
    location: str | None = None
    advice: str = ""


def demo_connection(*, is_default: bool) -> Connection:
    """The demo survey; `is_default` if `connect()` without arguments opens it."""
    code = "al.connect()" if is_default else "al.connect(survey=al.demo_survey())"
    return Connection(
        DEMO, "demo", "Demo survey", "comes with audiencelab; no account", code, "built in"
    )


def remote_connection(name: str, url: object, source: Source, title: str = "") -> Connection:
    """A remote service. Raises `ConnectionChoiceError` if the address is not valid."""
    address = checked_address(url).rstrip("/")
    code = f"al.connect({address!r})"
    return Connection(
        _checked(name), "deployment", title or name, address, code, source, target=address
    )


def survey_connection(name: str, folder: object, source: Source, title: str = "") -> Connection:
    """A survey in a folder or at an address such as `s3://bucket/survey`; it is not opened."""
    if not isinstance(folder, str | Path) or not str(folder).strip():
        raise ConnectionFault("survey names a folder, or an address such as 's3://bucket/survey'.")
    location = str(folder)
    if "://" not in location:
        location = str(Path(location).expanduser().absolute())
    title = title or location.rstrip("/").rpartition("/")[2]
    code = f"al.connect(survey={location!r})"
    return Connection(_checked(name), "survey", title, location, code, source, target=location)


def _checked(name: object) -> str:
    if isinstance(name, str) and NAME.fullmatch(name):
        return name
    raise ConnectionFault(
        f"A connection's name has up to 64 letters, digits, dots, dashes and underscores, and "
        f"begins with a letter or digit: not {name!r}."
    )


def credential_status(connection: Connection) -> CredentialStatus:
    """Whether the connection's credential is found; never prompts."""
    if connection.kind != "deployment" or connection.target is None:
        return CredentialStatus(needed=False, found=False)
    try:
        with no_prompt(is_one_of_several=connection.is_one_of_several):
            found = find_credential(None, connection.target)
    except ConnectionChoiceError as error:
        advice = token_advice(connection.target)
        if connection.is_one_of_several:
            advice = f"{advice[:-1]} and this address in AUDIENCELAB_BASE_URL."
        # A source that cannot be used is reported; that all are empty is not.
        problem = "" if "None was given" in str(error) else f"{error} "
        return CredentialStatus(True, False, str(user_token_file()), problem + advice)
    return CredentialStatus(True, True, found.source)


def token_advice(address: str) -> str:
    """How to give a credential for the service at an address."""
    return (
        f'Write the token into {user_token_file()}, as "{origin(address)}" = "…", and keep the '
        f"file to yourself (chmod 600); or start Jupyter with it in AUDIENCELAB_TOKEN."
    )


def open_client(connection: Connection) -> Client:
    """Connect, without a prompt; raises what `connect()` raises.

    The demo survey is generated on first use, which takes some seconds.
    """
    with no_prompt(is_one_of_several=connection.is_one_of_several):
        return connect(**_arguments(connection))


def _arguments(connection: Connection) -> dict[str, Any]:
    if connection.kind == "demo":
        # Without an argument, the environment would choose.
        from audiencelab.client.transports.embedded import demo as demo_survey

        return {"survey": demo_survey()}
    name = "base_url" if connection.kind == "deployment" else connection.kind
    return {name: connection.target}
