"""What the service would never keep, written past it into a store's file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

__all__ = ["break_audience"]


def break_audience(store: Path, identifier: str) -> None:
    """Leave a saved audience an expression that is none."""
    broken = "CAST(json_set(CAST(document AS TEXT), '$.expression.and', json('[]')) AS BLOB)"
    with closing(sqlite3.connect(store)) as file, file:
        changed = file.execute(
            f"UPDATE audiences SET document = {broken} WHERE id = ?", (identifier,)
        )
        assert changed.rowcount == 1
