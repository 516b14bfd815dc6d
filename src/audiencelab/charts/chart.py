"""Charts as Vega-Lite specifications that render themselves as SVG, without network or altair."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from audiencelab.analysis.correspondence import Correspondence
from audiencelab.analysis.moving_averages import MovingAverageData
from audiencelab.analysis.overlap import combinations_frame
from audiencelab.analysis.turf import sets_frame
from audiencelab.browser import IN_BROWSER
from audiencelab.charts import renderer
from audiencelab.charts.labels import BaseLine, shorten, shorten_title
from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import LIGHT, Look, configuration, styled
from audiencelab.charts.vega_lite import MEASURED, WIDE, layer
from audiencelab.files import put
from audiencelab.markup import escape
from audiencelab.render.layout import table_layout
from audiencelab.render.svg_text import drawable
from audiencelab.results import who_counts
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData
from audiencelab.results.overlap import OverlapData
from audiencelab.results.provenance import source_line
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import long_frame
from audiencelab.results.turf import TurfData
from audiencelab.results.undefined import NO_FIGURE
from audiencelab.unknown_names import OtherWords
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.charts.selection import SelectableChart

VEGA_LITE = "application/vnd.vegalite.v6+json"
"""The MIME type of a specification, which the JupyterLab extension draws."""

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"

# The sizes that altair puts into the config of every chart.
_VIEW = {"continuousWidth": 300, "continuousHeight": 300, "stroke": None}
_PADDING = 12.0
_EMPTY_HEIGHT = 60
_SHARE = "column_percentage"
_NOTES, _NOTE = 4, 120
"""Notes below the title, and characters of one."""

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


class Chart(OtherWords):
    """A chart that displays itself as SVG, drawn on this machine.

    chart: a Vega-Lite specification, or an altair chart of your own.
    summary: what the chart shows, for people who do not see it.
    """

    def __init__(self, chart: Any, summary: str, result: Charted | None = None) -> None:
        self._specification: Spec = {}
        if isinstance(chart, dict):
            self._specification = cast(Spec, chart)
        else:
            self.altair = chart
        self._theme: Spec = self._specification.get("config", {})
        self._summary = summary
        self._result = result

    @property
    def summary(self) -> str:
        """What the chart shows, for people who do not see it."""
        return self._summary

    @cached_property
    def altair(self) -> Any:
        """The altair chart, to change; what is changed in it is displayed.

        Its style is on marks, axes and titles, not in `config`: such charts can be combined, as
        `one.altair | other.altair` (`.resolve_scale(color="independent")` keeps their colours
        apart), and altair's `configure_…` does not change what they style; that of this chart does.
        """
        import altair

        return altair.Chart.from_dict(styled(_with_values(self._specification), self._theme))

    def to_dict(self) -> Spec:
        """The Vega-Lite specification.

        >>> client.stats("Gender").chart.bar().to_dict()["$schema"].split("/")[-1]
        'v6.4.1.json'
        """
        # A cached property is in __dict__ once it was read: only then may it have been changed.
        if "altair" not in self.__dict__:
            return self._specification
        import altair

        # altair refuses data of more than 5,000 rows by default.
        with altair.data_transformers.disable_max_rows():
            spec: Spec = self.altair.to_dict()
        config, theme = spec.get("config", {}), self._theme
        if theme:
            view = config.get("view", {}) | theme["view"]
            spec["config"] = theme | config | {"view": view}
        return spec

    def svg(self) -> str:
        """The chart as SVG text; labels are escaped, nothing in it is fetched or run.

        >>> client.stats("Gender").chart.bar().svg()[:4]
        '<svg'
        """
        return self._labelled(renderer.svg(drawable(self.to_dict())))

    def png(self, *, scale: float = 2.0) -> bytes:
        """The chart as a PNG image, `scale` device pixels for each of the chart's.

        >>> client.stats("Gender").chart.bar().png()[1:4]
        b'PNG'
        """
        return renderer.png(drawable(self.to_dict()), scale)

    def save(self, path: str | Path) -> None:
        """Write it to a file ending in .svg, .png or .json (the Vega-Lite specification).

        An existing file is replaced as a whole. Raises `ValueError` for another ending, and
        `WriteError` where the file cannot be written.

        >>> client.stats("Gender").chart.bar().save(folder / "gender.svg")
        """
        target = Path(path)
        if target.suffix == ".svg":
            put(target, self.svg().encode())
        elif target.suffix == ".png":
            put(target, self.png())
        elif target.suffix == ".json":
            put(target, json.dumps(self.to_dict(), indent=2, sort_keys=True).encode())
        else:
            slide = ' Slides are made of the table: table.to_pptx("deck.pptx", chart="bar").'
            raise ValueError(
                f"Cannot write {target.name!r}: end the name in .svg, .png or .json."
                f"{slide if target.suffix == '.pptx' else ''}"
            )

    def selectable(self) -> SelectableChart:
        """The same chart as a widget in which clicks select rows of the result's frame.

        A click selects one mark, with Shift one more or one less; a click beside the marks, or a
        double click, clears. `selected` of the widget is the frame's rows. It needs no network but
        a kernel; the first one takes some seconds, while Vega is prepared. Raises `ImportError`
        without the extra `widgets`, and `TypeError` for a chart whose marks are not rows of a
        frame.

        >>> client.stats("Gender").chart.bar().selectable()
        <SelectableChart: 0 selected in <Chart: bars of column_percentage, 3 of q2>>
        """
        from audiencelab.charts.selection import SelectableChart

        if (result := self._result) is None:
            raise TypeError(f"{self!r} has no marks to select: they are not rows of a frame.")
        return SelectableChart(self.to_dict(), lambda: frame_of(result), repr(self), self.svg)

    def properties(self, **properties: Any) -> Chart:
        """The same chart with other properties, such as title, width and height.

        A title that is text replaces the first line: base and source stay below it.

        >>> client.crosstab("q17", "Gender").chart.heatmap().properties(title="Pets")
        <Chart: heat map of index, 8 rows × 3 columns>
        """
        spec = dict(self.to_dict())
        title = properties.get("title")
        if isinstance(title, str) and isinstance(spec.get("title"), dict):
            properties["title"] = spec["title"] | {"text": title}
        sized = {name: properties.pop(name) for name in ("width", "height") if name in properties}
        # The size of a faceted chart is that of its inner plot.
        if "spec" in spec:
            spec["spec"] = spec["spec"] | sized
        else:
            spec |= sized
        return self._changed(spec | {name: _plain(value) for name, value in properties.items()})

    def configure(self, **config: Any) -> Chart:
        """The same chart with other parts of Vega-Lite's `config`, over those of its theme.

        Each part has a method too, as in altair: `chart.configure_axis(labelFontSize=14)`.

        >>> chart = client.stats("Gender").chart.bar().configure(axis={"labelFontSize": 14})
        """
        made: Spec = dict(self.to_dict().get("config", {}))
        for name, value in config.items():
            part = _plain(value)
            made[name] = made[name] | part if isinstance(made.get(name), dict) else part
        return self._changed(self.to_dict() | {"config": made})

    def configure_axis(self, **options: Any) -> Chart:
        """The same chart with other axes: `configure(axis={…})`.

        >>> chart = client.stats("Gender").chart.bar().configure_axis(labelFontSize=14)
        """
        return self.configure(axis=options)

    def resolve_scale(self, **channels: Any) -> Chart:
        """The same chart with scales that its parts share, or not, by channel.

        >>> both = client.stats("Pets").chart.bar() | client.stats("Gender").chart.bar()
        >>> both = both.resolve_scale(color="shared")
        """
        return self._resolved("scale", **channels)

    def __or__(self, other: Any) -> Chart:
        """Both charts side by side, in the theme of the first; the other may be one of altair."""
        return self._joined(other, "hconcat")

    def __and__(self, other: Any) -> Chart:
        """This chart above the other, in the theme of the first; the other may be one of altair."""
        return self._joined(other, "vconcat")

    def _joined(self, other: Any, how: str) -> Chart:
        if not isinstance(other, Chart):
            # Python then tries the other operand's own operator.
            if not hasattr(other, "to_dict"):
                return NotImplemented
            other = Chart(other, "a chart of altair")
        one, two = self.to_dict(), other.to_dict()
        apart = ("config", "$schema", "datasets", "title" if how in one else "")
        # a | b | c is one row of three charts, not nested rows.
        first = one[how] if how in one else [_without(one, apart)]
        made: Spec = {
            "$schema": SCHEMA,
            "config": one.get("config", {}),
            how: [*first, _without(two, apart[:3])],
            # In two charts one colour may mean different answers.
            "resolve": {"scale": {"color": "independent", "shape": "independent"}},
            "datasets": one.get("datasets", {}) | two.get("datasets", {}),
        }
        return Chart(made, f"{self.summary}; {other.summary}")

    def _changed(self, spec: Spec) -> Chart:
        return Chart(spec, self._summary, self._result)

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            # altair has a method for every part of its config, and the same names work here.
            kind, _, part = name.partition("_")
            if part and kind in ("configure", "resolve"):
                import altair

                if hasattr(altair.Chart, name):
                    return partial(
                        self._configured if kind == "configure" else self._resolved, part
                    )
            return super().__getattr__(name)

    def _configured(self, part: str, **options: Any) -> Chart:
        return self.configure(**{part: options})

    def _resolved(self, part: str, **channels: Any) -> Chart:
        spec = self.to_dict()
        resolve = spec.get("resolve", {})
        resolve = resolve | {part: resolve.get(part, {}) | channels}
        return self._changed(spec | {"resolve": resolve})

    def __repr__(self) -> str:
        return f"<Chart: {self._summary}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if IN_BROWSER:
            return {VEGA_LITE: self.to_dict(), "text/plain": f"{self!r}\n{_HOW_TO_SEE_IT}"}
        # Untrusted notebooks and printed documents show the PNG, terminals the text.
        return {
            "image/svg+xml": self._displayed(),
            "image/png": base64.b64encode(self.png(scale=_SAVED_SCALE)).decode(),
            "text/plain": f"{self!r}\n{_HOW_TO_SEE_IT}",
        }

    def _displayed(self) -> str:
        """The chart as a notebook shows it: one in the light theme follows that of its page."""
        spec = drawable(self.to_dict())
        if spec.get("config", {}).get("background") != LIGHT.ground:
            return self.svg()
        return self._labelled(renderer.adaptive_svg(spec))

    def _labelled(self, svg: str) -> str:
        label = escape(drawable(self._summary))
        return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _plain(value: Any) -> Any:
    """A value of altair, such as `alt.TitleParams`, as JSON."""
    return value.to_dict() if hasattr(value, "to_dict") else value


def _without(spec: Spec, names: Sequence[str]) -> Spec:
    return {name: value for name, value in spec.items() if name not in names}


@dataclass(frozen=True, slots=True)
class Captions:
    """The text around a chart, and the labels left and right of a plot of some width."""

    title: str
    subtitle: Sequence[str]
    summary: str
    width: float
    left: Iterable[str] = ()
    right: Iterable[str] = ()

    def chosen(self, title: str | None, *, base: bool) -> Captions:
        """The same with another title, or without the line of the base."""
        kept = [str(line) for line in self.subtitle if base or not isinstance(line, BaseLine)]
        return replace(self, title=self.title if title is None else title, subtitle=kept)


def finish(spec: Spec, colours: Look, captions: Captions, *, of: Charted) -> Chart:
    """A chart with its title, source and theme.

    of: the result that is drawn; each mark has the column `line`: its row, from 0, in the result's
    own frame.
    """
    reasons = _why_empty(of)
    notes = [] if reasons else _notes(of)
    captions = replace(captions, subtitle=[*captions.subtitle, *notes])
    if source := source_line(of.provenance, dated=False):
        captions = replace(captions, subtitle=[*captions.subtitle, shorten_title(source)])
    if reasons:
        values = [{"reason": f"No figures: {reasons}"}]
        text = layer("text", {"text": "reason:N"})
        spec = {"data": {"values": values}, **text, "width": captions.width} | {
            "height": _EMPTY_HEIGHT
        }
    return drawn(spec, colours, captions, of=of)


def drawn(spec: Spec, colours: Look, captions: Captions, *, of: Charted | None = None) -> Chart:
    """A chart with its title and theme. of: the result that is drawn, where it has a frame."""
    datasets: Spec = {}
    whole = {
        "$schema": SCHEMA,
        "config": configuration(colours) | {"view": _VIEW, "padding": _padding(captions)},
        "title": {"text": captions.title, "subtitle": list(captions.subtitle)},
        **_with_named_data(spec, datasets),
    }
    return Chart(whole | ({"datasets": datasets} if datasets else {}), captions.summary, of)


def _notes(result: Charted) -> list[str]:
    """Lines on who counts, and on why there are gaps."""
    result = result.table if isinstance(result, GridData) else result
    if not isinstance(result, CrosstabData | StatsData | MovingAverageData):
        return []
    gaps = table_layout(result, metrics=[_SHARE]).gaps
    notes = [shorten(each, _NOTE) for each in (*who_counts.notes(result), *gaps)]
    more = len(notes) - _NOTES
    return notes if more <= 0 else [*notes[:_NOTES], f"… and {plural(more, 'more note')}"]


def _why_empty(result: Charted) -> str:
    """Why a result has no values at all, from its frame's notes; "" where it has any."""
    frame = frame_of(result)
    if frame.empty:
        return "the result is empty"
    reasons: list[str] = frame["note"].unique().tolist() if "note" in frame else []
    return ", ".join(reasons) if all(each in NO_FIGURE for each in reasons) else ""


