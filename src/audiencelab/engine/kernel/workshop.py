"""Where the compiled kernel is made ready, at most once in a process, on a thread of its own.

numba takes a moment to import and, once in a machine's life, seconds to compile. There is no
compiled kernel until then, nor ever where numba is not installed or the variable
`AUDIENCELAB_KERNEL=numpy` declines it.
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

from audiencelab import background
from audiencelab.engine.bits import Words
from audiencelab.engine.kernel.cores import Counts, Sums

__all__ = ["KERNEL_VARIABLE", "Compiled", "at_hand", "start", "wait"]

KERNEL_VARIABLE = "AUDIENCELAB_KERNEL"

_log = logging.getLogger("audiencelab.engine")


class Compiled(Protocol):
    """What the module `compiled` offers."""

    def pair_tables(
        self, rows: Words, columns: Words, weights: NDArray[np.float64]
    ) -> tuple[Counts, Sums]: ...


_lock = threading.Lock()
_maker: background.Task[None] | None = None
_made: Compiled | None = None


def at_hand() -> Compiled | None:
    """The compiled kernel if it is ready."""
    return _made


def start() -> None:
    """Begin to make the compiled kernel ready, on another thread; at most once."""
    global _maker
    with _lock:
        if _maker is None:
            # Compiling cannot be cancelled, and the next process finds the compiled kernel.
            _maker = background.run(_make, name="audiencelab-kernel", cancel=lambda: None)


def wait() -> Compiled | None:
    """The compiled kernel, waited for; None where there is none."""
    start()
    if _maker is not None:
        _maker.wait()
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
