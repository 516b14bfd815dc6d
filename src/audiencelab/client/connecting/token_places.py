"""Where the credential for an address is found: the first of several places that has one.

The argument, the environment, a running server of the same user, the user's own file, the
keyring, and at last the person, where somebody is there to answer. All but the first two keep
tokens by origin (scheme, host and port), so that none goes to a service it was not meant for.
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
from typing import Any

from audiencelab import tokens
from audiencelab.client.connecting.destination import BASE_URL_VARIABLE, TOKEN_VARIABLE, origin
from audiencelab.client.credentials import Secret, Supplier, Veiled
from audiencelab.client.errors import ConnectionChoiceError
from audiencelab.files import others_can_read

__all__ = [
    "TOKEN_FILE_VARIABLE",
    "Credential",
    "find_credential",
    "nobody_asked",
    "user_token_file",
]

TOKEN_FILE_VARIABLE = "AUDIENCELAB_TOKEN_FILE"

KEYRING_SERVICE = "audiencelab"

_HAS_OWNERS = hasattr(os, "getuid")


_may_ask: ContextVar[bool] = ContextVar("audiencelab_may_ask", default=True)
_is_one_of_several: ContextVar[bool] = ContextVar("audiencelab_is_one_of_several", default=False)


@contextmanager
def nobody_asked(*, is_one_of_several: bool = False) -> Generator[None]:
    """Ask no person for a credential inside the block, on this thread, whoever is there.

    For a server: a question on its terminal would hold up a request of somebody who cannot see it.
    is_one_of_several: the address is, so a token of the environment that names none is not for it.
    """
    before, several = _may_ask.set(False), _is_one_of_several.set(is_one_of_several)
    try:
        yield
    finally:
        _may_ask.reset(before)
        _is_one_of_several.reset(several)


@dataclass(frozen=True, slots=True)
class Credential:
    """A token, or what supplies one for each request; `source` says in words where it is from."""

    token: Secret | Supplier
    source: str


@dataclass(frozen=True, slots=True)
class Look:
    """A look into one place: the token, or in words why there is none."""

    place: str
    token: Secret | None = None
    nothing: str = "nothing for this address"


def find_credential(token: Secret | Supplier | None, base_url: str) -> Credential:
    """The credential for an address.

    Raises `ConnectionChoiceError` where there is none, naming every place that was looked into,
    and for a token that cannot be sent or a file of tokens that others can read.
    """
    if token is not None:
        return _checked(Credential(token, "the token given to connect()"))
    looks: list[Look] = []
    for look_into in _PLACES:
        look = look_into(origin(base_url))
        if look.token is not None:
            return _checked(Credential(look.token, look.place))
        looks.append(look)
    raise ConnectionChoiceError(
        "A deployment needs a credential: connect(base_url, token=…). "
        f"None was given, and none was found for {origin(base_url)}:\n"
        + "\n".join(f"  {look.place}: {look.nothing}" for look in looks)
    )


def user_token_file() -> Path:
    """The user's own file of tokens: `AUDIENCELAB_TOKEN_FILE`, else in the configuration folder."""
    named = os.environ.get(TOKEN_FILE_VARIABLE)
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("audiencelab", appauthor=False)) / "tokens.toml"


def _checked(credential: Credential) -> Credential:
    token = credential.token
    if isinstance(token, Secret):
        if not token.reveal().strip():
            raise ConnectionChoiceError(
                f"A deployment needs a credential, and {credential.source} is empty."
            )
        if fault := token.fault():
            raise ConnectionChoiceError(f"The token {fault} ({credential.source}).")
    elif not isinstance(token, Supplier):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise ConnectionChoiceError(
            f"A token is text, or a function that gives it, not {type(token).__name__}."
        )
    return credential


def _environment(address: str) -> Look:
    token = os.environ.get(TOKEN_VARIABLE)
    if not token:
        return Look(TOKEN_VARIABLE, nothing="not set")
    meant = os.environ.get(BASE_URL_VARIABLE)
    if meant and _other_origin(meant, address):
        return Look(TOKEN_VARIABLE, nothing=f"belongs to the address in {BASE_URL_VARIABLE}")
    if not meant and _is_one_of_several.get():
        return Look(TOKEN_VARIABLE, nothing=f"{BASE_URL_VARIABLE} does not say whose it is")
    return Look(TOKEN_VARIABLE, Secret(token))


