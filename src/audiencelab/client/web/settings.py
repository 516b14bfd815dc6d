"""What a caller may set of the HTTP library itself, as in `connect(…, http={"proxy": …})`.

Settings pass through as they are: the library documents them. Those that the client needs for
itself are refused, each with the argument that takes its place.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from audiencelab.client.credentials import HiddenValues
from audiencelab.client.errors import ConnectionChoiceError, InsecureConnectionError
from audiencelab.client.web.auth import TokenAuth
from audiencelab.client.web.http import URL, AsyncHttpClient, HttpClient, InvalidUrl
from audiencelab.local_servers import is_loopback

__all__ = ["HttpSettings", "open_http"]

_PASSED_ON = ("cert", "http1", "http2", "limits", "mounts", "proxy", "trust_env", "verify")

_OURS = {
    "auth": "Give the credential as token=….",
    "base_url": "It is connect()'s first argument.",
    "cookies": "The service is asked with a token, and keeps no session.",
    "default_encoding": "Answers are JSON, which has one encoding.",
    "event_hooks": "They see the credential. client.recording() keeps what was asked and answered.",
    "follow_redirects": "A credential does not follow a redirect to another address.",
    "headers": "Give them as headers=….",
    "max_redirects": "A credential does not follow a redirect to another address.",
    "params": "The operations make their own.",
    "proxies": "Name one as 'proxy', or several as 'mounts'.",
    "timeout": "Give timeout=… and deadline=….",
    "transport": "Name one for every address as 'mounts': {'all://': transport}.",
}

HttpT = TypeVar("HttpT", HttpClient, AsyncHttpClient)


class HttpSettings:
    """Checked settings for one address; shows their names alone.

    Raises `ConnectionChoiceError` for a name that the client needs for itself or that the library
    does not have, and `InsecureConnectionError` where plain HTTP meant for this machine would go
    through another one.
    """

    def __init__(
        self, given: Mapping[str, Any] | None, base_url: str, *, allow_insecure: bool
    ) -> None:
        if given is not None and not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise ConnectionChoiceError("http maps the HTTP library's settings to their values.")
        self.given = HiddenValues(given or {})
        for name in self.given:
            _check_name(name)
        url = URL(base_url)
        if url.scheme == "http" and is_loopback(url.host) and not allow_insecure:
            self._stay_on_this_machine(url.host)

    def _stay_on_this_machine(self, host: str) -> None:
        """Keep what is plain because it never leaves the machine from a proxy that is elsewhere.

        One in the environment is meant for the network, so it is passed by.
        """
        if self.given.get("proxy") is None:
            pattern = f"http://[{host}]" if ":" in host else f"http://{host}"
            own = cast(Mapping[str, Any], self.given.get("mounts") or {})
            self.given["mounts"] = {pattern: None, **own}
        elif not is_loopback(_proxy_host(self.given["proxy"])):
            raise InsecureConnectionError(
                "A proxy on another machine would read the credential on its way to this one, "
                "over plain HTTP. Take the proxy out, or pass allow_insecure=True if you know the "
                "network."
            )

    def __repr__(self) -> str:
        return f"HttpSettings({', '.join(self.given)})"


def open_http(
    kind: type[HttpT],
    base_url: str,
    *,
    auth: TokenAuth,
    user_agent: str,
    settings: HttpSettings,
) -> HttpT:
    """The library's client. Raises `ConnectionChoiceError` for settings that it does not take."""
    try:
        http = kind(base_url=base_url, auth=auth, follow_redirects=False, **settings.given)
        _hush_headers()
        http.headers["user-agent"] = f"{user_agent} {http.headers['user-agent']}"
        return http
    except (ImportError, OSError) as error:
        # A package or a certificate that is missing; neither names a credential.
        reason = str(error)
    except Exception as error:
        reason = f"{type(error).__name__}; its words are left out, since they may quote a password"
    given = ", ".join(settings.given) or "none"
    environment = [name for name in _ENVIRONMENT if os.environ.get(name)]
    also = f" and {', '.join(environment)} of the environment" if environment else ""
    raise ConnectionChoiceError(
        f"The HTTP library does not take the settings in http=… ({given}){also}: {reason}."
    )


def _hush_headers() -> None:
    """Keep headers out of the library's debug log: a service may repeat the credential in them.

    HTTP/2 logs blocks of headers besides, in some versions in plain: none of those lines.
    """
    for name in ("httpcore.http11", "httpcore.http2"):
        logging.getLogger(name).addFilter(_without_headers)
    for name in ("hpack.hpack", "hpack.table"):
        logging.getLogger(name).addFilter(_is_no_detail)


def _without_headers(record: logging.LogRecord) -> bool:
    """Leave the version and the status of an answer's head, which is logged as a tuple."""
    words = record.getMessage()
    if words.startswith("receive_response_headers.complete"):
        record.msg, record.args = f"{words.partition('[')[0]}…)", ()
    return True


def _is_no_detail(record: logging.LogRecord) -> bool:
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
        f"There is no setting {name!r} in http=….{guess} There are: {', '.join(_PASSED_ON)}."
    )


def _proxy_host(proxy: Any) -> str:
    try:
        return URL(proxy if isinstance(proxy, str) else str(getattr(proxy, "url", proxy))).host
    except (InvalidUrl, TypeError):
        return ""
