"""`Secret`, the one type that holds a credential.

A notebook prints, logs, pickles and saves whatever it holds, so a token is a `Secret` from the
first line of `connect()` until its header is written. `client.veil` finds one in what a service
answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, NoReturn, Self

from audiencelab.client.errors import CredentialError

DOTS = "••••••"
"""What is shown in place of a credential."""


class Secret(str):
    """A string that shows itself as dots in `repr`, `str`, f-strings and tracebacks.

    `reveal()` returns the text. Pickling it raises `TypeError`: pickles are written to disks.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        return super().__new__(cls, text.reveal() if isinstance(text, Secret) else text)

    def reveal(self) -> str:
        """The text itself.

        >>> from audiencelab.client import Secret
        >>> Secret("a token"), Secret("a token").reveal()
        (Secret('••••••'), 'a token')
        """
        return str.__str__(self)

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


def header_error(token: Secret) -> str:
    """Why a token cannot be sent in a header; `""` if it can."""
    text = token.reveal()
    if not text.strip():
        return "is empty"
    if not text.isprintable():
        return "holds a line break or another control character"
    if not text.isascii():
        return "holds a character that no header can carry; tokens are plain ASCII"
    return "begins or ends with a space" if text != text.strip() else ""


class HiddenValues(dict[str, Any]):
    """Headers or settings that may hold a password: shows their names, each `str` is a `Secret`."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(
            (name, Secret(value) if isinstance(value, str) else value)
            for name, value in settings.items()
        )

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: {DOTS}' for name in self)}}}"

    __str__ = __repr__


def token_source(function: Callable[[], str]) -> Callable[[], Secret]:
    """The caller's function that returns the token of each request, with its result checked.

    What it returns raises `CredentialError` where the function fails, without quoting the
    function's error, which may hold the credential.
    """
    kind = type(function).__name__
    name = f"The function {getattr(function, '__qualname__', kind)}"

    def current_token() -> Secret:
        token = None
        try:
            token, error = _to_secret(function())
        except Exception as raised:
            error = f"failed with {type(raised).__name__}{_line_of(raised)}"
        if token is not None and not error:
            return token
        raise CredentialError(
            f"{name}, given to connect(token=…), {error}. No more is shown, since it may hold "
            "the credential: call the function yourself to see it."
        )

    return current_token


def _to_secret(given: Any) -> tuple[Secret | None, str]:
    if not isinstance(given, str):
        return None, f"must return a str; got {type(given).__name__}"
    token = Secret(given)
    error = header_error(token)
    return token, f"returned a token that {error}" if error else ""


def _line_of(error: Exception) -> str:
    """Where the error was raised, without the source line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:  # pragma: no cover - an error that was raised has a traceback
        return ""
    return f" in line {trace.tb_lineno} of {PurePath(trace.tb_frame.f_code.co_filename).name}"
