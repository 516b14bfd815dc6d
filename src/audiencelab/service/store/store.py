"""Documents in SQLite: written whole, and on the disk before anybody is told so.

One connection and one lock: a store serves the threads of one process, and other processes may
have the same file open. What a document says is for the operations to know.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from audiencelab.service.store.errors import StoreBusyError, told
from audiencelab.service.store.files import connect

__all__ = ["Documents", "Kept", "Store"]

Table = Literal["charts", "audiences"]

PATIENCE = 5.0
"""Seconds to wait for somebody else who is writing."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that was given before: the digest of its request, and its body."""

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
        """The store in a file, made if there is none; None or `":memory:"` keeps nothing.

        The file is brought up to date if an older version wrote it. On a network file system a
        `StoreWarning` says so, and a rollback journal takes the place of the write-ahead log.

        patience: seconds to wait for another process or thread that is writing.
        Raises `StoreError` for a folder that is not there or not writable, a file that is no
        store or damaged, and a store of a newer version; the file is then as it was.
        """
        file: Path | None = None
        if path is not None and str(path) != ":memory:":
            file = Path(path).expanduser().absolute()
        return cls(connect(file, patience), file, patience)

    @contextmanager
    def reading(self) -> Generator[Documents]:
        """The documents as they are at one moment."""
        with self._transaction("BEGIN") as documents:
            yield documents

    @contextmanager
    def writing(self) -> Generator[Documents]:
        """The documents to change, all or nothing: an exception leaves everything as it was.

        When the block has ended the changes are on the disk. Raises `StoreBusyError` while
        somebody else writes, and `StoreError` if the disk is full or fails.
        """
        with self._transaction("BEGIN IMMEDIATE") as documents:
            yield documents

    @contextmanager
    def _transaction(self, begin: str) -> Generator[Documents]:
        # A thread that waits behind others is told in time too.
        if not self._lock.acquire(timeout=self._patience):
            raise StoreBusyError(f"{self._place} is being written. Try again.")
        try:
            with told(self._place):
                self._connection.execute(begin)
                try:
                    yield Documents(self._connection)
                    self._connection.execute("COMMIT")
                except BaseException:
                    # A full disk may have ended the transaction already.
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the file once what is under way has ended; harmless twice."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _place(self) -> str:
        return "The store in memory" if self.file is None else f"The store {self.file}"

    def __repr__(self) -> str:
        return f"<Store {'in memory' if self.file is None else self.file}>"


class Documents:
    """What stands in a store, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, table: Table, id: str) -> bytes | None:  # noqa: A002 -- the resource's own field name
        """A document by id; None if there is none."""
        try:
            found = self._connection.execute(
                f"SELECT document FROM {table} WHERE id = ?", (id,)
            ).fetchone()
        except UnicodeEncodeError:
            # Half a character is in no id.
            return None
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
