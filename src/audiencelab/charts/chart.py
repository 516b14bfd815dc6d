"""Charts as objects of altair, which keep our display, files and style wherever they are put."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

import altair as alt

from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification, FileFormat, frame_of
from audiencelab.charts.styling import configured, styled
from audiencelab.render.record_carriers import KEY, as_data
from audiencelab.results.made import MadeOf, method_code
from audiencelab.results.table_code import step, table_code
from audiencelab.unknown_names import OtherWords
from audiencelab.words import SAVES

if TYPE_CHECKING:
    # What most charts are; one with panels has neither `encode` nor `+`, as in altair.
    from altair import LayerChart as AltairChart

    from audiencelab.charts.selection import SelectableChart
else:
    AltairChart = OtherWords

_TOLD = {"title", "width", "height", "usermeta"}
"""What `properties` changes most, which is in the code of a chart."""

_APART = {"scale": {"color": "independent", "shape": "independent"}}
"""In two charts one colour may mean different answers."""


class Chart(AltairChart):
    """A chart of altair, with all its methods, that displays itself as SVG.

    It is drawn on this machine, with no network. It has the style of its theme, which
    `configure_…` changes; beside charts of altair it keeps that style.

    >>> import altair as alt
    >>> chart = client.stats("Gender").chart.bar().properties(title="Who").configure_axis(grid=True)
    >>> chart | alt.Chart().mark_point()
    <Chart: bars of column_percentage, 3 of q2; a chart of altair>
    """

    drawn: ChartSpecification

    @property
    def summary(self) -> str:
        """What the chart shows, for people who do not see it: its `description` in altair."""
        return _described(self)

    def to_dict(
        self,
        validate: bool = True,
        *,
        format: Literal["vega-lite", "vega"] = "vega-lite",  # noqa: A002 -- altair's name
        ignore: list[str] | None = None,
        context: dict[str, Any] | None = None,
    ) -> Spec:
        """The Vega-Lite specification.

        >>> client.stats("Gender").chart.bar().to_dict()["$schema"].split("/")[-1]
        'v6.4.1.json'
        """
        context = {"pre_transform": False} | (context or {})
        spec: Spec = super().to_dict(validate, ignore=[*(ignore or ()), "drawn"], context=context)
        theme: Spec = self.drawn.spec["config"]
        # altair takes no `config` in a part of a chart: there, marks and axes have the style.
        if not context.get("top_level", True):
            return styled(spec, theme)
        # No part of a chart has it either.
        if self.drawn.records:
            spec["usermeta"] = self.drawn.spec["usermeta"] | spec.get("usermeta", {})
        own = cast("Any", self.config)
        spec["config"] = configured(theme, {} if own is alt.Undefined else own.to_dict())
        compiled = alt.vegalite_compilers.get() if format == "vega" else None
        return compiled(spec) if compiled else spec

    def to_code(self) -> str:
        """Python that draws the same again, given `client` and `audiencelab` as `al`.

        Of methods of altair it has `properties`, `|` and `&`; a comment says that others changed
        the chart.

        >>> client.stats("Gender", waves="latest 1").chart.bar(title="Who").to_code()
        "client.stats('Gender', waves=['q4_2025']).chart.bar(title='Who')"
        """
        code, spec = table_code(self.drawn), self.to_dict(validate=False)
        changed = {name for name in spec if spec[name] != self.drawn.spec.get(name)} - _TOLD
        # Charts that were joined have the specification of the first.
        is_changed = bool(changed) and isinstance(self.drawn.made, MadeOf)
        return f"{code}  # changed by altair" if code and is_changed else code

    def svg(self) -> str:
        """The chart as SVG text; labels are escaped, nothing in it is fetched or run.

        >>> client.stats("Gender").chart.bar().svg()[:4]
        '<svg'
        """
        return self._specification().svg()

    def png(self, *, scale: float = 2.0) -> bytes:
        """The chart as a PNG image, `scale` device pixels for each of the chart's.

        >>> client.stats("Gender").chart.bar().png()[1:4]
        b'PNG'
        """
        return self._specification().png(scale=scale)

    def save(  # pyright: ignore[reportIncompatibleMethodOverride] -- no versions of a CDN
        self,
        fp: str | Path | IO[Any],
        format: FileFormat | None = None,  # noqa: A002 -- altair's name
        *,
        scale_factor: float = 2.0,
    ) -> None:
        """Write it to a file ending in .svg, .png, .pdf, .html or .json (the specification).

        A page in .html needs no network: values are shown where it is pointed at. An existing file
        is replaced as a whole.

        fp: the file; or an open one, with the `format` in which to write, such as "png".
        scale_factor: pixels of a PNG for each of the chart's.

        Raises `ValueError` for another ending, and `WriteError` where the file cannot be written.

        >>> client.stats("Gender").chart.bar().save(folder / "gender.svg")
        """
        self._specification().save(fp, format, scale_factor=scale_factor)

    def to_html(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride] -- no CDN
        """The chart as a page that needs no network.

        >>> client.stats("Gender").chart.bar().to_html()[:15]
        '<!DOCTYPE html>'
        """
        return self._specification().html()

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

        if (result := self.drawn.result) is None:
            raise TypeError(f"{self!r} has no marks to select: they are not rows of a frame.")
        return SelectableChart(self._specification(), lambda: frame_of(result), repr(self))

    def properties(self, **properties: Any) -> Chart:
        """The same chart with other properties, such as title, width and height.

        A title that is text replaces the first line: base and source stay below it.

        >>> client.crosstab("q17", "Gender").chart.heatmap().properties(title="Pets")
        <Chart: heat map of index, 8 rows × 3 columns>
        """
        title, own = properties.get("title"), cast("Any", self.title)
        call = method_code("properties", (), properties)
        if isinstance(title, str) and isinstance(own, dict):
            properties["title"] = own | {"text": title}
        made: Any = super().properties(**properties)
        made.drawn = replace(self.drawn, made=step(self.drawn, call))
        return made

    def show(self) -> None:
        """Display it; in a window of the browser, where altair's renderer `browser` is enabled.

        >>> client.stats("Gender").chart.bar().show()
        <Chart: bars of column_percentage, 3 of q2>
        """
        if alt.renderers.active == "browser" and (open_window := alt.renderers.get()):
            open_window(self.to_dict())
        else:
            super().show()

    def __or__(self, other: Any) -> ChartRow:
        """Both charts side by side, in the theme of this one."""
        return ChartRow(hconcat=[self, other], resolve=_APART, **self._with(other, "|"))

    def __and__(self, other: Any) -> ChartColumn:
        """This chart above the other, in the theme of this one."""
        return ChartColumn(vconcat=[self, other], resolve=_APART, **self._with(other, "&"))

    def _with(self, other: Any, sign: str) -> dict[str, Any]:
        """What two charts together have of the first, what they show, and what they are of."""
        drawn = getattr(other, "drawn", None)
        others = drawn.records if isinstance(drawn, ChartSpecification) else []
        codes = [table_code(self.drawn), table_code(drawn)]
        code = f" {sign} ".join(codes) if all(codes) else ""
        known = [each.to_dict() for each in dict.fromkeys((*self.drawn.records, *others))]
        spec = self.drawn.spec | ({"usermeta": {KEY: as_data(known)}} if known else {})
        return {
            "drawn": replace(self.drawn, spec=spec, result=None, made=code),
            "description": f"{self.summary}; {_described(other) or 'a chart of altair'}",
        }

    def __repr__(self) -> str:
        return f"<Chart: {self.summary}>"

    def _repr_mimebundle_(self, *_: object, **__: object) -> tuple[dict[str, Any], dict[str, Any]]:
        return self._specification().displayed()

    def _specification(self) -> ChartSpecification:
        """What the chart shows now; altair checks it where it was changed."""
        spec = self.to_dict(validate=False)
        return replace(self.drawn, spec=spec if spec == self.drawn.spec else self.to_dict())

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        return (lambda: self._saved) if name in SAVES else None

    def _saved(self, fp: str | Path | IO[Any], *_: Any, **__: Any) -> None:
        self.save(fp)

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            try:
                # altair keeps the properties of a chart there.
                return super(OtherWords, self).__getattr__(name)
            except AttributeError:
                return super().__getattr__(name)


class LayeredChart(Chart, alt.LayerChart):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A chart of one plot."""

    def facet(
        self,
        facet: Any = alt.Undefined,
        row: Any = alt.Undefined,
        column: Any = alt.Undefined,
        data: Any = alt.Undefined,
        columns: Any = alt.Undefined,
        **options: Any,
    ) -> FacetedChart:
        """The same chart in panels, one for each value of a field; as in altair.

        >>> chart = client.stats("Gender").chart.bar().facet("label:N", columns=2)
        """
        made: Any = super().facet(facet, row, column, data, columns)
        # One title of the whole chart, not one of each panel.
        title, made.spec.title = made.spec.title, alt.Undefined
        of_panels: Spec = {name: made[name] for name in ("data", "spec", "facet", "columns")}
        of_whole: Spec = {"title": title, "description": self.summary, "drawn": self.drawn}
        return FacetedChart(**of_panels | of_whole | options)


