"""Credentials: kept out of everything that is shown or stored, added when a request is sent.

A notebook prints, logs, pickles and saves whatever it holds. So a token lives in a `Secret`,
which shows itself as dots, and the header is written inside the HTTP library's auth step, on the
request that goes out and nowhere else.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Generator
from typing import NoReturn, Self

from audiencelab.client.errors import InsecureConnectionError
from audiencelab.client.http import Auth, HttpRequest, HttpResponse

__all__ = ["Secret", "TokenAuth", "is_loopback"]

_DOTS = "••••••"

_LATELY = 15
"""How many earlier credentials are remembered, where each request may carry another."""


class Secret(str):
    """A string that shows itself as dots in `repr`, `str`, f-strings and tracebacks.

    `reveal()` gives the text. It refuses to be pickled: what is pickled is soon on a disk.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        return super().__new__(cls, text.reveal() if isinstance(text, Secret) else text)

    def reveal(self) -> str:
        """The text itself."""
        return str.__str__(self)

    def __repr__(self) -> str:
        return f"Secret('{_DOTS}')"

    def __str__(self) -> str:
        return _DOTS

    def __format__(self, spec: str) -> str:
        return format(_DOTS, spec)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "A credential is not pickled. Set AUDIENCELAB_TOKEN where the copy will run, "
            "and connect there."
        )


class TokenAuth(Auth):
    """Adds `Authorization` to each request, and refuses to do so where it could be overheard.

    token: the credential, or a function that gives it for every request.
    scheme: the word before it ("Bearer"); None sends the token alone.
    allow_insecure: send it over plain HTTP to other machines too.
    """

    def __init__(
        self,
        token: Secret | Callable[[], str],
        *,
        scheme: str | None = "Bearer",
        allow_insecure: bool = False,
    ) -> None:
        self._token = token
        self._scheme = scheme
        self._allow_insecure = allow_insecure
        self._sent: tuple[Secret, ...] = ()

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The credentials sent lately, for whoever must keep them out of a file."""
        return self._sent

    def auth_flow(self, request: HttpRequest) -> Generator[HttpRequest, HttpResponse, None]:
        url = request.url
        if url.scheme != "https" and not (self._allow_insecure or is_loopback(url.host)):
            raise InsecureConnectionError(
                f"The credential was not sent: {url.host} is reached over plain HTTP, where "
                "anybody on the way can read it. Use an https:// address, or pass "
                "allow_insecure=True if you know the network."
            )
        request.headers["Authorization"] = self._header()
        yield request

    def _header(self) -> str:
        prefix = f"{self._scheme} " if self._scheme else ""
        token = self._token if isinstance(self._token, Secret) else Secret(self._token())
        if token not in self._sent:
            self._sent = (*self._sent[-_LATELY:], token)
        return prefix + token.reveal()

    def __repr__(self) -> str:
        return f"TokenAuth({_DOTS})"


def is_loopback(host: str) -> bool:
    """Whether a host name can only mean this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
