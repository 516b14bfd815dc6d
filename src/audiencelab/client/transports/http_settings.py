"""The settings of httpx that a caller may pass: `connect(…, http={"proxy": …})`.

httpx documents the settings. Those that the client sets itself are refused, each with the argument
that takes its place.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from audiencelab.client.credentials import HiddenValues
from audiencelab.client.errors import ConnectionChoiceError, InsecureConnectionError
from audiencelab.client.transports.http import URL, InvalidURL, TokenAuth
from audiencelab.local_servers import is_loopback

T = TypeVar("T")

_PASSED_ON = ("cert", "http1", "http2", "limits", "mounts", "proxy", "trust_env", "verify")

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


class HttpSettings:
    """Checked settings for one address; its repr shows their names only.

    Raises `ConnectionChoiceError` for a setting that the client sets itself or that is unknown, and
    `InsecureConnectionError` where plain HTTP to this machine would pass a proxy on another one.
    """

    def __init__(
        self, given: Mapping[str, Any] | None, base_url: str, *, allow_insecure: bool
    ) -> None:
        if given is not None and not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise ConnectionChoiceError("http must map settings of httpx to their values.")
        self.given = HiddenValues(given or {})
        for name in self.given:
            _check_name(name)
        url = URL(base_url)
        if url.scheme == "http" and is_loopback(url.host) and not allow_insecure:
            self._stay_on_this_machine(url.host)

    def _stay_on_this_machine(self, host: str) -> None:
        """Keep plain HTTP to this machine from a proxy on another one.

        A proxy of the environment is meant for the network, so it is bypassed.
        """
        if self.given.get("proxy") is None:
            pattern = f"http://[{host}]" if ":" in host else f"http://{host}"
            own = cast(Mapping[str, Any], self.given.get("mounts") or {})
            self.given["mounts"] = {pattern: None, **own}
        elif not is_loopback(_proxy_host(self.given["proxy"])):
            raise InsecureConnectionError(
                "A proxy on another machine would read the credential on its way to this one, "
                "over plain HTTP. Remove the proxy, or pass allow_insecure=True if you trust the "
                "network."
            )

    def __repr__(self) -> str:
        return f"HttpSettings({', '.join(self.given)})"


def open_transport(
    kind: Callable[..., T],
    base_url: str,
    *,
    auth: TokenAuth,
    user_agent: str,
    settings: HttpSettings,
) -> T:
    """An HTTP transport; raises `ConnectionChoiceError` for settings that httpx does not accept."""
    try:
        transport = kind(base_url, auth=auth, user_agent=user_agent, settings=settings.given)
    except (ImportError, OSError) as error:
        # A missing package or certificate; the message does not contain a credential.
        reason = str(error)
    except Exception as error:
        reason = f"{type(error).__name__}; its message is left out, since it may hold a password"
    else:
        _keep_headers_out_of_logs()
        return transport
    given = ", ".join(settings.given) or "none"
    environment = [name for name in _ENVIRONMENT if os.environ.get(name)]
    also = f" and {', '.join(environment)} of the environment" if environment else ""
    raise ConnectionChoiceError(
        f"httpx does not accept the settings in http=… ({given}){also}: {reason}."
    )


def _keep_headers_out_of_logs() -> None:
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


_ENVIRONMENT = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


def _check_name(name: Any) -> None:
    if name in _PASSED_ON:
        return
    if name in _OURS:
        raise ConnectionChoiceError(f"The client sets {name!r} itself. {_OURS[name]}")
    near = get_close_matches(str(name), [*_PASSED_ON, *_OURS], 1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise ConnectionChoiceError(
        f"http=… has no setting {name!r}.{guess} It takes {', '.join(_PASSED_ON)}."
    )


def _proxy_host(proxy: Any) -> str:
    try:
        return URL(proxy if isinstance(proxy, str) else str(getattr(proxy, "url", proxy))).host
    except (InvalidURL, TypeError):
        return ""
