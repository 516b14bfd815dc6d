"""Question codes with and without their namespace, and the names of waves.

A code may include its namespace everywhere (`core.q4`); without one it belongs to the base
namespace. A datapoint's code is never split: `q42011a_3` may belong to `q42011`.
"""

from __future__ import annotations

import re
from unicodedata import combining, normalize

BASE_NAMESPACE = "core"
"""The namespace of a code without one, unless a survey has another."""

WAVES = "waves"
"""The pseudo-question whose datapoints are the wave codes."""

WAVE_COLUMNS = (
    "wave", "waves", "survey_wave", "wave_no", "wave_number", "waveno", "round", "survey_round",
    "round_no", "essround", "idround", "sweep", "s002", "s002vs", "s002evs", "sddsrvyr",
    # German, French, Spanish, Italian, Portuguese, Polish, Swedish, Dutch, Danish, Norwegian,
    # Finnish
    "welle", "wellen", "erhebungswelle", "befragungswelle", "vague", "ola", "oleada", "ronda",
    "ondata", "onda", "rilevazione", "vaga", "rodada", "fala", "våg", "meting", "meetronde",
    "mätomgång", "bølge", "bølger", "bolge", "boelge", "målebølge", "måling", "runde", "målerunde",
    "aalto", "tutkimusaalto", "kierros", "tutkimuskierros",
)  # fmt: skip
"""Names of columns that are the wave, whatever their values."""

ASKED = "@asked"
"""The pseudo-datapoint of every question that holds for everyone who was asked it.

No operation of the interface has it: it works where the respondents are at hand.
"""

_LETTERS = str.maketrans("øØłŁđĐðÐħĦıŋŊŧŦ", "oOlLdDdDhHinNtT") | str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th"}
)
"""Letters of Latin script that are not one with an accent, by what they are written as in ASCII."""

_QUARTER = re.compile(r"q([1-4])_(\d{4})")


def wave_name(code: str) -> str:
    """A wave's name from its code: `q1_2024` is "Q1 2024"; other codes are returned unchanged."""
    found = _QUARTER.fullmatch(code)
    return f"Q{found[1]} {found[2]}" if found else code


def code_of(name: str) -> str:
    """A name without what a code must not have; letters with accents are those without.

    >>> code_of("Fréquence d'achat (%)")
    'Frequence_d_achat'
    """
    if not name.isascii():
        parts = normalize("NFKD", name.translate(_LETTERS))
        name = "".join(sign for sign in parts if not combining(sign))
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-")


def split_code(code: str, base: str = BASE_NAMESPACE) -> tuple[str, str]:
    """The namespace and the bare code: `"core.q4"` and `"q4"` both give `("core", "q4")`."""
    namespace, dot, bare = code.partition(".")
    return (namespace, bare) if dot else (base, code)


def join_code(namespace: str, code: str) -> str:
    """The full code, `"core.q4"`."""
    return f"{namespace}.{code}"


def is_whole_number(code: str) -> bool:
    """Whether a code is an integer that JSON and Python write alike.

    Not `"01"`, and no number of more than 18 digits, which few JSON readers keep exactly.
    """
    return re.fullmatch(r"0|[1-9][0-9]{0,17}", code) is not None
