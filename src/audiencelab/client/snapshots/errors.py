"""What goes wrong with snapshots: a file that cannot be trusted, a request that is not in it."""

from __future__ import annotations

from typing import Any

from audiencelab.client.errors import ClientError

__all__ = ["SnapshotError", "SnapshotLeak", "SnapshotMiss"]


class SnapshotError(ClientError):
    """A snapshot that cannot be read, recorded or written; the message names file and line."""


class SnapshotLeak(SnapshotError):
    """The credential stands in what was recorded, so the snapshot was not written."""


class SnapshotMiss(SnapshotError, LookupError):
    """A replayed client asked what the snapshot does not hold.

    method, path: the request that was asked.
    differences: how it differs from the nearest recorded one, a line each; empty if nothing
        like it was recorded.
    """

    def __init__(
        self, message: str, method: str, path: str, differences: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.method = method
        self.path = path
        self.differences = differences

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.method, self.path, self.differences)
