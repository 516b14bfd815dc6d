"""`connect()` and `connect_async()`: a client of an embedded, remote or recorded service."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType

from audiencelab.browser import IN_BROWSER
from audiencelab.client.async_client import AsyncClient
from audiencelab.client.client import Client
from audiencelab.client.connection.credential_chain import find_credential
from audiencelab.client.connection.source import OpenedAs, open_source
from audiencelab.client.connection.target import (
    CHOICES,
    Kind,
    checked_address,
    choose,
    choose_store,
)
from audiencelab.client.context import DEMO_PLACE, INCLUDE_PARAMETER, ClientContext, names_to_know
from audiencelab.client.credentials import HiddenValues, Secret
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.client.names import WavesLike
from audiencelab.client.noting import note_connection
from audiencelab.client.options import EMBEDDED, ClientOptions, change_options
from audiencelab.client.snapshots.format import SnapshotError
from audiencelab.client.snapshots.replay import REPLAY, open_replay, replayed_context
from audiencelab.client.transports.base import Transport
from audiencelab.flags import flag
from audiencelab.keywords import fields_of
from audiencelab.results.undefined import checked_fewest
from audiencelab.schema.scope import DEFAULT_SCOPE, BaseOf

if TYPE_CHECKING:
    from distributed import Client as DaskClient
    from distributed.security import Security

    from audiencelab.survey import Survey


@dataclass(slots=True)
class ConnectArguments:
    """The arguments of `connect()` and `connect_async()`, documented there."""

    base_url: str | None = None
    _: KW_ONLY
    token: str | Callable[[], str] | None = None
    survey: str | Path | Survey | None = None
    snapshot: str | Path | None = None
    store: str | Path | None = None
    engine: DaskClient | str | None = None
    security: Security | None = None
    allow_insecure_scheduler: bool = False
    scheme: str | None = "Bearer"
    allow_insecure: bool = False
    timeout: float | UnsetType | None = UNSET
    deadline: float | UnsetType | None = UNSET
    retries: int | UnsetType = UNSET
    headers: Mapping[str, str] | None = None
    max_body: int | UnsetType = UNSET
    waves: WavesLike | UnsetType = UNSET
    weight: str | UnsetType | None = UNSET
    base_of: BaseOf | None = None
    minimum_base: int = 0
    location_question: str | None = None
    include_parameter: str | None = None
    user_agent: str | None = None
    http: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        # Before anything can raise: a verbose traceback prints the locals of every frame.
        if isinstance(self.base_url, str) and "@" in self.base_url:
            self.base_url = Secret(self.base_url)
        if isinstance(self.token, str):
            self.token = Secret(self.token)
        if isinstance(self.headers, Mapping):
            self.headers = HiddenValues(self.headers)
        if isinstance(self.http, Mapping):
            self.http = HiddenValues(self.http)
        self.minimum_base = int(checked_fewest(self.minimum_base, "minimum_base"))

    def options(self, usual: ClientOptions) -> ClientOptions:
        """The client's options, where `usual` are those of its kind of service."""
        return change_options(
            usual,
            timeout=self.timeout,
            deadline=self.deadline,
            retries=self.retries,
            headers=UNSET if self.headers is None else self.headers,
            max_body=self.max_body,
            waves=self.waves,
            base_of=UNSET if self.base_of is None else self.base_of,
        )


# The name that Python gives the function where there are too many arguments.
ConnectArguments.__init__.__qualname__ = "connect"


