"""The transport over HTTP, by httpx.

Exceptions of httpx end here and become `TransportError`, so that no request and no header of it is
attached to an error that a notebook shows or pickles. The credential is written inside httpx's
auth step, so the header exists on the outgoing request only. A service may repeat it: dots
replace it in each response, so that no error, traceback, page or file has it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from http import HTTPStatus
from http.cookiejar import CookieJar
from math import inf
from typing import Any, TypeVar, cast

import httpx
from httpx import URL
from httpx import InvalidURL as InvalidURL

from audiencelab.browser import IN_BROWSER
from audiencelab.client.credentials import DOTS, HiddenValues, Secret
from audiencelab.client.errors import ConnectionChoiceError, InsecureConnectionError
from audiencelab.client.stopping import Stopped, check, is_stopped, waking
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.client.transports.fetch import FetchTransport
from audiencelab.client.transports.leases import USUAL, Lease, Leases
from audiencelab.client.veil import Veil, veiled
from audiencelab.local_servers import is_loopback
from audiencelab.schema.http import JSON, Request, Response, TransportError

T = TypeVar("T")

_CONNECTING = 10.0
"""Maximum seconds to open a connection."""

_RECENT = 16
"""Credentials remembered, where a function supplies another one for each request."""

_LATE = "The service did not answer in time."
_ENDED = "The client was closed before the response was complete."

_UNSENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Failures before the first byte of a request can have reached the service."""

_SETTINGS = ("cert", "http1", "http2", "limits", "mounts", "proxy", "trust_env", "verify")
"""The settings of httpx that a caller may pass."""

_OURS = {
    "auth": "Give the credential as token=….",
    "base_url": "It is connect()'s first argument.",
    "cookies": "The service uses a token, not a session.",
    "default_encoding": "Responses are JSON, which has one encoding.",
    "event_hooks": "They see the credential. client.recording() keeps requests and responses.",
    "follow_redirects": "A credential does not follow a redirect to another address.",
    "headers": "Give them as headers=….",
    "max_redirects": "A credential does not follow a redirect to another address.",
    "params": "The operations set their own.",
    "proxies": "Name one as 'proxy', or several as 'mounts'.",
    "timeout": "Give timeout=… and deadline=….",
    "transport": "Name one for every address as 'mounts': {'all://': transport}.",
}
"""The settings that the client sets itself, and what to use instead."""

_ENVIRONMENT = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


class TokenAuth(httpx.Auth):
    """Adds `Authorization` to each request; refuses to send it over plain HTTP to other machines.

    A request that is answered with 401 is sent once more where a function returns another
    credential then. Requests that fail at the same time share the call of that function.

    token: the credential, or a function that returns it for each request.
    scheme: the word before it ("Bearer"); None sends the token alone.
    allow_insecure: send it over plain HTTP to other machines as well.
    """

    def __init__(
        self,
        token: Secret | Callable[[], Secret],
        *,
        scheme: str | None = "Bearer",
        allow_insecure: bool = False,
    ) -> None:
        self._token = token
        self._prefix = f"{scheme} " if scheme else ""
        self._allow_insecure = allow_insecure
        self._refreshing = threading.RLock()
        self._refreshes = 0
        self._refreshed: Secret | None = None
        self.secrets: tuple[Secret, ...] = ()

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        url = request.url
        if url.scheme != "https" and not (self._allow_insecure or is_loopback(url.host)):
            raise InsecureConnectionError(
                f"The credential was not sent: {url.host} is reached over plain HTTP, where "
                "anyone on the network can read it. Use an https:// address, or pass "
                "allow_insecure=True if you trust the network."
            )
        if isinstance(self._token, Secret):
            self._sign(request, self._token)
            yield request
            return
        refreshes, token = self._refreshes, self._token()
        self._sign(request, token)
        response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            other = self._refresh(self._token, refreshes)
            if other != token:
                self._sign(request, other)
                yield request

    def _refresh(self, source: Callable[[], Secret], before: int) -> Secret:
        """The credential of now. before: the number of refreshes when the request was signed."""
        with self._refreshing:
            if self._refreshed is None or self._refreshes == before:
                self._refreshed = source()
                self._refreshes += 1
            return self._refreshed

    def _sign(self, request: httpx.Request, token: Secret) -> None:
        if token not in self.secrets:
            self.secrets = (*self.secrets[1 - _RECENT :], token)
        request.headers["Authorization"] = self._prefix + token.reveal()

    def __repr__(self) -> str:
        return f"TokenAuth({DOTS})"


