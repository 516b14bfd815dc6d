"""Where the credential for an address is found: the first of several sources that has one.

The argument, the environment, a running server of the same user, the user's token file, the
keyring, and last a prompt. All but the first two hold tokens by origin (scheme, host and port), so
that no token is sent to a service that it was not meant for.
"""

from __future__ import annotations

import getpass
import importlib
import os
import sys
import tomllib
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from audiencelab import local_servers
from audiencelab.client.connection.target import BASE_URL_VARIABLE, TOKEN_VARIABLE, origin
from audiencelab.client.credentials import Secret, header_error, token_source
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.files import others_can_read

TOKEN_FILE_VARIABLE = "AUDIENCELAB_TOKEN_FILE"

KEYRING_SERVICE = "audiencelab"

_HAS_OWNERS = hasattr(os, "getuid")

_may_prompt: ContextVar[bool] = ContextVar("audiencelab_may_prompt", default=True)
_is_one_of_several: ContextVar[bool] = ContextVar("audiencelab_is_one_of_several", default=False)


@contextmanager
def no_prompt(*, is_one_of_several: bool = False) -> Generator[None]:
    """Never prompt for a credential inside the block, on this thread.

    For a server, whose terminal is not that of the person who sent the request.
    is_one_of_several: several remote services are configured, so that a token of the environment
        that names no address is sent to none of them.
    """
    before, several = _may_prompt.set(False), _is_one_of_several.set(is_one_of_several)
    try:
        yield
    finally:
        _may_prompt.reset(before)
        _is_one_of_several.reset(several)


@dataclass(frozen=True, slots=True)
class FoundToken:
    """A token, or a function that returns one for each request; `source` is where it was found."""

    token: Secret | Callable[[], Secret]
    source: str


class Lookup(NamedTuple):
    """What one source has: a token, or the reason why it has none."""

    source: str
    token: Secret | None = None
    reason: str = "nothing for this address"


def find_credential(token: str | Callable[[], str] | None, base_url: str) -> FoundToken:
    """The credential for an address.

    Raises `ConnectionChoiceError` if there is none, naming every source that was tried, for a
    token that cannot be sent and for a token file that others can read.
    """
    if token is not None:
        return _given(token)
    address = origin(base_url)
    lookups: list[Lookup] = []
    for source in _SOURCES:
        found = source(address)
        if found.token is not None:
            return _checked(found.token, found.source)
        lookups.append(found)
    raise ConnectionChoiceError(
        "A remote service needs a credential: connect(base_url, token=…). "
        f"None was given, and none was found for {address}:\n"
        + "\n".join(f"  {each.source}: {each.reason}" for each in lookups)
    )


def user_token_file() -> Path:
    """The user's token file: `AUDIENCELAB_TOKEN_FILE`, else in the configuration folder."""
    named = os.environ.get(TOKEN_FILE_VARIABLE)
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("audiencelab", appauthor=False)) / "tokens.toml"


def _given(token: str | Callable[[], str]) -> FoundToken:
    source = "the token given to connect()"
    if isinstance(token, str):
        return _checked(Secret(token), source)
    if callable(token):
        return FoundToken(token_source(token), source)
    raise ConnectionChoiceError(
        f"token must be a str or a function that returns one; got {type(token).__name__}."
    )


def _checked(token: Secret, source: str) -> FoundToken:
    if not token.reveal().strip():
        raise ConnectionChoiceError(f"A remote service needs a credential, and {source} is empty.")
    if error := header_error(token):
        raise ConnectionChoiceError(f"The token {error} ({source}).")
    return FoundToken(token, source)


def _environment(address: str) -> Lookup:
    token = os.environ.get(TOKEN_VARIABLE)
    if not token:
        return Lookup(TOKEN_VARIABLE, reason="not set")
    named = os.environ.get(BASE_URL_VARIABLE)
    if named and not _has_origin(named, address):
        return Lookup(TOKEN_VARIABLE, reason=f"belongs to the address in {BASE_URL_VARIABLE}")
    if not named and _is_one_of_several.get():
        return Lookup(TOKEN_VARIABLE, reason=f"{BASE_URL_VARIABLE} does not say whose it is")
    return Lookup(TOKEN_VARIABLE, Secret(token))


