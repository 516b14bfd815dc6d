"""Results as charts that render without network: bars, trends, dots, stacks, bubbles, maps.

Each function takes a result and returns a `Chart`, which displays itself as SVG as the last value
of a cell; `chart.altair` is the altair chart, to change. Values are those of the result's own
frame: only positions and labels are computed.
"""

from __future__ import annotations

from audiencelab.browser import IN_BROWSER, is_installed

# In a browser the page draws the charts.
if not IN_BROWSER and (
    missing := [name for name in ("altair", "vl_convert") if not is_installed(name)]
):
    raise ImportError(
        f'audiencelab.charts needs {" and ".join(missing)}: pip install "audiencelab[charts]"'
    )

from audiencelab.charts.bars import bar, profile
from audiencelab.charts.chart import Chart
from audiencelab.charts.dots import dots
from audiencelab.charts.heatmaps import heatmap
from audiencelab.charts.maps import bubble, correspondence
from audiencelab.charts.overlaps import overlap
from audiencelab.charts.stacks import stack
from audiencelab.charts.trends import trend
from audiencelab.charts.turf import reach, turf

__all__ = [
    "Chart",
    "bar",
    "bubble",
    "correspondence",
    "dots",
    "heatmap",
    "overlap",
    "profile",
    "reach",
    "stack",
    "trend",
    "turf",
]


def __dir__() -> list[str]:
    return __all__
