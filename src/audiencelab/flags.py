"""Flags that a caller sets: True or False, and nothing that merely counts as one of them.

To Python every text is true, so `replace="no"` would replace. It is refused where it is read first.
"""

from __future__ import annotations

import reprlib
import sys

__all__ = ["flag"]


def flag(name: str, given: object) -> bool:
    """What was given for the argument `name`, if it is True or False; numpy's own are taken too.

    Raises `TypeError` that names the argument otherwise.
    """
    if isinstance(given, bool):
        return given
    # Where one was made, numpy has been imported; it is not worth an import to find out.
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(given, numpy.bool_):
        return bool(given)
    raise TypeError(f"{name} is True or False, not {reprlib.repr(given)}.")
