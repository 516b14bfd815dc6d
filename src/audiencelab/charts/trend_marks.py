"""The marks of lines over waves: plots on common axes, points, bands, and names at the ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from audiencelab.analysis.chart_plan import ChartPlan
from audiencelab.charts.data import Values
from audiencelab.charts.key import above
from audiencelab.charts.label_placement import spread_out
from audiencelab.charts.labels import format_value
from audiencelab.charts.layout import PADDING, grid, side_by_side
from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import SMALL, Look
from audiencelab.charts.ticks import Ticks, is_share, step_of, ticks_between
from audiencelab.charts.trend_data import DrawnLines
from audiencelab.charts.vega_lite import category_colors, field, layer, scale, tooltip
from audiencelab.charts.wrapping import LINE, broken, text_width
from audiencelab.render.colours import legible, series_colours
from audiencelab.results.arrangement import TableArrangement

_LEAST_PLOT, _LOWEST = 200.0, 120
"""Pixels of a plot of several side by side, and of the height of one of several."""

_NAMES = 0.34
"""The part of a chart's width that names at the ends of lines may take."""

_NAME_GAP, _TICK_GAP = 9.0, 8.0
"""Pixels between a line and its name, and between an axis and its labels."""

_WAVES = 26.0
"""Pixels that the names of waves take below a plot."""

_BETWEEN_WAVES = 12.0
"""Pixels between the names of waves."""

# Names have darker colours than their lines.
_OWN_COLOURS: Spec = {"resolve": {"scale": {"color": "independent"}}}

# Vega-Lite's name for lines and areas that break at invalid values.
_BREAK = "break-paths-show-path-domains"


