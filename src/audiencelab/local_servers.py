"""Servers on this machine: which hosts are loopback, and the tokens of the user's own servers.

A running server leaves the token that it made in a small file in the user's runtime folder, which
nobody else can read, so that its own user can connect without it. A server that was killed leaves
its file behind: that token opens nothing, and the next server at the address replaces it. Only
tokens made for one run of one server are stored, never one that a person chose.
"""

from __future__ import annotations

import ipaddress
import os
import stat
import tempfile
import warnings
from pathlib import Path
from urllib.parse import quote, urlsplit

from audiencelab.errors import AudienceError
from audiencelab.files import others_can_read

_PRIVATE_FOLDER = 0o700

# Windows has neither owners nor modes in this sense; there the user's profile is private.
_HAS_OWNERS = hasattr(os, "getuid")


class TokenFileError(AudienceError):
    """The file of a token, or its folder, is not the user's alone."""


def without_port(address: str) -> str:
    """An address as readers elsewhere see it: a port of this machine is another in each run.

    >>> without_port("http://127.0.0.1:43915"), without_port("https://example.org:8080")
    ('a service on the same machine', 'https://example.org:8080')
    """
    try:
        is_here = is_loopback(urlsplit(address).hostname or "")
    except ValueError:
        is_here = False
    return "a service on the same machine" if is_here else address


def is_loopback(host: str) -> bool:
    """Whether a host name can only mean this machine; an IPv6 address may be in brackets."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def token_path(url: str) -> Path:
    """The file that holds the token of the server at this address.

    Only scheme, host and port count. `localhost` and `127.0.0.1` are two addresses, at which two
    servers may answer.

    Raises `ValueError` if the address names no host, and `TokenFileError` if this user has no
    runtime folder.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("The address of a server begins with http:// and names a host.")
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    name = quote(f"{parts.scheme}-{parts.hostname}-{port}", safe="")
    return _folder() / f"{name}.token"


def write_token(url: str, token: str) -> Path:
    """Write the token of the server at this address, for this user alone, and return the file.

    The file is written whole or not at all, and replaces an existing one. Raises `TokenFileError`
    if the folder cannot be made private.
    """
    path = token_path(url)
    try:
        path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        _make_private(path.parent)
        # mkstemp makes files of mode 0600, and follows no link.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(token + "\n")
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise TokenFileError(f"The token cannot be stored in {path.parent}: {error}") from None
    return path


def find_token(url: str) -> str | None:
    """The token that a server of this user left for this address; None if there is none.

    Raises `TokenFileError` for a file that others can read or that belongs to another user.
    """
    try:
        path = token_path(url)
    except (ValueError, TokenFileError):
        return None
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TokenFileError(f"{path} is not readable: {error.strerror}. Remove it.") from None
    with os.fdopen(handle, encoding="utf-8") as file:
        # The opened file is checked, since the name may lead to another one by now.
        _check_private(os.fstat(handle), path)
        return file.read().strip() or None


def remove_token(url: str, token: str) -> None:
    """Remove the file of this address, unless another server has written its own since."""
    try:
        if find_token(url) == token:
            token_path(url).unlink(missing_ok=True)
    except (TokenFileError, OSError):
        # The file is not this user's, or cannot be removed: its token ends with the server.
        return


def _folder() -> Path:
    import platformdirs

    try:
        with warnings.catch_warnings():
            # platformdirs warns where there is no XDG_RUNTIME_DIR; the folder that it returns
            # instead is made private, too.
            warnings.simplefilter("ignore")
            return Path(platformdirs.user_runtime_dir("audiencelab", appauthor=False))
    except OSError as error:  # pragma: no cover - not even a folder for temporary files
        raise TokenFileError(f"There is no runtime folder for this user: {error}") from None


def _make_private(folder: Path) -> None:
    if not _HAS_OWNERS:  # pragma: no cover - Windows
        return
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise TokenFileError(f"{folder} is not a folder of your own. Remove it.")
    if others_can_read(found):
        folder.chmod(_PRIVATE_FOLDER)


def _check_private(found: os.stat_result, path: Path) -> None:
    if not _HAS_OWNERS:  # pragma: no cover - Windows
        return
    if found.st_uid != os.getuid():
        raise TokenFileError(f"{path} belongs to another user; its token is not used.")
    if others_can_read(found):
        raise TokenFileError(
            f"Others can read {path}; its token is not used. Remove it and start the server again."
        )
