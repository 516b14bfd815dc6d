"""A chart that shows itself: as SVG, made on this machine, whatever renderer is enabled.

altair's own display needs a content network in JupyterLab, and its renderer is a global setting
that belongs to the user. So a chart of ours is wrapped: the wrapper draws, the setting is left
alone. What is in the chart is the business of the modules that build it.
"""

from __future__ import annotations

import html
import io
from pathlib import Path
from typing import Any

import altair as alt

from audiencelab.charts.theme import Look, configuration

__all__ = ["Drawing", "finish", "reference"]


class Drawing:
    """An altair chart with a display of its own.

    altair: the chart itself, to change or to combine with others.
    """

    def __init__(self, chart: Any, summary: str) -> None:
        self.altair = chart
        self._summary = summary

    def svg(self) -> str:
        """The drawing as SVG text; labels are escaped, nothing in it is fetched or run."""
        written = io.StringIO()
        self.altair.save(written, format="svg")
        label = html.escape(self._summary, quote=True)
        return written.getvalue().replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)

    def png(self, *, scale: float = 2.0) -> bytes:
        """The drawing as a PNG image, `scale` device pixels for each of the chart's."""
        written = io.BytesIO()
        self.altair.save(written, format="png", scale_factor=scale)
        return written.getvalue()

    def save(self, path: str | Path) -> None:
        """Write it to a file ending in .svg, .png or .json (the Vega-Lite specification)."""
        target = Path(path)
        if target.suffix == ".svg":
            target.write_text(self.svg(), encoding="utf-8")
        elif target.suffix == ".png":
            target.write_bytes(self.png())
        elif target.suffix == ".json":
            target.write_text(self.altair.to_json(), encoding="utf-8")
        else:
            raise ValueError(f"Cannot write {target.name!r}: end the name in .svg, .png or .json.")

    def __repr__(self) -> str:
        return f"<Drawing: {self._summary}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg(), "text/plain": repr(self)}


def finish(chart: Any, colours: Look, title: str, subtitle: list[str], summary: str) -> Drawing:
    """A chart with its title and theme, ready to be shown."""
    headed = chart.properties(title=alt.TitleParams(title, subtitle=subtitle))
    return Drawing(headed.configure(**configuration(colours)), summary)


def reference(data: Any, facet: str, channel: str, **style: Any) -> Any:
    """A rule at an index of 100, one in each facet; facets need all layers to share their data."""
    rule = alt.Chart(data).transform_aggregate(count="count()", groupby=[facet])
    return rule.transform_calculate(at="100").mark_rule(**style).encode(**{channel: "at:Q"})
