"""Opening the file of a store: whether it is one, whether it is sound, and how it is written.

Everything that can be refused is refused before the first write, so that a file which is not
ours, or newer than us, or damaged, stays as it was, byte for byte.
"""

from __future__ import annotations

import os
import sqlite3
import time
import warnings
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from audiencelab.files import reserve
from audiencelab.service.store.errors import (
    StoreBusyError,
    StoreError,
    StoreWarning,
    damaged,
    read_only,
    told,
)
from audiencelab.service.store.placement import network_file_system
from audiencelab.service.store.schema import APPLICATION_ID, SCRIPTS, VERSION

__all__ = ["connect"]

_PAUSE = 0.01
"""Seconds between two attempts to open a file that another process is making."""


def connect(file: Path | None, patience: float) -> sqlite3.Connection:
    """A connection to the store in a file, brought up to date; None is a store in memory.

    patience: seconds to wait for another process that is writing. Raises `StoreError`.
    """
    if file is None:
        connection = _connection(":memory:", patience)
        _bring_up_to_date(connection)
        return connection
    place = f"The store {file}"
    _check_place(file, place)
    until = time.monotonic() + patience
    while True:
        try:
            return _opened(file, place, patience)
        except StoreBusyError:
            # SQLite does not wait by itself while a file changes its kind of journal.
            if time.monotonic() >= until:
                raise
        time.sleep(_PAUSE)


def _opened(file: Path, place: str, patience: float) -> sqlite3.Connection:
    with told(place):
        if file.exists():
            _look_at(file, place, patience)
        else:
            # SQLite gives the files beside it the mode of this one. What is against it, another
            # process that was first among them, SQLite meets as well.
            with suppress(OSError):
                reserve(file)
        connection = _connection(_address(file, "rwc"), patience)
        try:
            # Looked at again: another process may have written since.
            _check_kind(connection, place)
            _make_durable(connection, file)
            _bring_up_to_date(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _connection(address: str, patience: float) -> sqlite3.Connection:
    # Transactions are begun in words; threads are kept apart by the store's lock.
    return sqlite3.connect(
        address, timeout=patience, isolation_level=None, check_same_thread=False, uri=True
    )


def _address(file: Path, mode: str) -> str:
    return f"file:{quote(os.fsencode(file))}?mode={mode}"


def _check_place(file: Path, place: str) -> None:
    # SQLite's own words for these ("unable to open database file") do not say which it is.
    if not file.parent.is_dir():
        raise StoreError(f"{place} cannot be made: there is no folder {file.parent}.")
    if file.is_dir():
        raise StoreError(f"{file} is a folder; a store is a file. Name one inside it.")
    if file.exists() and not file.is_file():
        raise StoreError(f"{file} is not a regular file. Name another one for the store.")
    # SQLite opens a file that it may only read without a word, and leaves a log beside it.
    for path in filter(Path.exists, (file, file.parent)):
        if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise read_only(place)


def _look_at(file: Path, place: str, patience: float) -> None:
    """Refuse what is no sound store of ours, and leave it and its folder as they are.

    The file is never read past SQLite: closing any other handle of it would take away the locks
    that this process holds on it.
    """
    # A log or journal beside the file would be worked into it by a connection that may write;
    # where there is none, one that may not write would leave an empty log behind.
    at_rest = not any(Path(f"{file}{ending}").exists() for ending in ("-wal", "-journal"))
    mode = "rw" if at_rest else "ro"
    with closing(_connection(_address(file, mode), patience)) as connection:
        try:
            _check_kind(connection, place)
            [*findings] = connection.execute("PRAGMA quick_check(1)")
        except sqlite3.OperationalError:
            # What was cut short by a crash is put right by the connection that may write.
            return
    if findings != [("ok",)]:
        raise damaged(place)


def _check_kind(connection: sqlite3.Connection, place: str) -> None:
    # As of one moment: another process may be making the store just now.
    connection.execute("BEGIN")
    try:
        version, mark = _pragma(connection, "user_version"), _pragma(connection, "application_id")
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    finally:
        connection.execute("ROLLBACK")
    if mark != APPLICATION_ID and (mark or tables or version):
        raise StoreError(f"{place} is another program's database. Name another file.")
    if version > VERSION:
        raise StoreError(
            f"{place} was written by a newer audiencelab (version {version} of a store; "
            f"this one knows {VERSION}). Upgrade audiencelab, or name another file."
        )


def _make_durable(connection: sqlite3.Connection, file: Path) -> None:
    """What was acknowledged is on the disk, not in a cache of the system."""
    kind = network_file_system(file.parent)
    if kind is not None:
        warnings.warn(
            f"The store {file} lies on a network file system ({kind}), whose locks may not hold. "
            "Let one server at a time use it, or keep it on a local disk.",
            StoreWarning,
            stacklevel=4,
        )
    # The log's index is memory that all its users share, which machines do not.
    wanted = "WAL" if kind is None else "DELETE"
    (mode,) = connection.execute(f"PRAGMA journal_mode={wanted}").fetchone()
    connection.execute(f"PRAGMA synchronous={'FULL' if mode == 'wal' else 'EXTRA'}")


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    if _pragma(connection, "user_version") == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Within the transaction: another process may have been first.
        for script in SCRIPTS[_pragma(connection, "user_version") :]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> Any:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]
