"""Where the compiled kernel is made ready, in the background, while numpy does the work.

numba takes a moment to import and, once in a machine's life, seconds to compile. Nobody waits
for that: whoever asks gets None until it is ready, and for ever where numba is not installed or
the variable `AUDIENCELAB_KERNEL=numpy` says so.
"""

from __future__ import annotations

import logging
import os
import threading
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel.blocked import Counts, Sums

__all__ = ["KERNEL_VARIABLE", "Compiled", "at_hand", "compiled", "wait"]

KERNEL_VARIABLE = "AUDIENCELAB_KERNEL"

_log = logging.getLogger("audiencelab.engine")


class Compiled(Protocol):
    """What the module `compiled` offers."""

    def pair_tables(
        self, rows: Words, columns: Words, weights: NDArray[np.float64]
    ) -> tuple[Counts, Sums]: ...


_lock = threading.Lock()
_maker: threading.Thread | None = None
_made: Compiled | None = None


def at_hand() -> Compiled | None:
    """The compiled kernel if it is ready; asking does not set it going."""
    return _made


def compiled() -> Compiled | None:
    """The compiled kernel if it is ready; the first who asks sets it going in the background."""
    global _maker
    if _made is None and _maker is None:
        with _lock:
            if _maker is None:
                _maker = threading.Thread(target=_make, name="audiencelab-kernel", daemon=True)
                _maker.start()
    return _made


def wait() -> Compiled | None:
    """The compiled kernel, waited for; None where there is none."""
    compiled()
    if _maker is not None:
        _maker.join()
    return _made


def _make() -> None:
    global _made
    if os.environ.get(KERNEL_VARIABLE) == "numpy" or find_spec("numba") is None:
        return
    try:
        module: ModuleType = import_module("audiencelab.engine.kernel.compiled")
        module.warm_up()
    except Exception:
        # A numba that does not fit this Python or processor costs speed, never an answer.
        _log.warning("The compiled kernel could not be made; numpy does its work.", exc_info=True)
        return
    _made = cast(Compiled, module)
