"""What the groups of operations of a client have in common."""

from __future__ import annotations

from audiencelab.client.sending import Sender
from audiencelab.unknown_names import OtherWords


class OperationGroup(OtherWords):
    """A group of operations of one client, such as `client.questions`."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def __repr__(self) -> str:
        names = [f".{name}()" for name in vars(type(self)) if not name.startswith("_")]
        return f"<{type(self).__name__} of a client: {', '.join(names)}>"
