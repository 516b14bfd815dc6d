"""A chart that shows itself: as SVG, made on this machine, whatever renderer is enabled.

altair's own display needs a content network in JupyterLab, and its renderer is a global setting
that belongs to the user. So a chart of ours is wrapped: the wrapper draws, the setting is left
alone. What is in the chart is the business of the modules that build it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import altair as alt

from audiencelab.analysis.correspondence import Correspondence
from audiencelab.analysis.overlap import combinations_frame
from audiencelab.charts.adaptive import adapting, darkened
from audiencelab.charts.identifiers import name_after_content
from audiencelab.charts.theme import LIGHT, Look, configuration
from audiencelab.charts.wording import shorten_title
from audiencelab.files import put
from audiencelab.markup import escape
from audiencelab.render.svg_text import drawable
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData
from audiencelab.results.overlap import OverlapData
from audiencelab.results.provenance import source_line
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import long_frame
from audiencelab.results.undefined import NO_FIGURE

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.charts.selecting import SelectableChart

__all__ = ["Drawing", "Framed", "Words", "finish", "frame_of", "legend", "reference"]

_PADDING = 12.0
_EMPTY = 60
"""Pixels that the words take which stand in place of an empty plot."""
_APART = 12.0
"""Pixels between the columns of a legend, in the measured font."""

_MEASURED, _WIDE = 6.1, 7.3
"""Pixels a character, at the sizes of labels and subtitles, in the measured and in wide fonts."""

_HOW_TO_SEE_IT = 'Run this cell to see the picture, or write it to a file with .save("chart.svg").'

_SHOWING = ("display", "plot", "show")
_HOW_IT_IS_SHOWN = (
    "A drawing shows itself where it is the last line of a cell; elsewhere write display(drawing), "
    'or .save("chart.svg").'
)
_HOW_TO_JOIN = (
    "Drawings are put together as altair charts, each without its theme: one = drawing.altair."
    "copy(), then one.config = alt.Undefined, the same of the other, and one | other."
)


Framed = CrosstabData | StatsData | ChartCalculationData | GridData | OverlapData | Correspondence
"""What has a frame that a chart is drawn of, and a source."""


def frame_of(result: Framed) -> pd.DataFrame:
    """The long frame of a result."""
    if isinstance(result, Correspondence):
        return result.to_frame()
    return combinations_frame(result) if isinstance(result, OverlapData) else long_frame(result)


class Drawing:
    """An altair chart with a display of its own.

    altair: the chart itself, to change. Where several are put together, altair wants the theme on
        the whole and on none of its parts: take it off a copy of each, `chart.config =
        alt.Undefined`.
    """

    def __init__(self, chart: Any, summary: str, result: Framed | None = None) -> None:
        self.altair = chart
        self._summary = summary
        self._result = result

    @property
    def summary(self) -> str:
        """What the picture shows, for those who do not see it."""
        return self._summary

    def svg(self) -> str:
        """The drawing as SVG text; labels are escaped, nothing in it is fetched or run."""
        return self._labelled(_svg_of(_drawn(self.altair)))

    def png(self, *, scale: float = 2.0) -> bytes:
        """The drawing as a PNG image, `scale` device pixels for each of the chart's."""
        written = io.BytesIO()
        _drawn(self.altair).save(written, format="png", scale_factor=scale)
        return written.getvalue()

    def save(self, path: str | Path) -> None:
        """Write it to a file ending in .svg, .png or .json (the Vega-Lite specification).

        What is there is replaced, as a whole. Raises `ValueError` for another ending, and
        `WriteError` where the file cannot be written.
        """
        target = Path(path)
        if target.suffix == ".svg":
            put(target, self.svg().encode())
        elif target.suffix == ".png":
            put(target, self.png())
        elif target.suffix == ".json":
            put(target, self.altair.to_json().encode())
        else:
            raise ValueError(f"Cannot write {target.name!r}: end the name in .svg, .png or .json.")

    def selectable(self) -> SelectableChart:
        """The same picture as a widget in which clicks select lines of the result's frame.

        A click selects one mark, with Shift one more or one less; a click beside the marks, or a
        double click, clears. `selected` of the widget is the frame's lines. It draws with no
        network and needs a kernel; the first one takes some seconds, while Vega is made ready.
        Raises `ImportError` without the extra `widgets`, and `TypeError` for a picture whose marks
        are not lines of a frame.
        """
        from audiencelab.charts.selecting import selectable

        return selectable(self, self._result)

    # Type checkers are not shown these: to them such a slip is a fault before anything runs.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            said = f"'Drawing' object has no attribute {name!r}"
            if name in _SHOWING:
                said += f". {_HOW_IT_IS_SHOWN}"
            elif not name.startswith("_") and hasattr(type(self.__dict__.get("altair")), name):
                said += f". The altair chart in it has: write .altair.{name}."
            raise AttributeError(said, name=name, obj=self)

        def __or__(self, other: object) -> NoReturn:
            raise TypeError(_HOW_TO_JOIN)

        __add__ = __and__ = __or__

    def __repr__(self) -> str:
        return f"<Drawing: {self._summary}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # The text stands where no picture may: in a terminal, and in a notebook that is not
        # trusted, such as one that came along and was not run yet.
        return {"image/svg+xml": self._shown(), "text/plain": f"{self!r}\n{_HOW_TO_SEE_IT}"}

    def _shown(self) -> str:
        """The drawing as a notebook shows it: one in the light theme follows that of its page."""
        drawn = _drawn(self.altair)
        with alt.data_transformers.disable_max_rows():
            spec = drawn.to_dict()
        if spec.get("config", {}).get("background") != LIGHT.ground:
            return self.svg()
        from vl_convert import vegalite_to_svg

        # Straight to the renderer: altair would first check the whole chart once more.
        dark = name_after_content(vegalite_to_svg(darkened(spec), allowed_base_urls=[]))
        return self._labelled(adapting(_svg_of(drawn), dark))

    def _labelled(self, svg: str) -> str:
        label = escape(drawable(self._summary))
        return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _svg_of(chart: Any) -> str:
    written = io.StringIO()
    chart.save(written, format="svg")
    return name_after_content(written.getvalue())