@fields_of(ConnectArguments)
def connect(arguments: ConnectArguments) -> Client:
    """Connect to a service: the embedded one of this process, a remote one or a recording.

    Without arguments, and with nothing in the environment, it is the embedded service on the demo
    survey, which needs no account and no network.

    base_url: the address of a remote service; default `AUDIENCELAB_BASE_URL`. A file, a folder or
        a frame is opened as `al.open` does.
    token: the service's credential, or a function that returns it for each request, and once more
        where the service answers 401. By default it is read from `AUDIENCELAB_TOKEN`, from the
        file of a server that you run on this machine, from your token file, from the keyring, and
        last from a prompt. It is never shown, and never sent over plain HTTP except to this
        machine.
    survey: a survey of your own: its folder, an address such as `"s3://bucket/survey"`, or an open
        `Survey`; default `AUDIENCELAB_SURVEY`.
    snapshot: a file written by `client.recording()` to answer from; default `AUDIENCELAB_SNAPSHOT`.
    store: the file in which the embedded service stores charts and saved audiences; default
        `AUDIENCELAB_STORE`. Without either they last as long as the client.
    engine: a `dask.distributed` client, or a scheduler's address such as `"tls://10.0.0.1:8786"`,
        that computes the tables of the embedded service; by default this process does.
    security: the certificates for a `tls://` address of a scheduler, a `distributed.Security`;
        default: those of Dask's configuration.
    allow_insecure_scheduler: connect to a scheduler on another machine without TLS. Anyone who
        can reach that scheduler can then run code in this process.
    scheme: the word before the token in the Authorization header; None sends the token alone.
    allow_insecure: send the token over plain HTTP to another machine as well.
    timeout: seconds without a byte from the service until an attempt ends; 60 for a remote
        service. None means no limit.
    deadline: seconds for a whole call with all its attempts; 600 for a remote service. None means
        no limit.
    retries: attempts after the first; default 2.
    headers: sent with every request in addition to the client's own.
    max_body: bytes of a decompressed response; 64 MiB for a remote service. A response may hold
        one item for every 16 bytes of it. Crosstab streams are not limited.
    waves: the waves of every call that names none: codes, names, a year ("2025"), "latest 4" or
        "all". By default those of the survey: all waves of one that was imported, else the latest 4
        waves for crosstabs and all waves for everything else; a snapshot has those of the client
        that recorded it.
    weight: the weight of every call, by its name in the survey; None counts every respondent as
        one. The survey must be in this process, or a snapshot of it; a snapshot has by default the
        weight of the client that recorded it.
    base_of: who of the base counts in a cell of every call that does not name it, "valid" or
        "everyone", as for `client.crosstab`. By default what the survey says.
    minimum_base: figures that count, or rest on, fewer respondents (but at least one) are withheld,
        as `serve` does it for others: from tables, files, charts and recordings. Respondents, open
        answers, the design and TURF are then refused. The survey must be in this process, or a
        snapshot that was recorded with as many.
    location_question: the code of the question whose datapoints are a remote service's locations.
        Default: the one that its catalogue marks with the flag "location", or `s2`.
    include_parameter: the query parameter with which a remote service takes the relationships of a
        question or a category; default "include".
    user_agent: the name of your own program, sent before the client's: `"my-tool/1.0"`.
    http: settings of the HTTP library, httpx: `proxy`, `verify`, `cert`, `limits`, `mounts`,
        `http1`, `http2`, `trust_env`.

    Raises `ConnectionChoiceError` if several services are given or no credential is found,
    `SurveyError` if a folder or an address does not hold a survey, `ClusterError` for an engine
    that cannot be used, `SnapshotError` or `StoreError` for a file of another kind, and
    `ValueError` or `TypeError` for invalid times, retries and headers.

    >>> client = al.connect(waves="latest 4")  # doctest: +SKIP
    """
    connection = connection_of(arguments)
    return Client(connection.transport, connection.context, connection.options)


@fields_of(ConnectArguments)
def connect_async(arguments: ConnectArguments) -> AsyncClient:
    """The same client for `await`, with the same arguments and errors as `connect()`.

    It is not a coroutine, since it sends no request: `async with connect_async() as client:`, or
    in a notebook `client = connect_async()` and `await client.stats(…)`.

    >>> import asyncio
    >>> async def ages():
    ...     async with al.connect_async() as client:
    ...         return await client.stats("Age", waves="latest 4")
    >>> asyncio.run(ages())
    <StatsResult q4: 7 datapoints, 7 rows, 4 waves: Q1 2025 to Q4 2025, weighted>
    """
    connection = connection_of(arguments)
    return AsyncClient(Client(connection.transport, connection.context, connection.options))


