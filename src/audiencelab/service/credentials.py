"""Who may ask a service: tokens, a file of named credentials, or an OpenID Connect issuer.

Tokens are compared by their SHA-256 digests, so that no repr, file or core dump contains one.
"""

from __future__ import annotations

import hmac
import json
import logging
import secrets
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal, Protocol

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.files import put
from audiencelab.schema.http import Request
from audiencelab.service.responses import UnauthorizedError, UnavailableError

Rights = Literal["read", "write"]

WRITE_ROLE = "audiencelab:write"
"""The scope or role of a JWT that may create and update."""

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Signatures by key pairs alone: an issuer's public key must not pass as a shared secret."""

_DISCOVERY_SECONDS = 10.0

_log = logging.getLogger("audiencelab.service")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request.

    name: of the credential, for logs and as the owner of charts; empty where it has none.
    key: the same for all requests of one caller, whatever token it used.
    may_write: whether it may create and update charts and audiences.
    """

    name: str
    key: bytes
    may_write: bool = True


class CredentialsError(AudienceError):
    """A credentials file or an issuer that cannot be used; the message names it and the fault."""


class Credentials(Protocol):
    """Recognises the caller of a request."""

    def check(self, request: Request) -> Caller:
        """The caller; raises `UnauthorizedError` for a credential that is absent or not known."""
        ...


def new_token() -> str:
    """A random token."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """The SHA-256 digest of a token, in hexadecimal."""
    return _digest(token).hex()


def _digest(token: str) -> bytes:
    return sha256(token.strip().encode("utf-8", "surrogatepass")).digest()


def _token_of(request: Request) -> str:
    """The token of a request, sent as `Bearer TOKEN` or bare."""
    header = request.headers.get("authorization", "").strip()
    if not header:
        raise UnauthorizedError("Send the header Authorization: Bearer TOKEN.")
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else header


_UNKNOWN = "The credential in the header Authorization is not known."


class Tokens:
    """Tokens without names, all of which may write.

    Raises `ValueError` if there is none, or an empty one.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        given = [tokens] if isinstance(tokens, str) else list(tokens)
        if not given or not all(token.strip() for token in given):
            raise ValueError("A service needs at least one token, and none may be empty.")
        self._callers = {digest: Caller("", digest) for digest in map(_digest, given)}

    def check(self, request: Request) -> Caller:
        return _find(self._callers, _token_of(request))


def _find(callers: Mapping[bytes, Caller], token: str) -> Caller:
    digest = _digest(token)
    # Every token is compared, so that the time taken does not depend on which one fits.
    found = [caller for known, caller in callers.items() if hmac.compare_digest(digest, known)]
    if not found:
        raise UnauthorizedError(_UNKNOWN)
    return found[0]


class Credential(msgspec.Struct, forbid_unknown_fields=True):
    """One entry of a credentials file.

    sha256: the digests of its tokens, the newest last. rights: "read" or "write".
    """

    sha256: list[Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]]
    rights: Rights = "read"


Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._@+-]{1,128}$")]


