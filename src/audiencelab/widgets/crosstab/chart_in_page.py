"""Charts that the page draws with Vega: as wide as their element, with values on hover."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from audiencelab.charts.renderer import Spec
    from audiencelab.charts.specification import ChartSpecification

_WIDTH, _PADDING, _LETTER, _LABEL_LIMIT, _MIN_PLOT = 640, 12, 6.4, 280, 160
"""Pixels: of a chart by default, around it, of a letter, of a label, of a plot."""

_FITTED = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}

_ON_HOVER = {
    **dict.fromkeys(("label", "row"), "Row"),
    **dict.fromkeys(("group", "column"), "Column"),
    "text": "Value",
}
"""Columns of a chart's data that are shown on hover, and their titles."""


class DrawWide(Protocol):
    """Draws a chart with a plot of some width in pixels; None is its own."""

    def __call__(self, *, width: int | None = None) -> ChartSpecification: ...


def page_specification(draw_wide: DrawWide, width: float = 0) -> Spec:
    """The Vega-Lite specification of a chart that the page draws, as wide as its element.

    draw_wide: draws for a width of the plot. width: pixels of the element, or 0. The page measures
    labels in its own font and fits the plot to them, so nothing is rendered here.
    """
    width = width or _WIDTH
    drawing = draw_wide()
    rows = {row.get("label") or row.get("row", "") for row in _rows_of(drawing.to_dict())}
    labels = min(_LABEL_LIMIT, _LETTER * max(map(len, rows), default=0))
    plot = max(_MIN_PLOT, int(width - labels - 3 * _PADDING))
    spec = draw_wide(width=plot).to_dict()
    return {
        **spec,
        **({"layer": [_for_page(each, spec) for each in spec["layer"]]} if "layer" in spec else {}),
        **({} if _scrolls(spec, plot) else _FITTED),
        "title": _wrapped(spec["title"], int(width / _LETTER)),
        "description": drawing.summary,
        "padding": _PADDING,
        # The pane has its own buttons.
        "usermeta": {"embedOptions": {"actions": False}},
    }


def _rows_of(spec: Spec, part: Spec | None = None) -> list[dict[str, Any]]:
    """The data of a chart or of one of its layers."""
    data = (part or {}).get("data") or spec.get("data", {})
    return spec.get("datasets", {}).get(data.get("name"), [])


def _scrolls(spec: Spec, plot: float) -> bool:
    """Whether the narrowest columns of a heat map are wider than the plot."""
    width: Any = spec["width"]
    columns = {row.get("column") for row in _rows_of(spec)}
    return isinstance(width, dict) and cast("Spec", width)["step"] * len(columns) > plot + 1


def _wrapped(title: Spec, letters: int) -> Spec:
    """A title over the whole chart, in lines of so many letters."""
    lines = [line for text in title["subtitle"] for line in textwrap.wrap(text, max(20, letters))]
    text = textwrap.wrap(title["text"], max(16, int(0.8 * letters)))
    return {"text": text, "subtitle": lines, "anchor": "start", "frame": "bounds"}


def _for_page(layer: Spec, spec: Spec) -> Spec:
    """The layer with values on hover; positions in pixels move with the plot's width."""
    encoding = dict(layer["encoding"])
    transform = [*layer.get("transform", ())]
    x = encoding.get("x", {})
    if x.get("value") == spec["width"]:
        encoding["x"] = {"value": "width"}
    elif x.get("field") and x.get("scale", ...) is None:
        moved = f"datum.{x['field']} * width / {spec['width']}"
        # A column of its own: it is computed again when the width changes.
        transform.append({"calculate": moved, "as": "moved"})
        encoding["x"] = {**x, "field": "moved"}
    rows = _rows_of(spec, layer)
    if rows and "text" in rows[0]:
        encoding["tooltip"] = [
            {"field": name, "title": title, "type": "nominal"}
            for name, title in _ON_HOVER.items()
            if rows[0].get(name)
        ]
    return {**layer, "encoding": encoding, **({"transform": transform} if transform else {})}


def encoded(specification: Spec) -> bytes:
    """The specification as JSON."""
    return json.dumps(specification, separators=(",", ":")).encode()
