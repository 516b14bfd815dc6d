"""How a part of the catalogue is found by its code or its name, and what is said if it is not."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

from audiencelab.wire import Datapoint, Suffix

__all__ = ["check_text", "closed", "guess", "pick"]

Named = TypeVar("Named", Datapoint, Suffix)


def pick(key: str, among: Iterable[Named]) -> Named | None:
    """The one of that code, of that name, or of that name in any case; None unless one has it."""
    check_text("datapoint", key, several="question.any('…', '…')")
    listed, folded = list(among), key.casefold()
    for found in (
        [each for each in listed if each.code == key],
        [each for each in listed if each.name == key],
        [each for each in listed if each.name.casefold() == folded],
    ):
        if len(found) == 1:
            return found[0]
    return None


def check_text(what: str, key: object, several: str = "") -> None:
    """Raise `TypeError` for a key that can be neither code nor name.

    several: what to write where more than one was meant.
    """
    if not isinstance(key, str):
        kind = type(key).__name__
        advice = f" Several are {several}." if several and isinstance(key, (list, tuple)) else ""
        raise TypeError(f"A {what} is found by its code or name, as text, not by {kind}.{advice}")


def closed(what: str) -> str:
    """What is said of a part that is there and may not be used."""
    return (
        f"{what} is not accessible: it is there, but this credential may not use it. Ask those who "
        "run the service for access; in a panel of your own, put accessible = true into its "
        "codebook."
    )


def guess(key: str, names: dict[str, str]) -> str:
    """A question back, " Did you mean …?", from names by code; or nothing."""
    by_text = {text.casefold(): code for code, name in names.items() for text in (name, code)}
    near = get_close_matches(key.rpartition(".")[2].casefold(), by_text, n=3, cutoff=0.6)
    codes = list(dict.fromkeys(by_text[text] for text in near))
    if not codes:
        return ""
    return f" Did you mean {' or '.join(f'{code!r} ({names[code]})' for code in codes)}?"
