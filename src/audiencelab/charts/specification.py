"""A chart as a Vega-Lite specification, which is drawn on this machine without altair."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from audiencelab.analysis.correspondence import Correspondence
from audiencelab.analysis.moving_averages import MovingAverageData
from audiencelab.analysis.overlap import combinations_frame
from audiencelab.analysis.turf import sets_frame
from audiencelab.browser import IN_BROWSER
from audiencelab.charts import renderer
from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import LIGHT
from audiencelab.markup import escape
from audiencelab.render.svg_text import drawable
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData
from audiencelab.results.overlap import OverlapData
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import long_frame
from audiencelab.results.turf import TurfData

VEGA_LITE = "application/vnd.vegalite.v6+json"
"""The MIME type of a specification, which the JupyterLab extension draws."""

_SAVED_SCALE = 1.5
"""Device pixels of a chart's, in the PNG that a notebook saves."""

_HOW_TO_SEE_IT = 'Run this cell to see the chart, or write it to a file with .save("chart.svg").'

Charted = (
    CrosstabData
    | StatsData
    | ChartCalculationData
    | GridData
    | OverlapData
    | MovingAverageData
    | TurfData
    | Correspondence
)
"""Results with a frame whose rows a chart's marks show."""


def frame_of(result: Charted) -> pd.DataFrame:
    """The long frame of a result."""
    if isinstance(result, Correspondence):
        return result.to_frame()
    if isinstance(result, MovingAverageData):
        return result.frame
    if isinstance(result, TurfData):
        return sets_frame(result)
    return combinations_frame(result) if isinstance(result, OverlapData) else long_frame(result)


@dataclass(frozen=True, slots=True)
class ChartSpecification:
    """A chart that draws itself as SVG and PNG on this machine.

    spec: Vega-Lite, not to be changed. summary: what the chart shows, for people who do not see
    it. result: what is drawn, where each mark is a row of its frame.
    """

    spec: Spec
    summary: str
    result: Charted | None = None

    def to_dict(self) -> Spec:
        """The Vega-Lite specification."""
        return self.spec

    def svg(self) -> str:
        """The chart as SVG text; labels are escaped, nothing in it is fetched or run."""
        return self._labelled(renderer.svg(drawable(self.spec)))

    def png(self, *, scale: float = 2.0) -> bytes:
        """The chart as a PNG image, `scale` device pixels for each of the chart's."""
        return renderer.png(drawable(self.spec), scale)

    @property
    def title(self) -> str:
        """Its first line, which may be broken into several."""
        text: str | list[str] = self.spec["title"]["text"]
        return text if isinstance(text, str) else " ".join(text)

    def titled(self, text: str) -> ChartSpecification:
        """The same chart with another first line; base and source stay below it."""
        return replace(self, spec=self.spec | {"title": self.spec["title"] | {"text": text}})

    def __repr__(self) -> str:
        return f"<Chart: {self.summary}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.displayed()

    def displayed(self) -> dict[str, Any]:
        """The chart as a notebook shows and saves it, by MIME type."""
        if IN_BROWSER:
            return {VEGA_LITE: self.spec, "text/plain": f"{self!r}\n{_HOW_TO_SEE_IT}"}
        # Untrusted notebooks and printed documents show the PNG, terminals the text.
        return {
            "image/svg+xml": self._in_both_themes(),
            "image/png": base64.b64encode(self.png(scale=_SAVED_SCALE)).decode(),
            "text/plain": f"{self!r}\n{_HOW_TO_SEE_IT}",
        }

    def _in_both_themes(self) -> str:
        """The chart as a notebook shows it: one in the light theme follows that of its page."""
        spec = drawable(self.spec)
        if spec.get("config", {}).get("background") != LIGHT.ground:
            return self.svg()
        return self._labelled(renderer.adaptive_svg(spec))

    def _labelled(self, svg: str) -> str:
        label = escape(drawable(self.summary))
        return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
