"""Matrix products that keep to the core of whoever asks for them.

The library behind numpy's products shares each of them among all cores by itself, and its
threads wait for one another by spinning. The kernel shares respondents among the cores instead:
both at once are slower than either, and far slower where other programs want the cores too.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

__all__ = ["on_one_core"]

_lock = Lock()
_inside = 0
_limit: Any = None


@contextmanager
def on_one_core() -> Generator[None]:
    """Until the last of those who are inside leaves, a product takes the core of its caller.

    The setting is the process's, so it is counted: the first one in sets it, the last one out
    puts back what was there before.
    """
    global _inside, _limit
    with _lock:
        if _inside == 0:
            _limit = _products().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


@cache
def _products() -> Any:
    """The libraries that are loaded; imported on first use, for the compiled kernel needs none."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
