"""Charts of altair in a lesson, shown without a network."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def show_altair_offline() -> None:
    """Let a notebook show altair's charts by this package instead of libraries from a CDN.

    Does nothing outside notebooks, without altair, or where another renderer was chosen.
    """
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        return
    try:
        altair: Any = import_module("altair")
    except ImportError:
        return
    if altair.renderers.active == "default":
        altair.renderers.enable("audiencelab")
