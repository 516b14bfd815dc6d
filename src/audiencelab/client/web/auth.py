"""The credential on a request: written inside the HTTP library's auth step, and nowhere else.

So the header exists on the request that goes out, and on nothing that outlives it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from audiencelab.client.credentials import DOTS, Secret
from audiencelab.client.errors import InsecureConnectionError
from audiencelab.client.web.http import Auth, HttpRequest, HttpResponse
from audiencelab.local_servers import is_loopback

__all__ = ["TokenAuth"]

_LATELY = 15
"""How many earlier credentials are remembered, where each request may carry another."""


class TokenAuth(Auth):
    """Adds `Authorization` to each request, and refuses to do so where it could be overheard.

    token: the credential, or what supplies it for every request.
    scheme: the word before it ("Bearer"); None sends the token alone.
    allow_insecure: send it over plain HTTP to other machines too.
    """

    def __init__(
        self,
        token: Secret | Callable[[], Secret],
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
        token = self._token if isinstance(self._token, Secret) else self._token()
        if token not in self._sent:
            self._sent = (*self._sent[-_LATELY:], token)
        return prefix + token.reveal()

    def __repr__(self) -> str:
        return f"TokenAuth({DOTS})"
