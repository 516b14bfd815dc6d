"""What the blocking and the asynchronous client have in common: everything but how they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from audiencelab.client.options import Options, differences
from audiencelab.client.session import Session

if TYPE_CHECKING:
    from audiencelab.service import Service

__all__ = ["Face"]


class Face:
    """A client's session and options.

    owner: whether it holds the connections; a copy made by `with_options` borrows them.
    """

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

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A client holds connections and a credential and is not pickled. Call connect() "
            "where it is needed."
        )
