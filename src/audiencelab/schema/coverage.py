"""Which waves offered an answer or an item, as flags of a question: written and read here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, unquote

OFFERED_FLAG = "offered:"
"""Prefix of the flag of an answer or item that some waves of its question did not offer, with the
waves that did: "offered:q1_3:w3,w4". Codes are percent-encoded; no wave at all is an empty list."""


def offered_flags(offered: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The flags of answers by code, with the waves that offered each.

    >>> offered_flags({"q1_3": ["w3", "w4"]})
    ('offered:q1_3:w3,w4',)
    """
    return tuple(
        # Encoded, as codes of waves may have a comma or a colon of their own.
        f"{OFFERED_FLAG}{quote(code, safe='')}:{','.join(quote(each, safe='') for each in waves)}"
        for code, waves in offered.items()
    )


def offered_in(flags: Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    """The waves that offered an answer, by its code, for those that not all waves offered.

    >>> offered_in(["derived", "offered:q1_3:w3,w4"])
    {'q1_3': ('w3', 'w4')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for flag in flags or ():
        if flag.startswith(OFFERED_FLAG):
            code, _, waves = flag.removeprefix(OFFERED_FLAG).partition(":")
            found[unquote(code)] = tuple(unquote(each) for each in waves.split(",") if each)
    return found