def _drawn(chart: Any) -> Any:
    """The chart, or one like it whose labels can be drawn."""
    with alt.data_transformers.disable_max_rows():
        spec = chart.to_dict()
    clean = drawable(spec)
    return chart if clean == spec else alt.Chart.from_dict(clean)


@dataclass(frozen=True, slots=True)
class Words:
    """The text around a chart, and what of it stands left and right of a plot of some width."""

    title: str
    subtitle: list[str]
    summary: str
    width: float
    left: Iterable[str] = ()
    right: Iterable[str] = ()


def finish(chart: Any, colours: Look, words: Words, *, of: Framed | None = None) -> Drawing:
    """A chart with its title and theme, ready to be shown.

    of: the result that was drawn, whose source stands under the other words; each mark has the
        column `line`: its place, from 0, in the result's own frame.
    """
    if of is not None and (source := source_line(of.provenance, dated=False)):
        words = replace(words, subtitle=[*words.subtitle, shorten_title(source)])
    if of is not None and (reasons := _why_empty(of)):
        chart = alt.Chart(alt.Data(values=[{"reason": f"No figures: {reasons}"}])).mark_text()
        chart = chart.encode(text="reason:N").properties(width=words.width, height=_EMPTY)
    headed = chart.properties(title=alt.TitleParams(words.title, subtitle=words.subtitle))
    config = configuration(colours) | {"padding": _padding(words)}
    return Drawing(headed.configure(**config), words.summary, of)


def _why_empty(result: Framed) -> str:
    """Why no figure of a result has a value, as its frame notes it; nothing where one has."""
    frame = frame_of(result)
    reasons: list[str] = frame["note"].unique().tolist() if "note" in frame else []
    return ", ".join(reasons) if all(each in NO_FIGURE for each in reasons) else ""


def _padding(words: Words) -> dict[str, float]:
    """Room for a reader's font that is wider than the one that was measured.

    The drawing is laid out with the fonts of this machine's renderer and read with those of a
    browser. Without room, the widest common ones (DejaVu, Verdana) would be cut at the edges.
    """
    subtitle = max(map(len, words.subtitle), default=0)
    beyond = _WIDE * subtitle - max(words.width, _MEASURED * subtitle)
    return {
        "top": _PADDING,
        "bottom": _PADDING,
        "left": _PADDING + (_WIDE - _MEASURED) * max(map(len, words.left), default=0),
        "right": _PADDING
        + max(0.0, beyond, (_WIDE - _MEASURED) * max(map(len, words.right), default=0)),
    }


def legend(names: Iterable[str], **style: Any) -> alt.Legend:
    """A legend above the plot, whose names stay apart in a wide font too; see `_padding`.

    style: further properties of altair's legend, such as `columns`.
    """
    room = _APART + (_WIDE - _MEASURED) * max(map(len, names), default=0)
    return alt.Legend(title=None, orient="top", columnPadding=round(room, 1), **style)


def reference(data: Any, facet: str, channel: str, **style: Any) -> Any:
    """A rule at an index of 100, one in each facet; facets need all layers to share their data."""
    rule = alt.Chart(data).transform_aggregate(count="count()", groupby=[facet])
    return rule.transform_calculate(at="100").mark_rule(**style).encode(**{channel: "at:Q"})
