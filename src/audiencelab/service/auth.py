"""Who may ask: a credential in the `Authorization` header, compared in constant time."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from hashlib import sha256

from audiencelab.schema.http import Request
from audiencelab.service.problems import UnauthorizedError

__all__ = ["Credentials", "new_token"]

_SCHEME = "bearer"


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


class Credentials:
    """The tokens a service accepts, as `Bearer TOKEN` or bare.

    Only digests are kept, so that neither a repr nor a core of this object holds a token.
    Raises `ValueError` if there is none, or an empty one: a service that takes every caller must
    not come about by a slip.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        given = [tokens] if isinstance(tokens, str) else list(tokens)
        if not given or not all(token.strip() for token in given):
            raise ValueError("A service needs at least one token, and none may be empty.")
        self._digests = tuple(_digest(token.strip()) for token in given)

    def check(self, request: Request) -> bytes:
        """Who asks, as a digest; `UnauthorizedError` unless the request has one of the tokens."""
        header = request.header("authorization")
        if header is None or not header.strip():
            raise UnauthorizedError("Send the header Authorization: Bearer TOKEN.")
        caller = self._caller(header.strip())
        if caller is None:
            raise UnauthorizedError("The credential in the header Authorization is not known.")
        return caller

    def _caller(self, header: str) -> bytes | None:
        scheme, _, rest = header.partition(" ")
        submitted = _digest(rest.strip() if scheme.lower() == _SCHEME else header)
        # Every token is compared, whichever fits: the time taken tells nothing.
        outcomes = [hmac.compare_digest(submitted, known) for known in self._digests]
        return submitted if any(outcomes) else None


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
