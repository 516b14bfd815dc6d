"""The base of groups of operations, such as `client.questions`."""

from __future__ import annotations

from typing import Generic, TypeVar

S = TypeVar("S")


class Resource(Generic[S]):
    """A group of operations of one client, which sends its requests."""

    def __init__(self, sender: S) -> None:
        self._sender = sender

    def __repr__(self) -> str:
        names = [f".{name}()" for name in vars(type(self)) if not name.startswith("_")]
        return f"<{type(self).__name__} of a client: {', '.join(names)}>"
