"""The named connections: built in, from the environment, server configuration and user's file.

The user's file is `connections.toml` in the configuration folder:

    [team]
    url = "https://research.example"
    title = "Team survey"

    [survey]
    survey = "/home/ada/surveys/2025"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from audiencelab.client.connection.target import choose, origin
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.errors import AudienceError
from audiencelab.files import make_folder, put
from audiencelab.jupyter.connections.connection import (
    DEMO,
    ENVIRONMENT,
    Connection,
    ConnectionFault,
    Source,
    demo_connection,
    remote_connection,
    survey_connection,
)

CONNECTIONS_VARIABLE = "AUDIENCELAB_CONNECTIONS"

_FIELDS = ("url", "survey", "title")


@dataclass(frozen=True, slots=True)
class ConnectionList:
    """Connections in the order in which they are offered; `default` names the first choice.

    problems: entries that cannot be used, each in a sentence.
    """

    connections: tuple[Connection, ...]
    default: str
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> Connection | None:
        """The connection of a name; None if there is none."""
        return next((each for each in self.connections if each.name == name), None)


def list_connections(configured: Mapping[str, Any] | None = None) -> ConnectionList:
    """All named connections; where several have one name, the first is used.

    configured: entries of the server's configuration, in the form of the file.
    """
    problems: list[str] = []
    environment: Connection | None = None
    is_default = False
    try:
        environment = _from_environment()
        is_default = environment is None
    except ConnectionChoiceError as error:
        problems.append(f"The environment: {_first_line(error)}")
    found = {DEMO: demo_connection(is_default=is_default)}
    if environment is not None:
        found[ENVIRONMENT] = environment
    for each in _named(configured or {}, problems):
        other = found.setdefault(each.name, each)
        if other is not each:
            problems.append(f"Connection {each.name!r} is named twice; {other.source} has it.")
    default = DEMO if environment is None else ENVIRONMENT
    return ConnectionList(_count_origins(found.values()), default, tuple(problems))


def _named(configured: Mapping[str, Any], problems: list[str]) -> Iterator[Connection]:
    """The connections of the configuration and the file; invalid ones go to `problems`."""
    entries: Mapping[str, Any] = {}
    try:
        entries = _read(connections_file())
    except ConnectionFault as error:
        problems.append(str(error))
    sources: list[tuple[Source, Mapping[str, Any]]] = [
        ("configuration", configured),
        ("file", entries),
    ]
    for source, named in sources:
        for name, entry in named.items():
            try:
                yield _parse(name, entry, source)
            except AudienceError as error:
                problems.append(f"Connection {name!r}: {_first_line(error)}")


def _from_environment() -> Connection | None:
    """What `connect()` opens without arguments; None for the demo survey."""
    target = choose(base_url=None, survey=None, snapshot=None)
    if target.value is None:
        return None
    if target.kind == "base_url":
        made = remote_connection(ENVIRONMENT, target.value, "environment", "Set for this server")
    else:
        made = survey_connection(ENVIRONMENT, target.value, "environment")
    if target.kind == "snapshot":
        made = replace(made, kind="snapshot")
    # Kernels inherit the environment, and a notebook without a path is easier to move.
    return replace(made, code="al.connect()")


def _count_origins(connections: Iterable[Connection]) -> tuple[Connection, ...]:
    """The connections, with remote services marked where they have several origins."""
    remote = {each.name: each.target for each in connections if each.kind == "deployment"}
    several = len({origin(target) for target in remote.values() if target}) > 1
    return tuple(
        replace(each, is_one_of_several=several and each.name in remote) for each in connections
    )


def _parse(name: str, entry: object, source: Source) -> Connection:
    """A connection of an address, a folder, or a table with `url` or `survey`, and `title`."""
    if isinstance(entry, str):
        entry = {"url" if _is_address(entry) else "survey": entry}
    if not isinstance(entry, Mapping):
        raise ConnectionFault("it is an address or a folder, or a table with url or survey.")
    fields = dict(cast("Mapping[str, object]", entry))
    if "panel" in fields and "survey" not in fields:
        fields["survey"] = fields.pop("panel")  # the name in version 1
    unknown = [field for field in fields if field not in _FIELDS]
    if unknown:
        token = " A token does not belong here." if {"token", "password"} & set(unknown) else ""
        raise ConnectionFault(
            f"it has {', '.join(map(repr, unknown))}; what it may have is {', '.join(_FIELDS)}."
            + token
        )
    if ("url" in fields) == ("survey" in fields):
        raise ConnectionFault("it needs one of url and survey.")
    title = str(fields.get("title") or "")
    if "url" in fields:
        return remote_connection(name, fields["url"], source, title)
    return survey_connection(name, fields["survey"], source, title)


def _is_address(target: str) -> bool:
    return target.lower().startswith(("http://", "https://"))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


# -- the user's file -----------------------------------------------------------------------------


def connections_file() -> Path:
    """`AUDIENCELAB_CONNECTIONS`, else `connections.toml` in the configuration folder."""
    named = os.environ.get(CONNECTIONS_VARIABLE)
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("audiencelab", appauthor=False)) / "connections.toml"


def _read(file: Path) -> dict[str, Any]:
    """The entries of the file; `{}` if it does not exist.

    Errors quote nothing of the file: it may hold a token by mistake.
    """
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}."
    except ValueError as error:
        # tomllib ends its message with the position, such as "(at line 1, column 2)".
        where = f" ({str(error).rpartition('(')[2]}" if str(error).endswith(")") else ""
        message = f"{file} is not written as TOML{where}."
    raise ConnectionFault(message)


def add(name: str, target: str, title: str = "", *, replace: bool = False) -> Connection:
    """Write a connection into the user's file and return it; comments stay.

    target: the address of a remote service, or a survey's folder or address, which is opened.
    Raises `ConnectionFault` for a name that is taken, `SurveyError` for a folder without a
    survey, and `ConnectionChoiceError` for an address that is not valid.
    """
    file = connections_file()
    if name in (DEMO, ENVIRONMENT):
        raise ConnectionFault(f"{name!r} is the name of a connection that is always there.")
    if name in _read(file) and not replace:
        raise ConnectionFault(f"{name!r} exists already; --replace replaces it.")
    if _is_address(target):
        made = remote_connection(name, target, "file", title)
        entry = {"url": made.location}
    else:
        from audiencelab.client.transports.embedded import open_survey

        made = survey_connection(name, target, "file", title)
        open_survey(made.location)
        entry = {"survey": made.location}
    _edit(file, name, entry | ({"title": title} if title else {}))
    return made


def remove(name: str) -> None:
    """Remove a connection from the user's file; `ConnectionFault` if it is not there."""
    file = connections_file()
    if name not in _read(file):
        raise ConnectionFault(f"{file} names no connection {name!r}.")
    _edit(file, name, None)


def _edit(file: Path, name: str, entry: dict[str, str] | None) -> None:
    """Set or remove one entry of the file."""
    import tomlkit

    document = tomlkit.parse(file.read_text("utf-8") if file.exists() else "")
    if name in document:
        del document[name]
    if entry is not None:
        document[name] = entry
    make_folder(file.parent)
    put(file, tomlkit.dumps(document).encode(), private=True)
