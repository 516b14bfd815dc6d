"""Question codes with and without their namespace.

A code may carry its namespace everywhere (`core.q4`); without one it belongs to the base
namespace. A datapoint's code is never taken apart: `q42011a_3` may belong to `q42011`.
"""

from __future__ import annotations

import re

__all__ = ["ASKED", "BASE_NAMESPACE", "WAVES", "is_whole_number", "join_code", "split_code"]

BASE_NAMESPACE = "core"
"""The namespace of a code that names none, unless a survey says otherwise."""

WAVES = "waves"
"""The pseudo-question whose datapoints are the wave codes."""

ASKED = "@asked"
"""The pseudo-datapoint of every question that holds for everyone who was asked it.

No operation of the interface has it: it works where the respondents are at hand.
"""


def split_code(code: str, base: str = BASE_NAMESPACE) -> tuple[str, str]:
    """The namespace and the bare code: `"core.q4"` and `"q4"` both give `("core", "q4")`."""
    namespace, dot, bare = code.partition(".")
    return (namespace, bare) if dot else (base, code)


def join_code(namespace: str, code: str) -> str:
    """The full code, `"core.q4"`."""
    return f"{namespace}.{code}"


def is_whole_number(code: str) -> bool:
    """Whether a code is a whole number as JSON and Python write it, so that either says the same.

    Not so `"01"`, and no number beyond 18 digits, which few readers of JSON keep as it is.
    """
    return re.fullmatch(r"0|[1-9][0-9]{0,17}", code) is not None
