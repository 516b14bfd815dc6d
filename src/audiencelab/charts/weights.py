"""A histogram of weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.charts.captions import Captions, drawn
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Theme, look
from audiencelab.charts.vega_lite import field, layer
from audiencelab.wording import plural

_BINS = 40
_WIDTH, _HEIGHT = 440, 200


def weights_histogram(
    weights: NDArray[np.float64], title: str, facts: Sequence[str], *, theme: Theme = "light"
) -> ChartSpecification:
    """How many respondents have which weight, with a line at the mean.

    weights: float64[n], as multiples of their mean. facts: below the title.
    """
    colours = look(theme)
    counts, edges = np.histogram(weights, bins=_BINS, range=(0, max(float(weights.max()), 2)))
    bars = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "respondents": counts})
    x = field("low:Q", title="Weight, as a multiple of the mean", axis={"grid": False})
    y = field("respondents:Q", title="Respondents", axis={"tickCount": 4})
    tooltip = [
        field("low:Q", title="From", format=".2f"),
        field("high:Q", title="To", format=".2f"),
        field("respondents:Q", title="Respondents", format=",.0f"),
    ]
    shown = layer(
        "rect",
        {"x": x, "x2": "high", "y": y, "y2": {"datum": 0}, "tooltip": tooltip},
        color=colours.accent,
    )
    mean = layer(
        "rule",
        {"x": field("mean:Q")},
        data=pd.DataFrame({"mean": [1.0]}),
        color=colours.mark,
        strokeDash=[3, 3],
    )
    spec = {"data": bars, "layer": [shown, mean], "width": _WIDTH, "height": _HEIGHT}
    summary = f"weights of {plural(len(weights), 'respondent')}"
    return drawn(spec, colours, Captions(title, facts, summary, _WIDTH))