def _padding(captions: Captions) -> dict[str, float]:
    """Padding for a reader's font that is wider than the measured one.

    The chart is laid out with the fonts of this machine's renderer and read with those of a
    browser. Without padding, the widest common ones (DejaVu, Verdana) would be clipped.
    """
    longest = max(map(len, captions.subtitle), default=0)
    # How far a subtitle in a wide font reaches beyond the plot and the measured text.
    beyond = WIDE * longest - max(captions.width, MEASURED * longest)
    left, right = (
        (WIDE - MEASURED) * max(map(len, names), default=0)
        for names in (captions.left, captions.right)
    )
    return {
        "top": _PADDING,
        "bottom": _PADDING,
        "left": _PADDING + left,
        "right": _PADDING + max(0.0, beyond, right),
    }


def _with_named_data(part: Any, datasets: Spec) -> Any:
    """A specification whose frames are replaced by names of `datasets`, after their content."""
    if isinstance(part, pd.DataFrame):
        rows = _records(part)
        content = json.dumps(rows, sort_keys=True)
        # By content, so that charts that are joined have equal data once.
        name = "data-" + hashlib.sha256(content.encode()).hexdigest()[:32]
        datasets[name] = rows
        return {"name": name}
    if isinstance(part, dict):
        return {key: _with_named_data(value, datasets) for key, value in cast(Spec, part).items()}
    if isinstance(part, list):
        return [_with_named_data(each, datasets) for each in cast("list[Any]", part)]
    return part


def _records(frame: pd.DataFrame) -> list[Spec]:
    columns = (
        # JSON has neither NaN nor infinity.
        [None if isinstance(each, float) and not math.isfinite(each) else each for each in values]
        for values in (frame[name].tolist() for name in frame)
    )
    names = list(map(str, frame))
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _with_values(spec: Spec) -> Spec:
    """The same chart with its data where they are used, so that altair can combine its parts."""
    datasets = spec.get("datasets", {})

    def inlined(part: Any) -> Any:
        if isinstance(part, list):
            return [inlined(each) for each in cast("list[Any]", part)]
        if not isinstance(part, dict):
            return part
        fields = cast(Spec, part)
        if fields.keys() == {"name"} and fields["name"] in datasets:
            return {"values": datasets[fields["name"]]}
        return {name: inlined(value) for name, value in fields.items()}

    return inlined({name: spec[name] for name in spec.keys() - {"datasets", "$schema"}})
