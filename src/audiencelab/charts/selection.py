"""Charts in which clicks select rows of a frame: altair's own widget, made to work offline.

altair fetches Vega from the internet for its widget. vl-convert, which renders our charts, contains
Vega and bundles it as one script; so nothing is fetched. The script (0.9 MB) is sent to the page
with each widget, and stays out of saved notebooks unless JupyterLab saves widget state.

Each mark has its row number in the column `line`. The specification is changed in three ways,
whatever the chart: a selection by that column, faded marks where others are selected, and a larger
target over each point.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

if find_spec("anywidget") is None:
    raise ImportError('A chart to select in is a widget: pip install "audiencelab[charts,widgets]"')

import altair as alt
import traitlets

from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.render.mime_payload import VIEW

if TYPE_CHECKING:
    import pandas as pd

_PICKED, _LINE = "picked", "line"
"""The selection's name in Vega-Lite, and the column that identifies its marks."""

_FADED = 0.25
"""Opacity of a mark while others are selected."""

_TARGET = 500
"""Area of a point's click target in square pixels: about 22 pixels across."""

_LARGE, _SMALL = ("bar", "rect"), ("point", "circle")
"""Marks of one row each: those with space for a value on them, and points, which may be too small
to be hit."""

_EMBEDDED = {"actions": False, "renderer": "svg", "ast": True}
"""No menu; marks as elements of the page; expressions interpreted, for pages that forbid eval."""


class SelectableChart(alt.JupyterChart):
    """A chart whose marks are rows of a frame, and in which clicks select rows.

    lines: positions of the selected rows, from 0, in order; observe it, or use `on_select`.
    """

    lines = cast("tuple[int, ...]", traitlets.Tuple(()))

    def __init__(
        self, drawn: ChartSpecification, frame: Callable[[], pd.DataFrame], name: str
    ) -> None:
        # On this class only, so that other JupyterCharts are not affected.
        type(self).enable_offline(True)
        self._frame, self._name, self._made_from = frame, name, drawn
        # A copy: the chart that it is made from stays as it is.
        chart = alt.Chart.from_dict(with_selection(deepcopy(drawn.spec)))
        super().__init__(chart, embed_options=_EMBEDDED)

    @property
    def selected(self) -> pd.DataFrame:
        """The selected rows of the result's frame, in its order; empty without a selection."""
        return self._frame().iloc[list(self.lines)]

    def on_select(self, call: Callable[[pd.DataFrame], object]) -> None:
        """Call this with the selected rows whenever they change; empty when cleared."""

        def tell(_: object) -> None:
            call(self.selected)

        self.observe(tell, "lines")

    @traitlets.observe("_vl_selections")
    def _take_lines(self, change: Mapping[str, Any]) -> None:
        picked: Spec = change["new"].get(_PICKED) or {}
        value: Spec = picked.get("value") or {}
        found: list[float | None] = value.get(_LINE) or []
        self.lines = tuple(sorted({int(line) for line in found if line is not None}))

    def __repr__(self) -> str:
        return f"<SelectableChart: {len(self.lines):,} selected in {self._name}>"

    def _repr_mimebundle_(self, **_: object) -> Any:
        """The widget where there is a kernel, and the chart as SVG elsewhere."""
        data, metadata = cast("tuple[Spec, Spec]", super()._repr_mimebundle_())
        chart = self._made_from
        forms: Spec = {"text/plain": repr(self), "image/svg+xml": chart.svg(), VIEW: {}}
        return {**data, **forms}, metadata | chart.metadata()


def with_selection(spec: Spec) -> Spec:
    """The same specification, changed in place: with a selection of marks by their row.

    spec: Vega-Lite, of which some data have the column `line`; an empty chart is not changed.
    """
    linked = {
        name
        for name, rows in spec.get("datasets", {}).items()
        if any(row.get(_LINE) is not None for row in rows)
    }
    views: list[str] = []
    for plot, layers in _plots(spec, linked):
        if not layers:
            continue
        kinds = [_kind(layer) for layer in layers]
        on_marks = any(kind in _LARGE for kind in kinds)
        for layer, kind in zip(layers, kinds, strict=True):
            if kind in (*_LARGE, *_SMALL):
                _unless_picked(layer, "opacity", _FADED, 1)
            elif kind == "text" and on_marks:
                # A light value on its mark would be illegible on a faded mark.
                ink = spec["config"]["text"]["color"]
                _unless_picked(layer, "color", ink, ink)
        # Only the layer that has the selection receives clicks; clicks pass through the others.
        clicked = next((each for each in layers if _kind(each) in (*_LARGE, *_SMALL)), layers[0])
        if _kind(clicked) in _SMALL and "field" not in clicked["encoding"].get("size", {}):
            clicked = _target(clicked)
            plot["layer"].append(clicked)
        clicked["name"] = f"{_PICKED}_in_{len(views)}"
        views.append(clicked["name"])
    if views:
        select = {"type": "point", "fields": [_LINE]}
        picked = {"name": _PICKED, "select": select, "views": views}
        spec["params"] = [*spec.get("params", []), picked]
    return spec


def _plots(
    spec: Spec, linked: Collection[str], data: str = ""
) -> Iterator[tuple[Spec, list[Spec]]]:
    """Each plot of a chart, with the layers whose marks have a row."""
    data = _data(spec, data)
    if "layer" in spec:
        yield spec, [layer for layer in spec["layer"] if _data(layer, data) in linked]
    elif "mark" in spec:
        yield spec, [spec] if data in linked else []
    for inner in (*filter(None, [spec.get("spec")]), *spec.get("concat", [])):
        yield from _plots(inner, linked, data)


def _data(spec: Spec, inherited: str) -> str:
    return spec.get("data", {}).get("name", inherited)


def _kind(layer: Spec) -> str:
    mark: str | Spec = layer["mark"]
    return mark if isinstance(mark, str) else mark["type"]


def _unless_picked(layer: Spec, channel: str, value: Any, usual: Any) -> None:
    """Change a channel of a mark while others are selected, before its other conditions.

    usual: the default value where neither the encoding nor the mark sets one.
    """
    mark: str | Spec = layer["mark"]
    by_mark = usual if isinstance(mark, str) else mark.get(channel, usual)
    own: Spec = layer["encoding"].get(channel, {"value": by_mark})
    conditions: Spec | list[Spec] = own.get("condition", [])
    layer["encoding"][channel] = own | {
        "condition": [
            # An empty selection includes every mark, so that nothing is faded without one.
            {"test": {"not": {"param": _PICKED}}, "value": value},
            *(conditions if isinstance(conditions, list) else [conditions]),
        ]
    }


def _target(points: Spec) -> Spec:
    """All points of a plot again, invisible and large enough to click.

    Without the filters of their layers, each of which draws some points, filled or hollow.
    """
    channels = ("x", "y", "xOffset", "yOffset")
    places = {name: points["encoding"][name] for name in channels if name in points["encoding"]}
    data = {"data": points["data"]} if "data" in points else {}
    return data | {
        "mark": {"type": "circle", "size": _TARGET, "opacity": 0},
        "encoding": places,
    }
