"""Names for codes, codes for names, and the suggestion of a similar name where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar
from unicodedata import normalize

from audiencelab.schema import Datapoint, Suffix

Named = TypeVar("Named", bound=Datapoint | Suffix)

_RANGE = re.compile(r"(?<=\d) ?[-\u2013] ?(?=\d)")


def find_by_code_or_name(key: str, among: Iterable[Named]) -> Named | None:
    """The one with that code, else that name, else a name that is alike; None if not exactly one.

    Names are alike whatever their case and spaces, and "18-24" is "18 to 24".

    Raises `TypeError` for a key that is not a `str`.
    """
    if not isinstance(key, str):
        several = " For several answers write question.any('…', '…')."
        raise TypeError(
            f"An answer is found by its code or name, which must be a str; got "
            f"{type(key).__name__}.{several if isinstance(key, list | tuple) else ''}"
        )
    listed, folded = list(among), folded_name(key)
    for matching in (
        (each for each in listed if each.code == key),
        (each for each in listed if each.name == key),
        (each for each in listed if folded_name(each.name) == folded),
    ):
        if len(found := list(matching)) == 1:
            return found[0]
    return None


def folded_name(name: str) -> str:
    """A name in lower case, with single spaces, and "18 to 24" for "18-24": for comparisons."""
    return _RANGE.sub(" to ", " ".join(lowered(name).split()))


def lowered(text: str) -> str:
    """A text in lower case and in Unicode's form NFC, in which an accent is part of its letter."""
    return normalize("NFC", text.casefold())


def did_you_mean(key: str, names: Mapping[str, str]) -> str:
    """The sentence " Did you mean …?" with the nearest of these names by code, or `""`."""
    by_text = {text.casefold(): code for code, name in names.items() for text in (name, code)}
    near = get_close_matches(key.rpartition(".")[2].casefold(), by_text, n=3, cutoff=0.6)
    codes = list(dict.fromkeys(by_text[text] for text in near))
    if not codes:
        return ""
    return f" Did you mean {' or '.join(f'{code!r} ({names[code]})' for code in codes)}?"


def not_accessible(what: str) -> str:
    """The message for something that exists and that the credential may not use."""
    return (
        f"{what} is not accessible: it exists, but this credential may not use it. Ask those who "
        "run the service for access; in a survey of your own, put accessible = true into its "
        "codebook."
    )


def points_from(key: object, scale: Iterable[Suffix], rising: Sequence[str]) -> list[str]:
    """A point of a scale and all above it, by name; none where its top is not known.

    rising: the codes of the points from the lowest.
    """
    listed = list(scale)
    point = find_by_code_or_name(key, listed) if isinstance(key, str) else None
    if point is None or point.code not in rising:
        return []
    higher = rising[rising.index(point.code) :]
    return [each.name or each.code for each in listed if each.code in higher]
