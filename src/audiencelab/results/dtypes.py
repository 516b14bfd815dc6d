"""Respondents as frames show them: whole numbers, as counts are.

A service that sends fractions of respondents keeps them: nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray


def as_counts(values: NDArray[Any]) -> NDArray[Any]:
    """The values as int64 where each is a whole number, else as they are; NaN is none."""
    return values.astype(np.int64) if bool((values == np.floor(values)).all()) else values


def as_figures(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """A figure as a column of a frame: a count if its name says that it is a sample."""
    return as_counts(values) if name.endswith("sample") else values


def listed(metrics: str | Sequence[str]) -> Sequence[str]:
    """Figures by name; one alone may be given as it is, and what is no name is refused later."""
    several = isinstance(cast(object, metrics), Iterable) and not isinstance(metrics, str)
    return metrics if several else [cast(str, metrics)]


def text_type() -> Any:
    """The type that pandas gives to texts, whichever version it is."""
    import pandas as pd

    return pd.Series(["text"]).dtype