def line_marks(
    drawn: DrawnLines,
    plan: ChartPlan,
    values: Values,
    metric: str,
    colours: Look,
    pixels: float,
    height: int,
    *,
    labels: bool,
) -> Spec:
    """The specification of lines.

    metric: of shares; "" for statistics. pixels: of the whole chart. height: of the only plot.
    """
    inner = pixels - 2 * PADDING
    panels = range(len(drawn.headings))
    data = [drawn.data[drawn.data["panel"] == at] for at in panels]
    kinds = [metric or values.kinds[plan.panels[at].rows[0]] for at in panels]
    # Statistics of other rows have other units.
    units = [() if metric else plan.panels[at].rows for at in panels]
    alike = len({*units}) < 2
    axes = [
        _axis([data[other] for other in panels if units[other] == units[at]], kinds[at])
        for at in panels
    ]
    common = drawn.series[0] if len(panels) > 1 and len({*map(tuple, drawn.series)}) == 1 else []
    # A single statistic is named by the title, or by the heading of its panel.
    is_named = bool(common) or (not metric and all(len(each) == 1 for each in drawn.series))
    room = 0.0 if is_named else _NAMES * inner
    ends = [_names(data[at], kinds[at], room, values.how, labels=labels) for at in panels]
    beside = max(each.pixels for each in ends)
    ticks = max(text_width(tick, SMALL) for axis in axes for tick in axis.ticks.texts) + _TICK_GAP
    # Panels that share an axis are side by side, others below each other.
    parts = grid(len(panels), inner - ticks, _LEAST_PLOT + beside if alike else inner)
    if len(panels) > 1:
        height = max(height // 2, _LOWEST)
    shades = _shades(drawn, plan, colours)
    views: list[Spec] = []
    heads = 0.0
    for at in panels:
        colour = _colour(drawn.series[at], shades)
        plot = _Plot(drawn.waves, axes[at], parts.plot - beside, height, colours, colour)
        layers = _layers(data[at], plot, kinds[at], has_ticks=at % parts.columns == 0)
        layers += _named(ends[at], plot, shades)
        top = above(drawn.headings[at], (), None, pixels=parts.plot)
        heads = max(heads, top.height)
        size = {"width": round(plot.width, 1), "height": height}
        views.append({"data": data[at], "layer": [*layers, *top.layers], **_OWN_COLOURS, **size})
    if common:
        colour = _colour(common, shades, "group")
        shared = above("", common, colour, pixels=inner, left=-ticks, over=heads, symbol="stroke")
        views[0]["layer"] += shared.layers
    spec = side_by_side(views, parts.columns, heads)
    if len(panels) > 1:
        # What is beside and below a plot is not in its bounds.
        spec["spacing"]["column"] += round(beside, 1)
        spec["spacing"]["row"] += _WAVES
    return spec


def _shades(drawn: DrawnLines, plan: ChartPlan, colours: Look) -> dict[str, str]:
    """A colour for each series: of answers on a scale a step of one hue, strongest at the top."""
    found: dict[str, str] = {}
    in_order = plan.scale is not None or (plan.turned and plan.panels[0].in_order)
    for series in drawn.series:
        of_scale = [name for name in series if name not in drawn.outside]
        steps = series_colours(len(of_scale), colours, in_order=in_order)
        if plan.scale is not None and plan.scale.top == "last":
            steps.reverse()
        found |= zip(of_scale, steps, strict=True)
    return found | dict.fromkeys(drawn.outside, colours.outside)


def _colour(series: Sequence[str], shades: dict[str, str], name: str = "series") -> Spec:
    return category_colors(name, series, [shades[each] for each in series], None)


# -- axes -----------------------------------------------------------------------------------------


class _Axis(NamedTuple):
    """The ends of an axis of values, and its ticks."""

    low: float
    high: float
    ticks: Ticks


_LEAST_PART = 0.45
"""How small the least value is to the largest, from which an axis of shares begins at zero."""

_ROOM = 0.08


def _axis(data: Sequence[pd.DataFrame], kind: str) -> _Axis:
    """An axis for all values and intervals: from zero for shares that come near it.

    An index is read against 100, an NPS against 0.
    """
    names = [name for name in ("value", "low", "high", "single") if name in data[0]]
    known = pd.concat([each[name] for each in data for name in names]).dropna().to_numpy(np.float64)
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    against = {"index": 100.0, "nps": 0.0}.get(kind)
    if against is not None:
        low, high = min(low, against), max(high, against)
    elif is_share(kind) or kind.endswith(("size", "sample")):
        low = 0.0 if low < _LEAST_PART * high else low
    # A single value has no range, and a range of 0 no scale.
    room = _ROOM * (high - low) or abs(high) * _ROOM or 1.0
    step = step_of(high - low + 2 * room)
    first = 0.0 if low == 0 else low - room
    if is_share(kind) and first:
        first = max(0.0, step * math.floor(first / step))
    last = high + room
    return _Axis(first, last, ticks_between(first, last, kind))


class _Plot(NamedTuple):
    """One plot: its axes, its pixels, and the encoding of its colours."""

    waves: list[str]
    axis: _Axis
    width: float
    height: float
    colours: Look
    colour: Spec

    @property
    def shown_waves(self) -> list[str]:
        """The waves that are named: every one, or every second, … up to the last."""
        widest = max((text_width(wave, SMALL) for wave in self.waves), default=0.0)
        apart = self.width / max(len(self.waves), 1)
        every = max(1, math.ceil((widest + _BETWEEN_WAVES) / apart))
        return self.waves[::-1][::every][::-1]


# -- lines ----------------------------------------------------------------------------------------


def _layers(data: pd.DataFrame, plot: _Plot, kind: str, *, has_ticks: bool) -> list[Spec]:
    axis, colours = plot.axis, plot.colours
    across: Spec = {
        "values": plot.shown_waves,
        "labelAngle": 0,
        "labelFontSize": SMALL,
        "labelOverlap": False,
        "labelPadding": 10,
        "grid": False,
    }
    up: Spec = {**axis.ticks.axis(), "labelFontSize": SMALL, "labelPadding": _TICK_GAP}
    if not has_ticks:
        up["labels"] = False

    def at(name: str) -> Spec:
        # Layers whose axes differ cannot be merged.
        ends = scale(axis.low, axis.high, zero=False)
        return field(f"{name}:Q", title=None, scale=ends, axis=up)

    encoding: dict[str, Any] = {
        "x": field(
            "wave:O", sort=plot.waves, scale={"domain": plot.waves}, title=None, axis=across
        ),
        "y": at("value"),
        "color": plot.colour,
    }
    # Lines are joined within a part only.
    joined = encoding | ({"detail": "part:N"} if "part" in data else {})
    layers: list[Spec] = []
    against = {"index": 100, "nps": 0}.get(kind)
    if against is not None:
        rule = pd.DataFrame({"at": [against]})
        style: Spec = {"color": colours.mark, "strokeDash": [3, 3], "strokeWidth": 1}
        layers.append(layer("rule", {"y": at("at")}, data=rule, **style))
    if "single" in data:
        faint: Spec = {"filled": True, "size": 16, "opacity": 0.4}
        layers.append(layer("point", encoding | {"y": at("single")}, **faint))
    if bool(data["high"].notna().any()):
        band = joined | {"y": at("low"), "y2": "high"}
        layers.append(layer("area", band, opacity=0.14, invalid=_BREAK))
    # A point beside a gap would vanish without its dot; one on a low base is hollow.
    full: Spec = {"filled": True, "size": 26, "opacity": 1}
    hollow: Spec = {"fill": colours.ground, "size": 30, "strokeWidth": 1.5, "opacity": 1}
    pointed = encoding | {"tooltip": tooltip("series", "wave", "value")}
    layers += [
        layer("line", joined, strokeWidth=2.2, strokeJoin="round", invalid=_BREAK),
        layer("point", pointed, where="datum.mark === ''", **full),
        layer("point", pointed, where="datum.mark !== ''", **hollow),
    ]
    return layers


# -- names ----------------------------------------------------------------------------------------


class _Names(NamedTuple):
    """What is written at the ends of lines: the ends with `text`; how wide it is in pixels."""

    ends: pd.DataFrame
    pixels: float


def _names(
    data: pd.DataFrame, kind: str, pixels: float, how: TableArrangement, *, labels: bool
) -> _Names:
    """The ends of the lines with their names in at most so many pixels, and the last values.

    pixels: 0 for the values alone.
    """
    ends = data.dropna(subset=["value"]).groupby("series", sort=False).tail(1)
    texts: list[str] = []
    last = data["wave"].iloc[-1] if len(data) else ""
    for name, wave, value in zip(ends["series"], ends["wave"], ends["value"], strict=True):
        said = format_value(kind, value, how) if labels and wave == last else ""
        texts.append("\n".join(_lines_of_name(name if pixels else "", said, pixels)))
    wide = [text_width(line, SMALL) for text in texts for line in text.split("\n") if line]
    return _Names(ends.assign(text=texts), max(wide, default=0.0) + (_NAME_GAP if wide else 0.0))


def _lines_of_name(name: str, value: str, pixels: float) -> list[str]:
    if not name:
        return [value]
    lines = broken(name, pixels - _NAME_GAP, SMALL, 3)
    joined = f"{lines[-1]} {value}".rstrip()
    if text_width(joined, SMALL) <= pixels - _NAME_GAP:
        return [*lines[:-1], joined]
    return [*lines, value]


def _named(names: _Names, plot: _Plot, shades: dict[str, str]) -> list[Spec]:
    """The names, moved apart where they would overlap."""
    ends = names.ends[names.ends["text"] != ""]
    if ends.empty:
        return []
    line = SMALL * LINE
    unit = (plot.axis.high - plot.axis.low) / plot.height
    heights = [line * (1 + text.count("\n")) + 1 for text in ends["text"]]
    middles = spread_out(
        ends["value"].tolist(),
        [each * unit for each in heights],
        (plot.axis.low, plot.axis.high),
    )
    # Vega puts the first line where the only one would be.
    lifted = [at + (high - line - 1) / 2 * unit for at, high in zip(middles, heights, strict=True)]
    placed = ends.assign(at=lifted, last=max(ends["wave"], key=plot.waves.index))
    inks = {name: legible(shade, plot.colours) for name, shade in shades.items()}
    where = {
        # All names are in one column, at the last wave that a line reaches.
        "x": field("last:O", sort=plot.waves),
        "y": "at:Q",
        "text": "text:N",
        "color": field(
            "series:N", scale={"domain": [*inks], "range": [*inks.values()]}, legend=None
        ),
    }
    style: Spec = {"align": "left", "dx": _NAME_GAP, "baseline": "middle", "fontSize": SMALL}
    kept = placed[["series", "text", "at", "last"]]
    return [layer("text", where, data=kept, lineBreak="\n", lineHeight=line, **style)]