def _other_origin(meant: str, address: str) -> bool:
    try:
        return origin(meant) != address
    except Exception:  # no address at all: then it is the address of nothing
        return True


def _running_server(address: str) -> Look:
    place = "a server of your own that is running"
    try:
        token = tokens.find(address)
    except tokens.TokenFileError as error:
        refusal = str(error)
    else:
        return Look(place, Secret(token) if token else None)
    raise ConnectionChoiceError(refusal)


def _token_file(address: str) -> Look:
    path = user_token_file()
    try:
        with path.open("rb") as file:
            _check_private(os.fstat(file.fileno()), path)
            table = Veiled(tomllib.load(file))
    except FileNotFoundError:
        if os.environ.get(TOKEN_FILE_VARIABLE):
            refusal = f"{TOKEN_FILE_VARIABLE} names {path}, which is not there."
        else:
            return Look(str(path), nothing="no such file")
    except OSError as error:
        refusal = f"{path} cannot be read: {error.strerror}."
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        # The words of a decoder may quote what it stumbled over.
        where = f" ({str(error).rpartition('(')[2]}" if str(error).endswith(")") else ""
        refusal = (
            f"{path} is not written as TOML{where}. Each line is an address and its token: "
            '"https://research.example" = "…"'
        )
    else:
        entries = Veiled({k: v for k, v in table.items() if not _other_origin(k, address)})
        if not entries:
            return Look(str(path))
        if all(isinstance(token, str) for token in entries.values()):
            return Look(str(path), Secret(next(iter(entries.values()))))
        refusal = f"The token for {address} in {path} is not text."
    raise ConnectionChoiceError(refusal)


def _check_private(found: os.stat_result, path: Path) -> None:
    if not _HAS_OWNERS:  # pragma: no cover - Windows
        return
    if found.st_uid != os.getuid():
        raise ConnectionChoiceError(f"{path} belongs to another user; its tokens are not used.")
    if others_can_read(found):
        raise ConnectionChoiceError(
            f"Others can read {path}; its tokens are not used. Make it your own: chmod 600 '{path}'"
        )


def _keyring(address: str) -> Look:
    place = f"the keyring (service {KEYRING_SERVICE!r}, user {address!r})"
    try:
        keyring = importlib.import_module("keyring")
    except Exception:  # a broken installation is as good as none
        return Look(place, nothing="the package keyring is not there")
    try:
        token: Any = keyring.get_password(KEYRING_SERVICE, address)
    except Exception:  # whatever a backend raises: locked, none, no bus
        return Look(place, nothing="it did not answer")
    return Look(place, Secret(token) if isinstance(token, str) and token else None)


def _person(address: str) -> Look:
    place = "a question to you"
    if not _somebody_is_there():
        return Look(place, nothing="nobody is there to answer")
    try:
        with warnings.catch_warnings():
            # Rather not at all than with the token on the screen.
            warnings.simplefilter("error", getpass.GetPassWarning)
            answer = Secret(getpass.getpass(f"Token for {address}: "))
    # A kernel whose front end takes no input says that it is not implemented.
    except (EOFError, OSError, getpass.GetPassWarning, NotImplementedError, RuntimeError):
        return Look(place, nothing="nobody is there to answer")
    return Look("what you typed", answer) if answer.reveal() else Look(place, nothing="no answer")


def _somebody_is_there() -> bool:
    """A terminal, or a kernel (which itself knows whether its front end takes input)."""
    if not _may_ask.get():
        return False
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if hasattr(shell, "kernel"):
        return True
    return sys.stdin is not None and sys.stdin.isatty()  # pyright: ignore[reportUnnecessaryComparison] -- None where a process has no console


_PLACES: tuple[Callable[[str], Look], ...] = (
    _environment,
    _running_server,
    _token_file,
    _keyring,
    _person,
)
