"""Which service `connect()` means: exactly one of an address, a survey and a snapshot.

Arguments outrank the environment; with neither it is the demo survey. Nothing is opened here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, NamedTuple

from audiencelab.client.errors import ConnectionChoiceError

BASE_URL_VARIABLE = "AUDIENCELAB_BASE_URL"
TOKEN_VARIABLE = "AUDIENCELAB_TOKEN"
SURVEY_VARIABLE = "AUDIENCELAB_SURVEY"
SNAPSHOT_VARIABLE = "AUDIENCELAB_SNAPSHOT"
STORE_VARIABLE = "AUDIENCELAB_STORE"

CHOICES = f"""Choose one:
  connect()                            the embedded service on the demo survey
  connect(survey="folder")             the embedded service on your own survey
  connect(snapshot="file")             what was recorded, with no service at all
  connect("https://…", token="…")      a remote service
or set {SURVEY_VARIABLE}, {SNAPSHOT_VARIABLE}, or {BASE_URL_VARIABLE} and {TOKEN_VARIABLE}."""

Kind = Literal["base_url", "survey", "snapshot"]

_VARIABLES: dict[Kind, str] = {
    "base_url": BASE_URL_VARIABLE,
    "survey": SURVEY_VARIABLE,
    "snapshot": SNAPSHOT_VARIABLE,
}
_DEFAULT_PORTS = {"http": 80, "https": 443}


class ServiceTarget(NamedTuple):
    """The kind of service and its address, folder or file; `value` is None for the demo survey."""

    kind: Kind
    value: Any


def choose(*, base_url: Any, survey: Any, snapshot: Any) -> ServiceTarget:
    """The one service that is meant. Raises `ConnectionChoiceError` if more than one is given."""
    given: dict[Kind, Any] = {"base_url": base_url, "survey": survey, "snapshot": snapshot}
    # A variable that is set and empty counts as not set.
    from_environment: dict[Kind, Any] = {
        kind: os.environ.get(name) or None for kind, name in _VARIABLES.items()
    }
    for places, names in ((given, {kind: kind for kind in given}), (from_environment, _VARIABLES)):
        found = [ServiceTarget(kind, value) for kind, value in places.items() if value is not None]
        if len(found) > 1:
            listed = " and ".join(names[each.kind] for each in found)
            raise ConnectionChoiceError(
                f"connect() takes one service; got {len(found)}: {listed}.\n{CHOICES}"
            )
        if found:
            return found[0]
    return ServiceTarget("survey", None)


def choose_store(store: str | Path | None) -> str | Path | None:
    """The file in which the embedded service stores charts and audiences; None for none."""
    return os.environ.get(STORE_VARIABLE) or None if store is None else store


def checked_address(base_url: Any) -> str:
    """The address of a service. Raises `ConnectionChoiceError`, which does not quote it."""
    # No frame of the error holds the address in the open: it may hold a password.
    address, error = _read_address(base_url)
    if error:
        raise ConnectionChoiceError(error)
    return address


def _read_address(base_url: Any) -> tuple[str, str]:
    """The normalised address, and what is wrong with it or `""`."""
    from audiencelab.client.transports.http import URL, InvalidURL

    # A `Secret` shows dots as `str(…)`, and a `Path` is judged by its text.
    given = str.__str__(base_url) if isinstance(base_url, str) else str(base_url)
    try:
        url = URL(given)
    except InvalidURL:
        url = URL("")
    error = ""
    if not url.scheme and given.startswith(("https://", "http://")):
        error = (
            "The base URL is not valid: it is https://, a host name and, unless the port is the "
            "default, a colon and its number: https://survey.example:8443"
        )
    elif url.scheme not in ("http", "https") or not url.host:
        line = "al.connect()" if given.casefold() == "demo" else f"al.open({given!r})"
        own = f"For a survey folder write connect(survey=…), for a file or frame: Write {line}."
        hint = "" if url.userinfo else own
        error = f"The base URL must begin with https:// and name a host.\n{CHOICES}\n{hint.strip()}"
    elif url.userinfo:
        error = (
            "The base URL holds a user name or password. Take it out and give the credential as "
            f"token=…, or in {TOKEN_VARIABLE}."
        )
    elif url.query or url.fragment:
        error = "The base URL must end before '?' and '#'."
    return "" if error else str(url), error


def origin(address: str) -> str:
    """Scheme, host and port of an address: what a credential belongs to."""
    from audiencelab.client.transports.http import URL

    url = URL(address)
    host = f"[{url.host}]" if ":" in url.host else url.host
    default = _DEFAULT_PORTS.get(url.scheme)
    port = url.port or default
    return f"{url.scheme}://{host}{'' if port == default else f':{port}'}"
