"""`connect()` and `connect_async()`: from what the caller or the environment says to a client.

Which place is meant is told by `destination`, with which credential by `token_places`, and over
which connections by `web.settings`. Here a door to that place is put together, and nothing more.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET, UnsetType

from audiencelab.client.async_client import AsyncClient
from audiencelab.client.client import Client
from audiencelab.client.connecting.destination import (
    CHOICES,
    Destination,
    checked_address,
    choose,
    choose_store,
)
from audiencelab.client.connecting.token_places import find_credential
from audiencelab.client.credentials import Secret, Supplier, Veiled
from audiencelab.client.doors import AsyncDoor, Door, ThreadedDoor
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.client.options import EMBEDDED, Options, change_options
from audiencelab.client.session import DEMO_PLACE, INCLUDE_PARAMETER, Session
from audiencelab.client.snapshots import REPLAY, open_replay, replayed_session
from audiencelab.flags import flag

if TYPE_CHECKING:
    from distributed import Client as DaskClient
    from distributed.security import Security

    from audiencelab.panel import Panel

__all__ = ["connect", "connect_async"]


def connect(
    base_url: str | None = None,
    *,
    token: str | Callable[[], str] | None = None,
    panel: str | Path | Panel | None = None,
    snapshot: str | Path | None = None,
    store: str | Path | None = None,
    engine: DaskClient | str | None = None,
    security: Security | None = None,
    allow_insecure_scheduler: bool = False,
    scheme: str | None = "Bearer",
    allow_insecure: bool = False,
    timeout: float | UnsetType | None = UNSET,
    deadline: float | UnsetType | None = UNSET,
    retries: int | UnsetType = UNSET,
    headers: Mapping[str, str] | None = None,
    max_body: int | UnsetType = UNSET,
    location_question: str | None = None,
    include_parameter: str | None = None,
    user_agent: str | None = None,
    http: Mapping[str, Any] | None = None,
) -> Client:
    """A client of the service: embedded in this process, a deployment, or a recording of either.

    With no argument, and nothing in the environment, it is the embedded service on the demo
    panel: no account, no network.

    base_url: the address of a deployment; else `AUDIENCELAB_BASE_URL`.
    token: its credential, or a function that gives it for every request. Else it is looked for in
        `AUDIENCELAB_TOKEN`, in what a server of your own on this machine left for you, in your
        file of tokens, in the keyring, and at last you are asked. It is never shown, and never
        sent over plain HTTP except to this machine.
    panel: a panel of your own: its folder, an address such as `"s3://bucket/panel"`, or an open
        panel; else `AUDIENCELAB_PANEL`.
    snapshot: a file made by `client.recording()` to answer from; else `AUDIENCELAB_SNAPSHOT`.
    store: a file in which the embedded service keeps charts and saved audiences; else
        `AUDIENCELAB_STORE`. Without either they live as long as the client.
    engine: where the embedded service adds up tables: a `dask.distributed` client, or a scheduler's
        address such as `"tls://10.0.0.1:8786"`; without it on this machine.
    security: the certificates for a scheduler's address that begins with `tls://`, as a
        `distributed.Security`; by default those of Dask's configuration.
    allow_insecure_scheduler: connect to a scheduler on another machine without TLS. Anyone who
        can reach that scheduler can then run code in this process.
    scheme: the word before the token in the Authorization header; None sends the token alone.
    allow_insecure: send the token over plain HTTP to another machine as well.
    timeout: seconds without a byte from the service before an attempt is given up; 60 for a
        deployment. None means no end.
    deadline: seconds for a whole call, with all its attempts; 600 for a deployment. None means no
        end.
    retries: attempts after the first; 2.
    headers: sent with every request besides the client's own.
    max_body: bytes that an answer may take once its compression is undone; 64 MiB for a
        deployment. It may hold an item for every 16 of them. Crosstab streams have no such limit.
    location_question: the code of the question whose datapoints are a deployment's locations.
        Else it is the one that its catalogue marks with the flag "location", or `s2`.
    include_parameter: how a deployment calls the query parameter that lists the relationships of
        a question or a category; "include".
    user_agent: what your own program calls itself, put before the client's name: `"my-tool/1.0"`.
    http: settings of the HTTP library, httpx: `proxy`, `verify`, `cert`, `limits`, `mounts`,
        `http1`, `http2`, `trust_env`.

    Raises `ConnectionChoiceError` unless exactly one place is meant and its credential is found,
    `PanelError` for a folder or an address that holds no panel, `ClusterError` for an engine that
    cannot be used, `SnapshotError` for a file that is no snapshot, `StoreError` for one that is no
    store, and `ValueError` or `TypeError` for times, retries and headers that cannot be.
    """
    base_url, token, headers, http = _veiled(base_url, token, headers, http)
    way = _way(
        choose(base_url=base_url, panel=panel, snapshot=snapshot),
        _Manner(
            token=token,
            store=store,
            engine=engine,
            security=security,
            allow_insecure_scheduler=flag("allow_insecure_scheduler", allow_insecure_scheduler),
            scheme=scheme,
            allow_insecure=allow_insecure,
            timeout=timeout,
            deadline=deadline,
            retries=retries,
            headers=headers,
            max_body=max_body,
            location_question=location_question,
            include_parameter=include_parameter,
            user_agent=user_agent,
            http=http,
        ),
    )
    return Client(way.door(), way.session, way.options)


def connect_async(
    base_url: str | None = None,
    *,
    token: str | Callable[[], str] | None = None,
    panel: str | Path | Panel | None = None,
    snapshot: str | Path | None = None,
    store: str | Path | None = None,
    engine: DaskClient | str | None = None,
    security: Security | None = None,
    allow_insecure_scheduler: bool = False,
    scheme: str | None = "Bearer",
    allow_insecure: bool = False,
    timeout: float | UnsetType | None = UNSET,
    deadline: float | UnsetType | None = UNSET,
    retries: int | UnsetType = UNSET,
    headers: Mapping[str, str] | None = None,
    max_body: int | UnsetType = UNSET,
    location_question: str | None = None,
    include_parameter: str | None = None,
    user_agent: str | None = None,
    http: Mapping[str, Any] | None = None,
) -> AsyncClient:
    """The same client for `await`, with the same arguments and errors as `connect()`.

    It is no coroutine, since nothing is asked yet: `async with connect_async() as client:`, or in
    a notebook `client = connect_async()` and `await client.stats(…)`.
    """
    base_url, token, headers, http = _veiled(base_url, token, headers, http)
    way = _way(
        choose(base_url=base_url, panel=panel, snapshot=snapshot),
        _Manner(
            token=token,
            store=store,
            engine=engine,
            security=security,
            allow_insecure_scheduler=flag("allow_insecure_scheduler", allow_insecure_scheduler),
            scheme=scheme,
            allow_insecure=allow_insecure,
            timeout=timeout,
            deadline=deadline,
            retries=retries,
            headers=headers,
            max_body=max_body,
            location_question=location_question,
            include_parameter=include_parameter,
            user_agent=user_agent,
            http=http,
        ),
    )
    return AsyncClient(way.async_door(), way.session, way.options)


@dataclass(frozen=True, slots=True)
class _Manner:
    """How to connect, as asked: `connect()`'s arguments, with what is secret veiled."""

    token: Any
    store: str | Path | None
    engine: DaskClient | str | None
    security: Security | None
    allow_insecure_scheduler: bool
    scheme: str | None
    allow_insecure: bool
    timeout: float | UnsetType | None
    deadline: float | UnsetType | None
    retries: int | UnsetType
    headers: Mapping[str, str] | None
    max_body: int | UnsetType
    location_question: str | None
    include_parameter: str | None
    user_agent: str | None
    http: Mapping[str, Any] | None

    def options(self, usual: Options) -> Options:
        """The options of a client whose usual ones these are."""
        try:
            return change_options(
                usual,
                timeout=self.timeout,
                deadline=self.deadline,
                retries=self.retries,
                headers=UNSET if self.headers is None else self.headers,
                max_body=self.max_body,
            )
        except (TypeError, ValueError) as error:
            # Its frames hold the value of the header that they complain of.
            failure = error.with_traceback(None)
        raise failure


