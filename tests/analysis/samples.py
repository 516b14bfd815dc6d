"""Tables whose shares and respondents are given, as a service would send them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from audiencelab.schema import Metrics
from audiencelab.tables import CrosstabResult, StatsResult
from tests.results.samples import crosstab, row, stats

PEOPLE = 1_000.0
"""How many people stand behind each respondent."""


def survey(
    shares: Sequence[Sequence[float]],
    samples: Sequence[float],
    *,
    base: float | None = None,
    people: float = PEOPLE,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    rest: float = 0.5,
) -> CrosstabResult:
    """A crosstab of column percentages (0 to 100) of separate columns of so many respondents.

    base: respondents in all, more than in the columns by default. rest: the rows' share of those
    in no column.
    """
    share, sample = np.array(shares) / 100, np.array(samples, dtype=float)
    whole = sample.sum() + 100 if base is None else base
    positive = share * sample
    down = positive.sum(axis=1, keepdims=True) + rest * (whole - sample.sum())
    figures: dict[str, Any] = {
        "size": positive * people,
        "sample": np.round(positive),
        "column_size": sample * people,
        "column_sample": sample,
        "row_size": down * people,
        "row_sample": np.round(down),
        "base_size": whole * people,
        "base_sample": whole,
        "percentage": 100 * positive / whole,
        "column_percentage": 100 * share,
        "row_percentage": 100 * positive / down,
        "row_base_percentage": 100 * down / whole,
        "column_base_percentage": 100 * sample / whole,
        "index": 100 * share / (down / whole),
    }
    return crosstab(
        tuple(rows) or tuple(f"row {place}" for place in range(1, len(shares) + 1)),
        tuple(columns) or tuple(f"column {place}" for place in range(1, len(samples) + 1)),
        **{name: np.broadcast_to(values, share.shape) for name, values in figures.items()},
    )


def trend(shares: Sequence[float | None], sample: float = 400) -> StatsResult:
    """One datapoint over waves, in percent; None for a wave that did not ask."""
    rows = [
        row(figures=Metrics(**dict.fromkeys(_METRICS, 0.0)), segment=f"w{wave}", waves=[])
        if share is None
        else row(figures=_figures(share, sample), segment=f"w{wave}", waves=[f"w{wave}"])
        for wave, share in enumerate(shares, 1)
    ]
    return stats(*rows, splitter="waves")


def _figures(share: float, sample: float) -> Metrics:
    return Metrics(
        positive_size=share / 100 * sample * PEOPLE,
        positive_sample=round(share / 100 * sample),
        audience_size=sample * PEOPLE,
        audience_sample=sample,
        datapoint_size=0.3 * 5_000 * PEOPLE,
        datapoint_sample=1_500,
        audience_percentage=share,
        datapoint_percentage=share / 100 * sample / 1_500 * 100,
        audience_index=share / 0.3,
    )


_METRICS = Metrics.__struct_fields__


def without_ask(result: Any) -> Any:
    """The same of a service that has the ten operations alone."""
    gone = pickle.loads(pickle.dumps(result))
    object.__setattr__(gone, "ask", None)
    return gone
