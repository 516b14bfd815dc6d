"""Which service is meant: exactly one of an address, a panel and a snapshot.

Arguments outrank the environment; with neither it is the demo panel. Nothing is opened here, and
the HTTP library, which knows what an address is, is imported when there is one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, NamedTuple

from audiencelab.client.errors import ConnectionChoiceError

__all__ = [
    "BASE_URL_VARIABLE",
    "CHOICES",
    "PANEL_VARIABLE",
    "SNAPSHOT_VARIABLE",
    "STORE_VARIABLE",
    "TOKEN_VARIABLE",
    "Destination",
    "checked_address",
    "choose",
    "choose_store",
    "origin",
]

BASE_URL_VARIABLE = "AUDIENCELAB_BASE_URL"
TOKEN_VARIABLE = "AUDIENCELAB_TOKEN"
PANEL_VARIABLE = "AUDIENCELAB_PANEL"
SNAPSHOT_VARIABLE = "AUDIENCELAB_SNAPSHOT"
STORE_VARIABLE = "AUDIENCELAB_STORE"

CHOICES = f"""Choose one:
  connect()                            the embedded service on the demo panel
  connect(panel="folder")              the embedded service on your own panel
  connect(snapshot="file")             what was recorded, with no service at all
  connect("https://…", token="…")      a deployment
or set {PANEL_VARIABLE}, {SNAPSHOT_VARIABLE}, or {BASE_URL_VARIABLE} and {TOKEN_VARIABLE}."""

Kind = Literal["base_url", "panel", "snapshot"]

_VARIABLES: dict[Kind, str] = {
    "base_url": BASE_URL_VARIABLE,
    "panel": PANEL_VARIABLE,
    "snapshot": SNAPSHOT_VARIABLE,
}
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Destination(NamedTuple):
    """What kind of place it is, and which; `value` is None for the demo panel."""

    kind: Kind
    value: Any


def choose(*, base_url: Any, panel: Any, snapshot: Any) -> Destination:
    """The one place that is meant. Raises `ConnectionChoiceError` for more than one."""
    given = _present(base_url=base_url, panel=panel, snapshot=snapshot)
    if len(given) > 1:
        raise ConnectionChoiceError(
            f"{_listed(each.kind for each in given)} are {_count(given)}.\n{CHOICES}"
        )
    if not given:
        given = _present(
            **{kind: os.environ.get(name) or None for kind, name in _VARIABLES.items()}
        )
        if len(given) > 1:
            names = _listed(_VARIABLES[each.kind] for each in given)
            raise ConnectionChoiceError(f"{names} are set: {_count(given)}.\n{CHOICES}")
    return given[0] if given else Destination("panel", None)


def choose_store(store: str | Path | None) -> str | Path | None:
    """The file in which the embedded service keeps things; None for none."""
    return os.environ.get(STORE_VARIABLE) or None if store is None else store


def _present(**places: Any) -> list[Destination]:
    kinds: tuple[Kind, ...] = ("base_url", "panel", "snapshot")
    return [Destination(kind, places[kind]) for kind in kinds if places[kind] is not None]


def checked_address(base_url: Any) -> str:
    """The address, if it is one and holds nothing that belongs elsewhere."""
    # No frame of the error holds the address in the open: a password may stand in it.
    address, fault = _read_address(base_url)
    if fault:
        raise ConnectionChoiceError(fault)
    return address


def _read_address(base_url: Any) -> tuple[str, str]:
    """An address as it should be written, and what is wrong with it, or `""`."""
    from audiencelab.client.web.http import URL, InvalidUrl

    # Whatever it is given as, a path for one, it is judged by how it reads.
    given = str.__str__(base_url) if isinstance(base_url, str) else str(base_url)
    try:
        url = URL(given)
    except InvalidUrl:
        url = URL("")
    fault = ""
    if not url.scheme and given.startswith(("https://", "http://")):
        fault = (
            "The base URL cannot be read. It is https://, the name of a host and, where it "
            "has a port of its own, a colon and its number: https://panel.example:8443"
        )
    elif url.scheme not in ("http", "https") or not url.host:
        folder = "" if url.userinfo else " For a panel folder write connect(panel=…)."
        fault = f"The base URL must begin with https:// and name a host.{folder}\n{CHOICES}"
    elif url.userinfo:
        fault = (
            "The base URL holds a user name or password. Take it out and give the credential as "
            f"token=…, or in {TOKEN_VARIABLE}."
        )
    elif url.query or url.fragment:
        fault = "The base URL must end before '?' and '#'."
    return "" if fault else str(url), fault


def origin(address: str) -> str:
    """Scheme, host and port of an address: what a credential belongs to."""
    from audiencelab.client.web.http import URL

    url = URL(address)
    host = f"[{url.host}]" if ":" in url.host else url.host
    port = url.port or _DEFAULT_PORTS.get(url.scheme)
    tail = "" if port == _DEFAULT_PORTS.get(url.scheme) else f":{port}"
    return f"{url.scheme}://{host}{tail}"


def _listed(names: Any) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}"


def _count(given: list[Destination]) -> str:
    return "two places" if len(given) == 2 else "three places"