class FacetedChart(Chart, alt.FacetChart):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A chart with a panel for each group."""

    def properties(self, **properties: Any) -> Chart:
        """The same chart with other properties; width and height are those of a panel."""
        sizes = {name: properties.pop(name) for name in ("width", "height") if name in properties}
        made: Any = super().properties(**properties)
        if sizes:
            made.spec = made.spec.properties(**sizes)
        return made


class ChartGrid(Chart, alt.ConcatChart):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A chart of several plots, such as that of an overlap."""


class ChartRow(Chart, alt.HConcatChart):  # pyright: ignore[reportIncompatibleMethodOverride]
    """Charts side by side."""

    def __or__(self, other: Any) -> ChartRow:
        made: Any = alt.HConcatChart.__or__(self, other)
        made.description, made.drawn = map(self._with(other, "|").get, ("description", "drawn"))
        return made


class ChartColumn(Chart, alt.VConcatChart):  # pyright: ignore[reportIncompatibleMethodOverride]
    """Charts one above the other."""

    def __and__(self, other: Any) -> ChartColumn:
        made: Any = alt.VConcatChart.__and__(self, other)
        made.description, made.drawn = map(self._with(other, "&").get, ("description", "drawn"))
        return made


def _described(chart: Any) -> str:
    description: Any = getattr(chart, "description", alt.Undefined)
    return "" if description is alt.Undefined else description


