"""What the groups of operations of a client have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audiencelab.client.sending import Sender


class OperationGroup:
    """A group of operations of one client, such as `client.questions`."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def __repr__(self) -> str:
        names = [f".{name}()" for name in vars(type(self)) if not name.startswith("_")]
        return f"<{type(self).__name__} of a client: {', '.join(names)}>"

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            if name == "list" and hasattr(type(self), "filter"):
                return self.filter
            raise AttributeError(f"{self!r} has no attribute {name!r}.")
