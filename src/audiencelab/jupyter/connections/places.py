"""What a connection is: a name for a service, with the Python that connects to it.

Its target comes from what the user or an administrator has written, never from a request.
"""

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

__all__ = [
    "DEMO",
    "ENVIRONMENT",
    "Connection",
    "ConnectionFault",
    "Credential",
    "Kind",
    "Source",
    "checked_name",
    "credential_of",
    "demo",
    "deployment",
    "open_client",
    "survey",
    "where_a_token_goes",
]

Kind = Literal["demo", "survey", "deployment", "snapshot"]

Source = Literal["built in", "environment", "configuration", "file", "server folder"]

DEMO = "demo"
ENVIRONMENT = "environment"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class ConnectionFault(AudienceError, ValueError):
    """A connection that is not written as one; the message says how it should be."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A service by name.

    kind: what it is. title: what people call it. place: where it is, in words.
    code: Python that connects to it, with `audiencelab` as `al`. source: where it was named.
    target: the address, survey or snapshot; None for the demo survey.
    is_one_of_several: other deployments are named, too.
    """

    name: str
    kind: Kind
    title: str
    place: str
    code: str
    source: Source
    target: str | None = None
    is_one_of_several: bool = False


@dataclass(frozen=True, slots=True)
class Credential:
    """What is known of a connection's credential, and never the credential.

    place: where it was found, else where it can be put. advice: what to do where it was not found.
    """

    needed: bool
    found: bool
    place: str | None = None
    advice: str = ""


def checked_name(name: object) -> str:
    """A name that can stand in an address; raises `ConnectionFault`."""
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise ConnectionFault(
        f"A connection's name has up to 64 letters, digits, dots, dashes and underscores, and "
        f"begins with a letter or digit: not {name!r}."
    )


def demo(*, is_default: bool) -> Connection:
    """The demo survey.

    is_default: whether `connect()` with no argument leads there, or the environment says otherwise.
    """
    code = "al.connect()" if is_default else "al.connect(survey=al.demo_survey())"
    return Connection(
        DEMO, "demo", "Demo survey", "comes with audiencelab; no account", code, "built in"
    )


def deployment(name: str, url: object, source: Source, title: str = "") -> Connection:
    """A service at an address; raises `ConnectionChoiceError` for what is none.

    An address with a password in it is refused: that is no place for one.
    """
    address = checked_address(url).rstrip("/")
    return Connection(
        checked_name(name),
        "deployment",
        title or name,
        address,
        f"al.connect({address!r})",
        source,
        address,
    )


def survey(name: str, folder: object, source: Source, title: str = "") -> Connection:
    """A survey in a folder or at an address such as `s3://bucket/survey`; nothing is opened yet."""
    if not isinstance(folder, str | Path) or not str(folder).strip():
        raise ConnectionFault("survey names a folder, or an address such as 's3://bucket/survey'.")
    place = str(folder)
    if "://" not in place:
        place = str(Path(place).expanduser().absolute())
    short = place.rstrip("/").rpartition("/")[2]
    return Connection(
        checked_name(name),
        "survey",
        title or short,
        place,
        f"al.connect(survey={place!r})",
        source,
        place,
    )


def credential_of(connection: Connection) -> Credential:
    """Where the connection's credential is; it is looked for and let go again, and nobody asked."""
    if connection.kind != "deployment" or connection.target is None:
        return Credential(needed=False, found=False)
    try:
        with no_prompt(is_one_of_several=connection.is_one_of_several):
            found = find_credential(None, connection.target)
    except ConnectionChoiceError as error:
        advice = where_a_token_goes(connection.target)
        if connection.is_one_of_several:
            advice = f"{advice[:-1]} and this address in AUDIENCELAB_BASE_URL."
        # A place that cannot be used is told as it is; that none has one, in fewer words.
        fault = "" if "None was given" in str(error) else f"{error} "
        return Credential(True, False, str(user_token_file()), fault + advice)
    return Credential(True, True, found.source)


def where_a_token_goes(address: str) -> str:
    """What to do to give the service at an address a credential."""
    return (
        f'Write the token into {user_token_file()}, as "{origin(address)}" = "…", and keep the '
        f"file to yourself (chmod 600); or start Jupyter with it in AUDIENCELAB_TOKEN."
    )


def open_client(connection: Connection) -> Client:
    """A client of the connection's service, with the credential that is found for it.

    Nobody is asked for one. The demo survey is made first where that was never done, which takes
    some seconds. Raises what `connect()` raises.
    """
    with no_prompt(is_one_of_several=connection.is_one_of_several):
        return connect(**_arguments(connection))


def _arguments(connection: Connection) -> dict[str, Any]:
    if connection.kind == "deployment":
        return {"base_url": connection.target}
    if connection.kind == "snapshot":
        return {"snapshot": connection.target}
    if connection.kind == "survey":
        return {"survey": connection.target}
    # By the survey itself: with no argument the environment would have its say.
    from audiencelab.client.transports.embedded import demo as demo_survey

    return {"survey": demo_survey()}
