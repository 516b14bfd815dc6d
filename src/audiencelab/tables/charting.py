"""The charts of a result, as methods: `table.chart.bar()`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast

from audiencelab.unknown_names import OtherWords, refused

if TYPE_CHECKING:
    from audiencelab.charts import Chart

P = ParamSpec("P")


class ResultCharts(OtherWords):
    """The charts that a result can be drawn as; each method takes the options of the function.

    >>> table = client.crosstab("Finding brands", "Gender")
    >>> table.chart
    <charts: auto, bar, dots, stack, trend, points, heatmap, profile, bubble, correspondence>
    >>> both = table.chart.bar() | table.chart.heatmap().properties(title="By gender")

    The extra `charts` is needed.
    """

    __slots__ = ("_kinds", "_result")

    def __init__(self, result: object, kinds: Sequence[str]) -> None:
        self._result, self._kinds = result, tuple(kinds)

    def __call__(self, kind: str = "", **options: Any) -> Chart:
        """The chart of that kind, as pandas plots: `table.plot(kind="bar")`; by default `auto`.

        >>> client.crosstab("Finding brands", "Gender").chart()
        <Chart: dots of column_percentage, 20 lines, 3 columns>
        """
        if options.pop("stacked", False):
            kind = "stack"
        return getattr(self, kind or self._kinds[0])(**options)

    def __dir__(self) -> Sequence[str]:
        return self._kinds

    def __repr__(self) -> str:
        return f"<charts: {', '.join(self._kinds)}>"

    @property
    def auto(self):
        """The chart that suits the result; see `audiencelab.charts.auto`."""
        from audiencelab.charts import auto

        return self._of(auto)

    @property
    def bar(self):
        """Bars of one metric; see `audiencelab.charts.bar`."""
        from audiencelab.charts import bar

        return self._of(bar)

    @property
    def bubble(self):
        """An audience's answers by share and index; see `audiencelab.charts.bubble`."""
        from audiencelab.charts import bubble

        return self._of(bubble)

    @property
    def correspondence(self):
        """A map of rows and columns; see `audiencelab.charts.correspondence`."""
        from audiencelab.charts import correspondence

        return self._of(correspondence)

    @property
    def dots(self):
        """Dots of one metric, a line for each row; see `audiencelab.charts.dots`."""
        from audiencelab.charts import dots

        return self._of(dots)

    @property
    def heatmap(self):
        """A table whose cells are coloured by one metric; see `audiencelab.charts.heatmap`."""
        from audiencelab.charts import heatmap

        return self._of(heatmap)

    @property
    def overlap(self):
        """How many people are in which audiences; see `audiencelab.charts.overlap`."""
        from audiencelab.charts import overlap

        return self._of(overlap)

    @property
    def points(self):
        """Means and scores with their intervals; see `audiencelab.charts.points`."""
        from audiencelab.charts import points

        return self._of(points)

    @property
    def profile(self):
        """Answers given more and less often; see `audiencelab.charts.profile`."""
        from audiencelab.charts import profile

        return self._of(profile)

    @property
    def reach(self):
        """Reach by the number of items; see `audiencelab.charts.reach`."""
        from audiencelab.charts import reach

        return self._of(reach)

    @property
    def stack(self):
        """Answers on a scale as stacked bars; see `audiencelab.charts.stack`."""
        from audiencelab.charts import stack

        return self._of(stack)

    @property
    def trend(self):
        """Lines over waves; see `audiencelab.charts.trend`."""
        from audiencelab.charts import trend

        return self._of(trend)

    @property
    def turf(self):
        """The best sets of items; see `audiencelab.charts.turf`."""
        from audiencelab.charts import turf

        return self._of(turf)

    def _of(self, draw: Callable[Concatenate[Any, P], Chart]) -> Callable[P, Chart]:
        if draw.__name__ not in self._kinds:
            raise refused(self, draw.__name__)
        # A method, so that help() shows the options of the function.
        return cast(Any, MethodType(draw, self._result))
