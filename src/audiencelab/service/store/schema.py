"""The tables of a store, and how an older store becomes one of today.

`PRAGMA user_version` counts the scripts that a file has been through. A script is never changed
once it has been released; a new one is added at the end.
"""

from __future__ import annotations

__all__ = ["APPLICATION_ID", "SCRIPTS", "VERSION"]

APPLICATION_ID = 0x61756C62
"""Tells a store from every other SQLite file: the letters `aulb`."""

SCRIPTS = (
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
)

VERSION = len(SCRIPTS)
