"""How a field of a wire type behaves when it has its default.

Types are written with msgspec's `omit_defaults`, under which a field that is None is left out.
A field that must stand in every object, even with its default, says so with `always`.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

__all__ = ["always"]

T = TypeVar("T")


def always(default: T) -> T:
    """A field that defaults to `default` (immutable) when read, and is written in any case."""
    # msgspec leaves out a field whose value is its `default`, but never one made by a factory.
    return msgspec.field(default_factory=lambda: default)
