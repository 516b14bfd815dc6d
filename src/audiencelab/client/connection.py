"""`connect()`: from what the caller says, or the environment does, to a client. Nothing more."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audiencelab.client.client import Client
from audiencelab.client.credentials import Secret, TokenAuth
from audiencelab.client.doors.web import WebDoor
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.client.http import URL, HttpClient, InvalidUrl
from audiencelab.client.options import EMBEDDED, Options
from audiencelab.client.session import Session

if TYPE_CHECKING:
    from audiencelab.panel import Panel

__all__ = ["BASE_URL_VARIABLE", "PANEL_VARIABLE", "TOKEN_VARIABLE", "connect"]

BASE_URL_VARIABLE = "AUDIENCELAB_BASE_URL"
TOKEN_VARIABLE = "AUDIENCELAB_TOKEN"
PANEL_VARIABLE = "AUDIENCELAB_PANEL"

CHOICES = f"""Choose one:
  connect()                            the embedded service on the demo panel
  connect(panel="folder")              the embedded service on your own panel
  connect("https://…", token="…")      a deployment
or set {PANEL_VARIABLE}, or {BASE_URL_VARIABLE} and {TOKEN_VARIABLE}."""


def connect(
    base_url: str | None = None,
    *,
    token: str | Callable[[], str] | None = None,
    panel: str | Path | Panel | None = None,
    scheme: str | None = "Bearer",
    allow_insecure: bool = False,
    timeout: float = 60.0,
) -> Client:
    """A client of the service: embedded in this process, or a deployment.

    With no argument, and nothing in the environment, it is the embedded service on the demo
    panel: no account, no network.

    base_url: the address of a deployment; else `AUDIENCELAB_BASE_URL`.
    token: its credential, or a function that gives it for every request; else
        `AUDIENCELAB_TOKEN`. It is never shown, and never sent over plain HTTP except to this
        machine.
    panel: a panel folder (or an open panel) of your own; else `AUDIENCELAB_PANEL`.
    scheme: the word before the token in the Authorization header; None sends the token alone.
    allow_insecure: send the token over plain HTTP to another machine as well.
    timeout: seconds without a byte from the service before a request is given up.

    Raises `ConnectionChoiceError` unless exactly one place is meant, and `PanelError` for a
    folder that holds no panel.
    """
    if isinstance(token, str):
        token = Secret(token)
    base_url, panel = _place(base_url, panel)
    if base_url is None:
        if token is not None:
            raise ConnectionChoiceError(
                "A token belongs to a deployment, and the embedded service needs none.\n" + CHOICES
            )
        return _embedded(panel)
    return _deployment(
        _checked(base_url),
        TokenAuth(
            _credential(token),
            scheme=scheme,
            allow_insecure=allow_insecure,
        ),
        timeout,
    )


def _place(base_url: str | None, panel: Any) -> tuple[str | None, Any]:
    """Exactly one of the two, or neither for the demo panel; arguments outrank the environment."""
    if base_url is not None and panel is not None:
        raise ConnectionChoiceError("base_url and panel are two places.\n" + CHOICES)
    if base_url is not None or panel is not None:
        return base_url, panel
    base_url = os.environ.get(BASE_URL_VARIABLE) or None
    panel = os.environ.get(PANEL_VARIABLE) or None
    if base_url is not None and panel is not None:
        raise ConnectionChoiceError(
            f"{BASE_URL_VARIABLE} and {PANEL_VARIABLE} are both set: two places.\n" + CHOICES
        )
    return base_url, panel


def _embedded(panel: str | Path | Panel | None) -> Client:
    from audiencelab.client.doors import embedded

    if panel is None:
        opened, name = embedded.demo(), "demo panel"
    else:
        opened = embedded.open_panel(panel)
        name = f"panel {opened.path.name}"
    token = Secret(secrets.token_urlsafe(16))
    door = embedded.embed(opened, token)
    session = Session(
        place=name,
        embedded=True,
        base_namespace=opened.catalogue.base_namespace,
        location_question=opened.catalogue.location_question,
        service=door.service,
    )
    return Client(door, session, EMBEDDED)


def _deployment(base_url: str, auth: TokenAuth, timeout: float) -> Client:
    http = HttpClient(
        base_url=base_url,
        auth=auth,
        headers={"user-agent": _user_agent()},
    )
    place = str(http.base_url).rstrip("/")
    return Client(WebDoor(http), Session(place), Options(timeout=timeout))


def _checked(base_url: str) -> str:
    """The address, if it is one and holds nothing that belongs elsewhere."""
    try:
        url = URL(base_url)
    except InvalidUrl:
        url = URL("")
    if url.scheme not in ("http", "https") or not url.host:
        folder = "" if url.userinfo else " For a panel folder write connect(panel=…)."
        raise ConnectionChoiceError(
            f"The base URL must begin with https:// and name a host.{folder}\n" + CHOICES
        )
    if url.userinfo:
        raise ConnectionChoiceError(
            "The base URL holds a user name or password. Take it out and give the credential as "
            f"token=…, or in {TOKEN_VARIABLE}."
        )
    if url.query or url.fragment:
        raise ConnectionChoiceError("The base URL must end before '?' and '#'.")
    return base_url


def _credential(token: Secret | Callable[[], str] | None) -> Secret | Callable[[], str]:
    if token is None:
        token = Secret(os.environ.get(TOKEN_VARIABLE, ""))
    if isinstance(token, Secret) and not token.reveal().strip():
        raise ConnectionChoiceError(
            f"A deployment needs a credential: connect(base_url, token=…), or set {TOKEN_VARIABLE}."
        )
    if isinstance(token, Secret) and not token.reveal().isprintable():
        raise ConnectionChoiceError("The token holds a line break or another control character.")
    return token


def _user_agent() -> str:
    from audiencelab._version import __version__

    return f"audiencelab/{__version__}"
