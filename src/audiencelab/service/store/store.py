"""Documents in SQLite: written whole, and on the disk before anybody is told so.

One connection and one lock: a store serves the threads of one process, and other processes may
have the same file open. What a document says is for the operations to know.
"""

from __future__ import annotations

import sqlite3
import threading
import warnings
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from audiencelab.errors import AudienceError
from audiencelab.service.store.placement import network_file_system
from audiencelab.service.store.schema import SCRIPTS, VERSION

__all__ = ["Documents", "Kept", "Store", "StoreBusyError", "StoreError"]

Table = Literal["charts", "audiences"]

_MEMORY = ":memory:"
_PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class StoreError(AudienceError):
    """The store cannot be used; the message names its file and what to do. Nothing was changed."""


class StoreBusyError(StoreError):
    """Another process has been writing for too long; the same request may succeed later."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that was given before: the digest of its request, and its body."""

    request: bytes
    body: bytes


class Store:
    """A store in a file, or in memory for as long as it is open. Make one with `Store.open`."""

    def __init__(self, connection: sqlite3.Connection, place: str) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self.place = place

    @classmethod
    def open(cls, path: str | Path | None = None) -> Store:
        """The store in a file, made if there is none; None or `":memory:"` keeps nothing.

        The file is brought up to date if an older version wrote it. On a network file system a
        warning says so, and a rollback journal takes the place of the write-ahead log.

        Raises `StoreError` for a folder that is not there or not writable, a file that is no
        store or damaged, and a store of a newer version; the file is then as it was.
        """
        if path is None or str(path) == _MEMORY:
            return cls._opened(_MEMORY, "the store in memory", journal=None)
        file = Path(path).expanduser()
        _check_place(file)
        kind = network_file_system(file.parent)
        if kind is not None:
            warnings.warn(
                f"The store {file} lies on a network file system ({kind}). It works there for one "
                "server at a time; a local disk is quicker and safer.",
                stacklevel=2,
            )
        return cls._opened(str(file), f"the store {file}", "DELETE" if kind else "WAL")

    @classmethod
    def _opened(cls, file: str, place: str, journal: str | None) -> Store:
        with _told(place):
            connection = sqlite3.connect(
                file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                _check_version(connection, place)
                if journal is not None:
                    connection.execute(f"PRAGMA journal_mode={journal}")
                    # An acknowledged write is on the disk, not in a cache of the system.
                    connection.execute("PRAGMA synchronous=FULL")
                _bring_up_to_date(connection)
            except BaseException:
                connection.close()
                raise
        return cls(connection, place)

    @contextmanager
    def reading(self) -> Generator[Documents]:
        """The documents as they are at one moment."""
        with self._transaction("BEGIN") as documents:
            yield documents

    @contextmanager
    def writing(self) -> Generator[Documents]:
        """The documents to change, all or nothing: an exception leaves everything as it was.

        When the block has ended the changes are on the disk. Raises `StoreBusyError` while
        another process writes, and `StoreError` if the disk is full or fails.
        """
        with self._transaction("BEGIN IMMEDIATE") as documents:
            yield documents

    @contextmanager
    def _transaction(self, begin: str) -> Generator[Documents]:
        with self._lock, _told(self.place):
            self._connection.execute(begin)
            try:
                yield Documents(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file; harmless twice."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store: {self.place.removeprefix('the store ')}>"


class Documents:
    """What stands in a store, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, table: Table, id: str) -> bytes | None:  # noqa: A002 -- the resource's own field name
        """A document by id."""
        found = self._connection.execute(
            f"SELECT document FROM {table} WHERE id = ?", (id,)
        ).fetchone()
        return found and found[0]

    def every(self, table: Table) -> Iterable[tuple[str, bytes]]:
        """Ids and documents, in the order in which they were first put."""
        return self._connection.execute(f"SELECT id, document FROM {table} ORDER BY place")

    def put(self, table: Table, id: str, document: bytes) -> None:  # noqa: A002 -- as above
        """Keep a document, in place of one of the same id."""
        self._connection.execute(
            f"INSERT INTO {table} (id, document) VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET document = excluded.document",
            (id, document),
        )

    def answer(self, key: str, since: float) -> Kept | None:
        """The answer kept under a key at `since` (epoch seconds) or later."""
        found = self._connection.execute(
            "SELECT request, body FROM answers WHERE key = ? AND at >= ?", (key, since)
        ).fetchone()
        return found and Kept(*found)

    def keep_answer(self, key: str, kept: Kept, at: float, since: float) -> None:
        """Keep an answer under a key, and forget those from before `since`."""
        self._connection.execute("DELETE FROM answers WHERE at < ?", (since,))
        self._connection.execute(
            "INSERT OR REPLACE INTO answers (key, request, body, at) VALUES (?, ?, ?, ?)",
            (key, kept.request, kept.body, at),
        )


def _check_place(file: Path) -> None:
    # SQLite's own words for these ("unable to open database file") do not say which it is.
    if not file.parent.is_dir():
        raise StoreError(f"The store {file} cannot be made: there is no folder {file.parent}.")
    if file.is_dir():
        raise StoreError(f"{file} is a folder; a store is a file. Name one inside it.")


def _check_version(connection: sqlite3.Connection, place: str) -> None:
    """Refuse what is no store of ours before anything is written to it."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise StoreError(
            f"{_sentence(place)} was written by a newer audiencelab (version {version} of a store; "
            f"this one knows {VERSION}). Upgrade audiencelab, or use another file."
        )
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not version and tables:
        raise StoreError(f"{_sentence(place)} is another program's database. Use another file.")


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Looked at again: another process may have done it while this one waited.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for script in SCRIPTS[version:]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _told(place: str) -> Generator[None]:
    """SQLite's errors as ours."""
    try:
        yield
        return
    except sqlite3.Error as error:
        failure = _failure(error, place)
    raise failure


def _failure(error: sqlite3.Error, place: str) -> StoreError:
    subject = _sentence(place)
    # The low byte is the kind; the others say more about it.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        return StoreBusyError(f"{subject} is being written by another process. Try again.")
    words = {
        sqlite3.SQLITE_FULL: "could not be written: the disk is full. Nothing was changed.",
        sqlite3.SQLITE_READONLY: "is read-only. Make file and folder writable, or use another.",
        sqlite3.SQLITE_CANTOPEN: "cannot be opened. May this user write there?",
        sqlite3.SQLITE_NOTADB: "is no store. Use another file; this one was left as it is.",
        sqlite3.SQLITE_CORRUPT: "is damaged. Put a copy in its place, or use another file.",
    }
    return StoreError(f"{subject} {words.get(code, f'failed: {error}.')}")


def _sentence(place: str) -> str:
    return place[:1].upper() + place[1:]
