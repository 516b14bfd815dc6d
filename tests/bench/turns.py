"""Timing several ways of doing one thing, so that their ratios can be trusted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

__all__ = ["best_turns"]

_SLOW = 0.15
_SLOW_TURNS = 3


def best_turns(ways: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """The least seconds that each way took: what it costs when nothing else wants the machine.

    The ways take turns, so that a busy moment does not fall on one of them alone; one that takes
    long has fewer turns.
    """
    for way in ways.values():
        way()
    best = dict.fromkeys(ways, float("inf"))
    for turn in range(turns):
        for name, way in ways.items():
            if turn >= _SLOW_TURNS and best[name] > _SLOW:
                continue
            start = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - start)
    return best
