"""The marks of stacks: parts on a common axis, sums on either side, and what is written above."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from audiencelab.charts.key import BOLD, above
from audiencelab.charts.layout import NAMES, PADDING
from audiencelab.charts.renderer import Spec
from audiencelab.charts.stack_data import Stacked, sums_of
from audiencelab.charts.theme import SIZE, SMALL, Look
from audiencelab.charts.vega_lite import category_colors, field, layer, scale, tooltip
from audiencelab.charts.wrapping import LINE, broken, text_width
from audiencelab.render.colours import readable_on
from audiencelab.results.arrangement import TableArrangement
from audiencelab.wording import half_up

_SHARE = "column_percentage"

_BAR, _BETWEEN = 20, 8
"""Pixels of a stack, and between two."""

_MANY = 12
"""Stacks from which a name has two lines at most."""

_TOTAL = SIZE
"""Size of the letters of sums."""

_GAP, _APART = 8.0, 14.0
"""Pixels between a stack and its sum, and before the answers off the scale."""

_HEADS = 3
"""Lines above the sums at most."""


def stack_marks(
    stacked: Stacked, colours: Look, pixels: float, *, diverging: bool, labels: bool
) -> Spec:
    """The specification of stacks. pixels: of the whole chart."""
    inner = pixels - 2 * PADDING
    order = stacked.order
    names = stacked.panels.names(NAMES * inner, SIZE, 3 if len(order) <= _MANY else 2)
    plot = inner - names.pixels
    parts = _placed(stacked.parts, diverging=diverging)
    axis = _axis(parts, plot, has_sums=any(stacked.sums), diverging=diverging)
    parts = _beside_the_scale(parts, axis, diverging=diverging)
    parts["text"] = _texts(parts["share"], axis.unit, stacked.how) if labels else ""
    parts["ink"] = [readable_on(stacked.colours[each], colours) for each in parts["answer"]]
    step = max(_BAR + _BETWEEN, names.height + 3)
    space = 1 - _BAR / step
    bars = {"domain": order, "paddingInner": space, "paddingOuter": space / 2}
    y = field("stack:N", sort=order, title=None, axis=names.axis(step), scale=bars)
    x = field("start:Q", title=None, scale=scale(*axis.ends), axis=None)
    shades = category_colors("answer", [*stacked.colours], [*stacked.colours.values()], None)
    shape = {"y": y, "x": x, "x2": "end", "color": shades}
    tips = {"tooltip": tooltip("answer", "stack", "share")}
    # The colour of a value is data: it depends on the part behind it.
    values = {"y": y, "x": "middle:Q", "text": "text:N", "color": field("ink:N", scale=None)}
    layers = [
        layer("bar", {**shape, **tips}, stroke=colours.ground, strokeWidth=1),
        layer("text", values, where="datum.text !== ''", baseline="middle", fontSize=SMALL),
    ]
    heads = _heads(stacked.sums, axis, names.pixels)
    for side, at in zip(("low", "high"), axis.sums, strict=True):
        if any(stacked.sums):
            where = {"y": y, "x": {"datum": at}, "text": "text:N"}
            bold: Spec = {"align": "right", "baseline": "middle", "fontWeight": 600}
            layers.append(
                layer("text", where, data=_sums(parts, side, stacked.how), fontSize=_TOTAL, **bold)
            )
    key = above(
        "",
        [*stacked.colours],
        category_colors("group", [*stacked.colours], [*stacked.colours.values()], None),
        pixels=inner,
        left=-names.pixels,
        over=heads.height,
    )
    return {
        "data": parts,
        "layer": [*layers, *heads.layers, *key.layers],
        # Parts have colours by answer, and values a colour that is data.
        "resolve": {"scale": {"color": "independent"}},
        "width": round(plot, 1),
        "height": round(step * len(order), 1),
    }


# -- positions -------------------------------------------------------------------------------------


class _Axis(NamedTuple):
    """Where stacks are, in percent.

    ends: of the axis. unit: pixels of a percent. sums: the right ends of both sums. off: where
    answers off the scale begin.
    """

    ends: tuple[float, float]
    unit: float
    sums: tuple[float, float]
    off: float


def _placed(parts: pd.DataFrame, *, diverging: bool) -> pd.DataFrame:
    """The parts of the scale with start and end, in percent from the left or from the middle."""
    # A missing part takes no space, and NaN would end the sum.
    share = parts["share"].fillna(0.0).where(~parts["off"], 0.0)
    ends = share.groupby(parts["stack"], sort=False).cumsum()
    if diverging:
        left = share * parts["left"]
        ends -= left.groupby(parts["stack"], sort=False).transform("sum")
    return parts.assign(start=ends - parts["share"], end=ends)


def _axis(parts: pd.DataFrame, plot: float, *, has_sums: bool, diverging: bool) -> _Axis:
    on = parts[~parts["off"]]
    low, high, off = 0.0, 100.0, 0.0
    if diverging:
        low, high = float(on["start"].min()), float(on["end"].max())
        off = float(parts["share"].where(parts["off"]).groupby(parts["stack"]).sum().max())
    if not high > low:
        low, high = 0.0, 100.0
    sums = _GAP + BOLD * text_width("100%", _TOTAL) if has_sums else 0.0
    apart = _APART if off > 0 else 0.0
    unit = max(plot - 2 * sums - apart, 1.0) / (high - low + off)
    first = low - sums / unit
    last = first + plot / unit
    right = high + sums / unit
    return _Axis((first, last), unit, (low - _GAP / unit, right), right + apart / unit)


def _beside_the_scale(parts: pd.DataFrame, axis: _Axis, *, diverging: bool) -> pd.DataFrame:
    """The parts with answers off the scale at the right: apart, or at the end of their stack."""
    share = parts["share"].where(parts["off"]).fillna(0.0)
    by_stack = share.groupby(parts["stack"], sort=False)
    begin = axis.off if diverging else 100.0 - by_stack.transform("sum")
    ends = begin + by_stack.cumsum()
    end = parts["end"].where(~parts["off"], ends)
    start = end - parts["share"]
    return parts.assign(start=start, end=end, middle=(start + end) / 2)


def _texts(shares: pd.Series[float], unit: float, how: TableArrangement) -> list[str]:
    """Each share in whole percent, where it fits into its part."""
    texts = (_percent(each, how) for each in shares)
    return [
        text if share * unit >= text_width(text) + 4 else ""
        for text, share in zip(texts, shares, strict=True)
    ]


# -- sums -----------------------------------------------------------------------------------------


def _sums(parts: pd.DataFrame, side: str, how: TableArrangement) -> pd.DataFrame:
    """The sum of a side for each stack, as text."""
    sums = sums_of(parts, side).rename("sum").reset_index()
    return sums.assign(text=[_percent(each, how, "%") for each in sums["sum"]])


def _percent(share: float, how: TableArrangement, sign: str = "") -> str:
    places = how.places(_SHARE) or 0
    return "" if np.isnan(share) else f"{half_up(share, places):.{places}f}{sign}"


class _Heads(NamedTuple):
    layers: list[Spec]
    height: float


def _heads(sums: tuple[str, str], axis: _Axis, names: float) -> _Heads:
    """What is added up, above the sums: the left one over the names, the right one over stacks.

    names: pixels of the names.
    """
    if not any(sums):
        return _Heads([], 0.0)
    rights = [axis.unit * (at - axis.ends[0]) for at in axis.sums]
    rooms = (names + rights[0], rights[1] - rights[0] - 2 * _GAP)
    lines = [
        broken(text, room / BOLD, SMALL, _HEADS) for text, room in zip(sums, rooms, strict=True)
    ]
    high = max(map(len, lines))
    size = SMALL * LINE
    layers = [
        layer(
            "text",
            {"x": {"value": round(right, 1)}, "y": {"value": -_GAP}, "text": {"value": each}},
            data=pd.DataFrame({"sum": [text]}),
            align="right",
            baseline="bottom",
            fontWeight=600,
            fontSize=SMALL,
            dy=-size * (len(each) - 1),
            lineHeight=size,
        )
        for text, each, right in zip(sums, lines, rights, strict=True)
    ]
    return _Heads(layers, high * size + _GAP)
