"""Results as pictures that draw with no network: bars, trends, dots, stacks, bubbles, maps.

Each function takes a result and gives a `Drawing`, which shows itself as SVG wherever it is the
last value of a cell; `drawing.altair` is the altair chart behind it, to change.
Figures are taken from the result's own frame: nothing is computed anew but positions and labels.

Rooms: `bars`, `trends`, `dots`, `stacks`, `profiles`, `bubbles`, `correspondences`, `heatmaps`,
`overlaps` the charts, `figures` and `tables` what they are drawn of, `certainty` margins and low
bases, `placing` where names go (by its `geometry`), `drawing` how they are shown and saved,
`identifiers` the ids in a picture, `selecting` clicks that select lines of a frame, `theme` colours
and type, `wording` titles, subtitles and labels; `renderer` how altair charts of the user's own
are shown in JupyterLab.
"""

from __future__ import annotations

from importlib.util import find_spec

if missing := [name for name in ("altair", "vl_convert") if find_spec(name) is None]:
    raise ImportError(
        f'audiencelab.charts needs {" and ".join(missing)}: pip install "audiencelab[charts]"'
    )

from audiencelab.charts.bars import bar
from audiencelab.charts.bubbles import bubble
from audiencelab.charts.correspondences import correspondence
from audiencelab.charts.dots import dots
from audiencelab.charts.drawing import Drawing
from audiencelab.charts.heatmaps import heatmap
from audiencelab.charts.overlaps import overlap
from audiencelab.charts.profiles import profile
from audiencelab.charts.stacks import stack
from audiencelab.charts.trends import trend

__all__ = [
    "Drawing",
    "bar",
    "bubble",
    "correspondence",
    "dots",
    "heatmap",
    "overlap",
    "profile",
    "stack",
    "trend",
]


def __dir__() -> list[str]:
    return __all__