@dataclass(frozen=True, slots=True)
class _Way:
    """What a client is made of; a door is made when it is known which kind is wanted."""

    session: Session
    options: Options
    door: Callable[[], Door]
    async_door: Callable[[], AsyncDoor]


def _veiled(base_url: Any, token: Any, headers: Any, http: Any) -> tuple[Any, Any, Any, Any]:
    """The same arguments as a traceback may show them, before anything can go wrong with them."""
    if isinstance(base_url, str) and "@" in base_url:
        base_url = Secret(base_url)
    if isinstance(token, str):
        token = Secret(token)
    elif callable(token):
        token = Supplier(cast(Callable[[], str], token))
    return base_url, token, _veiled_values(headers), _veiled_values(http)


def _veiled_values(given: Any) -> Any:
    return Veiled(cast(Mapping[str, Any], given)) if isinstance(given, Mapping) else given


def _way(destination: Destination, manner: _Manner) -> _Way:
    if manner.store is not None and destination.kind != "panel":
        raise ConnectionChoiceError(
            f"A store is the embedded service's; what is saved elsewhere stays there.\n{CHOICES}"
        )
    if manner.engine is not None and destination.kind != "panel":
        raise ConnectionChoiceError(
            f"An engine adds up the embedded service's tables, and nobody else's.\n{CHOICES}"
        )
    if manner.engine is None and (manner.security is not None or manner.allow_insecure_scheduler):
        raise ConnectionChoiceError(
            "security and allow_insecure_scheduler need engine=, the address of a scheduler."
        )
    if destination.kind == "base_url":
        return _deployment(checked_address(destination.value), manner)
    place = _NAMES[destination.kind]
    if manner.token is not None:
        raise ConnectionChoiceError(
            f"A token belongs to a deployment, and {place} needs none.\n{CHOICES}"
        )
    if manner.http is not None:
        raise ConnectionChoiceError(
            f"Settings in http=… belong to a deployment; {place} opens no connection.\n{CHOICES}"
        )
    if manner.location_question is not None or manner.include_parameter is not None:
        raise ConnectionChoiceError(
            "location_question=… and include_parameter=… belong to a deployment; of "
            f"{place} they are known.\n{CHOICES}"
        )
    build = _recorded if destination.kind == "snapshot" else _embedded
    return build(destination.value, manner)


