"""Codes as a request carries them: text, and a list where a list is meant.

A string is a list of letters to Python, and an object of the catalogue is no code: both are said
before anything is sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral

__all__ = ["code", "codes"]


def codes(name: str, given: Iterable[str | int] | None) -> list[str] | None:
    """Codes as the wire writes them; None stays None and an empty list stays empty."""
    if given is None:
        return None
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of codes, such as [{given!r}], not a single one.")
    if not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(f"{name} must be a list of codes, such as [{given!r}].")
    listed = list(given)
    for place, each in enumerate(listed):
        if not isinstance(each, (str, Integral)):  # pyright: ignore[reportUnnecessaryIsInstance] -- as above
            raise TypeError(
                f"{name}[{place}] is no code but of type {type(each).__name__}. Give the codes: "
                f"{name}=[each.code for each in …]."
            )
    return [str(each) for each in listed]


def code(name: str, given: str) -> str:
    """The code of one question; raises `TypeError` for anything that is no text."""
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"{name} must be the code of one question, such as 'q4', not "
            f"{type(given).__name__}. A question of the catalogue has it as its .code."
        )
    # One out of a numpy array is text of a type that no JSON can be written of.
    return str(given)