class HTTPTransport:
    """Sends requests by httpx, each over a connection that it has for itself meanwhile.

    base_url: the address of the service. auth: adds the credential.
    settings: further arguments of the client, such as `proxy` and `verify`.
    user_agent: put before httpx's own.
    """

    def __init__(
        self,
        base_url: str,
        *,
        auth: TokenAuth | None = None,
        settings: Mapping[str, Any] | None = None,
        user_agent: str = "",
    ) -> None:
        self._auth = auth
        options: dict[str, Any] = {"limits": USUAL, **(settings or {})}
        if IN_BROWSER:
            options["transport"] = FetchTransport()
        else:
            trust = {each: options.pop(each) for each in ("verify", "cert") if each in options}
            trust |= {"trust_env": options.get("trust_env", True)}
            # Certificates are read once for all connections.
            options["verify"] = httpx.create_ssl_context(**trust)
        # Shared: each connection has a client of httpx, which would have cookies of its own.
        cookies = CookieJar()

        def make() -> httpx.Client:
            return httpx.Client(base_url=base_url, auth=auth, cookies=cookies, **options)

        self._http = make()
        agent = self._http.headers["user-agent"]
        self._agent = f"{user_agent} {agent}" if user_agent else agent
        mounts = cast(Mapping[str, Any], options.get("mounts") or {})
        shared = IN_BROWSER or any(mounts.values())
        self._leases = Leases(
            (lambda: self._http) if shared else make, options["limits"], shared=shared
        )

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self._auth.secrets if self._auth else ()

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        lease = _run(lambda: self._leases.take(_timeouts(timeout)["pool"]))
        try:
            prepared = self._prepare(request, timeout, lease)
            with waking(lease.end):
                answer = _run(lambda: lease.http.send(prepared, stream=True))
        except BaseException:
            self._leases.give_back(lease)
            raise
        lease.answered(answer)
        body = _Body(answer, lease, self._leases, timeout.until, Veil(self.secrets))
        return Response(answer.status_code, self._headers(answer), body)

    def close(self) -> None:
        self._leases.close()
        self._http.close()

    def _headers(self, answer: httpx.Response) -> dict[str, str]:
        """The headers of a response, without a credential that it repeats."""
        return {name: veiled(self.secrets, value) for name, value in answer.headers.items()}

    def _prepare(self, request: Request, timeout: Timeout, lease: Lease) -> httpx.Request:
        headers = {"accept-encoding": "gzip, deflate", "user-agent": self._agent}
        headers |= request.headers
        if request.body:
            headers["content-type"] = JSON
        return self._http.build_request(
            request.method,
            _absolute(str(self._http.base_url), request.path, request.query),
            content=request.body or None,
            headers=headers,
            extensions={"timeout": _timeouts(timeout), "trace": lease.trace},
        )


class _Body:
    """The bytes of a response; the deadline is checked between reads."""

    def __init__(
        self, answer: httpx.Response, lease: Lease, leases: Leases, until: float, veil: Veil
    ) -> None:
        self._answer = answer
        self._chunks = answer.iter_bytes()
        self._lease = lease
        self._leases = leases
        self._until = until
        self._veil = veil
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        while True:
            if time.monotonic() >= self._until:
                raise TransportError(_LATE, timeout=True)
            try:
                with waking(self._lease.end):
                    chunk = self._veil.feed(_run(self._chunks.__next__))
            except StopIteration:
                self.close()
                if self._lease.ended:
                    # A body without a length ends where its connection does.
                    raise TransportError(_ENDED) from None
                if rest := self._veil.rest():
                    return rest
                raise
            if chunk:
                return chunk

    def close(self) -> None:
        """Free the connection."""
        if not self._closed:
            self._closed = True
            try:
                self._answer.close()
            finally:
                self._leases.give_back(self._lease)


def _run(step: Callable[[], T]) -> T:
    """A step of httpx; raises what `_translate` makes of its failure."""
    try:
        return step()
    except StopIteration:
        # A connection that a stop has shut down looks like the end of a body without a length.
        check()
        raise
    except BaseException as error:
        failure = Stopped() if is_stopped() else _translate(error)
    # Outside the block, so that the error of httpx is not attached.
    raise failure from None


def _translate(error: BaseException) -> BaseException:
    """A failure of httpx as `TransportError`; other errors without the frames of httpx.

    The message of httpx is left out unless it names hosts and reasons only.
    """
    if isinstance(error, (httpx.HTTPError, httpx.StreamError)):
        return TransportError(
            _describe(error),
            timeout=isinstance(error, httpx.TimeoutException),
            unsent=isinstance(error, _UNSENT),
        )
    # The frames of httpx hold the header.
    return error.with_traceback(None)


