"""What the blocking and the asynchronous client have in common: everything but how they wait.

Slips too: whoever takes a client, or a group of its operations, for what they give is told what to
write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from audiencelab.client.options import Options, differences
from audiencelab.client.session import Session

if TYPE_CHECKING:
    from audiencelab.service import Service

__all__ = ["Face", "Group"]


class Face:
    """A client's session and options.

    owner: whether it holds the connections; a copy made by `with_options` borrows them.
    """

    _catalogue_as_code = "client.catalogue"

    def __init__(self, session: Session, options: Options, *, owner: bool) -> None:
        self._session = session
        self._options = options
        self._owner = owner
        if owner:
            session.usual = options

    @property
    def service(self) -> Service:
        """The embedded service itself, to add saved audiences and insights to, for one.

        Raises `LookupError` for a client of a deployment.
        """
        if self._session.service is None:
            raise LookupError(
                f"{self!r} has no embedded service; only connect() without an address makes one."
            )
        return self._session.service

    def to_code(self) -> str:
        """Python that connects to the same service, given `audiencelab` as `al`.

        No credential is in it: it is found where this client's was, or asked for.
        """
        return self._session.to_code()

    def _check_usable(self) -> None:
        """Raise `RuntimeError` if nothing can be asked of this client."""
        if self._session.closed:
            raise RuntimeError("This client is closed. Call connect() for another one.")

    def __repr__(self) -> str:
        usual = self._session.usual
        changed = differences(self._options, usual) if usual else ""
        return f"<{type(self).__name__} of {self._session}{f', with {changed}' if changed else ''}>"

    def __getitem__(self, key: object) -> NoReturn:
        named = repr(key) if isinstance(key, str) else "'…'"
        raise TypeError(
            f"A client has no items. Questions are in its catalogue: {self._catalogue_as_code}"
            f"[{named}]."
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A client holds connections and a credential and is not pickled. Call connect() "
            "where it is needed."
        )


class Group:
    """A group of operations of one client, such as `client.questions`."""

    _manner = ""
    """What is to be known of all of them, for the repr."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of a client{self._manner}: {', '.join(self._operations())}>"

    def __getitem__(self, key: object) -> NoReturn:
        # A loop and the word `in` come here too; where there is an `__iter__`, `in` does not.
        self._refuse()

    def __call__(self, *_: object, **__: object) -> NoReturn:
        self._refuse()

    def _operations(self) -> list[str]:
        return [f".{name}()" for name in vars(type(self)) if not name.startswith("_")]

    def _refuse(self) -> NoReturn:
        group = f"client.{type(self).__name__.removeprefix('Async').lower()}"
        called = " or ".join(f"{group}{operation}" for operation in self._operations())
        raise TypeError(f"{group} is a group of operations and none itself: call {called}.")
