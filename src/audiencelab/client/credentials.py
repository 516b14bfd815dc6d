"""Credentials, kept out of everything that is shown or stored.

A notebook prints, logs, pickles and saves whatever it holds. So a token lives in a `Secret`,
which shows itself as dots; what supplies one, or may hold one, is veiled alike. How a credential
gets onto a request is no matter of this module: each door knows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from types import TracebackType
from typing import Any, NoReturn, Self

from audiencelab.client.errors import CredentialError

__all__ = ["DOTS", "Secret", "Supplier", "Veiled"]

DOTS = "••••••"
"""What is shown in place of a credential."""


class Secret(str):
    """A string that shows itself as dots in `repr`, `str`, f-strings and tracebacks.

    `reveal()` gives the text. It refuses to be pickled: what is pickled is soon on a disk.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        return super().__new__(cls, text.reveal() if isinstance(text, Secret) else text)

    def reveal(self) -> str:
        """The text itself."""
        return str.__str__(self)

    def fault(self) -> str:
        """What keeps the text from being sent as a header, in words; `""` for nothing."""
        text = self.reveal()
        if not text.strip():
            return "is empty"
        if not text.isprintable():
            return "holds a line break or another control character"
        if not text.isascii():
            return "holds a character that no header can carry; tokens are plain ASCII"
        return "begins or ends with a space" if text != text.strip() else ""

    def __repr__(self) -> str:
        return f"Secret('{DOTS}')"

    def __str__(self) -> str:
        return DOTS

    def __format__(self, spec: str) -> str:
        return format(DOTS, spec)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "A credential is not pickled. Set AUDIENCELAB_TOKEN where the copy will run, "
            "and connect there."
        )


class Supplier:
    """A function that gives the token for each request; shows its name alone.

    What it is made of may hold a credential, and so may the words of what it raises.
    """

    def __init__(self, function: Callable[[], str]) -> None:
        self._function = function

    def supply(self) -> Secret:
        """The token of this moment. Raises `CredentialError`, in words of our own."""
        try:
            # No local ever holds it in the open.
            token, fault = _sealed(self._function())
        except Exception as error:
            token, fault = None, f"failed with {type(error).__name__}{_whereabouts(error)}"
        if token is not None and not fault:
            return token
        raise CredentialError(
            f"{self!r}, given to connect(token=…), {fault}. No more is shown, since it may hold "
            "the credential: call the function yourself to see it."
        )

    def __repr__(self) -> str:
        kind = type(self._function).__name__
        return f"The function {getattr(self._function, '__qualname__', kind)}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("What supplies a credential is not pickled. Connect where the copy runs.")


def _sealed(given: Any) -> tuple[Secret | None, str]:
    if not isinstance(given, str):
        return None, f"gave {type(given).__name__} and not text"
    token = Secret(given)
    fault = token.fault()
    return token, f"gave a token that {fault}" if fault else ""


def _whereabouts(error: Exception) -> str:
    """The line that raised it, which quotes nothing."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:  # pragma: no cover - what was raised was raised somewhere
        return ""
    return f" in line {trace.tb_lineno} of {PurePath(trace.tb_frame.f_code.co_filename).name}"


class Veiled(dict[str, Any]):
    """A mapping that shows its names and not its values, which may hold a credential."""

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: {DOTS}' for name in self)}}}"

    __str__ = __repr__

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("Connection settings may hold a credential and are not pickled.")