def _describe(error: Exception) -> str:
    if isinstance(error, httpx.PoolTimeout):
        return "All connections were busy for too long."
    if isinstance(error, httpx.TimeoutException):
        return _LATE
    if isinstance(error, httpx.ConnectError):
        trust = ""
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            trust = " SSL_CERT_FILE names a file of the certificates to trust."
        return f"The service could not be reached: {error.request.url.host}: {error}.{trust}"
    if isinstance(error, httpx.UnsupportedProtocol):
        return "The address must begin with https:// or http://."
    if isinstance(error, httpx.DecodingError):
        return "The compression of the response is broken."
    return f"The connection broke before the response was complete ({type(error).__name__})."


@lru_cache(maxsize=256)
def _absolute(base: str, path: str, query: str) -> URL:
    """The whole address; cached, since parsing addresses is most of the cost of a small call."""
    return URL(f"{base.rstrip('/')}{path}{f'?{query}' if query else ''}")


def _timeouts(timeout: Timeout) -> dict[str, float | None]:
    """The timeouts of httpx: the smaller of the timeout and the time left for the call."""
    seconds, until = timeout
    if until != inf:
        # A socket takes 0 for non-blocking and not for a timeout that is over.
        left = max(0.001, until - time.monotonic())
        seconds = left if seconds is None else min(seconds, left)
    connect = _CONNECTING if seconds is None else min(seconds, _CONNECTING)
    return {"connect": connect, "read": seconds, "write": seconds, "pool": seconds}


def check_settings(
    given: Mapping[str, Any] | None, base_url: str, *, allow_insecure: bool
) -> HiddenValues:
    """The settings of httpx for one address: `connect(…, http={"proxy": …})`.

    A proxy of the environment is bypassed on the way to this machine. Raises
    `ConnectionChoiceError` for a setting that the client sets itself or that is unknown, and
    `InsecureConnectionError` where plain HTTP to this machine would pass a proxy on another one.
    """
    if given is not None and not isinstance(given, Mapping):
        raise ConnectionChoiceError("http must map settings of httpx to their values.")
    settings = HiddenValues(given or {})
    for name in settings:
        _check_name(name)
    url = URL(base_url)
    if url.scheme != "http" or not is_loopback(url.host) or allow_insecure:
        return settings
    if settings.get("proxy") is None:
        pattern = f"http://[{url.host}]" if ":" in url.host else f"http://{url.host}"
        own = cast(Mapping[str, Any], settings.get("mounts") or {})
        # None sends directly; mounts of the caller come later, so that they win.
        settings["mounts"] = {pattern: None, **own}
    elif not is_loopback(_proxy_host(settings["proxy"])):
        raise InsecureConnectionError(
            "A proxy on another machine would read the credential on its way to this one, "
            "over plain HTTP. Remove the proxy, or pass allow_insecure=True if you trust the "
            "network."
        )
    return settings


def open_transport(
    base_url: str,
    *,
    auth: TokenAuth,
    user_agent: str,
    settings: HiddenValues,
) -> HTTPTransport:
    """The transport; raises `ConnectionChoiceError` for settings that httpx does not accept."""
    try:
        transport = HTTPTransport(base_url, auth=auth, user_agent=user_agent, settings=settings)
    except (ImportError, OSError) as error:
        # A missing package or certificate; the message does not contain a credential.
        reason = str(error)
    except Exception as error:
        reason = f"{type(error).__name__}; its message is left out, since it may hold a password"
    else:
        keep_headers_out_of_logs()
        return transport
    given = ", ".join(settings) or "none"
    environment = [name for name in _ENVIRONMENT if os.environ.get(name)]
    also = f" and {', '.join(environment)} of the environment" if environment else ""
    raise ConnectionChoiceError(
        f"httpx does not accept the settings in http=… ({given}){also}: {reason}."
    )


def keep_headers_out_of_logs() -> None:
    """Keep headers out of httpx's debug log, since a service may repeat the credential in them.

    HTTP/2 also logs whole blocks of headers; those lines are dropped.
    """
    for name in ("httpcore.http11", "httpcore.http2"):
        logging.getLogger(name).addFilter(_without_headers)
    for name in ("hpack.hpack", "hpack.table"):
        logging.getLogger(name).addFilter(_is_above_debug)


def _without_headers(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    if message.startswith("receive_response_headers.complete"):
        record.msg, record.args = f"{message.partition('[')[0]}…)", ()
    return True


def _is_above_debug(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG


def _check_name(name: str) -> None:
    if name in _SETTINGS:
        return
    if name in _OURS:
        raise ConnectionChoiceError(f"The client sets {name!r} itself. {_OURS[name]}")
    near = get_close_matches(str(name), [*_SETTINGS, *_OURS], 1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise ConnectionChoiceError(
        f"http=… has no setting {name!r}.{guess} It takes {', '.join(_SETTINGS)}."
    )


def _proxy_host(proxy: Any) -> str:
    try:
        return URL(proxy if isinstance(proxy, str) else str(getattr(proxy, "url", proxy))).host
    except (InvalidURL, TypeError):
        return ""