_KINDS: Mapping[str, tuple[type[Any], type[Any]]] = {
    "layer": (LayeredChart, alt.LayerChart),
    "spec": (FacetedChart, alt.FacetChart),
    "concat": (ChartGrid, alt.ConcatChart),
    "hconcat": (ChartRow, alt.HConcatChart),
    "vconcat": (ChartColumn, alt.VConcatChart),
}
"""The classes of a whole chart and of a part of one, by what it is made of."""

_OF_WHOLE = ("$schema", "config", "datasets", "usermeta")
"""What altair writes itself, and what only a whole chart has."""


def chart_of(drawn: ChartSpecification) -> Chart:
    """The chart of altair that a specification describes."""
    # One object for each data set: altair compares them by identity.
    datasets = {
        name: alt.InlineData(values=rows) for name, rows in drawn.spec.get("datasets", {}).items()
    }
    return _part(drawn.spec, datasets, drawn=drawn)


def _part(spec: Spec, datasets: Mapping[str, alt.InlineData], **of_whole: Any) -> Any:
    made: Spec = {name: value for name, value in spec.items() if name not in _OF_WHOLE}
    made |= of_whole
    if "data" in made:
        made["data"] = datasets[made["data"]["name"]]
    if "encoding" in made:
        # Not a dict: altair looks channels up as attributes of it.
        made["encoding"] = alt.FacetedEncoding(**made["encoding"])
    for name, (whole, part) in _KINDS.items():
        if name in made:
            inner: list[Spec] = [spec[name]] if name == "spec" else spec[name]
            parts = [_part(each, datasets) for each in inner]
            made[name] = parts[0] if name == "spec" else parts
            return (whole if of_whole else part)(**made)
    return alt.Chart(**made)
