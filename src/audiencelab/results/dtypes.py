"""Columns of frames: counts as whole numbers, text, and labels as ordered categoricals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd


def as_counts(values: NDArray[Any]) -> NDArray[Any]:
    """The values as int64 if all are whole numbers, otherwise unchanged; NaN is not one.

    A service that sends fractions of respondents keeps them: nothing is rounded here.
    """
    return values.astype(np.int64) if bool((values == np.floor(values)).all()) else values


def as_figures(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """A metric as a column of a frame: counts for a sample."""
    return as_counts(values) if name.endswith("sample") else values


def listed(metrics: str | Sequence[str]) -> Sequence[str]:
    """Metrics by name, also if one is given by itself; other types are refused later."""
    several = isinstance(cast(object, metrics), Iterable) and not isinstance(metrics, str)
    return metrics if several else [cast(str, metrics)]


def text_column(values: Iterable[str], index: Any = None) -> pd.Series[Any]:
    """A column of text, also where it is empty."""
    import pandas as pd

    return pd.Series(list(values), index=index, dtype=str)


def ordered(names: Sequence[str], positions: NDArray[np.integer[Any]] | None = None) -> Any:
    """An ordered categorical whose categories are the names in their order.

    positions: of the name in each line of the frame; a line for each name by default.
    """
    import pandas as pd

    unique = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.array([unique[name] for name in names], dtype=np.intp)
    dtype = pd.CategoricalDtype(pd.Index(list(unique), dtype=str), ordered=True)
    return pd.Categorical.from_codes(codes if positions is None else codes[positions], dtype=dtype)
