"""Where connections are named: built in, the environment, the server's configuration, the file.

The first to name one has it; what is named again or wrongly is told in words and left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from audiencelab.client.connection.target import Target, choose, origin
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections import file, places
from audiencelab.jupyter.connections.places import Connection, Source

__all__ = ["Listing", "known"]


@dataclass(frozen=True, slots=True)
class Listing:
    """Connections in the order in which they are offered; `default` names the one to begin with.

    problems: what is named in a way that cannot be used, each in a sentence.
    """

    connections: tuple[Connection, ...]
    default: str
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> Connection | None:
        """The connection of a name; None if there is none."""
        return next((each for each in self.connections if each.name == name), None)


def known(configured: Mapping[str, Any] | None = None) -> Listing:
    """All connections that are named outside a request.

    configured: entries of the server's configuration, in the form of those of the file.
    """
    found: dict[str, Connection] = {}
    problems: list[str] = []
    environment, fault = _environment()
    problems += [fault] if fault else []
    found[places.DEMO] = places.demo(is_default=environment is None and not fault)
    if environment is not None:
        found[environment.name] = environment
    for source, entries in _named(configured or {}, problems):
        connections, faults = file.connections_in(entries, source)
        problems += faults
        for each in connections:
            if each.name in found:
                other = found[each.name].source
                problems.append(f"Connection {each.name!r} is named twice; {other} has it.")
            else:
                found[each.name] = each
    default = places.DEMO if environment is None else environment.name
    return Listing(_told_apart(found.values()), default, tuple(problems))


def _told_apart(connections: Collection[Connection]) -> tuple[Connection, ...]:
    """The connections, with deployments marked where there are several that want a credential."""
    origins = {
        origin(each.target) for each in connections if each.kind == "deployment" and each.target
    }
    several = len(origins) > 1
    return tuple(
        replace(each, is_one_of_several=several and each.kind == "deployment")
        for each in connections
    )


def _named(
    configured: Mapping[str, Any], problems: list[str]
) -> list[tuple[Source, Mapping[str, Any]]]:
    entries: Mapping[str, Any] = {}
    try:
        entries = file.read(file.connections_file())
    except AudienceError as error:
        problems.append(str(error))
    return [("configuration", configured), ("file", entries)]


def _environment() -> tuple[Connection | None, str]:
    """What `connect()` with no argument leads to, unless that is the demo survey."""
    try:
        meant = choose(base_url=None, survey=None, snapshot=None)
        return _of_environment(meant), ""
    except ConnectionChoiceError as error:
        return None, f"The environment: {str(error).partition(chr(10))[0]}"


def _of_environment(meant: Target) -> Connection | None:
    if meant.value is None:
        return None
    name, title = places.ENVIRONMENT, "Set for this server"
    if meant.kind == "base_url":
        made = places.deployment(name, meant.value, "environment", title)
    elif meant.kind == "survey":
        made = places.survey(name, meant.value, "environment")
    else:
        place = str(Path(meant.value).expanduser().absolute())
        title = Path(place).name
        return Connection(name, "snapshot", title, place, "al.connect()", "environment", place)
    # Kernels inherit the environment, and a notebook that names no place moves more easily.
    return Connection(
        made.name, made.kind, made.title, made.place, "al.connect()", "environment", made.target
    )