@dataclass(frozen=True, slots=True)
class ClientParts:
    """What a client is made of."""

    context: ClientContext
    options: ClientOptions
    transport: Transport


_KINDS: dict[Kind, str] = {
    "base_url": "a remote service",
    "survey": "the embedded service",
    "snapshot": "a snapshot",
}
_ONLY_FOR: dict[str, Kind] = {
    "token": "base_url",
    "http": "base_url",
    "location_question": "base_url",
    "include_parameter": "base_url",
    "store": "survey",
    "engine": "survey",
}
"""The arguments that only one kind of service has a use for."""


def connection_of(arguments: ConnectArguments) -> ClientParts:
    """What a client of the chosen service is made of; raises as `connect()`."""
    if _is_source(arguments.base_url):
        # One source, which its own snapshot may answer for.
        choose(base_url=arguments.base_url, survey=arguments.survey, snapshot=None)
        source = open_source(arguments.base_url, {}, arguments.snapshot, quiet=False)
        return connection_to(source, arguments)
    target = choose(
        base_url=arguments.base_url, survey=arguments.survey, snapshot=arguments.snapshot
    )
    for name, kind in _ONLY_FOR.items():
        if target.kind != kind and getattr(arguments, name) is not None:
            raise ConnectionChoiceError(
                f"{name} only applies to {_KINDS[kind]}, and this is {_KINDS[target.kind]}.\n"
                f"{CHOICES}"
            )
    if arguments.minimum_base and target.kind == "base_url":
        raise ConnectionChoiceError(
            f"minimum_base={arguments.minimum_base} only applies to a survey in this process; a "
            "remote service has its own. Leave it out."
        )
    flag("allow_insecure_scheduler", arguments.allow_insecure_scheduler)
    flag("allow_insecure", arguments.allow_insecure)
    if arguments.engine is None and (arguments.security or arguments.allow_insecure_scheduler):
        raise ConnectionChoiceError(
            "security and allow_insecure_scheduler need engine=, the address of a scheduler."
        )
    if target.kind == "base_url":
        made = _remote(checked_address(target.value), arguments)
    elif target.kind == "snapshot":
        made = _recorded(target.value, arguments)
    else:
        made = _embedded(target.value, arguments)
    note_connection(str(made.context), made.context.snapshot)
    if arguments.weight is UNSET:
        return made
    own = replace(made.options.scope, weight=made.context.chosen_weight(arguments.weight))
    return replace(made, options=made.options.with_scope(own))


def _is_source(given: Any) -> bool:
    """Whether what was given in place of an address is a file, a folder or a frame."""
    if isinstance(given, str | Path):
        return not isinstance(given, Secret) and Path(given).exists()
    return hasattr(given, "columns")


def connection_to(source: OpenedAs, arguments: ConnectArguments) -> ClientParts:
    """What a client of an opened source is made of, or of the snapshot that answers for it."""
    chosen = replace(
        arguments,
        base_url=None,
        survey=source.survey,
        snapshot=source.snapshot,
        waves=source.waves if arguments.waves is UNSET else arguments.waves,
        weight=source.weight if arguments.weight is UNSET else arguments.weight,
    )
    made = connection_of(chosen)
    made.context.source, made.context.opened = source.recorded, source.code
    return made


