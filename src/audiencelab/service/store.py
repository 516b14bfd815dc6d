"""The service's SQLite store: charts, saved audiences, and responses to repeated requests.

Documents are written whole, in transactions that are on the disk before a request is answered. One
connection and one lock: a store serves the threads of one process, and other processes may have
the same file open.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from audiencelab.errors import AudienceError
from audiencelab.files import reserve

Table = Literal["charts", "audiences"]

PATIENCE = 5.0
"""Seconds to wait for another writer."""

_RETRY_SECONDS = 0.01
"""Pause between attempts to open a file that another process is creating."""

APPLICATION_ID = 0x61756C62
"""Marks the SQLite file of a store: the letters `aulb`."""

MIGRATIONS = (
    """
    CREATE TABLE charts (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        document BLOB NOT NULL
    );
    CREATE TABLE audiences (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        document BLOB NOT NULL
    );
    CREATE TABLE answers (
        key TEXT PRIMARY KEY,
        request BLOB NOT NULL,
        body BLOB NOT NULL,
        at REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE owners (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE
    );
    INSERT INTO owners (id, name) VALUES (1, '');
    """,
)
"""Scripts that bring a store up to date, counted by `PRAGMA user_version`. Released ones are never
changed; new ones are added at the end."""


class StoreError(AudienceError):
    """The store cannot be used; the message names its file and what to do. Nothing was changed."""


class StoreBusyError(StoreError):
    """Another process or thread has been writing for too long; the same may succeed later."""


class StoreFullError(StoreError):
    """The disk of the store is full or fails; nothing was changed."""


class StoreClosedError(StoreError):
    """The store was closed."""


_READ_ONLY = "cannot be written. Make the file and its folder writable, or name another file."
_DAMAGED = "is damaged. Put a copy in its place, or name another file."

_FAILURES: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_FULL: (
        StoreFullError,
        "could not be written: the disk is full. Nothing was changed.",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreFullError,
        "could not be read or written: its disk fails or is full. Nothing was changed.",
    ),
    sqlite3.SQLITE_READONLY: (StoreError, _READ_ONLY),
    sqlite3.SQLITE_CANTOPEN: (
        StoreError,
        "cannot be opened. May this user read and write the file and its folder?",
    ),
    sqlite3.SQLITE_NOTADB: (StoreError, "is not a store. Name another file."),
    sqlite3.SQLITE_CORRUPT: (StoreError, _DAMAGED),
}


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The response to an earlier request: the digest of the request, and the response's body."""

    request: bytes
    body: bytes


class Store:
    """A store in a file, or in memory for as long as it is open. Make one with `Store.open`."""

    def __init__(self, connection: sqlite3.Connection, file: Path | None, patience: float) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._patience = patience
        self.file = file
        # A client that is dropped leaves no open file behind; Python 3.13 warns of one.
        weakref.finalize(self, connection.close)

    @classmethod
    def open(cls, path: str | Path | None = None, *, patience: float = PATIENCE) -> Self:
        """The store in a file, created if it does not exist; None or `":memory:"` keeps nothing.

        A file that an older version wrote is brought up to date. Keep the file on a local disk:
        the locks of network file systems may not hold.

        patience: seconds to wait for another process or thread that is writing.
        Raises `StoreError` for a folder that does not exist or is not writable, a file that is
        not a store or is damaged, and a store of a newer version.
        """
        file: Path | None = None
        if path is not None and str(path) != ":memory:":
            file = Path(path).expanduser().absolute()
            _check_path(file)
        return cls(_connect(file, patience), file, patience)

    def reading(self) -> AbstractContextManager[Documents]:
        """The documents as they are at one moment."""
        return self._transaction("BEGIN")

    def writing(self) -> AbstractContextManager[Documents]:
        """The documents to change, all or nothing: an exception leaves everything as it was.

        When the block has ended the changes are on the disk. Raises `StoreBusyError` while
        another one writes, and `StoreFullError` if the disk is full or fails.
        """
        return self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def _transaction(self, begin: str) -> Generator[Documents]:
        # A thread that waits behind others is refused in time too.
        if not self._lock.acquire(timeout=self._patience):
            raise StoreBusyError(f"{_name(self.file)} is being written. Try again.")
        try:
            with _own_errors(self.file), _rolled_back(self._connection, begin):
                yield Documents(self._connection)
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the file once transactions in progress have ended; harmless twice."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {'in memory' if self.file is None else self.file}>"


class Documents:
    """The contents of a store, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, table: Table, id: str) -> bytes | None:  # noqa: A002 -- the resource's own field name
        """A document by id; None if there is none."""
        try:
            found = self._connection.execute(
                f"SELECT document FROM {table} WHERE id = ?", (id,)
            ).fetchone()
        except UnicodeEncodeError:
            # A lone surrogate is in no id.
            return None
        return found and found[0]

    def every(self, table: Table) -> Iterable[tuple[str, bytes]]:
        """Ids and documents, in the order in which they were first put."""
        return self._connection.execute(f"SELECT id, document FROM {table} ORDER BY place")

    def put(self, table: Table, id: str, document: bytes) -> None:  # noqa: A002 -- as above
        """Store a document, replacing one of the same id."""
        self._connection.execute(
            f"INSERT INTO {table} (id, document) VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET document = excluded.document",
            (id, document),
        )

    def owner(self, name: str) -> int:
        """The number of a named caller, given out at its first use; 1 is the caller without one."""
        self._connection.execute("INSERT OR IGNORE INTO owners (name) VALUES (?)", (name,))
        found = self._connection.execute("SELECT id FROM owners WHERE name = ?", (name,))
        return found.fetchone()[0]

    def response(self, key: str, since: float) -> StoredResponse | None:
        """The response stored under a key at `since` (epoch seconds) or later."""
        found = self._connection.execute(
            "SELECT request, body FROM answers WHERE key = ? AND at >= ?", (key, since)
        ).fetchone()
        return found and StoredResponse(*found)

    def put_response(self, key: str, stored: StoredResponse, at: float, since: float) -> None:
        """Store a response under a key, and delete those from before `since`."""
        self._connection.execute("DELETE FROM answers WHERE at < ?", (since,))
        self._connection.execute(
            "INSERT OR REPLACE INTO answers (key, request, body, at) VALUES (?, ?, ?, ?)",
            (key, stored.request, stored.body, at),
        )


def _name(file: Path | None) -> str:
    return "The store in memory" if file is None else f"The store {file}"


@contextmanager
def _own_errors(file: Path | None) -> Generator[None]:
    """SQLite's errors as `StoreError`s that name the file."""
    try:
        yield
    except sqlite3.ProgrammingError:
        # Only the module itself raises this one, for a connection that is closed; it has no code.
        raise StoreClosedError(f"{_name(file)} is closed. Open it again.") from None
    except sqlite3.Error as error:
        # The low byte is the kind; the others are details.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            name = _name(file)
            raise StoreBusyError(
                f"{name} is being written by another process. Try again."
            ) from None
        kind, message = _FAILURES.get(code, (StoreError, f"failed: {error}."))
        raise kind(f"{_name(file)} {message}") from None


@contextmanager
def _rolled_back(connection: sqlite3.Connection, begin: str) -> Generator[None]:
    """A transaction that is committed at the end, and rolled back on any exception."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _check_path(file: Path) -> None:
    # SQLite's own message ("unable to open database file") does not say which it is.
    if not file.parent.is_dir():
        raise StoreError(f"{_name(file)} cannot be created: there is no folder {file.parent}.")
    if file.is_dir():
        raise StoreError(f"{file} is a folder; a store is a file. Name one inside it.")
    if file.exists() and not file.is_file():
        raise StoreError(f"{file} is not a regular file. Name another one for the store.")
    # SQLite opens a file that it may only read without an error, and leaves a log in its folder.
    for path in filter(Path.exists, (file, file.parent)):
        if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise StoreError(f"{_name(file)} {_READ_ONLY}")


def _connect(file: Path | None, patience: float) -> sqlite3.Connection:
    """A connection to a store that is up to date."""
    deadline = time.monotonic() + patience
    while True:
        try:
            with _own_errors(file):
                return _open(file, patience)
        except StoreBusyError:
            # SQLite does not wait itself while a file changes its journal mode.
            if time.monotonic() >= deadline:
                raise
        time.sleep(_RETRY_SECONDS)


def _open(file: Path | None, patience: float) -> sqlite3.Connection:
    if file is not None:
        # The files that SQLite adds to it have its mode.
        with suppress(OSError):
            reserve(file)
    # Transactions are explicit; the store's lock keeps threads apart.
    connection = sqlite3.connect(
        file or ":memory:", timeout=patience, isolation_level=None, check_same_thread=False
    )
    try:
        if file is not None:
            _check_contents(connection, file)
            # An acknowledged write is on the disk, not in a cache of the system.
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
        if _pragma(connection, "user_version") < len(MIGRATIONS):
            _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_contents(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse what is not a sound store of this version or an older one, before any write."""
    # As of one moment: another process may be creating the store just now.
    with _rolled_back(connection, "BEGIN"):
        version, mark = _pragma(connection, "user_version"), _pragma(connection, "application_id")
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if mark != APPLICATION_ID and (mark or tables or version):
        raise StoreError(f"{_name(file)} is another program's database. Name another file.")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{_name(file)} was written by a newer audiencelab (version {version} of a store; "
            f"this one knows {len(MIGRATIONS)}). Upgrade audiencelab, or name another file."
        )
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise StoreError(f"{_name(file)} {_DAMAGED}")


def _migrate(connection: sqlite3.Connection) -> None:
    with _rolled_back(connection, "BEGIN IMMEDIATE"):
        # Within the transaction: another process may have been first.
        for script in MIGRATIONS[_pragma(connection, "user_version") :]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={len(MIGRATIONS)}")


def _pragma(connection: sqlite3.Connection, name: str) -> Any:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]
