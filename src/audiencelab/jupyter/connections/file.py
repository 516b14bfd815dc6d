"""The user's own file of connections: `connections.toml` in the folder of settings.

    [team]
    url = "https://research.example"
    title = "Team survey"

    [survey]
    survey = "/home/ada/surveys/2025"

No credential has a place in it: a token belongs to an address and stands where `connect()` looks.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from audiencelab.errors import AudienceError
from audiencelab.files import make_folder, put
from audiencelab.flags import flag
from audiencelab.jupyter.connections import places
from audiencelab.jupyter.connections.places import Connection, ConnectionFault, Source

__all__ = [
    "CONNECTIONS_VARIABLE",
    "add",
    "connections_file",
    "connections_in",
    "read",
    "remove",
]

CONNECTIONS_VARIABLE = "AUDIENCELAB_CONNECTIONS"

_FIELDS = ("url", "survey", "title")


def connections_file() -> Path:
    """The file: `AUDIENCELAB_CONNECTIONS`, else `connections.toml` in the configuration folder."""
    named = os.environ.get(CONNECTIONS_VARIABLE)
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("audiencelab", appauthor=False)) / "connections.toml"


def read(file: Path) -> dict[str, Any]:
    """The entries of the file, not looked at yet; none where there is no file.

    Raises `ConnectionFault` for a file that cannot be read or is not TOML; its words quote nothing
    of the file, since somebody may have put a token there all the same.
    """
    try:
        with file.open("rb") as opened:
            return tomllib.load(opened)
    except FileNotFoundError:
        return {}
    except OSError as error:
        fault = f"{file} cannot be read: {error.strerror}."
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        where = f" ({str(error).rpartition('(')[2]}" if str(error).endswith(")") else ""
        fault = f"{file} is not written as TOML{where}."
    raise ConnectionFault(fault)


def connections_in(
    entries: Mapping[str, Any], source: Source
) -> tuple[list[Connection], list[str]]:
    """The connections that entries name, and in words what is wrong with the others.

    An entry is an address or a folder, or a table with `url` or `survey`, and a `title`.
    """
    found: list[Connection] = []
    problems: list[str] = []
    for name, entry in entries.items():
        try:
            found.append(_connection(name, entry, source))
        except AudienceError as error:
            # The first line says it; those that follow explain connect().
            problems.append(f"Connection {name!r}: {str(error).partition(chr(10))[0]}")
    return found, problems


def _connection(name: str, entry: object, source: Source) -> Connection:
    if isinstance(entry, str):
        entry = {"url" if _is_address(entry) else "survey": entry}
    if not isinstance(entry, Mapping):
        raise ConnectionFault("it is an address or a folder, or a table with url or survey.")
    fields = dict(cast("Mapping[str, object]", entry))
    if "panel" in fields and "survey" not in fields:
        # What files of version 1 call it.
        fields["survey"] = fields.pop("panel")
    strange = [field for field in fields if field not in _FIELDS]
    if strange:
        token = " A token does not belong here." if {"token", "password"} & set(strange) else ""
        raise ConnectionFault(
            f"it has {', '.join(map(repr, strange))}; what it may have is {', '.join(_FIELDS)}."
            + token
        )
    if ("url" in fields) == ("survey" in fields):
        raise ConnectionFault("it needs one of url and survey.")
    title = str(fields.get("title") or "")
    if "url" in fields:
        return places.deployment(name, fields["url"], source, title)
    return places.survey(name, fields["survey"], source, title)


def add(name: str, target: str, title: str = "", *, replace: bool = False) -> Connection:
    """Write a connection into the user's file and return it.

    target: an address of a deployment, or a survey's folder or address, which is opened to see that
        it is one. Comments in the file stay, unless a name is replaced.
    Raises `ConnectionFault` for a name that is taken, `SurveyError` for what is no survey, and
    `ConnectionChoiceError` for what is no address.
    """
    flag("replace", replace)
    file = connections_file()
    entries = read(file)
    if name in (places.DEMO, places.ENVIRONMENT):
        raise ConnectionFault(f"{name!r} is the name of a connection that is always there.")
    if name in entries and not replace:
        raise ConnectionFault(f"{name!r} is there already; --replace puts this one in its place.")
    if _is_address(target):
        made = places.deployment(name, target, "file", title)
        entry = {"url": made.place}
    else:
        made = places.survey(name, target, "file", title)
        _check_survey(made.place)
        entry = {"survey": made.place}
    if title:
        entry["title"] = title
    if name in entries:
        _write(file, _dumped({**entries, name: entry}))
    else:
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        gap = "\n" if before and not before.endswith("\n\n") else ""
        _write(file, f"{before}{gap}{_dumped({name: entry})}")
    return made


def remove(name: str) -> None:
    """Take a connection out of the user's file; raises `ConnectionFault` if it is not there."""
    file = connections_file()
    entries = read(file)
    if name not in entries:
        raise ConnectionFault(f"{file} names no connection {name!r}.")
    del entries[name]
    _write(file, _dumped(entries))


def _is_address(target: str) -> bool:
    return target.lower().startswith(("http://", "https://"))


def _check_survey(place: str) -> None:
    from audiencelab.client.transports.embedded import open_survey

    open_survey(place)


def _dumped(entries: Mapping[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps(entries)


def _write(file: Path, text: str) -> None:
    make_folder(file.parent)
    put(file, text.encode(), private=True)