def read_credentials(path: Path) -> dict[str, Credential]:
    """The named credentials of a file; raises `CredentialsError`.

    It is TOML with one table for each credential:

        ["ana@example.org"]
        sha256 = ["b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"]
        rights = "write"
    """
    try:
        text = path.read_text(encoding="utf-8")
        return msgspec.convert(tomllib.loads(text), dict[Name, Credential])
    except FileNotFoundError:
        raise CredentialsError(
            f"There is no file {path}. `audiencelab credentials add {path} NAME` makes it."
        ) from None
    except OSError as error:
        raise CredentialsError(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise CredentialsError(f"{path} is not a file of credentials: {error}.") from None


def write_credentials(path: Path, credentials: Mapping[str, Credential]) -> None:
    """Write a file of credentials, whole or not at all; only this user may read it.

    Raises `CredentialsError` for a name with other characters than letters, digits and `._@+-`,
    and `WriteError`.
    """
    try:
        msgspec.convert(dict(credentials), dict[Name, Credential])
    except msgspec.ValidationError:
        raise CredentialsError(
            "The name of a credential takes 1 to 128 letters, digits and the characters ._@+-"
        ) from None
    tables = [
        f'["{name}"]\nsha256 = {json.dumps(each.sha256)}\nrights = "{each.rights}"\n'
        for name, each in credentials.items()
    ]
    put(path, "\n".join(tables).encode(), private=True)


class CredentialsFile:
    """Named credentials of a file, which is read again as soon as it changes.

    A credential that is taken out of the file is refused from the next request on. A file that
    cannot be read any more changes nothing, and the log says so.
    Raises `CredentialsError` for a file that cannot be read at the start.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).expanduser()
        self._lock = Lock()
        self._seen = self._version()
        self._callers = self._read()

    def __reduce__(self) -> tuple[type[CredentialsFile], tuple[Path]]:
        """For another worker process, which reads the file itself."""
        return type(self), (self._path,)

    def check(self, request: Request) -> Caller:
        with self._lock:
            seen = self._version()
            # Taken before the file is read: a change meanwhile is read with the next request.
            if seen != self._seen:
                self._seen = seen
                try:
                    self._callers = self._read()
                except CredentialsError as error:
                    _log.error("The credentials read before stay in use: %s", error)
            callers = self._callers
        return _find(callers, _token_of(request))

    def _version(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _read(self) -> dict[bytes, Caller]:
        return {
            bytes.fromhex(digest): Caller(name, name.encode(), each.rights == "write")
            for name, each in read_credentials(self._path).items()
            for digest in each.sha256
        }


class OpenIdIssuer:
    """JSON Web Tokens of an OpenID Connect issuer, checked with its published keys.

    issuer: its URL, whose `/.well-known/openid-configuration` names the keys.
    audience: what `aud` of a token must contain.
    write_role: the scope or role that lets a caller create and update; every valid token may read.

    A caller is named by `preferred_username`, else `email`, else `sub`.
    Raises `CredentialsError` for an issuer that does not answer, and `AudienceError` where PyJWT
    is not installed.
    """

    def __init__(self, issuer: str, audience: str, *, write_role: str = WRITE_ROLE) -> None:
        try:
            import jwt
        except ModuleNotFoundError:
            raise AudienceError(
                'An OpenID Connect issuer needs PyJWT: pip install "audiencelab[server]"'
            ) from None
        self._jwt = jwt
        self._issuer, self._audience, self._write_role = issuer, audience, write_role
        self._keys = jwt.PyJWKClient(_keys_of(issuer), timeout=_DISCOVERY_SECONDS)

    def __reduce__(self) -> tuple[Any, ...]:
        """For another worker process, which asks the issuer itself."""
        make = partial(type(self), write_role=self._write_role)
        return make, (self._issuer, self._audience)

    def check(self, request: Request) -> Caller:
        token, jwt = _token_of(request), self._jwt
        try:
            claims = jwt.decode(
                token,
                self._keys.get_signing_key_from_jwt(token),
                algorithms=_ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                # By default a token without an expiry is accepted, and for ever.
                options={"require": ["exp", "sub"]},
            )
        except jwt.ExpiredSignatureError:
            raise UnauthorizedError("The credential has expired. Send a new one.") from None
        except jwt.PyJWKClientConnectionError as error:
            _log.error("The keys of %s cannot be read: %s", self._issuer, error)
            raise UnavailableError("The issuer of credentials does not answer.") from None
        except (jwt.PyJWTError, ValueError):
            raise UnauthorizedError(_UNKNOWN) from None
        name = next(
            str(claims[claim])
            for claim in ("preferred_username", "email", "sub")
            if claims.get(claim)
        )
        return Caller(name, str(claims["sub"]).encode(), self._write_role in _roles(claims))


def _keys_of(issuer: str) -> str:
    """The address of an issuer's keys."""
    import httpx

    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        found = httpx.get(address, timeout=_DISCOVERY_SECONDS, follow_redirects=True)
        return str(found.raise_for_status().json()["jwks_uri"])
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        raise CredentialsError(
            f"{address} does not name the keys of an OpenID Connect issuer: "
            f"{type(error).__name__}. Is this the issuer's URL?"
        ) from None


def _roles(claims: Mapping[str, Any]) -> set[str]:
    """Scopes and roles of a token, each claim a list or a text with spaces between."""
    found: set[str] = set()
    for claim in ("scope", "scp", "roles"):
        value = claims.get(claim) or ()
        found.update(value.split() if isinstance(value, str) else map(str, value))
    return found


class AnyCredentials:
    """Several kinds of credentials; the first that knows the caller decides."""

    def __init__(self, kinds: Sequence[Credentials]) -> None:
        self._kinds = tuple(kinds)

    def check(self, request: Request) -> Caller:
        *others, last = self._kinds
        for each in others:
            with suppress(UnauthorizedError):
                return each.check(request)
        return last.check(request)
