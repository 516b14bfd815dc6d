"""Which waves asked a question or offered an answer, as its flags: written and read here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from urllib.parse import quote, unquote

OFFERED_FLAG = "offered:"
"""Prefix of the flag of an answer or item that some waves of its question did not offer, with the
waves that did: "offered:q1_3:w3,w4". Codes are percent-encoded; no wave at all is an empty list."""


ASKED_FLAG = "asked:"
"""Prefix of the flag of a question that some waves did not ask, with those that did, encoded in the
same way: "asked:w3,w4"."""


def asked_flag(waves: Iterable[str]) -> str:
    """The flag of a question that these waves alone asked.

    >>> asked_flag(["w3", "w4"])
    'asked:w3,w4'
    """
    return f"{ASKED_FLAG}{_encoded(waves)}"


def asked_in(flags: Sequence[str] | None) -> tuple[str, ...] | None:
    """The waves that asked a question; None where all did, or where it is not known.

    >>> asked_in(["derived", "asked:w3,w4"]), asked_in(["derived"])
    (('w3', 'w4'), None)
    """
    found = (flag.removeprefix(ASKED_FLAG) for flag in flags or () if flag.startswith(ASKED_FLAG))
    return next(map(_decoded, found), None)


def offered_flags(offered: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The flags of answers by code, with the waves that offered each.

    >>> offered_flags({"q1_3": ["w3", "w4"]})
    ('offered:q1_3:w3,w4',)
    """
    return tuple(
        f"{OFFERED_FLAG}{quote(code, safe='')}:{_encoded(waves)}" for code, waves in offered.items()
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
            found[unquote(code)] = _decoded(waves)
    return found


def _encoded(waves: Iterable[str]) -> str:
    # Codes of waves may have a comma or a colon of their own.
    return ",".join(quote(each, safe="") for each in waves)


# Each table keeps them, and tables of one survey the same ones.
@lru_cache(maxsize=4096)
def _decoded(waves: str) -> tuple[str, ...]:
    return tuple(unquote(each) for each in waves.split(",") if each)