def _embedded(survey: str | Path | Survey | None, arguments: ConnectArguments) -> ClientParts:
    from audiencelab.client.transports import embedded

    # Errors in these must be raised before a store or a cluster is opened.
    options = arguments.options(EMBEDDED)
    if survey is None:
        opened, name = embedded.demo(), DEMO_PLACE
    else:
        opened = embedded.open_survey(survey)
        name = opened.folder.name
        name = name if name.startswith("survey") else f"survey {name}"
    token, store = Secret(secrets.token_urlsafe(16)), choose_store(arguments.store)
    transport = embedded.embed(
        opened,
        token,
        store,
        arguments.engine,
        minimum_base=arguments.minimum_base,
        security=arguments.security,
        allow_insecure_scheduler=arguments.allow_insecure_scheduler,
    )
    context = ClientContext(
        place=name,
        embedded=True,
        base_namespace=opened.catalogue.base_namespace,
        location_question=opened.catalogue.location_question,
        weight=opened.manifest.weight,
        weights=names if len(names := opened.manifest.weight_names) > 1 else (),
        wave_names=names_to_know(transport.service.survey_scope.wave_names),
        service=transport.service,
    )
    return ClientParts(context, options, transport)


def _recorded(snapshot: str | Path, arguments: ConnectArguments) -> ClientParts:
    transport, header = open_replay(snapshot)
    if arguments.minimum_base > header.minimum_base:
        raise SnapshotError(
            f"minimum_base={arguments.minimum_base} is not valid here: {snapshot} was recorded "
            f"with {header.minimum_base or 'none'}. Open the source itself, and record it again."
        )
    context = replayed_context(transport.snapshot)
    options = arguments.options(REPLAY.with_scope(header.client_scope or DEFAULT_SCOPE))
    return ClientParts(context, options, transport)


def _remote(base_url: str, arguments: ConnectArguments) -> ClientParts:
    # Importing the HTTP library takes longer than a table of the embedded service.
    from audiencelab.client.transports.http import (
        TokenAuth,
        check_settings,
        open_transport,
    )

    _check_header_word("scheme", arguments.scheme)
    _check_header_word("user_agent", arguments.user_agent)
    settings = check_settings(arguments.http, base_url, allow_insecure=arguments.allow_insecure)
    credential = find_credential(arguments.token, base_url)
    options = arguments.options(ClientOptions(credential=credential.source))
    auth = TokenAuth(
        credential.token, scheme=arguments.scheme, allow_insecure=arguments.allow_insecure
    )
    agent = _user_agent(arguments.user_agent)
    context = ClientContext(
        base_url.rstrip("/"),
        location_question=_named("location_question", arguments.location_question),
        include_parameter=_named("include_parameter", arguments.include_parameter)
        or INCLUDE_PARAMETER,
    )
    transport = open_transport(base_url, auth=auth, user_agent=agent, settings=settings)
    kept = _with_kept_catalogue(transport, base_url, credential.token, arguments)
    return ClientParts(context, options, kept)


def _with_kept_catalogue(
    transport: Transport,
    base_url: str,
    token: Secret | Callable[[], Secret],
    arguments: ConnectArguments,
) -> Transport:
    """The transport, which keeps the catalogue on disk where it is known who is calling.

    A function may return the token of another caller each time, and a certificate is one as well.
    """
    if IN_BROWSER or not isinstance(token, Secret) or "cert" in (arguments.http or ()):
        return transport
    from audiencelab.client.transports.kept_catalogue import CatalogueTransport

    return CatalogueTransport(transport, base_url, token, arguments.scheme)


def _named(name: str, given: str | None) -> str:
    """A code or a name that the service defines, or `""`."""
    if given is None:
        return ""
    if not isinstance(given, str) or not given.isprintable() or not given.strip():
        raise ConnectionChoiceError(f"{name} must be a str that is not empty; got {given!r}.")
    return given


def _check_header_word(name: str, word: str | None) -> None:
    if word is None:
        return
    if not isinstance(word, str) or not (word.isascii() and word.isprintable() and word.strip()):
        raise ConnectionChoiceError(
            f"{name} must be printable ASCII text or None: it is sent in a header."
        )


def _user_agent(own: str | None) -> str:
    from audiencelab._version import __version__

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{f'{own} ' if own else ''}audiencelab/{__version__} python/{python}"
