"""Arguments of operations: codes as a request carries them, and versions that a caller has seen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from numbers import Integral
from typing import TypeAlias, cast

from audiencelab.schema import ChartCreated, SavedAudience, SavedChart
from audiencelab.schema.etags import TAGGED, etag_of

Seen: TypeAlias = SavedChart | ChartCreated | SavedAudience | str
"""What shows which version a caller has seen: what a call returned, or an entity tag."""

_ENTITY_TAG = re.compile(r'\*|(W/)?"[!#-~]*"')


def codes(name: str, given: Iterable[str | int] | None) -> list[str] | None:
    """Codes as `str`; None stays None and an empty list stays empty."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of codes, such as [{given!r}]; got {given!r}.")
    listed = list(given)
    for position, each in enumerate(listed):
        if not isinstance(each, (str, Integral)):
            raise TypeError(
                f"{name}[{position}] must be a code (str or int); got {type(each).__name__}. "
                f"Pass codes: {name}=[each.code for each in …]."
            )
    return [str(each) for each in listed]


def code(name: str, given: str) -> str:
    """The code of one question; raises `TypeError` for anything but a `str`."""
    if not isinstance(given, str):
        raise TypeError(
            f"{name} must be the code of one question, such as 'q4'; got {type(given).__name__}. "
            "A question of the catalogue has it as .code."
        )
    # A str of a numpy array has a type that msgspec does not encode.
    return str(given)


def if_match_header(seen: Seen | None) -> dict[str, str]:
    """The header that lets an update change this version alone.

    Empty for None, and for what a service without entity tags returned. Raises `TypeError` and
    `ValueError` for what no version is known of.
    """
    if seen is None:
        return {}
    if isinstance(seen, TAGGED):
        etag = etag_of(seen)
        return {} if etag is None else {"if-match": etag}
    if not isinstance(seen, str):
        raise TypeError(
            "if_match must be what a call returned, such as a saved audience, or an entity tag; "
            f"got {type(cast(object, seen)).__name__}."
        )
    if not _ENTITY_TAG.fullmatch(seen):
        raise ValueError(
            f"if_match={seen!r} is not valid: an entity tag is in double quotes. Pass what was "
            "read or written before: if_match=saved."
        )
    return {"if-match": seen}
