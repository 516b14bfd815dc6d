"""Completion inside the second pair of brackets: `client.catalogue["Gender"]["Fe`.

To offer what may stand there IPython would have to look `client.catalogue["Gender"]` up, and it
looks up nothing in objects that it has not been told of, since a lookup may do anything. Those of
the catalogue do nothing but find.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

__all__ = ["let_look_up"]

_POLICY = "limited"
"""IPython's own choice. Who has chosen a stricter one keeps it."""


def let_look_up(*kinds: type) -> None:
    """Tell IPython, where one is running, that `[]` on these types may be looked up for Tab."""
    if "IPython" not in sys.modules:
        return
    try:
        module: Any = import_module("IPython.core.guarded_eval")
    except ImportError:  # pragma: no cover - an IPython of before 8.7 looks nothing up
        return
    policy = getattr(module, "EVALUATION_POLICIES", {}).get(_POLICY)
    told = getattr(policy, "allowed_getitem_external", None)
    if isinstance(told, set):
        told.update((kind.__module__, kind.__qualname__) for kind in kinds)  # pyright: ignore[reportUnknownMemberType] -- a set of names, in every version since 8.7
