"""Results as charts that render without network: bars, trends, dots, stacks, bubbles, maps.

Each function takes a result and returns a `Chart`: a chart of altair, which displays itself as SVG
as the last value of a cell. Values are those of the result's own frame: only positions and labels
are computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.browser import IN_BROWSER, is_installed
from audiencelab.lazy import lazily

# In a browser the page draws the charts.
if not IN_BROWSER and (
    missing := [name for name in ("altair", "vl_convert") if not is_installed(name)]
):
    raise ImportError(
        f'audiencelab.charts needs {" and ".join(missing)}: pip install "audiencelab[charts]"'
    )

from audiencelab.charts import auto as _auto
from audiencelab.charts import bars as _bars
from audiencelab.charts import dots as _dots
from audiencelab.charts import heatmaps as _heatmaps
from audiencelab.charts import maps as _maps
from audiencelab.charts import overlaps as _overlaps
from audiencelab.charts import point_plots as _points
from audiencelab.charts import profiles as _profiles
from audiencelab.charts import stacks as _stacks
from audiencelab.charts import trends as _trends
from audiencelab.charts import turf as _turf
from audiencelab.charts.drawing import drawn_by

if TYPE_CHECKING:
    from audiencelab.charts.chart import Chart

auto = drawn_by(_auto.auto)
bar = drawn_by(_bars.bar)
bubble = drawn_by(_maps.bubble)
correspondence = drawn_by(_maps.correspondence)
dots = drawn_by(_dots.dots)
heatmap = drawn_by(_heatmaps.heatmap)
overlap = drawn_by(_overlaps.overlap)
points = drawn_by(_points.points)
profile = drawn_by(_profiles.profile)
reach = drawn_by(_turf.reach)
stack = drawn_by(_stacks.stack)
trend = drawn_by(_trends.trend)
turf = drawn_by(_turf.turf)

__all__ = [
    "Chart",
    "auto",
    "bar",
    "bubble",
    "correspondence",
    "dots",
    "heatmap",
    "overlap",
    "points",
    "profile",
    "reach",
    "stack",
    "trend",
    "turf",
]


# A class of altair, which is imported with the first chart.
__getattr__ = lazily(__name__, {"Chart": "chart"})


def __dir__() -> list[str]:
    return __all__
