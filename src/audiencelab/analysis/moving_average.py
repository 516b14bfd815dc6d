"""Figures over several waves in a row: smoother than each wave, and resting on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions.codes import WAVES
from audiencelab.results.stats import StatsResult

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["moving_average"]

Floats = NDArray[np.float64]


def moving_average(result: StatsResult, waves: int) -> pd.DataFrame:
    """See `StatsResult.moving_average`."""
    import pandas as pd

    if result.splitter != WAVES:
        raise ValueError('A moving average needs waves: ask with splitter="waves".')
    whole = isinstance(cast(object, waves), Integral) and not isinstance(waves, bool)
    if not (whole and 1 < waves <= len(result.segments)):
        raise ValueError(f"Take 2 to {len(result.segments)} waves together, not {waves!r}.")
    long = result.to_frame()
    keys = ["datapoint", *(["audience"] if "audience" in long else [])]
    parts = [_windows(lines, result.segments, waves) for _, lines in long.groupby(keys, sort=False)]
    # The line of each wave stays, so that labels and order are those of the frame.
    kept = [name for name in long if not _is_figure(str(name))]
    frame = long[kept].join(pd.concat(parts)) if parts else long[kept]
    recipe = f"Percentages over {waves} waves: people with the answer by people, of all of them."
    frame.attrs.update(result.provenance, recipe=recipe)
    return frame


def _is_figure(name: str) -> bool:
    return name.endswith(("size", "sample", "percentage", "index", "note", "waves"))


def _windows(lines: Any, segments: Sequence[str], waves: int) -> pd.DataFrame:
    """For each wave of one trend, the figures of it and the waves before it."""
    import pandas as pd

    place = {code: position for position, code in enumerate(segments)}
    at = [place[code] for code in lines["segment"]]
    figures: dict[str, Floats] = {}
    for name in ("positive_size", "audience_size", "positive_sample", "audience_sample"):
        of_wave: Floats = np.full(len(segments), np.nan)
        of_wave[at] = lines[name].to_numpy(np.float64)
        figures[name] = of_wave
    asked = figures["audience_size"] > 0
    sums = {
        name: _sums(np.where(asked, values, 0.0), waves)[at] for name, values in figures.items()
    }
    count = _sums(asked.astype(np.float64), waves)[at].astype(np.int64)
    whole = np.array(at) >= waves - 1
    fine = whole & (count > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(fine, 100 * sums["positive_size"] / sums["audience_size"], np.nan)
        # A size is how many people there are, not people times waves.
        sizes = {
            name: np.where(fine, sums[name] / count, np.nan)
            for name in ("positive_size", "audience_size")
        }
    notes = [
        "too few waves before it" if not all_there else f"{n} of {waves} waves" if n < waves else ""
        for all_there, n in zip(whole.tolist(), count.tolist(), strict=True)
    ]
    return pd.DataFrame(
        {
            "audience_percentage": share,
            **sizes,
            "positive_sample": np.where(whole, sums["positive_sample"], np.nan),
            "audience_sample": np.where(whole, sums["audience_sample"], np.nan),
            "waves_counted": count,
            "note": notes,
        },
        index=lines.index,
    )


def _sums(values: Floats, waves: int) -> Floats:
    """The sum of each value and those before it, so many in all."""
    return np.convolve(values, np.ones(waves))[: len(values)]
