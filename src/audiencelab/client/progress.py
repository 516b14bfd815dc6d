"""How far a crosstab or a profile has come, told to a function or drawn as a bar."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from audiencelab.client.stream.collector import CrosstabUpdate

Progress = Callable[[int, int], object] | bool | None
"""A function of the cells that have arrived and the cells expected; True for a progress bar."""


@contextmanager
def reporting(
    progress: Progress, expected: int, unit: str = "cells"
) -> Generator[Callable[[CrosstabUpdate], object]]:
    """A function to call with every update; a bar is closed on every way out.

    unit: what a bar counts.

    Raises `TypeError` if `progress` is neither a function nor a truth value.
    """
    if progress is None or progress is False:
        yield lambda update: None
    elif progress is True:
        from tqdm.auto import tqdm

        with tqdm(total=expected, unit=unit) as bar:
            yield lambda update: bar.update(len(update.rows))
    elif callable(progress):
        yield lambda update: progress(update.arrived, update.expected)
    else:
        raise TypeError(
            "progress is a function of (arrived, expected), or True for a bar, not "
            f"{type(progress).__name__}."
        )
