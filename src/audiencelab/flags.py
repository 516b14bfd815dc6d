"""Boolean arguments where a string such as "no" would lose a file, a token or a correct number."""

from __future__ import annotations

import reprlib
import sys


def flag(name: str, given: object) -> bool:
    """The value of the argument `name` if it is a Python or numpy bool, else `TypeError`."""
    # A numpy bool exists only if numpy has been imported, and it is not imported for this.
    numpy = sys.modules.get("numpy")
    if isinstance(given, bool) or (numpy is not None and isinstance(given, numpy.bool_)):
        return bool(given)
    raise TypeError(f"{name} is True or False, not {reprlib.repr(given)}.")
