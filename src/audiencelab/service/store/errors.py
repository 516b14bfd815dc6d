"""How a store fails: SQLite's errors in our words, each with the file and what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from audiencelab.errors import AudienceError

__all__ = [
    "StoreBusyError",
    "StoreClosedError",
    "StoreError",
    "StoreFullError",
    "StoreWarning",
    "damaged",
    "read_only",
    "told",
]

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)

_READ_ONLY = "cannot be written. Make the file and its folder writable, or name another file."
_DAMAGED = "is damaged. Put a copy in its place, or name another file; this one was left as it is."

_WORDS = {
    sqlite3.SQLITE_FULL: "could not be written: the disk is full. Nothing was changed.",
    sqlite3.SQLITE_IOERR: "could not be read or written: its disk fails or is full. "
    "Nothing was changed.",
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. May this user read and write file and folder?",
    sqlite3.SQLITE_NOTADB: "is no store. Name another file; this one was left as it is.",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
}


class StoreError(AudienceError):
    """The store cannot be used; the message names its file and what to do. Nothing was changed."""


class StoreBusyError(StoreError):
    """Another process or thread has been writing for too long; the same may succeed later."""


class StoreFullError(StoreError):
    """The disk of the store is full or fails; nothing was changed."""


class StoreClosedError(StoreError):
    """The store was closed."""


class StoreWarning(UserWarning):
    """A store that works, but lies where it is not as safe as elsewhere."""


def damaged(place: str) -> StoreError:
    """A store whose pages contradict each other."""
    return StoreError(f"{place} {_DAMAGED}")


def read_only(place: str) -> StoreError:
    """A store whose file or folder this user may not write."""
    return StoreError(f"{place} {_READ_ONLY}")


@contextmanager
def told(place: str) -> Generator[None]:
    """SQLite's errors as ours; `place` begins the sentence."""
    try:
        yield
        return
    except sqlite3.Error as error:
        failure = _failure(error, place)
    # Outside the handler: SQLite's own words are in the message, its traceback helps nobody.
    raise failure


def _failure(error: sqlite3.Error, place: str) -> StoreError:
    # Only the module itself raises this one, for a connection that is closed; it has no code.
    if isinstance(error, sqlite3.ProgrammingError):
        return StoreClosedError(f"{place} is closed. Open it again.")
    # The low byte is the kind; the others say more about it.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        return StoreBusyError(f"{place} is being written by another process. Try again.")
    kind = StoreFullError if code in _FULL else StoreError
    return kind(f"{place} {_WORDS.get(code, f'failed: {error}.')}")
