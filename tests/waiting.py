"""Waiting for what must come."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until it holds; what never does is ended by the time limit of the test."""
    while not holds():
        time.sleep(0.02)