_NAMES = {"panel": "the embedded service", "snapshot": "a snapshot"}


def _embedded(panel: str | Path | Panel | None, manner: _Manner) -> _Way:
    from audiencelab.client.doors import embedded

    # Before a store or a cluster is opened, which nobody would close.
    options = manner.options(EMBEDDED)
    if panel is None:
        opened, name = embedded.demo(), DEMO_PLACE
    else:
        opened = embedded.open_panel(panel)
        name = f"panel {opened.folder.name}"
    token, store = Secret(secrets.token_urlsafe(16)), choose_store(manner.store)
    door = embedded.embed(
        opened,
        token,
        store,
        manner.engine,
        security=manner.security,
        allow_insecure_scheduler=manner.allow_insecure_scheduler,
    )
    session = Session(
        place=name,
        embedded=True,
        base_namespace=opened.catalogue.base_namespace,
        location_question=opened.catalogue.location_question,
        weight=opened.manifest.weight,
        service=door.service,
    )
    return _Way(session, options, lambda: door, lambda: ThreadedDoor(door))


def _recorded(snapshot: str | Path, manner: _Manner) -> _Way:
    door, _ = open_replay(snapshot)
    session = replayed_session(door.snapshot)
    return _Way(session, manner.options(REPLAY), lambda: door, lambda: ThreadedDoor(door))


def _deployment(base_url: str, manner: _Manner) -> _Way:
    # The HTTP library takes longer to import than a table of the embedded service to count.
    from audiencelab.client.doors.web import AsyncWebDoor, WebDoor
    from audiencelab.client.web.auth import TokenAuth
    from audiencelab.client.web.http import AsyncHttpClient, HttpClient
    from audiencelab.client.web.settings import HttpSettings, open_http

    flag("allow_insecure", manner.allow_insecure)
    _check_header_word("scheme", manner.scheme)
    _check_header_word("user_agent", manner.user_agent)
    settings = HttpSettings(manner.http, base_url, allow_insecure=manner.allow_insecure)
    credential = find_credential(manner.token, base_url)
    options = manner.options(Options(credential=credential.source))
    auth = TokenAuth(credential.token, scheme=manner.scheme, allow_insecure=manner.allow_insecure)
    agent = _user_agent(manner.user_agent)
    session = Session(
        base_url.rstrip("/"),
        location_question=_named("location_question", manner.location_question),
        include_parameter=_named("include_parameter", manner.include_parameter)
        or INCLUDE_PARAMETER,
    )
    return _Way(
        session,
        options,
        lambda: WebDoor(
            open_http(HttpClient, base_url, auth=auth, user_agent=agent, settings=settings)
        ),
        lambda: AsyncWebDoor(
            open_http(AsyncHttpClient, base_url, auth=auth, user_agent=agent, settings=settings)
        ),
    )


def _named(name: str, given: str | None) -> str:
    """A code or a name of the service's, or `""`."""
    if given is None:
        return ""
    if not isinstance(given, str) or not given.isprintable() or not given.strip():  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise ConnectionChoiceError(f"{name} must be a str that is not empty; got {given!r}.")
    return given


def _check_header_word(name: str, word: str | None) -> None:
    if word is None:
        return
    if not isinstance(word, str) or not (word.isascii() and word.isprintable() and word.strip()):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise ConnectionChoiceError(f"{name} goes into a header: plain printable text, or None.")


def _user_agent(own: str | None) -> str:
    from audiencelab._version import __version__

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{f'{own} ' if own else ''}audiencelab/{__version__} python/{python}"
