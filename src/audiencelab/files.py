"""Atomic file writes; errors of the operating system become one sentence with the fix."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import secrets
import shutil
import stat
from collections.abc import Generator, Iterable
from pathlib import Path

from audiencelab.errors import AudienceError
from audiencelab.relative_paths import relative_path

# Windows has neither owners nor modes in this sense; there the user's profile is private.
_HAS_OWNERS = hasattr(os, "getuid")

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)


class WriteError(AudienceError, OSError):
    """A file could not be written; an existing one is unchanged."""


def put(path: str | Path, data: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Write a temporary file and rename it to `path`; an existing file is replaced.

    Of a symbolic link its target is replaced. private: only this user may read a new file.
    Raises `WriteError`.
    """
    target = Path(path).resolve()
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        try:
            _write(temporary, data, private=private)
            with contextlib.suppress(OSError):  # it does not exist yet
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _write_error(Path(path), error) from error


def put_new(path: str | Path, data: bytes | Iterable[bytes]) -> None:
    """Write a new file; raises `FileExistsError` if it exists, and `WriteError`."""
    target = Path(path)
    try:
        _write(target, data)
    except FileExistsError:
        raise
    except OSError as error:
        raise _write_error(target, error) from error


def unused_path(name: str, suffix: str, folder: Path | None = None) -> Path:
    """A path where no file exists: `name` with the suffix, or with -2, -3 … before it."""
    numbers = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    paths = ((folder or Path.cwd()) / f"{name}{number}{suffix}" for number in numbers)
    return next(path for path in paths if not path.exists())


@contextlib.contextmanager
def all_or_none(*paths: Path) -> Generator[None]:
    """Around code that writes several new files: if it fails, all of them are removed."""
    try:
        yield
    except BaseException:
        for path in paths:
            path.unlink(missing_ok=True)
        raise


def make_folder(path: Path) -> None:
    """Make a folder and its parents if they do not exist; raises `WriteError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _write_error(path, error) from error


def reserve(path: Path, like: Path | None = None) -> None:
    """Make an empty file that only this user may read, for another library to write into.

    like: a file that it will replace, whose mode it takes.
    Raises `OSError`, `FileExistsError` if the file exists.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    if like is not None:
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(like, path)


def make_private(folder: Path, like: Path | None = None, closed: str = "") -> None:
    """Let only this user read a folder and its files.

    like: a folder that it will replace, whose mode it takes. closed: the name of a folder in it
    that only this user may read in any case.
    Raises `OSError`.
    """
    mode = 0o700
    if like is not None:
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(like.stat().st_mode) & 0o777
    for path in folder.rglob("*"):
        is_closed = closed in path.relative_to(folder).parts[:1]
        allowed = 0o700 if is_closed else mode
        path.chmod(allowed if path.is_dir() else allowed & 0o666)
    folder.chmod(mode)


def cache_folder() -> Path:
    """The user's cache folder; the environment variable AUDIENCELAB_CACHE overrides it."""
    if chosen := os.environ.get("AUDIENCELAB_CACHE"):
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("audiencelab"))


def others_can_read(found: os.stat_result) -> bool:
    """Whether the mode of a file lets other users read or write it."""
    return _HAS_OWNERS and bool(stat.S_IMODE(found.st_mode) & (stat.S_IRWXG | stat.S_IRWXO))


def write_failure(error: OSError, at: Path) -> str:
    """The message of a system error, with the fix; at: the folder where the file was to be."""
    # A dot alone would look like the end of the sentence.
    folder = "the working directory" if at == Path() else str(relative_path(at))
    if error.errno in _FULL:
        return (
            f"the disk of {folder} is full, or a limit on the size of files is reached. Existing "
            "files are unchanged. Free some space, or write to another disk."
        )
    if error.errno in _CLOSED:
        return (
            f"this user may not write in {folder}. Make the folder writable, or name another one."
        )
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "a file has the name of the folder. Choose another name."
    if not at.exists():
        return f"there is no folder {folder}. Make it, or name another one."
    return f"{error.strerror or error}. Existing files are unchanged."


def _write_error(path: Path, error: OSError) -> WriteError:
    found = WriteError(
        f"{relative_path(path)} could not be written: {write_failure(error, path.parent)}"
    )
    found.errno = error.errno
    return found


def _write(path: Path, data: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Make a file and flush it to disk; it is removed if that fails."""
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(path, how, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines((data,) if isinstance(data, bytes) else data)
            file.flush()
            # Some disks report only now that they are full.
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
