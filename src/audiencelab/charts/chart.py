"""Charts that render themselves as SVG, without network or altair, and that altair can change."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from audiencelab.charts.captions import SCHEMA
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import Charted, ChartSpecification, frame_of
from audiencelab.charts.theme import styled
from audiencelab.files import put
from audiencelab.unknown_names import OtherWords

if TYPE_CHECKING:
    from audiencelab.charts.selection import SelectableChart

P = ParamSpec("P")


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
        return self._drawn().svg()

    def png(self, *, scale: float = 2.0) -> bytes:
        """The chart as a PNG image, `scale` device pixels for each of the chart's.

        >>> client.stats("Gender").chart.bar().png()[1:4]
        b'PNG'
        """
        return self._drawn().png(scale=scale)

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
        return repr(self._drawn())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self._drawn().displayed()

    def _drawn(self) -> ChartSpecification:
        return ChartSpecification(self.to_dict(), self._summary, self._result)


def _plain(value: Any) -> Any:
    """A value of altair, such as `alt.TitleParams`, as JSON."""
    return value.to_dict() if hasattr(value, "to_dict") else value


def _without(spec: Spec, names: Sequence[str]) -> Spec:
    return {name: value for name, value in spec.items() if name not in names}


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


def as_altair(made: ChartSpecification) -> Chart:
    """A chart that altair can change, of a specification."""
    return Chart(made.spec, made.summary, made.result)


def drawn_by(draw: Callable[P, ChartSpecification]) -> Callable[P, Chart]:
    """A function that draws charts for users, of one that writes their specifications."""

    @wraps(draw)
    def drawing(*args: P.args, **options: P.kwargs) -> Chart:
        return as_altair(draw(*args, **options))

    signature = inspect.signature(draw).replace(return_annotation="Chart")
    drawing.__signature__ = signature  # pyright: ignore[reportAttributeAccessIssue]
    return drawing
