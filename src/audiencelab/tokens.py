"""Where a running server leaves the token it made, so that its own user can connect.

`keep` writes it, `find` reads it, `forget` takes it away: one small file for each server, in the
user's runtime folder, readable by nobody else. A server that was killed leaves its file behind;
it opens nothing, and the next server at that address replaces it.

It is no password store: only tokens made for one run of one server are kept, never one that a
person chose.
"""

from __future__ import annotations

import os
import stat
import tempfile
import warnings
from pathlib import Path
from urllib.parse import quote, urlsplit

from audiencelab.errors import AudienceError
from audiencelab.files import others_can_read

__all__ = ["TokenFileError", "find", "forget", "keep", "served_token_path"]

_PRIVATE_FOLDER = 0o700

# Windows has neither owners nor modes in this sense; there the user's profile is private.
_HAS_OWNERS = hasattr(os, "getuid")


class TokenFileError(AudienceError):
    """The file of a token, or its folder, is not the user's alone."""


def served_token_path(url: str) -> Path:
    """The file that holds the token of the server at this address.

    Only scheme, host and port count. `localhost` and `127.0.0.1` are two addresses: what answers
    at the one need not be what answers at the other.

    Raises `ValueError` if the address names no host, and `TokenFileError` if this user has no
    runtime folder.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("The address of a server begins with http:// and names a host.")
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    name = quote(f"{parts.scheme}-{parts.hostname}-{port}", safe="")
    return _folder() / f"{name}.token"


def keep(url: str, token: str) -> Path:
    """Write the token of the server at this address, for this user alone, and return the file.

    The file appears whole or not at all, and takes the place of one that is there.

    Raises `TokenFileError` if the folder cannot be made private.
    """
    path = served_token_path(url)
    try:
        path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        _make_private(path.parent)
        _write(path, token)
    except OSError as error:
        raise TokenFileError(f"The token cannot be kept in {path.parent}: {error}") from None
    return path


def find(url: str) -> str | None:
    """The token that a server of this user left for this address; None if there is none.

    Raises `TokenFileError` if a file is there that others can read or that is another user's.
    """
    try:
        path = served_token_path(url)
    except (ValueError, TokenFileError):
        return None  # where nothing can be kept there is nothing to find
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TokenFileError(f"{path} is not readable: {error.strerror}. Remove it.") from None
    with os.fdopen(handle, encoding="utf-8") as file:
        # What is checked is the file that was opened, whatever the name means a moment later.
        _check_private(os.fstat(handle), path)
        return file.read().strip() or None


def forget(url: str, token: str) -> None:
    """Remove the file of this address, unless another server has put its own there since."""
    try:
        if find(url) == token:
            served_token_path(url).unlink(missing_ok=True)
    except (TokenFileError, OSError):
        # Not ours any more, or not to be removed: the token in it dies with the server.
        return


def _folder() -> Path:
    import platformdirs

    try:
        with warnings.catch_warnings():
            # Where there is no session there is no XDG_RUNTIME_DIR, and the folder in its place
            # does as well: it is made, and looked at, as private.
            warnings.simplefilter("ignore")
            return Path(platformdirs.user_runtime_dir("audiencelab", appauthor=False))
    except OSError as error:  # pragma: no cover - not even a folder for temporary files is there
        raise TokenFileError(f"There is no runtime folder for this user: {error}") from None


def _make_private(folder: Path) -> None:
    if not _HAS_OWNERS:  # pragma: no cover - Windows
        return
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise TokenFileError(f"{folder} is not a folder of your own. Remove it.")
    if others_can_read(found):
        folder.chmod(_PRIVATE_FOLDER)


def _write(path: Path, token: str) -> None:
    # mkstemp opens with mode 0600 and follows nothing that stands there already.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
    written = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(token + "\n")
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _check_private(found: os.stat_result, path: Path) -> None:
    if not _HAS_OWNERS:  # pragma: no cover - Windows
        return
    if found.st_uid != os.getuid():
        raise TokenFileError(f"{path} belongs to another user; its token is not used.")
    if others_can_read(found):
        raise TokenFileError(
            f"Others can read {path}; its token is not used. Remove it and start the server again."
        )