def _has_origin(named: str, address: str) -> bool:
    try:
        return origin(named) == address
    except Exception:  # not an address
        return False


def _running_server(address: str) -> Lookup:
    source = "a running server of yours"
    try:
        token = local_servers.find_token(address)
    except local_servers.TokenFileError as error:
        refusal = str(error)
    else:
        return Lookup(source, Secret(token) if token else None)
    raise ConnectionChoiceError(refusal)


def _token_file(address: str) -> Lookup:
    path = user_token_file()
    if not path.exists():
        if not os.environ.get(TOKEN_FILE_VARIABLE):
            return Lookup(str(path), reason="no such file")
        raise ConnectionChoiceError(f"{TOKEN_FILE_VARIABLE} names {path}, which does not exist.")
    table, refusal = _read_token_file(path)
    entries = [token for named, token in table.items() if _has_origin(named, address)]
    if None in entries:
        refusal = f"The token for {address} in {path} is not a string."
    if refusal:
        raise ConnectionChoiceError(refusal)
    return Lookup(str(path), entries[0] if entries else None)


def _read_token_file(path: Path) -> tuple[dict[str, Secret | None], str]:
    """The tokens by address, None for what is not a string; and what is wrong with the file."""
    try:
        with path.open("rb") as file:
            if error := _not_private(os.fstat(file.fileno()), path):
                return {}, error
            return {
                address: Secret(token) if isinstance(token, str) else None
                for address, token in tomllib.load(file).items()
            }, ""
    except OSError as error:
        return {}, f"{path} cannot be read: {error.strerror}."
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        # The decoder's message may quote what it could not read; "(at line 1, column 2)" is safe.
        position = f" ({str(error).rpartition('(')[2]}" if str(error).endswith(")") else ""
        return {}, (
            f"{path} is not valid TOML{position}. Each line is an address and its token: "
            '"https://research.example" = "…"'
        )


def _not_private(found: os.stat_result, path: Path) -> str:
    if not _HAS_OWNERS:  # pragma: no cover - Windows
        return ""
    if found.st_uid != os.getuid():
        return f"{path} belongs to another user; its tokens are not used."
    if others_can_read(found):
        return f"Others can read {path}; its tokens are not used. Protect it: chmod 600 '{path}'"
    return ""


def _keyring(address: str) -> Lookup:
    source = f"the keyring (service {KEYRING_SERVICE!r}, user {address!r})"
    try:
        keyring = importlib.import_module("keyring")
    except Exception:  # a broken installation counts as none
        return Lookup(source, reason="the package keyring is not installed")
    try:
        token: Any = keyring.get_password(KEYRING_SERVICE, address)
    except Exception:  # backends raise errors of their own: locked, none, no bus
        return Lookup(source, reason="it did not answer")
    return Lookup(source, Secret(token) if isinstance(token, str) and token else None)


def _prompt(address: str) -> Lookup:
    source = "a prompt"
    if not _can_prompt():
        return Lookup(source, reason="there is no terminal or notebook to ask in")
    try:
        with warnings.catch_warnings():
            # Without a terminal that hides it, getpass would show the token.
            warnings.simplefilter("error", getpass.GetPassWarning)
            answer = Secret(getpass.getpass(f"Token for {address}: "))
    # A kernel whose front end takes no input raises NotImplementedError.
    except (EOFError, OSError, getpass.GetPassWarning, NotImplementedError, RuntimeError):
        return Lookup(source, reason="there is no terminal or notebook to ask in")
    return Lookup(source, answer) if answer.reveal() else Lookup(source, reason="no answer")


def _can_prompt() -> bool:
    """Whether there is a terminal, or a kernel (which knows whether its front end takes input)."""
    if not _may_prompt.get():
        return False
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if hasattr(shell, "kernel"):
        return True
    return sys.stdin is not None and sys.stdin.isatty()  # pyright: ignore[reportUnnecessaryComparison] -- None where a process has no console


_SOURCES: tuple[Callable[[str], Lookup], ...] = (
    _environment,
    _running_server,
    _token_file,
    _keyring,
    _prompt,
)
